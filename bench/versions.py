"""`python -m bench.versions OLD [NEW]`: what a change costs, row by row.

OLD and NEW are checkouts of the project (NEW is this one). Each runs in processes of its own, with a
cache of its own; two at a time take turns on every row. A row's ratio is that of the shortest times over
several processes: where a process finds its memory changes large results by a third.
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
from collections.abc import Callable, Sequence
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
    calls = {name: call for name, call in rows().items() if _works(call)}
    if counted:
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


def _works(call: Callable[[], object]) -> bool:
    """Whether a version has a call; the first one compiles."""
    try:
        call()
    except TypeError:  # a way of calling that came later
        return False
    return True


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


def _counts(checkouts: Sequence[Path], caches: Sequence[str]) -> dict[str, list[float]]:
    """Return the instructions of every row in both versions, in thousands."""
    servers = [_server(*each, counted=True) for each in zip(checkouts, caches, strict=True)]
    found = {}
    for name in _common(servers):
        pairs = zip(servers, caches, strict=True)
        found[name] = [_instructions(server, name, cache) / 1e3 for server, cache in pairs]
    for server in servers:
        server.communicate()
    return found


def _times(
    checkouts: Sequence[Path], caches: Sequence[str], processes: int, rounds: int
) -> dict[str, list[float]]:
    """Return the shortest times of every row in both versions, in microseconds."""
    found: dict[str, list[float]] = {}
    for _ in range(processes):
        servers = [_server(*each) for each in zip(checkouts, caches, strict=True)]
        for name in _common(servers):
            times = np.array([[_asked(server, name) for server in servers] for _ in range(rounds)])
            best = times.min(axis=0) * 1e6
            found[name] = np.minimum(found.get(name, [np.inf, np.inf]), best).tolist()
        for server in servers:
            server.communicate()
    return found


def _common(servers: Sequence[subprocess.Popen[str]]) -> list[str]:
    """Return the rows that both versions have, once both are ready."""
    old, new = (server.stdout.readline().rstrip("\n").split("\t") for server in servers if server.stdout)
    return [name for name in new if name in old]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("old", type=Path, nargs="?", help="a checkout of the version to compare with")
    parser.add_argument("new", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--processes", type=int, default=5, help="processes of each version")
    parser.add_argument("--rounds", type=int, default=8, help="turns in each process")
    parser.add_argument("--instructions", action="store_true", help="count instructions (needs Valgrind)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.instructions)
        return 0
    if options.old is None:
        parser.error("give the checkout to compare with, for instance of `git worktree add ../old HEAD~1`")
    checkouts = (options.old.resolve(), options.new.resolve())
    unit, slower = ("thousand" if options.instructions else "us"), 0
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        if options.instructions:
            rows = _counts(checkouts, (a, b))
        else:
            rows = _times(checkouts, (a, b), options.processes, options.rounds)
    for name, (old, new) in rows.items():
        slower += new / old > ALLOWED
        verdict = f"  above {ALLOWED:g}" if new / old > ALLOWED else ""
        print(f"{name:40s} old {old:10.2f} {unit}  new {new:10.2f} {unit}  ratio {new / old:.3f}{verdict}")
    if not rows:
        raise SystemExit("versions: no row in common; see what the processes printed")
    mean = np.exp(np.mean([np.log(new / old) for old, new in rows.values()]))
    print(f"{slower} of {len(rows)} rows above {ALLOWED:g}; geometric mean of the ratios {mean:.3f}")
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
