"""Spoilt robot files end in a robot or a ClosedFormError, soon and in little memory; robots agree with peers.

Cases run in a process of their own, which a hang, a crash or a flood of memory ends: the case failed, and
the next one starts another process.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import tempfile
import time
import warnings
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import closedform as cf
from closedform.description.catalogue import read_toml
from closedform.model.writing import model_toml

from .file_mutations import SPOILED, spoiled_bytes
from .file_peers import AGREES, REFUSED, differs_from_mujoco, differs_from_pinocchio
from .file_seeds import seeds
from .outcome import Outcome

SECONDS = 5
MEMORY = 2**30
PATIENCE = 120
"""Seconds of waiting for a case that uses no time of its own, such as one that waits for a pipe."""

KINDS = ("urdf",) * 5 + ("toml",) * 3 + ("mjcf",) * 2
SUFFIX = {"urdf": ".urdf", "mjcf": ".xml", "toml": ".toml"}


def case(number: int, seed: int) -> tuple[str, bytes]:
    """Return the format and the bytes of a case."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choice(KINDS)
    text = rng.choice(seeds(kind))
    return kind, (spoiled_bytes if rng.random() < 0.1 else SPOILED[kind])(rng, text)


def attempt(number: int, seed: int, folder: Path) -> tuple[str, str]:
    """Return how a case ends, and its failure if it is one."""
    kind, data = case(number, seed)
    path = folder / f"robot{SUFFIX[kind]}"
    path.write_bytes(data)
    start = time.process_time()
    ending = failure = ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            robot = cf.load(path, floating_base=number % 7 == 0)
            ending = "warned" if told else "loaded"
        except cf.ClosedFormError as error:
            ending = "refused"
            if len(str(error)) > 60_000:
                failure = f"a message of {len(str(error))} letters"
    failure = _cleared() or failure
    if time.process_time() - start > SECONDS:
        failure = f"took {time.process_time() - start:.1f} s"
    if ending != "refused":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                text = model_toml(robot.model)
            except cf.ClosedFormError:
                text = ""  # files hold only inertias of rigid bodies
            try:
                saved = read_toml(text.encode(), "saved") if text else None
                again = cf.Robot.from_description(saved) if saved else robot
                if (again.name, again.joint_names, again.frame_names) != (
                    robot.name,
                    robot.joint_names,
                    robot.frame_names,
                ):
                    failure = "names do not survive a file"
            except cf.ClosedFormError as error:
                failure = f"cannot be read back: {error}"
    if ending == "loaded" and number % 7 and kind != "toml" and robot.model.has_inertia and robot.nv:
        if kind == "urdf":
            verdict = differs_from_pinocchio(path, robot, folder / "complaints", number)
        else:
            verdict = differs_from_mujoco(path, robot, number)
        ending = verdict if verdict in (AGREES, REFUSED) else "differs"
        failure = failure or (verdict if ending == "differs" else "")
    _cleared()  # of the peers
    return f"{kind} {ending}", failure


def _cleared() -> str:
    """Remove the files of the current folder, and say which there were."""
    names = os.listdir()
    for name in names:
        os.remove(name)
    return f"left {names} in the current folder" if names else ""


def serve(pipe: Connection, first: int, count: int, seed: int, folder: Path) -> None:
    """Run the cases from the first, and send the ending of each."""
    errors = os.open(folder / "complaints", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    (folder / "here").mkdir(exist_ok=True)
    os.chdir(folder / "here")
    attempt(0, seed, folder)  # imports everything
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    for number in range(first, count):
        signal.setitimer(signal.ITIMER_VIRTUAL, 4 * SECONDS)  # its signal ends the process, whatever it does
        try:
            ending, failure = attempt(number, seed, folder)
        except BaseException as error:
            ending, failure = "", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        pipe.send((number, ending, failure))
    pipe.close()


def run(count: int, seed: int) -> Outcome:
    """Run cases 0 to count - 1."""
    outcome = Outcome()
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        while outcome.tried < count:
            ours, theirs = context.Pipe(duplex=False)
            worker = context.Process(target=serve, args=(theirs, outcome.tried, count, seed, Path(folder)))
            worker.start()
            theirs.close()
            _collect(ours, outcome, count, seed)
            worker.kill()
            worker.join()
    return outcome


def _collect(pipe: Connection, outcome: Outcome, count: int, seed: int) -> None:
    """Add the endings that a process sends until it is done or dies, which is the failure of its case."""
    while outcome.tried < count:
        try:
            reason = "waits without end"
            if not pipe.poll(PATIENCE):
                raise EOFError
            reason = "ends the process (a crash, memory, or no end)"
            number, ending, failure = pipe.recv()
        except EOFError:
            number, ending, failure = outcome.tried, "", reason
        outcome.tried += 1
        if failure:
            outcome.failed(f"fuzz.files.case({number}, {seed}) {ending}: {failure}")
        else:
            outcome.endings[ending] += 1
        if not ending and failure == reason:
            return
