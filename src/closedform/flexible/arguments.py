"""What the user gives an arm, checked and made a model: links, payload, gravity, damping, boundary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, not_negative, sized_array
from ..errors import ArgumentError, shown
from .boundary import Boundary, boundary_modes
from .link import FlexibleLink
from .model import ArmModel
from .payload import Payload


@dataclass(frozen=True)
class Damping:
    """Viscous friction of the joints [N m s/rad] and damping ratios of the modes.

    Each is a number for all, or one per joint and one per mode (link by link).
    """

    friction: ArrayLike = 0.0
    ratio: ArrayLike = 0.0


def read_arm(
    links: Any, payload: Payload, gravity: ArrayLike | None, damping: Any, boundary: Boundary, exact: bool
) -> ArmModel:
    """Return the model of an arm."""
    flag("exact", exact)
    chain = _links(links)
    modes = boundary_modes(chain, payload, boundary)
    x, y = (0.0, 0.0) if gravity is None else sized_array("gravity", gravity, (2,)).tolist()
    model = ArmModel(chain, modes, payload, (x, y), np.zeros(0), exact)
    return replace(model, damping=_damping(model, damping))


def _links(given: Any) -> tuple[FlexibleLink, ...]:
    links = (given,) if isinstance(given, FlexibleLink) else given
    fine = isinstance(links, Sequence) and links and all(isinstance(link, FlexibleLink) for link in links)
    if not fine:
        raise ArgumentError(f"links: {shown(given)}; expected one or more FlexibleLink")
    return tuple(links)


def _damping(model: ArmModel, given: Any) -> Array:
    """Return the diagonal of D."""
    n, m = model.joints, model.size - model.joints
    if given is None or isinstance(given, Damping) or _single(given):
        each = given if isinstance(given, Damping) else Damping(ratio=0.0 if given is None else given)
        friction = _spread("damping: friction", each.friction, n)
        ratio = _spread("damping: ratio", each.ratio, m)
        omega = np.concatenate([modes.stacked("omega") for modes in model.modes])
        mass = np.repeat([link.mass for link in model.links], [len(modes) for modes in model.modes])
        D = np.concatenate([friction, 2 * ratio * omega * mass])
    else:
        D = sized_array("damping: diagonal of D", given, (model.size,))
    if (D < 0).any():
        raise ArgumentError(f"damping is {D.min():g} somewhere; expected numbers from 0")
    return D


def _spread(name: str, given: ArrayLike, count: int) -> Array:
    if _single(given):
        return np.full(count, not_negative(name, given.item() if isinstance(given, np.ndarray) else given))
    return sized_array(name, given, (count,))


def _single(given: Any) -> bool:
    """Return whether one value is given, not several."""
    return given.ndim == 0 if isinstance(given, np.ndarray) else not isinstance(given, tuple | list)
