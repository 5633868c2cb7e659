"""Kernels as registered operators of PyTorch, which `torch.compile` puts into its graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .names import lasting_name
from .torch_cuda import on_device
from .torch_shapes import in_front, summed, whole_shapes

_MADE: dict[str, Any] = {}
"""Operators of this process by name; PyTorch keeps them for its life."""


def evaluated(kernel: Any, tensors: Sequence[Tensor], threads: int = 1) -> Any:
    """Return the results of a kernel as tensors, without gradients."""
    if tensors[0].is_cuda:
        made = on_device(kernel, tensors)
        return made[0] if kernel.results is None else tuple(made)
    arrays = [each.detach().numpy() for each in tensors]
    with np.errstate(all="ignore"):  # PyTorch does not warn of numbers that are not finite
        results = kernel(*arrays, threads=threads)
    if kernel.results is None:
        return torch.from_numpy(np.asarray(results))
    return tuple(torch.from_numpy(np.asarray(each)) for each in results)


def operator_of(kernel: Any) -> Any:
    """Return the operator of a kernel; each is registered once."""
    name = lasting_name(kernel)
    if name not in _MADE:
        _MADE[name] = _registered(name, kernel)
    return _MADE[name]


def _registered(name: str, kernel: Any) -> Any:
    count, several = len(kernel.input_names), kernel.results is not None
    results = "(" + ", ".join(["Tensor"] * len(kernel.output_shapes)) + ")" if several else "Tensor"
    schema = f"({', '.join(f'Tensor x{k}' for k in range(count))}) -> {results}"

    def made(shapes: list[tuple[int, ...]], like: Tensor) -> Any:
        empty = [like.new_empty(shape) for shape in shapes]
        return tuple(empty) if several else empty[0]

    operator = torch.library.custom_op(
        f"closedform::{name}", lambda *tensors: evaluated(kernel, tensors), mutates_args=(), schema=schema
    )
    operator.register_fake(lambda *tensors: made(whole_shapes(kernel, tensors), tensors[0]))

    def setup(ctx: Any, inputs: tuple[Tensor, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, *cotangents: Tensor) -> tuple[Tensor, ...]:
        inputs = ctx.saved_tensors
        gradients = operator_of(kernel.vjp)(*inputs, *cotangents)
        gradients = (gradients,) if isinstance(gradients, Tensor) else gradients
        return tuple(summed(grad, each.shape) for grad, each in zip(gradients, inputs, strict=True))

    operator.register_autograd(backward, setup_context=setup)

    def over_a_batch(info: Any, dims: tuple[int | None, ...], *tensors: Tensor) -> Any:
        found = operator(*in_front(kernel, tensors, dims))
        return (tuple(found), (0,) * len(found)) if several else (found, 0)

    operator.register_vmap(over_a_batch)
    return operator
