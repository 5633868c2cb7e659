"""Arrays of other kinds that are given one by one, such as the wrenches of frames, as rows of one array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown
from .kinds import KINDS, guest_of, kind_in_words

LIBRARIES = {
    "torch": "torch",
    "jax": "jax.numpy",
    "jaxlib": "jax.numpy",
    "cupy": "cupy",
    "dask": "dask.array",
}
"""Where the functions of arrays are, by the library that defines their type."""


def stacked(label: str, parts: Mapping[str, Any], size: int, beside: Iterable[Any]) -> Any:
    """Return parts (..., size) as rows (..., n, size) of the kind of an array among them or beside them.

    None if all are NumPy's. Numbers and lists become arrays of that kind.
    """
    like = next((each for each in (*parts.values(), *beside) if guest_of(each) is not None), None)
    if like is None:
        return None
    library = next(name for base in type(like).__mro__ if (name := _top(base)) in KINDS)
    xp = import_module(LIBRARIES[library])
    with like.device if library == "cupy" else nullcontext():
        rows = {name: _row(f"{label}[{name!r}]", part, size, like, xp) for name, part in parts.items()}
        try:
            if library == "torch":
                return xp.stack(xp.broadcast_tensors(*rows.values()), dim=-2)
            return xp.stack(xp.broadcast_arrays(*rows.values()), axis=-2)
        except (RuntimeError, TypeError, ValueError) as error:
            shapes = ", ".join(f"{name} {tuple(row.shape)}" for name, row in rows.items())
            raise ArgumentError(f"{label}: arrays do not go together: {shapes}") from error


def _top(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _row(label: str, part: Any, size: int, like: Any, xp: Any) -> Any:
    """Return one part as an array of the kind of another."""
    kind, own = kind_in_words(like), kind_in_words(part)
    lazy = kind == "a dask array"
    if own is not None and own not in (kind, kind_in_words(like._meta) if lazy else kind):
        raise ArgumentError(f"{label} is {own} beside {kind}; convert it to that kind first")
    row = part if own is not None else _made(label, part, like, xp)
    if tuple(row.shape[-1:]) != (size,):
        raise ArgumentError(f"{label} has shape {tuple(row.shape)}; expected (..., {size})")
    return row


def _made(label: str, part: Any, like: Any, xp: Any) -> Any:
    """Return numbers or a list as an array of the kind and precision of another."""
    try:
        if xp.__name__ == "torch":
            return xp.as_tensor(part, dtype=like.dtype, device=like.device)
        if xp.__name__ == "dask.array":
            return np.asarray(part, like.dtype, like=like._meta)
        return xp.asarray(part, like.dtype)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ArgumentError(f"{label} is {shown(part)}; expected an array") from error
