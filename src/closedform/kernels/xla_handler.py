"""A kernel as a function that XLA calls on the CPU."""

from __future__ import annotations

import numpy as np

from .call_code import word
from .operand import whole_steps
from .signature import Signature
from .xla_call import TABLE, Handler, text

EVALUATE = f"""
evaluate:
{word("loop", "table", TABLE["code"], "ptr")}
  call void %loop(ptr %pointers, ptr %dimensions, ptr %steps, ptr null)
  ret ptr null"""


class XlaHandler(Handler):
    """The function that XLA calls for one kernel; `owner` holds the machine code of the kernel's loop."""

    def __init__(self, signature: Signature, loop: int, owner: object) -> None:
        shapes = [*signature.input_shapes, *signature.output_shapes]
        steps = whole_steps(shapes, np.dtype(signature.dtype).itemsize)
        inputs = len(signature.input_shapes)
        super().__init__(text(EVALUATE), shapes, inputs, signature.dtype.name, steps)
        self._owner = owner
        self.table[TABLE["code"]] = loop
