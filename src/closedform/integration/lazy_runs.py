"""Simulations of a system whose states, parameters or inputs are dask arrays: runs of lazy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import positive
from ..errors import ArgumentError
from ..guests import is_lazy

SECONDS = 6e-9
"""Time of a "rk4" step per state at least, on one core."""

ALONG = {"x0": 1, "parameters": 1, "inputs": 2}
"""Arguments that may be dask arrays, and their core axes; inputs have one for the steps."""


def has_lazy(given: dict[str, Any]) -> bool:
    """Whether one of the arguments that may be dask arrays is one."""
    return is_lazy(*(given[name] for name in ALONG))


def lazy_run(simulate: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Return the run of the arguments of a simulation, some of them lazy."""
    from ..guests.dask_records import Call, lazy_record  # noqa: PLC0415 (dask is an extra)

    system = given["system"]
    for name in ("progress", "watch"):
        if given[name] is not None:
            raise ArgumentError(f"{system.name}: {name}= does not go with dask arrays; see dask's dashboard")
    arrays = {
        name: given[name]
        for name in ALONG
        if is_lazy(given[name]) or (name != "inputs" and given[name] is not None)
    }
    fixed = {name: value for name, value in given.items() if name not in arrays}
    cores = {name: min(ALONG[name], max(1, np.ndim(array))) for name, array in arrays.items()}
    duration, step = (positive(f"{system.name}: {name}", fixed[name]) for name in ("duration", "step"))
    seconds = SECONDS * system.nx * max(1.0, duration / step)
    return lazy_record(Call(simulate, f"simulate {system.name}", arrays, cores, fixed, seconds))[0]
