"""JAX arrays: our jitted calls, and frax, which is written in JAX."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp

from .job import ARM, FORMS, Job, inputs_of
from .measuring import Contestant, guarded, measure, measure_sum
from .rows import OURS, Sink

GRAVITY = (0.0, 0.0, 9.81, 0.0, 0.0, 0.0)
"""The acceleration, linear part first, that frax gives the base in place of gravity."""


def run(job: Job, sink: Sink) -> None:
    """Measure single precision: our calls and frax's; few sizes, since JAX compiles each anew."""
    who = _contestant("jax", jax.jit(jnp.add), job.load(ARM).nv, 2, "float32", list, ())
    measure_sum(sink, who)
    entries = [entry for name in job.robots for entry in _ours(job, name, "float32")]
    for name in job.robots:
        with guarded(f"frax {name}"):
            entries += _frax(job, name)
    _measured(job, sink, "float32", entries)


def run_double(job: Job, sink: Sink) -> None:
    """Measure our calls in double precision, in a process of its own: frax's constants would be double."""
    jax.config.update("jax_enable_x64", True)
    _measured(job, sink, "float64", [entry for name in job.robots for entry in _ours(job, name, "float64")])


Entry = tuple[str, int, str, Contestant, int]
"""Robot, velocities, form, contestant and its largest batch."""


def _measured(job: Job, sink: Sink, dtype: str, entries: Sequence[Entry]) -> None:
    """Measure the smallest batches of all first, since others may not fit into the time."""
    for count in (1024,) if job.quick else (1024, 65536, 2**20):
        for name, nv, short, who, largest in entries:
            if count <= largest:
                measure(job, sink, name, nv, short, dtype, who, (count,))


def _ours(job: Job, name: str, dtype: str) -> list[Entry]:
    robot = job.load(name)
    largest = 2**20 if name == ARM else 65536
    entries = []
    for short, form in FORMS.items():
        call = jax.jit(getattr(robot, form))
        who = _contestant(OURS, call, robot.nv, inputs_of(form), dtype, list, range(robot.nv))
        entries.append((name, robot.nv, short, who, largest))
    return entries


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


def _frax(job: Job, name: str) -> list[Entry]:
    """Return the calls of frax; it has no derivatives of its own, JAX finds them."""
    import frax  # noqa: PLC0415 (may be missing)

    base = jnp.array(GRAVITY)
    ours = job.load(name)
    peer = frax.Robot(str(job.file(name)))
    order = [list(ours.joint_names).index(each) for each in peer.joint_names]
    inverse = np.argsort(order)

    def torque(q: Any, qd: Any, qdd: Any) -> Any:
        return peer.rnea(q, qd, qdd, base, None)

    def ordered(results: list[Any]) -> list[Any]:
        for axis in (1, 2):
            results = [np.take(each, inverse, axis) if each.ndim > axis else each for each in results]
        return results

    calls = {"ID": torque, "M": peer.crba, "dID": jax.jacfwd(torque, (0, 1))}
    largest = {"ID": 2**20, "M": 2**20, "dID": 65536}
    entries = []
    for short, function in calls.items():
        call = jax.jit(jax.vmap(function))
        who = _contestant("frax", call, ours.nv, inputs_of(FORMS[short]), "float32", ordered, order)
        entries.append((name, ours.nv, short, who, largest[short] if name == ARM else largest[short] // 16))
    return entries
