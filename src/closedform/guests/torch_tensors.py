"""Kernels on PyTorch tensors: results are tensors, with gradients of any order.

Backward and forward differentiation call the kernel's own products (`Kernel.vjp`, `Kernel.jvp`), which
have products again. `torch.compile` sees one registered operator per kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import ArgumentError, shown
from .kept import once_per_kernel
from .kinds import guest_of, kind_in_words, known_precision
from .shapes import batch_of, outputs_of
from .torch_bound import bind
from .torch_cuda import into
from .torch_operators import evaluated, operator_of
from .torch_patterns import Call
from .torch_shapes import common_device, in_front, is_batched, summed, whole_shapes
from .torch_shortcut import plain_call

__all__ = ["bind", "call", "shortcut"]


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Evaluate a kernel on tensors; numbers and lists become tensors beside them."""
    tensors = _alike(kernel, args)
    if out is not None:
        return _into(kernel, tensors, out, threads)
    if _transformed(tensors):
        results = _function(kernel).apply(*tensors)
    elif _traced(tensors):
        results = operator_of(kernel)(*tensors)
    elif torch.is_grad_enabled() and any(each.requires_grad for each in tensors):
        results = _function(kernel).apply(*tensors)
    else:
        results = evaluated(kernel, tensors, threads)
    return results if kernel.results is None else tuple.__new__(kernel.results, results)


@once_per_kernel
def shortcut(kernel: Any) -> Call | None:
    """Return what evaluates repeated calls of plain tensors, and gives None for others; or None."""
    function, results = _function(kernel), kernel.results

    def differentiable(args: Sequence[Tensor]) -> Any:
        found = function.apply(*args)
        return found if results is None else tuple.__new__(results, found)

    return plain_call(kernel, differentiable)


def _product(kernel: Any, tensors: Sequence[Tensor]) -> Any:
    """Evaluate a product with the Jacobian, quickly if the tensors are plain."""
    quick = None if any(map(is_batched, tensors)) else shortcut(kernel)
    found = None if quick is None else quick(tensors)
    return call(kernel, tensors, None, 1) if found is None else found


def _alike(kernel: Any, args: Sequence[Any]) -> list[Tensor]:
    """Return all arguments as tensors of the kernel's precision on one device."""
    given = [each for each in args if isinstance(each, Tensor)]
    device = common_device(kernel.name, given)
    for each in given:
        known_precision(kernel.name, each.dtype)
        if each.is_nested:
            raise ArgumentError(f"{kernel.name}: a tensor is nested; make it one with .to_padded_tensor(...)")
        if each.layout is not torch.strided:
            raise ArgumentError(f"{kernel.name}: a tensor is {each.layout}; make it dense with .to_dense()")
    dtype = torch.float64 if kernel.dtype == np.float64 else torch.float32
    tensors = []
    for name, each in zip(kernel.input_names, args, strict=True):
        if isinstance(each, Tensor):
            plain = each.resolve_neg()  # the memory of a negated view has the other sign
            tensors.append(plain if plain.dtype == dtype else plain.to(dtype))
        elif isinstance(each, np.ndarray) or hasattr(each, "__array_interface__"):
            raise ArgumentError(
                f"{kernel.name}: {name} is a NumPy array beside tensors; convert it with torch.from_numpy"
            )
        elif guest_of(each) is not None:
            raise ArgumentError(
                f"{kernel.name}: {name} is {kind_in_words(each)} beside tensors; convert it with "
                "torch.from_dlpack"
            )
        else:
            try:
                tensors.append(torch.as_tensor(each, dtype=dtype, device=device))
            except (TypeError, ValueError, RuntimeError) as error:
                raise ArgumentError(f"{kernel.name}: {name} is {shown(each)}; expected a tensor") from error
    whole_shapes(kernel, tensors)  # refuses shapes that do not fit, in the words of the arguments
    return tensors


