"""Kernels on JAX arrays: results are JAX arrays, under every transform of JAX.

A call is one jitted function per kernel. It broadcasts the batches to one axis, and calls the kernel's
primitive (`jax_primitives.py`), which has derivatives of any order and batches, and which XLA runs as
machine code (`jax_targets.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import ArgumentError, shown
from .jax_primitives import over_batches
from .jax_targets import known
from .kinds import kind_in_words, known_precision
from .shapes import batch_of


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Evaluate a kernel on JAX arrays; numbers and lists become arrays beside them."""
    if out is not None:
        raise ArgumentError(f"{kernel.name}: out= does not go with JAX arrays, which never change")
    if threads != 1:
        raise ArgumentError(f"{kernel.name}: threads= does not go with JAX arrays; leave it out")
    if not all(isinstance(each, jax.Array) for each in args):
        args = [_array(kernel, name, each) for name, each in zip(kernel.input_names, args, strict=True)]
    try:
        return _function(known(kernel))(*args)
    except ValueError:
        _check_devices(kernel, args)
        raise


def shortcut(kernel: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what evaluates repeated calls with arrays of the kernel's precision; of others it gives None."""
    dtype = kernel.dtype

    def again(args: Sequence[Any]) -> Any:
        plain = all(isinstance(each, jax.Array) and each.dtype == dtype for each in args)
        return call(kernel, args, None, 1) if plain else None

    return again


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Refuse: a bound call writes into its arrays."""
    raise ArgumentError(f"bind {kernel.name}: JAX arrays never change; jit a function that calls the kernel")


def _check_devices(kernel: Any, arrays: Sequence[jax.Array]) -> None:
    """Refuse arrays that are kept on different devices."""
    places = {frozenset(each.devices()) for each in arrays if not isinstance(each, jax.core.Tracer)}
    if len(places) > 1:
        listed = " and ".join(sorted(", ".join(sorted(map(str, each))) for each in places))
        raise ArgumentError(
            f"{kernel.name}: arrays are on {listed}; move them to one device with jax.device_put"
        ) from None


def _array(kernel: Any, name: str, given: Any) -> jax.Array:
    """Return a number or list as an array; arrays of other kinds are refused."""
    if isinstance(given, jax.Array):
        return given
    if hasattr(given, "shape") or hasattr(given, "__array_interface__"):
        plain = isinstance(given, np.ndarray | np.generic)
        what = "a NumPy array" if plain else kind_in_words(given)
        how = "jax.numpy.asarray" if plain else "jax.dlpack.from_dlpack"
        raise ArgumentError(f"{kernel.name}: {name} is {what} beside JAX arrays; convert it with {how}")
    _check_double(kernel)
    try:
        return jnp.asarray(given, dtype=kernel.dtype)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"{kernel.name}: {name} is {shown(given)}; expected an array") from error


def _check_double(kernel: Any) -> None:
    """Refuse double precision where JAX has none: it would quietly compute in single."""
    if kernel.dtype == np.float64 and jnp.zeros(0).dtype != np.float64:
        raise ArgumentError(
            f"{kernel.name}: the kernel is float64, which JAX has switched off; say "
            'jax.config.update("jax_enable_x64", True) first, or ask for a kernel with dtype="float32"'
        )


@cache
def _function(kernel: Any) -> Callable[..., Any]:
    """Return the jitted function of a kernel, one of those that stay."""

    def evaluate(*arrays: jax.Array) -> Any:
        for each in arrays:
            known_precision(kernel.name, each.dtype)
        _check_double(kernel)
        batch_of(kernel, arrays)  # refuses shapes that do not fit, in the words of the arguments
        results = over_batches(kernel, [each.astype(kernel.dtype) for each in arrays])
        return results[0] if kernel.results is None else kernel.results(*results)

    evaluate.__name__ = evaluate.__qualname__ = kernel.name
    jitted: Callable[..., Any] = jax.jit(evaluate)
    return jitted
