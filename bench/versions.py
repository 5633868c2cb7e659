"""`python -m bench.versions OLD [NEW]`: what a change costs, row by row.

OLD and NEW are checkouts of the project (NEW is this one). Each runs in a process of its own, with a
cache of its own; the two take turns on every row, and a row's ratio is the median over the rounds.
Both compile every program in the same order of operations: the library otherwise times two orders of
a short program and may choose differently in the two processes.

With `--instructions` each row runs once under Valgrind's callgrind, and its machine instructions are
counted instead of timed: a busy machine changes nothing.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
ALLOWED = 1.02
"""Largest ratio of new to old that a row may take."""

FORMS = (
    "inverse_dynamics",
    "mass_matrix",
    "coriolis_matrix",
    "forward_dynamics",
    "gravity_torque",
    "center_of_mass",
    "com_jacobian",
    "kinetic_energy",
    "inverse_dynamics_derivatives",
    "dynamic_matrices_dot",
)
ARM_FORMS = ("regressor", "forward_dynamics_derivatives")
BATCH = {"Panda": 20_000, "UR5": 20_000, "Talos": 2_000}
COUNTED = 1_000
"""Single calls whose instructions are counted together."""


def rows() -> dict[str, Callable[[], object]]:
    """Return the calls to time, by name."""
    from oracles.timed_robots import humanoid, panda, ur5  # noqa: PLC0415 (loads the library, which the parent must not)

    calls: dict[str, Callable[[], object]] = {}
    for title, contest in (("Panda", panda), ("UR5", ur5), ("Talos", humanoid)):
        robot = contest().robot
        state = robot.random_state(0, batch=BATCH[title])
        inputs = dict(zip(("q", "qd", "qdd", "tau"), (*state, 10 * state[2]), strict=True))
        for name in (*FORMS, *(ARM_FORMS if title != "Talos" else ())):
            kernel = robot.kernel(name)
            outs = tuple(np.empty((BATCH[title], *shape)) for shape in kernel.output_shapes)
            out = outs if len(outs) > 1 else outs[0]
            calls[f"{title} {name}"] = partial(kernel, *(inputs[key] for key in kernel.input_names), out=out)
    robot = panda().robot
    q, qd, qdd = robot.random_state(0)
    kernel = robot.kernel("inverse_dynamics")
    tau = np.empty(robot.nv)
    calls["single call"] = partial(robot.inverse_dynamics, q, qd, qdd)
    calls["single call, gufunc"] = partial(kernel.ufunc, q, qd, qdd)
    calls["single call, out="] = partial(robot.inverse_dynamics, q, qd, qdd, out=tau)
    calls["single call, bound"] = kernel.bind(q, qd, qdd, out=tau)
    calls["single call, by name"] = partial(robot.inverse_dynamics, q, qd, qdd=qdd)
    calls["single call, frame"] = partial(robot.jacobian, q, robot.frame_names[-1])
    calls["single call, several outputs"] = partial(robot.dynamic_matrices, q, qd)
    calls["single call, rates"] = partial(robot.inverse_dynamics_rates, q, qd, qdd, qdd)
    few = robot.random_state(0, batch=3)
    calls["single call, batch of 3"] = partial(robot.inverse_dynamics, *few)
    calls["single call, batch of 3, several outputs"] = partial(robot.dynamic_matrices, *few[:2])
    return calls


def serve(counted: bool) -> None:
    """Time the rows asked for on standard input, one answer a line; counted rows have fixed repeats."""
    _fix_orders()
    calls = rows()
    if counted:
        for call in calls.values():
            call()
        print("\t".join(calls), flush=True)
        for line in sys.stdin:
            name = line.rstrip("\n")
            for _ in range(COUNTED if name.startswith("single") else 1):
                calls[name]()
            print(0.0, flush=True)
        return
    repeats = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        repeats[name] = max(1, int(0.02 / max(time.perf_counter() - start, 1e-7)))
    print("\t".join(calls), flush=True)
    for line in sys.stdin:
        name = line.rstrip("\n")
        call, count = calls[name], repeats[name]
        start = time.perf_counter()
        for _ in range(count):
            call()
        print((time.perf_counter() - start) / count, flush=True)


def _fix_orders() -> None:
    """Let every program be compiled in the first order, without timing the others."""
    for name in ("choice", "fastest_order"):  # the module's name has changed between versions
        try:
            module = importlib.import_module(f"closedform.kernels.{name}")
        except ModuleNotFoundError:
            continue
        module.ROUNDS = 0
        return
    raise SystemExit("versions: the module that chooses an order is not found; give its name here")


def _server(checkout: Path, cache: str, counted: bool = False) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "CLOSEDFORM_CACHE": cache}
    command = [sys.executable, "-m", "bench.versions", "--serve"]
    if counted:
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--smc-check=all-non-file"]
        command = [*valgrind, f"--callgrind-out-file={cache}/counts", *command, "--instructions"]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _asked(server: subprocess.Popen[str], name: str) -> float:
    assert server.stdin is not None
    assert server.stdout is not None
    print(name, file=server.stdin, flush=True)
    return float(server.stdout.readline())


def _instructions(server: subprocess.Popen[str], name: str, cache: str) -> float:
    """Return the instructions of a row."""
    for command in ("--zero", "--instr=on"):
        subprocess.run(["callgrind_control", command, str(server.pid)], check=True, capture_output=True)
    _asked(server, name)
    for command in ("--instr=off", "--dump"):
        subprocess.run(["callgrind_control", command, str(server.pid)], check=True, capture_output=True)
    newest = max(Path(cache).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
    totals = re.findall(r"^(?:totals|summary): (\d+)", newest.read_text(), re.MULTILINE)
    return float(totals[-1])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("old", type=Path, nargs="?", help="a checkout of the version to compare with")
    parser.add_argument("new", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--instructions", action="store_true", help="count instructions (needs Valgrind)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.instructions)
        return 0
    if options.old is None:
        parser.error("give the checkout to compare with, for instance of `git worktree add ../old HEAD~1`")
    slower = 0
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        counted = options.instructions
        servers = [
            _server(options.old.resolve(), a, counted),
            _server(options.new.resolve(), b, counted),
        ]
        names = [server.stdout.readline().rstrip("\n").split("\t") for server in servers if server.stdout]
        for name in (each for each in names[1] if each in names[0]):
            if counted:
                row = [_instructions(server, name, at) for server, at in zip(servers, (a, b), strict=True)]
                ratio, (old, new), unit = row[1] / row[0], (each / 1e3 for each in row), "thousand"
            else:
                times = np.array(
                    [[_asked(server, name) for server in servers] for _ in range(options.rounds)]
                )
                ratio, unit = float(np.median(times[:, 1] / times[:, 0])), "us"
                old, new = np.median(times, axis=0) * 1e6
            slower += ratio > ALLOWED
            verdict = f"  above {ALLOWED:g}" if ratio > ALLOWED else ""
            read = f"old {old:10.2f} {unit}  new {new:10.2f} {unit}"
            print(f"{name:40s} {read}  ratio {ratio:.3f}{verdict}", flush=True)
        for server in servers:
            server.communicate()
    print(f"{slower} rows above {ALLOWED:g}")
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
