"""The armature of a free joint: a resistance to acceleration in space that has no weight.

With a it adds a (w'; v' + w x v) to the joint forces, v' + w x v being the acceleration of the
origin in the body frame, as for a mass a at the origin that gravity does not pull. The matrix of
a w x v that keeps Mdot - 2 C skew-symmetric is a w~ in the rows and columns of v. The
armatures of other joints have no velocity terms.
"""

from __future__ import annotations

from collections.abc import Iterable

from casadi import SX

from .algebra import skew
from .node import Node

Rotors = list[tuple[int, float | SX]]
"""First index in qd and armature of the free joints that have one."""


def free_rotors(nodes: Iterable[Node]) -> Rotors:
    """Return the armatures of the free joints of a tree."""
    return [(node.iv, node.armature) for node in nodes if node.joint.floats and node.has_armature]


def add_rotor_coriolis(C: SX, rotors: Rotors, rate: SX) -> SX:
    """Return C with the armatures' part; with `rate` = qdd in place of qd, its time derivative."""
    for iv, a in rotors:
        linear = slice(iv + 3, iv + 6)
        C[linear, linear] += a * skew(rate[iv : iv + 3])
    return C


def add_rotor_gradient(by_qd: SX, rotors: Rotors, qd: SX) -> None:
    """Add the derivative of a w x v by (w; v)."""
    for iv, a in rotors:
        w, v, linear = qd[iv : iv + 3], qd[iv + 3 : iv + 6], slice(iv + 3, iv + 6)
        by_qd[linear, iv : iv + 3] += -a * skew(v)
        by_qd[linear, linear] += a * skew(w)
