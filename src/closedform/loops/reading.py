"""Robots with loops from descriptions: what a file says of loops, as a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from ..arrays import Array
from ..description.description import Description
from ..description.loop import JointCoupling, Mechanism
from ..description.rods import with_spinning_rods
from ..errors import ArgumentError, ClosedFormError, DescriptionError, listed, shown, similar
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
    among them as far as they can be. Torques are those of the driven joints, with those of a free base if
    both together move all degrees of freedom.
    """
    mechanism = description.mechanism
    assert mechanism is not None  # as the caller asked
    if not description.problems:
        description, mechanism = with_spinning_rods(description, mechanism)
    robot = Robot.from_description(description, floating_base=floating_base, gravity=gravity).locked(locked)
    tree = _with_anchors(robot.model, mechanism)
    _check_names(tree, mechanism, description)
    try:
        start = _start(tree, mechanism)
        model = closed_model(
            tree,
            mechanism.closures,
            _present(tree, mechanism.independent) or None,
            _present(tree, mechanism.actuated) or None,
            None,
            motors=_present(tree, mechanism.motors),
            start=start,
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
    """Return the joints that have coordinates, in the order given; parts of a joint for its name."""
    own = tree.joint_names
    found = [
        each
        for name in names
        for each in own
        if each == name or (name not in own and each.startswith(f"{name}/"))
    ]
    return tuple(dict.fromkeys(found))


def _start(tree: Model, mechanism: Mechanism) -> Array:
    """Return the coordinates of all joints around which the file's loops are closed."""
    q = tree.neutral()
    for name, given in mechanism.near.items():
        own = _present(tree, [name])
        places = [
            k
            for body in tree.independent
            if body.joint_name in own
            for k in range(body.iq, body.iq + body.joint.nq)
        ]
        if len(places) == len(given):
            q[places] = given
        elif places:
            raise ArgumentError(
                f"near has {len(given)} coordinate(s) of joint {shown(name)}; expected {len(places)}"
            )
    return q


def _check_names(tree: Model, mechanism: Mechanism, description: Description) -> None:
    """Refuse names of joints that are not there, and couplings of joints that are locked."""
    known = {joint.name for joint in description.joints}
    coupled = [each for each in mechanism.closures if isinstance(each, JointCoupling)]
    wanted = {name for each in coupled for name in (each.joint, *each.drivers)}
    named = (*mechanism.independent, *mechanism.motors, *mechanism.actuated)
    listed_names = sorted({*wanted, *named, *mechanism.near} - known)
    problems = [f"its loops: no joint is called {shown(name)}{similar(name, known)}" for name in listed_names]
    lost = sorted(wanted & known - set(tree.joint_names))
    if lost:
        problems.append(
            f"its couplings: {listed([repr(name) for name in lost], 5)} is locked, or follows another; do "
            f"not lock joints that others follow, or {REMEDY}"
        )
    if problems:
        raise DescriptionError(description.source, problems)
