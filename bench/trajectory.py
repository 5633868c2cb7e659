"""Trajectories: limits of point-to-point profiles, their optimality, and what time scaling gains."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import closedform as cf
from closedform import trajectory as tr
from closedform.trajectory.profile import rest_to_rest
from oracles.time_optimal import shortest

MOVES = 10_000
NAMES = ("velocity", "acceleration", "jerk", "snap")


def run(quick: bool = False) -> dict[str, Any]:
    """Return the figures: worst excess of a limit, durations over the optimum, times of scaling."""
    return {
        "limits": [_excess(snap, quick) for snap in (False, True)],
        "optimality": _optimality(4 if quick else 12),
        "scaling": _scaling(),
    }


def _excess(snap: bool, quick: bool) -> float:
    """Return the worst relative excess of any limit over random moves, exactly (no sampling)."""
    rng = np.random.default_rng(0)
    count = 500 if quick else MOVES
    start, distance = rng.normal(size=count), rng.choice([-1, 1], count) * 10 ** rng.uniform(-4, 2, count)
    limits = [base * 10 ** rng.uniform(-1.5, 1.5, count) for base in (1.0, 5.0, 50.0, 1000.0)]
    given = dict(zip(NAMES, limits[: 4 if snap else 3], strict=False))
    begin = time.perf_counter()
    motion = tr.profile(start, start + distance, **given, synchronise="none")
    spent = (time.perf_counter() - begin) / count
    worst = -np.inf
    for order, name in enumerate(given, 1):
        lowest, highest = motion.extremes(order)
        worst = max(worst, float((np.maximum(-lowest, highest) / given[name] - 1).max()))
    kind = "15 segments" if snap else "7 segments"
    verdict = "met" if worst <= 1e-9 else "MISSED"
    what = f"{count} random moves, {kind}, {spent * 1e6:.1f} us each"
    print(f"{what}: limits exceeded by {worst:.1e}  target 1e-9 {verdict}")
    return worst


def _optimality(count: int) -> dict[str, float]:
    """Return the worst duration over that of a linear program that knows nothing of segments."""
    worst = {}
    for order, kind in ((3, "7 segments"), (4, "15 segments")):
        ratios = []
        for seed in range(count):
            rng = np.random.default_rng(seed)
            distance = 10 ** rng.uniform(-1.5, 0.7)
            limits = rng.uniform(0.5, 2.0, 4) * [1.0, 4.0, 40.0, 900.0]
            limits[order:] = np.inf
            T = float(rest_to_rest(np.array(distance), *limits).duration)
            ratios.append(T / shortest(distance, limits[:order], T))
        worst[kind] = max(ratios)
        if order == 3:
            verdict = f"target 1.01 {'met' if worst[kind] <= 1.01 else 'MISSED'}"
        else:
            verdict = "any snap-limited motion; the optimum of the class by construction (tests)"
        print(
            f"duration / optimum, {kind}: worst {worst[kind]:.4f}, median {np.median(ratios):.4f}  {verdict}"
        )
    return worst


def _scaling() -> list[dict[str, float]]:
    """Return what a varying pace gains over a uniform one on the Panda, and what it costs."""
    robot = cf.load("panda")
    rows = []
    for seed in range(3):
        start, end = robot.random_state(seed, batch=2)[0]
        motion = tr.polynomial(start, end, 1.0, degree=9)
        rate = 10 * robot.effort_limits
        uniform = tr.time_scaled(robot, motion, torque_rate=rate, uniform=True)
        begin = time.perf_counter()
        paced = tr.time_scaled(robot, motion, torque_rate=rate)
        spent = time.perf_counter() - begin
        t = np.linspace(0, paced.duration, 20_000)
        tau, taud = robot.inverse_dynamics_rates(*paced.derivatives(t, 3))
        use = max((np.abs(tau) / robot.effort_limits).max(), (np.abs(taud) / rate).max())
        print(
            f"panda, torque and torque-rate limits: {uniform.duration:.3f} s uniform, "
            f"{paced.duration:.3f} s paced (limits used to {use:.5f}), found in {spent:.2f} s"
        )
        rows.append(
            {"uniform": uniform.duration, "paced": paced.duration, "use": float(use), "seconds": spent}
        )
    return rows
