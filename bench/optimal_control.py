"""IPOPT on a torque-limited motion of the Panda: what an iteration costs, and what of it is evaluations."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from casadi import SX, Function

import closedform as cf
from closedform.programs import expressions
from examples.optimal_control_casadi import DURATION, SHARE, optimal_motion
from oracles.casadi_recursions import compact, spatial

OURS = "closed forms"
SAME = "same expression, CasADi differentiates"
COMPACT = "textbook recursion of rotations and vectors"
SPATIAL = "textbook recursion of 6x6 matrices"
PINOCCHIO = "pinocchio.casadi"

INTERVALS = 40


def run(quick: bool = False) -> dict[str, dict[str, float]]:
    """Return milliseconds per iteration by contestant: the least of several alternating runs."""
    robot = cf.load("panda")
    contestants = dict(_contestants(robot))
    limits = SHARE * np.asarray(robot.effort_limits)
    best: dict[str, dict[str, float]] = {}
    for _ in range(2 if quick else 5):
        for name, torque in contestants.items():
            motion = optimal_motion(torque, limits, DURATION, INTERVALS)
            times = _per_iteration(motion.stats)
            known = best.setdefault(name, times)
            known.update({key: min(known[key], times[key]) for key in times})
            known["effort"] = motion.effort
    if PINOCCHIO not in contestants:
        print(
            "pinocchio.casadi cannot be imported (pip's wheel has none). The textbook recursions take their"
        )
        print(
            "numbers from Pinocchio's model and stand for expressions of that size; they are not Pinocchio."
        )
    ours = best[OURS]
    print(f"Panda, {INTERVALS} intervals, exact Hessians, MUMPS; ms per iteration (times ours):")
    print(
        f"{'':42}{'all':>14}{'evaluations':>16}{'Hessian':>16}{'Jacobian':>16}{'rest':>8}{'iterations':>12}"
    )
    for name, row in best.items():
        cells = [
            f"{row[key]:8.2f} ({row[key] / ours[key]:4.1f})"
            for key in ("total", "evaluations", "hessian", "jacobian")
        ]
        print(
            f"{name:42}{''.join(f'{cell:>16}' for cell in cells)}{row['rest']:8.2f}{row['iterations']:10.0f}"
        )
    peer = PINOCCHIO if PINOCCHIO in best else COMPACT
    ratio = best[peer]["total"] / ours["total"]
    print(f"{peer} / ours, a whole iteration: {ratio:.1f}  target 3 {'met' if ratio >= 3 else 'MISSED'}")
    return best


def _contestants(robot: cf.Robot) -> Iterator[tuple[str, Function]]:
    """Yield functions of inverse dynamics by name."""
    yield OURS, robot.casadi("inverse_dynamics")
    symbols, results = expressions(robot.program("inverse_dynamics"))
    yield SAME, Function("same", symbols, results)
    with tempfile.TemporaryDirectory() as folder:
        model = pin.buildModelFromUrdf(str(robot.to_urdf(Path(folder) / "robot.urdf")))
    yield COMPACT, compact(model)
    yield SPATIAL, spatial(model)
    if find_spec("pinocchio.casadi") is not None:
        peer = import_module("pinocchio.casadi")
        x = [SX.sym(name, model.nv) for name in ("q", "qd", "qdd")]
        written = peer.Model(model)
        yield PINOCCHIO, Function("peer", x, [peer.rnea(written, written.createData(), *x)])


def _per_iteration(stats: dict[str, Any]) -> dict[str, float]:
    """Return milliseconds per iteration: of everything, of each kind of evaluation, and of what remains."""
    count = stats["iter_count"]
    spent = {key: 1e3 * value / count for key, value in stats.items() if key.startswith("t_wall_")}
    evaluations = sum(value for key, value in spent.items() if key.startswith("t_wall_nlp_"))
    total = spent["t_wall_total"]
    return {
        "total": total,
        "evaluations": evaluations,
        "hessian": spent["t_wall_nlp_hess_l"],
        "jacobian": spent["t_wall_nlp_jac_g"],
        "rest": total - evaluations,
        "iterations": count,
    }
