"""The kinds of joints by name: what descriptions may ask for, and what screws alone stand for."""

from __future__ import annotations

from typing import TypeVar

from ..arrays import Array
from ..errors import ArgumentError, UnknownNameError
from .joint import JointType

Kind = TypeVar("Kind", bound=type[JointType])

_KINDS: dict[str, type[JointType]] = {}


def register(kind: Kind) -> Kind:
    """Make a kind of joint known by its name: descriptions and TOML files may ask for it from then on.

    >>> from closedform.joints import JointChain, Revolute, unregister
    >>> @register
    ... class Gimbal(JointChain):
    ...     kind = "gimbal"
    ...     count = 3
    ...
    ...     @property
    ...     def parts(self):
    ...         return tuple(Revolute(self.X[:, [k]]) for k in range(3))
    >>> "gimbal" in kinds()
    True
    >>> unregister("gimbal")
    """
    if not (isinstance(kind, type) and issubclass(kind, JointType) and kind.kind):
        raise ArgumentError(f"register: {kind!r} is not a JointType with a name; set its `kind`")
    if _KINDS.setdefault(kind.kind, kind) is not kind:
        raise ArgumentError(f"register: a joint of kind {kind.kind!r} exists already; choose another name")
    return kind


def unregister(name: str) -> None:
    """Forget a kind of joint; robots that have it stay as they are."""
    joint_kind(name)
    del _KINDS[name]


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds, in the order in which they were made known."""
    return tuple(_KINDS)


def joint_kind(name: str) -> type[JointType]:
    """Return the kind of that name."""
    if name not in kinds():
        raise UnknownNameError("kind of joint", name, kinds())
    return _KINDS[name]


def joint_type(kind: str, X: Array) -> JointType:
    """Return the joint of a kind with given screws (6, k).

    >>> import numpy as np
    >>> hinge = joint_type("revolute", np.eye(6)[:, [2]])
    >>> hinge.nq, hinge.motion(np.array([np.pi / 2])).round(9)[:2, :2].tolist()
    (1, [[0.0, -1.0], [1.0, 0.0]])
    """
    return joint_kind(kind)(X)


def kind_of_screws(X: Array) -> str:
    """Return the name of the kind that the columns of X are the screws of."""
    return next(kind.kind for kind in _KINDS.values() if kind.fits(X))
