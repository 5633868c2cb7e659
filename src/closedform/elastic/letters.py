"""Letters for the numbers of the drives, for equations that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..errors import ClosedFormError
from ..forms.tree import Tree
from .drives import Drives
from .plant import Plant

if TYPE_CHECKING:
    from ..equations.parameters import Letter

KINDS = ("inertia", "geometry", "gravity", "drives")
"""What may be symbolic: the links' numbers, as of a rigid robot, and the drives'. Friction is numbers."""


def lettered_drives(links: Tree, drives: Drives) -> tuple[Plant, tuple[Letter, ...]]:
    """Return the plant whose drives have letters, K1, MG1, N1 and D1 of the first joint, and what they are.

    A damping of zero has none, and so has a gear ratio of one.
    """
    from ..equations.parameters import Letter, decimal  # noqa: PLC0415 (SymPy is slow to import)

    found: list[Letter] = []

    def column(name: str, values: Array, without: float) -> SX:
        entries = []
        for k, value in enumerate(np.asarray(values, dtype=float), start=1):
            if value == without:
                entries.append(SX(value) if value else SX(1, 1))
                continue
            found.append(Letter(f"{name}{k}", decimal(float(value)), "drives", SX.sym(f"{name}{k}")))
            entries.append(found[-1].symbol)
        return ca.vertcat(*entries)

    if drives.stiffness is None:
        raise ClosedFormError(
            "equations: the stiffness is variable, an input itself; for letters use changed(stiffness=...)"
        )
    plant = Plant(
        links,
        drives,
        stiffness=(column("K", drives.stiffness, 0.0),),
        motor_inertia=column("MG", drives.motor_inertia, 0.0),
        gear_ratio=column("N", drives.gear_ratio, 1.0),
        damping=column("D", drives.damping, 0.0),
    )
    return plant, tuple(found)
