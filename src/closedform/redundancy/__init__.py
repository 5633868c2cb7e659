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
from .effort import Effort, PaperEffort, effort, paper_effort
from .joint_rates import joint_rates
from .obstacles import Obstacle, obstacles
from .path import Path, follow
from .pivoted import Orthogonality, extended_jacobian, hybrid, orthogonality
from .resolved_motion import resolved_motion
from .result import Result
from .self_motion import Curve, self_motion
from .solve import solve
from .symbolic import ConditionEquations, Reduced, equations
from .task import Task

__all__ = [
    "Comparison",
    "ConditionEquations",
    "Contestant",
    "Criterion",
    "Curve",
    "Effort",
    "Obstacle",
    "Orthogonality",
    "PaperEffort",
    "Path",
    "Reduced",
    "Result",
    "Task",
    "compare",
    "condition_number",
    "effort",
    "equations",
    "extended_jacobian",
    "follow",
    "gravity_load",
    "hybrid",
    "joint_centering",
    "joint_limits",
    "joint_rates",
    "manipulability",
    "obstacles",
    "orthogonality",
    "own",
    "paper_effort",
    "resolved_motion",
    "self_motion",
    "solve",
]
