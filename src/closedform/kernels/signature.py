"""What a kernel takes and gives: names, core shapes and precision of its arrays, several results by name."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, shown

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
        if set(left) != set(named):
            given = ", ".join(map(shown, named))
            inputs = ", ".join(self.input_names)
            raise ArgumentError(
                f"{self.name} takes {inputs}; {len(args)} given in order, and {given} by name"
            )
        return (*args, *(named[each] for each in left))

    def wrong_count(self, args: Sequence[Any]) -> ArgumentError:
        """Return the error of a call with too many arrays or too few."""
        count, inputs = len(self.input_names), ", ".join(self.input_names)
        return ArgumentError(f"{self.name} takes {count} array(s) ({inputs}); {len(args)} given")

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
            except (ValueError, TypeError, OverflowError, RecursionError):
                return ArgumentError(f"{self.name}: {name} is ragged or no array at all; {expected}")
            if not np.can_cast(array.dtype, self.dtype, "same_kind") or array.dtype.kind not in "fiub":
                return ArgumentError(
                    f"{self.name}: {name} has dtype {array.dtype}; expected reals up to {self.dtype}"
                )
            if not _fits(array, shape):
                return ArgumentError(f"{self.name}: {name} has shape {array.shape}; {expected}")
        detail = "" if out is None else f"; out is {described(out)}"
        shapes = ", ".join(f"{n} {np.shape(a)}" for n, a in zip(self.input_names, args, strict=True))
        return ArgumentError(f"{self.name}: {error} (given {shapes}{detail})")


def _fits(array: np.ndarray[Any, Any], shape: Shape) -> bool:
    """Whether the last axes of an array are those of a core shape."""
    return bool(array.shape[max(0, array.ndim - len(shape)) :] == shape)


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
