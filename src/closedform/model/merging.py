"""What is merged into the file that a model comes from: the same tree, and which links get new inertias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..arrays import Array
from ..description.description import Description
from ..errors import ClosedFormError, listed, shorten, warn
from ..rotations import inverse
from .body import Body
from .inertia import phi_from_inertial, pseudo_inertia_deficit, transform_phi
from .model import Model

SAME = 1e-13
"""Relative difference of inertial parameters that counts as round-off: the file keeps its numbers."""

PLACED = 1e-9
"""Difference of placements (m, and entries of rotations) beyond which a warning names the joint."""


def check_same_tree(model: Model, original: Model, source: str) -> None:
    """Refuse a file of other links or joints; warn of joints that are placed elsewhere in the model."""
    where = shorten(source, 200)
    links = {frame.name for frame in original.frames}
    strange = {
        f"the file has links that {model.name!r} does not have": links - set(model.frame_names),
        f"{model.name!r} has bodies that the file does not have": {b.name for b in model.bodies} - links,
    }
    theirs = {body.name: body for body in original.bodies}
    root = original.frames[0].name
    other, moved = set(), []
    for body in model.bodies:
        own = theirs.get(body.name)
        if own is None:
            other |= set() if body.name == root and body.joint.floats else {body.joint_name}
        elif not _same_joint(body, own):
            other.add(body.joint_name)
        elif _parent(model, body.parent) == _parent(original, own.parent):
            moved += [repr(body.joint_name)] if abs(own.placement - body.placement).max() > PLACED else []
    strange[f"joints of {model.name!r} have another name, kind or axis in the file"] = other
    for problem, names in strange.items():
        if names:
            raise ClosedFormError(
                f"merge: cannot merge into {where}: {problem} ({listed(sorted(map(repr, names)), 5)}); "
                "give the file that the robot was loaded from"
            )
    if moved:
        warn(
            f"merge: joint {listed(moved, 5)} of {model.name!r} is placed elsewhere in {where}; "
            "the file keeps its own placements"
        )


def _same_joint(body: Body, other: Body) -> bool:
    names = body.joint_name == other.joint_name and body.joint.kind == other.joint.kind
    X, Y = body.joint.X, other.joint.X
    return names and X.shape == Y.shape and bool((abs(X - Y) <= PLACED).all())


def _parent(model: Model, body: int) -> str | None:
    return model.bodies[body].name if body >= 0 else None


def new_inertias(model: Model, original: Model, description: Description) -> Iterator[tuple[str, Array]]:
    """Yield the links whose inertias change, with the new ones in their own frames."""
    own = {link.name: phi_from_inertial(link.inertial) for link in description.links}
    emptied: list[str] = []
    for i in range(-1, len(model.bodies)):
        target = model.base_phi if i < 0 else model.bodies[i].phi
        frames = [frame for frame in model.frames if frame.body == i and frame.name in own]
        carried = {frame.name: transform_phi(own[frame.name], frame.placement) for frame in frames}
        moving = original.frames[0].name if i < 0 else model.bodies[i].name
        total = _sum(carried)
        if moving not in carried or abs(total - target).max() <= SAME * abs(total).max():
            continue
        rigid = [name for name in carried if original.frame(name).body == original.frame(moving).body]
        taker = max(rigid, key=lambda name: float(own[name][9]))  # the moving link of those alike
        kept = {name: phi for name, phi in carried.items() if name != taker and phi.any()}
        if not _is_body(target - _sum(kept)):
            emptied += [name for name in rigid if name in kept]
            kept = {name: phi for name, phi in kept.items() if name not in rigid}
            if kept and not _is_body(target - _sum(kept)):
                raise ClosedFormError(
                    f"merge: no rigid body remains for link {taker!r} without those that locked joints "
                    f"carry ({listed(sorted(map(repr, kept)), 5)}); merge a robot whose joints all move"
                )
        yield taker, transform_phi(target - _sum(kept), inverse(model.frame(taker).placement))
    for name in emptied:
        yield name, np.zeros(10)
    if emptied:
        warn(
            f"merge: the inertia of link {listed(sorted(map(repr, emptied)), 5)} is zero in the merged "
            "file: it is part of that of the link to which it is fixed"
        )


def _sum(parts: Mapping[str, Array]) -> Array:
    return sum(parts.values(), np.zeros(10))


def _is_body(phi: Array) -> bool:
    """Whether some rigid body has these parameters."""
    return bool(phi[9] > 0 and max(pseudo_inertia_deficit(phi)) == 0)
