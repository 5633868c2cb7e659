"""One sample at a time: methods and bound calls against Pinocchio called from Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pinocchio as pin

from oracles.timed_robots import panda

from .timing import interleaved

Call = Callable[[], object]

TARGET = 0.4
"""A call of any shape, in parts of Pinocchio's Python call of the same quantity."""


def latency() -> list[dict[str, Any]]:
    """Return single-call times of the Panda in nanoseconds, for calls of every shape."""
    rows = []
    for what, peer, ours in _contests():
        times = interleaved({"peer": peer, **ours}, seconds=0.7)
        for who, seconds in times.items():
            if who == "peer":
                continue
            ratio = seconds / times["peer"]
            target = {"gufunc": None, "frame, spelled anew": None, "bound": 0.35}.get(who, TARGET)
            verdict = "" if target is None else f"target {target} {'met' if ratio <= target else 'MISSED'}"
            print(
                f"single call, {f'{what}, {who}':44s} {seconds * 1e9:6.0f} ns, "
                f"{ratio:.2f} of Pinocchio's {times['peer'] * 1e9:.0f} ns  {verdict}"
            )
            rows.append({"what": f"{what}, {who}", "ns": seconds * 1e9, "ratio": ratio})
    return rows


def _contests() -> Iterator[tuple[str, Call, dict[str, Call]]]:
    """Yield a quantity, Pinocchio's call of it, and ours by their shape."""
    contest = panda()
    robot, model = contest.robot, contest.model
    data = model.createData()
    q, qd, qdd = robot.random_state(0)
    single = [x.astype(np.float32) for x in (q, qd, qdd)]
    p = contest.peer.q(q)
    name = robot.frame_names[-1]
    number = model.getFrameId(name)
    tau, J = np.empty(robot.nv), np.empty((6, robot.nv))
    pair = np.empty((robot.nv, robot.nv)), np.empty((robot.nv, robot.nv))
    kernel = robot.kernel("inverse_dynamics")
    gufunc = kernel.ufunc

    def pose() -> object:
        pin.forwardKinematics(model, data, p)
        return pin.updateFramePlacement(model, data, number)

    yield (
        "inverse dynamics",
        lambda: pin.rnea(model, data, p, qd, qdd),
        {
            "plain": lambda: robot.inverse_dynamics(q, qd, qdd),
            "out": lambda: robot.inverse_dynamics(q, qd, qdd, out=tau),
            "by name": lambda: robot.inverse_dynamics(q=q, qd=qd, qdd=qdd),
            "float32": lambda: robot.inverse_dynamics(*single),
            "gufunc": lambda: gufunc(q, qd, qdd),
            "bound": kernel.bind(q, qd, qdd, out=tau),
        },
    )
    yield (
        "gravity",
        lambda: pin.computeGeneralizedGravity(model, data, p),
        {"plain": lambda: robot.gravity_torque(q), "by name": lambda: robot.gravity_torque(q=q)},
    )
    yield (
        "frame Jacobian",
        lambda: pin.computeFrameJacobian(model, data, p, number),
        {
            "frame": lambda: robot.jacobian(q, name),
            "frame by name": lambda: robot.jacobian(q, frame=name),
            "frame, spelled anew": lambda: robot.jacobian(q, f"{name:s}"),
            "frame, reference": lambda: robot.jacobian(q, frame=name, reference="world"),
            "frame, out": lambda: robot.jacobian(q, name, out=J),
        },
    )
    yield "frame pose", pose, {"frame": lambda: robot.pose(q, name)}
    yield (
        "kinetic energy (a number)",
        lambda: pin.computeKineticEnergy(model, data, p, qd),
        {"plain": lambda: robot.kinetic_energy(q, qd)},
    )
    yield (
        "derivatives (two arrays)",
        lambda: pin.computeRNEADerivatives(model, data, p, qd, qdd),
        {
            "plain": lambda: robot.inverse_dynamics_derivatives(q, qd, qdd),
            "out": lambda: robot.inverse_dynamics_derivatives(q, qd, qdd, out=pair),
        },
    )


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
