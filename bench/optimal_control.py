"""IPOPT on torque-limited motions of the Panda: what an iteration costs, and what of it is evaluations.

The first problem is the example's: steps with forward dynamics, as Pinocchio's own example takes them. The
second asks for inverse dynamics at all instants.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pinocchio as pin
from casadi import MX, Function, Opti

import closedform as cf
from closedform.programs import expressions
from examples.optimal_control_casadi import DURATION, END, SHARE, START, problem
from oracles.casadi_recursions import compact

from .pinocchio_casadi import functions, with_derivatives

OURS = "closed forms, batch"
PLAIN = "closed forms, a call per instant"
SAME = "same expression, CasADi differentiates"
PEER = "pinocchio.casadi"
STAND_IN = "textbook recursion"

EXAMPLE = "forward dynamics, exact Hessians"
"""The problem of the example, of which the figure is."""

INTERVALS = 40
INSTANTS = INTERVALS + 1

EXPANDED = {"expand": True}
COMPILED = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O1"]}}
"""CasADi writes C and calls the compiler, each time that a solver is made: more than a minute for the second
derivatives of Pinocchio's rnea, more than ten for those of its aba, which are left out. -O2 takes four times
as long, to save a tenth of an iteration."""

QUASI_NEWTON = {"hessian_approximation": "limited-memory", "max_iter": 60}
"""Without second derivatives IPOPT does not come to an end on this problem: it is stopped there."""

TIMES = ("total", "evaluations", "hessian", "jacobian", "rest")
"""What is printed; the rest is the linear solver and IPOPT itself. Beside it stand the iterations, and the
seconds of the first solution, in which CasADi makes the solver, and we compile what is not on disk."""

Row = dict[str, float]
Calls = Callable[[MX, MX, MX], MX]
"""Evaluates a function at all instants, one per column."""

Contestants = dict[str, Calls]


def run(quick: bool = False) -> dict[str, dict[str, Row]]:
    """Return milliseconds per iteration by problem and contestant: the least of alternating runs."""
    robot = cf.load("panda")
    inverse, forward = _contestants(robot)
    repeats = 3 if quick else 10
    found = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # the compiler's files
        for what, contestants, posed, ipopt in (
            (EXAMPLE, forward, _forward, {}),
            ("inverse dynamics, exact Hessians", inverse, _inverse, {}),
            ("forward dynamics, L-BFGS", forward, _forward, QUASI_NEWTON),
            ("inverse dynamics, L-BFGS", inverse, _inverse, QUASI_NEWTON),
        ):
            ways = _ways(contestants, compiled=not quick and posed is _inverse and not ipopt)
            problems = {name: posed(robot, *way, ipopt) for name, way in ways}
            rows = found[what] = _measured(problems, repeats)
            _print(what, rows)
            peer = PEER if PEER in contestants else STAND_IN
            for name, row in rows.items():
                if name.startswith(peer):
                    _judge(name, row["total"] / rows[OURS]["total"], targeted=what == EXAMPLE)
    return found


def _contestants(robot: cf.Robot) -> tuple[Contestants, Contestants]:
    """Return calls of inverse and of forward dynamics, by name."""
    inverse, forward = (
        {
            OURS: robot.casadi(name, batch=count),
            PLAIN: _each(robot.casadi(name)),
            SAME: _each(Function("same", *expressions(robot.program(name)))),
        }
        for name, count in (("inverse_dynamics", INSTANTS), ("forward_dynamics", INTERVALS))
    )
    with tempfile.TemporaryDirectory() as folder:
        model = pin.buildModelFromUrdf(str(robot.to_urdf(Path(folder) / "robot.urdf")))
    try:
        peers = functions(model)
    except RuntimeError as error:
        print(f"Pinocchio's functions cannot be made here: {error}")
        print("A textbook recursion stands for its rnea: as many operations, the numbers of its model.")
        inverse[STAND_IN] = _each(compact(model))
        return inverse, forward
    for row, name in ((inverse, "rnea"), (forward, "aba")):
        row[PEER] = _each(peers[name])
        analytic = with_derivatives(peers[name], peers[f"{name}_derivatives"])
        row[f"{PEER}, its own derivatives"] = _each(analytic)
    return inverse, forward


def _each(function: Function) -> Calls:
    """Return a loop of calls, as users write it; a map of the function is not faster."""

    def calls(*given: MX) -> MX:
        instants = zip(*map(ca.horzsplit, given), strict=True)
        return ca.horzcat(*(function(*each) for each in instants))

    return calls


def _ways(contestants: Contestants, *, compiled: bool) -> Iterator[tuple[str, tuple[Calls, dict[str, Any]]]]:
    """Yield calls and options of the solver by name: as called, as one expression, as compiled C."""
    for name, function in contestants.items():
        if name != SAME:
            yield name, (function, {})
    peers = [name for name in (PEER, STAND_IN) if name in contestants]
    for name in (SAME, *peers):
        yield f"{name}, expand", (contestants[name], EXPANDED)
    if compiled and shutil.which("gcc"):
        for name in (PLAIN, *peers):
            yield f"{name}, jit", (contestants[name], COMPILED)


def _forward(robot: cf.Robot, acceleration: Calls, options: dict[str, Any], ipopt: dict[str, Any]) -> Opti:
    """Return the example's problem."""
    limits = SHARE * np.asarray(robot.effort_limits)
    return problem(acceleration, limits, INTERVALS, ipopt=ipopt, **options).opti


