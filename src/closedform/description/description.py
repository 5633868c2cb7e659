"""A robot as its user wrote it: named links with inertias, joined by named joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import real_array, sized_array
from ..errors import ArgumentError
from ..joints import Fixed
from .looks import Look
from .loop import Mechanism
from .mdh_row import LetteredRow

DEFAULT_GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity if nothing says otherwise, in the base frame."""

MAX_ELEMENTS = 30_000
"""Links and joints of one robot, fixed ones included: what is read in a few seconds."""

MAX_NAME = 1000
"""Characters of a name."""

ASYMMETRY = 1e-9
"""Relative difference of mirrored entries of an inertia that counts as round-off."""


@dataclass(frozen=True)
class Inertial:
    """Mass, centre of mass and rotational inertia about it, in the axes of the link frame."""

    mass: float
    com: Array
    inertia: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", real_array("inertial: com", self.com))
        object.__setattr__(self, "inertia", real_array("inertial: inertia", self.inertia))

    @classmethod
    def of(
        cls, mass: float, com: ArrayLike = (0, 0, 0), inertia: ArrayLike = (0,) * 6, *, name: str = "inertial"
    ) -> Inertial:
        """Return an inertial from a 3x3 matrix or the six entries xx, xy, xz, yy, yz, zz.

        `name` is what errors call it.
        """
        J = real_array(f"{name}: inertia", inertia)
        if J.shape not in ((3, 3), (6,)):
            raise ArgumentError(
                f"{name}: inertia has shape {J.shape}; expected (3, 3), or (6,): xx, xy, xz, yy, yz, zz"
            )
        J = inertia_matrix(J) if J.shape == (6,) else J
        return cls(mass, real_array(f"{name}: com", com), J).checked(name)

    def checked(self, name: str) -> Inertial:
        """Return the inertial, or raise an error about `name` that says what is wrong with its numbers."""
        mass = float(sized_array(f"{name}: mass", self.mass, ()))
        com = sized_array(f"{name}: com", self.com, (3,))
        J = sized_array(f"{name}: inertia", self.inertia, (3, 3))
        if mass < 0:
            raise ArgumentError(f"{name}: mass {mass:g} is negative")
        if np.abs(J - J.T).max() > ASYMMETRY * np.abs(J).max():
            raise ArgumentError(f"{name}: inertia is not symmetric; give xy = yx, xz = zx and yz = zy")
        return Inertial(mass, com, J)


def inertia_matrix(entries: ArrayLike) -> Array:
    """Return the symmetric matrix of the six entries xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = np.asarray(entries, dtype=float)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def inertia_entries(J: Array) -> list[float]:
    """Return the six entries xx, xy, xz, yy, yz, zz of a symmetric matrix."""
    return [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]


def new_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it: the wanted one, or that with a number.

    Of a name that is too long the end is kept.
    """
    wanted = name = wanted[-(MAX_NAME - 20) :]
    k = 2
    while name in taken:
        name, k = f"{wanted}_{k}", k + 1
    taken.add(name)
    return name


@dataclass(frozen=True)
class Link:
    """A rigid piece; `inertial` and `look` are None if the source gives no inertia, and nothing to draw."""

    name: str
    inertial: Inertial | None = None
    look: Look | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Mimic:
    """The coupling q = multiplier * q[joint] + offset of a one-dof joint to another."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Bounds a joint is made for; infinite if the source gives none."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


CURVE = (
    "smooth_friction",
    "smooth_speed",
    "stribeck_friction",
    "stribeck_speed",
    "damping_asymmetry",
    "load_friction",
)
"""Numbers of friction beyond viscous and Coulomb friction; `friction_curve` of the forms has the formula."""


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    `placement` is T_pc, the 4x4 pose of the child frame in the parent link frame at q = 0.
    `subspace` holds the joint screws (omega; v) in the child frame, one column per dof; it is
    6 x 0 for a fixed joint. `kind` is one of `joints.kinds()`. `row` is the row of a table that the
    placement follows from, if that has letters.
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    subspace: Array = field(default_factory=lambda: np.zeros((6, 0)))
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    spring_rest: float = 0.0
    drive_offset: float = 0.0
    smooth_friction: float = 0.0
    smooth_speed: float = 0.0
    stribeck_friction: float = 0.0
    stribeck_speed: float = 0.0
    damping_asymmetry: float = 0.0
    load_friction: float = 0.0
    mimic: Mimic | None = None
    row: LetteredRow | None = None

    @property
    def fixed(self) -> bool:
        """Whether the joint does not move."""
        return self.kind == Fixed.kind


@dataclass(frozen=True)
class Description:
    """Links and joints in the order they were written, with the gravity that acts on them.

    `source` is the file or book that the figures come from, as messages name it. `problems` are those
    its reader found; what it could not read is replaced by something harmless (a missing name by ""),
    so that the rest can be checked too. `as_printed` says that the source prints inertias that no rigid
    body has, and that they are kept. `letters` are those of a table, with their numbers if they have any.
    `mechanism` is what closes the tree of links and joints into loops, None if nothing does.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: tuple[float, float, float] = DEFAULT_GRAVITY
    source: str = ""
    citation: str = ""
    problems: tuple[str, ...] = ()
    as_printed: bool = False
    letters: Mapping[str, float | None] = field(default_factory=dict)
    mechanism: Mechanism | None = None
