"""Models as MJCF files."""

from __future__ import annotations

from collections import Counter

import numpy as np
from lxml import etree

from ..arrays import Array
from ..description.description import CURVE, Limits
from ..errors import ClosedFormError, listed, warn
from .body import Body
from .model import Model
from .urdf_writing import UNLIMITED, element, xml_text
from .writing import described_inertial

LEAST = 1e-13
"""Mass (kg) and inertia about the centre of mass (kg m^2) that MuJoCo takes; less is raised to it."""

ROUNDING = 1e-12
"""Relative violation of the triangle inequality that round-off may cause."""


def mjcf_text(model: Model) -> str:
    """Return a model as MJCF text: bodies with lumped inertias, frames as sites, mimics as equalities.

    A body without inertia between two joints becomes one of several joints of the body that follows.

    Coordinates are those of the model, but for the order of quaternions; see `description/mjcf.py`.
    """
    return xml_text(mjcf_root(model))


def mjcf_root(model: Model) -> etree._Element:
    """Return the root element of the MJCF file of a model; see `mjcf_text`."""
    _warn_of_limits(model)
    warn_of_losses(model)
    root = element(None, "mujoco", model=model.name)
    element(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    element(root, "option", gravity=model.gravity)
    nodes = {-1: element(root, "worldbody")}
    if not model.bodies and model.base_phi.any():
        _inertial(element(nodes[-1], "body", name=model.name), model.name, model.base_phi)
    inner = _inner_bodies(model)
    for i, body in enumerate(model.bodies):
        node = nodes[body.parent]
        if body.parent not in inner:
            name = model.bodies[inner.get(i, i)].name
            node = element(node, "body", name=name, **_place(body.placement))
        _joint(node, body)
        if model.has_inertia and i not in inner:
            _inertial(node, body.name, body.phi)
        nodes[i] = node
    names = {body.name for body in model.bodies}
    for frame in model.frames:
        if frame.name not in names:
            element(nodes[frame.body], "site", name=frame.name, **_place(frame.placement))
    couplings = [body for body in model.bodies if body.coupling is not None]
    equality = element(root, "equality") if couplings else None
    for body in couplings:
        assert body.coupling is not None  # as chosen above
        driver = model.bodies[body.coupling.body].joint_name
        line = [body.coupling.offset, body.coupling.multiplier, 0, 0, 0]
        element(equality, "joint", joint1=body.joint_name, joint2=driver, polycoef=line)
    return root


def warn_of_losses(model: Model) -> None:
    """Warn of what MJCF cannot hold."""
    lost = [name for name in ("drive_offset", *CURVE) if any(getattr(body, name) for body in model.bodies)]
    if lost:
        what = " and ".join(lost)
        warn(f"to_mjcf: MJCF has no place for the {what} of {model.name!r}; keep it with save")


def _inner_bodies(model: Model) -> dict[int, int]:
    """Return the bodies that MJCF has no need for, each with the body whose joints include its own.

    MuJoCo refuses a moving body without mass; a body may have several joints instead, if nothing but
    them is between it and the last, and none of them has a quaternion.
    """
    children = Counter(body.parent for body in model.bodies)
    frames = Counter(frame.body for frame in model.frames)
    inner: dict[int, int] = {}
    for i in reversed(range(len(model.bodies))):
        body, k = model.bodies[i], model.bodies[i].parent
        if k < 0 or children[k] > 1 or frames[k] > 1 or not model.has_inertia or model.bodies[k].phi.any():
            continue
        turning = (model.bodies[k].joint.quaternion, body.joint.quaternion)
        if turning == (None, None) and np.array_equal(body.placement, np.eye(4)):
            inner[k] = inner.get(i, i)
    return inner


def _leaves_room(limits: Limits) -> bool:
    """Whether a joint can move between its limits; MuJoCo refuses others."""
    return bool(limits.lower < limits.upper)


def _warn_of_limits(model: Model) -> None:
    """Warn of limits of joints that MJCF cannot say."""
    stuck = [
        repr(body.joint_name)
        for body in model.independent
        if body.joint.quaternion is None and not (_leaves_room(body.limits) and body.limits.effort > 0)
    ]
    if stuck:
        warn(
            f"to_mjcf: limits of joint {listed(stuck, 5)} leave no room or no effort, which MuJoCo refuses; "
            "they are left out"
        )


def _place(T: Array) -> dict[str, object]:
    place: dict[str, object] = {}
    if T[:3, 3].any():
        place["pos"] = T[:3, 3]
    if not np.array_equal(T[:3, :3], np.eye(3)):
        place["xyaxes"] = T[:3, :2].T
    return place


def _joint(node: etree._Element, body: Body) -> None:
    joint, limits = body.joint, body.limits
    if joint.mjcf is None:
        raise ClosedFormError(
            f"to_mjcf: joint {body.joint_name!r} is of kind {joint.kind!r}, which MJCF does not know; "
            "use joints of one axis each, or save"
        )
    if joint.floats and (body.parent >= 0 or not np.array_equal(body.placement, np.eye(4))):
        raise ClosedFormError(
            f"to_mjcf: the free joint {body.joint_name!r} does not start at the base frame, from which MJCF "
            "counts its coordinates; use save"
        )
    given: dict[str, object] = {"name": body.joint_name, "type": joint.mjcf}
    if joint.quaternion is None:
        given["axis"] = joint.X[:3, 0] if joint.turns.any() else joint.X[3:, 0]
        if np.isfinite([limits.lower, limits.upper]).any() and _leaves_room(limits):
            given |= {
                "limited": "true",
                "range": np.clip([limits.lower, limits.upper], -UNLIMITED, UNLIMITED),
            }
        if 0 < limits.effort < np.inf:
            given |= {"actuatorfrclimited": "true", "actuatorfrcrange": [-limits.effort, limits.effort]}
    if joint.centre.any():
        given["pos"] = joint.centre
    numbers = {"armature": body.armature, "damping": body.damping, "frictionloss": body.friction}
    numbers |= {"stiffness": body.stiffness, "springref": body.spring_rest if body.stiffness else 0.0}
    element(node, "joint", **given, **{name: value for name, value in numbers.items() if value})


def _inertial(node: etree._Element, name: str, phi: Array) -> None:
    element(node, "inertial", **inertial_values(name, phi))


def inertial_values(name: str, phi: Array) -> dict[str, object]:
    """Return the attributes of the <inertial> of a body, in its axes."""
    inertial = described_inertial(f"link {name!r}", phi)
    J = inertial.inertia
    low, middle, high = np.linalg.eigvalsh(J)
    excess = high - low - middle
    if excess > max(ROUNDING * high, LEAST):
        raise ClosedFormError(
            f"to_mjcf: the largest inertia of link {name!r} exceeds the sum of the others by "
            f"{100 * excess / high:.2g} %, which MuJoCo refuses; correct it (with_phi), or use to_urdf"
        )
    J = J + max(LEAST - low, 2 * excess, 0.0) * np.eye(3)
    six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return {"pos": inertial.com, "mass": max(inertial.mass, LEAST), "fullinertia": six}
