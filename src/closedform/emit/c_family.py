"""What C and CUDA share: functions of arrays, split into parts where a program is long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..errors import ClosedFormError
from .dialect import Dialect
from .source import Array, Source
from .statements import Define, Part, Statement, Turn, stream

WIDTH = 100
"""Columns of a line before its parameters are put one below the other."""


class CFamily:
    """A form as functions in the syntax of C; languages say how they write an array."""

    void = "void"
    part_void = "static void"
    workspace_parameter = "{real} w[{size}]"
    trailing: tuple[tuple[str, str], ...] = ()
    """Parameters after the arrays: (type, name)."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stream = stream(source.program, split=True)
        suffix = "f" if source.real == "float" else ""
        self.dialect = Dialect(
            number=lambda value: literal(value, source.real),
            entry=lambda at: self.entry(source.inputs[at.array].name, at.position),
            output=lambda at: self.entry(source.outputs[at.array].name, at.position),
            functions={name: name + suffix for name in ("sin", "cos", "sqrt")},
        )

    @property
    def turn(self) -> str | None:
        """The function (angle, &sine, &cosine), where there is one."""
        return None

    def entry(self, array: str, position: int) -> str:
        """Return an entry of an array."""
        return f"{array}[{position}]"

    def parameter(self, array: Array, const: str) -> str:
        """Return the declaration of an array as a parameter."""
        return f"{const}{self.source.real} {array.name}[{array.size}]"

    def functions_text(self) -> list[str]:
        """Return the lines of the function, after those of its parts where it has several."""
        source, parts = self.source, self.stream.parts
        lines: list[str] = []
        if len(parts) == 1:
            body = self._body(parts[0])
        else:
            for number, part in enumerate(parts):
                lines += [*self._part(number, part), ""]
            body = [f"{source.real} w[{self.stream.workspace}];", *self._calls()]
        used = frozenset().union(*(part.inputs for part in parts))
        unused = [f"(void){array.name};" for k, array in enumerate(source.inputs) if k not in used]
        head = self.prototype(self.void, source.function, source.inputs, source.outputs)
        return [*lines, head, "{", *(f"    {line}" for line in (*body, *unused)), "}"]

    def prototype(
        self, kind: str, name: str, inputs: Iterable[Array], outputs: Iterable[Array], *, part: bool = False
    ) -> str:
        """Return the head of a function."""
        parameters = [self.parameter(array, "const ") for array in inputs]
        if part:
            size = self.stream.workspace
            parameters.append(self.workspace_parameter.format(real=self.source.real, size=size))
        parameters += [self.parameter(array, "") for array in outputs]
        parameters += [f"{kind} {name}" for kind, name in self.trailing]
        return listed(f"{kind} {name}(", parameters, ")")

    def _part(self, number: int, part: Part) -> Iterator[str]:
        name = f"{self.source.function}_part{number}"
        yield self.prototype(self.part_void, name, *self._arrays(part), part=True)
        yield "{"
        yield from (f"    {line}" for line in self._body(part))
        yield "}"

    def _calls(self) -> Iterator[str]:
        for number, part in enumerate(self.stream.parts):
            inputs, outputs = self._arrays(part)
            names = [*(each.name for each in inputs), "w", *(each.name for each in outputs)]
            arguments = ", ".join([*names, *(name for _, name in self.trailing)])
            yield f"{self.source.function}_part{number}({arguments});"

    def _arrays(self, part: Part) -> tuple[list[Array], list[Array]]:
        """Return the inputs and outputs that a part touches."""
        return (
            [self.source.inputs[k] for k in sorted(part.inputs)],
            [self.source.outputs[k] for k in sorted(part.outputs)],
        )

    def _body(self, part: Part) -> list[str]:
        return [line for statement in part.statements for line in self._lines(statement)]

    def _lines(self, statement: Statement) -> list[str]:
        if isinstance(statement, Turn) and self.turn is not None:
            sine, cosine = statement.sine, statement.cosine
            angle = self.dialect.write(statement.angle)
            return [f"{self.source.real} {sine}, {cosine};", f"{self.turn}({angle}, &{sine}, &{cosine});"]
        kind = f"const {self.source.real} " if isinstance(statement, Define | Turn) else ""
        return [f"{kind}{target} = {value};" for target, value in self.dialect.assignments(statement)]


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
    """Return a list on one line, or with one item per line where that would be too long."""
    one = start + ", ".join(items) + end
    return one if len(one) <= WIDTH else f"{start}\n    " + ",\n    ".join(items) + end


def block_comment(lines: Iterable[str]) -> list[str]:
    """Return a comment of several lines."""
    return ["/*", *(f" * {line}".rstrip() for line in lines), " */"]


def entry_text(array: str, indices: tuple[int, ...]) -> str:
    """Return an entry as C writes it."""
    return f"{array}[{', '.join(map(str, indices))}]"
