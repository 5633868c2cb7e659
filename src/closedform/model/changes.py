"""Models made from others: another payload, another frame, other joint properties, another base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import not_negative, positive, real_array, sized_array, text
from ..description.description import MAX_NAME, Inertial, Limits
from ..errors import ArgumentError, ClosedFormError, UnknownNameError, shown
from ..rotations import checked_pose, pose
from .body import Body, Frame
from .inertia import phi_from_inertial, pseudo_inertia_deficit, transform_phi
from .model import Model

IMPOSSIBLE = 1e-6
"""Relative deficit from which on no rigid body has an inertia."""


def with_payload(
    model: Model, mass: Any, com: ArrayLike, inertia: ArrayLike | None, frame: str | None
) -> Model:
    """Return the model that carries one more rigid body, fixed to a frame."""
    if not model.has_inertia:
        raise ClosedFormError(
            f"with_payload: robot {model.name!r} has no inertias (geometry only), and a payload alone does "
            "not move like a robot; give the links' inertias first (with_phi)"
        )
    place = model.frame(frame)
    if place.body < 0 and model.bodies:
        raise ArgumentError(
            f"with_payload: frame {place.name!r} is fixed to the base, where a payload moves nothing; "
            "choose a frame of a moving body"
        )
    inertial = Inertial.of(
        positive("with_payload: mass", mass), com, (0,) * 6 if inertia is None else inertia
    )
    phi = phi_from_inertial(inertial)
    negative, triangle = pseudo_inertia_deficit(phi)
    if max(negative, triangle) > IMPOSSIBLE:
        why = "is not positive" if negative > IMPOSSIBLE else "violates the triangle inequality"
        raise ArgumentError(
            f"with_payload: inertia {why}, which no rigid body does; give it about the centre of mass, in "
            "the axes of the frame"
        )
    added = transform_phi(phi, place.placement)
    if place.body < 0:
        return replace(model, base_phi=model.base_phi + added)
    return _with_body(model, place.body, phi=model.bodies[place.body].phi + added)


def with_frame(model: Model, name: str, parent: str | None, placement: ArrayLike) -> Model:
    """Return the model with one more frame, fixed to that of a parent frame."""
    text("with_frame: name", name)
    if not 0 < len(name) <= MAX_NAME:
        raise ArgumentError(f"with_frame: name has {len(name)} characters; expected 1 to {MAX_NAME}")
    if name in model.frame_names:
        raise ArgumentError(f"with_frame: a frame {name!r} exists already; choose another name")
    origin = model.frame(parent)
    T = real_array("with_frame: pose", placement)
    T = pose(None, sized_array("with_frame: pose", T, (3,))) if T.shape == (3,) else T
    T = origin.placement @ checked_pose("with_frame: pose", T)
    return replace(model, frames=(*model.frames, Frame(name, origin.body, T)))


def with_base(model: Model, placement: ArrayLike, name: str) -> Model:
    """Return the model mounted elsewhere: `placement` is the pose of its base in the new base frame."""
    T = checked_pose("with_base: pose", placement)
    text("with_base: name", name)
    if name in model.frame_names:
        raise ArgumentError(f"with_base: a frame {name!r} exists already; choose another name=")
    bodies = tuple(
        replace(body, placement=T @ body.placement) if body.parent < 0 else body for body in model.bodies
    )
    frames = (
        replace(frame, placement=T @ frame.placement) if frame.body < 0 else frame for frame in model.frames
    )
    base_phi = transform_phi(model.base_phi, T)
    return replace(model, bodies=bodies, frames=(Frame(name, -1, np.eye(4)), *frames), base_phi=base_phi)


def with_limits(model: Model, **given: Any) -> Model:
    """Return the model with other joint limits; what is None stays."""
    values = {
        what: joint_values(model, f"with_joint_limits: {what}", value, infinite=True)
        for what, value in given.items()
        if value is not None
    }
    bodies = list(model.bodies)
    for i, body in enumerate(bodies):
        own = {what: table[body.joint_name] for what, table in values.items() if body.joint_name in table}
        if not own:
            continue
        limits = replace(body.limits, **own)
        _check_limits(body, limits)
        bodies[i] = replace(body, limits=limits)
    return replace(model, bodies=tuple(bodies))


def _check_limits(body: Body, limits: Limits) -> None:
    name = f"with_joint_limits: joint {body.joint_name!r}"
    if limits.lower > limits.upper:
        raise ArgumentError(f"{name}: lower limit {limits.lower:g} is above the upper {limits.upper:g}")
    for what in ("velocity", "effort"):
        if getattr(limits, what) < 0:
            raise ArgumentError(f"{name}: {what} limit {getattr(limits, what):g} is negative")


def with_joint_property(model: Model, what: str, given: Any) -> Model:
    """Return the model with other armatures, friction or damping of its joints."""
    values = joint_values(model, f"with_{what}", given)
    for joint, value in values.items():
        not_negative(f"with_{what}: joint {joint!r}", value)
    bodies = list(model.bodies)
    for i, body in enumerate(bodies):
        change: dict[str, Any] = {what: values[body.joint_name]} if body.joint_name in values else {}
        bodies[i] = replace(body, **change)
    return replace(model, bodies=tuple(bodies))


def joint_values(model: Model, name: str, given: Any, *, infinite: bool = False) -> dict[str, float]:
    """Return a number for each joint that one is given for: one for all, one per velocity, or by name.

    A joint of several dofs has one number for all of them.
    """
    own = {body.joint_name: body for body in model.bodies if body.coupling is None}
    if isinstance(given, Mapping):
        for joint in given:
            require_joint(model, name, joint)
        return {joint: _one(f"{name} of joint {joint!r}", value, infinite) for joint, value in given.items()}
    array = real_array(name, given)
    if array.ndim == 0:
        return dict.fromkeys(own, _one(name, array.item(), infinite))
    if array.shape != (model.nv,):
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected one number, ({model.nv},) or a mapping"
        )
    found = {}
    for joint, body in own.items():
        part = array[body.iv : body.iv + body.joint.nv]
        if not (part == part[0]).all():
            raise ArgumentError(
                f"{name}: joint {joint!r} has one number for all its dofs; {shown(part)} given"
            )
        found[joint] = _one(f"{name} of joint {joint!r}", part[0].item(), infinite)
    return found


def _one(name: str, given: Any, infinite: bool) -> float:
    value = real_array(name, given)
    if value.shape != () or np.isnan(value) or (np.isinf(value) and not infinite):
        raise ArgumentError(f"{name} is {shown(given)}; expected a number")
    return float(value)


def require_joint(model: Model, name: str, joint: Any) -> Body:
    """Return the body of a joint that has coordinates of its own."""
    for body in model.bodies:
        if isinstance(joint, str) and body.joint_name == joint:
            if body.coupling is None:
                return body
            driver = model.bodies[body.coupling.body].joint_name
            raise ArgumentError(f"{name}: joint {joint!r} follows {driver!r}; give {driver!r} instead")
    own = tuple(body.joint_name for body in model.bodies if body.coupling is None)
    raise UnknownNameError(f"joint ({name})", joint, own)


def _with_body(model: Model, index: int, **changes: Any) -> Model:
    bodies = list(model.bodies)
    bodies[index] = replace(bodies[index], **changes)
    return replace(model, bodies=tuple(bodies))
