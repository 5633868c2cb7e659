"""Every form of every model that both sides load, compiled, against Pinocchio at 100 random states."""

from __future__ import annotations

import contextlib
import time
import warnings
from typing import Any

import numpy as np

import closedform as cf

from .pinocchio_peer import Peer, robot_data

STATES = 100
TARGET = 1e-12
NO_PEER = ("jacobian_ddot",)
FIXED = (
    "panda", "ur_", "kinova", "allegro", "xarm", "z1_", "so_arm", "pendulum", "finger", "twodof",
    "bravo7_desc", "left_arm", "tiago", "baxter",
)  # fmt: skip
"""Robots on a fixed base, by parts of their paths; all others float."""


def run() -> list[dict[str, Any]]:
    """Return one row per model with its largest relative difference over all forms."""
    rows = []
    for path in sorted(robot_data().rglob("*.urdf")):
        name = str(path.relative_to(robot_data()))
        floating = not any(part in name for part in FIXED)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cf.ModelWarning)
            try:
                robot = cf.load(path, floating_base=floating)
            except cf.DescriptionError as error:
                print(f"{name:75s} refused: {error.problems[0][:90]}")
                continue
        try:
            with contextlib.redirect_stdout(None):
                peer = Peer(path, robot, floating)
        except ValueError as error:
            print(f"{name:75s} Pinocchio cannot load it: {str(error)[:60]}")
            continue
        worst = compare(robot, peer)
        form = max(worst, key=lambda each: worst[each])
        rows.append({"model": name, "nv": robot.nv, "error": worst[form], "form": form})
        verdict = "" if worst[form] < TARGET else "  MISSED"
        seconds = time.perf_counter() - start
        print(
            f"{name:75s} nv {robot.nv:3d}  {worst[form]:.1e} ({form}) {seconds:5.1f} s{verdict}", flush=True
        )
    largest = max(row["error"] for row in rows)
    print(f"{len(rows)} models, every form, {STATES} states: largest relative difference {largest:.1e}")
    return rows


def compare(robot: cf.Robot, peer: Peer) -> dict[str, float]:
    """Return the largest difference of each form, relative to the largest entry over the states."""
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random_state(rng, batch=STATES)
    wrenches = rng.normal(size=(STATES, len(robot.body_names), 6))
    inputs = {"q": q, "qd": qd, "qdd": qdd, "tau": 10 * qdd, "wrenches": wrenches}
    worst = {}
    for name, form in cf.FORMS.items():
        if form.group not in ("kinematics", "dynamics") or name in NO_PEER:
            continue
        frame = robot.body_names[-1] if form.framed else None
        arrays = [inputs[each] for each in form.inputs]
        ours = robot.kernel(name, frame)(*arrays)
        extra = [frame] if frame else []
        call = getattr(peer, "coriolis_force" if name == "coriolis_matrix" else name)
        if name == "coriolis_matrix":
            ours = np.einsum("bij,bj->bi", ours, qd)
        theirs = np.array([call(*state, *extra) for state in zip(*arrays, strict=True)])
        scale = max(np.abs(theirs).max(), 1.0 if name == "jacobian_dot" else 1e-30)
        worst[name] = float(np.abs(ours - theirs).max() / scale)
    return worst
