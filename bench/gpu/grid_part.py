"""GRiD's generated CUDA through its PyTorch operators: one block of threads per sample."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .job import ARM, DEVICE, FORMS, Job, inputs_of, read_job
from .measuring import Contestant, guarded, measure
from .rows import Row, Sink

ALGORITHMS = ("inverse_dynamics", "inverse_dynamics_gradient", "crba")
CORES = 12
"""What its compiler may use, since other parts are measured meanwhile."""


def missing() -> str:
    """Return what a build lacks on this machine, or nothing."""
    tools = {"nvcc": "CUDA's nvcc", "nvidia-smi": "nvidia-smi"}
    lacking = [tools[each] for each in tools if shutil.which(each) is None]
    if shutil.which("g++") is None and shutil.which("c++") is None:
        lacking.append("a C++ compiler")
    return ", ".join(lacking)


def batch(robot: str) -> int:
    """Return the largest batch that a library is built for: its memory is taken at once."""
    return 16384 if robot == ARM else 4096


def registered(job: Job, robot: str) -> Any:
    """Return GRiD's robot, which is generated and compiled unless it was before."""
    import grid_rbd  # noqa: PLC0415 (may be missing)

    with contextlib.redirect_stdout(io.StringIO()):  # it lists every joint and link
        return grid_rbd.register_robot(
            robot,
            str(job.file(robot)),
            backend="torch",
            algorithm_list=list(ALGORITHMS),
            enable_mujoco_kernels=False,
            max_batch_size=batch(robot),
            cache_dir=Path(job.folder) / f"grid-{robot}",
        )


def build(job: Job, robot: str, sink: Sink) -> None:
    """Compile the library of a robot, beside other parts, and say how long the first use takes."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-CORES:])
    os.nice(10)
    with guarded(f"grid-rbd {robot}, build"):
        start = time.perf_counter()
        registered(job, robot)
        seconds = time.perf_counter() - start
        note = f"3 forms, on {CORES} cores at most, beside other work"
        sink.add(Row(robot, "all", "float32", 1, "grid-rbd", "torch", "first use", seconds, note=note))
        (Path(job.folder) / f"grid-{robot}.built").touch()


def run(job: Job, sink: Sink) -> None:
    """Measure the libraries that were built."""
    for robot in job.robots:
        if not (Path(job.folder) / f"grid-{robot}.built").exists():
            print(f"grid-rbd {robot}: not measured: it was not built", flush=True)
            continue
        with guarded(f"grid-rbd {robot}"):
            peer, ours = registered(job, robot), job.load(robot)
            names = [each for each in _names(peer) if each in ours.joint_names] or list(ours.joint_names)
            order = [list(ours.joint_names).index(each) for each in names]
            sizes = [each for each in job.sizes if each <= batch(robot)]
            for short in FORMS:
                who = contestant(peer, short, ours.nv, order)
                measure(job, sink, robot, ours.nv, short, "float32", who, sizes)


def _names(peer: Any) -> list[str]:
    """Return the joints in GRiD's order, if it says."""
    found = getattr(getattr(peer, "_base", peer), "joint_names", None)
    return list(found or [])


def contestant(peer: Any, short: str, nv: int, order: list[int]) -> Contestant:
    """Return GRiD's call of a form; `order` lists our joints in its order."""
    import torch  # noqa: PLC0415 (builds that fail for want of a compiler need none)

    from .torch_part import back, random_states  # noqa: PLC0415

    inverse = np.argsort(order)
    calls = {"ID": peer.inverse_dynamics, "M": peer.crba, "dID": peer.inverse_dynamics_gradient}

    def ordered(results: list[Any]) -> list[np.ndarray]:
        (array,) = back(results)
        parts = [array[..., :nv], array[..., nv:]] if short == "dID" else [array]
        for axis in (1, 2):
            parts = [np.take(each, inverse, axis) if each.ndim > axis else each for each in parts]
        return parts

    return Contestant(
        "grid-rbd",
        "torch",
        calls[short],
        lambda array: torch.tensor(np.ascontiguousarray(array[:, order]), dtype=torch.float32, device=DEVICE),
        lambda count: random_states(nv, inputs_of(FORMS[short]), count, "float32"),
        ordered,
        torch.cuda.synchronize,
    )


if __name__ == "__main__":
    here, name = read_job(sys.argv[1]), sys.argv[2]
    build(here, name, Sink(Path(here.folder) / f"rows-grid-{name}.jsonl"))