def _traced(tensors: Sequence[Tensor]) -> bool:
    """Whether PyTorch looks at the call rather than at numbers: a compiler, or tensors of another class."""
    if torch.compiler.is_compiling() or torch.jit.is_tracing() or torch._C._len_torch_dispatch_stack():
        return True
    return any(type(each) not in (Tensor, torch.nn.Parameter) or is_batched(each) for each in tensors)


def _transformed(tensors: Sequence[Tensor]) -> bool:
    """Whether a transform of `torch.func` is at work, or tensors carry tangents."""
    if torch._C._functorch.peek_interpreter_stack():
        return True
    forward = torch.autograd.forward_ad  # tensors carry tangents only within one of its levels
    return forward._current_level >= 0 and any(
        forward.unpack_dual(each).tangent is not None for each in tensors
    )


def _into(kernel: Any, tensors: Sequence[Tensor], out: Any, threads: int) -> Any:
    """Evaluate into tensors of the caller."""
    outs = out if isinstance(out, tuple) else (out,)
    for each in outs:
        if not isinstance(each, Tensor) or each.device != tensors[0].device:
            raise ArgumentError(f"{kernel.name}: out is {shown(each)}; expected tensors beside the inputs")
    if torch.is_grad_enabled() and any(each.requires_grad for each in (*tensors, *outs)):
        raise ArgumentError(
            f"{kernel.name}: out= has no gradient; leave it out, or call within torch.no_grad()"
        )
    if _transformed(tensors) or _traced((*tensors, *outs)):
        raise ArgumentError(f"{kernel.name}: out= does not go with torch.compile or torch.func; leave it out")
    if tensors[0].is_cuda:
        into(kernel, tensors, outputs_of(kernel, out, batch_of(kernel, tensors, torch.broadcast_shapes)))
    else:
        arrays = tuple(each.detach().numpy() for each in outs)
        given = [each.detach().numpy() for each in tensors]
        with np.errstate(all="ignore"):
            kernel(*given, out=arrays if isinstance(out, tuple) else arrays[0], threads=threads)
    torch.autograd.graph.increment_version([each for each in outs if not each.is_inference()])
    return out


@once_per_kernel
def _function(kernel: Any) -> type[torch.autograd.Function]:
    """Return the differentiable function of a kernel."""
    one = kernel.results is None

    class Call(torch.autograd.Function):
        """A kernel with its derivatives in both directions, and over a further batch."""

        @staticmethod
        def forward(*tensors: Tensor) -> Any:
            """Evaluate."""
            return operator_of(kernel)(*tensors) if _traced(tensors) else evaluated(kernel, tensors)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Any) -> None:
            """Keep the inputs for both directions."""
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *cotangents: Tensor) -> tuple[Tensor, ...]:
            """Return a gradient per input, summed over what was broadcast."""
            inputs = ctx.saved_tensors
            gradients = _product(kernel.vjp, [*inputs, *cotangents])
            gradients = (gradients,) if isinstance(gradients, Tensor) else gradients
            return tuple(summed(grad, each.shape) for grad, each in zip(gradients, inputs, strict=True))

        @staticmethod
        def jvp(ctx: Any, *tangents: Tensor | None) -> Any:
            """Return the rates of the results along tangents of the inputs."""
            inputs = ctx.saved_tensors
            along = [torch.zeros_like(x) if v is None else v for x, v in zip(inputs, tangents, strict=True)]
            rates = _product(kernel.jvp, [*inputs, *along])
            return rates if one else tuple(rates)

        @staticmethod
        def vmap(info: Any, in_dims: tuple[int | None, ...], *tensors: Tensor) -> Any:
            """Put the further batch in front of the others, over which kernels broadcast."""
            results = call(kernel, in_front(kernel, tensors, in_dims), None, 1)
            return (results, 0) if one else (tuple(results), (0,) * len(results))

    Call.__name__ = Call.__qualname__ = kernel.name
    return Call
