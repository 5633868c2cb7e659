"""Robot dynamics and kinematics in closed form, compiled: a robot in, its equations out.

>>> import closedform as cf
>>> robot = cf.load("iiwa14")
>>> q, qd, qdd = robot.random_state(0)
>>> robot.inverse_dynamics(q, qd, qdd).shape
(7,)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .description import Inertial, Limits
from .description.catalogue import catalogue
from .errors import (
    ArgumentError,
    ClosedFormError,
    DescriptionError,
    ModelWarning,
    ProgramSizeError,
    UnknownNameError,
    similar,
)
from .forms import FORMS
from .kernels import Kernel
from .loading import load
from .robot import Robot

if TYPE_CHECKING:
    from . import (
        cluster,
        control,
        convert,
        elastic,
        flexible,
        identification,
        integration,
        inverse_kinematics,
        redundancy,
        simulation,
        trajectory,
    )
    from .elastic import ElasticJointRobot
    from .flexible import FlexibleArm, FlexibleLink
    from .identification.base.parameters import base_parameters
    from .identification.exciting.search import excitation
    from .identification.workflow.identify import identify

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022 (a table of contents, in the order of the flow)
    # a robot: of a name, a file or figures
    "load",
    "catalogue",
    "Robot",
    "Inertial",
    "Limits",
    # its closed forms, and one of them compiled
    "FORMS",
    "Kernel",
    # arrays of other libraries
    "convert",
    # motions: planned, integrated
    "trajectory",
    "integration",
    # torque laws, and the robot under them
    "control",
    "simulation",
    # parameters from measurements
    "identification",
    "identify",
    "base_parameters",
    "excitation",
    # links that bend
    "flexible",
    "FlexibleArm",
    "FlexibleLink",
    # more joints than the task needs
    "redundancy",
    # any robot to a pose
    "inverse_kinematics",
    # joints on springs
    "elastic",
    "ElasticJointRobot",
    # all of these on many machines
    "cluster",
    # what can go wrong
    "ClosedFormError",
    "ArgumentError",
    "DescriptionError",
    "ProgramSizeError",
    "UnknownNameError",
    "ModelWarning",
    "__version__",
]

_APPLICATIONS = {
    "convert": (),
    "trajectory": (),
    "integration": (),
    "control": (),
    "simulation": (),
    "identification": ("base_parameters", "excitation", "identify"),
    "flexible": ("FlexibleArm", "FlexibleLink"),
    "redundancy": (),
    "inverse_kinematics": (),
    "elastic": ("ElasticJointRobot",),
    "cluster": (),
}
"""Packages that are imported when first asked for, and their names that are names here too."""


def __getattr__(name: str) -> Any:
    for package, names in _APPLICATIONS.items():
        if name == package or name in names:
            module = import_module(f".{package}", __name__)
            found = module if name == package else getattr(module, name)
            globals()[name] = found
            return found
    # without the module, of which Python would suggest a name a second time
    text = f"module {__name__!r} has no attribute {name!r}{similar(name, __all__)}"
    raise AttributeError(text, name=name, obj=None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
