"""Smooth friction, differentiated as often as the laws need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import LARGEST, finite_array, instances, one_each, real_array, text
from ..errors import ArgumentError, shorten
from ..guests import in_kind


@dataclass(frozen=True)
class Friction:
    """Viscous friction, and Coulomb friction rounded off around standstill.

    f(v) = viscous v + coulomb v / sqrt(v^2 + width^2), opposed to the motion. At v = width the
    Coulomb part has reached 71 % of its value, at 10 width 99.5 %. Having derivatives of every
    order, it can be compensated exactly on both sides of the spring. Numbers, or one per joint.

    >>> from closedform.elastic import Friction
    >>> Friction(viscous=0.5, coulomb=2.0, width=0.01).torque([0.0, 0.1]).round(3).tolist()
    [0.0, 2.04]
    """

    viscous: ArrayLike = 0.0
    coulomb: ArrayLike = 0.0
    width: ArrayLike = 0.01

    def sized(self, where: str, names: Sequence[str]) -> Friction:
        """Return the same with one number per joint, after checking them."""
        where = shorten(text("friction: where", where), 80)
        instances(f"{where}: names", names, str, "the names of the joints")
        viscous, coulomb, width = (
            per_joint(f"{where}: {name}", getattr(self, name), names, zero=name != "width")
            for name in ("viscous", "coulomb", "width")
        )
        return Friction(viscous, coulomb, width)

    @in_kind
    def torque(self, v: ArrayLike) -> Array:
        """Return f(v) of speeds."""
        v = finite_array("friction: v", v)
        viscous, coulomb, width = (
            real_array(f"friction: {name}", getattr(self, name)) for name in ("viscous", "coulomb", "width")
        )
        try:
            return np.asarray(viscous * v + coulomb * v / np.sqrt(v * v + width * width))
        except ValueError:
            raise ArgumentError(f"friction: v has shape {v.shape}; expected (..., {viscous.size})") from None

    def rates(self, *v: SX) -> tuple[SX, ...]:
        """Return f and its time derivatives from the speed and its time derivatives, up to three."""
        viscous, coulomb, width = (
            SX(ca.DM(np.asarray(each))) for each in (self.viscous, self.coulomb, self.width)
        )
        if not np.any(self.coulomb):
            return tuple(viscous * each for each in v)
        square = v[0] * v[0] + width * width
        unit = coulomb / ca.sqrt(square)
        slope = viscous + unit * width * width / square
        found = [viscous * v[0] + unit * v[0]]
        if len(v) > 1:
            found.append(slope * v[1])
        if len(v) > 2:
            bend = -3 * unit * width * width * v[0] / (square * square)
            found.append(slope * v[2] + bend * v[1] * v[1])
        return tuple(found)


def per_joint(where: str, given: ArrayLike, names: Sequence[str], *, zero: bool = False) -> Array:
    """Return one positive number per joint from one for all or one each; `zero` allows zero."""
    values = one_each(where, given, len(names))
    fine = (values >= 0 if zero else values > 0) & (values <= LARGEST)
    if not fine.all():
        k = int(np.argmin(fine))
        least = "zero or more" if zero else "above zero"
        raise ArgumentError(f"{where} of joint {names[k]!r} is {values[k]:g}; expected a number {least}")
    values.flags.writeable = False
    return values
