"""MJCF files as descriptions, read through MuJoCo's own compiler.

Coordinates of the description and MuJoCo's qpos agree for hinges and slides, `ref` included.
They differ for the others: quaternions are (x, y, z, w) here and (w, x, y, z) in MuJoCo, and
the velocity of a free joint is the body twist (omega; v) here, but (v in the world frame,
omega in the body frame) in MuJoCo.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from ..arrays import Array
from ..errors import DescriptionError, warn
from ..joints import Ball, Fixed, Free, JointType, Prismatic, Revolute
from ..rotations import pose, rotation_quaternion, skew
from .description import Description, Inertial, Joint, Limits, Link, new_name
from .file_bytes import read_bytes
from .looks import Look, LookSource, mjcf_source
from .mjcf_compile import compile_document
from .mjcf_document import read_document
from .mjcf_equality import Equalities
from .mjcf_left_out import disabled, left_out, name_of, reflected, spring
from .xml import read_xml

KINDS: tuple[type[JointType], ...] = (Free, Ball, Prismatic, Revolute)
"""Joint kinds in the order of MuJoCo's mjtJoint: free, ball, slide, hinge."""


LARGEST_ANGLE = 2.0**45
"""Radians beyond which the spacing of doubles is milliradians."""


def read_mjcf(path: str | Path) -> Description:
    """Return the description of an MJCF file."""
    data = read_bytes(path)
    return mjcf_description(path, read_xml(str(path), data), len(data))


def mjcf_description(path: str | Path, root: etree._Element, size: int) -> Description:
    """Return the description of an MJCF file whose root and size in bytes are known.

    Each MuJoCo joint becomes one joint: a body with several of them gets massless links
    "<body>/<joint>" in between, a body without any is fixed to its parent, and named sites are
    fixed frames. A hinge with unit axis e through the point x of its body has the screw
    (e; x cross e). Equality constraints that couple two joints linearly become mimic joints, others
    the `mechanism`; they are exact here and soft in MuJoCo. Armature and damping of actuators and of
    tendons along one joint are those of the joint. One `ModelWarning` names what else changes M, the
    torques or the possible motions. Files that the MJCF file includes, attaches or takes inertias from are
    found where MuJoCo looks for them; pictures and shapes without mass are not read. `Robot.shapes` reads
    the file again.
    """
    source = mjcf_source(root, path)
    document = read_document(path, root, size)
    model = compile_document(document)
    _check_angles(path, model)
    links, joints, bodies, sites = _tree(model, source)
    equalities = Equalities(model, joints, bodies, sites)
    omitted = left_out(model, equalities.open)
    if omitted:
        warn(f"{path}: {omitted}")
    gravity = np.zeros(3) if disabled(model, "GRAVITY") else np.array(model.opt.gravity)
    gx, gy, gz = (float(component) for component in gravity)
    stem = Path(path).stem
    name = document.root.get("model") or ("robot" if stem.startswith("<") else stem)  # such as <text>
    return Description(
        name,
        tuple(links),
        tuple(equalities.coupled_joints()),
        (gx, gy, gz),
        str(path),
        mechanism=equalities.mechanism(),
    )


def _check_angles(path: str | Path, model: Any) -> None:
    """Refuse reference angles of hinges that have no fraction of a turn left."""
    for j in range(model.njnt):
        angle = model.qpos0[model.jnt_qposadr[j]]
        if KINDS[model.jnt_type[j]].turns_about_axis and abs(angle) > LARGEST_ANGLE:
            raise DescriptionError(
                str(path),
                [f"{name_of(model.joint(j), 'joint')}: ref {angle:g} is beyond {LARGEST_ANGLE:g} rad"],
            )


