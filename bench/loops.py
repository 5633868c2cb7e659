"""Robots with closed loops: agreement with Pinocchio and MuJoCo, and speed against Pinocchio's C++.

Both sides get the coordinates of all joints in closed postures. Pinocchio's contestants are its constraint
dynamics, by sparse factors of the KKT matrix, in a C++ loop built here and as the wheel has it, called from
Python; the faster one counts. Rows that depend on each other need
proximal steps, other mechanisms none. `--folder` is MuJoCo's menagerie, for Cassie.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from closedform.programs import evaluate
from oracles.loop_humanoids import cassie, parallel_ankles
from oracles.loop_mechanisms import delta, five_bar, four_bar, gough_stewart, planar_3rrr
from oracles.loop_peer import LoopPeer, MujocoLoops

from .pinocchio_constraints import ConstraintLoop
from .timing import interleaved

STATES = 20
SAMPLES = 200
"""Samples of a loop in Python."""

NEEDED = {"parallel ankles": 8.0, "cassie": 8.0}
"""Ratios of forward dynamics to Pinocchio's constraint dynamics that the project promises."""

FIVE_BAR = 60.0
"""Nanoseconds of the five-bar's inverse dynamics that the project promises, per sample and core."""

RELATIVE, SOFT = 1e-9, 1e-4


def run(batch: int, quick: bool = False, folder: str | None = None) -> dict[str, Any]:
    """Return the rows of both parts."""
    mechanisms = {
        "four_bar": four_bar(),
        "four_bar of balls": four_bar("ball"),
        "five_bar": five_bar(),
        "planar_3rrr": planar_3rrr(),
        "gough_stewart": gough_stewart(),
        "delta": delta(),
        "delta with hinges": delta("hinge"),
        "parallel ankles": parallel_ankles(),
    }
    if folder is not None:
        mechanisms["cassie"] = cassie(Path(folder))
        mechanisms["cassie, 10 motors"] = cassie(Path(folder), motors=True)
    agreement = [_agreement(name, closed) for name, closed in mechanisms.items()]
    seconds, count = (0.3 if quick else 1.5), min(batch, 20_000)
    speed = [_inverse(mechanisms["five_bar"], batch, seconds)]
    for name in ("gough_stewart", "delta", "parallel ankles", "cassie"):
        if name in mechanisms:
            speed.append(_forward(name, mechanisms[name], count, seconds))
    return {"agreement": agreement, "speed": speed}


def _agreement(name: str, closed: Any) -> dict[str, Any]:
    """Return the largest relative difference of each form over some states."""
    peer = LoopPeer(closed)
    q, qd, qdd = closed.random_state(0, batch=STATES)
    x = closed.assemble(q)
    here = q if closed.model.explicit else x
    tau = 10 * np.random.default_rng(1).normal(size=(STATES, len(closed.model.av)))

    def value(form: str, *rates: np.ndarray) -> Any:
        return evaluate(closed.program(form), here, *rates)

    v, moved = value("joint_velocities", qd), value("joint_accelerations", qd, qdd)
    found = value("joint_accelerations", qd, value("forward_dynamics", qd, tau))
    M, driven = value("mass_matrix"), not closed.model.undriven
    torques, forces = (
        value(form, qd, qdd) if driven else None for form in ("inverse_dynamics", "constraint_forces")
    )
    chosen = list(closed.model.rows)
    worst: dict[str, float] = {}

    def note(form: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        error = float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300))
        worst[form] = max(worst.get(form, 0.0), error)

    for k in range(STATES):
        note("mass_matrix", M[k], peer.mass_matrix(x[k]))
        note("forward_dynamics", found[k], peer.kkt(x[k], v[k], tau[k])[0])
        if driven:
            theirs, held = peer.inverse_dynamics(x[k], v[k], moved[k])
            note("inverse_dynamics", torques[k], theirs)
            note("constraint_forces", peer.rows(x[k], v[k])[0][chosen].T @ forces[k], held)
    try:
        for k in range(STATES):
            note("constraintDynamics", found[k], peer.constraint_dynamics(x[k], v[k], tau[k]))
    except NotImplementedError:
        pass
    soft = _against_mujoco(name, closed, value, x, 0 * qd, tau)
    met = max(worst.values()) < RELATIVE and (soft is None or soft < SOFT)
    text = ", ".join(f"{form} {error:.0e}" for form, error in worst.items())
    beside = "" if soft is None else f", MuJoCo {soft:.0e}"
    print(f"{name:18s} {text}{beside}  {'met' if met else 'MISSED'}", flush=True)
    return {"robot": name, **worst, "mujoco": soft}


