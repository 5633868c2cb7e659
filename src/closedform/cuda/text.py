"""CUDA C of a program for batches in rows: one thread per sample, results written by warps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..emit.c_family import c_functions, literal
from ..emit.dialect import Dialect
from ..emit.statements import Apply, Entry, Expression, Local, Number
from ..programs import Program
from ..programs.sine_cosine import COSINE, PI_2, QUARTERS, ROUNDER, SINE
from .parts import parts
from .staging import Staging, staging

FUNCTION = "evaluate"

WARP = 32
STRIDE = WARP + 1
"""Numbers from slot to slot: one more than a warp, so that neither threads nor slots share a memory bank."""

SLOTS = 211
"""Different values besides 0 that leave a part, at most: so that eight warps share a multiprocessor."""

SLOT_BITS = 8
"""Bits of a slot in a table, whose other bits are an entry."""

REGISTERS = 220
"""Words that a thread holds without memory; the rest of its 255 registers are addresses and temporaries."""

LONG, SHORT = 5000, 1000
"""Operations of a part, at most: for large batches, and for small ones that leave the card idle otherwise.

Instructions come from a memory that holds about as many as the longest parts have.
"""

WARPS = 4
"""Warps of a block for large batches: they run the same instructions at nearly the same time."""

WINDOW = 8
"""Blocks of samples whose parts run one after the other.

Memory takes sectors of 32 bytes. If two parts write to one, the card's cache puts both together, but only if
they come soon after each other; else the sector costs as much as a dozen others.
"""

WIDE, WIDEST = 32, 1024
"""Entries of a sample from which on they are written sample by sample, and as many at once."""

FAR = 2.0**22
"""From this angle on sine and cosine in single precision are NaN."""


@dataclass(frozen=True)
class Source:
    """The text of a kernel, and how it is launched: parts, warps of a block, bytes of its shared memory."""

    text: str
    parts: int
    warps: int
    shared: int


def source(program: Program, real: str, memory: int, small: bool = False) -> Source | None:
    """Return the kernel of a program in "float" or "double" for a card with so much shared memory.

    The kernel takes `(count, each, inputs, strides, outputs)`. A warp evaluates one part for `each` samples;
    blocks are (groups of samples, parts). Inputs are rows a stride apart, 0 for one that all samples share;
    outputs are whole rows, one after the other. The kernel for small batches is None if it has no more parts.
    """
    size = 4 if real == "float" else 8
    cut = parts(program, LONG, SLOTS)
    if small:
        short = parts(program, SHORT, SLOTS)
        if len(short) <= len(cut):
            return None
        cut = short
    stages = [staging(program, each, REGISTERS * 4 // size) for each in cut]
    tile = size * STRIDE * max(len(each.slots) for each in stages)
    warps = 1 if small else next((n for n in (WARPS, 2) if 2 * n * tile <= memory), 1)
    written = [_Part(program, real, number, stage, warps) for number, stage in enumerate(stages)]
    lines = [_sincos(real), _leave(real)]
    for part in written:
        lines += part.lines
    lines += _kernel(program, real, len(stages), warps)
    shared = warps * tile + 4 * max(len(part.table) for part in written)
    return Source("\n".join(lines), len(stages), warps, shared)


def _parameters(program: Program, real: str) -> list[str]:
    """Return the arrays of a kernel, as parameters."""
    given = [f"const {real} *__restrict__ x{k}" for k in range(len(program.inputs))]
    given += [f"long long d{k}" for k in range(len(program.inputs))]
    return given + [f"{real} *__restrict__ y{k}" for k in range(len(program.outputs))]


def _kernel(program: Program, real: str, count: int, warps: int) -> list[str]:
    """Return the function that is launched, which gives each block its samples and its part."""
    names = [f"{letter}{k}" for letter in "xd" for k in range(len(program.inputs))]
    names += [f"y{k}" for k in range(len(program.outputs))]
    call = ", ".join(["base", "samples", *names])
    place = [
        "const unsigned long long block = (unsigned long long)blockIdx.y * gridDim.x + blockIdx.x;",
        f"const unsigned window = block / ({WINDOW} * {count}), rest = block % ({WINDOW} * {count});",
        f"const unsigned left = gridDim.x - window * {WINDOW}, groups = left < {WINDOW} ? left : {WINDOW};",
        f"const unsigned part = rest / groups, group = window * {WINDOW} + rest % groups;",
    ]
    return [
        f'extern "C" __global__ void __launch_bounds__({warps * WARP}) {FUNCTION}',
        f"({', '.join(['long long count', 'long long each', *_parameters(program, real)])})",
        "{",
        *(place if count > 1 else ["const unsigned part = 0, group = blockIdx.x;"]),
        f"const long long base = ((long long)group * {warps} + threadIdx.x / {WARP}) * each;",
        "const int samples = count - base < each ? (int)(count - base) : (int)each;",
        "switch (part) {",
        *(f"case {k}: part{k}({call}); break;" for k in range(count)),
        "}",
        "}",
        "",
    ]


def _leave(real: str) -> str:
    """Return the functions by which a warp writes what its samples have in their slots, along the memory.

    `leave` writes short rows of all samples as one run, `leave_rows` long ones sample by sample. Their tables
    hold entries and slots.
    """
    slot = f"(at & {(1 << SLOT_BITS) - 1}) * {STRIDE}"
    return f"""
