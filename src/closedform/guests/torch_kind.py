"""Tensors as applications take them: brought to the host, made from numbers, taken through steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..errors import ArgumentError
from .kinds import known_precision
from .torch_shapes import common_device, is_batched
from .torch_steps import recorded, stepped

SMALL = 2**16
"""Bytes up to which numbers on a GPU are kept for the next call."""


@dataclass(frozen=True)
class TorchKind:
    """Tensors of one device and precision."""

    device: torch.device
    dtype: np.dtype[Any]
    plain: bool
    xp: ClassVar[Any] = torch

    def host(self, name: str, array: Tensor) -> np.ndarray[Any, Any]:
        """Return a tensor as NumPy's array, without a copy on the CPU."""
        _refuse_gradients(name, array)
        found: np.ndarray[Any, Any] = array.detach().resolve_neg().cpu().numpy()
        return found

    def array(self, values: Any) -> Tensor:
        """Return numbers as a tensor on the device; one that is there already is only converted."""
        if isinstance(values, Tensor):
            return values.resolve_neg().to(self.device, _torch(self.dtype))
        given = np.asarray(values)
        if given.dtype.kind == "f":
            given = given.astype(self.dtype, copy=False)
        if self.device.type == "cuda" and given.nbytes <= SMALL:
            return self.constant(given).clone()
        if not given.flags.writeable or not given.flags.c_contiguous:
            given = given.copy()
        return torch.from_numpy(given).to(self.device, non_blocking=True)

    def constant(self, values: Any) -> Tensor:
        """Return numbers as a tensor; of those on a GPU the latest stay, so that graphs can be captured."""
        given = np.asarray(values)
        if self.device.type != "cuda" or given.nbytes > SMALL:
            return self.array(given)
        if given.dtype.kind == "f":
            given = given.astype(self.dtype, copy=False)
        return _kept(given.tobytes(), given.dtype.str, given.shape, self.device)

    def moved(self, array: Any, source: int, destination: int) -> Any:
        """Return an array with an axis moved to another place."""
        return array.movedim(source, destination)

    def followed(self, array: Any) -> bool:
        """Return whether the gradient by a tensor is asked for, and no other transform is at work."""
        return isinstance(array, Tensor) and _lost(array) == "its gradient" and not _transformed()

    def detached(self, array: Tensor) -> Tensor:
        """Return a tensor without its gradient."""
        return array.detach()

    def differentiated(self, array: Any) -> bool:
        """Return whether a tensor has a gradient, a tangent, or a transform at work on it."""
        return isinstance(array, Tensor) and bool(_lost(array))

    def searched(
        self, name: str, array: Tensor, search: Callable[[np.ndarray[Any, Any]], Any], size: int
    ) -> Tensor:
        """Return what a search finds from the numbers of a tensor."""
        return self.array(search(self.host(name, array.detach() if self.followed(array) else array)))

    def attached(self, values: Tensor, array: Tensor, pull: Callable[[Any], Any]) -> Tensor:
        """Return values with a gradient by a tensor, of first order."""
        found: Tensor = _Attached.apply(array, values, pull, self)
        return found

    def stepped(
        self,
        kernel: Any,
        state: Sequence[Tensor],
        arrays: Sequence[Tensor],
        moving: Sequence[bool],
        count: int,
    ) -> Any:
        """Return the states of steps of a kernel, as one function with an adjoint if PyTorch permits it."""
        plain = not _transformed() and not torch.compiler.is_compiling()
        return (stepped if plain else recorded)(kernel, state, arrays, moving, count)

    def march(self, step: Callable[..., Any], start: Any, tables: Sequence[Tensor], count: int) -> Any:
        """Return the states of steps, taken one after the other."""
        states = [start]
        for k in range(count):
            states.append(step(states[-1], k, *(each[k] for each in tables)))
        return tuple(torch.stack(parts) for parts in zip(*states, strict=True))


def kind(name: str, tensors: Sequence[Tensor]) -> TorchKind:
    """Return what tensors have in common; those on several devices are refused."""
    device = common_device(name, tensors)
    if any(each.layout is not torch.strided or each.is_nested for each in tensors):
        raise ArgumentError(f"{name}: a tensor is sparse or nested; expected dense ones: say .to_dense()")
    reals = [each for each in tensors if each.is_floating_point() or each.is_complex()]
    precisions = {known_precision(name, each.dtype) for each in reals}
    dtype = np.dtype(np.float32) if precisions == {np.dtype(np.float32)} else np.dtype(np.float64)
    return TorchKind(device, dtype, device.type == "cpu" and not any(map(_lost, tensors)))


@lru_cache(maxsize=512)
def _kept(numbers: bytes, dtype: str, shape: tuple[int, ...], device: torch.device) -> Tensor:
    """Return a tensor on a GPU, one for equal numbers."""
    array = np.frombuffer(numbers, dtype=dtype).reshape(shape).copy()
    return torch.from_numpy(array).to(device, non_blocking=True)


def _torch(dtype: np.dtype[Any]) -> torch.dtype:
    return torch.float32 if dtype == np.float32 else torch.float64


class _Attached(torch.autograd.Function):
    """Values that were computed on the host, with a gradient that is computed there too."""

    @staticmethod
    def forward(ctx: Any, array: Tensor, values: Tensor, pull: Callable[[Any], Any], kind: TorchKind) -> Any:
        """Return the values."""
        ctx.save_for_backward(array)
        ctx.pull, ctx.kind = pull, kind
        return values.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> Any:
        """Return the gradient."""
        (array,) = ctx.saved_tensors
        if is_batched(cotangent):
            raise ArgumentError(
                "gradients through inverse kinematics are taken one by one: leave out is_grads_batched, "
                "or vectorize"
            )
        return _Pulled.apply(array, cotangent, ctx.pull, ctx.kind), None, None, None


class _Pulled(torch.autograd.Function):
    """A gradient from the host, which has no further one: it says so rather than being taken for constant."""

    @staticmethod
    def forward(
        ctx: Any, array: Tensor, cotangent: Tensor, pull: Callable[[Any], Any], kind: TorchKind
    ) -> Any:
        """Return the gradient, summed over the axes along which the tensor was repeated."""
        return kind.array(pull(cotangent.cpu().numpy())).sum_to_size(array.shape)

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> Any:
        """Refuse."""
        raise ArgumentError("gradients through inverse kinematics are of first order; detach them")


def _transformed() -> bool:
    """Return whether a transform of torch.func or forward differentiation is at work."""
    stack = torch._C._functorch.peek_interpreter_stack()
    return stack is not None or torch.autograd.forward_ad._current_level >= 0


def _lost(tensor: Tensor) -> str:
    """Return what would be lost if only the numbers of a tensor were taken; nothing, if nothing would."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return "its gradient"
    if torch._C._functorch.peek_interpreter_stack():
        return "a transform of torch.func"
    forward = torch.autograd.forward_ad
    if forward._current_level >= 0 and forward.unpack_dual(tensor).tangent is not None:
        return "its tangent"
    return ""


def _refuse_gradients(name: str, tensor: Tensor) -> None:
    lost = _lost(tensor)
    if lost:
        raise ArgumentError(
            f"{name} has no gradient here, and a tensor would lose {lost}; give tensor.detach(), "
            "or call within torch.no_grad()"
        )
