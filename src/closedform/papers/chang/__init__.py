"""What Chang prints, computed again: three tables, three figures, the example's formulas, the counts."""

from .exhibits import exhibits
from .numbers import printed

__all__ = ["exhibits", "printed"]
