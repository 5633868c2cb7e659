"""The immutable tree of joints and inertias that every closed form is a function of."""

from .body import Body, Coupling, Frame
from .build import build_model
from .model import Model
from .state import difference, integrate, random_state

__all__ = ["Body", "Coupling", "Frame", "Model", "build_model", "difference", "integrate", "random_state"]
