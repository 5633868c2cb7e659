"""One sample at a time: methods and bound calls against Pinocchio called from Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pinocchio as pin

from oracles.timed_robots import panda

from .timing import interleaved


def latency() -> list[dict[str, Any]]:
    """Return single-call times of the Panda's inverse dynamics, in nanoseconds."""
    contest = panda()
    robot, model = contest.robot, contest.model
    data = model.createData()
    q, qd, qdd = robot.random_state(0)
    out = np.empty(robot.nv)
    bound = robot.kernel("inverse_dynamics").bind(q, qd, qdd, out=out)
    gufunc = robot.kernel("inverse_dynamics").ufunc
    p = contest.peer.q(q)
    times = interleaved(
        {
            "pinocchio Python": lambda: pin.rnea(model, data, p, qd, qdd),
            "method": lambda: robot.inverse_dynamics(q, qd, qdd),
            "gufunc": lambda: gufunc(q, qd, qdd),
            "bound": bound,
        }
    )
    rows = []
    for who, target in (("method", 0.6), ("gufunc", None), ("bound", 0.35)):
        ratio = times[who] / times["pinocchio Python"]
        verdict = "" if target is None else f"target {target} {'met' if ratio <= target else 'MISSED'}"
        print(
            f"single call, {who:7s} {times[who] * 1e9:7.0f} ns, "
            f"{ratio:.2f} of Pinocchio's {times['pinocchio Python'] * 1e9:.0f} ns  {verdict}"
        )
        rows.append({"what": who, "ns": times[who] * 1e9, "ratio": ratio})
    return rows


def threads() -> list[dict[str, Any]]:
    """Return the gain of two threads on a batch of a million, and what the machine gives at best.

    The best is two threads that do the same work on halves of their own, ten times without a stop.
    """
    robot = panda().robot
    q, qd, qdd = robot.random_state(0, batch=1_000_000)
    kernel = robot.kernel("inverse_dynamics")
    out = np.empty(q.shape)
    half = len(q) // 2

    def again(k: int, repeats: int) -> None:
        part = slice(k * half, (k + 1) * half)
        for _ in range(repeats):
            kernel(q[part], qd[part], qdd[part], out=out[part])

    with ThreadPoolExecutor(2) as pool:
        times = interleaved(
            {
                "one": lambda: kernel(q, qd, qdd, out=out),
                "two": lambda: kernel(q, qd, qdd, out=out, threads=2),
                "one, on and on": lambda: again(0, 20),
                "two, on and on": lambda: list(pool.map(again, (0, 1), (10, 10))),
            },
            seconds=3,
        )
    gain, best = times["one"] / times["two"], times["one, on and on"] / times["two, on and on"]
    verdict = "met" if gain >= 1.7 else "MISSED"
    print(
        f"two threads on 1e6 samples: {gain:.2f}x one ({os.cpu_count()} cores; ten halves each {best:.2f}x)  "
        f"target 1.7x {verdict}"
    )
    return [{"what": "two threads", "gain": gain, "ten halves each": best}]


def memory() -> list[dict[str, Any]]:
    """Return what a batch of a million inverse dynamics allocates beyond its output, in MB."""
    robot = panda().robot
    q, qd, qdd = robot.random_state(0, batch=1_000_000)
    robot.inverse_dynamics(q[:10], qd[:10], qdd[:10])
    tracemalloc.start()
    result = robot.inverse_dynamics(q, qd, qdd)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    beyond = (peak - result.nbytes) / 1e6
    print(f"1e6 samples: the output ({result.nbytes / 1e6:.0f} MB) and {beyond:.3f} MB more  target 10 MB")
    return [{"what": "memory beyond output", "MB": beyond}]


SCRIPT = """
import time
start = time.perf_counter()
import closedform as cf
imported = time.perf_counter()
robot = cf.load({robot!r})
loaded = time.perf_counter()
q, qd, qdd = robot.random_state(0)
ready = time.perf_counter()
robot.inverse_dynamics(q, qd, qdd)
print(imported - start, loaded - imported, time.perf_counter() - ready)
"""


def start() -> list[dict[str, Any]]:
    """Return import, load and first-call times in fresh processes, with an empty and a full cache."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CLOSEDFORM_CACHE": folder}
        times = []
        for _ in range(6):
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT.format(robot="panda")],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            times.append([float(word) for word in done.stdout.split()])
    cold, warm = times[0], np.median(times[1:], axis=0)
    for what, value, target in (
        ("import", warm[0], 0.5),
        ("load", warm[1], None),
        ("first call, empty cache", cold[2], 1.0),
        ("first call, from cache", warm[2], 0.05),
    ):
        verdict = "" if target is None else f"target {target} s {'met' if value < target else 'MISSED'}"
        print(f"{what:24s} {value * 1e3:7.1f} ms  {verdict}")
        rows.append({"what": what, "s": float(value)})
    return rows
