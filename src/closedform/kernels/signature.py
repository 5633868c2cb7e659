"""What a kernel takes and gives: names, core shapes and precision of its arrays, several results by name."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, no_such_argument, shorten, shown
from ..guests import guest_of

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """The arrays of the function `name`; each may have batch axes before those of its core shape."""

    name: str
    input_names: tuple[str, ...]
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        sides = (self.input_shapes, self.output_shapes)
        cores = [[f"({','.join(map(str, shape))})" for shape in shapes] for shapes in sides]
        return "->".join(map(",".join, cores))

    def in_order(self, args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> tuple[ArrayLike, ...]:
        """Return the arrays of a call in the order of the inputs, those given by name after the others."""
        left = self.input_names[len(args) :]
        for name in named:
            if name not in self.input_names:
                raise no_such_argument(self.name, name, (*self.input_names, "out", "threads"))
            if name not in left and len(args) <= len(self.input_names):
                raise ArgumentError(f"{self.name}: {name} is given twice, in order and by name")
        if len(args) > len(self.input_names) or len(named) < len(left):
            raise self.wrong_count((*args, *named.values()), [name for name in left if name not in named])
        return (*args, *(named[each] for each in left))

    def wrong_count(self, args: Sequence[Any], missing: Sequence[str] = ()) -> ArgumentError:
        """Return the error of a call with too many arrays or too few."""
        count, inputs = len(self.input_names), ", ".join(self.input_names)
        absent = f", without {' and '.join(missing)}" if missing else ""
        return ArgumentError(f"{self.name} takes {count} array(s) ({inputs}); {len(args)} given{absent}")

    def batch(self, arrays: Sequence[np.ndarray[Any, Any]]) -> Shape:
        """Return the batch shape to which arrays broadcast; raise ValueError if they do not."""
        if not all(map(_fits, arrays, self.input_shapes)):
            raise ValueError("core shape")
        pairs = zip(arrays, self.input_shapes, strict=True)
        return np.broadcast_shapes(*(array.shape[: array.ndim - len(shape)] for array, shape in pairs))

    def explained(self, args: Sequence[ArrayLike], out: Any, error: Exception) -> ArgumentError:
        """Return the error of a failed call in the words of the arguments."""
        if isinstance(error, ArgumentError):
            return error
        for name, argument, shape in zip(self.input_names, args, self.input_shapes, strict=True):
            expected = f"expected (..., {', '.join(map(str, shape)) if shape else 'no core axis'})"
            try:
                array = np.asarray(argument)
            except (ValueError, TypeError, OverflowError, RuntimeError):
                if isinstance(argument, list | tuple) and any(guest_of(each) for each in argument):
                    return ArgumentError(
                        f"{self.name}: {name} is a list of tensors or JAX arrays; join them first, with "
                        "torch.stack or jax.numpy.stack"
                    )
                return ArgumentError(f"{self.name}: {name} is ragged or no array at all; {expected}")
            if not np.can_cast(array.dtype, self.dtype, "same_kind") or array.dtype.kind not in "fiub":
                return ArgumentError(
                    f"{self.name}: {name} has dtype {array.dtype}; expected reals up to {self.dtype}"
                )
            if not _fits(array, shape):
                return ArgumentError(f"{self.name}: {name} has shape {array.shape}; {expected}")
        arrays = [np.asarray(argument) for argument in args]
        try:
            batch = self.batch(arrays)
        except ValueError:
            parts = ", ".join(
                f"{name} {array.shape} has batch {array.shape[: array.ndim - len(shape)]}"
                for name, array, shape in zip(self.input_names, arrays, self.input_shapes, strict=True)
            )
            return ArgumentError(f"{self.name}: batches do not broadcast: {parts}")
        wrong = None if out is None else self.wrong_output(out, batch)
        return wrong or ArgumentError(f"{self.name}: {shorten(str(error), 200)}")

    def plain(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Return arrays without the subclasses that NumPy would give the result too."""
        for name, each in zip(self.input_names, args, strict=True):
            if np.ma.is_masked(each):
                raise ArgumentError(f"{self.name}: {name} has masked entries; fill them, or leave them out")
        return tuple(each.view(np.ndarray) if isinstance(each, np.ndarray) else each for each in args)

    def check_outputs(self, outs: Sequence[Any]) -> None:
        """Refuse more outputs or fewer than there are, and those of whole numbers or other things."""
        if len(outs) != len(self.output_shapes):
            raise ArgumentError(
                f"{self.name}: out has {len(outs)} arrays; expected {len(self.output_shapes)}"
            )
        for each in outs:
            if isinstance(each, np.ndarray) and each.dtype.kind != "f":
                raise ArgumentError(f"{self.name}: out has dtype {each.dtype}; expected {self.dtype}")

    def wrong_output(self, out: Any, batch: Shape) -> ArgumentError | None:
        """Return the error of outputs that cannot hold the results of a batch, if they cannot."""
        count = len(self.output_shapes)
        if count > 1 and not isinstance(out, tuple):
            return ArgumentError(f"{self.name}: out is {described(out)}; expected a tuple of {count} arrays")
        outs = out if isinstance(out, tuple) else (out,)
        for k, (each, shape) in enumerate(zip(outs, self.output_shapes, strict=True)):
            label, expected = f"{self.name}: out{f'[{k}]' if count > 1 else ''}", (*batch, *shape)
            if each is None and isinstance(out, tuple):
                continue  # NumPy makes this one
            if not isinstance(each, np.ndarray):
                return ArgumentError(f"{label} is {described(each)}; expected an array of shape {expected}")
            if not each.flags.writeable:
                return ArgumentError(f"{label} is read-only; give an array that can be written")
            if not _fits(each, shape) or not _spreads(batch, each.shape[: each.ndim - len(shape)]):
                return ArgumentError(f"{label} has shape {each.shape}; expected {expected}")
        return None


def _fits(array: np.ndarray[Any, Any], shape: Shape) -> bool:
    """Whether the last axes of an array are those of a core shape."""
    return bool(array.shape[max(0, array.ndim - len(shape)) :] == shape)


def _spreads(batch: Shape, wider: Shape) -> bool:
    """Whether a batch broadcasts to a wider one."""
    try:
        return np.broadcast_shapes(batch, wider) == wider
    except ValueError:
        return False


def described(array: Any) -> str:
    """Return shape and dtype of an array, or what else was given."""
    if isinstance(array, np.ndarray):
        return f"of shape {array.shape} and dtype {array.dtype}"
    return shown(array)


@cache
def named_outputs(name: str, fields: tuple[str, ...]) -> Any:
    """Return the type of a tuple of outputs, with their names as fields; its values pickle.

    >>> from closedform.kernels import named_outputs
    >>> named_outputs("halves", ("first", "second"))(1, 2)
    halves(first=1, second=2)
    """
    plain = name if name.isidentifier() else "outputs"
    made: Any = namedtuple(plain, fields, rename=True)  # type: ignore[misc]
    return type(
        plain, (made,), {"__slots__": (), "__reduce__": lambda self: (_outputs, (name, fields, *self))}
    )


def _outputs(name: str, fields: tuple[str, ...], *values: Any) -> Any:
    return named_outputs(name, fields)(*values)
