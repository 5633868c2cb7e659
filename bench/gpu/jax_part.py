"""JAX arrays: our jitted calls, and frax, which is written in JAX."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp

from .job import FORMS, Job, inputs_of
from .measuring import Contestant, guarded, measure
from .rows import OURS, Sink

GRAVITY = (0.0, 0.0, 9.81, 0.0, 0.0, 0.0)
"""The acceleration, linear part first, that frax gives the base in place of gravity."""


def run(job: Job, sink: Sink) -> None:
    """Measure single precision: our calls, then frax; few sizes, since JAX compiles each anew."""
    _ours(job, sink, "float32")
    with guarded("frax"):
        _frax(job, sink)


def run_double(job: Job, sink: Sink) -> None:
    """Measure our calls in double precision, in a process of its own: frax's constants would be double."""
    jax.config.update("jax_enable_x64", True)
    _ours(job, sink, "float64")


def _ours(job: Job, sink: Sink, dtype: str) -> None:
    sizes = (1024,) if job.quick else (1024, 2**20)
    for name in job.robots:
        robot = job.load(name)
        for short, form in FORMS.items():
            call = jax.jit(getattr(robot, form))
            order = range(robot.nv)
            who = _contestant(OURS, call, robot.nv, inputs_of(form), dtype, list, order)
            measure(job, sink, name, robot.nv, short, dtype, who, sizes)


def _contestant(
    library: str,
    call: Callable[..., Any],
    nv: int,
    inputs: int,
    dtype: str,
    ordered: Callable[[list[Any]], list[Any]],
    order: Sequence[int],
) -> Contestant:
    """Return a jitted call; `order` lists our joints in the order of the library."""
    last: list[Any] = []

    def called(*arrays: Any) -> Any:
        last[:] = [call(*arrays)]
        return last[0]

    def random(count: int) -> list[Any]:
        keys = jax.random.split(jax.random.PRNGKey(0), inputs)
        q = jax.random.uniform(keys[0], (count, nv), dtype, -np.pi, np.pi)
        return [q, *(jax.random.normal(key, (count, nv), dtype) for key in keys[1:])]

    return Contestant(
        library,
        "jax",
        called,
        lambda array: jnp.asarray(array[:, list(order)], dtype=dtype),
        random,
        lambda results: ordered([np.asarray(each) for each in results]),
        lambda: jax.block_until_ready(last),
        graphs=False,
        note="jitted",
    )


def _frax(job: Job, sink: Sink) -> None:
    import frax  # noqa: PLC0415 (may be missing)

    base = jnp.array(GRAVITY)
    for name in job.robots:
        ours = job.load(name)
        peer = frax.Robot(str(job.file(name)))
        order = [list(ours.joint_names).index(each) for each in peer.joint_names]
        inverse = np.argsort(order)

        def torque(q: Any, qd: Any, qdd: Any, peer: Any = peer) -> Any:
            return peer.rnea(q, qd, qdd, base, None)

        def ordered(results: list[Any], inverse: Any = inverse) -> list[Any]:
            for axis in (1, 2):
                results = [np.take(each, inverse, axis) if each.ndim > axis else each for each in results]
            return results

        calls = {"ID": torque, "M": peer.crba, "dID": jax.jacfwd(torque, (0, 1))}
        for short, function in calls.items():
            call = jax.jit(jax.vmap(function))
            who = _contestant("frax", call, ours.nv, inputs_of(FORMS[short]), "float32", ordered, order)
            largest = {"ID": 2**20, "M": 2**20, "dID": 65536}[short] // (1 if ours.nv < 10 else 16)
            sizes = (1024,) if job.quick else [each for each in (1024, 65536, 2**20) if each <= largest]
            measure(job, sink, name, ours.nv, short, "float32", who, sizes)
