"""Start-up time of a kernel without and with the cache, and the machine all times belong to."""

from __future__ import annotations

import contextlib
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ... import __version__
from ...kernels import FormRecipe, Kernel, machine
from ...model import Model
from ..section import Section
from .robot_study import Study


@dataclass(frozen=True)
class Machine:
    """Where the report was made."""

    cpu: str
    cores: int
    lanes: int
    system: str
    python: str
    numpy: str
    closedform: str


@dataclass(frozen=True)
class StartupFacts:
    """Seconds until a form is ready for its first call."""

    form: str
    cold: float
    cached: float
    machine: Machine

    @property
    def gain(self) -> float:
        """How many times sooner the cached kernel is ready."""
        return self.cold / self.cached


def gather(study: Study) -> StartupFacts:
    """Return the times of inverse dynamics, or of the pose if the robot has no inertias."""
    model = study.robot.model
    name = "inverse_dynamics" if model.has_inertia else "pose"
    with _empty_cache():
        cold = _seconds(model, name)
        cached = min(_seconds(model, name) for _ in range(3))
    return StartupFacts(name, cold, cached, this_machine())


def this_machine() -> Machine:
    """Return the facts of this machine."""
    return Machine(
        machine.cpu()[1],
        os.cpu_count() or 1,
        machine.register_bits() // 64,
        f"{platform.system()} {platform.machine()}",
        platform.python_version(),
        np.__version__,
        __version__,
    )


def _seconds(model: Model, name: str) -> float:
    start = time.perf_counter()
    Kernel(FormRecipe(model, name))
    return time.perf_counter() - start


@contextlib.contextmanager
def _empty_cache() -> Iterator[None]:
    """Keep objects in a folder of its own for a while."""
    before = os.environ.get("CLOSEDFORM_CACHE")
    with tempfile.TemporaryDirectory(prefix="closedform-") as folder:
        os.environ["CLOSEDFORM_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["CLOSEDFORM_CACHE"]
            else:
                os.environ["CLOSEDFORM_CACHE"] = before


SECTION = Section("startup", "Start-up and machine", gather)
