"""Motion of a rigid robot under a law: compiled steps, friction that sticks, stops, wrenches, batches."""

from .motion import Motion, Transition
from .simulate import METHODS, simulate

__all__ = ["METHODS", "Motion", "Transition", "simulate"]
