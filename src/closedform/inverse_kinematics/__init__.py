"""Inverse kinematics of any robot: all branches in closed form if its axes permit it, else by search."""

from .result import Solutions
from .solve import solve

__all__ = ["Solutions", "solve"]