def _tree(model: Any, source: LookSource) -> tuple[list[Link], list[Joint], list[str], dict[int, str]]:
    """Return one link per body and joint, and the sites as fixed frames; names of bodies and sites."""
    frames, fixed = _Names(model, "body", "site"), _Names(model, "joint")
    names = body_names(model, frames)
    added = {what: reflected(model, what)[0] for what in ("armature", "damping")}
    links, joints = [Link(names[0], look=Look(source, names[0]))], []
    for i in range(1, model.nbody):
        parent, name = names[model.body_parentid[i]], names[i]
        placement = pose(rotation_quaternion(model.body_quat[i]), model.body_pos[i])
        first, number = model.body_jntadr[i], model.body_jntnum[i]
        for j in range(first, first + number):
            joint = _joint(model, j, fixed.own(model.joint(j), "joint"), parent, placement, added)
            last = j == first + number - 1
            joint = replace(joint, child=name if last else frames.new(f"{name}/{joint.name}"))
            if not last:
                links.append(Link(joint.child))
            joints.append(joint)
            parent, placement = joint.child, np.eye(4)
        if number == 0:
            joints.append(Joint(fixed.new(f"{name}/fixed"), Fixed.kind, parent, name, placement))
        links.append(Link(name, _inertial(model, i), Look(source, name)))
    sites = {}
    for site in (model.site(i) for i in range(model.nsite)):
        if site.name:
            frame = site.name if site.name not in names else frames.new(f"{site.name}/site")
            placement = pose(rotation_quaternion(site.quat), site.pos)
            sites[int(site.id)] = frame
            links.append(Link(frame))
            parent = names[site.bodyid[0]]
            joints.append(Joint(fixed.new(f"{frame}/fixed"), Fixed.kind, parent, frame, placement))
    return links, joints, names, sites


def body_names(model: Any, frames: _Names | None = None) -> list[str]:
    """Return the names of the bodies of a MuJoCo model as a description has them."""
    frames = frames or _Names(model, "body", "site")
    return [frames.own(model.body(i), "body") for i in range(model.nbody)]


class _Names:
    """Names for what has none in the file, apart from all that have."""

    def __init__(self, model: Any, *kinds: str) -> None:
        sizes = {"body": model.nbody, "joint": model.njnt, "site": model.nsite}
        self.taken = {getattr(model, kind)(i).name for kind in kinds for i in range(sizes[kind])}

    def own(self, element: Any, kind: str) -> str:
        """Return the name of an element, or a new one."""
        return str(element.name) or self.new(name_of(element, kind))

    def new(self, wanted: str) -> str:
        """Return a name that nothing has yet."""
        return new_name(wanted, self.taken)


def _inertial(model: Any, i: int) -> Inertial | None:
    """Return the inertia of a body, turned from its principal axes to the body axes."""
    if model.body_mass[i] == 0 and not np.any(model.body_inertia[i]):
        return None
    R = rotation_quaternion(model.body_iquat[i])
    inertia = R @ np.diag(model.body_inertia[i]) @ R.T
    return Inertial(float(model.body_mass[i]), np.array(model.body_ipos[i]), (inertia + inertia.T) / 2)


def _joint(model: Any, j: int, name: str, parent: str, placement: Array, added: dict[str, Array]) -> Joint:
    """Return a joint between `parent` and a child yet to be named, whose q is MuJoCo's qpos."""
    kind = KINDS[model.jnt_type[j]]
    e, x = np.array(model.jnt_axis[j]), np.array(model.jnt_pos[j])
    limits = Limits()
    if kind.floats:
        X, placement = np.eye(6), np.eye(4)
    elif kind.quaternion is not None:
        X = np.vstack([np.eye(3), skew(x)])
    else:
        turning = kind.turns_about_axis
        X = np.concatenate([e, np.cross(x, e)] if turning else [np.zeros(3), e])[:, None]
        placement = placement @ _motion(e, x, turning, -model.qpos0[model.jnt_qposadr[j]])
        limited = model.jnt_limited[j] and not disabled(model, "LIMIT", "CONSTRAINT")
        bounds = model.jnt_range[j] if limited else (-np.inf, np.inf)
        effort = np.abs(model.jnt_actfrcrange[j]).max() if model.jnt_actfrclimited[j] else np.inf
        limits = Limits(float(bounds[0]), float(bounds[1]), effort=float(effort))
    dof = model.jnt_dofadr[j]
    damping = 0.0 if disabled(model, "DAMPER") else float(model.dof_damping[dof] + added["damping"][j])
    stiffness, rest = spring(model, j)
    dry = not disabled(model, "FRICTIONLOSS", "CONSTRAINT")
    return Joint(
        name=name,
        kind=kind.kind,
        parent=parent,
        child="",
        placement=placement,
        subspace=X,
        limits=limits,
        damping=damping,
        friction=float(model.dof_frictionloss[dof]) if dry else 0.0,
        armature=float(model.dof_armature[dof] + added["armature"][j]),
        stiffness=stiffness,
        spring_rest=rest,
    )


def _motion(e: Array, x: Array, turning: bool, q: float) -> Array:
    """Return the turn by q about the axis e through x, or the slide by q along e."""
    if not turning:
        return pose(None, e * q)
    R = rotation_quaternion([np.cos(q / 2), *(np.sin(q / 2) * e)])
    return pose(R, x - R @ x)
