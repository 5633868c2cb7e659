"""Trees whose numbers are symbols: masses, lengths and gravity that stay letters in every form.

The forms are traced once on nodes that carry symbols; whether a symbol is later printed as a
letter or as its number makes no difference to the trace. There is no second set of formulas.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from ..description.mdh_row import ANGLES, Entry, LetteredRow, name_of, sign_of
from ..errors import ClosedFormError
from ..forms.algebra import Rotation, constant, constant_turns, second_moments, symmetric
from ..forms.geometry import at_pose
from ..forms.joint_frames import nodes_of
from ..forms.node import Node
from ..forms.subtree import Composite
from ..forms.tree import Tree
from ..model import Body, Frame, Model
from ..model.inertia import NAMES, inertial_from_phi
from ..rotations import exact_turn, inverse
from .lengths import AXES, Names, end_of, frame_lengths, joint_lengths

KINDS = ("inertia", "geometry", "gravity", "friction", "springs")
"""What may be symbolic."""

CONVENTIONS = ("masses", "gautier-khalil")
"""Names of inertial parameters: m, c, I about the centre of mass, or XX ... M about the frame origin."""


JOINTS = {
    "friction": {
        "fv": "damping",
        "fc": "friction",
        "of": "drive_offset",
        "ft": "smooth_friction",
        "wt": "smooth_speed",
        "fs": "stribeck_friction",
        "ws": "stribeck_speed",
        "fa": "damping_asymmetry",
        "fl": "load_friction",
    },
    "springs": {"k": "stiffness", "qs": "spring_rest"},
}
"""Letters of what a form may take of the joints: friction and offsets, as in identification; springs."""


@dataclass(frozen=True)
class Letter:
    """A constant of a model as a letter in equations: its name, value (a decimal fraction) and kind.

    A letter without a value is always printed.
    """

    name: str
    value: Fraction | None
    kind: str
    symbol: SX

    @property
    def number(self) -> float | None:
        """Its value as a float, None if it has none."""
        return None if self.value is None else float(self.value)

    def stays(self, kinds: Sequence[str]) -> bool:
        """Return whether it is printed as a letter, if those of some kinds are."""
        return self.value is None or self.kind in kinds

    @property
    def role(self) -> str:
        """Its place in grouped sums; a centre of mass counts as a length."""
        if self.kind == "inertia":
            return "length" if self.name.startswith("c") else "inertia"
        if self.kind in JOINTS:
            return "length" if self.name.startswith("qs") else "inertia"
        if self.kind == "drives":
            return "inertia"
        return "length" if self.kind == "geometry" else "gravity"


def decimal(value: float) -> Fraction:
    """Return the decimal fraction that a float was meant to be, to 15 digits."""
    return Fraction(f"{value:.15g}")


class _Table:
    """Parameters in the order they are met; one name is one symbol."""

    def __init__(self) -> None:
        self.found: dict[str, Letter] = {}

    def symbol(self, name: str, value: float, kind: str) -> SX:
        """Return the symbol of a name; zero has none."""
        if value == 0:
            return SX(1, 1)
        known = self.found.setdefault(name, Letter(name, decimal(value), kind, SX.sym(name)))
        if known.value is None or not math.isclose(known.value, value, rel_tol=1e-12):
            raise ClosedFormError(f"two constants are named {name}: {known.number} and {value}")
        return known.symbol

    def letter(self, name: str, value: float | None) -> SX:
        """Return the symbol of a letter that the user chose, zero or not."""
        number = None if value is None else decimal(value)
        return self.found.setdefault(name, Letter(name, number, "geometry", SX.sym(name))).symbol

    def column(self, names: Names, kind: str = "geometry") -> SX:
        """Return the 3-vector of a position."""
        parts = (constant(axis) * self.symbol(name, value, kind) for name, value, axis in names)
        return sum(parts, start=SX(3, 1))


def lettered_tree(
    model: Model,
    convention: str,
    symbolic: Sequence[str],
    targets: Mapping[str, Frame] | None = None,
    taken: Sequence[str] = (),
) -> tuple[Tree, tuple[Letter, ...]]:
    """Return the tree with a symbol for every number that is not zero, and what these stand for.

    Of all frames only the `targets` have symbols; their keys are letters of lengths that no link names.
    Damping fv1, dry friction fc1 and offset of1 have symbols if "friction" is `taken`, stiffness k1 and
    rest qs1 of springs if "springs" are.

    `convention` names the inertial parameters; `symbolic` are the kinds that will be printed as
    letters, which matters only if one letter may mean two things (the centre of a point mass at
    the end of its link). The geometry of a table with letters is as it was written: letters where it has
    letters, numbers where it has numbers.
    """
    table = _Table()
    khalil = convention == "gautier-khalil"
    rows = kept_rows(model, "geometry" in symbolic)
    numeric = nodes_of(model.filled)
    merged = "geometry" in symbolic and "inertia" in symbolic and not model.letters
    nodes = []
    for k, (placed, body) in enumerate(zip(numeric, model.bodies, strict=True)):
        node, row = placed, rows[k]
        if row is not None:
            node = _at_row(table, model, numeric, k, row)
        elif not model.letters:
            node = replace(placed, p0=table.column(joint_lengths(model, numeric, k, khalil)))
        if khalil or "inertia" not in symbolic:
            inertia = _about_origin(table, body, k + 1)
        else:
            inertia = _about_centre(table, model, numeric, k, merged)
        T = inverse(node.T_frame)
        inertia = inertia.in_parent(Rotation(constant_turns(T[:3, :3])), constant(T[:3, 3]))
        armature = table.symbol(f"Ia{k + 1}", body.armature, "inertia") if body.armature else 0.0
        nodes.append(replace(node, m=inertia.m, ms=inertia.ms, S=inertia.S, armature=armature))
    frames = {}
    for letter, target in (targets or {}).items():
        frames[target.name] = constant(target.placement)
        if not model.letters:
            frames[target.name][:3, 3] = table.column(frame_lengths(model, target, khalil, letter))
    alone = np.count_nonzero(model.gravity) == 1
    size = float(np.abs(model.gravity).max() if alone else np.linalg.norm(model.gravity))
    gravity = constant(model.gravity / (size or 1.0)) * table.symbol("g", size, "gravity")
    joints = {}
    for kind in taken:
        for letter, name in JOINTS[kind].items():
            values = enumerate(model.joint_array(name), start=1)
            joints[name] = ca.vertcat(*(table.symbol(f"{letter}{k}", float(x), kind) for k, x in values))
    tree = Tree(model, tuple(nodes), gravity, frames, joints, symbolic=True)
    return tree, tuple(table.found.values())


def kept_rows(model: Model, shown: bool) -> list[LetteredRow | None]:
    """Return the rows whose letters stay: all of them if geometry is `shown`, else those without a number."""
    found = [model.row(k) for k in range(len(model.bodies))]
    if not shown:
        found = [row and row.with_numbers(model.letters) for row in found]
    return [row if row is not None and row.letters else None for row in found]


def _at_row(table: _Table, model: Model, nodes: tuple[Node, ...], k: int, row: LetteredRow) -> Node:
    """Return a node where a row with letters puts it; a rotation without letters stays in numbers."""

    def letter(entry: str) -> SX:
        return table.letter(name_of(entry), model.letters[name_of(entry)])

    def angle(entry: Entry) -> tuple[Any, Any]:
        if isinstance(entry, str):
            return ca.cos(letter(entry)), sign_of(entry) * ca.sin(letter(entry))
        return exact_turn(entry)

    def length(entry: Entry) -> Any:
        return sign_of(entry) * letter(entry) if isinstance(entry, str) else entry

    T = SX.eye(4)
    for factor in row.factors(angle, length):
        T = T @ _matrix(factor)
    node = at_pose(nodes[k], nodes, T[:3, :3], T[:3, 3])
    return node if row.of(ANGLES) else replace(node, R0=nodes[k].R0)


def _matrix(entries: list[list[Any]]) -> SX:
    """Return a matrix whose zeros are structural."""
    M = SX(len(entries), len(entries[0]))
    for i, row in enumerate(entries):
        for j, entry in enumerate(row):
            if not SX(entry).is_zero():
                M[i, j] = entry
    return M


def _about_origin(table: _Table, body: Body, number: int) -> Composite:
    """Return the body by its parameters about the frame origin, XX ... M."""
    scale = float(np.abs(body.phi).max())
    xx, xy, xz, yy, yz, zz, mx, my, mz, m = (
        table.symbol(f"{name}{number}", float(value) if abs(value) > 1e-15 * scale else 0.0, "inertia")
        for name, value in zip(NAMES, body.phi, strict=True)
    )
    return Composite(m, ca.vertcat(mx, my, mz), second_moments(symmetric(xx, xy, xz, yy, yz, zz)))


def _about_centre(table: _Table, model: Model, nodes: tuple[Node, ...], k: int, merged: bool) -> Composite:
    """Return the body by its mass, its centre and its inertia about the centre: m, c, I."""
    body, number = model.bodies[k], k + 1
    if body.phi[9] == 0 and body.phi[6:9].any():
        # first moments without mass have no centre; their own names are the only honest ones
        return _about_origin(table, body, number)
    inertial = inertial_from_phi(body.phi)
    m, c = inertial.mass, np.where(np.abs(inertial.com) < 1e-15, 0.0, inertial.com)
    rounding = 100 * np.finfo(float).eps * (m * float(c @ c) + float(np.abs(body.phi[:6]).max()))
    J = np.where(np.abs(inertial.inertia) <= rounding, 0.0, inertial.inertia)
    entries = [
        table.symbol(f"I{number}{AXES[i]}{AXES[j]}", float(J[i, j]), "inertia")
        for i in range(3)
        for j in range(i, 3)
    ]
    names = end_of(model, nodes, k, c) if merged and not J.any() else None
    if names is None:
        own = [(f"c{number}{AXES[i]}", float(c[i]), np.eye(3)[i]) for i in range(3)]
        centre = table.column(own, "inertia")
    else:
        centre = table.column(names)
    point = Composite(table.symbol(f"m{number}", m, "inertia"), SX(3, 1), second_moments(symmetric(*entries)))
    return point.in_parent(Rotation([]), centre)
