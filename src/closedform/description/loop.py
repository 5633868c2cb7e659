"""What closes a tree into loops: pairs of frames that a cut joint holds together, and coupled joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..arrays import Array
from ..checks import choice, finite_array, instances, number, text
from ..errors import ArgumentError, shown

LOOP_KINDS = ("ball", "hinge", "universal", "cylindrical", "prismatic", "planar", "fixed", "distance")
"""Cut joints between two frames A and B: what they hold is in `closedform.loops.cut_joints`."""

MOST_COEFFICIENTS = 12
"""Coefficients of the polynomial of a coupling."""


@dataclass(frozen=True)
class Loop:
    """A cut joint that holds frame B on frame A, by the names of the two frames.

    | kind | rows | what stays free |
    |---|---|---|
    | "ball" | 3 | every rotation about the common origin |
    | "hinge" | 5 | the turn about the common z axis |
    | "universal" | 4 | the turns about the x axis of A and the y axis of B, which stay perpendicular |
    | "cylindrical" | 4 | the turn about the common z axis and the slide along it |
    | "prismatic" | 5 | the slide along the common z axis |
    | "planar" | 3 | the slides in the xy plane of A and the turn about its z axis |
    | "fixed" | 6 | nothing |
    | "distance" | 1 | everything but the distance of the origins, `length` metres |

    Without a `length` the distance is that of the posture in which the loops are closed.

    >>> Loop("coupler_tip", "rocker_tip", "hinge").name
    'coupler_tip-rocker_tip'
    """

    frame_a: str
    frame_b: str
    kind: str = "hinge"
    length: float | None = None

    def __post_init__(self) -> None:
        for name in ("frame_a", "frame_b"):
            text(f"loop: {name}", getattr(self, name))
        choice("loop: kind", self.kind, LOOP_KINDS)
        if self.frame_a == self.frame_b:
            raise ArgumentError(
                f"loop: both frames are {self.frame_a!r}; expected two frames on different bodies"
            )
        if self.length is not None:
            if self.kind != "distance":
                raise ArgumentError(
                    f"loop {self.name!r}: length is for the kind 'distance', not {self.kind!r}"
                )
            value = number(f"loop {self.name!r}: length", self.length)
            if not value > 0:
                raise ArgumentError(
                    f"loop {self.name!r}: length is {shown(self.length)}; expected a positive number of "
                    "metres (two points that coincide are a 'ball')"
                )
            object.__setattr__(self, "length", value)

    @property
    def name(self) -> str:
        """What messages call the loop."""
        return f"{self.frame_a}-{self.frame_b}"


@dataclass(frozen=True)
class JointCoupling:
    """A joint that follows others: q = c0 + c1 x + c2 x^2 + ..., x = the coordinate of `driver`.

    With several drivers the coupling is linear: `coefficients` are c0, then one per driver. Without any,
    `driver=()`, the joint stays at c0.

    >>> JointCoupling("finger2", "finger1", (0.0, -1.0)).name
    'finger2 by finger1'
    """

    joint: str
    driver: str | tuple[str, ...]
    coefficients: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        text("coupling: joint", self.joint)
        given = (self.driver,) if isinstance(self.driver, str) else self.driver
        drivers = instances("coupling: driver", given, str, "the name of a joint, or a list of names")
        values = tuple(
            finite_array(f"coupling of {self.joint!r}: coefficients", self.coefficients).ravel().tolist()
        )
        several = len(drivers) != 1
        if self.joint in drivers or len(set(drivers)) < len(drivers):
            raise ArgumentError(
                f"coupling of {self.joint!r}: driver is {shown(self.driver)}; expected other joints, each "
                "once"
            )
        fits = len(values) == 1 + len(drivers) if several else 2 <= len(values) <= MOST_COEFFICIENTS
        if not fits:
            expected = f"{1 + len(drivers)}" if several else f"2 to {MOST_COEFFICIENTS}"
            raise ArgumentError(
                f"coupling of {self.joint!r}: {len(values)} coefficient(s); expected {expected}, the "
                "constant first"
            )
        object.__setattr__(self, "driver", drivers if several else drivers[0])
        object.__setattr__(self, "coefficients", values)

    @property
    def drivers(self) -> tuple[str, ...]:
        """The joints that it follows."""
        return (self.driver,) if isinstance(self.driver, str) else self.driver

    @property
    def name(self) -> str:
        """What messages call the coupling."""
        return f"{self.joint} by {', '.join(self.drivers) or 'nothing'}"


Closure = Loop | JointCoupling
"""Anything that closes a tree."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """A frame that a file gives for a loop: its name, the link that it is fixed to, and its pose there."""

    name: str
    link: str
    placement: Array


@dataclass(frozen=True)
class Mechanism:
    """What a file says of loops: what closes them, the frames for that, and which joints drive.

    `independent` are the joints that the file chooses as minimal coordinates, `motors` those that it says
    are driven, to which a floating base may be added, `actuated` exactly those that carry torque; each may be
    empty. `near` are coordinates, by joint, around which the loops are closed.
    """

    closures: tuple[Closure, ...]
    anchors: tuple[Anchor, ...] = ()
    independent: tuple[str, ...] = ()
    motors: tuple[str, ...] = ()
    near: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    actuated: tuple[str, ...] = ()
