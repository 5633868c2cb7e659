"""dask.distributed on this machine: two worker processes against one, one killed, and what a task costs."""

from __future__ import annotations

import csv
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.utils import key_split
from distributed import Client, LocalCluster

import closedform as cf

Array = np.ndarray

CHUNK = 1_000_000
"""Samples of a chunk of inverse dynamics."""

POSES = 10_000
"""Poses of a chunk of inverse kinematics."""


def run(quick: bool = False, full: bool = False, results: Path | None = None) -> list[dict[str, Any]]:
    """Return one row per figure; `full` takes 1e8 inverse dynamics and 1e6 poses."""
    dynamics, poses = (10**8, 10**6) if full else ((5 * 10**6, 20_000) if quick else (2 * 10**7, 60_000))
    rounds = 1 if quick else 2
    arm = cf.load("panda")
    load = os.getloadavg()[0]
    rows = [_row("load of the machine before (processes that want a core)", load, "")]
    if load > 0.5:
        print("other processes run: the ratios below are too small", flush=True)
    rows += _tasks(arm)
    print("starting one worker and two workers, of one thread each", flush=True)
    with _workers(1) as one, _workers(2) as two:
        rows.append(_row("start of two workers", two.start_seconds, "s"))
        rows.append(_row("first inverse dynamics on two new workers", _first(arm, two), "s"))
        _first(arm, one)
        rows.append(_row("scheduler's time per task", _overhead(two) * 1e3, "ms"))
        what = f"{dynamics:.0e} inverse dynamics of a Panda"
        rows += _compared(what, partial(_dynamics, arm, dynamics), one, two, rounds, "samples", dynamics)
        checksum = _dynamics(arm, dynamics).compute(scheduler="synchronous")
        same = bool(np.array_equal(checksum, two.client.compute(_dynamics(arm, dynamics)).result()))
        rows.append(_row(f"{what}: equal to NumPy's to the last bit (1 is yes)", same, "", at_least=1))
        what = f"{poses:.0e} poses of redundant inverse kinematics"
        rounds = 1 if full else rounds
        rows += _compared(what, partial(_kinematics, arm, poses), one, two, rounds, "poses", poses)
        rows += _killed(arm, poses, two)
    if results is not None:
        _write(results / "scale.csv", rows)
    return rows


class Workers:
    """A cluster of so many worker processes of one thread each, and its client."""

    def __init__(self, count: int) -> None:
        begin = time.perf_counter()
        self.cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0")
        self.client = Client(self.cluster, set_as_default=False)
        self.client.wait_for_workers(count)
        cf.cluster.check_workers(self.client)
        self.client.get_task_stream()  # records from now on
        self.start_seconds = time.perf_counter() - begin


@contextmanager
def _workers(count: int) -> Iterator[Workers]:
    found = Workers(count)
    try:
        yield found
    finally:
        found.client.close()
        found.cluster.close()


def _tasks(arm: cf.Robot) -> list[dict[str, Any]]:
    """Measure the bytes of a task."""
    (lazy,) = dask.optimize(_state(arm, 2 * CHUNK, 0))
    torque = arm.inverse_dynamics(*(_state(arm, 2 * CHUNK, k) for k in range(3)))
    sizes = {"inverse dynamics": _largest(torque), "its inputs alone": _largest(lazy)}
    sizes["inverse kinematics"] = _largest(cf.redundancy.solve(arm, arm.pose(_state(arm, POSES, 0))).q)
    return [_row(f"bytes of a task: {name}", size, "B") for name, size in sizes.items()]


def _largest(lazy: Any) -> int:
    """Return the bytes of the largest task of an array, without numbers that are data."""
    (found,) = dask.optimize(lazy)
    return max(len(pickle.dumps(task)) for task in dict(found.dask).values())


