"""What all parts of the bench share: the robot files, the forms, states, and results of the CPU."""

from __future__ import annotations

import json
import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import closedform as cf

DEVICE = os.environ.get("BENCH_DEVICE", "cuda")
"""Where tensors are; "cpu" serves rehearsals with a stand-in for PyTorch's CUDA."""

ARM = "iiwa14"
FORMS = {"ID": "inverse_dynamics", "M": "mass_matrix", "dID": "inverse_dynamics_derivatives"}
"""Short names of the forms that libraries are compared by."""

CHECKED = 256
"""Samples that are compared with the CPU before anything is timed."""

MEMORY = 30e9
"""Most bytes of arrays of one call."""


@dataclass(frozen=True)
class Job:
    """One run: its folder, the robots by name (the arm first), the sizes of batches."""

    folder: str
    robots: tuple[str, ...]
    sizes: tuple[int, ...]
    quick: bool

    def file(self, robot: str) -> Path:
        """Return the URDF that all libraries read."""
        return Path(self.folder) / f"{robot}.urdf"

    def load(self, robot: str) -> cf.Robot:
        """Return our robot of that file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cf.ModelWarning)
            return cf.load(self.file(robot))

    def save(self) -> None:
        """Write the job for the processes of its parts."""
        (Path(self.folder) / "job.json").write_text(json.dumps(asdict(self)))


def read_job(folder: str) -> Job:
    """Return the job of a folder."""
    given = json.loads((Path(folder) / "job.json").read_text())
    return Job(given["folder"], tuple(given["robots"]), tuple(given["sizes"]), given["quick"])


def prepared(folder: Path, files: Sequence[str], quick: bool) -> Job:
    """Write the robot files and the CPU's results for them."""
    sources = {ARM: ARM} | {Path(file).stem: file for file in files or ["humanoid"]}
    sizes = (1024, 65536, 2**20) if quick else tuple(4**k for k in range(4, 11))
    job = Job(str(folder), tuple(sources), sizes, quick)
    for name, source in sources.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            base_has_mass(cf.load(source).to_urdf(job.file(name)))
        robot = job.load(name)
        states = robot.random_state(np.random.default_rng(0), batch=CHECKED, order=2)
        results = {
            f"{short}{k}": each
            for short, form in FORMS.items()
            for k, each in enumerate(listed(getattr(robot, form)(*states[: inputs_of(form)])))
        }
        np.savez(folder / f"{name}.npz", q=states[0], qd=states[1], qdd=states[2], **results)
    job.save()
    return job


def base_has_mass(path: Path) -> None:
    """Give links without inertia one: unit at the base, which does not move, zero elsewhere.

    Other libraries ask for it.
    """
    document = ET.parse(path)
    root = document.getroot()
    children = {each.get("link") for each in root.iter("child")}
    for link in root.findall("link"):
        if link.find("inertial") is None:
            number = "0" if link.get("name") in children else "1"
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "origin", xyz="0 0 0", rpy="0 0 0")
            ET.SubElement(inertial, "mass", value=number)
            moments = dict.fromkeys(("ixx", "iyy", "izz"), number) | dict.fromkeys(("ixy", "ixz", "iyz"), "0")
            ET.SubElement(inertial, "inertia", moments)
    document.write(path)


def inputs_of(form: str) -> int:
    """Return how many of q, qd, qdd a form takes."""
    return 1 if form == "mass_matrix" else 3


def listed(results: Any) -> list[Any]:
    """Return one or several results as a list."""
    return list(results) if isinstance(results, tuple | list) else [results]


def reference(job: Job, robot: str, short: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the states that are checked, and the CPU's results of a form."""
    kept = np.load(Path(job.folder) / f"{robot}.npz")
    states = [kept[name] for name in ("q", "qd", "qdd")[: inputs_of(FORMS[short])]]
    return states, [kept[f"{short}{k}"] for k in range(2 if short == "dID" else 1)]


def error(ours: Sequence[Any], expected: Sequence[np.ndarray]) -> float:
    """Return the largest difference relative to the largest entry; infinite if shapes differ or NaN."""
    worst = 0.0
    for one, other in zip(ours, expected, strict=True):
        array = np.asarray(one, dtype=np.float64)
        if array.shape != other.shape or not np.isfinite(array).all():
            return float("inf")
        worst = max(worst, float(np.abs(array - other).max() / np.abs(other).max()))
    return worst


def moved(nv: int, short: str, count: int, dtype: str) -> int:
    """Return the bytes that a form must read and write."""
    size = np.dtype(dtype).itemsize
    entries = {"ID": 4 * nv, "M": nv + nv * nv, "dID": 3 * nv + 2 * nv * nv, "VJP": 7 * nv, "rates": 8 * nv}
    return entries[short] * count * size
