"""The geometry of a robot in letters: lengths d and r, angles alpha and theta in Khalil's convention."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ...arrays import Array
from ...description.mdh_row import Entry, khalil_rotation, name_of, sign_of
from ...equations.lengths import joint_lengths
from ...forms.tree import Tree
from ...model import Model
from ...rotations import exact_turn
from .transfer import Entries

ROUNDING = 1e-13
"""Distance to a whole or half number that counts as round-off."""


def symbolic_placements(model: Model) -> tuple[list[Entries], dict[sp.Symbol, float]]:
    """Return the home pose of every body in its parent in letters, and the values of the letters.

    Positions are in the names of `robot.equations(..., parameters="gautier-khalil")`. A rotation
    Rx(alpha) Rz(theta) other than by quarter turns has the symbols `alpha<body>`, `theta<body>`; any
    other rotation stays in numbers. A table with letters is taken as it was written.
    """
    if model.letters:
        values = {sp.Symbol(name): value for name, value in model.letters.items() if value is not None}
        return [_as_written(model, k) for k in range(len(model.bodies))], values
    nodes = tuple(
        replace(node, R0=body.placement[:3, :3], p0=body.placement[:3, 3])
        for node, body in zip(Tree.of(model).own, model.bodies, strict=True)
    )
    values = {}
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


def _as_written(model: Model, k: int) -> Entries:
    """Return the home pose of a body in the letters and numbers of its row."""
    row = model.row(k)
    if row is None:
        return exact(model.bodies[k].placement)
    T = exact(np.eye(4))
    for factor in row.factors(_turn, _length):
        T = T @ np.array(factor, dtype=object)
    return T


def _turn(entry: Entry) -> tuple[Any, Any]:
    """Return the cosine and sine of an angle in a table."""
    if isinstance(entry, str):
        letter = sp.Symbol(name_of(entry))
        return sp.cos(letter), sign_of(entry) * sp.sin(letter)
    return tuple(exact(np.array(exact_turn(entry))))


def _length(entry: Entry) -> Any:
    """Return a length in a table."""
    if isinstance(entry, str):
        return sign_of(entry) * sp.Symbol(name_of(entry))
    return exact(np.array(entry)).item()


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
    return np.array(khalil_rotation(ca, sa, ct, st), dtype=object)
