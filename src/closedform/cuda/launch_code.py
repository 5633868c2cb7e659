"""LLVM text of a launch: a row of memory says what is launched and how, machine code hands it to the driver.

Python takes longer to name the arguments of a launch than the GPU takes for small batches.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ..errors import ClosedFormError
from ..kernels.call_code import MOST_OPERANDS, repeat, word
from .device import Shape

ROW = ("next", "device", "count", "function", "blocks", "parts", "threads", "shared", "each")
"""Words of a row: the address of the next one or 0, what it is for, then the launch: the function, two sizes
of the grid and one of a block, shared memory, and how many samples a warp takes, which is an argument."""

LAUNCH = (
    "ptr %function, i32 %blocks, i32 %parts, i32 1, i32 %threads, i32 1, i32 1, i32 %shared, ptr %stream, "
    "ptr %launch.arguments, ptr null"
)
"""What `cuLaunchKernel` takes: the function, three sizes of the grid and of a block, shared memory, the
stream, and where the arguments are."""


def launch(before: str, pointers: str, operands: str, inputs: str) -> str:
    """Return the instructions that launch %row by %launch on %stream; %status is the driver's answer.

    `pointers` has the operands' addresses, %steps the inputs' strides, `operands` and `inputs` their numbers;
    `before` is the block that the instructions continue.
    """
    return f"""
  %launch.arguments = alloca [{2 + 2 * MOST_OPERANDS} x ptr]
  %launch.count = getelementptr i64, ptr %row, i64 {ROW.index("count")}
  store ptr %launch.count, ptr %launch.arguments
  %launch.each = getelementptr i64, ptr %row, i64 {ROW.index("each")}
  %launch.each.argument = getelementptr ptr, ptr %launch.arguments, i64 1
  store ptr %launch.each, ptr %launch.each.argument
{repeat("j", before, operands, "ready")}
  %j.data = getelementptr ptr, ptr {pointers}, i64 %j
  %j.step = getelementptr i64, ptr %steps, i64 %j
  %j.input = icmp ult i64 %j, {inputs}
  %j.after = add i64 %j, {inputs}
  %j.place = select i1 %j.input, i64 %j, i64 %j.after
  %j.first = add i64 %j.place, 2
  %j.argument = getelementptr ptr, ptr %launch.arguments, i64 %j.first
  store ptr %j.data, ptr %j.argument
  br i1 %j.input, label %stride, label %j.next
stride:
  %j.second = add i64 %j.after, 2
  %j.stride = getelementptr ptr, ptr %launch.arguments, i64 %j.second
  store ptr %j.step, ptr %j.stride
  br label %j.next
ready:
{word("function", "row", ROW.index("function"), "ptr")}
{word("blocks", "row", ROW.index("blocks"), "i32")}
{word("parts", "row", ROW.index("parts"), "i32")}
{word("threads", "row", ROW.index("threads"), "i32")}
{word("shared", "row", ROW.index("shared"), "i32")}
  %status = call i32 %launch({LAUNCH})"""


def row(shape: Shape, device: int, count: int, following: int = 0) -> list[int]:
    """Return the words of a row."""
    blocks, parts, threads = shape.grid(count)
    function = int(shape.function)
    return [following, device, count, function, blocks, parts, threads, shape.shared, shape.each]


def driver_address(name: str) -> int:
    """Return the address of a function of the driver, which is loaded already where there are GPU arrays."""
    try:
        function: Any = getattr(ctypes.CDLL("libcuda.so.1"), name)
    except (AttributeError, OSError) as error:
        raise ClosedFormError(f"NVIDIA's driver has no {name} ({error}); install a newer driver") from error
    return ctypes.cast(function, ctypes.c_void_p).value or 0
