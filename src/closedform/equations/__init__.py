"""Forms as SymPy expressions that people read: symbols or numbers, LaTeX, MathML and text."""

from .build import equations
from .result import Equations, EquationsWarning
from .write import program_equations

__all__ = ["Equations", "EquationsWarning", "equations", "program_equations"]
