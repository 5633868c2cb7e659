"""A program as an LLVM function for one sample, or for as many samples as a register holds.

The vector function works on W samples at once, W being the number of lanes of a register. Rows of W
neighbouring entries are loaded from each sample and transposed in registers, so that every value is
a vector over samples; outputs go the same way back. Long programs become several functions that
hand values over in a workspace.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..programs import Chunk, Clear, Order, Program, Store, Workspace, schedule
from .functions import call_function, constant, sincos

SINGLE, CHUNK = 8000, 2000
"""The longest program kept in one function, and the steps per function of longer ones."""

HUGE, SMALL_CHUNK = 40_000, 500
"""Programs of at least this many operations are cut finer, which compiles three times as fast, and have
no scalar code, which would take as long again."""

ZEROS = (16, 3)
"""The least number of neighbouring zeros (of groups of them, in the vector code) cleared at once."""

ARITHMETIC = ("add", "sub", "mul", "div")


@dataclass(frozen=True)
class Body:
    """LLVM text of a function and the entries of workspace that it needs."""

    text: str
    workspace: int


def body(program: Program, name: str, lanes: int, real: str, order: Order = Order.FIRST_OPERAND) -> Body:
    """Return `void @name(ptr workspace, ptr operand0, i64 step0, ...)`, which evaluates `lanes` samples.

    Operand k of sample s is contiguous and starts at operand + s * step bytes. `real` is
    "double" or "float".
    """
    return _Writer(program, name, lanes, real, order).write()


def through_lanes(program: Program, name: str, vector: Body) -> Body:
    """Return `@name`, which evaluates one sample by `@vector`: every lane reads and writes the same."""
    call = f"  call void @vector({_operands(program, '0')})\n"
    return Body(_function(name, program, call), vector.workspace)


def _operands(program: Program, step: str = "%s{}") -> str:
    """Return the parameters of every function: the workspace, then address and step of each operand."""
    numbers = range(len(program.inputs) + len(program.outputs))
    return ", ".join(["ptr %w", *(f"ptr %p{k}, i64 {step.format(k)}" for k in numbers)])


def _function(name: str, program: Program, instructions: str) -> str:
    return f"define internal void @{name}({_operands(program)}) #0 {{\n{instructions}  ret void\n}}\n"


class _Writer:
    """Writes one function per chunk of a program."""

    def __init__(self, program: Program, name: str, lanes: int, real: str, order: Order) -> None:
        self.program, self.name, self.lanes, self.real = program, name, lanes, real
        chunk = CHUNK if len(program.operations) < HUGE else SMALL_CHUNK
        self.chunks = schedule(
            program, lanes, chunk=chunk, single=SINGLE, order=order, zeros=ZEROS[lanes > 1]
        )
        self.type = real if lanes == 1 else f"<{lanes} x {real}>"
        self.size = 8 if real == "double" else 4
        self.suffix = f"v{lanes}{'f64' if real == 'double' else 'f32'}"
        self.workspace = Workspace(program, self.chunks)
        self.inputs = {
            int(number): value for value, (op, _, number) in enumerate(program.operations) if op == "input"
        }
        self.angles: dict[int, dict[str, int]] = {}
        for value, (op, operands, _) in enumerate(program.operations):
            if op in ("sin", "cos"):
                self.angles.setdefault(operands[0], {})[op] = value

    def write(self) -> Body:
        """Return the functions of all chunks, and the one that calls them."""
        texts = [self._chunk(k, chunk) for k, chunk in enumerate(self.chunks)]
        if len(texts) == 1:
            functions = [_function(self.name, self.program, texts[0])]
        else:
            names = [f"{self.name}_{k}" for k in range(len(texts))]
            functions = [_function(name, self.program, text) for name, text in zip(names, texts, strict=True)]
            calls = "".join(f"  call void @{name}({_operands(self.program)})\n" for name in names)
            functions.append(_function(self.name, self.program, calls))
        return Body("\n".join(functions), self.lanes * self.workspace.size)

    def _chunk(self, number: int, chunk: Chunk) -> str:
        """Return the instructions of one function."""
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.number = number
        self.rows: dict[tuple[int, int], str] = {}
        for step in chunk:
            if isinstance(step, Clear):
                self._clear(step)
            elif isinstance(step, Store):
                self._store(step)
            else:
                self._compute(step)
        self.workspace.end(number)
        return "".join(f"{line}\n" for line in self.lines)

    def _line(self, instruction: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def _emit(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def _const(self, value: float) -> str:
        return constant(value, self.real, self.lanes)

    def _value(self, value: int) -> str:
        """Return the name of a value, loaded first if an earlier chunk or the caller provides it."""
        if value in self.names:
            return self.names[value]
        op, _, number = self.program.operations[value]
        if op == "const":
            return self._const(number)
        if value in self.workspace.places:
            place = self._place(self.workspace.places[value])
            self.names[value] = self._line(f"load {self.type}, ptr {place}, align 8")
        elif op == "input":
            self._load_input(int(number))
        else:
            raise AssertionError("a value is used before it is computed")
        return self.names[value]

    def _place(self, number: int) -> str:
        return self._line(f"getelementptr {self.type}, ptr %w, i64 {number}")

    def _define(self, value: int, name: str) -> None:
        """Name a value, and keep it in the workspace if a later chunk reads it."""
        self.names[value] = name
        place = self.workspace.keep(value, self.number)
        if place is not None:
            self._emit(f"store {self.type} {name}, ptr {self._place(place)}, align 8")

    def _compute(self, value: int) -> None:
        if value in self.names:
            return
        op, operands, _ = self.program.operations[value]
        if op in ("sin", "cos"):
            pair = self.angles[operands[0]]
            for kind, name in zip(("sin", "cos"), self._sincos(self._value(operands[0])), strict=True):
                if kind in pair:
                    self._define(pair[kind], name)
            return
        x = [self._value(operand) for operand in operands]
        if op == "neg":
            name = self._line(f"fneg {self.type} {x[0]}")
        elif op in ARITHMETIC:
            name = self._line(f"f{op} contract {self.type} {x[0]}, {x[1]}")
        else:
            name = call_function(self._line, op, x, self.real, self.lanes)
        self._define(value, name)

    def _sincos(self, x: str) -> tuple[str, str]:
        if self.real == "double":
            return sincos(self._line, x, self.lanes)
        wide = "double" if self.lanes == 1 else f"<{self.lanes} x double>"
        s, c = sincos(self._line, self._line(f"fpext {self.type} {x} to {wide}"), self.lanes)
        return (
            self._line(f"fptrunc {wide} {s} to {self.type}"),
            self._line(f"fptrunc {wide} {c} to {self.type}"),
        )

    def _row(self, operand: int, lane: int) -> str:
        key = (operand, lane)
        if key not in self.rows:
            if lane == 0:
                self.rows[key] = f"%p{operand}"
            else:
                offset = self._line(f"mul i64 %s{operand}, {lane}")
                self.rows[key] = self._line(f"getelementptr i8, ptr %p{operand}, i64 {offset}")
        return self.rows[key]

    def _load_input(self, position: int) -> None:
        """Load the group of neighbouring entries of an input that holds `position`."""
        operand, entry = self.program.entry(position)
        first = entry // self.lanes * self.lanes
        count = min(self.lanes, prod(self.program.inputs[operand][1]) - first)
        if self.lanes == 1:
            columns = [
                self._line(f"load {self.type}, ptr {self._entry(operand, 0, first)}, align {self.size}")
            ]
        else:
            rows = [self._load_row(self._entry(operand, lane, first), count) for lane in range(self.lanes)]
            columns = self._transpose(rows)
        for k in range(count):
            value = self.inputs.get(position - entry + first + k)
            if value is not None and value not in self.names and value not in self.workspace.places:
                self._define(value, columns[k])

    def _entry(self, operand: int, lane: int, first: int) -> str:
        row = self._row(operand, lane)
        return row if first == 0 else self._line(f"getelementptr {self.real}, ptr {row}, i64 {first}")

    def _load_row(self, pointer: str, count: int) -> str:
        if count == self.lanes:
            return self._line(f"load {self.type}, ptr {pointer}, align {self.size}")
        return self._line(
            f"call {self.type} @llvm.masked.load.{self.suffix}.p0(ptr {pointer}, i32 {self.size}, "
            f"<{self.lanes} x i1> {self._mask(count)}, {self.type} {self._const(0.0)})"
        )

    def _mask(self, count: int) -> str:
        return "<" + ", ".join(f"i1 {int(lane < count)}" for lane in range(self.lanes)) + ">"

    def _clear(self, clear: Clear) -> None:
        operand, size = len(self.program.inputs) + clear.output, clear.count * self.size
        for lane in range(self.lanes):
            pointer = self._entry(operand, lane, clear.first)
            self._emit(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")

    def _store(self, store: Store) -> None:
        operand = len(self.program.inputs) + store.output
        values = [self._value(value) for value in store.values]
        if self.lanes == 1:
            pointer = self._entry(operand, 0, store.first)
            self._emit(f"store {self.type} {values[0]}, ptr {pointer}, align {self.size}")
            return
        count = len(values)
        columns = values + [self._const(0.0)] * (self.lanes - count)
        for lane, row in enumerate(self._transpose(columns)):
            pointer = self._entry(operand, lane, store.first)
            if count == self.lanes:
                self._emit(f"store {self.type} {row}, ptr {pointer}, align {self.size}")
            else:
                self._emit(
                    f"call void @llvm.masked.store.{self.suffix}.p0({self.type} {row}, ptr {pointer}, "
                    f"i32 {self.size}, <{self.lanes} x i1> {self._mask(count)})"
                )

    def _transpose(self, rows: list[str]) -> list[str]:
        """Return the transposed square of vectors, exchanging one bit of row and lane at a time."""
        lanes, rows, bit = self.lanes, list(rows), 1
        while bit < lanes:
            low = [lane if not lane & bit else lanes + lane - bit for lane in range(lanes)]
            high = [lane + bit if not lane & bit else lanes + lane for lane in range(lanes)]
            for i in range(lanes):
                if not i & bit:
                    a, b = rows[i], rows[i | bit]
                    rows[i], rows[i | bit] = self._shuffle(a, b, low), self._shuffle(a, b, high)
            bit *= 2
        return rows

    def _shuffle(self, a: str, b: str, mask: list[int]) -> str:
        indices = ", ".join(f"i32 {index}" for index in mask)
        return self._line(f"shufflevector {self.type} {a}, {self.type} {b}, <{self.lanes} x i32> <{indices}>")
