"""CUDA C of a program for batches in rows: one thread per sample, results written by warps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..emit.c_family import c_functions, literal
from ..emit.dialect import Dialect
from ..emit.statements import Apply, Entry, Expression, Local, Number
from ..programs import Program
from ..programs.sine_cosine import COSINE, PI_2, QUARTERS, ROUNDER, SINE
from .staging import Compute, Flush, Place, Put, Staging, staging

WARP = 32
STRIDE = WARP + 1
"""Numbers from slot to slot: one more than a warp, so that neither threads nor slots share a memory bank."""

SHARED = 227 * 1024
"""Bytes of shared memory that a block may have on a data-centre GPU."""

FAR = 2.0**22
"""From this angle on sine and cosine in single precision are NaN."""

NARROW = 128
"""Outputs of up to this many entries are written as one run of memory, wider ones row by row."""


@dataclass(frozen=True)
class Source:
    """The text of a kernel, and how it is launched: threads of a block, bytes of its shared memory."""

    function: str
    text: str
    threads: int
    shared: int


def source(program: Program, real: str) -> Source:
    """Return the kernel `(count, inputs, strides, outputs)` of a program in "float" or "double".

    Inputs are rows a stride apart, 0 for one that all samples share; outputs are whole rows, one after the
    other. Outputs that do not fit into shared memory even row by row are written entry by entry.
    """
    size = 4 if real == "float" else 8
    stage = staging(program, SHARED // 3 // (STRIDE * size))
    tables = 2 * sum(map(len, program.results))
    tile, tables = stage.slots * STRIDE * size, tables + (-tables) % 8
    staged = tile + tables <= SHARED
    warps = 2 if 2 * tile + tables <= SHARED // 2 or not staged else 1
    lines = [*_head(program, real, stage, warps, staged), *_Body(program, real, stage, staged).lines, "}", ""]
    return Source(FUNCTION, "\n".join(lines), warps * WARP, warps * tile + tables if staged else 0)


FUNCTION = "evaluate"


def _head(program: Program, real: str, stage: Staging, warps: int, staged: bool) -> list[str]:
    """Return everything before the operations."""
    parameters = ["long long count"]
    parameters += [f"const {real} *__restrict__ x{k}" for k in range(len(program.inputs))]
    parameters += [f"long long d{k}" for k in range(len(program.inputs))]
    parameters += [f"{real} *__restrict__ y{k}" for k in range(len(program.outputs))]
    threads = warps * WARP
    head, shared = _shared(real, stage, warps) if staged else ([], [])
    return [
        _sincos(real),
        *head,
        f'extern "C" __global__ void __launch_bounds__({threads}) {FUNCTION}({", ".join(parameters)})',
        "{",
        f"const int lane = threadIdx.x & {WARP - 1}, warp = threadIdx.x >> 5;",
        *shared,
        f"const long long base = ((long long)blockIdx.x * {warps} + warp) * {WARP};",
        "if (base >= count) return;",
        f"const int samples = count - base < {WARP} ? (int)(count - base) : {WARP};",
        "const long long i = base + (lane < samples ? lane : samples - 1);",
        *(f"x{k} += i * d{k};" for k in range(len(program.inputs))),
    ]


def _shared(real: str, stage: Staging, warps: int) -> tuple[list[str], list[str]]:
    """Return what is said of shared memory before the kernel, and at its beginning."""
    offsets = [each * STRIDE for row in stage.table for each in row]
    place, size, threads = stage.slots * STRIDE, len(offsets), warps * WARP
    listed = ", ".join(map(str, offsets))
    return (
        [_flushes(real), f"__device__ const unsigned short slots[{size}] = {{{listed}}};"],
        [
            "extern __shared__ double memory[];",
            f"{real} *const all = reinterpret_cast<{real} *>(memory), *const tile = all + warp * {place};",
            f"unsigned short *const table = reinterpret_cast<unsigned short *>(all + {warps * place});",
            f"for (int k = threadIdx.x; k < {size}; k += {threads}) table[k] = slots[k];",
            "__syncthreads();",
        ],
    )


class _Body:
    """The operations of a program as lines."""

    def __init__(self, program: Program, real: str, stage: Staging, staged: bool) -> None:
        self.program, self.real = program, real
        self.dialect = Dialect(
            number=lambda value: literal(value, real),
            entry=lambda at: f"x{at.array}[{at.position}]",
            output=str,
            functions=c_functions(real),
        )
        self.lines: list[str] = []
        self._loaded: set[int] = set()
        self._angles: set[int] = set()
        self._places: dict[int, list[Place]] = {}
        for output, row in enumerate(program.results):
            for entry, value in enumerate(row):
                self._places.setdefault(value, []).append((output, entry))
        starts = [0]
        for row in program.results:
            starts.append(starts[-1] + len(row))
        for step in stage.steps:
            if isinstance(step, Compute):
                self._compute(step.value)
            elif not staged:
                self._write(step)
            elif isinstance(step, Put):
                self.lines.append(f"tile[{step.slot * STRIDE} + lane] = {self._written(step.value)};")
            else:
                self._flush(step, starts[step.output])

    def _compute(self, value: int) -> None:
        name, operands, _ = self.program.operations[value]
        given = [self._operand(each) for each in operands]
        if name in ("sin", "cos"):
            (angle,) = operands
            if angle not in self._angles:
                self._angles.add(angle)
                x = self.dialect.write(given[0])
                self.lines.append(f"{self.real} s{angle}, c{angle}; sine_cosine({x}, s{angle}, c{angle});")
            text = f"{name[0]}{angle}"
        else:
            text = self.dialect.write(Apply(name, tuple(given)))
        self.lines.append(f"const {self.real} v{value} = {text};")

    def _operand(self, value: int) -> Expression:
        name, _, number = self.program.operations[value]
        if name == "const":
            return Number(number)
        if name == "input" and value not in self._loaded:
            self._loaded.add(value)
            entry = self.dialect.write(Entry(*self.program.entry(int(number))))
            self.lines.append(f"const {self.real} v{value} = {entry};")
        return Local(value)

    def _written(self, value: int) -> str:
        return self.dialect.write(self._operand(value))

    def _write(self, step: Put | Flush) -> None:
        """Write a value to all its places at once."""
        if isinstance(step, Put):
            for output, entry in self._places[step.value]:
                target = f"y{output}[i * {len(self.program.results[output])} + {entry}]"
                self.lines.append(f"{target} = {self._written(step.value)};")

    def _flush(self, step: Flush, start: int) -> None:
        width = len(self.program.results[step.output])
        first, length = step.first, step.last - step.first
        target = f"y{step.output} + base * {width}"
        if length == width <= NARROW:
            self.lines.append(f"flush_all(tile, table + {start}, {target}, {width}, samples, lane);")
        else:
            slots, place = f"table + {start + first}", f"{target} + {first}"
            self.lines.append(f"flush_rows(tile, {slots}, {place}, {width}, {length}, samples, lane);")


def _flushes(real: str) -> str:
    """Return the functions that write what the samples of a warp have in their slots.

    `flush_all` writes whole outputs as one run of memory; `flush_rows` a part of the row of each sample.
    """
    return f"""
