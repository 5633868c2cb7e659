"""Kernels as primitives of JAX: what every transform makes of a call.

`call_p` evaluates a kernel; `product_p` evaluates its Jacobian-vector product (`Kernel.jvp`), which is
linear in its tangents and transposes into the vector-Jacobian product (`Kernel.vjp`). Products are kernels
and have products again, so that these two have derivatives of any order, forward and backward.

Operands have one batch axis, of n samples or of one that goes with all; results have n samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .jax_cuda import on_cuda
from .jax_targets import known, on_host, on_xla

call_p, product_p = Primitive("closedform"), Primitive("closedform_jvp")

KERNEL_OF: dict[Primitive, Callable[[Any], Any]] = {
    call_p: known,
    product_p: lambda kernel: known(kernel.jvp),
}
"""The kernel whose numbers a primitive gives, for the kernel that is its parameter."""


def over_batches(kernel: Any, arrays: Sequence[Any], primitive: Primitive = call_p) -> list[Any]:
    """Return the results of a primitive for inputs of any batch shapes, which broadcast.

    Only inputs of several samples that must be repeated are copied.
    """
    cores = KERNEL_OF[primitive](kernel).input_shapes
    batch = np.broadcast_shapes(
        *(each.shape[: each.ndim - len(core)] for each, core in zip(arrays, cores, strict=True))
    )
    flat = []
    for each, core in zip(arrays, cores, strict=True):
        if each.size == math.prod(core):
            flat.append(each.reshape(1, *core))
        else:
            flat.append(jnp.broadcast_to(each, (*batch, *core)).reshape(math.prod(batch), *core))
    results = primitive.bind(*flat, kernel=kernel)
    return [each.reshape(*batch, *each.shape[1:]) for each in results]


def _shapes(primitive: Primitive, *arrays: Any, kernel: Any) -> list[ShapedArray]:
    computed = KERNEL_OF[primitive](kernel)
    (samples,) = np.broadcast_shapes(*(each.shape[:1] for each in arrays))
    return [ShapedArray((samples, *core), computed.dtype) for core in computed.output_shapes]


def _evaluated(primitive: Primitive, *arrays: Any, kernel: Any) -> Any:
    nans, infs = jax.config.jax_debug_nans, jax.config.jax_debug_infs
    with jax.disable_jit(False), jax.debug_nans(False), jax.debug_infs(False):
        results = _compiled(primitive, kernel)(*arrays)  # which would come back here for ever otherwise
    for each in results if nans or infs else ():
        for kind, wrong in (("nan", nans and jnp.isnan(each)), ("inf", infs and jnp.isinf(each))):
            if np.any(wrong):
                raise FloatingPointError(f"{kernel.name}: {kind} in the results")
    return results


@cache
def _compiled(primitive: Primitive, kernel: Any) -> Callable[..., Any]:
    jitted: Callable[..., Any] = jax.jit(partial(primitive.bind, kernel=kernel))
    return jitted


def _batched(
    primitive: Primitive, arrays: Sequence[Any], axes: Sequence[Any], *, kernel: Any
) -> tuple[list[Any], list[int]]:
    moved = [
        each if axis is None else jnp.moveaxis(each, axis, 0) for each, axis in zip(arrays, axes, strict=True)
    ]
    results = over_batches(kernel, moved, primitive)
    return results, [0] * len(results)


def _dense(tangents: Sequence[Any], program: Any, cores: Sequence[tuple[int, ...]]) -> list[Any]:
    """Return tangents with zeros as one sample that goes with all."""
    return [
        jnp.zeros((1, *core), program.dtype) if type(each) is ad.Zero else each
        for each, core in zip(tangents, cores, strict=True)
    ]


def _call_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, kernel: Any) -> tuple[Any, Any]:
    along = _dense(tangents, kernel, kernel.input_shapes)
    return call_p.bind(*primals, kernel=kernel), product_p.bind(*primals, *along, kernel=kernel)


def _product_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, kernel: Any) -> tuple[Any, Any]:
    """Return a product and its rate; where only the tangents change, it is linear."""
    results, count, program = (
        product_p.bind(*primals, kernel=kernel),
        len(kernel.input_names),
        known(kernel.jvp),
    )
    along = _dense(tangents, program, program.input_shapes)
    if all(type(each) is ad.Zero for each in tangents[:count]):
        return results, product_p.bind(*primals[:count], *along[count:], kernel=kernel)
    return results, product_p.bind(*primals, *along, kernel=program)


def _product_transposed(cotangents: Sequence[Any], *operands: Any, kernel: Any) -> list[Any]:
    """Return a gradient for each tangent, summed over the samples that it went with."""
    count = len(kernel.input_names)
    weights = _dense(cotangents, kernel, kernel.output_shapes)
    gradients = call_p.bind(*operands[:count], *weights, kernel=known(kernel.vjp))
    return [None] * count + [
        _summed(gradient, each.aval.shape) if ad.is_undefined_primal(each) else None
        for gradient, each in zip(gradients, operands[count:], strict=True)
    ]


def _summed(gradient: Any, shape: tuple[int, ...]) -> Any:
    return gradient if gradient.shape == shape else gradient.sum(axis=0, keepdims=True)


for _primitive, _jvp in ((call_p, _call_jvp), (product_p, _product_jvp)):
    _primitive.multiple_results = True
    _primitive.def_abstract_eval(partial(_shapes, _primitive))
    _primitive.def_impl(partial(_evaluated, _primitive))
    ad.primitive_jvps[_primitive] = _jvp
    batching.primitive_batchers[_primitive] = partial(_batched, _primitive)
    mlir.register_lowering(_primitive, partial(on_host, KERNEL_OF[_primitive]))
    mlir.register_lowering(_primitive, partial(on_xla, KERNEL_OF[_primitive]), platform="cpu")
    mlir.register_lowering(_primitive, partial(on_cuda, KERNEL_OF[_primitive]), platform="cuda")
ad.primitive_transposes[product_p] = _product_transposed
