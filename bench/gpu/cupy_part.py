"""CuPy arrays: our calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy as cp
import numpy as np

import closedform as cf

from .job import ARM, FORMS, Job, inputs_of
from .measuring import Contestant, guarded, measure
from .rows import OURS, Sink


def run(job: Job, sink: Sink) -> None:
    """Measure our calls of the arm; kernels are the same as with tensors."""
    robot = job.load(ARM)
    for dtype in ("float32",) if job.quick else ("float32", "float64"):
        for short in FORMS:
            with guarded(f"{ARM} {short} {dtype} with CuPy"):
                who = contestant(robot, short, dtype)
                measure(job, sink, ARM, robot.nv, short, dtype, who, (1024, 2**20))


def contestant(robot: cf.Robot, short: str, dtype: str) -> Contestant:
    """Return our call with CuPy arrays."""

    def random(count: int) -> list[Any]:
        rng = np.random.default_rng(0)
        arrays = [rng.normal(size=(count, robot.nv)) for _ in range(inputs_of(FORMS[short]))]
        return [cp.asarray(each, dtype=dtype) for each in arrays]

    method: Callable[..., Any] = getattr(robot, FORMS[short])
    return Contestant(
        OURS,
        "cupy",
        method,
        lambda array: cp.asarray(array, dtype=dtype),
        random,
        lambda results: [cp.asnumpy(each) for each in results],
        lambda: cp.cuda.get_current_stream().synchronize(),
        graphs=False,
    )
