"""Arrays of other kinds beside NumPy's: what a call costs more, and what gradients cost.

Everything alternates in one run; libraries that are not installed are named.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import closedform as cf

from .timing import interleaved

ROBOT = "panda"
BATCH = 10_000


def run(quick: bool = False) -> dict[str, Any]:
    """Print single calls, batches and products with the Jacobian, as ratios to NumPy's."""
    seconds = 0.3 if quick else 1.5
    kinds = {name: find for name, find in {"torch": _torch, "jax": _jax}.items() if _present(name)}
    found: dict[str, Any] = {}
    for title, batch in (("one sample", ()), (f"{BATCH:,} samples", (BATCH,))):
        robot = cf.load(ROBOT)
        calls: dict[str, Callable[[], Any]] = {}
        state = robot.random_state(0, batch=batch)
        given = [np.ascontiguousarray(each) for each in state]
        out = np.empty_like(given[0])
        kernel = robot.kernel("inverse_dynamics")
        calls["NumPy"] = lambda x=given, f=robot.inverse_dynamics: f(*x)
        calls["NumPy, bound"] = kernel.bind(*given, out=out)
        vjp = kernel.vjp.fast
        calls["NumPy, vjp"] = lambda x=given, f=vjp: f(*x, x[0])
        for find in kinds.values():
            calls.update(find(robot, kernel, given))
        for call in calls.values():  # the first calls prepare the others
            for _ in range(5):
                call()
        times = interleaved(calls, seconds=seconds)
        print(f"\ninverse dynamics of {ROBOT}, {title}")
        for name, each in times.items():
            more = (each - times["NumPy"]) * 1e6
            print(f"  {name:24} {each * 1e6:10.2f} us {each / times['NumPy']:8.2f} times {more:+10.2f} us")
        found[title] = times
    return found


def _present(name: str) -> bool:
    there = find_spec(name) is not None
    if not there:
        print(f"{name} is not installed: left out")
    return there


def _torch(robot: Any, kernel: Any, given: list[np.ndarray]) -> dict[str, Callable[[], Any]]:
    torch = import_module("torch")
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(each.copy()) for each in given]
    out = torch.empty_like(tensors[0])
    leaves = [each.clone().requires_grad_() for each in tensors]
    ones = torch.ones_like(out)
    method = robot.inverse_dynamics

    def gradients() -> Any:
        return torch.autograd.grad(method(*leaves), leaves, ones)

    return {
        "torch": lambda: method(*tensors),
        "torch, bound": kernel.bind(*tensors, out=out),
        "torch, out=": lambda: method(*tensors, out=out),
        "torch, with gradients": gradients,
    }


def _jax(robot: Any, kernel: Any, given: list[np.ndarray]) -> dict[str, Callable[[], Any]]:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    arrays = [jax.numpy.asarray(each) for each in given]
    jitted = jax.jit(robot.inverse_dynamics)
    pulled = jax.jit(jax.grad(lambda *x: robot.inverse_dynamics(*x).sum(), argnums=(0, 1, 2)))
    return {
        "JAX, jitted": lambda: jax.block_until_ready(jitted(*arrays)),
        "JAX, jitted gradients": lambda: jax.block_until_ready(pulled(*arrays)),
    }
