"""Torque laws of rigid robots as expressions: called, bound, exported, or simulated in machine code."""

from .custom import ExpressionLaw
from .impedance import Impedance, task_damping
from .joint_laws import ComputedTorque, GravityCompensation, PDGravity
from .law import Law

__all__ = [
    "ComputedTorque",
    "ExpressionLaw",
    "GravityCompensation",
    "Impedance",
    "Law",
    "PDGravity",
    "task_damping",
]
