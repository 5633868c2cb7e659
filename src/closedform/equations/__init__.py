"""Forms as SymPy expressions that people read: symbols or numbers, LaTeX, MathML and text."""

from .build import equations
from .result import Equations, EquationsWarning

__all__ = ["Equations", "EquationsWarning", "equations"]
