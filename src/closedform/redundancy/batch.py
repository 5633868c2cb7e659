"""A batch of samples as one object: its arrays are taken apart and put together row by row."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass
class Batch:
    """Arrays (or further batches) with one row per sample."""

    def take(self, which: Mask | Indices) -> Self:
        """Return a copy of some of the samples."""
        parts = (getattr(self, field.name) for field in fields(self))
        return type(self)(*(part.take(which) if isinstance(part, Batch) else part[which] for part in parts))

    def put(self, which: Mask | Indices, others: Self) -> None:
        """Replace some of the samples."""
        for field in fields(self):
            part, other = getattr(self, field.name), getattr(others, field.name)
            if isinstance(part, Batch):
                part.put(which, other)
            else:
                part[which] = other
