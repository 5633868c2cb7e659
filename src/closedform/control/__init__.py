"""Torque laws of rigid robots as expressions: called, bound, exported, or simulated in machine code.

Laws of robots on springs, which compute motor torques, are in `closedform.elastic`: `Feedforward` with the
second rate of the torques, `Decoupling`, `StagedDecoupling`, and observers for arms that measure motors only.
"""

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
