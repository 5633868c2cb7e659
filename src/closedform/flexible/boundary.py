"""The inertia that each link's end carries: what the modes of the link are computed for."""

from __future__ import annotations

from cmath import exp
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import known_name, sized_array
from ..errors import ArgumentError, shown
from .beam import element_modes
from .link import FlexibleLink
from .modes import Modes, Tip
from .payload import Payload
from .uniform import uniform_modes

Boundary = str | Sequence[Tip] | ArrayLike
"""A name of `CHOICES`, the tips themselves, or joint angles of the configuration to compute them in."""

CHOICES = ("right-angle", "stretched", "free")


def tips(links: Sequence[FlexibleLink], payload: Payload, boundary: Boundary) -> list[Tip]:
    """Return the boundary inertias M_L, J_L, MD of every link.

    Exact ones change with the posture, constant modes cannot [DeLucaSiciliano1991, Eqs. (28), (29)].
    Joint angles give those of the undeformed chain in that posture, and "stretched" those of the straight
    arm. "right-angle" has all that is beyond a link straight and across it, so that MD = 0: the
    paper's choice, from which its frequencies follow; a payload off the tip keeps its own moment.
    "free" has nothing at any end.
    """
    n = len(links)
    if isinstance(boundary, str):
        if known_name("boundary of the modes", boundary, CHOICES) == "free":
            return [Tip()] * n
        straight = _beyond(links, payload, np.zeros(n))
        if boundary == "stretched":
            return straight
        return [*(Tip(tip.mass, tip.inertia) for tip in straight[:-1]), straight[-1]]
    given: Any = (boundary,) if isinstance(boundary, Tip) else boundary
    if isinstance(given, Sequence) and any(isinstance(each, Tip) for each in given):
        if len(given) != n or not all(isinstance(each, Tip) for each in given):
            raise ArgumentError(f"boundary: {shown(given)}; expected a Tip for each of the {n} links")
        return list(given)
    return _beyond(links, payload, sized_array("boundary: joint angles", given, (n,)))


def boundary_modes(links: Sequence[FlexibleLink], payload: Payload, boundary: Boundary) -> tuple[Modes, ...]:
    """Return the modes of every link for a boundary."""
    pairs = zip(links, tips(links, payload, boundary), strict=True)
    return tuple((uniform_modes if link.uniform else element_modes)(link, tip) for link, tip in pairs)


def _beyond(links: Sequence[FlexibleLink], payload: Payload, angles: Any) -> list[Tip]:
    """Return mass, second moment and first moment along each link of all that is beyond its end."""
    mass, inertia = payload.mass, payload.tip_inertia
    first = complex(*payload.first_moment)
    found: list[Tip] = []
    for link, angle in zip(reversed(links), [0.0, *reversed(angles[1:])], strict=True):
        first *= exp(1j * angle)
        found.append(Tip(mass, inertia, first.real))
        inertia += 2 * link.length * first.real + mass * link.length**2 + link.inertia + link.hub_inertia
        first += mass * link.length + link.first_moment
        mass += link.mass + link.hub_mass
    return found[::-1]
