"""What C and CUDA share: functions of arrays; those of long programs are split into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..errors import ClosedFormError
from ..programs.operations import FUNCTIONS
from .dialect import Dialect
from .source import Array, Source
from .statements import Local, Part, Statement, Stream, Trig, arrays, leaves
from .stream import stream

WIDTH = 100
"""Columns of a line before its items are put one below the other."""


class CFamily:
    """A form as functions in the syntax of C; languages say how they write an array."""

    single = 2500
    """Steps of the longest program kept in one function."""

    void = "void"
    part_void = "static void"
    attribute: tuple[str, ...] = ()
    """Lines before the definition of the function."""
    part_attribute: tuple[str, ...] = ()
    """Lines before the definition of a part."""
    trailing: tuple[tuple[str, str], ...] = ()
    """Parameters after the arrays: (type, name)."""

    def __init__(self, source: Source, known: Stream | None = None) -> None:
        self.source = source
        self.stream = known or stream(source.program, self.single)
        self.dialect = Dialect(
            number=lambda value: literal(value, source.real),
            entry=lambda at: self.entry(source.inputs[at.array].name, at.position),
            output=lambda at: self.entry(source.outputs[at.array].name, at.position),
            trig="{}[{}]".format,
            functions=c_functions(source.real),
        )

    def entry(self, array: str, position: int | str) -> str:
        """Return an entry of an input or output."""
        return f"{array}[{position}]"

    def parameter(self, name: str, size: int, *, const: bool) -> str:
        """Return the declaration of an array as a parameter."""
        return f"{'const ' if const else ''}{self.source.real} {name}[{size}]"

    def sines_and_cosines(self) -> list[str]:
        """Return the lines that fill s and c with the sines and cosines of the angles."""
        raise NotImplementedError

    def prototype(self) -> str:
        """Return the head of the function."""
        return self._head(self.void, self.source.function, self.source.inputs, [], self.source.outputs)

    def definition(self) -> list[str]:
        """Return the lines of the function, after those of its parts if it has several."""
        parts = self.stream.parts
        lines: list[str] = []
        body = [*self._zeros(), *(self.sines_and_cosines() if self.stream.angles else [])]
        if len(parts) == 1:
            body += self._body(parts[0])
        else:
            for number, part in enumerate(parts):
                lines += [*self._part(number, part), ""]
            if self.stream.workspace:
                body.append(f"{self.source.real} w[{self.stream.workspace}];")
            body += self._calls()
        inside = (f"    {line}" for line in (*body, *self._unused()))
        return [*lines, *self.attribute, self.prototype(), "{", *inside, "}"]

    def _zeros(self) -> Iterator[str]:
        """Yield the lines that write the zeros: one by one, or to all entries if most are zero."""
        zero = self.dialect.number(0.0)
        for array, positions in zip(self.source.outputs, self.stream.zeros, strict=True):
            if 2 * len(positions) > array.size:
                target = self.entry(array.name, "k")
                yield f"for (int k = 0; k < {array.size}; ++k) {{"
                yield f"    {target} = {zero};"
                yield "}"
            else:
                yield from (f"{self.entry(array.name, k)} = {zero};" for k in positions)

    def _unused(self) -> Iterator[str]:
        """Yield the lines that keep compilers from warning of inputs that the form does not use."""
        used = arrays(leaf for angle in self.stream.angles for leaf in leaves(angle))
        used = used.union(*(arrays(part.reads) for part in self.stream.parts))
        yield from (f"(void){array.name};" for k, array in enumerate(self.source.inputs) if k not in used)

    def _head(
        self,
        kind: str,
        name: str,
        inputs: Iterable[Array],
        shared: list[tuple[str, int, bool]],
        outputs: Iterable[Array],
    ) -> str:
        parameters = [
            *(self.parameter(array.name, array.size, const=True) for array in inputs),
            *(self.parameter(name, size, const=const) for name, size, const in shared),
            *(self.parameter(array.name, array.size, const=False) for array in outputs),
            *(f"{kind} {name}" for kind, name in self.trailing),
        ]
        return listed(f"{kind} {name}(", parameters, ")")

    def _shared(self, part: Part) -> list[tuple[str, int, bool]]:
        """Return the arrays (name, size, const) that a part shares with others."""
        trigs = {leaf.function[0] for leaf in part.reads if isinstance(leaf, Trig)}
        angles = len(self.stream.angles)
        shared = [(name, angles, True) for name in sorted(trigs)]
        if part.keeps:
            shared.append(("w", self.stream.workspace, False))
        return shared

    def _arrays(self, part: Part) -> tuple[list[Array], list[Array]]:
        """Return the inputs and outputs that a part touches."""
        return (
            [self.source.inputs[k] for k in sorted(arrays(part.reads))],
            [self.source.outputs[k] for k in sorted(part.outputs)],
        )

    def _part(self, number: int, part: Part) -> Iterator[str]:
        name = f"{self.source.function}_part{number}"
        inputs, outputs = self._arrays(part)
        yield from self.part_attribute
        yield self._head(self.part_void, name, inputs, self._shared(part), outputs)
        yield "{"
        yield from (f"    {line}" for line in self._body(part))
        yield "}"

    def _calls(self) -> Iterator[str]:
        for number, part in enumerate(self.stream.parts):
            inputs, outputs = self._arrays(part)
            names = [
                *(array.name for array in inputs),
                *(name for name, _, _ in self._shared(part)),
                *(array.name for array in outputs),
                *(name for _, name in self.trailing),
            ]
            yield f"{self.source.function}_part{number}({', '.join(names)});"

    def _body(self, part: Part) -> list[str]:
        return [self._line(statement) for statement in part.statements]

    def _line(self, statement: Statement) -> str:
        new = f"const {self.source.real} " if isinstance(statement.target, Local) else ""
        return f"{new}{self.dialect.assignment(statement)};"


def literal(value: float, real: str) -> str:
    """Return the shortest decimal that reads back as exactly this constant."""
    if real == "double":
        return repr(value)
    with np.errstate(over="ignore"):
        rounded = np.float32(value)
    if not np.isfinite(rounded):
        raise ClosedFormError(f"constant {value!r} is beyond single precision; export in double")
    return f"{rounded!s}f"


def listed(start: str, items: list[str], end: str) -> str:
    """Return a list on one line, or with one item per line if that would be too long."""
    one = start + ", ".join(items) + end
    return one if len(one) <= WIDTH else f"{start}\n    " + ",\n    ".join(items) + end


def block_comment(lines: Iterable[str]) -> list[str]:
    """Return a comment of several lines."""
    return ["/*", *(f" * {line}".rstrip() for line in lines), " */"]


def entry_text(array: str, indices: tuple[int, ...]) -> str:
    """Return an entry as C writes it."""
    return f"{array}[{', '.join(map(str, indices))}]"


def c_functions(real: str) -> dict[str, str]:
    """Return the operations of programs as functions of libm and conditional expressions."""
    names = {name: name for name in FUNCTIONS.values()} | {"abs": "fabs", "min": "fmin", "max": "fmax"}
    suffix = "f" if real == "float" else ""
    one, zero = literal(1.0, real), literal(0.0, real)
    return {name: known + suffix for name, known in names.items()} | {
        "sign": f"((({{0}}) > {zero}) - (({{0}}) < {zero}))",
        "less": f"(({{}}) < ({{}}) ? {one} : {zero})",
        "at_most": f"(({{}}) <= ({{}}) ? {one} : {zero})",
        "not": f"(({{}}) == {zero} ? {one} : {zero})",
        "where": f"(({{}}) != {zero} ? ({{}}) : {zero})",
    }