def _against_mujoco(
    name: str, closed: Any, value: Callable[..., Any], x: np.ndarray, rest: np.ndarray, tau: np.ndarray
) -> float | None:
    """Return the largest relative difference at rest, None if MuJoCo cannot hold the loops."""
    if name.partition(",")[0] in NEEDED:
        return None
    try:
        mujoco = MujocoLoops(closed)
    except NotImplementedError:
        return None
    found = value("joint_accelerations", rest, value("forward_dynamics", rest, tau))
    theirs = np.array([mujoco.forward_dynamics(*each) for each in zip(x, tau, strict=True)])
    return float((np.abs(found - theirs).max(axis=1) / np.abs(theirs).max(axis=1)).max())


def _inverse(closed: Any, batch: int, seconds: float) -> dict[str, Any]:
    """Return the time of inverse dynamics from independent coordinates alone."""
    kernel = closed.kernel("inverse_dynamics")
    q, qd, qdd = closed.random_state(0, batch=batch)
    out = np.empty((batch, len(closed.actuated_names)))
    times = interleaved({"ours": partial(kernel, q, qd, qdd, out=out, threads=1)}, seconds=seconds)
    ns = times["ours"] / batch * 1e9
    verdict = "met" if ns < FIVE_BAR else "MISSED"
    print(
        f"{closed.name:18s} inverse dynamics {kernel.counts.total:6d} ops {ns:8.1f} ns  "
        f"target {FIVE_BAR:g} ns {verdict}"
    )
    return {"robot": closed.name, "form": "inverse_dynamics", "closedform": ns}


def _forward(name: str, closed: Any, batch: int, seconds: float) -> dict[str, Any]:
    """Return the times of forward dynamics, Pinocchio's over all joints beside ours."""
    peer = LoopPeer(closed)
    q, qd, qdd = closed.random_state(0, batch=min(batch, 500))
    again = -(-batch // len(q))
    x = closed.assemble(q)
    tau = np.array([peer.driven(each)[peer.order] for each in qdd]) if closed.model.direct else None
    assert tau is not None, f"{name}: actuated joints are not the independent ones"
    v = evaluate(closed.program("joint_velocities"), x, qd)
    many = [np.ascontiguousarray(np.tile(each, (again, 1))[:batch]) for each in (x, qd, qdd)]
    theirs = [
        np.ascontiguousarray(np.tile(each, (again, 1))[:batch])
        for each in (x[:, peer.coordinates], v[:, peer.order], tau)
    ]
    kernel = closed.kernel("forward_dynamics")
    out, full = np.empty((batch, closed.nv)), np.empty((batch, peer.model.nv))
    redundant = len(peer.rows(x[0], v[0])[1]) > len(closed.model.rows)
    plain = ConstraintLoop(peer, 1e-12, 1e-8, 20) if redundant else ConstraintLoop(peer)
    contestants: dict[str, Callable[[], object]] = {
        "closedform": partial(kernel, *many, out=out, threads=1),
        "constraintDynamics": partial(plain.constraint_dynamics, *theirs, full),
        "of the wheel": partial(_wheel, peer, [each[:SAMPLES] for each in theirs], redundant),
    }
    row: dict[str, Any] = {"robot": name, "form": "forward_dynamics", "operations": kernel.counts.total}
    plain.constraint_dynamics(*theirs, full)
    found = evaluate(closed.program("joint_accelerations"), x, qd, kernel(x, qd, qdd))[:, peer.order]
    row["difference"] = float(np.abs(full[: len(found)] - found).max() / np.abs(found).max())
    times = interleaved(contestants, seconds=seconds)
    for who, value in times.items():
        row[who] = value / (SAMPLES if who == "of the wheel" else batch) * 1e9
    row["ratio"] = min(row["constraintDynamics"], row["of the wheel"]) / row["closedform"]
    text = "  ".join(f"{who} {row[who]:9.1f} ns" for who in times)
    needed = NEEDED.get(name)
    verdict = f"  target {needed:g}x {'met' if row['ratio'] >= needed else 'MISSED'}" if needed else ""
    print(
        f"{name:18s} forward dynamics {row['operations']:6d} ops  {text}  {row['ratio']:.1f}x, "
        f"difference {row['difference']:.0e}{verdict}",
        flush=True,
    )
    return row


def _wheel(peer: LoopPeer, arrays: list[np.ndarray], redundant: bool) -> None:
    """Call the wheel's constraint dynamics sample by sample, with data that are kept."""
    models, datas = peer.constraint_models(), pin.StdVec_RigidConstraintData()
    for each in models:
        datas.append(each.createData())
    data = peer.model.createData()
    pin.initConstraintDynamics(peer.model, data, models, datas)
    settings = pin.ProximalSettings(1e-12, 1e-8, 20) if redundant else pin.ProximalSettings(1e-12, 0.0, 1)
    for q, v, tau in zip(*arrays, strict=True):
        pin.constraintDynamics(peer.model, data, q, v, tau, models, datas, settings)
