"""Tensors on a GPU, of a shape that is known: machine code finds their memory and launches the kernel."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any

from ..kernels.call_code import word
from ..kernels.tensor_call import OWNER, tensor_built_in
from .device import DeviceKernel
from .launch_code import ROW, driver_address, launch, row

CUDA = 2
"""DLPack's number of CUDA devices (`kDLCUDA`)."""

WORDS = {"stream": 0, "launch": 1, "integer": 2, "operands": 3, "inputs": 4, "row": 5}
"""What the text finds behind the usual words of its owner: functions that tell the current stream, launch and
make an integer of Python; the numbers of operands and inputs; a row, and the steps of the inputs."""

AT = {name: OWNER["more"] + k for name, k in WORDS.items()}

RUN = f"""
{word("stream.get", "buffer", AT["stream"], "ptr")}
{word("launch", "buffer", AT["launch"], "ptr")}
{word("integer", "buffer", AT["integer"], "ptr")}
{word("operands.count", "buffer", AT["operands"])}
{word("inputs.count", "buffer", AT["inputs"])}
  %row = getelementptr i64, ptr %buffer, i64 {AT["row"]}
  %steps = getelementptr i64, ptr %row, i64 {len(ROW)}
{word("device", "row", ROW.index("device"), "i32")}
  %stream.at = alloca ptr
  %asked = call i32 %stream.get(i32 {CUDA}, i32 %device, ptr %stream.at)
  %known = icmp eq i32 %asked, 0
  br i1 %known, label %streamed, label %failed
streamed:
  %stream = load ptr, ptr %stream.at
  %state = call ptr %save()
{launch("streamed", "%operands", "%operands.count", "%inputs.count")}
  call void %restore(ptr %state)
  %taken = icmp eq i32 %status, 0
  br i1 %taken, label %done, label %told
told:
  %code = zext i32 %status to i64
  %answer = call ptr %integer(i64 %code)
  ret ptr %answer"""


def tensor_launch(
    kernel: Any, loaded: DeviceKernel, read: int, stream: int, count: int
) -> Callable[..., int | None] | None:
    """Return a built-in that launches `count` samples of whole tensors on their GPU; None if it cannot.

    It takes inputs and outputs in order, and returns the driver's error if there is one. `read` and `stream`
    are addresses of functions of the tensors' library: DLPack's description of one, and the current stream.
    """
    inputs, outputs = kernel.input_shapes, kernel.output_shapes
    words = {
        "stream": stream,
        "launch": driver_address("cuLaunchKernel"),
        "integer": ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value or 0,
        "operands": len(inputs) + len(outputs),
        "inputs": len(inputs),
    }
    lines = [*row(loaded.shape(count), loaded.device, count), *map(prod, inputs)]
    return tensor_built_in(kernel, read, RUN, [*(words[name] for name in list(WORDS)[:-1]), *lines], loaded)
