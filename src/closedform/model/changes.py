"""Models made from others: another payload, another frame, other joint properties, another base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import not_negative, positive, real_array, sized_array, text
from ..description.description import MAX_NAME, Inertial, Limits
from ..description.mdh_row import letter_values
from ..errors import ArgumentError, ClosedFormError, UnknownNameError, listed, shown, warn
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
        positive("with_payload: mass", mass),
        com,
        (0,) * 6 if inertia is None else inertia,
        name="with_payload",
    )
    phi = phi_from_inertial(inertial)
    negative, triangle = pseudo_inertia_deficit(phi)
    if max(negative, triangle) > IMPOSSIBLE:
        why = "is not positive" if negative > IMPOSSIBLE else "violates the triangle inequality"
        raise ArgumentError(
            f"with_payload: inertia {why}, which no rigid body does; give it about the centre of mass, in "
            "the axes of the frame"
        )
    return carrying(model, place.body, transform_phi(phi, place.placement))


def with_phi(model: Model, phi: ArrayLike) -> Model:
    """Return the model with other inertial parameters; a warning names links that become impossible."""
    changed = model.with_phi(phi)
    impossible = []
    for old, new in zip(model.bodies, changed.bodies, strict=True):
        if new.phi[9] < 0:
            raise ArgumentError(
                f"with_phi: the mass of link {new.name!r} is {new.phi[9]:g}, negative; expected ten "
                "parameters a body, XX XY XZ YY YZ ZZ MX MY MZ M, with M from 0"
            )
        moment_of_nothing = new.phi[9] == 0 and new.phi[6:9].any()
        before = max(IMPOSSIBLE, *pseudo_inertia_deficit(old.phi))
        if moment_of_nothing or max(pseudo_inertia_deficit(new.phi)) > before:
            impossible.append(repr(new.name))
    if impossible:
        warn(
            f"with_phi: no rigid body has the inertia of link {listed(impossible, 5)}: about its centre of "
            "mass it is not positive, or violates the triangle inequality; it is taken as it is"
        )
    return changed


def with_letters(model: Model, letters: Mapping[str, float]) -> Model:
    """Return the model with numbers for some of its letters."""
    return model.with_letters(letter_values(model.letters, letters))


def carrying(model: Model, body: int, phi: Array) -> Model:
    """Return the model with inertia added to a body (-1: to the base)."""
    if body < 0:
        return replace(model, base_phi=model.base_phi + phi)
    bodies = list(model.bodies)
    bodies[body] = replace(bodies[body], phi=bodies[body].phi + phi)
    return replace(model, bodies=tuple(bodies))


def with_frame(model: Model, name: str, parent: str | None, placement: ArrayLike) -> Model:
    """Return the model with one more frame, fixed to that of a parent frame."""
    _check_new_frame(model, "with_frame", name)
    origin = model.frame(parent)
    T = origin.placement @ pose_or_position("with_frame: pose", placement)
    return replace(model, frames=(*model.frames, Frame(name, origin.body, T)))


def pose_or_position(name: str, given: ArrayLike) -> Array:
    """Return a 4x4 pose, from one or from a position alone."""
    array = real_array(name, given)
    if array.shape not in ((3,), (4, 4)):
        raise ArgumentError(f"{name} has shape {array.shape}; expected a 4x4 pose, or a position (3,)")
    return checked_pose(name, array) if array.ndim == 2 else pose(None, sized_array(name, array, (3,)))


def with_base(model: Model, placement: ArrayLike, name: str) -> Model:
    """Return the model mounted elsewhere: `placement` is the pose of its base in the new base frame."""
    T = pose_or_position("with_base: pose", placement)
    _check_new_frame(model, "with_base", name)
    bodies = tuple(body.moved(T) if body.parent < 0 else body for body in model.bodies)
    frames = (
        replace(frame, placement=T @ frame.placement) if frame.body < 0 else frame for frame in model.frames
    )
    base_phi = transform_phi(model.base_phi, T)
    return replace(model, bodies=bodies, frames=(Frame(name, -1, np.eye(4)), *frames), base_phi=base_phi)


def _check_new_frame(model: Model, caller: str, name: str) -> None:
    """Refuse a name that no frame can have, or that one has."""
    if not 0 < len(text(f"{caller}: name", name)) <= MAX_NAME:
        raise ArgumentError(f"{caller}: name has {len(name)} characters; expected 1 to {MAX_NAME}")
    if name in model.frame_names:
        raise ArgumentError(f"{caller}: a frame {name!r} exists already; choose another name=")


def with_limits(model: Model, **given: Any) -> Model:
    """Return the model with other joint limits; what is None stays."""
    values = {
        what: joint_values(model, f"with_joint_limits: {what}", value, infinite=True)
        for what, value in given.items()
        if value is not None
    }

    def limited(body: Body) -> Body:
        own = {what: table[body.joint_name] for what, table in values.items() if body.joint_name in table}
        return replace(body, limits=_checked(body, replace(body.limits, **own))) if own else body

    return replace(model, bodies=tuple(map(limited, model.bodies)))


def _checked(body: Body, limits: Limits) -> Limits:
    name = f"with_joint_limits: joint {body.joint_name!r}"
    if limits.lower > limits.upper:
        raise ArgumentError(f"{name}: lower limit {limits.lower:g} is above the upper {limits.upper:g}")
    for what in ("velocity", "effort"):
        if getattr(limits, what) < 0:
            raise ArgumentError(f"{name}: {what} limit {getattr(limits, what):g} is negative")
    return limits


def with_joint_property(model: Model, what: str, given: Any) -> Model:
    """Return the model with other armatures, friction, damping or offsets of its joints.

    One number is that of all joints, those that follow others included.
    """
    values = joint_values(model, f"with_{what}", given)
    for joint, value in values.items():
        if what != "drive_offset":
            not_negative(f"with_{what}: joint {joint!r}", value)
    if not isinstance(given, Mapping) and np.ndim(given) == 0:
        values = dict.fromkeys((body.joint_name for body in model.bodies), float(given))

    def changed(body: Body) -> Body:
        change: dict[str, Any] = {what: values[body.joint_name]} if body.joint_name in values else {}
        return replace(body, **change)

    return replace(model, bodies=tuple(map(changed, model.bodies)))


def with_friction_curve(model: Model, given: Mapping[str, Any]) -> Model:
    """Return the model with other numbers of `CURVE`, friction beyond viscous and dry friction."""
    tables = {}
    for what, values in given.items():
        tables[what] = joint_values(model, f"with_friction_curve: {what}", values)
        if what.endswith("_speed") or what == "load_friction":
            for joint, value in tables[what].items():
                not_negative(f"with_friction_curve: {what} of joint {joint!r}", value)

    def changed(body: Body) -> Body:
        joint = body.joint_name
        own: dict[str, Any] = {what: given[joint] for what, given in tables.items() if joint in given}
        found = replace(body, **own)
        for what in ("smooth", "stribeck"):
            if getattr(found, f"{what}_friction") and not getattr(found, f"{what}_speed"):
                raise ArgumentError(
                    f"with_friction_curve: joint {body.joint_name!r} has {what}_friction without a speed; "
                    f"give {what}_speed, over which it changes sign"
                )
        return found

    return replace(model, bodies=tuple(map(changed, model.bodies)))


def with_springs(model: Model, stiffness: Any, rest: Any) -> Model:
    """Return the model with other springs of its joints; one number for all is that of one-dof joints.

    Joints that have no spring keep no rest: springs alike are models alike.
    """
    single = [body.joint_name for body in model.bodies if body.joint.nv == 1]
    tables = []
    for what, given in (("stiffness", stiffness), ("rest", {} if rest is None else rest)):
        values = joint_values(model, f"with_springs: {what}", given)
        if not isinstance(given, Mapping) and np.ndim(given) == 0:
            values = dict.fromkeys(single, float(given))
        for joint, value in values.items():
            if value and joint not in single:
                raise ArgumentError(
                    f"with_springs: joint {joint!r} has several dofs; springs are of joints with one"
                )
            if what == "stiffness":
                not_negative(f"with_springs: joint {joint!r}", value)
        tables.append(values)

    def sprung(body: Body) -> Body:
        k = tables[0].get(body.joint_name, body.stiffness)
        at = tables[1].get(body.joint_name, body.spring_rest)
        return replace(body, stiffness=k, spring_rest=at if k else 0.0)

    return replace(model, bodies=tuple(map(sprung, model.bodies)))


def joint_values(model: Model, name: str, given: Any, *, infinite: bool = False) -> dict[str, float]:
    """Return a number for each joint that one is given for: one for all, one per velocity, or by name.

    A joint of several dofs has one number for all of them.
    """
    if isinstance(given, Mapping):
        for joint in given:
            require_joint(model, name, joint)
        return {joint: _one(f"{name} of joint {joint!r}", value, infinite) for joint, value in given.items()}
    array = real_array(name, given)
    if array.ndim == 0:
        return dict.fromkeys(model.joint_names, _one(name, array.item(), infinite))
    if array.shape != (model.nv,):
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected one number, ({model.nv},) or a mapping"
        )
    found = {}
    for body in model.independent:
        joint, part = body.joint_name, array[body.velocities]
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
    raise UnknownNameError(f"joint ({name})", joint, model.joint_names)
