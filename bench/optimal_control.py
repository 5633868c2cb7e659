"""IPOPT on a torque-limited motion of the Panda: what an iteration costs, and what of it is evaluations."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from casadi import Function

import closedform as cf
from closedform.programs import expressions
from examples.optimal_control_casadi import SHARE, Problem, problem
from oracles.casadi_recursions import compact

from .pinocchio_casadi import functions, with_derivatives

OURS = "closed forms, batch"
PLAIN = "closed forms, map"
SAME = "same expression, CasADi differentiates"
PEER = "pinocchio.casadi"
STAND_IN = "textbook recursion"

INTERVALS = 40
INSTANTS = INTERVALS + 1

EXPANDED = {"expand": True}
COMPILED = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O1"]}}
"""CasADi writes C and calls the compiler, each time that a solver is made; -O2 takes four times as long, to
save a tenth of an iteration."""

QUASI_NEWTON = {"hessian_approximation": "limited-memory", "max_iter": 60}
"""Without second derivatives IPOPT does not come to an end on this problem: it is stopped there."""

TIMES = ("total", "evaluations", "hessian", "jacobian", "rest")
"""What is printed; the rest is the linear solver and IPOPT itself."""

Row = dict[str, float]


def run(quick: bool = False) -> dict[str, dict[str, Row]]:
    """Return milliseconds per iteration by kind of Hessian and contestant: the least of alternating runs."""
    robot = cf.load("panda")
    limits = SHARE * np.asarray(robot.effort_limits)
    contestants = dict(_contestants(robot))
    peer = PEER if PEER in contestants else STAND_IN
    found = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # the compiler's files
        for kind, ipopt in (("exact Hessians", {}), ("L-BFGS", QUASI_NEWTON)):
            ways = _ways(contestants, peer, compiled=not quick and not ipopt)
            problems = {
                name: problem(torque, limits, INTERVALS, ipopt=ipopt, **options)
                for name, torque, options in ways
            }
            rows = found[kind] = _measured(problems, 3 if quick else 10)
            _print(kind, rows)
            for name, row in rows.items():
                if name.startswith(peer):
                    _judge(name, row["total"] / rows[OURS]["total"])
    return found


def _contestants(robot: cf.Robot) -> Iterator[tuple[str, Function]]:
    """Yield functions of inverse dynamics at all instants by name."""
    yield OURS, robot.casadi("inverse_dynamics", batch=INSTANTS)
    yield PLAIN, robot.casadi("inverse_dynamics").map(INSTANTS)
    symbols, results = expressions(robot.program("inverse_dynamics"))
    yield SAME, Function("same", symbols, results).map(INSTANTS)
    with tempfile.TemporaryDirectory() as folder:
        model = pin.buildModelFromUrdf(str(robot.to_urdf(Path(folder) / "robot.urdf")))
    try:
        peers = functions(model)
    except RuntimeError as error:
        print(f"Pinocchio's functions cannot be made here: {error}")
        print("A textbook recursion stands for them: as many operations, the numbers of Pinocchio's model.")
        yield STAND_IN, compact(model).map(INSTANTS)
        return
    yield PEER, peers["rnea"].map(INSTANTS)
    written = with_derivatives(peers["rnea"], peers["rnea_derivatives"])
    yield f"{PEER}, computeRNEADerivatives", written.map(INSTANTS)


def _ways(
    contestants: dict[str, Function], peer: str, *, compiled: bool
) -> Iterator[tuple[str, Function, dict[str, Any]]]:
    """Yield names, functions and options of the solver: as called, as one expression, as compiled C."""
    for name, function in contestants.items():
        if name != SAME:
            yield name, function, {}
    for name in (SAME, peer):
        yield f"{name}, expand", contestants[name], EXPANDED
    if compiled and shutil.which("gcc"):
        for name in (PLAIN, peer):
            yield f"{name}, jit", contestants[name], COMPILED


def _measured(problems: dict[str, Problem], repeats: int) -> dict[str, Row]:
    """Return the least times of each problem; the first solution, which may compile, does not count."""
    best: dict[str, Row] = {}
    for count in range(repeats + 1):
        for name, each in problems.items():
            each.opti.solve_limited()
            times = _per_iteration(each.opti.stats())
            if count:
                known = best.setdefault(name, times)
                known.update({key: min(known[key], times[key]) for key in times})
    return best


def _per_iteration(stats: dict[str, Any]) -> Row:
    """Return milliseconds per iteration: of everything, of each kind of evaluation, and of what remains."""
    count = stats["iter_count"]
    spent = {key: 1e3 * value / count for key, value in stats.items() if key.startswith("t_wall_")}
    evaluations = sum(value for key, value in spent.items() if key.startswith("t_wall_nlp_"))
    total = spent["t_wall_total"]
    return {
        "total": total,
        "evaluations": evaluations,
        "hessian": spent.get("t_wall_nlp_hess_l", 0.0),
        "jacobian": spent["t_wall_nlp_jac_g"],
        "rest": total - evaluations,
        "iterations": count,
    }


def _print(kind: str, rows: dict[str, Row]) -> None:
    ours = rows[OURS]
    print(f"Panda, {INTERVALS} intervals, {kind}, MUMPS; ms per iteration (times ours):")
    print(f"{'':46}{''.join(f'{key:>16}' for key in TIMES)}{'iterations':>12}")
    for name, row in rows.items():
        cells = "".join(f"{f'{row[key]:.2f} ({row[key] / (ours[key] or 1):.1f})':>16}" for key in TIMES)
        print(f"{name:46}{cells}{row['iterations']:12.0f}")


def _judge(name: str, ratio: float) -> None:
    """Print a ratio; the figure holds for what needs no compiler, as ours does not."""
    verdict = "" if name.endswith("jit") else f"  target 3 {'met' if ratio >= 3 else 'MISSED'}"
    print(f"{name} / {OURS}, a whole iteration: {ratio:.1f}{verdict}")
