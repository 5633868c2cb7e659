"""Programs evaluated with NumPy, operation by operation: the reference for kernels and exports."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .operations import NUMPY
from .program import Program


def evaluate(program: Program, *arrays: ArrayLike) -> Any:
    """Return the output of a program (a tuple of several) on arrays of any leading batch shape."""
    columns: list[Any] = []
    batches = []
    for array, (_, shape) in zip(arrays, program.inputs, strict=True):
        given = np.asarray(array, dtype=float)
        batch = given.shape[: given.ndim - len(shape)]
        batches.append(batch)
        flat = given.reshape(*batch, -1)
        columns.extend(flat[..., k] for k in range(flat.shape[-1]))
    batch = np.broadcast_shapes(*batches)
    values: list[Any] = []
    for name, operands, number in program.operations:
        if name == "const":
            values.append(np.float64(number))
        elif name == "input":
            values.append(columns[int(number)])
        else:
            values.append(NUMPY[name](*(values[x] for x in operands)))
    outputs = []
    for (_, shape), row in zip(program.outputs, program.results, strict=True):
        result = np.empty((*batch, len(row)))
        for k, value in enumerate(row):
            result[..., k] = values[value]
        outputs.append(result.reshape(batch + shape))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