def _inverse(robot: cf.Robot, torque: Calls, options: dict[str, Any], ipopt: dict[str, Any]) -> Opti:
    """Return the same motion with accelerations that are linear between instants, and torques at these."""
    opti, n, h = Opti(), robot.nv, DURATION / INTERVALS
    limits = SHARE * np.asarray(robot.effort_limits)
    q, v, a, share = (opti.variable(n, INSTANTS) for _ in range(4))
    q0, v0, a0 = (each[:, :-1] for each in (q, v, a))
    q1, v1, a1 = (each[:, 1:] for each in (q, v, a))
    opti.subject_to(ca.vec(v1 - v0 - h / 2 * (a0 + a1)) == 0)
    opti.subject_to(ca.vec(q1 - q0 - h * v0 - h**2 / 6 * (2 * a0 + a1)) == 0)
    opti.subject_to(ca.vec(limits * share - torque(q, v, a)) == 0)
    opti.subject_to(opti.bounded(-1, ca.vec(share), 1))
    for place, k in ((START, 0), (END, -1)):
        opti.subject_to(q[:, k] == place)
        opti.subject_to(v[:, k] == 0)
    opti.minimize(h * ca.sumsqr(share))
    opti.set_initial(q, START[:, None] + np.outer(END - START, np.linspace(0, 1, INSTANTS)))
    usual = {"print_time": False, "record_time": True, "detect_simple_bounds": True}
    opti.solver("ipopt", usual | options, {"print_level": 0, "sb": "yes", **ipopt})
    return opti


def _measured(problems: dict[str, Opti], repeats: int) -> dict[str, Row]:
    """Return the least times of each problem, and those of the first solution, which makes the solver."""
    best: dict[str, Row] = {}
    for name, opti in problems.items():
        start = time.perf_counter()
        opti.solve_limited()
        best[name] = {**_per_iteration(opti.stats()), "first": time.perf_counter() - start}
    for _ in range(repeats):
        for name, opti in problems.items():
            opti.solve_limited()
            times, known = _per_iteration(opti.stats()), best[name]
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


def _print(what: str, rows: dict[str, Row]) -> None:
    ours = rows[OURS]
    print(f"Panda, {INTERVALS} intervals, {what}, MUMPS; ms per iteration (times ours):")
    print(f"{'':46}{''.join(f'{key:>16}' for key in TIMES)}{'iterations':>12}{'first, s':>10}")
    for name, row in rows.items():
        cells = "".join(f"{f'{row[key]:.2f} ({row[key] / (ours[key] or 1):.1f})':>16}" for key in TIMES)
        print(f"{name:46}{cells}{row['iterations']:12.0f}{row['first']:10.1f}")


def _judge(name: str, ratio: float, *, targeted: bool) -> None:
    """Print a ratio; the figure is of the example, and of what needs no compiler, as ours does not."""
    verdict = f"  target 3 {'met' if ratio >= 3 else 'MISSED'}"
    known = verdict if targeted and not name.endswith("jit") else ""
    print(f"{name} / {OURS}, a whole iteration: {ratio:.1f}{known}")
