"""The rows that contacts add: velocities of a frame that vanish, with their time derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..description.contact import Contact
from ..forms.algebra import constant
from ..forms.path import Path
from ..forms.tree import Tree
from ..loops.cut_joints import Held, twist_rates

HELD = {
    "point": Held(position=(0, 1, 2)),
    "fixed": Held(position=(0, 1, 2), turn=(0, 1, 2)),
    "surface": Held(position=(2,)),
    "face": Held(position=(2,), turn=(0, 1)),
}
"""What each kind of contact holds, in axes whose z is the normal."""


def row_count(contact: Contact) -> int:
    """Return how many rows a contact has."""
    return HELD[contact.kind].count


def axes(normal: Sequence[float]) -> Array:
    """Return the rotation of axes whose z is a unit normal: the least turn from those of the base frame.

    >>> bool((axes((0.0, 0.0, 1.0)) == np.eye(3)).all())
    True
    """
    x, y, z = normal
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    k = 1 / (1 + z)
    return np.array([[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, z]])


def rates(tree: Tree, q: SX, velocities: Sequence[SX], contact: Contact) -> list[SX]:
    """Return the rows J of a contact with J qd = 0, and their time derivatives: one per velocity given.

    The twist of the frame at its origin in the axes of the contact, of which some components are held.
    Each matrix is (rows, nv).
    """
    held = HELD[contact.kind]
    turn = constant(axes(contact.normal).T)
    found = []
    for J in twist_rates(tree, Path.of(tree, q, contact.frame), velocities):
        linear, angular = turn @ J[3:, :], turn @ J[:3, :]
        found.append(ca.sparsify(ca.vertcat(linear[list(held.position), :], angular[list(held.turn), :])))
    return found
