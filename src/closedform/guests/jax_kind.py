"""JAX arrays as applications take them: brought to the host, made from numbers, taken through steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import ArgumentError
from .gradientless import Gradientless
from .kinds import known_precision


@dataclass(frozen=True)
class JaxKind(Gradientless):
    """JAX arrays of one device and precision; there is no device while JAX traces."""

    device: Any
    dtype: np.dtype[Any]
    plain: bool
    xp: ClassVar[Any] = jnp

    def host(self, name: str, array: jax.Array) -> np.ndarray[Any, Any]:
        """Return an array as NumPy's, without a copy on the CPU."""
        if isinstance(array, jax.core.Tracer):
            raise ArgumentError(
                f"{name} cannot be traced by JAX (jit, grad, vmap), since it decides by numbers; "
                "call it outside of them"
            )
        return np.asarray(array)

    def differentiated(self, array: Any) -> bool:
        """Return whether JAX traces an array: to compile, to differentiate, or to batch."""
        return isinstance(array, jax.core.Tracer)

    def searched(
        self, name: str, array: jax.Array, search: Callable[[np.ndarray[Any, Any]], Any], size: int
    ) -> jax.Array:
        """Return what a search finds from the numbers of an array; traced, it is called when these come."""

        def found(numbers: Any) -> np.ndarray[Any, Any]:
            return np.asarray(search(np.asarray(numbers)), dtype=self.dtype)

        result = jax.ShapeDtypeStruct((*array.shape[:-1], size), self.dtype)
        still = jax.lax.stop_gradient(array)
        called: jax.Array = jax.pure_callback(found, result, still, vmap_method="broadcast_all")
        return called

    def array(self, values: Any) -> jax.Array:
        """Return numbers as an array on the device."""
        given = values if isinstance(values, jax.Array) else np.asarray(values)
        floats = jnp.issubdtype(given.dtype, np.floating)
        made = jnp.asarray(given, dtype=self.dtype if floats else None)
        return made if self.device is None else jax.device_put(made, self.device)

    def constant(self, values: Any) -> jax.Array:
        """Return numbers as an array on the device."""
        return self.array(values)

    def moved(self, array: Any, source: int, destination: int) -> Any:
        """Return an array with an axis moved to another place."""
        return jnp.moveaxis(array, source, destination)

    def march(self, step: Callable[..., Any], start: Any, tables: Sequence[jax.Array], count: int) -> Any:
        """Return the states of steps, as one loop of XLA."""

        def onward(state: Any, rows: Any) -> Any:
            after = step(state, *rows)
            return after, after

        _, states = jax.lax.scan(onward, start, (jnp.arange(count), *tables), length=count)
        return tuple(jnp.concatenate([first[None], rest]) for first, rest in zip(start, states, strict=True))


def kind(name: str, arrays: Sequence[jax.Array]) -> JaxKind:
    """Return what JAX arrays have in common; those on several devices are refused."""
    traced = any(isinstance(each, jax.core.Tracer) for each in arrays)
    places = {frozenset(each.devices()) for each in arrays if not isinstance(each, jax.core.Tracer)}
    if len(places) > 1:
        listed = " and ".join(sorted(", ".join(sorted(map(str, each))) for each in places))
        raise ArgumentError(f"{name}: arrays are on {listed}; move them to one device with jax.device_put")
    reals = [each for each in arrays if jnp.issubdtype(each.dtype, np.inexact)]
    precisions = {known_precision(name, each.dtype) for each in reals} or {jnp.zeros(0).dtype}
    dtype = np.dtype(np.float32) if precisions == {np.dtype(np.float32)} else np.dtype(np.float64)
    device = None
    if not traced and places:
        (one,) = places
        device = next(iter(one)) if len(one) == 1 else None
    return JaxKind(device, dtype, device is not None and device.platform == "cpu")
