"""A public log: what its recordings are, where its files are found on this machine, and how they read.

A log is found under `CLOSEDFORM_DATA` (by default ../shared/data beside the checkout, a folder per log), or
in a clone of its repository under `CLOSEDFORM_LOGS`: a folder of checkouts or bare mirrors called OWNER+NAME,
OWNER+NAME/repo, OWNER/NAME or NAME. Nothing is downloaded, and none of these files belongs to this project.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import closedform as cf
from closedform.arrays import Array
from closedform.identification import Log, read_log


@dataclass(frozen=True)
class Recording:
    """One motion: a file, or one file per quantity, by their paths in the repository.

    `part` is the part of the file that is used, from and to as fractions of its duration. `payload` is the
    mass in kg that the last body carries. A recording is `flat` if its files have a number per line, joint
    after joint, and `across` if they have a line per joint, and further lines behind those.
    """

    files: str | Mapping[str, str]
    part: tuple[float, float] = (0.0, 1.0)
    payload: float = 0.0
    flat: bool = False
    across: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its files."""
        return (self.files,) if isinstance(self.files, str) else tuple(self.files.values())


@dataclass(frozen=True)
class Geometry:
    """A robot by its modified Denavit-Hartenberg rows (sigma, alpha, d, theta, r), without inertias."""

    rows: tuple[tuple[float, float, float, float, float], ...]


@dataclass(frozen=True)
class PublicLog:
    """A log by name: its repository and licence, the robot, its recordings and how to read them.

    `robot` is a path in the repository, the catalogue's name, or a `Geometry`. `reading` are options of
    `read_log`: what the log's documents say of columns, units, rate, gears and drive gains. `cutoff` (Hz) was
    chosen by hand for the plain pipeline, and all predictions are compared after a filter with it. `fit` and
    `held` name the recordings that are fitted and predicted. `moving` are the joints that are identified, if
    not all; the others are locked, where `locked` says or at zero. `further` are torques per joint and unit
    parameter (rows, joints, 1) as functions of the positions, such as of a counterbalance. `tuned` says
    whether this project chose any of its defaults with an eye on the log. `commit` is the one whose files are
    read from a bare mirror; later ones may have dropped them.
    """

    name: str
    what: str
    repository: str
    licence: str
    robot: str | Geometry
    recordings: Mapping[str, Recording]
    fit: str
    held: tuple[str, ...]
    cutoff: float
    reading: Mapping[str, Any] = field(default_factory=dict)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    moving: tuple[str, ...] = ()
    locked: Mapping[str, float] = field(default_factory=dict)
    further: tuple[Callable[[Array], Array], ...] = ()
    tuned: bool = False
    notes: str = ""
    commit: str = "HEAD"

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths of the log, that of the robot included."""
        own = [path for name in (self.fit, *self.held) for path in self.recordings[name].paths]
        return tuple(dict.fromkeys([*([self.robot] if self._described else []), *own]))

    @property
    def _described(self) -> bool:
        return isinstance(self.robot, str) and "." in self.robot

    def load_robot(self) -> cf.Robot:
        """Return the robot as described, with gravity along the axis that the log's documents give."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cf.ModelWarning)
            if isinstance(self.robot, Geometry):
                return cf.Robot.from_mdh(self.robot.rows, name=self.name, gravity=self.gravity)
            where = found(self, self.robot) if self._described else self.robot
            robot = cf.load(where, gravity=self.gravity)
            still = [name for name in robot.joint_names if self.moving and name not in self.moving]
            return robot.locked({name: self.locked.get(name, 0.0) for name in still}) if still else robot

    def read(self, recording: str, robot: cf.Robot) -> Log:
        """Return a recording, in SI units on the joint side."""
        chosen = self.recordings[recording]
        source = _source(self, chosen, robot.nv)
        log = read_log(source, robot, **self.reading)
        if chosen.part == (0.0, 1.0):
            return log
        start, stop = (float(log.time[0] + part * log.duration) for part in chosen.part)
        return read_log(source, robot, **{**self.reading, "window": (start, stop)})


def _source(log: PublicLog, chosen: Recording, joints: int) -> Any:
    """Return what `read_log` takes: paths, or the arrays of files that are flat or across."""
    if isinstance(chosen.files, str):
        return found(log, chosen.files)
    paths = {quantity: found(log, path) for quantity, path in chosen.files.items()}
    if chosen.across:
        lines = {quantity: np.loadtxt(path, delimiter=",") for quantity, path in paths.items()}
        return {quantity: x[:joints].T for quantity, x in lines.items()}
    if not chosen.flat:
        return paths
    numbers = {quantity: np.loadtxt(path) for quantity, path in paths.items()}
    return {name: x if name == "time" else x.reshape(-1, joints) for name, x in numbers.items()}


def missing(log: PublicLog) -> tuple[str, ...]:
    """Return the paths of a log that are not here."""
    return tuple(path for path in log.paths if _found(log.name, log.repository, path, log.commit) is None)


def found(log: PublicLog, path: str) -> Path:
    """Return a file of a log on this machine; that of a bare mirror is copied to a temporary folder."""
    where = _found(log.name, log.repository, path, log.commit)
    if where is None:
        raise FileNotFoundError(
            f"log {log.name!r}: no {path} at {log.commit}; clone {log.repository} into the folder that "
            "CLOSEDFORM_LOGS names"
        )
    return where


def data_folder() -> Path:
    """Return the folder with a folder per log."""
    return Path(os.environ.get("CLOSEDFORM_DATA", Path(__file__).parents[2] / "shared" / "data"))


@cache
def _found(name: str, repository: str, path: str, commit: str) -> Path | None:
    local = data_folder() / name / Path(path).name
    if local.is_file():
        return local
    for clone in _clones(repository):
        if (clone / path).is_file():
            return clone / path
        shown = subprocess.run(
            ["git", "-C", str(clone), "show", f"{commit}:{path}"], capture_output=True, check=False
        )
        if shown.returncode == 0:
            copy = _copies() / name / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(shown.stdout)
            return copy
    return None


def _clones(repository: str) -> Iterator[Path]:
    """Yield the folders that may be a clone of a repository."""
    root = os.environ.get("CLOSEDFORM_LOGS")
    if not root:
        return
    owner, name = repository.split("/")
    for folder in (f"{owner}+{name}", f"{owner}+{name}/repo", repository, name, f"{name}.git"):
        where = Path(root) / folder
        if (where / ".git").exists() or (where / "HEAD").is_file():
            yield where


@cache
def _copies() -> Path:
    """Return a folder for files out of bare mirrors, removed at the end of the process."""
    folder = tempfile.mkdtemp(prefix="closedform-logs-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
