"""What a call may choose of a form: a frame, an order, axes, wrenches, friction, springs, a factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from ..checks import instances, known_name
from .factorisation import CHRISTOFFEL, FACTORISATIONS
from .rows import task_rows


class Choices(TypedDict, total=False):
    """What a call may choose by name, of forms that offer it; `Variant` says what each is."""

    reference: str | None
    relative_to: str | None
    wrenches: bool | tuple[str, ...]
    friction: bool
    springs: bool
    rows: str | tuple[str, ...] | None
    factorisation: str
    coordinates: str | None


@dataclass(frozen=True)
class Variant:
    """What may differ between two calls of one form.

    The `frame`; the `order` of a family; `phi` or `geometry` as an input; the axes and point of a twist or
    wrench, the `reference`; the frame `relative_to` which another is described, in place of the base;
    `wrenches` as an input, True for one of each body, or the names of the frames that have one; joint
    `friction` and `springs`; the `rows` of a task; the `factorisation` of the Coriolis forces; and the
    velocity `coordinates` in place of qd.
    """

    frame: str | None = None
    order: int | None = None
    phi: bool = False
    geometry: bool = False
    reference: str | None = None
    relative_to: str | None = None
    wrenches: bool | tuple[str, ...] = False
    friction: bool = False
    springs: bool = False
    rows: str | tuple[str, ...] | None = None
    factorisation: str = CHRISTOFFEL
    coordinates: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.wrenches, bool):
            frames = instances("wrenches", self.wrenches, str, "True or names of frames")
            object.__setattr__(self, "wrenches", frames or False)
        if self.rows is not None:
            object.__setattr__(self, "rows", task_rows("rows", self.rows))
        known_name("factorisation", self.factorisation, FACTORISATIONS)

    @property
    def wrench_frames(self) -> tuple[str, ...] | None:
        """The frames that wrenches act at; None if each body has one, or there are none."""
        return self.wrenches if isinstance(self.wrenches, tuple) else None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the numbers of the owner that are inputs."""
        return tuple(name for name in INPUTS if getattr(self, name))

    @property
    def chosen(self) -> dict[str, Any]:
        """The choices that differ from the default, by name."""
        given = ((name, getattr(self, name)) for name in CHOICES)
        return {name: value for name, value in given if not _same(value, getattr(PLAIN, name))}


def _same(value: Any, default: Any) -> bool:
    """Return whether a choice is the default; what is no text may have an equality of its own."""
    return value is default or (isinstance(value, str) and value == default)


INPUTS = ("phi", "geometry")
"""Numbers of an owner that a call may ask for as inputs, in this order, after all others."""

PLAIN = Variant()
"""The variant of a call that asks for nothing special."""

CHOICES = tuple(Choices.__annotations__)
"""Names of what a form may offer; a builder takes what it offers by these names."""

LOADS = ("wrenches", "reference", "friction", "springs")
"""The choices of a form that loads act on: its builder takes them together, as `loads`."""
