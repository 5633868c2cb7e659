"""What is claimed of the CPU beside the GPU: the cost of a vector-Jacobian product, calls with tensors."""

from __future__ import annotations

import numpy as np

import closedform as cf
from bench.timing import interleaved

from .job import ARM, Job
from .measuring import guarded
from .rows import OURS, Row, Sink

BATCH = 10_000


def run(job: Job, sink: Sink) -> None:
    """Measure in turns, so that noise hits all alike."""
    robot = job.load(ARM)
    with guarded("VJP of ID on the CPU"):
        _product(robot, sink)
    with guarded("calls with tensors on the CPU"):
        _calls(robot, sink)


def _product(robot: cf.Robot, sink: Sink) -> None:
    kernel = robot.kernel("inverse_dynamics")
    states = robot.random_state(0, batch=BATCH)
    weights = np.ones_like(states[1])
    times = interleaved(
        {"ID": lambda: kernel(*states), "VJP": lambda: kernel.vjp(*states, weights)}, seconds=0.5
    )
    for short, seconds in times.items():
        sink.add(Row(ARM, short, "float64", BATCH, OURS, "numpy", "CPU", seconds))


def _calls(robot: cf.Robot, sink: Sink) -> None:
    import torch  # noqa: PLC0415 (the other comparison needs none)

    states = robot.random_state(0)
    tensors = [torch.tensor(each) for each in states]
    method = robot.inverse_dynamics
    times = interleaved({"numpy": lambda: method(*states), "torch": lambda: method(*tensors)}, seconds=0.5)
    for arrays, seconds in times.items():
        sink.add(Row(ARM, "ID", "float64", 1, OURS, arrays, "CPU", seconds))
