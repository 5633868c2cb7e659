"""Ours with PyTorch tensors: forms, doubles in large batches, products with the Jacobian, copies."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

import closedform as cf

from . import clock
from .job import ARM, DEVICE, FORMS, Job, error, inputs_of, listed, moved
from .measuring import Contestant, guarded, measure, measure_sum
from .rows import OURS, Row, Sink

MANY = 2**22


def run(job: Job, sink: Sink) -> None:
    """Measure what PyTorch's users call."""
    with guarded("copy"):
        _copy(sink)
    with guarded("sum"):
        states = partial(random_states, job.load(ARM).nv, 2, dtype="float32")
        sums = Contestant("torch", "torch", torch.add, torch.tensor, states, back, torch.cuda.synchronize)
        measure_sum(sink, sums)
    _forms(job, sink, "float32")
    arm = job.load(ARM)
    for count in (1024, 65536, 2**20):
        with guarded(f"VJP of ID, N = {count}"):
            _product(arm, count, sink)
    with guarded("ID in double, 4 M"):
        _many(arm, "ID", sink)
    with guarded("tau, tau', tau'' in double, 4 M"):
        _many(arm, "rates", sink)
    if not job.quick:
        _forms(job, sink, "float64")


def _forms(job: Job, sink: Sink, dtype: str) -> None:
    for name in job.robots:
        robot = job.load(name)
        for short in FORMS:
            measure(job, sink, name, robot.nv, short, dtype, contestant(robot, short, dtype), job.sizes)


def random_states(nv: int, inputs: int, count: int, dtype: str) -> list[torch.Tensor]:
    """Return angles of a whole turn and normal rates, on the device."""
    kind = getattr(torch, dtype)
    q = (torch.rand(count, nv, dtype=kind, device=DEVICE) * 2 - 1) * np.pi
    return [q, *(torch.randn(count, nv, dtype=kind, device=DEVICE) for _ in range(inputs - 1))]


def back(results: list[Any]) -> list[np.ndarray]:
    """Return tensors as NumPy arrays."""
    return [each.detach().cpu().numpy() for each in results]


def contestant(robot: cf.Robot, short: str, dtype: str) -> Contestant:
    """Return our own call of a form."""
    kind = getattr(torch, dtype)
    return Contestant(
        OURS,
        "torch",
        getattr(robot, FORMS[short]),
        lambda array: torch.tensor(array, dtype=kind, device=DEVICE),
        lambda count: random_states(robot.nv, inputs_of(FORMS[short]), count, dtype),
        back,
        torch.cuda.synchronize,
    )


def _copy(sink: Sink) -> None:
    """Measure how fast the card copies a gigabyte to another place: the roof."""
    one = torch.empty(2**28, dtype=torch.float32, device=DEVICE).normal_()
    other = torch.empty_like(one)
    for _ in range(3):
        other.copy_(one)
    seconds = min(clock.events(lambda: other.copy_(one), 5) / 5 for _ in range(clock.ROUNDS))
    sink.add(Row("-", "copy", "float32", one.numel(), "torch", "", "events", seconds, 2 * one.nbytes))


def _product(robot: cf.Robot, count: int, sink: Sink) -> None:
    """Measure the vector-Jacobian product of inverse dynamics beside inverse dynamics itself."""
    kernel = robot.kernel("inverse_dynamics", dtype=np.float32)
    states = random_states(robot.nv, 3, count, "float32")
    weights = torch.randn_like(states[1])
    exact = robot.kernel("inverse_dynamics").vjp(
        *[each[:256].double().cpu().numpy() for each in (*states, weights)]
    )
    off = error(back(listed(kernel.vjp(*[each[:256] for each in (*states, weights)]))), listed(exact))
    pair = {"ID": lambda: kernel(*states), "VJP": lambda: kernel.vjp(*states, weights)}
    for short, call in pair.items():
        size = moved(robot.nv, short, count, "float32")
        what = OURS, "torch", "kernel, graph", clock.in_graph(call), size, off if short == "VJP" else -1.0
        sink.add(Row(ARM, short, "float32", count, *what))


def _many(robot: cf.Robot, short: str, sink: Sink) -> None:
    """Measure a large batch in double precision."""
    form = "inverse_dynamics_rates" if short == "rates" else "inverse_dynamics"
    states = random_states(robot.nv, 5 if short == "rates" else 3, MANY, "float64")
    method = getattr(robot, form)
    exact = listed(method(*[each[:256].cpu().numpy() for each in states]))
    off = error(back(listed(method(*[each[:256] for each in states]))), exact)
    seconds = clock.in_graph(lambda: method(*states))
    size = moved(robot.nv, short, MANY, "float64")
    sink.add(Row(ARM, short, "float64", MANY, OURS, "torch", "graph", seconds, size, off))
