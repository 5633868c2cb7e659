"""Robot dynamics and kinematics in closed form, compiled: a robot in, its equations out.

>>> import closedform as cf
>>> robot = cf.load("iiwa14")
>>> q, qd, qdd = robot.random_state(0)
>>> robot.inverse_dynamics(q, qd, qdd).shape
(7,)
"""

from .description import Inertial, Limits
from .description.catalogue import catalogue
from .errors import (
    ArgumentError,
    ClosedFormError,
    DescriptionError,
    ModelWarning,
    ProgramSizeError,
    UnknownNameError,
)
from .forms import FORMS
from .kernels import Kernel
from .robot import Robot, load

__version__ = "0.1.0"

__all__ = [
    "FORMS",
    "ArgumentError",
    "ClosedFormError",
    "DescriptionError",
    "Inertial",
    "Kernel",
    "Limits",
    "ModelWarning",
    "ProgramSizeError",
    "Robot",
    "UnknownNameError",
    "__version__",
    "catalogue",
    "load",
]
