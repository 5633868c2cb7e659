"""Models taken apart and put together: joints locked, one robot on another, the part beyond a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import known_name, real_array, sized_array, text
from ..errors import ArgumentError, ClosedFormError, shown
from .body import Body, numbered
from .changes import carrying, pose_or_position, require_joint
from .inertia import transform_phi
from .model import Model

Place = tuple[int, Array]
"""The body that carries something (-1: the base), and the pose of that something in its frame."""


def locked(model: Model, values: Mapping[str, Any] | Sequence[str]) -> Model:
    """Return the model with joints held at coordinates, the bodies beyond fixed to those before.

    Joints that follow a locked one are locked with it; those that are only named are locked at home.
    """
    held: dict[int, Array] = {}
    for joint, given in _coordinates(values).items():
        body = require_joint(model, "locked", joint)
        name, nq = f"locked: joint {joint!r}", body.joint.nq
        q = body.joint.neutral() if given is None else real_array(name, given)
        q = sized_array(name, q.reshape(1) if nq == 1 and q.ndim == 0 else q, (nq,))
        doubt = body.joint.doubt(q)
        if doubt:
            raise ArgumentError(f"{name}: {doubt}")
        held[model.bodies.index(body)] = q
    for i, body in enumerate(model.bodies):
        if body.coupling is not None and body.coupling.body in held:
            held[i] = body.coupling.multiplier * held[body.coupling.body] + body.coupling.offset
    return _reduced(model, held) if held else model


def _coordinates(values: Mapping[str, Any] | Sequence[str]) -> Mapping[str, Any]:
    """Return a mapping of joint names to coordinates, None for those that are only named."""
    if isinstance(values, Mapping):
        return values
    if isinstance(values, tuple | list | set | frozenset) and all(isinstance(each, str) for each in values):
        return dict.fromkeys(values)
    raise ArgumentError(
        f"locked: {shown(values)}; expected a mapping of joint names to coordinates, or a list of names"
    )


def _reduced(model: Model, held: Mapping[int, Array]) -> Model:
    """Return the model whose bodies in `held` do not move against their parents."""
    model.require_numbers("locked")
    places: list[Place] = []
    bodies: list[Body] = []
    kept: dict[int, int] = {}
    base_phi = model.base_phi
    for i, body in enumerate(model.bodies):
        carrier, T = places[body.parent] if body.parent >= 0 else (-1, np.eye(4))
        if i not in held:
            kept[i] = len(bodies)
            places.append((kept[i], np.eye(4)))
            bodies.append(replace(body, parent=carrier, placement=T @ body.placement))
            continue
        places.append((carrier, T @ body.placement @ body.joint.motion(held[i])))
        phi = transform_phi(body.phi, places[i][1])
        if carrier >= 0:
            bodies[carrier] = replace(bodies[carrier], phi=bodies[carrier].phi + phi)
        else:
            base_phi = base_phi + phi
    frames = []
    for frame in model.frames:
        carrier, T = places[frame.body] if frame.body >= 0 else (-1, np.eye(4))
        frames.append(replace(frame, body=carrier, placement=T @ frame.placement))
    bodies = [
        replace(body, coupling=replace(body.coupling, body=kept[body.coupling.body]))
        if body.coupling
        else body
        for body in bodies
    ]
    return replace(model, bodies=numbered(bodies), frames=tuple(frames), base_phi=base_phi)


def attached(
    model: Model, other: Model, frame: str | None, placement: ArrayLike, prefix: str | None
) -> Model:
    """Return one model whose frame carries the base of another."""
    for each in (model, other):
        each.require_numbers("attached")
    if model.has_inertia != other.has_inertia:
        bare = other.name if model.has_inertia else model.name
        raise ClosedFormError(
            f"attached: robot {bare!r} has no inertias (geometry only); give them (with_phi)"
        )
    place = model.frame(frame)
    T = place.placement @ pose_or_position("attached: pose", placement)
    prefix = _prefix(model, other, prefix)
    first = len(model.bodies)
    model = carrying(model, place.body, transform_phi(other.base_phi, T))
    bodies = list(model.bodies)
    for body in other.bodies:
        root = body.parent < 0
        coupling = body.coupling
        bodies.append(
            replace(
                body,
                name=prefix + body.name,
                joint_name=prefix + body.joint_name,
                parent=place.body if root else body.parent + first,
                placement=T @ body.placement if root else body.placement,
                coupling=replace(coupling, body=coupling.body + first) if coupling else None,
            )
        )
    frames = [
        replace(each, name=prefix + each.name, body=place.body, placement=T @ each.placement)
        if each.body < 0
        else replace(each, name=prefix + each.name, body=each.body + first)
        for each in other.frames
    ]
    return replace(model, bodies=numbered(bodies), frames=(*model.frames, *frames))


def _prefix(model: Model, other: Model, given: str | None) -> str:
    """Return what goes before the names of the other model, so that none is there twice.

    That is the one given, or by default the other's own name if the names alone would not do.
    """
    if given is None:
        prefix = f"{other.name}_" if _twice(model, other, "") else ""
    else:
        prefix = text("attached: prefix", given)
    twice = _twice(model, other, prefix)
    if twice:
        raise ArgumentError(
            f"attached: both robots have a {twice}; give another prefix= for the attached one"
        )
    return prefix


def _twice(model: Model, other: Model, prefix: str) -> str:
    """Return the first frame or joint that both models have, or nothing."""
    pairs = (
        ("frame", model.frame_names, other.frame_names),
        ("joint", *([body.joint_name for body in each.bodies] for each in (model, other))),
    )
    both = (
        f"{what} {prefix + name!r}" for what, own, names in pairs for name in names if prefix + name in own
    )
    return next(both, "")


def subtree(model: Model, name: str) -> Model:
    """Return the part of a model that a body carries, the body itself being the base."""
    model.require_numbers("subtree")
    names = tuple(body.name for body in model.bodies)
    root = names.index(known_name("body (subtree)", name, names))
    inside = [i for i in range(len(model.bodies)) if root in model.ancestors(i)]
    new = {i: k - 1 for k, i in enumerate(inside)}
    bodies = []
    for i in inside[1:]:
        body = model.bodies[i]
        coupling = body.coupling
        if coupling is not None:
            if new.get(coupling.body, -1) < 0:
                driver = model.bodies[coupling.body].joint_name
                raise ArgumentError(
                    f"subtree: joint {body.joint_name!r} follows {driver!r}, which is not beyond {name!r}; "
                    "lock it first, or choose a body before both"
                )
            coupling = replace(coupling, body=new[coupling.body])
        bodies.append(replace(body, parent=new[body.parent], coupling=coupling))
    frames = tuple(replace(each, body=new[each.body]) for each in model.frames if each.body in new)
    order = sorted(frames, key=lambda each: each.body >= 0)  # the base's own first
    return replace(
        model,
        name=f"{model.name}_{name}",
        bodies=numbered(bodies),
        frames=tuple(order),
        base_phi=model.bodies[root].phi,
    )
