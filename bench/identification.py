"""Identification: a simulated log, a million samples, and public logs of real robots beside peers."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np

import closedform as cf
from closedform.identification import FrictionTerms, base_parameters, identify, reduced_factor

from . import identification_best, identification_compare, identification_expected
from .identification_peers import peers
from .public_logs import LOGS, missing

HARMONICS = 8


def simulated(quick: bool) -> list[dict[str, Any]]:
    """Return times and errors in standard errors of Panda logs: 60 s at 1 kHz, 1 % torque noise."""
    robot = cf.load("panda")
    rows, scores = [], []
    for seed in range(2 if quick else 8):
        log, truth = _panda_log(robot, seed)
        start = time.perf_counter()
        result = identify(robot, log)
        seconds = time.perf_counter() - start
        z = (result.base_values - result.base.matrix @ truth) / result.standard_errors[: result.base.count]
        scores.extend(z)
        rows.append({"what": "simulated log", "s": seconds, "largest": float(np.abs(z).max())})
        verdict = "met" if seconds < 5 else "MISSED"
        print(f"Panda, 60 s at 1 kHz, seed {seed}: {seconds:5.2f} s  target 5 s {verdict}; "
              f"largest error {np.abs(z).max():.2f} standard errors")  # fmt: skip
    inside = float(np.mean(np.abs(scores) < 3))
    spread = float(np.sqrt(np.mean(np.square(scores))))
    print(f"{100 * inside:.1f} % of {len(scores)} base parameters within 3 standard errors (normal: 99.7 %), "
          f"root mean square {spread:.2f} (ideal 1)")  # fmt: skip
    return [*rows, {"what": "within 3 standard errors", "part": inside, "spread": spread}]


def _panda_log(robot: cf.Robot, seed: int) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    t = np.arange(60_000) / 1000
    w = 2 * np.pi * 0.1 * np.arange(1, HARMONICS + 1)
    a, b = rng.normal(size=(2, HARMONICS, robot.nv))
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    lower, upper = robot.lower_limits, robot.upper_limits
    scale = 0.45 * (upper - lower) / np.abs(s @ a + c @ b).max(axis=0)
    q = (lower + upper) / 2 + scale * (s @ a + c @ b)
    qd, qdd = scale * ((c * w) @ a - (s * w) @ b), -scale * ((s * w**2) @ a + (c * w**2) @ b)
    tau = robot.inverse_dynamics(q, qd, qdd)
    tau += rng.uniform(0.2, 1, robot.nv) * qd + rng.uniform(0.2, 1, robot.nv) * np.sign(qd)
    tau += 0.01 * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
    return {"t": t, "q": q, "tau": tau}, robot.phi


def staubli() -> list[dict[str, Any]]:
    """Return the torque errors of the Staubli TX40 log on data not fitted, if the log is present."""
    log = next(each for each in LOGS if each.name == "staubli-tx40")
    if missing(log):
        print(f"no Staubli TX40 log: clone {log.repository} into the folder of CLOSEDFORM_LOGS")
        return []
    robot = log.load_robot()
    whole = log.read("whole", robot)
    rows = []
    for hold_out, words, target in ((0.5, "alternating 0.5 s blocks", 4.8), ("half", "second half", 8.0)):
        classic = identify(
            robot, whole, cutoff=20, hold_out=hold_out, friction=FrictionTerms(coulomb=0.1), physical=False
        )
        start = time.perf_counter()
        result = identify(robot, whole, hold_out=hold_out)
        seconds = time.perf_counter() - start
        error = 100 * result.held_out.total
        verdict = "met" if error < target else "MISSED"
        print(f"TX40, {words}: {error:.2f} %  target {target} % {verdict}; {seconds:.2f} s")
        print(f"  friction chosen in the fitted part: {result.friction}; "
              f"plain smooth Coulomb: {100 * classic.held_out.total:.2f} %")  # fmt: skip
        rows.append({"what": f"TX40, {words}", "percent": error, "s": seconds})
    return rows


def million(quick: bool) -> list[dict[str, Any]]:
    """Return time and memory of the triangular factor of the Panda's reduced regressor."""
    robot = cf.load("panda")
    base = base_parameters(robot)
    count = 200_000 if quick else 1_000_000
    q, qd, qdd = robot.random_state(0, batch=count)
    tau = robot.inverse_dynamics(q, qd, qdd)
    reduced_factor(base, q[:100], qd[:100], qdd[:100], tau[:100])
    start = time.perf_counter()
    R = reduced_factor(base, q, qd, qdd, tau)
    seconds = (time.perf_counter() - start) * 1_000_000 / count
    tracemalloc.start()
    reduced_factor(base, q, qd, qdd, tau)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    error = np.abs(np.linalg.solve(R[:-1, :-1], R[:-1, -1]) - base.matrix @ robot.phi).max()
    verdict = "met" if seconds < 5 else "MISSED"
    print(f"reduced regressor of 1e6 samples: {seconds:.2f} s  target 5 s {verdict}; {peak:.1f} MB at most "
          f"(whole: {count * robot.nv * base.count * 8 / 1e6:.0f} MB); error {error:.1e}")  # fmt: skip
    return [{"what": "reduced regressor, 1e6 samples", "s": seconds, "MB": peak}]


def run(quick: bool, full: bool) -> dict[str, Any]:
    """Print the figures of identification and return them; what is promised and best only in `full`."""
    figures = {"simulated": simulated(quick), "staubli": staubli(), "million": million(quick)}
    figures["compared"] = identification_compare.run(peers())
    if full:
        figures["expected"] = identification_expected.run()
        figures["best"] = identification_best.run()
    return figures