extern __shared__ double memory[];
static __device__ __noinline__ void leave(int place, int offset, {real} *__restrict__ y, int width, int row,
    int samples, int lane)
{{
    const {real} *const tile = reinterpret_cast<const {real} *>(memory) + place;
    const unsigned *const table = reinterpret_cast<const unsigned *>(memory) + offset;
    int s = lane / width, k = lane - s * width;
    const int ds = {WARP} / width, dk = {WARP} - ds * width;
    #pragma unroll 4
    for (int f = lane; f < samples * width; f += {WARP}) {{
        const unsigned at = table[k];
        y[s * row + (at >> {SLOT_BITS})] = tile[{slot} + s];
        k += dk; s += ds;
        if (k >= width) {{ k -= width; ++s; }}
    }}
}}
template <int width> static __device__ __noinline__ void leave_rows(int place,
    const unsigned *__restrict__ table, {real} *__restrict__ y, int row, int samples, int lane)
{{
    const {real} *const tile = reinterpret_cast<const {real} *>(memory) + place;
    constexpr int chunks = (width + {WARP - 1}) / {WARP};
    int from[chunks], to[chunks];
    #pragma unroll
    for (int c = 0; c < chunks; ++c) {{
        const unsigned at = table[c * {WARP} + lane < width ? c * {WARP} + lane : width - 1];
        from[c] = {slot}; to[c] = at >> {SLOT_BITS};
    }}
    for (int s = 0; s < samples; ++s, y += row) {{
        #pragma unroll
        for (int c = 0; c < chunks; ++c)
            if (c * {WARP} + lane < width) y[to[c]] = tile[from[c] + s];
    }}
}}"""


class _Part:
    """The function of one part as lines, and the table of its short rows, which goes to shared memory."""

    def __init__(self, program: Program, real: str, number: int, stage: Staging, warps: int) -> None:
        self.program, self.real, self.stage = program, real, stage
        self.dialect = Dialect(
            number=lambda value: literal(value, real),
            entry=lambda at: f"x{at.array}[{at.position}]",
            output=str,
            functions=c_functions(real),
        )
        self._loaded: set[int] = set()
        self._angles: set[int] = set()
        self.table: list[int] = []
        tile = STRIDE * len(stage.slots)
        offset = warps * tile * (1 if real == "float" else 2)
        before, after = self._leaving(number, tile, offset)
        body = [f"static __device__ __noinline__ void part{number}"]
        body += [f"({', '.join(['long long base', 'int samples', *_parameters(program, real)])})", "{"]
        body += [f"const int lane = threadIdx.x % {WARP}, warp = threadIdx.x / {WARP};"]
        body += [f"{real} *const tile = reinterpret_cast<{real} *>(memory) + warp * {tile};"]
        if self.table:
            body += [f"unsigned *const table = reinterpret_cast<unsigned *>(memory) + {offset};"]
            body += [f"for (int k = threadIdx.x; k < {len(self.table)}; k += {WARP * warps})"]
            body += [f"    table[k] = places{number}[k];"]
        body += ["const long long i = samples > 0 ? base + min(lane, samples - 1) : 0;"]
        body += [f"x{k} += i * d{k};" for k in range(len(program.inputs))]
        self.lines = [*before, *body]
        for value in stage.slots:
            if program.operations[value][0] in ("const", "input"):
                self._put(value)
        for value in stage.operations:
            self._compute(value)
        self.lines += ["__syncthreads();", *after, "}"]

    def _leaving(self, number: int, tile: int, offset: int) -> tuple[list[str], list[str]]:
        """Return the tables of a part, and the calls that write its outputs."""
        tables, calls = [], []
        for output, row in enumerate(self.program.results):
            entries = [entry for which, entry in self.stage.places if which == output]
            places = [entry << SLOT_BITS | self.stage.slots[row[entry]] for entry in entries]
            target = f"y{output} + base * {len(row)}"
            if 0 < len(places) < WIDE:
                where = offset + len(self.table)
                calls.append(
                    f"leave(warp * {tile}, {where}, {target}, {len(places)}, {len(row)}, samples, lane);"
                )
                self.table += places
                continue
            for first in range(0, len(places), WIDEST):
                piece, name = places[first : first + WIDEST], f"rows{number}_{output}_{first}"
                tables.append(f"__device__ const unsigned {name}[] = {{{', '.join(map(str, piece))}}};")
                calls.append(
                    f"leave_rows<{len(piece)}>(warp * {tile}, {name}, {target}, {len(row)}, samples, lane);"
                )
        if self.table:
            listed = ", ".join(map(str, self.table))
            tables.append(f"__device__ const unsigned places{number}[] = {{{listed}}};")
        return tables, calls

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
        if value in self.stage.slots:
            self._put(value)

    def _put(self, value: int) -> None:
        written = self.dialect.write(self._operand(value))
        self.lines.append(f"tile[{self.stage.slots[value] * STRIDE} + lane] = {written};")

    def _operand(self, value: int) -> Expression:
        name, _, number = self.program.operations[value]
        if name == "const":
            return Number(number)
        if name == "input" and value not in self._loaded:
            self._loaded.add(value)
            entry = self.dialect.write(Entry(*self.program.entry(int(number))))
            self.lines.append(f"const {self.real} v{value} = {entry};")
        return Local(value)


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
