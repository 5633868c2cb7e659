"""Simulations whose states, parameters or inputs are dask arrays: runs of lazy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..checks import positive
from ..errors import ArgumentError
from ..guests import is_lazy


@dataclass(frozen=True)
class LazyRuns:
    """What a function that simulates has for dask arrays.

    `along` has the arguments that may be dask arrays and their core axes: those of inputs have one for the
    steps. Runs differ by the `states` too, which go along if they are NumPy arrays. `also` is what the record
    has beside its fields.
    """

    function: Callable[..., Any]
    along: Mapping[str, int]
    states: tuple[str, ...]
    also: Mapping[str, Callable[[Any, tuple[int, ...]], Any]] = field(default_factory=dict)

    def asked(self, given: Mapping[str, Any]) -> bool:
        """Whether one of the arguments is a dask array."""
        return is_lazy(*(given[name] for name in self.along))

    def run(self, name: str, given: Mapping[str, Any], seconds: float) -> tuple[Any, dict[str, Any]]:
        """Return the record of lazy arrays of all the arguments, and what it has beside its fields.

        `seconds` is the time of a step of one run.
        """
        from ..guests.dask_records import Call, lazy_record  # noqa: PLC0415 (dask is an extra)

        for each in ("progress", "watch"):
            if given.get(each) is not None:
                raise ArgumentError(
                    f"{name}: {each}= does not go with dask arrays; look at dask's dashboard, or say "
                    "distributed.progress(array.persist())"
                )
        arrays = {
            each: given[each]
            for each in self.along
            if is_lazy(given[each]) or (each in self.states and given[each] is not None)
        }
        fixed = {each: value for each, value in given.items() if each not in arrays}
        duration, step = (positive(f"{name}: {each}", given[each]) for each in ("duration", "step"))
        whole, label = seconds * max(1.0, duration / step), f"simulate {name}"
        return lazy_record(Call(self.function, label, arrays, self.along, fixed, whole, self.also))
