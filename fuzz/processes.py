"""Processes started while a thread compiles, killed while they write, and many at once on a cold cache.

No child may hang or give another number, and no kill may leave an object behind that is loaded and wrong.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import closedform as cf
from closedform.kernels import cache

from .outcome import Outcome

PATIENCE = 120.0
"""Seconds until a child counts as hanging."""

METHODS = ("fork", "fork", "fork", "spawn", "forkserver")
KILLS = 2
"""Killed processes per case."""

CROWD = 24
FORMS = ("gravity_torque", "mass_matrix", "pose")
Q = np.linspace(-1, 1, 22).reshape(11, 2)


def evaluate() -> bytes:
    """Return numbers of kernels that are new to this process."""
    robot = cf.load("2r")
    return b"".join(getattr(robot, form)(Q, threads=2).tobytes() for form in FORMS)


def child(right: bytes) -> None:
    """Compile and evaluate; the exit status tells whether the numbers are right."""
    os._exit(0 if evaluate() == right else 3)


@contextmanager
def environment(**changes: str) -> Iterator[None]:
    """Set environment variables for a while."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def compiling() -> Iterator[None]:
    """Let a thread compile one kernel after the other."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            for form in ("mass_matrix", "inverse_dynamics"):
                cf.load("panda").kernel(form)
                cf.load("2r").kernel(form)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _ended(pid: int) -> int | None:
    """Return the status of a child, or None if it hangs and was killed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _forked(work: Callable[[], None]) -> int:
    """Return the number of a forked child that does some work and ends."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(4)
    return pid


def _started(method: str, right: bytes) -> str:
    """Start a child by one of multiprocessing's methods; return what is wrong."""
    if method == "fork":
        status = _ended(_forked(lambda: child(right)))
        return "" if status == 0 else "hangs" if status is None else f"ends with status {status}"
    process = multiprocessing.get_context(method).Process(target=child, args=(right,))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
        return "hangs"
    return "" if process.exitcode == 0 else f"ends with status {process.exitcode}"


def _killed(folder: Path, rng: np.random.Generator, codes: dict[str, bytes]) -> str:
    """Kill a process while it writes objects; return what is wrong with the folder then."""

    def write() -> None:
        while True:
            for key, code in codes.items():
                cache.save(key, code)

    pid = _forked(write)
    time.sleep(float(rng.uniform(0.0, 0.02)))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    for key, code in codes.items():
        if cache.load(key) not in (None, code):
            return "a damaged object was loaded"
    cache.save(next(iter(codes)), codes[next(iter(codes))])
    return "files of killed processes are left" if list(folder.glob("*.tmp")) else ""


def run(count: int, seed: int) -> Outcome:
    """Start, kill and crowd processes."""
    outcome = Outcome()

    def note(what: str, wrong: str) -> None:
        outcome.tried += 1
        outcome.endings[what] += 1
        if wrong:
            outcome.failed(f"{what}: {wrong} (seed {seed}, case {outcome.tried})")

    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as top:
        warnings.simplefilter("ignore")  # forking with threads is what this is about
        with environment(CLOSEDFORM_CACHE=""):
            right = evaluate()
            with compiling():
                for number in range(count):
                    time.sleep(float(rng.uniform(0, 0.1)))
                    method = METHODS[number % len(METHODS)]
                    note(method, _started(method, right))
        with environment(CLOSEDFORM_CACHE=f"{top}/killed"):
            codes = {cache.key(str(k)): rng.bytes(200_000) for k in range(5)}
            for _ in range(KILLS * count):
                note("kill", _killed(Path(top, "killed"), rng, codes))
        with environment(CLOSEDFORM_CACHE=f"{top}/crowd"):
            crowd = [_forked(lambda: child(right)) for _ in range(min(CROWD, max(4, count)))]
            for pid in crowd:
                status = _ended(pid)
                note("crowd", "" if status == 0 else f"ends with status {status}")
            if len(list(Path(top, "crowd").iterdir())) != len(FORMS):
                outcome.failed("crowd: other files than one per kernel")
    return outcome
