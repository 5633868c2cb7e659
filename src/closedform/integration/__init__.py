"""Motion of systems x' = f(x, u, p) given as expressions: compiled Runge-Kutta steps and SciPy's methods."""

from .events import Event
from .simulate import DivergenceError, Simulation, simulate
from .system import System

__all__ = ["DivergenceError", "Event", "Simulation", "System", "simulate"]
