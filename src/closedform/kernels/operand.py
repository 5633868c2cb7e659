"""An input or output of a loop over samples: its number, its sizes, and the call that copies it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

LINE = 64
"""Bytes of a cache line."""

MAX_AXES = 3
"""Most core axes of an operand."""


def whole_lines(count: int) -> int:
    """Return a number of bytes rounded up to whole cache lines."""
    return -(-count // LINE) * LINE


@dataclass(frozen=True)
class Operand:
    """An input or output of the loop: its number, core shape and bytes per sample."""

    number: int
    shape: tuple[int, ...]
    size: int
    output: bool

    @property
    def bytes(self) -> int:
        """Bytes of one contiguous sample."""
        return max(1, math.prod(self.shape)) * self.size

    @property
    def room(self) -> int:
        """Bytes from one packed sample to the next; packed samples of an output share no cache line."""
        return whole_lines(self.bytes) if self.output else self.bytes

    @property
    def packed_strides(self) -> list[int]:
        """Byte strides of a contiguous sample, padded to `MAX_AXES` axes."""
        padded = self.padded_shape
        return [math.prod(padded[axis + 1 :]) * self.size for axis in range(MAX_AXES)]

    @property
    def padded_shape(self) -> list[int]:
        """The core shape after leading axes of one entry, `MAX_AXES` in all."""
        return [1] * (MAX_AXES - len(self.shape)) + list(self.shape)

    @property
    def given_strides(self) -> list[str]:
        """The caller's byte strides, padded to `MAX_AXES` axes."""
        own = [f"%stride{self.number}.{axis}" for axis in range(len(self.shape))]
        return ["0"] * (MAX_AXES - len(self.shape)) + own

    def copy(self, target: tuple[str, str, list[str]], source: tuple[str, str, list[str]], count: str) -> str:
        """Return the call that copies `count` samples; both ends are (pointer, step, strides)."""
        ends = (
            f"ptr {end[0]}, i64 {end[1]}, {', '.join(f'i64 {s}' for s in end[2])}" for end in (target, source)
        )
        sizes = ", ".join(f"i64 {n}" for n in self.padded_shape)
        return f"call void @strided_copy({', '.join(ends)}, i64 {count}, {sizes})"


def whole_steps(shapes: Sequence[Sequence[int]], size: int) -> list[int]:
    """Return the steps of a whole batch: bytes from sample to sample, then within a sample, of operands."""
    operands = [Operand(k, tuple(shape), size, False) for k, shape in enumerate(shapes)]
    within = [each.packed_strides[MAX_AXES - len(each.shape) :] for each in operands]
    return [*(each.bytes for each in operands), *chain.from_iterable(within)]
