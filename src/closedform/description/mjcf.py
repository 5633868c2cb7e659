"""MJCF files as descriptions, read through MuJoCo's own compiler.

Coordinates of the description and MuJoCo's qpos agree for hinges and slides, `ref` included.
They differ for the others: quaternions are (x, y, z, w) here and (w, x, y, z) in MuJoCo, and
the velocity of a free joint is the body twist (omega; v) here, but (v in the world frame,
omega in the body frame) in MuJoCo.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ClosedFormError, DescriptionError, warn
from .description import Description, Inertial, Joint, Limits, Link, Mimic
from .rotations import pose, rotation_quaternion, skew
from .xml import read_bytes, read_xml

Array = NDArray[np.float64]

KINDS = ("free", "ball", "prismatic", "revolute")
"""Joint kinds in the order of MuJoCo's mjtJoint: free, ball, slide, hinge."""

SHOWN = 12


def read_mjcf(path: str | Path) -> Description:
    """Return the description of an MJCF file.

    Each MuJoCo joint becomes one joint: a body with several of them gets massless links
    "<body>/<joint>" in between, a body without any is fixed to its parent, and named sites are
    fixed frames. A hinge with unit axis e through the point x of its body has the screw
    (e; x cross e). Equality constraints that couple two joints linearly become mimic joints,
    which are exact here and soft in MuJoCo. A `ModelWarning` names everything else that moves
    or loads a MuJoCo model and has no place in a description.
    """
    source = str(path)
    root = read_xml(source, read_bytes(path))
    if root.tag != "mujoco":
        raise DescriptionError(source, [f"root element is <{root.tag}>; an MJCF file has <mujoco>"])
    problems = [
        f"line {node.sourceline}: <{node.tag}>: {key}={value[:80]!r} has a number that is not finite"
        for node in root.iter("*")
        for key, value in node.attrib.items()
        if key != "name" and "nan" in value.lower().split()
    ]
    if problems:
        raise DescriptionError(source, problems)
    model = _compile(source)
    links, joints = _tree(model)
    joints, ignored = _couple(model, joints)
    ignored = {**ignored, **_ignored(model)}
    if any(ignored.values()):
        text = "; ".join(f"{what}: {_listed(names)}" for what, names in ignored.items() if names)
        warn(f"{source}: not part of the description, ignored: {text}")
    gx, gy, gz = (float(component) for component in _gravity(model))
    return Description(
        root.get("model") or Path(path).stem, tuple(links), tuple(joints), (gx, gy, gz), source
    )


def _mujoco() -> Any:
    """Return the optional mujoco package."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise ClosedFormError("MJCF files are read by MuJoCo: pip install closedform[mjcf]") from None


def _compile(source: str) -> Any:
    """Return MuJoCo's model of a file, with its complaints as ours."""
    mujoco = _mujoco()
    try:
        return mujoco.MjModel.from_xml_path(source)
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
    if any(sign in reason for sign in ("resource not found", "opening file", "could not open")):
        reason += (
            "; a file that the model needs is missing: put it there, or remove the meshes and textures "
            "(bodies with an <inertial> do not need them)"
        )
    raise DescriptionError(source, [f"MuJoCo: {reason}"])


def _name(element: Any, kind: str) -> str:
    """Return the name of a MuJoCo element, or its kind and number where it has none."""
    return str(element.name) or f"{kind}#{element.id}"


