"""Torque laws of rigid robots as expressions: called, bound, exported, or simulated in machine code.

Laws of robots on springs, which compute motor torques, are in `closedform.elastic`: `Feedforward` with the
second rate of the torques, `Decoupling`, `StagedDecoupling`, and observers for arms that measure motors only.
"""

from .adaptive import AdaptiveControl
from .custom import ExpressionLaw
from .impedance import Impedance, task_damping
from .joint_laws import ComputedTorque, GravityCompensation, PDGravity
from .law import Law
from .parts import Response

__all__ = [
    "AdaptiveControl",
    "ComputedTorque",
    "ExpressionLaw",
    "GravityCompensation",
    "Impedance",
    "Law",
    "PDGravity",
    "Response",
    "task_damping",
]
