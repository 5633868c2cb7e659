"""The geometry of a robot in letters: lengths d and r, angles alpha and theta in Khalil's convention."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ...arrays import Array
from ...equations.lengths import joint_lengths
from ...forms.tree import Tree
from ...model import Model
from .transfer import Entries

ROUNDING = 1e-13
"""Distance to a whole or half number that counts as round-off."""


def symbolic_placements(model: Model) -> tuple[list[Entries], dict[sp.Symbol, float]]:
    """Return the home pose of every body in its parent in letters, and the values of the letters.

    Positions are in the names of `robot.equations(..., parameters="gautier-khalil")`. A rotation
    Rx(alpha) Rz(theta) other than by quarter turns has the symbols `alpha<body>`, `theta<body>`; any
    other rotation stays in numbers.
    """
    nodes = tuple(
        replace(node, R0=body.placement[:3, :3], p0=body.placement[:3, 3])
        for node, body in zip(Tree.of(model).own, model.bodies, strict=True)
    )
    values: dict[sp.Symbol, float] = {}
    placements = []
    for k, body in enumerate(model.bodies):
        T = exact(np.eye(4))
        R = _rotation(body.placement[:3, :3], k + 1, values)
        T[:3, :3] = R
        for name, value, axis in joint_lengths(model, nodes, k, khalil=True):
            letter = sp.Symbol(name)
            values[letter] = value
            # r runs along the joint's own axis, whose letters are those of the rotation
            T[:3, 3] = T[:3, 3] + letter * (R[:, 2] if name == f"r{k + 1}" else exact(axis))
        placements.append(T)
    return placements, values


def exact(values: Array, digits: int = 15) -> Entries:
    """Return numbers as SymPy numbers: whole and half ones exact, others with `digits` digits."""
    return np.asarray(np.vectorize(lambda value: _number(value, digits), otypes=[object])(values))


def _number(value: float, digits: int) -> Any:
    twice = round(2 * value)
    return sp.Rational(twice, 2) if abs(2 * value - twice) < ROUNDING else sp.Float(value, digits)


def _rotation(R: Array, number: int, values: dict[sp.Symbol, float]) -> Entries:
    if R[0, 2] != 0:
        return exact(R)
    c, s = [], []
    for name, cosine, sine in (("alpha", R[2, 2], -R[1, 2]), ("theta", R[0, 0], -R[0, 1])):
        if abs(cosine) == 1 or abs(sine) == 1:
            c.append(sp.Integer(round(cosine)))
            s.append(sp.Integer(round(sine)))
            continue
        letter = sp.Symbol(f"{name}{number}")
        values[letter] = float(np.arctan2(sine, cosine))
        c.append(sp.cos(letter))
        s.append(sp.sin(letter))
    (ca, ct), (sa, st) = c, s
    return np.array([[ct, -st, sp.Integer(0)], [ca * st, ca * ct, -sa], [sa * st, sa * ct, ca]], dtype=object)
