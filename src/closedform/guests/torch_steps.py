"""Many steps of one kernel as one function of PyTorch: states forward, their adjoints backward.

A step that PyTorch records by itself costs it several times what the kernel takes. Here a run is recorded as
one function, which keeps the states and goes back through them with the kernel's own product (`Kernel.vjp`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .torch_cuda import on_device
from .torch_operators import evaluated
from .torch_shapes import is_batched, summed


def stepped(
    kernel: Any, state: Sequence[Tensor], arrays: Sequence[Tensor], moving: Sequence[bool], count: int
) -> tuple[Tensor, ...]:
    """Return the states (count + 1, ...) of steps: the kernel takes the state, then entry k of what moves."""
    if not torch.is_grad_enabled() or not any(each.requires_grad for each in (*state, *arrays)):
        return _forward(kernel, state, arrays, moving, count)
    found: tuple[Tensor, ...] = _Steps.apply(kernel, tuple(moving), count, len(state), *state, *arrays)
    return found


def recorded(
    kernel: Any, state: Sequence[Tensor], arrays: Sequence[Tensor], moving: Sequence[bool], count: int
) -> tuple[Tensor, ...]:
    """Return the same, each step a function of its own: for further derivatives and transforms."""
    states = [tuple(state)]
    for k in range(count):
        found = kernel(*states[-1], *_entries(arrays, moving, k))
        states.append((found,) if isinstance(found, Tensor) else tuple(found))
    return tuple(torch.stack(parts) for parts in zip(*states, strict=True))


def _entries(arrays: Sequence[Tensor], moving: Sequence[bool], k: int) -> list[Tensor]:
    return [each[k] if moves else each for each, moves in zip(arrays, moving, strict=True)]


def _forward(
    kernel: Any, state: Sequence[Tensor], arrays: Sequence[Tensor], moving: Sequence[bool], count: int
) -> tuple[Tensor, ...]:
    paths = tuple(each.new_empty((count + 1, *each.shape)) for each in state)
    now: Sequence[Tensor] = [each.detach() for each in state]
    given = [each.detach() for each in arrays]
    for path, each in zip(paths, now, strict=True):
        path[0] = each
    for k in range(count):
        after = [path[k + 1] for path in paths]
        _into(kernel, [*now, *_entries(given, moving, k)], after)
        now = after
    return paths


def _into(kernel: Any, tensors: Sequence[Tensor], outs: Sequence[Tensor]) -> None:
    """Evaluate a kernel into whole tensors apart from the inputs."""
    if outs[0].is_cuda:
        on_device(kernel, tensors, outs)
        return
    arrays = tuple(each.numpy() for each in outs)
    kernel(*(each.numpy() for each in tensors), out=arrays if len(arrays) > 1 else arrays[0])


class _Steps(torch.autograd.Function):
    """A run, with the gradient by its start and by all that the steps take."""

    @staticmethod
    def forward(
        ctx: Any, kernel: Any, moving: tuple[bool, ...], count: int, size: int, *tensors: Tensor
    ) -> Any:
        """Return the states, and keep them."""
        paths = _forward(kernel, tensors[:size], tensors[size:], moving, count)
        ctx.save_for_backward(*tensors, *paths)
        ctx.run = kernel, moving, count, size
        return paths

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor) -> Any:
        """Return a gradient for each tensor; if that shall have gradients again, step by step."""
        kernel, moving, count, size = ctx.run
        tensors, paths = ctx.saved_tensors[:-size], ctx.saved_tensors[-size:]
        nothing = (None,) * 4
        further = torch.is_grad_enabled()
        if further or any(map(is_batched, cotangents)):
            with torch.enable_grad():
                again = recorded(kernel, tensors[:size], tensors[size:], moving, count)
            wanted = [each for each in tensors if each.requires_grad]
            gradients = iter(
                torch.autograd.grad(again, wanted, cotangents, create_graph=further, allow_unused=True)
            )
            return *nothing, *(next(gradients) if each.requires_grad else None for each in tensors)
        return *nothing, *_adjoint(kernel, tensors, paths, moving, count, cotangents)


def _adjoint(
    kernel: Any,
    tensors: Sequence[Tensor],
    paths: Sequence[Tensor],
    moving: Sequence[bool],
    count: int,
    cotangents: Sequence[Tensor],
) -> list[Tensor | None]:
    """Return a gradient for each tensor, from those of all states, going back through the steps."""
    size = len(paths)
    arrays, vjp = tensors[size:], kernel.vjp
    along = [each[count] for each in cotangents]
    gathered: list[Any] = [
        each.new_empty(each.shape) if moves else 0.0 for each, moves in zip(arrays, moving, strict=True)
    ]
    for k in range(count - 1, -1, -1):
        entries = _entries(arrays, moving, k)
        found = evaluated(vjp, [*(path[k] for path in paths), *entries, *along])
        found = (found,) if isinstance(found, Tensor) else found
        along = [each + own[k] for each, own in zip(found[:size], cotangents, strict=True)]
        for place, (entry, gradient) in enumerate(zip(entries, found[size:], strict=True)):
            if not arrays[place].requires_grad:
                continue
            if moving[place]:
                gathered[place][k] = summed(gradient, entry.shape)
            else:
                gathered[place] = gathered[place] + gradient
    results: list[Tensor | None] = list(along)
    for array, moves, total in zip(arrays, moving, gathered, strict=True):
        if not array.requires_grad:
            results.append(None)
        else:
            results.append(total if moves else summed(total, array.shape))
    return results
