"""Many logs at once: identification on two dask workers against one; about four minutes, `--quick` one."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import closedform as cf
from bench.scale import Workers, _row, _workers

ARM = "puma560"
RATE = 100
SECONDS = 60
FULL, QUICK = 1000, 60
"""Logs of the whole measurement and of the short one."""

SOME = 20
"""Logs that are identified in this process too, to compare with."""

FASTER = 1.7
"""How much faster two workers should be than one."""

EQUAL = 1e-10
"""Largest difference of the parameters, over the largest of them, that counts as none."""


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return one row per figure: times, their ratio, and how far results differ."""
    count = QUICK if quick else FULL
    robot = cf.load(ARM)
    load = os.getloadavg()[0]
    rows = [_row("load of the machine before (processes that want a core)", load, "")]
    if load > 0.5:
        print("other processes run: the ratio below is too small", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        size = write_logs(robot, Path(folder), count)
        rows.append(_row(f"{count} logs of {SECONDS} s at {RATE} Hz written: size", size / 1e6, "MB"))
        rows.append(_row(f"{count} logs written: time", time.perf_counter() - begin, "s"))
        every, some = f"{folder}/*.npz", f"{folder}/log00[0-{SOME // 10 - 1}]?.npz"
        found, part, seconds, spent = {}, {}, {}, {}
        with _workers(1) as one, _workers(2) as two:
            for words, workers in (("one worker", one), ("two workers", two)):
                part[words] = _fitted(robot, some, workers)  # workers load everything
                begin, before = time.perf_counter(), _processor(workers)
                found[words] = _fitted(robot, every, workers)
                seconds[words] = time.perf_counter() - begin
                rows.append(_row(f"{count} logs: {words}", seconds[words], "s"))
                spent[words] = [
                    after - start for after, start in zip(_processor(workers), before, strict=True)
                ]
                here, *there = spent[words]
                rows.append(_row(f"{count} logs: {words}, processor of this process", here, "s"))
                rows.append(_row(f"{count} logs: {words}, processor of the busiest worker", max(there), "s"))
        plain = _fitted(robot, some, None)
    ratio = seconds["one worker"] / seconds["two workers"]
    rows.append(_row(f"{count} logs: two workers are faster by", ratio, "x", at_least=FASTER))
    times = [here + max(there) for here, *there in (spent["one worker"], spent["two workers"])]
    rows.append(
        _row(f"{count} logs: the same by processor times, one after the other", times[0] / times[1], "x")
    )
    far = _difference(found["one worker"], found["two workers"])
    rows.append(_row(f"{count} logs: one and two workers differ by", far, ""))
    here = max(_difference(each, plain) for each in part.values())
    rows.append(_row(f"{SOME} logs: workers and this process differ by", here, ""))
    rows.append(_row(f"equal to {EQUAL:g} (1 is yes)", max(far, here) <= EQUAL, "", at_least=1))
    plain = found["two workers"]
    rows.append(_row(f"{count} logs: torque error left out", 100 * plain.cross_validation.total, "%"))
    return rows


def _processor(workers: Workers) -> list[float]:
    """Return the processor time of this process, which has the scheduler, and of each worker so far."""
    return [time.process_time(), *workers.client.run(time.process_time).values()]


def _difference(one: cf.identification.Identification, other: cf.identification.Identification) -> float:
    """Return how far parameters and their errors differ, over the largest of each."""
    pairs = ((one.values, other.values), (one.standard_errors, other.standard_errors))
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


def write_logs(robot: cf.Robot, folder: Path, count: int) -> int:
    """Write simulated logs with friction and 1 % torque noise in single precision, and return their bytes."""
    t = np.arange(SECONDS * RATE) / RATE
    w = 2 * np.pi * 0.1 * np.arange(1, 9)
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    total = 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, len(w), robot.nv)) / 4
        q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b
        tau = robot.inverse_dynamics(q, qd, qdd) + 0.8 * qd + 0.5 * np.sign(qd)
        tau += 0.01 * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
        path = folder / f"log{seed:04d}.npz"
        np.savez(path, t=t, q=q.astype(np.float32), tau=tau.astype(np.float32))
        total += path.stat().st_size
    return total


def _fitted(robot: cf.Robot, logs: str, workers: Workers | None) -> cf.identification.Identification:
    return cf.identify(robot, logs, client=None if workers is None else workers.client)
