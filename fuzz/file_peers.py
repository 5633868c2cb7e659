"""Files that we accept without a word give the torques that Pinocchio or MuJoCo gives."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from lxml import etree

import closedform as cf
from closedform.programs import evaluate, trace
from oracles.pinocchio_peer import EPS, FREE, Peer

AGREEMENT = 1e-9
SHAKEN = 100
"""Multiples of how far a peer's own results move when its inputs, all of them, move by one rounding."""

SHAKES = 5
"""Times that they move, each time in other directions."""

OWN_NAMES = ("universe", "root_joint", FREE)
"""Joints that Pinocchio or `Peer` adds."""

FAR = 1e5
"""Metres from the origin beyond which MuJoCo, which reckons in world coordinates, loses the agreement."""

REFUSED = "peer refuses"
AGREES = "agrees"


def torques(robot: cf.Robot, state: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return inverse dynamics by the program that machine code is made of."""
    return np.asarray(evaluate(trace(robot.model, "inverse_dynamics"), *state))


def state_of(robot: cf.Robot, seed: int) -> tuple[np.ndarray, ...]:
    """Return a random state whose angles are small enough to be told apart."""
    rng = np.random.default_rng(seed)
    q = robot.neutral() + 0.0
    step, qd, qdd = rng.uniform(-1, 1, (3, robot.nv))
    return robot.integrate(q, step), qd, qdd


def _shaken(state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return a state that is one rounding away: a mimic joint may turn 1e20 times as far as its leader."""
    return tuple(np.nextafter(part, np.inf) for part in state)


def differs_from_pinocchio(path: Path, robot: cf.Robot, complaints: Path, seed: int) -> str:
    """Return how a URDF fares: `AGREES`, `REFUSED` or the difference.

    urdfdom goes on after some errors with zeros in place of what it could not read, and only says so;
    `complaints` is the file where it does.
    """
    if _beyond_pinocchio(path):
        return REFUSED
    before = complaints.stat().st_size
    try:
        peer = Peer(path, robot, False)
    except ValueError:
        return REFUSED
    with complaints.open("rb") as file:
        file.seek(before)
        if b"Error" in file.read():
            return REFUSED
    state = state_of(robot, seed)
    ours, theirs = torques(robot, state), peer.inverse_dynamics(*state)
    moved = [peer.shaken(seed).inverse_dynamics(*_shaken(state)) for seed in range(SHAKES)]
    own = np.abs(np.array(moved) - theirs).max(initial=0)
    return _verdict(ours, theirs, own)


def _beyond_pinocchio(path: Path) -> bool:
    """Return whether a joint is one that Pinocchio takes for another, or `Peer` finds no joint at all.

    A default namespace hides them from `Peer`. Pinocchio names some joints itself, its planar joints move in
    the plane of x and y whatever their axis, and the square of an axis of 1e160 overflows.
    """
    try:
        root = etree.parse(str(path)).getroot()
    except etree.XMLSyntaxError:  # libxml2 guesses UTF-32 without a mark in memory only
        return True
    if None in root.nsmap:
        return True
    for joint in root.findall("joint"):
        if joint.get("name") in OWN_NAMES:
            return True
        node, kind = joint.find("axis"), joint.get("type")
        if kind in ("fixed", "floating"):
            continue
        axis = [1.0, 0.0, 0.0] if node is None else [float(word) for word in node.get("xyz").split()]
        if not 1e-150 < max(map(abs, axis)) < 1e150:
            return True
        if kind == "planar" and (any(axis[:2]) or axis[2] < 0):
            return True
    return False


def differs_from_mujoco(path: Path, robot: cf.Robot, seed: int) -> str:
    """Return how an MJCF of hinges and slides fares: `AGREES`, `REFUSED` or the difference."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError):
        return REFUSED
    turning = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    if not all(kind in turning for kind in model.jnt_type) or model.nv != robot.nv or model.neq:
        return REFUSED
    state = state_of(robot, seed)
    names = [model.joint(j).name or f"joint#{j}" for j in range(model.njnt)]
    order = [robot.joint_names.index(name) for name in names]
    ours = torques(robot, state)[order]
    data = mujoco.MjData(model)
    theirs = _mujoco_torques(model, data, *(part[order] for part in state))
    if not np.abs(data.xipos).max() < FAR:
        return REFUSED
    numbers = [
        (array, array.copy()) for array in (model.body_pos, model.body_ipos, model.body_mass, model.qpos0)
    ]
    turns, given_turns = model.body_quat, model.body_quat.copy()
    own = 0.0
    for shake in range(SHAKES):
        rng = np.random.default_rng(shake)
        for array, given in numbers:
            array[:] = given * (1 + EPS * rng.choice((-1, 1), given.shape))
        turns[:] = given_turns + EPS * rng.choice((-1, 1), given_turns.shape)  # pi is rounded
        moved = _mujoco_torques(model, data, *(part[order] for part in _shaken(state)))
        own = max(own, np.abs(moved - theirs).max(initial=0))
    return _verdict(ours, theirs, own)


def _mujoco_torques(
    model: mujoco.MjModel, data: mujoco.MjData, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> np.ndarray:
    """Return M qdd + bias."""
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    moved = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, moved, qdd)
    return np.asarray(moved + data.qfrc_bias)


def _verdict(ours: np.ndarray, theirs: np.ndarray, own: float) -> str:
    if not np.isfinite(theirs).all():
        return REFUSED
    difference, scale = np.abs(ours - theirs).max(initial=0), np.abs(theirs).max(initial=0)
    if difference <= max(AGREEMENT * scale, SHAKEN * own):
        return AGREES
    return f"differs by {difference:.3g} of {scale:.3g} (one rounding: {own:.2g})"
