"""What G. Garofalo, C. Ott, A. Albu-Schäffer print, computed again."""

from __future__ import annotations

from .exhibit import Exhibit
from .printed import Printed


def printed() -> list[Printed]:
    """Return the numbers that the paper prints, each beside ours."""
    return []


def exhibits() -> list[Exhibit]:
    """Return the figures and tables of the paper, made again."""
    return []
