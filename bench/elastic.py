"""Elastic joints: exactness of the laws, their time, and the speed of a robustness study."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import closedform as cf
from closedform.elastic import (
    ComputedTorque,
    Control,
    Decoupling,
    Feedforward,
    MotorObserver,
    StagedDecoupling,
    chain_motion,
    monte_carlo,
    state_on,
    track,
)
from closedform.report.elastic import ElasticStudy

from .timing import interleaved

STIFFNESSES = (5e3, 1e4, 2e4)
PAIR = [-40 + 40j, -40 - 40j]


def run(quick: bool) -> dict[str, Any]:
    """Print the figures of elastic joints next to their targets and return them.

    The iiwa, its springs and the septic move of one second are those of `closedform elastic`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        study = ElasticStudy(cf.load("iiwa14"))
    return {
        "chain": _chain(study),
        "tracking": [_tracking(study, k) for k in (STIFFNESSES[:1] if quick else STIFFNESSES)],
        "evaluation": _evaluation(study),
        "monte_carlo": _robustness(replace(study, runs=100 if quick else 1000)),
    }


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def _chain(study: ElasticStudy) -> dict[str, float]:
    """Compare the decoupled arm, started off the trajectory, with the exact linear chain."""
    robot, move = study.elastic, study.move
    control = Decoupling(robot, [-30, -35, -40, -45])
    shift = 0.02 * np.cos(2.0 * np.arange(7))
    motors = shift / robot.drives.gear_ratio
    first = state_on(robot, move) + np.concatenate([shift, np.zeros(7), motors, np.zeros(7)])
    distances = {}
    for step in (1.6e-3, 8e-4, 1e-4):
        simulated = track(control, move, step=step, start=first, off_trajectory=True)
        distances[step] = np.abs(simulated.q - chain_motion(control, move, first, simulated.t)).max()
    last, order = distances[1e-4], np.log2(distances[1.6e-3] / distances[8e-4])
    print(
        f"decoupled iiwa to the four-integrator chain over 1 s, step 0.1 ms: {last:.1e} rad  "
        f"target 1e-9 {_verdict(last < 1e-9)}"
    )
    print(
        f"order of convergence, steps 1.6 to 0.8 ms: {order:.2f}  target 4 {_verdict(abs(order - 4) < 0.2)}"
    )
    return {"distance": float(last), "order": float(order)}


def _tracking(study: ElasticStudy, stiffness: float) -> dict[str, float]:
    robot = study.on_springs(stiffness)
    exact = track(Feedforward(robot, PAIR), study.move).worst
    rigid = track(ComputedTorque(robot, [-40, -40]), study.move).worst
    print(
        f"at {stiffness:g} N m/rad: feedforward {exact:.1e} rad  target 1e-8 {_verdict(exact < 1e-8)}\n"
        f"    rigid computed torque {rigid:.1e} rad, {rigid / exact:.1e} times  "
        f"target 1000 {_verdict(rigid > 1000 * exact)}"
    )
    return {"stiffness": stiffness, "feedforward": exact, "rigid": rigid}


def _evaluation(study: ElasticStudy) -> dict[str, float]:
    robot, move = study.elastic, study.move
    state = [part.copy() for part in np.split(state_on(robot, move), 4)]
    laws: tuple[Control, ...] = (
        Decoupling(robot, [-300] * 4),
        StagedDecoupling(robot, [-40, -40], [-160, -160]),
        Feedforward(robot, PAIR),
        ComputedTorque(robot, [-40, -40]),
    )
    calls = {
        type(law).__name__: law.bind(*state, law.reference(move, 0.3).copy(), out=np.empty(7)) for law in laws
    }
    observer = MotorObserver(robot, [-200] * 5)
    signals = (observer.begin(*state), state[2].copy(), state[2].copy(), np.zeros(7))
    calls["MotorObserver"] = observer.bind(*signals, out=(np.empty(35), np.empty((8, 7))))
    times = interleaved(calls)
    for name, seconds in times.items():
        print(f"{name}, 7 dofs, bound: {seconds * 1e6:.2f} us  target 3 us {_verdict(seconds < 3e-6)}")
    return times


def _robustness(study: ElasticStudy) -> dict[str, float]:
    spread = list(study.spreads.values())[-1]
    times = {}
    for name, law in study.sampled_laws.items():
        monte_carlo({name: law}, study.move, spread, runs=1)  # compiles
        begin = time.perf_counter()
        found = monte_carlo({name: law}, study.move, spread, runs=study.runs)
        times[name] = time.perf_counter() - begin
        lost = int(np.isinf(found.peaks(name)).sum())
        print(
            f"{study.runs} runs of 1 s at 1 kHz, 7 dofs, {name}: {times[name]:.2f} s  target 60 s "
            f"{_verdict(times[name] < 60)}\n"
            f"    median peak error {np.median(found.peaks(name)):.1e} rad, {lost} diverged"
        )
    return times
