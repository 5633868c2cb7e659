"""Attacks on the cache of object code: what is not the very object of its key is never run.

A folder with three kernels is damaged in one way per case. Loading must give the object or nothing,
and evaluation the right numbers; every so often in a process of its own.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np

import closedform as cf
from closedform.kernels import cache

from .outcome import Outcome

FORMS = ("gravity_torque", "mass_matrix", "pose")
Q = np.linspace(-1, 1, 22).reshape(11, 2)

EVALUATED, ELSEWHERE = 5, 23
"""One case in this many is evaluated here, and one in a process of its own."""

PATIENCE = 20.0
"""Seconds until a load counts as hanging."""

SCRIPT = f"""
import sys, warnings
import numpy as np, closedform as cf
warnings.simplefilter("ignore")
robot = cf.load("2r")
q = np.linspace(-1, 1, 22).reshape(11, 2)
sys.stdout.buffer.write(b"".join(getattr(robot, form)(q).tobytes() for form in {FORMS!r}))
"""


class Place:
    """A cache folder with the objects of three kernels, one of which is the target."""

    def __init__(self, folder: Path, good: dict[str, bytes], rng: np.random.Generator) -> None:
        self.folder, self.good, self.rng = folder, good, rng
        folder.mkdir(mode=0o700)
        for key, data in good.items():
            descriptor = os.open(folder / f"{key}.o", os.O_WRONLY | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        keys = list(good)
        self.key, self.other = (keys[k] for k in rng.permutation(len(keys))[:2])
        self.path = folder / f"{self.key}.o"
        self.uid: int | None = None

    def write(self, data: bytes) -> None:
        """Put other bytes in place of the target."""
        self.path.write_bytes(data)

    def instead(self, make: Callable[[Path], object]) -> None:
        """Put something else in place of the target."""
        self.path.unlink()
        make(self.path)


def _swap(it: Place) -> None:
    it.write(it.good[it.other])


def _other_code(it: Place) -> None:
    it.write(it.good[it.key][: cache.HEAD] + it.good[it.other][cache.HEAD :])


def _truncated(it: Place) -> None:
    it.write(it.good[it.key][: it.rng.integers(len(it.good[it.key]))])


def _flipped(it: Place) -> None:
    data = bytearray(it.good[it.key])
    for _ in range(it.rng.integers(1, 4)):
        data[it.rng.integers(len(data))] ^= 1 << int(it.rng.integers(8))
    it.write(bytes(data))


def _longer(it: Place) -> None:
    it.write(it.good[it.key] + it.rng.bytes(int(it.rng.integers(1, 100))))


def _noise(it: Place) -> None:
    it.write(it.rng.bytes(int(it.rng.integers(5000))))


def _foreign_file(it: Place) -> None:
    if os.getuid() == 0:
        os.chown(it.path, 12345, -1)
    else:
        it.uid = os.getuid() + 1


def _foreign_folder(it: Place) -> None:
    if os.getuid() == 0:
        os.chown(it.folder, 12345, -1)
    else:
        it.uid = os.getuid() + 1


def _foreign_user(it: Place) -> None:
    it.uid = os.getuid() + 1


def _writable_file(it: Place) -> None:
    os.chmod(it.path, 0o600 | int(it.rng.choice([0o020, 0o002, 0o022, 0o066])))


def _writable_folder(it: Place) -> None:
    os.chmod(it.folder, 0o700 | int(it.rng.choice([0o020, 0o002, 0o077, 0o1077])))


def _pipe(it: Place) -> None:
    it.instead(os.mkfifo)


def _folder_for_file(it: Place) -> None:
    it.instead(os.mkdir)


def _socket(it: Place) -> None:
    def bind(path: Path) -> None:
        here = os.getcwd()
        os.chdir(path.parent)  # names of sockets are short
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path.name)
        finally:
            os.chdir(here)

    it.instead(bind)


def _link(it: Place) -> None:
    targets = (f"{it.other}.o", "nowhere", it.path.name, "/dev/zero", "/dev/tty", "/etc/passwd")
    it.instead(lambda path: os.symlink(str(it.rng.choice(targets)), path))


def _sparse(it: Place) -> None:
    with it.path.open("r+b") as file:
        file.truncate(2**33)


def _file_for_folder(it: Place) -> None:
    it.folder.rename(it.folder.with_name("aside"))
    make = (os.mkfifo, Path.touch, lambda path: os.symlink(path.name, path))[it.rng.integers(3)]
    make(it.folder)


def _leftovers(it: Place) -> None:
    for k in range(3):
        name = it.folder / f"{cache.TEMPORARY}{2**22 + k}-abc.tmp"  # beyond the largest process number
        name.write_bytes(it.good[it.key][:-k])
        old = it.folder / f"tmp{k}.tmp"
        old.write_bytes(b"x" * 100)
        os.utime(old, (1, 1))


def _nothing(it: Place) -> None:
    pass


ATTACKS: dict[str, Callable[[Place], None]] = {
    attack.__name__.strip("_"): attack
    for attack in (
        _swap,
        _other_code,
        _truncated,
        _flipped,
        _longer,
        _noise,
        _foreign_file,
        _foreign_folder,
        _foreign_user,
        _writable_file,
        _writable_folder,
        _pipe,
        _folder_for_file,
        _socket,
        _link,
        _sparse,
        _file_for_folder,
        _leftovers,
        _nothing,
    )
}

KEPT = ("leftovers", "nothing")
"""After these the object is there and whole."""

# ------------------------------------------------------------------ cases


def evaluate() -> bytes:
    """Return the numbers of kernels that are new to this process."""
    robot = cf.load("2r")
    return b"".join(getattr(robot, form)(Q).tobytes() for form in FORMS)


def _elsewhere() -> bytes:
    environment = {**os.environ, "PYTHONPATH": str(Path(cf.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, timeout=120, check=False, env=environment
    )
    return done.stdout if done.returncode == 0 else done.stderr[-200:]


def _in_time(work: Callable[[], object]) -> list[object]:
    """Return what `work` gives as the only entry, or an empty list if it hangs."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found


