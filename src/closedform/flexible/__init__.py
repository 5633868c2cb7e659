"""Planar arms with flexible links: modes, closed-form dynamics, simulation, control, fits."""

from .arguments import Damping
from .arm import FlexibleArm, StateSpace
from .arm_motion import ArmMotion, DefinitenessError, DeflectionWarning, Energy
from .coefficients import Coefficients
from .file import load_arm
from .fit import HubDrivenFit, fit_hub_driven
from .following import FollowingModes
from .link import FlexibleLink
from .modes import Mode, Modes, Tip
from .shaping import InputShaper

__all__ = [
    "ArmMotion",
    "Coefficients",
    "Damping",
    "DefinitenessError",
    "DeflectionWarning",
    "Energy",
    "FlexibleArm",
    "FlexibleLink",
    "FollowingModes",
    "HubDrivenFit",
    "InputShaper",
    "Mode",
    "Modes",
    "StateSpace",
    "Tip",
    "fit_hub_driven",
    "load_arm",
]