static __device__ __noinline__ void flush_all(const {real} *__restrict__ tile,
    const unsigned short *__restrict__ table, {real} *__restrict__ y, int width, int samples, int lane)
{{
    __syncwarp();
    int s = lane / width, k = lane - s * width;
    const int ds = {WARP} / width, dk = {WARP} - ds * width;
    #pragma unroll 4
    for (int f = lane; f < samples * width; f += {WARP}) {{
        y[f] = tile[table[k] + s];
        k += dk; s += ds;
        if (k >= width) {{ k -= width; ++s; }}
    }}
    __syncwarp();
}}
static __device__ __noinline__ void flush_rows(const {real} *__restrict__ tile,
    const unsigned short *__restrict__ table, {real} *__restrict__ y, int width, int length, int samples,
    int lane)
{{
    __syncwarp();
    for (int s = 0; s < samples; ++s) {{
        #pragma unroll 8
        for (int k = lane; k < length; k += {WARP}) y[k] = tile[table[k] + s];
        y += width;
    }}
    __syncwarp();
}}"""


def _single(value: float) -> float:
    """Return the nearest single-precision number."""
    return float(np.float32(value))


def _sincos(real: str) -> str:
    """Return sine and cosine of an angle by its distance from a multiple of a quarter turn.

    As in kernels of the CPU. Angles of 2^45 or more give NaN, in single precision those of 2^22: there
    neighbouring numbers are half a radian apart.
    """
    if real == "double":
        parts, degree, rounder, bits = PI_2, 6, ROUNDER, "__double2loint(shifted)"
        guard = 'x = fabs(x) < 35184372088832.0 ? x : nan("");'
    else:
        first = _single(PI_2[0])
        second = _single(PI_2[0] - first)
        parts, degree = (first, second, _single(PI_2[0] - first - second + PI_2[1])), 4
        rounder, bits = 1.5 * 2.0**23, "__float_as_int(shifted)"
        guard = f'x = fabsf(x) < {literal(FAR, real)} ? x : nanf("");'
    sine, cosine = SINE[:degree], (*COSINE[:degree],)

    def number(value: float) -> str:
        return literal(value, real)

    lines = [
        guard,
        f"const {real} shifted = fma(x, {number(QUARTERS)}, {number(rounder)});",
        f"const {real} n = shifted - {number(rounder)};",
        f"const int turns = {bits};",
        f"{real} r = x;",
        *(f"r = fma(-n, {number(part)}, r);" for part in parts),
        f"const {real} z = r * r;",
        f"{real} p = {number(sine[-1])}, q = {number(cosine[-1])};",
        *(f"p = fma(p, z, {number(each)});" for each in reversed(sine[:-1])),
        *(f"q = fma(q, z, {number(each)});" for each in (*reversed(cosine[:-1]), -0.5, 1.0)),
        "p = fma(z * r, p, r);",
        f"const {real} a = turns & 1 ? q : p, b = turns & 1 ? p : q;",
        "s = turns & 2 ? -a : a;",
        "c = (turns + 1) & 2 ? -b : b;",
    ]
    head = f"static __device__ __forceinline__ void sine_cosine({real} x, {real} &s, {real} &c)"
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}"])
