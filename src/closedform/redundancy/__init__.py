"""Redundant robots: exact, repeatable inverse kinematics, and the methods it is compared with."""

from .compare import Comparison, Contestant, compare
from .criteria import (
    Criterion,
    condition_number,
    gravity_load,
    joint_centering,
    joint_limits,
    manipulability,
    own,
)
from .obstacles import Obstacle, obstacles
from .path import Path, follow
from .pivoted import Orthogonality, hybrid, orthogonality
from .resolved_motion import resolved_motion
from .result import Result
from .self_motion import Curve, self_motion
from .solve import solve
from .task import Task

__all__ = [
    "Comparison",
    "Contestant",
    "Criterion",
    "Curve",
    "Obstacle",
    "Orthogonality",
    "Path",
    "Result",
    "Task",
    "compare",
    "condition_number",
    "follow",
    "gravity_load",
    "hybrid",
    "joint_centering",
    "joint_limits",
    "manipulability",
    "obstacles",
    "orthogonality",
    "own",
    "resolved_motion",
    "self_motion",
    "solve",
]
