"""The gufunc inner loop in LLVM: strides, broadcasting, packing of non-contiguous operands."""

from __future__ import annotations

from .operand import MAX_AXES, Operand, whole_lines
from .single_sample import LOCAL_BYTES

STREAM_BYTES, STREAM_BLOCK = 16 * 2**20, 2**10
"""Results of at least this many bytes, in blocks of at least this many, are written directly to memory.
Smaller results may still be in the cache when they are read; smaller blocks begin and end within cache
lines too often."""

AHEAD_BYTES = 1 * 2**20
"""Dense inputs of at least this many bytes are prefetched."""

WIDE_ROW = 128
"""Samples of at least this many bytes are prefetched: the rows of several samples, read in turn, are more
streams than the hardware follows by itself."""


def loop(operands: list[Operand], lanes: int, workspace: int) -> str:
    """Return `@loop(args, dimensions, steps, data)`, which has the signature of NumPy's inner loops.

    `workspace` counts the bytes that `@vector` and `@scalar` need. Operands whose core entries are not
    contiguous are packed into a workspace around each block of samples.
    """
    return _Loop(operands, lanes, workspace).write()


class _Loop:
    """Writes `@loop`: blocks of `lanes` samples through `@vector`, the rest through `@scalar`.

    An operand is used in place if its samples are contiguous, it is not streamed, and, if it is an input,
    no output has the same address; otherwise each block is copied, packed, into the workspace.
    """

    def __init__(self, operands: list[Operand], lanes: int, workspace: int) -> None:
        self.operands, self.lanes, self.workspace = operands, lanes, workspace
        self.outputs = [operand for operand in operands if operand.output]
        self.lines = ["define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #1 {", "entry:"]

    def write(self) -> str:
        """Return the function."""
        self._load("n", "%dimensions", 0)
        position = len(self.operands)
        for operand in self.operands:
            position = self._describe(operand, position)
        self._separate()
        in_place = self._all([self._in_place(operand) for operand in self.operands])
        for operand in self.operands:
            if not operand.output and operand.bytes >= WIDE_ROW:
                self._line(f"%ahead{operand.number} = and i1 {self._large(operand, AHEAD_BYTES)}, true")
        self._prepare(in_place)
        self._block()
        self._finish(in_place)
        return "\n".join(self.lines)

    def _line(self, *lines: str) -> None:
        self.lines.extend("  " + line for line in lines)

    def _label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def _load(self, name: str, base: str, index: int, kind: str = "i64") -> None:
        self._line(f"%{name}.p = getelementptr i64, ptr {base}, i64 {index}")
        self._line(f"%{name} = load {kind}, ptr %{name}.p, align 8")

    def _all(self, flags: list[str]) -> str:
        """Return the conjunction of flags."""
        known = "true"
        for flag in flags:
            name = f"%all{len(self.lines)}"
            self._line(f"{name} = and i1 {known}, {flag}")
            known = name
        return known

    def _describe(self, operand: Operand, position: int) -> int:
        """Load pointer and strides of an operand, and the flag that its samples are contiguous."""
        k = operand.number
        self._load(f"base{k}", "%args", k, "ptr")
        self._load(f"step{k}", "%steps", k)
        checks = []
        expected = operand.packed_strides[MAX_AXES - len(operand.shape) :]
        for axis, entries in enumerate(operand.shape):
            self._load(f"stride{k}.{axis}", "%steps", position + axis)
            if entries != 1:
                self._line(f"%ok{k}.{axis} = icmp eq i64 %stride{k}.{axis}, {expected[axis]}")
                checks.append(f"%ok{k}.{axis}")
        contiguous = self._all(checks)
        self._line(f"%contiguous{k} = and i1 {contiguous}, true")
        return position + len(operand.shape)

    def _in_place(self, operand: Operand) -> str:
        """Return the flag that an operand is used in place; large dense outputs are streamed."""
        k = operand.number
        if not operand.output:
            return f"%direct{k}"
        streamed = operand.bytes * self.lanes >= STREAM_BLOCK
        flag = self._large(operand, STREAM_BYTES) if streamed else "false"
        self._line(f"%stream{k} = and i1 {flag}, true")
        self._line(f"%direct{k} = xor i1 %stream{k}, %contiguous{k}")
        return f"%direct{k}"

    def _large(self, operand: Operand, limit: int) -> str:
        """Return the flag that an operand is dense and has at least `limit` bytes."""
        k = operand.number
        self._line(
            f"%dense{k} = icmp eq i64 %step{k}, {operand.bytes}",
            f"%bytes{k} = mul i64 %n, {operand.bytes}",
            f"%large{k} = icmp sge i64 %bytes{k}, {limit}",
        )
        return self._all([f"%contiguous{k}", f"%dense{k}", f"%large{k}"])

    def _separate(self) -> None:
        """Find the inputs at which no output starts; the others are packed before a result is stored.

        An input and an output with one address are one array. NumPy passes it on as it is, as if the
        gufunc were elementwise, while it copies inputs that overlap outputs in any other way.
        """
        apart = []
        for operand in self.operands:
            if operand.output:
                continue
            k, flags = operand.number, []
            for output in self.outputs:
                flags.append(f"%apart{k}.{output.number}")
                self._line(f"{flags[-1]} = icmp ne ptr %base{k}, %base{output.number}")
            apart.append(self._all(flags))
            self._line(f"%direct{k} = and i1 {apart[-1]}, %contiguous{k}")
        self._line(f"%separate = and i1 {self._all(apart)}, true")

    def _prepare(self, in_place: str) -> None:
        """Provide the workspace: on the stack if it is small and nothing is packed, else allocated."""
        local = self.workspace <= LOCAL_BYTES
        places, total = [], whole_lines(self.workspace)
        for operand in self.operands:
            places.append(total)
            total += whole_lines(self.lanes * operand.room)
        if local:
            self._line(f"%local = alloca i8, i64 {max(8, self.workspace)}, align 64")
            self._line(f"br i1 {in_place}, label %ready, label %allocate")
        else:
            self._line("br label %allocate")
        self._label("allocate")
        self._line(
            f"%heap = call ptr @malloc(i64 {total + 64})",
            "%failed = icmp eq ptr %heap, null",
            "br i1 %failed, label %nomemory, label %align",
        )
        self._label("align")
        self._line(
            "%raw = ptrtoint ptr %heap to i64",
            "%up = add i64 %raw, 63",
            "%aligned = and i64 %up, -64",
            "%area = inttoptr i64 %aligned to ptr",
            "br label %ready",
        )
        self._label("nomemory")
        for operand in self.outputs:
            here = (f"%base{operand.number}", f"%step{operand.number}", operand.given_strides)
            self._line(operand.copy(here, ("@nan", "0", ["0"] * MAX_AXES), "%n"))
        self._line("ret void")
        self._label("ready")
        on_stack = "[ %local, %entry ], ", "[ null, %entry ], "
        self._line(f"%work = phi ptr {on_stack[0] if local else ''}[ %area, %align ]")
        self._line(f"%owned = phi ptr {on_stack[1] if local else ''}[ %heap, %align ]")
        for operand, place in zip(self.operands, places, strict=True):
            self._line(f"%pack{operand.number} = getelementptr i8, ptr %work, i64 {place}")
        self._line("br label %block")

    def _block(self) -> None:
        """Evaluate one block of samples, packing what is not used in place.

        If two samples or more are left over at the end, the last full block of samples is computed
        (some of them again), unless outputs have replaced inputs.
        """
        self._label("block")
        self._line(
            "%i = phi i64 [ 0, %ready ], [ %next, %advance ]",
            "%left = sub i64 %n, %i",
            "%more = icmp sgt i64 %left, 0",
            "br i1 %more, label %samples, label %finish",
        )
        self._label("samples")
        self._line(
            f"%full = icmp sge i64 %left, {self.lanes}",
            f"%back = sub i64 %n, {self.lanes}",
            "%enough = icmp sge i64 %back, 0",
            "%several = icmp sgt i64 %left, 1",
            "%short = xor i1 %full, true",
        )
        again = self._all(["%short", "%several", "%enough", "%separate"])
        self._line(
            f"%wide = or i1 %full, {again}",
            f"%at = select i1 {again}, i64 %back, i64 %i",
            f"%taken = select i1 %wide, i64 {self.lanes}, i64 1",
        )
        for operand in self.operands:
            k = operand.number
            flag = f"%direct{k}"
            self._line(
                f"%offset{k} = mul i64 %at, %step{k}",
                f"%here{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}",
                f"%ptr{k} = select i1 {flag}, ptr %here{k}, ptr %pack{k}",
                f"%hop{k} = select i1 {flag}, i64 %step{k}, i64 {operand.room}",
            )
            if not operand.output:
                self._fetch(operand, flag)
        self._line("br i1 %wide, label %many, label %one")
        arguments = ", ".join(f"ptr %ptr{o.number}, i64 %hop{o.number}" for o in self.operands)
        for label, function in (("many", "vector"), ("one", "scalar")):
            self._label(label)
            self._line(f"call void @{function}(ptr %work, {arguments})", "br label %computed")
        self._label("computed")
        for operand in self.outputs:
            self._deliver(operand)
        self._line("br label %advance")
        self._label("advance")
        self._line("%next = add i64 %at, %taken", "br label %block")

    def _fetch(self, operand: Operand, flag: str) -> None:
        """Pack an input block that is not used in place, and touch the lines of a large one in order."""
        k = operand.number
        if operand.bytes >= WIDE_ROW:
            self._line(f"br i1 %ahead{k}, label %ask{k}, label %asked{k}")
            self._label(f"ask{k}")
            self._line(
                f"%block{k} = mul i64 %taken, {operand.bytes}",
                f"call void @touch_block(ptr %here{k}, i64 %block{k})",
                f"br label %asked{k}",
            )
            self._label(f"asked{k}")
        self._line(f"br i1 {flag}, label %have{k}, label %pack_in{k}")
        self._label(f"pack_in{k}")
        self._line(operand.copy(self._packed(operand), self._here(operand), "%taken"))
        self._line(f"br label %have{k}")
        self._label(f"have{k}")

    def _packed(self, operand: Operand) -> tuple[str, str, list[str]]:
        return f"%pack{operand.number}", str(operand.room), [str(s) for s in operand.packed_strides]

    def _here(self, operand: Operand) -> tuple[str, str, list[str]]:
        return f"%here{operand.number}", f"%step{operand.number}", operand.given_strides

    def _deliver(self, operand: Operand) -> None:
        """Copy a packed output block to the caller's array."""
        k = operand.number
        self._line(f"br i1 %direct{k}, label %delivered{k}, label %staged{k}")
        self._label(f"staged{k}")
        self._line(f"br i1 %stream{k}, label %stream_out{k}, label %pack_out{k}")
        self._label(f"stream_out{k}")
        self._line(
            f"call void @stream_samples(ptr %here{k}, ptr %pack{k}, i64 {operand.bytes}, "
            f"i64 {operand.room}, i64 %taken)",
            f"br label %delivered{k}",
        )
        self._label(f"pack_out{k}")
        self._line(operand.copy(self._here(operand), self._packed(operand), "%taken"))
        self._line(f"br label %delivered{k}")
        self._label(f"delivered{k}")

    def _finish(self, in_place: str) -> None:
        """Wait for streamed stores and free the workspace."""
        self._label("finish")
        self._line(f"br i1 {in_place}, label %leave, label %settle")
        self._label("settle")
        self._line("fence seq_cst", "br label %leave")
        self._label("leave")
        self._line("call void @free(ptr %owned)", "ret void")
        self.lines.append("}")