def _wrong(it: Place, attack: str, right: bytes, number: int) -> str:
    """Return what is wrong in an attacked folder, or nothing."""
    loaded = _in_time(lambda: cache.load(it.key))
    if not loaded:
        return "the load hangs"
    if loaded[0] is not None and (attack not in KEPT or loaded[0] != it.good[it.key][cache.HEAD :]):
        return "an object was loaded that is not to be trusted"
    if attack in KEPT and loaded[0] is None:
        return "a good object was not loaded"
    if number % EVALUATED == 0 and evaluate() != right:
        return "wrong numbers"
    if number % ELSEWHERE == 0 and it.uid is None and (given := _elsewhere()) != right:
        return f"wrong in another process: {given[-80:]!r}"
    if attack == "leftovers":
        cache.save(it.other, b"another")
        if list(it.folder.glob("*.tmp")):
            return "files of killed processes are left"
    return ""


def run(count: int, seed: int) -> Outcome:
    """Attack a cache folder in every way in turn."""
    outcome = Outcome()
    known = os.environ.get("CLOSEDFORM_CACHE")
    names = list(ATTACKS)
    with tempfile.TemporaryDirectory() as top, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about refused folders
        os.environ["CLOSEDFORM_CACHE"] = f"{top}/first"
        try:
            right = evaluate()
            good = {path.stem: path.read_bytes() for path in Path(top, "first").glob("*.o")}
            for number in range(count):
                attack = names[number % len(names)]
                folder = Path(top, str(number), "cache")
                folder.parent.mkdir()
                os.environ["CLOSEDFORM_CACHE"] = str(folder)
                it = Place(folder, good, np.random.default_rng((seed, number)))
                ATTACKS[attack](it)
                with mock.patch.object(os, "getuid", return_value=os.getuid() if it.uid is None else it.uid):
                    wrong = _wrong(it, attack, right, number)
                outcome.tried += 1
                outcome.endings[attack] += 1
                if wrong:
                    outcome.failed(f"{attack}: {wrong} (seed {seed}, case {number})")
        finally:
            if known is None:
                del os.environ["CLOSEDFORM_CACHE"]
            else:
                os.environ["CLOSEDFORM_CACHE"] = known
    return outcome
