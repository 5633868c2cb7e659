"""A part of the bench in a process of its own, so that no failure of one ends another.

`python -m bench.gpu.part NAME FOLDER` is such a process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from .job import Job, read_job
from .measuring import guarded
from .rows import Row, Sink, read_lines


@dataclass(frozen=True)
class Part:
    """A module and its function, what it needs, and the seconds it may take."""

    module: str
    function: str
    needs: str
    limit: float
    in_quick: bool = True


PARTS = {
    "torch": Part("torch_part", "run", "torch", 150),
    "soa": Part("arrays_part", "run", "torch", 60),
    "first-use": Part("first_use", "run", "torch", 90),
    "cpu": Part("cpu_part", "run", "numpy", 30),
    "cupy": Part("cupy_part", "run", "cupy", 40),
    "jax": Part("jax_part", "run", "jax", 100),
    "jax-double": Part("jax_part", "run_double", "jax", 40, in_quick=False),
    "adam": Part("adam_part", "run", "adam", 40, in_quick=False),
    "nvptx": Part("nvptx_part", "run", "torch", 40, in_quick=False),
    "grid": Part("grid_part", "run", "grid_rbd", 90, in_quick=False),
}
"""In the order in which they run; GRiD is built beside the others, and measured last."""

OWN_ENVIRONMENT = {"nvptx": {"CUDA_CACHE_DISABLE": "1"}, "grid": {"GRID_RBD_QUIET": "1"}}
"""Settings of some parts: the driver must not remember PTX that it has seen."""


def start(name: str, job: Job, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a part, or a module with arguments of its own; lines appear as they are printed."""
    arguments = arguments or ("bench.gpu.part", name, job.folder)
    common = {"PYTHONUNBUFFERED": "1", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    common["CLOSEDFORM_CACHE"] = str(Path(job.folder) / "cache")
    environment = os.environ | common | OWN_ENVIRONMENT.get(name, {})
    return subprocess.Popen([sys.executable, "-m", *arguments], env=environment, process_group=0)


def finish(name: str, process: subprocess.Popen[bytes], limit: float) -> None:
    """Wait for a part, end it after its limit, and say if it failed."""
    try:
        status = process.wait(max(limit, 1.0))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # and the compilers that it started
        process.wait()
        print(f"{name}: ended after {limit:.0f} s; what it measured so far counts", flush=True)
        return
    if status:
        print(f"{name}: ended with status {status}; what it measured so far counts", flush=True)


def rows_of(job: Job) -> list[Row]:
    """Return the rows of all parts so far."""
    names = [*PARTS, *(f"grid-{robot}" for robot in job.robots)]
    return [row for name in names for row in read_lines(Path(job.folder) / f"rows-{name}.jsonl")]


def main(name: str, folder: str) -> None:
    """Run a part."""
    warnings.simplefilter("ignore")
    job, part = read_job(folder), PARTS[name]
    sink = Sink(Path(folder) / f"rows-{name}.jsonl", rows_of(job))
    begin = time.perf_counter()
    with guarded(name):
        import_module(part.needs)
        getattr(import_module(f"bench.gpu.{part.module}"), part.function)(job, sink)
    print(f"{name}: {time.perf_counter() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
