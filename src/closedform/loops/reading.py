"""Robots with loops from descriptions: what a file says of loops, as a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..description.description import Description
from ..description.loop import JointCoupling, Mechanism
from ..description.rods import with_spinning_rods
from ..errors import ClosedFormError, DescriptionError, listed
from ..model import Frame, Model
from ..robot import Robot
from .closing import closed_model
from .robot import ClosedRobot

REMEDY = "load(..., loops=False) gives the tree without them"


def closed_robot(
    description: Description,
    *,
    floating_base: bool,
    gravity: ArrayLike | None,
    locked: Mapping[str, ArrayLike] | Sequence[str],
) -> ClosedRobot:
    """Return the robot of a description with its loops closed; see `load`.

    The driven joints of the file are the independent ones if they determine all others, else they are
    among them as far as they can be. Torques are those of the driven joints, with those of a free base, if
    they move all degrees of freedom; else those of all independent joints, as for a tree.
    """
    mechanism = description.mechanism
    assert mechanism is not None  # as the caller asked
    if not description.problems:
        description, mechanism = with_spinning_rods(description, mechanism)
    robot = Robot.from_description(description, floating_base=floating_base, gravity=gravity).locked(locked)
    tree = _with_anchors(robot.model, mechanism)
    _check_locked(tree, mechanism, description.source)
    try:
        model = closed_model(
            tree,
            mechanism.closures,
            _present(tree, mechanism.independent) or None,
            None,
            None,
            motors=_motors(tree, mechanism),
            start=_start(tree, mechanism),
        )
    except ClosedFormError as error:
        reason = str(error).removeprefix("with_loops: ")
        raise DescriptionError(description.source, [f"its loops: {reason}; {REMEDY}"]) from error
    return ClosedRobot(model)


def _with_anchors(model: Model, mechanism: Mechanism) -> Model:
    """Return a model with the frames of loops, before the others, so that the default frame stays."""
    frames = []
    for anchor in mechanism.anchors:
        parent = model.frame(anchor.link)
        frames.append(Frame(anchor.name, parent.body, parent.placement @ anchor.placement))
    return replace(model, frames=(*model.frames[:1], *frames, *model.frames[1:]))


def _present(tree: Model, names: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that have coordinates, in the order of the tree; parts of a joint for its name."""
    wanted = set(names)
    return tuple(
        each for each in tree.joint_names if each in wanted or each.rpartition("/")[0] in wanted
    )


def _motors(tree: Model, mechanism: Mechanism) -> tuple[str, ...]:
    """Return the driven joints and the free ones, whose forces are those on the base."""
    driven = set(_present(tree, mechanism.motors))
    free = {body.joint_name for body in tree.independent if body.joint.floats}
    return tuple(name for name in tree.joint_names if name in driven | free) if driven else ()


def _start(tree: Model, mechanism: Mechanism) -> Array:
    """Return the coordinates of all joints around which the file's loops are closed."""
    q = tree.neutral()
    for body in tree.independent:
        given = mechanism.near.get(body.joint_name)
        if given is not None and len(given) == body.joint.nq:
            q[body.iq : body.iq + body.joint.nq] = np.asarray(given, dtype=float)
    return q


def _check_locked(tree: Model, mechanism: Mechanism, source: str) -> None:
    """Refuse couplings of joints that are locked."""
    wanted = [each for each in mechanism.closures if isinstance(each, JointCoupling)]
    lost = {name for each in wanted for name in (each.joint, *each.drivers)} - set(tree.joint_names)
    if lost:
        raise DescriptionError(
            source,
            [
                f"its couplings: {listed(sorted(map(repr, lost)), 5)} is locked, or no joint with a coordinate "
                f"of its own; do not lock joints that others follow, or {REMEDY}"
            ],
        )
