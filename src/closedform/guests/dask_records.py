"""Results of many arrays, such as those of inverse kinematics and simulations, over dask arrays.

The function is called once, on no samples: that refuses what NumPy arrays would be refused for, and tells
the shapes of the result. Its arrays then become lazy ones, in the same record; `dask.compute(record)` gives
the record of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from ..checks import common_batch, real_array
from ..errors import ArgumentError
from .dask_parcels import Parcel
from .dask_tasks import Given, Part, Work, lazy_argument, lazy_call


@dataclass(frozen=True)
class Call:
    """A call with dask arrays among its arguments: the function, what is lazy or goes along, and the rest.

    `cores` has the number of core axes of each array, at most; `seconds` is the time of a sample; `also` has
    functions of the record and its batch shape that give further arrays, beside its fields.
    """

    function: Callable[..., Any]
    label: str
    arrays: Mapping[str, Any]
    cores: Mapping[str, int]
    fixed: Mapping[str, Any]
    seconds: float
    also: Mapping[str, Callable[[Any, tuple[int, ...]], Any]] = field(default_factory=dict)

    @property
    def given(self) -> list[Given]:
        """The arrays, lazy all of them, with their core shapes."""
        found = []
        for name, array in self.arrays.items():
            plain = array if hasattr(array, "shape") else real_array(name, array)
            lazy = lazy_argument(self.label, Given(name, (), plain))
            if lazy.dtype.kind not in "fiub":
                raise ArgumentError(f"{self.label}: {name} has dtype {lazy.dtype}; expected real numbers")
            if not isinstance(lazy._meta, np.ndarray):
                raise ArgumentError(
                    f"{self.label}: chunks of {name} are of type {type(lazy._meta).__name__}; expected NumPy "
                    "arrays: say .map_blocks(cupy.asnumpy)"
                )
            depth = min(self.cores[name], lazy.ndim)
            found.append(Given(name, tuple(lazy.shape[lazy.ndim - depth :]), lazy))
        return found


def pose_axes(name: str, given: Any) -> int:
    """Return how many core axes poses (..., 4, 4) have, or places (..., m)."""
    shape = given.shape if hasattr(given, "shape") else real_array(name, given).shape
    return 2 if tuple(shape[-2:]) == (4, 4) else 1


def lazy_record(call: Call) -> tuple[Any, dict[str, Any]]:
    """Return the record of lazy arrays, and what it has `also` by name."""
    given = call.given
    batches = {each.name: each.array.shape[: each.array.ndim - len(each.core)] for each in given}
    common_batch(call.label, **batches)
    prototype = _prototype(call, given)
    found = {each.name: getattr(prototype, each.name) for each in fields(prototype)}
    entries: dict[tuple[str, ...], tuple[Any, Any]] = {}
    for name, value in found.items():
        inner = value.items() if isinstance(value, dict) else [(None, value)]
        for key, each in inner:
            if isinstance(each, np.ndarray) and each.shape[:1] == (0,):
                path: tuple[str, ...] = (name,) if key is None else (name, key)
                entries[path] = each, partial(_field, path, each.ndim - 1)
    for name, function in call.also.items():
        entries[(name,)] = function(prototype, (0,)), function
    parts = tuple(
        Part(".".join(path), partial(_taken, take), each.shape[1:], each.dtype)
        for path, (each, take) in entries.items()
    )
    evaluate = Evaluate(
        call.function, tuple(call.arrays), tuple(len(each.core) for each in given), dict(call.fixed)
    )
    work = Work(call.label, Parcel(evaluate), parts, call.seconds, shared=True)
    for (name, *key), lazy in zip(entries, lazy_call(work, given), strict=True):
        found[name] = {**found[name], key[0]: lazy} if key else lazy
    also = {name: found.pop(name) for name in call.also}
    return replace(prototype, **found), also


def _prototype(call: Call, given: Sequence[Given]) -> Any:
    """Return the record of no samples."""
    empty = {each.name: np.zeros((0, *each.core)) for each in given}
    try:
        return call.function(**empty, **call.fixed)
    except ArgumentError as error:
        text = str(error)
        for each in given:
            text = text.replace(
                f"{each.name} has shape {empty[each.name].shape}", f"{each.name} has shape {each.array.shape}"
            )
        raise ArgumentError(text) from None


@dataclass(frozen=True)
class Evaluate:
    """A function of arrays in order, whose batch shape goes along with its record."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    cores: tuple[int, ...]
    fixed: dict[str, Any]

    def __call__(self, *arrays: Any) -> tuple[Any, tuple[int, ...]]:
        """Return the record of the arrays, and their batch shape."""
        pairs = zip(arrays, self.cores, strict=True)
        batch = np.broadcast_shapes(*(array.shape[: array.ndim - depth] for array, depth in pairs))
        return self.function(**dict(zip(self.names, arrays, strict=True)), **self.fixed), batch


def _taken(take: Callable[[Any, tuple[int, ...]], Any], made: tuple[Any, tuple[int, ...]]) -> Any:
    """Return an array of what a task made."""
    return take(*made)


def _field(path: tuple[str, ...], depth: int, record: Any, batch: tuple[int, ...]) -> Any:
    """Return an array of a record, of so many core axes, in the batch shape of its call."""
    value = getattr(record, path[0])
    array = np.asarray(value if len(path) == 1 else value[path[1]])
    return np.broadcast_to(array, (*batch, *array.shape[array.ndim - depth :]))
