"""The immutable tree of joints and inertias that every closed form is a function of."""

from .build import build_model
from .joint import JointType
from .model import Body, Coupling, Frame, Model
from .state import integrate, random_state

__all__ = ["Body", "Coupling", "Frame", "JointType", "Model", "build_model", "integrate", "random_state"]
