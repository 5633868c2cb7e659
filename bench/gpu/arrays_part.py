"""Structures of arrays: the exported CUDA, which row-major batches are measured against."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import torch

import closedform as cf
from closedform.cuda.device import architecture, compiled

from . import clock
from .job import DEVICE, FORMS, Job, error, inputs_of, moved, reference
from .launching import Loaded
from .measuring import guarded
from .rows import OURS, Row, Sink
from .torch_part import back, random_states

THREADS = 128


def run(job: Job, sink: Sink) -> None:
    """Measure the exported kernels of all forms, in a quick run those of the arm."""
    for name in job.robots[:1] if job.quick else job.robots:
        robot = job.load(name)
        for short in FORMS:
            with guarded(f"{name} {short}, structure of arrays"):
                _one(job, sink, name, robot, short)


def exported(robot: cf.Robot, short: str) -> tuple[Loaded, float]:
    """Return the exported kernel in single precision, and the seconds that NVRTC took."""
    with tempfile.TemporaryDirectory() as folder:
        (path,) = robot.export(FORMS[short], "cuda", Path(folder) / "evaluated", precision="float")
        text = path.read_text()
    start = time.perf_counter()
    code = compiled("evaluated", text, architecture(0))
    return Loaded(code, "evaluated_batch"), time.perf_counter() - start


def _one(job: Job, sink: Sink, name: str, robot: cf.Robot, short: str) -> None:
    kernel, seconds = exported(robot, short)
    states, expected = reference(job, name, short)
    given = [torch.tensor(each.T.copy(), dtype=torch.float32, device=DEVICE) for each in states]
    made = outputs(robot.nv, short, len(states[0]))
    start(kernel, len(states[0]), given, made)
    torch.cuda.synchronize()
    found = [each.T.reshape(other.shape) for each, other in zip(back(made), expected, strict=True)]
    off = error(found, expected)
    for count in (1024, 65536, 2**20):
        arrays = random_states(robot.nv, inputs_of(FORMS[short]), count, "float32")
        turned = [each.T.contiguous() for each in arrays]
        targets = outputs(robot.nv, short, count)

        def call(count: int = count, turned: Any = turned, targets: Any = targets) -> None:
            start(kernel, count, turned, targets)

        with guarded(f"{name} {short} {count}, structure of arrays"):
            size = moved(robot.nv, short, count, "float32")
            note = f"exported, NVRTC {seconds:.2f} s"
            what = OURS, "soa", "graph", clock.in_graph(call), size, off, note
            sink.add(Row(name, short, "float32", count, *what))


def outputs(nv: int, short: str, count: int) -> list[torch.Tensor]:
    """Return arrays for the results: entries first, samples last."""
    sizes = {"ID": [nv], "M": [nv * nv], "dID": [nv * nv] * 2}[short]
    return [torch.full((size, count), torch.nan, dtype=torch.float32, device=DEVICE) for size in sizes]


def start(kernel: Loaded, count: int, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
    """Launch a kernel whose arguments are the count, the stride and the arrays."""
    kernel.launch(count, THREADS, [count, count, *(each.data_ptr() for each in (*given, *made))])