def _state(arm: cf.Robot, samples: int, seed: int, chunk: int = CHUNK) -> Any:
    """Return coordinates, velocities or accelerations, made by the tasks that need them."""
    chunk = min(chunk, samples)
    numbers = da.arange(samples // chunk, chunks=1)
    return numbers.map_blocks(
        partial(_numbers, seed, chunk, arm.nv),
        new_axis=1,
        chunks=((chunk,) * (samples // chunk), (arm.nv,)),
        dtype=float,
        meta=np.empty((0, 0)),
    )


def _numbers(seed: int, count: int, width: int, block: Array) -> Array:
    return np.random.default_rng([seed, int(block[0])]).random((count, width))


def _dynamics(arm: cf.Robot, samples: int) -> Any:
    """Return the largest torques, and the sum of all bits, which no order of the sum can change."""
    torque = arm.inverse_dynamics(*(_state(arm, samples, k) for k in range(3)))
    return da.concatenate([abs(torque).max(axis=0).view("i8"), torque.view("i8").sum(axis=0)])


def _kinematics(arm: cf.Robot, poses: int) -> Any:
    """Return coordinates of random poses within reach, for the greatest manipulability."""
    q = arm.lower_limits + _state(arm, poses, 7, POSES) * (arm.upper_limits - arm.lower_limits)
    found = cf.redundancy.solve(arm, arm.pose(q))
    return da.concatenate([found.q.view("i8").sum(axis=0), found.converged.sum(keepdims=True)])


def _first(arm: cf.Robot, workers: Workers) -> float:
    """Return the time of the first, small call: kernels are loaded, everything is imported."""
    begin = time.perf_counter()
    workers.client.compute(_dynamics(arm, 2 * CHUNK)).result()
    return time.perf_counter() - begin


def _overhead(workers: Workers, count: int = 2000) -> float:
    """Return the time of a task that does nothing, per task."""
    tasks = [dask.delayed(_nothing, pure=False)(k) for k in range(count)]
    begin = time.perf_counter()
    workers.client.gather(workers.client.compute(tasks))
    return (time.perf_counter() - begin) / count


def _nothing(number: int) -> int:
    return number


def _compared(
    what: str, make: Callable[[], Any], one: Workers, two: Workers, rounds: int, unit: str, count: int
) -> list[dict[str, Any]]:
    """Measure the same work on one worker and on two, in turn; the shortest of each counts."""
    shortest = {1: np.inf, 2: np.inf}
    answers, durations = [], []
    for _ in range(rounds):
        for number, workers in ((1, one), (2, two)):
            begin, now = time.perf_counter(), time.time()
            answers.append(workers.client.compute(make()).result())
            shortest[number] = min(shortest[number], time.perf_counter() - begin)
            durations += _durations(workers, now)
    same = all(np.array_equal(each, answers[0]) for each in answers)
    return [
        _row(f"{what}: one worker", shortest[1], "s"),
        _row(f"{what}: two workers", shortest[2], "s"),
        _row(f"{what}: {unit} per second, two workers", count / shortest[2], "1/s"),
        _row(f"{what}: two workers are faster by", shortest[1] / shortest[2], "x", at_least=1.7),
        _row(f"{what}: all runs equal to the last bit (1 is yes)", same, "", at_least=1),
        _row(f"{what}: shortest task", min(durations), "s", at_least=0.1),
        _row(f"{what}: median task", float(np.median(durations)), "s"),
        _row(f"{what}: longest task", max(durations), "s"),
    ]


def _durations(workers: Workers, since: float) -> list[float]:
    """Return the times of the tasks of inverse dynamics or kinematics since then."""
    return [
        sum(part["stop"] - part["start"] for part in task["startstops"] if part["action"] == "compute")
        for task in workers.client.get_task_stream(start=since)
        if key_split(task["key"]) in ("InverseDynamics-panda", "Solve-panda")
    ]


def _killed(arm: cf.Robot, poses: int, two: Workers) -> list[dict[str, Any]]:
    """Kill one of two workers in the middle of the work."""
    pids = two.client.run(os.getpid)
    begin = time.perf_counter()
    expected = two.client.compute(_kinematics(arm, poses)).result()
    usual = time.perf_counter() - begin
    begin = time.perf_counter()
    later = two.client.compute(_kinematics(arm, poses))
    time.sleep(usual / 3)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    same = bool(np.array_equal(later.result(), expected))
    seconds = time.perf_counter() - begin
    what = f"{poses:.0e} poses, one of two workers killed"
    return [
        _row(f"{what}: time", seconds, "s"),
        _row(f"{what}: time without", usual, "s"),
        _row(f"{what}: equal to the last bit (1 is yes)", same, "", at_least=1),
    ]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["what", "value", "unit", "at_least", "met"])
        writer.writeheader()
        writer.writerows(rows)
    print(f"written to {path}")


def _row(what: str, value: float, unit: str, at_least: float | None = None) -> dict[str, Any]:
    """Print and return a figure with its target, if there is one."""
    value = float(value)
    met = None if at_least is None else bool(value >= at_least)
    verdict = "" if met is None else f"target at least {at_least:g} {'met' if met else 'MISSED'}"
    print(f"{what:76s} {value:11.4g} {unit:4s} {verdict}", flush=True)
    return {"what": what, "value": value, "unit": unit, "at_least": at_least, "met": met}
