"""Forms as SymPy expressions that people read: symbols or numbers, LaTeX, MathML and text."""

from .build import EquationsWarning, equations
from .result import Equations

__all__ = ["Equations", "EquationsWarning", "equations"]
