"""Forms and derivatives of every model that both sides load against Pinocchio.

100 random states each, by the programs that machine code is made of (tests hold the two equal;
compiling every form of every model would take an hour). Forward dynamics and its derivatives x are
judged as solutions of Pinocchio's own M x = b: |M x - b| relative to |M| |x|, what round-off allows
whatever the condition of M (iCub's reaches 2e9). The plain differences from `aba` and
`computeABADerivatives` are reported beside, and how far Pinocchio's own results move when its
inertias move by one unit in the last place: no two codes can agree better than that.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from oracles.pinocchio_peer import Peer, robot_data

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
    "jacobian_dq": None,
}
"""Derivatives that Pinocchio gives directly or by the chain rule, with their orders."""
PEERS = {"coriolis_matrix": "coriolis_force"}
"""What is compared in place of a form that has no direct peer."""
SOLVED = ("forward_dynamics", "forward_dynamics_derivatives")
"""Forms that are solutions of linear equations in M."""
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
        worst, plain = compare(robot, peer)
        form = max(worst, key=lambda each: worst[each])
        row: dict[str, Any] = {"model": name, "nv": robot.nv, "error": worst[form], "form": form}
        row["forms"] = worst
        row["plain"] = plain
        rows.append(row)
        verdict = "" if worst[form] < TARGET else "  MISSED"
        beside = ", plain FD and dFD " + ", ".join(f"{each:.0e} ({own:.0e})" for each, own in plain.values())
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
    for form in max((row["forms"] for row in rows), key=len):
        errors = [row["forms"][form] for row in rows if form in row["forms"]]
        print(f"  {form:30s} of {len(errors)} models: {max(errors):.1e}")
    for form in SOLVED:
        for row in rows:
            plain, own = row["plain"].get(form, (0.0, 0.0))
            if plain >= TARGET:
                print(f"  {form} of {row['model']}: plain difference {plain:.1e}, last digit {own:.1e}")


def compare(robot: cf.Robot, peer: Peer) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return the largest difference of each form, and two more numbers for those that are solved for.

    These are the plain difference, and how far Pinocchio's own result moves with the last digit of its
    inertias. Differences are relative to the largest entry over the states.
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
    worst, plain = {}, {}
    qdd_found = qdd
    for name, order in orders.items():
        frame = robot.body_names[-1] if cf.FORMS[name].framed else None
        program = trace(robot.model, name, Variant(frame, order))
        arrays = [inputs[each] for each, _ in program.inputs]
        ours = evaluate(program, *arrays)
        if name == "coriolis_matrix":
            ours = np.einsum("bij,bj->bi", ours, qd)
        if name in SOLVED:
            if not peer.mimics:
                theirs = _theirs(peer, name, arrays)
                moved = _theirs(peer.shaken(), name, arrays)
                plain[name] = _difference(ours, theirs), _difference(moved, theirs)
            qdd_found = ours if name == "forward_dynamics" else qdd_found
            worst[name] = _residual(name, peer, M, ours, arrays, qdd_found)
            continue
        theirs = _theirs(peer, PEERS.get(name, name), arrays, [frame] if frame else [])
        worst[name] = _difference(ours, theirs, _scale(name, M))
    return worst, plain


def _residual(
    name: str, peer: Peer, M: np.ndarray, ours: Any, arrays: list[np.ndarray], qdd: np.ndarray
) -> float:
    """Return the largest |M x - b| relative to |M| |x| of solutions x, with Pinocchio's M and b."""
    q, qd, tau = arrays
    if name == "forward_dynamics":
        bias = _theirs(peer, "inverse_dynamics", [q, qd, 0 * qd])
        pairs = [(ours[..., None], (tau - bias)[..., None])]
    else:
        by_q, by_qd = _theirs(peer, "inverse_dynamics_derivatives", [q, qd, qdd])
        pairs = list(zip(ours, (-by_q, -by_qd, np.broadcast_to(np.eye(M.shape[-1]), M.shape)), strict=True))
    return max(float(np.abs(M @ x - b).max() / (np.abs(M) @ np.abs(x)).max()) for x, b in pairs)


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
