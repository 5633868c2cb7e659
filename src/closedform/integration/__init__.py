"""Motion of systems x' = f(x, u, p) given as expressions: compiled Runge-Kutta steps and SciPy's methods."""

from .divergence import DivergenceError
from .events import Event
from .simulate import Simulation, simulate
from .system import System

__all__ = ["DivergenceError", "Event", "Simulation", "System", "simulate"]
