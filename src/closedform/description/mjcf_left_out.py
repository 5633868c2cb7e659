"""What acts in a MuJoCo model and has no place in a description, with the numbers that it changes.

Torques are those of the whole tree: whatever drives, brakes or holds the joints is part of them. So
actuators, sensors, contacts and limits change nothing, and linear damping and dry friction are
kept with their joints. Springs and other passive forces take a share of the torques that is not
known here; armature of tendons is missing from M; and some constraints are not held: those of deformable
bodies and of tendons in space.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import listed
from .mjcf_compile import mujoco

SHOWN = 8
"""Names in one list of the warning; the rest is counted."""


def disabled(model: Any, *flags: str) -> bool:
    """Return whether the file switches off any of the flags of <option>."""
    bits = mujoco().mjtDisableBit
    return any(int(model.opt.disableflags) & int(getattr(bits, f"mjDSBL_{flag}")) for flag in flags)


def name_of(element: Any, kind: str) -> str:
    """Return the name of a MuJoCo element, or its kind and number if it has none."""
    return str(element.name) or f"{kind}#{element.id}"


def reflected(model: Any, what: str) -> tuple[Array, list[str]]:
    """Return what actuators and tendons add to each joint's armature or damping, and the tendons left over.

    An actuator of gear g adds g^2 of its own to its joint or tendon, a tendon along one joint of
    coefficient c adds c^2 of its own to that joint. Others couple several joints.
    """
    transmission, wrap = mujoco().mjtTrn, mujoco().mjtWrap
    joints = np.zeros(model.njnt)
    tendons = np.array(getattr(model, f"tendon_{what}", np.zeros(model.ntendon)))
    own = getattr(model, f"actuator_{what}", ())
    first = getattr(model, "actuator_outadr", range(len(own)))
    for k, value in enumerate(own):
        kind, target = int(model.actuator_trntype[k]), int(model.actuator_trnid[k][0])
        added = float(value) * float(model.actuator_gear[first[k]][0]) ** 2
        if kind in (int(transmission.mjTRN_JOINT), int(transmission.mjTRN_JOINTINPARENT)):
            joints[target] += added
        elif kind == int(transmission.mjTRN_TENDON):
            tendons[target] += added
    left = []
    for k in map(int, np.flatnonzero(tendons)):
        at = int(model.tendon_adr[k])
        if model.tendon_num[k] == 1 and int(model.wrap_type[at]) == int(wrap.mjWRAP_JOINT):
            joints[int(model.wrap_objid[at])] += tendons[k] * float(model.wrap_prm[at]) ** 2
        else:
            left.append(name_of(model.tendon(k), "tendon"))
    return joints, left


def left_out(model: Any, open_constraints: list[str]) -> str:
    """Return a sentence that names what is left out, or "" if every number is MuJoCo's."""
    damping = [] if disabled(model, "DAMPER") else reflected(model, "damping")[1]
    parts = {
        "M and torques leave out": {"armature of tendons": reflected(model, "armature")[1]},
        "torques leave out": {
            **_springs(model),
            "damping of tendons": damping,
            "gravity compensation of bodies": _compensated(model),
            "passive plugins of bodies": _bodies(model, getattr(model, "body_plugin", ()), -1),
            "elasticity of deformable bodies": [_flex(model, k) for k in range(model.nflex)],
            "the medium's": ["density", "viscosity"] if model.opt.density or model.opt.viscosity else [],
        },
    }
    sentences = []
    for effect, kinds in parts.items():
        found = ", ".join(
            f"{kind} {listed(list(map(repr, names)), SHOWN)}" for kind, names in kinds.items() if names
        )
        if found:
            sentences.append(f"{effect} {found}")
    if open_constraints:
        sentences.append(f"these constraints are not held: {listed(open_constraints, SHOWN)}")
    return "; ".join(sentences)


