"""Motors, gears and springs: the numbers between the motor shafts and the links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, instance
from ..errors import ArgumentError, shown
from .friction import Friction, per_joint

VARIABLE = "variable"
"""Given in place of a stiffness, makes it an input of the plant."""


@dataclass(frozen=True)
class Drives:
    """One motor, gear and spring per joint; all numbers are seen at the motor shaft.

    `stiffness` K and `damping` D of the spring in N m/rad and N m s/rad, `motor_inertia` M_G in
    kg m^2, `gear_ratio` N in turns of the joint per turn of the shaft (m per rad for a joint
    that slides). A stiffness of None is an input of the plant.
    """

    stiffness: Array | None
    motor_inertia: Array
    gear_ratio: Array
    damping: Array
    link_friction: Friction = field(default_factory=Friction)
    motor_friction: Friction = field(default_factory=Friction)

    @property
    def damped(self) -> bool:
        """Whether any spring is damped."""
        return bool(self.damping.any())


def drives(
    names: Sequence[str],
    stiffness: ArrayLike | str,
    motor_inertia: ArrayLike,
    gear_ratio: ArrayLike,
    damping: ArrayLike,
    spring_at: str,
    link_friction: Friction | None,
    motor_friction: Friction | None,
) -> Drives:
    """Return the drives of the joints of those names, after checking every number."""
    where = "ElasticJointRobot"
    choice(f"{where}: spring_at", spring_at, ("motor", "link"))
    N = per_joint(f"{where}: gear_ratio", gear_ratio, names)
    if (N > 1).any():
        k = int(np.argmax(N))
        raise ArgumentError(
            f"{where}: gear_ratio of joint {names[k]!r} is {N[k]:g}; it counts turns of the joint per turn "
            f"of the motor, at most 1: give 1/{N[k]:g} for a reduction of {N[k]:g}"
        )
    scale = N * N if spring_at == "link" else np.ones_like(N)
    K = None
    if isinstance(stiffness, str):
        if stiffness != VARIABLE:
            raise ArgumentError(f"{where}: stiffness is {shown(stiffness)}; expected numbers or {VARIABLE!r}")
    else:
        K = scale * per_joint(f"{where}: stiffness", stiffness, names)
    frictions = [
        instance(side, Friction() if given is None else given, Friction).sized(side, names)
        for side, given in (
            (f"{where}: link_friction", link_friction),
            (f"{where}: motor_friction", motor_friction),
        )
    ]
    return Drives(
        K,
        per_joint(f"{where}: motor_inertia", motor_inertia, names),
        N,
        scale * per_joint(f"{where}: damping", damping, names, zero=True),
        *frictions,
    )
