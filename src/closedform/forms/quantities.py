"""The quantities of a robot: symbol, unit and meaning of what its forms take and give."""

from __future__ import annotations

from dataclasses import replace

from .loads import wrenches_noun
from .quantity import Quantity
from .reference import BODY

COORDINATES = Quantity(
    "q", "q", "rad or m", "joint coordinates", ("joint velocities", "joint accelerations", "joint jerks")
)
REFERENCE = Quantity(
    "q",
    "q",
    "rad or m",
    "reference coordinates",
    ("reference velocities", "reference accelerations"),
    mark="r",
)
FORCES = Quantity("tau", r"\tau", "N m or N", "joint forces")
WRENCHES = Quantity(
    "wrenches",
    "W",
    "N m, N",
    wrenches_noun(False, BODY),
    vectors="nf",
)
PARAMETERS = Quantity(
    "phi",
    r"\phi",
    "kg m^2, kg m, kg",
    "inertial parameters, XX XY XZ YY YZ ZZ MX MY MZ M of each body about its frame origin",
)

_PLACES = "placements of the joints, x y z roll pitch yaw of each body frame in its parent's at q = 0"
GEOMETRY = Quantity("geometry", r"\gamma", "m, rad", _PLACES)

POSE = Quantity("T", "T", "1, positions m", "homogeneous transform of frame {frame} in {observer}")
FRAME_POSES = replace(POSE, noun="homogeneous transforms of the frames in the base frame")
BODY_POSES = replace(POSE, noun="homogeneous transforms of the bodies in the base frame")
JACOBIAN = Quantity("J", "J", "1 or m", "map from qd to the {twist} (omega; v) of frame {frame}, {where}")
RELATIVE_JACOBIAN = replace(
    JACOBIAN,
    letter="Jrel",
    tex=r"J^\mathrm{rel}",
    noun="map from qd to the {twist} (omega; v) of frame {frame} seen from {observer}, {where}",
)
TWIST = Quantity("V", "V", "rad/s, m/s", "{twist} (omega; v) of frame {frame}, {where}")
TWIST_BIAS = Quantity("b", "b", "rad/s^2, m/s^2", "rate of the {twist} of frame {frame} at qdd = 0, {where}")
CLASSICAL = Quantity(
    "a", "a", "rad/s^2, m/s^2", "angular acceleration of frame {frame} and that of its point, {where}"
)
VELOCITY_MAP = Quantity("Gamma", r"\Gamma", "1, m, 1/m or 1/rad", "map from other velocities to qd")
VELOCITY_MAP_INVERSE = Quantity("E", "E", "1, m, 1/m or rad", "map from qd to other velocities")
CENTRE = Quantity("com", "c", "m", "centre of mass, in the base frame")
BODY_CENTRE = replace(CENTRE, noun="centre of mass of the body of frame {frame}, in the base frame")
SUBTREE_CENTRE = replace(
    CENTRE, noun="centre of mass of the body of frame {frame} with all it carries, in the base frame"
)
CENTRE_JACOBIAN = Quantity(
    "Jc", r"J^\mathrm{c}", "m or 1", "map from qd to the velocity of the centre of mass, base frame"
)
MOMENTUM = Quantity(
    "h",
    "h",
    "kg m^2/s, kg m/s",
    "centroidal momentum, (angular; linear) about the centre of mass in base axes",
)
MOMENTUM_MATRIX = Quantity("A", "A", "kg m^2, kg m or kg", "map from qd to the centroidal momentum")

MASS = Quantity("M", "M", "kg m^2, kg m or kg", "mass matrix")
CORIOLIS = Quantity("C", "C", "kg m^2/s, kg m/s or kg/s", "Coriolis matrix")
MASS_INVERSE = Quantity("Minv", "M^{-1}", "1/(kg m^2), 1/(kg m) or 1/kg", "inverse of the mass matrix")
BIAS = Quantity("h", "h", "N m or N", "joint forces of a motion without accelerations")
FRICTION = Quantity("tau_f", r"\tau^\mathrm{f}", "N m or N", "joint forces that overcome friction")
SPRINGS = Quantity("tau_s", r"\tau^\mathrm{s}", "N m or N", "joint forces that hold the springs")
TASK_INERTIA = Quantity(
    "Lambda", r"\Lambda", "kg m^2, kg m or kg", "inertia of the robot that frame {frame} shows"
)
TASK_MOBILITY = Quantity(
    "Gamma",
    r"\Lambda^{-1}",
    "1/(kg m^2), 1/(kg m) or 1/kg",
    "accelerations of frame {frame} per unit wrench at it",
)
CONSISTENT = Quantity(
    "Jbar", r"\bar{J}", "1 or 1/m", "dynamically consistent inverse of the Jacobian of frame {frame}"
)
NULLSPACE = Quantity("N", "N", "1, m or 1/m", "projector of qd on motions that leave frame {frame} at rest")
GRAVITY = Quantity("G", "G", "N m or N", "joint forces that hold the robot still")
EXTERNAL = Quantity("tau_ext", r"\tau^\mathrm{ext}", "N m or N", "joint forces equivalent to the wrenches")
KINETIC = Quantity("T", "T", "J", "kinetic energy")
POTENTIAL = Quantity("U", "U", "J", "potential energy")

REGRESSOR = Quantity("Y", "Y", f"N m or N, per {PARAMETERS.base_unit}", "regressor, joint forces = Y phi")
SLOTINE_LI = Quantity("Yr", r"Y^\mathrm{r}", REGRESSOR.base_unit, "regressor, M qddr + C qdr + G = Yr phi")
KINETIC_ROW = Quantity("YT", "Y^T", f"J, per {PARAMETERS.base_unit}", "row with kinetic energy = YT phi")
POTENTIAL_ROW = Quantity("YU", "Y^U", KINETIC_ROW.base_unit, "row with potential energy = YU phi")

Q = (COORDINATES.array("q"),)
V = (*Q, COORDINATES.rate().array("v"))
A = (*V, COORDINATES.rate(2).array("v"))
D = (*A, COORDINATES.rate(3).array("v"))
R = (*V, REFERENCE.rate().array("v"), REFERENCE.rate(2).array("v"))
TAU = (*V, FORCES.array("v"))
W = tuple(
    WRENCHES.rate(k).array("b", 6, name=name)
    for k, name in enumerate(("wrenches", "wrenches_dot", "wrenches_ddot"))
)
"""What forms take: q, then its derivatives, a reference motion, joint forces, wrenches and their rates."""

PHI, PLACES = PARAMETERS.array("p"), GEOMETRY.array("b", 6)
"""Numbers of the robot that can be inputs."""