def constraint(model: Any, k: int) -> str:
    """Return an equality constraint by what it ties together."""
    types, objects = mujoco().mjtEq, mujoco().mjtObj
    kind, ends = int(model.eq_type[k]), [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
    name = f" {model.equality(k).name!r}" if model.equality(k).name else ""
    if kind in (int(types.mjEQ_CONNECT), int(types.mjEQ_WELD)):
        if int(model.eq_objtype[k]) == int(objects.mjOBJ_SITE):
            ends = [int(model.site_bodyid[end]) for end in ends]
        a, b = (name_of(model.body(end), "body") for end in ends)
        word = "weld" if kind == int(types.mjEQ_WELD) else "connect"
        return f"{word}{name} of bodies {a!r} and {b!r}"
    element = {int(types.mjEQ_JOINT): ("joint", _joint), int(types.mjEQ_TENDON): ("tendon", _tendon)}.get(
        kind
    )
    if element is None:
        return f"equality{name or f'#{k}'}"
    word, named = element
    names = [repr(named(model, end)) for end in ends if end >= 0]
    return f"coupling{name} of {word}{'s' if names[1:] else ''} {' and '.join(names)}"


def spring(model: Any, j: int) -> tuple[float, float]:
    """Return stiffness and rest of the spring of a joint; zeros if it has none that is linear, of one dof."""
    if not model.jnt_stiffness[j] or disabled(model, "SPRING") or not _has_linear_spring(model, j):
        return 0.0, 0.0
    return float(model.jnt_stiffness[j]), float(model.qpos_spring[model.jnt_qposadr[j]])


def _has_linear_spring(model: Any, j: int) -> bool:
    types = mujoco().mjtJoint
    one = int(model.jnt_type[j]) in (int(types.mjJNT_HINGE), int(types.mjJNT_SLIDE))
    return one and not np.any(getattr(model, "jnt_stiffnesspoly", np.zeros((j + 1, 1)))[j])


def _springs(model: Any) -> dict[str, list[str]]:
    """Return the joints and tendons with springs that are left out, and joints with nonlinear damping."""
    linear = np.array([_has_linear_spring(model, j) for j in range(model.njnt)], dtype=bool)
    stiff = (np.array(model.jnt_stiffness) != 0) & ~linear
    bent = np.zeros(model.njnt, bool)
    strings = np.array(model.tendon_stiffness) != 0
    if hasattr(model, "jnt_stiffnesspoly"):
        stiff |= np.array(model.jnt_stiffnesspoly).any(axis=1)
        strings |= np.array(model.tendon_stiffnesspoly).any(axis=1)
        dofs = np.array(model.dof_dampingpoly).any(axis=1)
        bent[[int(model.dof_jntid[dof]) for dof in np.flatnonzero(dofs)]] = True
    springs, dampers = not disabled(model, "SPRING"), not disabled(model, "DAMPER")
    return {
        "springs of joints": [_joint(model, int(j)) for j in np.flatnonzero(stiff & springs)],
        "springs of tendons": [_tendon(model, int(k)) for k in np.flatnonzero(strings & springs)],
        "polynomial damping of joints": [_joint(model, int(j)) for j in np.flatnonzero(bent & dampers)],
    }


def _compensated(model: Any) -> list[str]:
    if disabled(model, "GRAVITY") or not np.any(model.opt.gravity):
        return []
    return _bodies(model, model.body_gravcomp, 0)


def _bodies(model: Any, values: Any, nothing: int) -> list[str]:
    return [name_of(model.body(i), "body") for i, value in enumerate(values) if value != nothing]


def _joint(model: Any, j: int) -> str:
    return name_of(model.joint(j), "joint")


def _tendon(model: Any, k: int) -> str:
    return name_of(model.tendon(k), "tendon")


def _flex(model: Any, k: int) -> str:
    return str(mujoco().mj_id2name(model, mujoco().mjtObj.mjOBJ_FLEX, k) or f"flex#{k}")
