"""Kernels on dask arrays: lazy results, computed by the workers that hold the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from ..checks import real_array, whole_number
from ..errors import ArgumentError
from .dask_kinds import of_one_kind
from .dask_parcels import Parcel
from .dask_tasks import Given, Part, Work, lazy_argument, lazy_call
from .names import lasting_name
from .shapes import batch_of

PER_CODE_BYTE = 0.6e-12
"""Seconds per sample and byte of a kernel's machine code, which grows with its operations: 0.5e-12 to 1.2e-12
measured over forms of a pendulum, an arm and a humanoid, with registers of 512 bits."""

PER_RESULT_BYTE = 0.12e-9
"""Seconds per byte of a result, in memory that is new: 0.12e-9 to 0.3e-9 measured."""


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Return lazy dask arrays; workers compile the kernel for themselves, or load it from their cache."""
    if out is not None:
        raise ArgumentError(f"{kernel.name}: out= does not go with dask arrays; assign the result")
    whole_number(f"{kernel.name}: threads", threads, 1)
    args = [
        each if hasattr(each, "dtype") else real_array(f"{kernel.name}: {name}", each)
        for name, each in zip(kernel.input_names, of_one_kind(kernel, args), strict=True)
    ]
    given = []
    for name, core, array in zip(kernel.input_names, kernel.input_shapes, args, strict=True):
        each = Given(name, tuple(core), array)
        given.append(replace(each, array=lazy_argument(kernel.name, each)))
    for each in given:
        dtype = np.dtype(each.array.dtype)
        if dtype.kind not in "fiub" or not np.can_cast(dtype, kernel.dtype, "same_kind"):
            raise ArgumentError(
                f"{kernel.name}: {each.name} has dtype {dtype}; expected reals up to {kernel.dtype}"
            )
    batch_of(kernel, [each.array for each in given])
    names = kernel.results._fields if kernel.results else (kernel.name,)
    parts = tuple(
        Part(name, itemgetter(k), tuple(core), kernel.dtype)
        for k, (name, core) in enumerate(zip(names, kernel.output_shapes, strict=True))
    )
    stored = sum(int(np.prod(part.core)) for part in parts) * kernel.dtype.itemsize
    work = Work(
        label=f"{kernel.name} {_owner(kernel)}",
        function=Parcel(
            kernel if threads == 1 else partial(kernel, threads=threads), first_call_compiles=False
        ),
        parts=parts,
        seconds=PER_CODE_BYTE * kernel.code_size + PER_RESULT_BYTE * stored,
        by_block=True,
        token=(lasting_name(kernel), threads),
    )
    results = lazy_call(work, given)
    return kernel.results._make(results) if kernel.results else results[0]


def _owner(kernel: Any) -> str:
    """Return the name of whose kernel it is, without the choices that follow it."""
    return str(kernel.recipe.subject).split(", ")[0].strip("'\"")


def shortcut(kernel: Any) -> None:
    """Return nothing: making a lazy array takes longer than any call."""


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Refuse: lazy arrays have no memory."""
    raise ArgumentError(f"bind {kernel.name}: dask arrays are lazy and have no memory; call the kernel")
