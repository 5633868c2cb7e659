"""Wrong arguments to every public callable: a result, or a ClosedFormError.

Valid arguments come from `fuzz.recipes`; one to three of them are replaced by values of
`fuzz.wrong_values`. Calls run in a process of their own with a bound on memory and on processor
time, so that a hang or a crash is a failure of its case and the next case goes on.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import multiprocessing
import os
import resource
import signal
import tempfile
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from closedform import FORMS, ClosedFormError
from closedform.elastic.catalogue import FORMS as ELASTIC
from closedform.flexible.catalogue import FORMS as FLEXIBLE
from closedform.loops.catalogue import FORMS as LOOPS

from .outcome import Outcome
from .recipes import HEAVY, recipes
from .verbs import verb_call
from .wrong_values import WRONG, MineError

SECONDS = 5.0
"""Processor time of one call, beyond which it hangs."""
WAIT = 120.0
"""Time without an answer, after which a process that does not even compute is given up."""
WARM = 1800.0
"""Time for the valid calls that come first, which compile their kernels if the cache is empty."""
MEMORY = 3 * 2**30
"""Bytes of address space that calls may add."""
VERBS = 0.01
"""Part of the cases that go through the command line."""
HELPERS = ("points", "adaptive_control", "momentum_observer", "cast")
"""Kernels beside the forms, and numbers made single, which warn as NumPy's functions do."""
LONGEST = 6000
"""Characters of a message."""


class HangError(BaseException):
    """A call used up its time; no handler of the package should catch it."""


def run(count: int, seed: int) -> Outcome:
    """Attack with that many calls."""
    outcome = Outcome()
    worker, k = None, 0
    while k < count:
        if worker is None:
            worker = _Worker(seed)
        answer = worker.ask(k)
        if answer is None:
            outcome.failed(f"case {k} (seed {seed}): {describe(seed, k)}: the process died or hangs")
            worker.stop()
            worker = None
        else:
            ending, problem = answer
            outcome.endings[ending] += 1
            if problem:
                outcome.failed(f"case {k} (seed {seed}): {problem}")
        outcome.tried += 1
        k += 1
    if worker is not None:
        worker.stop()
    return outcome


class _Worker:
    """A process that makes calls, one at a time."""

    def __init__(self, seed: int) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = context.Process(target=_serve, args=(theirs, seed, self.folder.name), daemon=True)
        self.process.start()
        theirs.close()
        with contextlib.suppress(EOFError):
            if self.pipe.poll(WARM):
                self.pipe.recv()

    def ask(self, k: int) -> tuple[str, str] | None:
        """Return how a case ended, None if the process is lost."""
        try:
            self.pipe.send(k)
            if self.pipe.poll(WAIT):
                answer: tuple[str, str] = self.pipe.recv()
                return answer
        except (EOFError, OSError):
            pass
        return None

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.folder.cleanup()


def _serve(pipe: Connection, seed: int, folder: str) -> None:
    os.chdir(folder)  # what calls write by relative names
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        faulthandler.disable()
        warm()
        used = _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
        signal.signal(signal.SIGPROF, _alarm)
        pipe.send(None)
        while True:
            try:
                k = pipe.recv()
            except EOFError:
                return
            pipe.send(attempt(seed, k))


def warm() -> None:
    """Make every valid call once, so that what they compile does not count as the time of a case."""
    for make in recipes().values():
        given = make()
        with warnings.catch_warnings(), contextlib.suppress(ClosedFormError):
            warnings.simplefilter("ignore")
            given.function(*given.positional, **given.named)


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")


def _alarm(*_: Any) -> None:
    raise HangError


Case = tuple[str, Callable[[], Any], str]
"""The name of what is called, the call, and what was wrong about it."""


def case(seed: int, k: int) -> Case:
    """Return case k of a seed."""
    rng = np.random.default_rng([seed, k])
    if rng.random() < VERBS:
        return verb_call(rng)
    table = recipes()
    weights = np.array([HEAVY.get(name, 1.0) for name in table])
    name = str(rng.choice(list(table), p=weights / weights.sum()))
    function, positional, named = table[name]()
    slots: list[int | str] = [*range(len(positional)), *named]
    replaced = []
    if slots:
        size = min(len(slots), int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15])))
        for at in rng.choice(len(slots), size, replace=False):
            slot, wrong = slots[int(at)], str(rng.choice(list(WRONG)))
            value = WRONG[wrong]()
            if isinstance(slot, int):
                positional[slot] = value
            else:
                named[slot] = value
            replaced.append(f"{slot} is {wrong}")
    return name, lambda: function(*positional, **named), ", ".join(replaced)


def describe(seed: int, k: int) -> str:
    """Return a case in words."""
    name, _, wrong = case(seed, k)
    return f"{name} where {wrong}"


def attempt(seed: int, k: int) -> tuple[str, str]:
    """Return how a case ended, and the problem if it is one."""
    name, function, wrong = case(seed, k)
    try:
        ending, problem = judged(function)
    except HangError:  # the time was up while another error was on its way
        ending, problem = "hang", f"takes more than {SECONDS:g} s"
    return ending, f"{name} where {wrong}: {problem}" if problem else ""


def judged(function: Callable[[], Any]) -> tuple[str, str]:
    """Call a function and return how it ended, and the problem if it is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            function()
        except HangError:
            return "hang", f"takes more than {SECONDS:g} s"
        except MineError:
            return "caller's error", ""
        except ClosedFormError as error:
            if len(str(error)) > LONGEST:
                return "error", f"a message of {len(str(error))} characters"
            ending = "refused"
        except BaseException as error:
            return "error", f"{type(error).__name__}: {str(error)[:150]}"
        else:
            ending = "result"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    for warning in caught:
        if not _known(warning):
            text = str(warning.message)[:150]
            where = f"{os.path.basename(warning.filename)}:{warning.lineno}"
            return "warning", f"{warning.category.__name__}: {text} ({where})"
    return ending, ""


def _known(warning: warnings.WarningMessage) -> bool:
    """Return whether a warning is the package's, or one that a kernel gives as NumPy's functions do."""
    if warning.category.__module__.startswith("closedform"):
        return True
    names = {*FORMS, *FLEXIBLE, *ELASTIC, *LOOPS, *HELPERS}
    _, _, name = str(warning.message).partition(" encountered in ")
    return warning.category is RuntimeWarning and name in names
