"""A kernel as a function that XLA calls on a GPU: machine code that launches it on XLA's stream.

Everything is loaded and decided before XLA runs: for each device and number of samples that a compiled
function may ask for there is a row with the function of the device and the shape of the launch. The machine
code finds the row and hands the addresses to the driver.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from casadi import SX

from ..kernels import Kernel, compiled
from ..kernels import xla_layout as layout
from ..kernels.call_code import field, word
from ..kernels.xla_call import TABLE, Handler, put, refusal, text
from .device import device_kernel
from .driver import context_of
from .launch_code import ROW, driver_address, launch, row

DRIVER = {"launch": 0, "device": 1, "rows": 2}
"""Words that the table points to: the driver's `cuLaunchKernel` and `cuCtxGetDevice`, and the first row."""

ABSENT = b"closedform: the kernel was not loaded for this GPU and batch; call it through its method\0"
FAILED = b"closedform: the GPU did not take the launch of a kernel, CUDA error 000\0"


def _message(name: str, content: bytes) -> str:
    return f'@{name} = internal constant [{len(content)} x i8] c"{content[:-1].decode()}\\00"'


def _digits() -> str:
    """Return the instructions that write the three digits of %code into the message at %said."""
    lines = []
    for k, scale in enumerate((100, 10, 1)):
        lines += [
            f"  %digit{k}.above = udiv i32 %code, {scale}",
            f"  %digit{k}.value = urem i32 %digit{k}.above, 10",
            f"  %digit{k}.text = add i32 %digit{k}.value, 48",
            f"  %digit{k} = trunc i32 %digit{k}.text to i8",
            f"  %digit{k}.at = getelementptr i8, ptr %said, i64 {len(FAILED) - 4 + k}",
            f"  store i8 %digit{k}, ptr %digit{k}.at",
        ]
    return "\n".join(lines)


EVALUATE = f"""
evaluate:
{word("driver", "table", TABLE["code"], "ptr")}
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %ask
done:
  ret ptr null
ask:
{field("functions", "frame", layout.FRAME["api"])}
{field("stream.get", "functions", layout.STREAM_GET)}
{field("context", "frame", layout.FRAME["context"])}
  %asked.stream = alloca [{layout.STREAM_SIZE} x i8], align 8
{put("asked.stream", layout.STREAM["size"], f"i64 {layout.STREAM_SIZE}")}
{put("asked.stream", layout.STREAM["extension"], "ptr null")}
{put("asked.stream", layout.STREAM["context"], "ptr %context")}
{put("asked.stream", layout.STREAM["stream"], "ptr null")}
  %problem = call ptr %stream.get(ptr %asked.stream)
  %streamed = icmp eq ptr %problem, null
  br i1 %streamed, label %where, label %unstreamed
unstreamed:
  ret ptr %problem
where:
{field("stream", "asked.stream", layout.STREAM["stream"])}
{word("current", "driver", DRIVER["device"], "ptr")}
  %ordinal.there = alloca i32
  %located = call i32 %current(ptr %ordinal.there)
  %found = icmp eq i32 %located, 0
  br i1 %found, label %search, label %failed
search:
  %ordinal = load i32, ptr %ordinal.there
  %device = zext i32 %ordinal to i64
{word("rows", "driver", DRIVER["rows"], "ptr")}
  br label %look
look:
  %row = phi ptr [ %rows, %search ], [ %row.next, %compare ]
  %last = icmp eq ptr %row, null
  br i1 %last, label %absent, label %compare
compare:
{word("row.next", "row", ROW.index("next"), "ptr")}
{word("row.device", "row", ROW.index("device"))}
{word("row.count", "row", ROW.index("count"))}
  %same.device = icmp eq i64 %row.device, %device
  %same.count = icmp eq i64 %row.count, %n
  %same = and i1 %same.device, %same.count
  br i1 %same, label %collect, label %look
collect:
{word("launch", "driver", DRIVER["launch"], "ptr")}
{launch("collect", "%pointers", "%operands", "%expected.inputs")}
  %taken = icmp eq i32 %status, 0
  br i1 %taken, label %done, label %failed
failed:
  %code = phi i32 [ %located, %where ], [ %status, %ready ]
  %said = alloca [{len(FAILED)} x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %said, ptr @said, i64 {len(FAILED)}, i1 false)
{_digits()}
  br label %told
{refusal("told", "%said", layout.INTERNAL)}
{refusal("absent", "@absent", layout.INTERNAL)}"""

CONSTANTS = "\n".join([_message("said", FAILED), _message("absent", ABSENT)])


class LaunchHandler(Handler):
    """The function that XLA calls on GPUs for one kernel, with a row per device and number of samples.

    `launch` and `device` are the addresses of the driver's functions.
    """

    def __init__(self, kernel: Any, launch: int, device: int) -> None:
        shapes = [*kernel.input_shapes, *kernel.output_shapes]
        entries = [math.prod(shape) for shape in shapes]
        code = text(EVALUATE, layout.CAPTURABLE, CONSTANTS)
        super().__init__(code, shapes, len(kernel.input_shapes), kernel.dtype.name, entries)
        self._driver = (ctypes.c_int64 * len(DRIVER))(launch, device, 0)
        self._rows: dict[tuple[int, int], Any] = {}
        self._lock = Lock()
        self.table[TABLE["code"]] = ctypes.addressof(self._driver)

    def prepare(self, loaded: Any, device: int, count: int) -> None:
        """Make launches of `count` samples on a device known; rows stay, as what XLA compiled does."""
        if not count:
            return
        shape = loaded.shape(count)
        with self._lock:
            if (device, count) in self._rows:
                return
            words = row(shape, device, count, self._driver[DRIVER["rows"]])
            kept = (ctypes.c_int64 * len(ROW))(*words)
            self._rows[device, count] = kept
            self._driver[DRIVER["rows"]] = ctypes.addressof(kept)  # complete before it can be found


def handler_of(kernel: Any) -> LaunchHandler:
    """Return the function that XLA calls for a kernel, with the driver's functions."""
    return LaunchHandler(kernel, driver_address("cuLaunchKernel"), driver_address("cuCtxGetDevice"))


def prepare(handler: LaunchHandler, kernel: Any, device: int, count: int) -> None:
    """Load a kernel on a device, and let a handler launch `count` samples of it there."""
    with context_of(device):
        handler.prepare(device_kernel(kernel, device), device, count)


@cache
def trial_kernel() -> Kernel:
    """Return a kernel whose results are exact on every processor, of inputs and outputs of several shapes."""
    a, b, c = SX.sym("a", 2), SX.sym("b", 2, 2), SX.sym("c")
    return compiled(
        "trial",
        [("a", a), ("c", (), c), ("b", b)],
        [("sum", a + c), ("difference", (), c - a[0]), ("matrix", b - 2 * c)],
        dtype=np.float32,
    )
