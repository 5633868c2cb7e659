"""The inertia that each link's end carries: what the modes of the link are computed for."""

from __future__ import annotations

from cmath import exp
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import known_name, sized_array
from ..errors import ArgumentError, shown
from .link import FlexibleLink
from .modes import Tip

Boundary = str | Sequence[Tip] | ArrayLike
"""A name of `CHOICES`, the tips themselves, or joint angles of the configuration to compute them in."""

CHOICES = ("stretched", "free")


def tips(links: Sequence[FlexibleLink], payload: tuple[float, float], boundary: Boundary) -> list[Tip]:
    """Return the boundary inertias M_L, J_L, MD of every link.

    Exact ones change with the configuration, which modes cannot [DeLucaSiciliano1991, section
    VI]. "stretched" takes the inertia of the straight distal chain and MD = 0, as there for two
    links; "free" none. Joint angles give M_L, J_L and MD of the undeformed chain in that posture.
    """
    n = len(links)
    if isinstance(boundary, str):
        if known_name("boundary of the modes", boundary, CHOICES) == "free":
            return [Tip()] * n
        return [Tip(tip.mass, tip.inertia) for tip in _beyond(links, payload, np.zeros(n))]
    given: Any = (boundary,) if isinstance(boundary, Tip) else boundary
    if isinstance(given, Sequence) and any(isinstance(each, Tip) for each in given):
        if len(given) != n or not all(isinstance(each, Tip) for each in given):
            raise ArgumentError(f"boundary: {shown(given)}; expected a Tip for each of the {n} links")
        return list(given)
    return _beyond(links, payload, sized_array("boundary: joint angles", given, (n,)))


def _beyond(links: Sequence[FlexibleLink], payload: tuple[float, float], angles: Any) -> list[Tip]:
    """Return mass, second moment and first moment along each link of all that is beyond its end."""
    mass, inertia = payload
    first = 0j
    found: list[Tip] = []
    for link, angle in zip(reversed(links), [0.0, *reversed(angles[1:])], strict=True):
        first *= exp(1j * angle)
        found.append(Tip(mass, inertia, first.real))
        inertia += 2 * link.length * first.real + mass * link.length**2 + link.inertia + link.hub_inertia
        first += mass * link.length + link.first_moment
        mass += link.mass + link.hub_mass
    return found[::-1]
