"""Forms and derivatives of every model that both sides load against Pinocchio.

100 random states each, by the programs that machine code is made of (tests hold the two equal;
compiling every form of every model would take an hour). Derivatives of forward dynamics are judged in torques, M d qdd = -d tau of
Pinocchio's own M and d tau. The difference from its `computeABADerivatives` is reported beside: where
links are light that M^-1 is itself up to 4e-11 off (`tests/test_pinocchio_derivatives.py` decides
by 50-digit numbers).
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import closedform as cf
from closedform.programs import evaluate, trace

from .pinocchio_peer import Peer, robot_data

STATES = 100
TARGET = 1e-12
NO_PEER = ("jacobian_ddot",)
DERIVATIVES: dict[str, int | None] = {
    "inverse_dynamics_derivatives": None,
    "forward_dynamics_derivatives": None,
    "regressor": None,
    "inverse_dynamics_rates": 1,
    "mass_matrix_dot": None,
    "gravity_torque_dq": None,
}
"""Derivatives that Pinocchio gives directly or by the chain rule, with their orders."""
PEERS = {"coriolis_matrix": "coriolis_force", "forward_dynamics_derivatives": "forward_forces"}
"""What stands for a form that has no direct peer."""
LARGEST = 60
"""Dofs up to which derivatives are compared."""
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
        worst, aba = compare(robot, peer)
        form = max(worst, key=lambda each: worst[each])
        row: dict[str, Any] = {"model": name, "nv": robot.nv, "error": worst[form], "form": form}
        row |= {each: worst[each] for each in DERIVATIVES if each in worst}
        if aba is not None:
            row["aba_derivatives"] = aba
        rows.append(row)
        verdict = "" if worst[form] < TARGET else "  MISSED"
        beside = "" if aba is None else f", ABA derivatives {aba:.0e}"
        seconds = time.perf_counter() - start
        text = f"{name:75s} nv {robot.nv:3d}  {worst[form]:.1e} ({form}){beside} {seconds:5.1f} s{verdict}"
        print(text, flush=True)
    _summary(rows)
    return rows


def _summary(rows: list[dict[str, Any]]) -> None:
    """Print the largest difference over all models, of the forms and of the derivatives."""
    largest = max(row["error"] for row in rows)
    verdict = "met" if largest < TARGET else "MISSED"
    print(f"{len(rows)} models, {STATES} states: largest relative difference {largest:.1e}  {verdict}")
    for form in DERIVATIVES:
        errors = [row[form] for row in rows if form in row]
        print(f"  {form} of {len(errors)} models: {max(errors, default=0.0):.1e}")
    aba = [row["aba_derivatives"] for row in rows if "aba_derivatives" in row]
    beyond = sum(each >= TARGET for each in aba)
    print(f"  from computeABADerivatives: {max(aba, default=0.0):.1e}, {beyond} models beyond {TARGET:.0e}")


def compare(robot: cf.Robot, peer: Peer) -> tuple[dict[str, float], float | None]:
    """Return the largest difference of each form, and of dFD from `computeABADerivatives`.

    Differences are relative to the largest entry over the states.
    """
    rng = np.random.default_rng(0)
    q, qd, qdd, qddd = robot.random_state(rng, batch=STATES, order=3)
    wrenches = rng.normal(size=(STATES, len(robot.body_names), 6))
    inputs = {"q": q, "qd": qd, "qdd": qdd, "qddd": qddd, "tau": 10 * qdd, "wrenches": wrenches}
    M = np.array([peer.mass_matrix(each) for each in q])
    basic = [name for name, form in cf.FORMS.items() if form.group in ("kinematics", "dynamics")]
    orders: dict[str, int | None] = {name: None for name in basic if name not in NO_PEER}
    if robot.nv <= LARGEST:
        orders |= DERIVATIVES
    worst, aba = {}, None
    for name, order in orders.items():
        frame = robot.body_names[-1] if cf.FORMS[name].framed else None
        program = trace(robot.model, name, frame, order=order)
        arrays = [inputs[each] for each, _ in program.inputs]
        ours = evaluate(program, *arrays)
        if name == "coriolis_matrix":
            ours = np.einsum("bij,bj->bi", ours, qd)
        theirs = _theirs(peer, PEERS.get(name, name), arrays, [frame] if frame else [])
        if name == "forward_dynamics_derivatives":
            aba = None if peer.mimics else _difference(ours, _theirs(peer, name, arrays))
            ours = tuple(M @ each for each in ours)
        worst[name] = _difference(ours, theirs, _scale(name, M))
    return worst, aba


def _scale(name: str, M: np.ndarray) -> float:
    """Return what an error of a form is at least relative to."""
    # M' is a difference of entries of M; on a multirotor hardly anything is left of it.
    return {"jacobian_dot": 1.0, "mass_matrix_dot": float(np.abs(M).max())}.get(name, 1e-30)


def _theirs(peer: Peer, name: str, arrays: list[np.ndarray], extra: Sequence[str] = ()) -> Any:
    """Return the outputs of the peer over the states, as the kernel gives them."""
    results = [getattr(peer, name)(*state, *extra) for state in zip(*arrays, strict=True)]
    if isinstance(results[0], tuple):
        return tuple(np.array(each) for each in zip(*results, strict=True))
    return np.array(results)


def _difference(ours: Any, theirs: Any, scale: float = 1e-30) -> float:
    """Return the largest difference relative to the largest entry of each output."""
    if not isinstance(ours, tuple):
        ours, theirs = (ours,), (theirs,)
    return max(
        float(np.abs(a - b).max() / max(np.abs(b).max(), scale)) for a, b in zip(ours, theirs, strict=True)
    )
