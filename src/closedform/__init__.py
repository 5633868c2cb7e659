"""Robot dynamics and kinematics in closed form, compiled: a robot in, its equations out.

>>> import closedform as cf
>>> robot = cf.load("iiwa14")
>>> q, qd, qdd = robot.random_state(0)
>>> robot.inverse_dynamics(q, qd, qdd).shape
(7,)
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .errors import (
    ArgumentError,
    ClosedFormError,
    DescriptionError,
    ModelWarning,
    ProgramSizeError,
    UnknownNameError,
    similar,
)

if TYPE_CHECKING:
    from . import (
        cluster,
        contacts,
        control,
        convert,
        elastic,
        flexible,
        identification,
        integration,
        inverse_kinematics,
        loops,
        redundancy,
        simulation,
        trajectory,
    )
    from .contacts import ContactRobot
    from .description import Inertial, Limits
    from .description.catalogue import catalogue
    from .description.contact import Contact
    from .description.loop import JointCoupling, Loop
    from .elastic import ElasticJointRobot
    from .flexible import FlexibleArm, FlexibleLink
    from .forms import FORMS
    from .identification.base.parameters import base_parameters
    from .identification.exciting.search import excitation
    from .identification.workflow.identify import identify
    from .identification.workflow.payload import identify_payload
    from .kernels import Kernel
    from .loading import load
    from .loops import ClosedRobot
    from .robot import Robot
    from .viewer import view

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
    # joints in closed loops
    "loops",
    "Loop",
    "JointCoupling",
    "ClosedRobot",
    # frames held on the ground
    "contacts",
    "Contact",
    "ContactRobot",
    # parameters from measurements
    "identification",
    "identify",
    "identify_payload",
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
    # in the browser
    "view",
    # what can go wrong
    "ClosedFormError",
    "ArgumentError",
    "DescriptionError",
    "ProgramSizeError",
    "UnknownNameError",
    "ModelWarning",
    "__version__",
]

_HOMES = {
    "description": ("Inertial", "Limits"),
    "description.catalogue": ("catalogue",),
    "description.loop": ("Loop", "JointCoupling"),
    "description.contact": ("Contact",),
    "forms": ("FORMS",),
    "kernels": ("Kernel",),
    "loading": ("load",),
    "robot": ("Robot",),
    "convert": (),
    "trajectory": (),
    "integration": (),
    "control": (),
    "simulation": (),
    "loops": ("ClosedRobot",),
    "contacts": ("ContactRobot",),
    "identification": ("base_parameters", "excitation", "identify", "identify_payload"),
    "flexible": ("FlexibleArm", "FlexibleLink"),
    "redundancy": (),
    "inverse_kinematics": (),
    "elastic": ("ElasticJointRobot",),
    "cluster": (),
    "viewer": ("view",),
}
"""Modules that are imported when first asked for, and their names that are names here too.

The help of the command line needs none of them, and so does not wait for them.
"""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name == home or name in names:
            module = import_module(f".{home}", __name__)
            found = module if name == home else getattr(module, name)
            globals()[name] = found
            return found
    if not name.startswith("_") and find_spec(f"{__name__}.{name}"):  # a room that is not of the contract
        return import_module(f".{name}", __name__)
    # without the module, of which Python would suggest a name a second time
    text = f"module {__name__!r} has no attribute {name!r}{similar(name, __all__)}"
    raise AttributeError(text, name=name, obj=None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