def _gravity(model: Any) -> Array:
    mujoco = _mujoco()
    off = int(model.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return np.zeros(3) if off else np.array(model.opt.gravity)


def _tree(model: Any) -> tuple[list[Link], list[Joint]]:
    """Return one link per body and joint, and the sites as fixed frames."""
    names = [_name(model.body(i), "body") for i in range(model.nbody)]
    links, joints = [Link(names[0])], []
    for i in range(1, model.nbody):
        parent, name = names[model.body_parentid[i]], names[i]
        placement = pose(rotation_quaternion(model.body_quat[i]), model.body_pos[i])
        first, count = model.body_jntadr[i], model.body_jntnum[i]
        for j in range(first, first + count):
            joint = _joint(model, j, parent, placement)
            if j < first + count - 1:
                joint = replace(joint, child=f"{name}/{joint.name}")
                links.append(Link(joint.child))
            else:
                joint = replace(joint, child=name)
            joints.append(joint)
            parent, placement = joint.child, np.eye(4)
        if count == 0:
            joints.append(Joint(f"{name}/fixed", "fixed", parent, name, placement))
        links.append(Link(name, _inertial(model, i)))
    for site in (model.site(i) for i in range(model.nsite)):
        if site.name:
            frame = site.name if site.name not in names else f"{site.name}/site"
            placement = pose(rotation_quaternion(site.quat), site.pos)
            links.append(Link(frame))
            joints.append(Joint(f"{frame}/fixed", "fixed", names[site.bodyid[0]], frame, placement))
    return links, joints


def _inertial(model: Any, i: int) -> Inertial | None:
    """Return the inertia of a body, turned from its principal axes to the body axes."""
    if model.body_mass[i] == 0:
        return None
    R = rotation_quaternion(model.body_iquat[i])
    inertia = R @ np.diag(model.body_inertia[i]) @ R.T
    return Inertial(float(model.body_mass[i]), np.array(model.body_ipos[i]), (inertia + inertia.T) / 2)


def _joint(model: Any, j: int, parent: str, placement: Array) -> Joint:
    """Return a joint between `parent` and a child yet to be named, whose q is MuJoCo's qpos."""
    kind = KINDS[model.jnt_type[j]]
    e, x = np.array(model.jnt_axis[j]), np.array(model.jnt_pos[j])
    limits = Limits()
    if kind == "free":
        X, placement = np.eye(6), np.eye(4)
    elif kind == "ball":
        X = np.vstack([np.eye(3), skew(x)])
    else:
        turning = kind == "revolute"
        X = np.concatenate([e, np.cross(x, e)] if turning else [np.zeros(3), e])[:, None]
        placement = placement @ _motion(e, x, turning, -model.qpos0[model.jnt_qposadr[j]])
        bounds = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
        effort = np.abs(model.jnt_actfrcrange[j]).max() if model.jnt_actfrclimited[j] else np.inf
        limits = Limits(float(bounds[0]), float(bounds[1]), effort=float(effort))
    dof = model.jnt_dofadr[j]
    return Joint(
        name=_name(model.joint(j), "joint"),
        kind=kind,
        parent=parent,
        child="",
        placement=placement,
        subspace=X,
        limits=limits,
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        armature=float(model.dof_armature[dof]),
    )


def _motion(e: Array, x: Array, turning: bool, q: float) -> Array:
    """Return the turn by q about the axis e through x, or the slide by q along e."""
    if not turning:
        return pose(None, e * q)
    R = rotation_quaternion([np.cos(q / 2), *(np.sin(q / 2) * e)])
    return pose(R, x - R @ x)


def _couple(model: Any, joints: list[Joint]) -> tuple[list[Joint], dict[str, list[str]]]:
    """Return the joints with linear couplings as mimics, and the equality constraints left over.

    MuJoCo's y - y0 = a0 + a1 (x - x0) is y = a1 x + (y0 + a0 - a1 x0).
    """
    mujoco = _mujoco()
    mimics: dict[str, Mimic] = {}
    left = []
    for k in range(model.neq):
        follower, driver = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        a = np.array(model.eq_data[k][:5])
        of_joints = int(model.eq_type[k]) == int(mujoco.mjtEq.mjEQ_JOINT) and driver >= 0
        name = _name(model.joint(follower), "joint") if of_joints else ""
        if not of_joints or a[2:].any() or not model.eq_active0[k] or name in mimics:
            left.append(_name(model.equality(k), "equality"))
            continue
        y0, x0 = (model.qpos0[model.jnt_qposadr[j]] for j in (follower, driver))
        driver_name = _name(model.joint(driver), "joint")
        mimics[name] = Mimic(driver_name, float(a[1]), float(y0 + a[0] - a[1] * x0))
    return [replace(joint, mimic=mimics.get(joint.name)) for joint in joints], {"equality constraints": left}


def _ignored(model: Any) -> dict[str, list[str]]:
    """Return the names of what acts in MuJoCo and has no place in a description."""
    joints = [_name(model.joint(j), "joint") for j in range(model.njnt)]
    bodies = [_name(model.body(i), "body") for i in range(model.nbody)]
    actuators = int(getattr(model, "nactuator", model.nu))  # since MuJoCo 4 one can have several controls
    fluid = model.opt.density != 0 or model.opt.viscosity != 0
    return {
        "actuators": [_name(model.actuator(k), "actuator") for k in range(actuators)],
        "tendons": [_name(model.tendon(k), "tendon") for k in range(model.ntendon)],
        "springs of joints": [joints[j] for j in range(model.njnt) if model.jnt_stiffness[j]],
        "gravity compensation of bodies": [bodies[i] for i in range(model.nbody) if model.body_gravcomp[i]],
        "motion capture of bodies": [bodies[i] for i in range(model.nbody) if model.body_mocapid[i] >= 0],
        "deformable bodies": [f"flex{k}" for k in range(model.nflex)],
        "options": ["density and viscosity of the medium"] if fluid else [],
    }


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(repr(name) for name in names[:SHOWN]) + more
