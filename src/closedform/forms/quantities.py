"""The quantities of rigid robots, and the arrays that their forms take."""

from __future__ import annotations

from .quantity import Quantity

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
    "wrenches (moment; force) of the environment on the bodies, each in its frame about its origin",
    vectors="nf",
)
PARAMETERS = Quantity(
    "phi",
    r"\phi",
    "kg m^2, kg m, kg",
    "inertial parameters, XX XY XZ YY YZ ZZ MX MY MZ M of each body about its frame origin",
)

POSE = Quantity("T", "T", "1, positions m", "homogeneous transform of frame {frame} in the base frame")
JACOBIAN = Quantity(
    "J", "J", "1 or m", "map from qd to the body twist (omega; v) of frame {frame}, in that frame"
)
CENTRE = Quantity("com", "c", "m", "centre of mass, in the base frame")
CENTRE_JACOBIAN = Quantity(
    "Jc", r"J^\mathrm{c}", "m or 1", "map from qd to the velocity of the centre of mass, base frame"
)

MASS = Quantity("M", "M", "kg m^2, kg m or kg", "mass matrix")
CORIOLIS = Quantity("C", "C", "kg m^2/s, kg m/s or kg/s", "Coriolis matrix")
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

PHI = PARAMETERS.array("p")
