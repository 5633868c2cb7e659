"""A function to be written: its name, its arrays, and the text that documents it."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from ..forms import Quantity
from ..programs import Program
from .names import comment, distinct, label
from .subject import Index, Subject

WIDTH = 100
"""Columns of documentation, without the signs of a comment."""


@dataclass(frozen=True)
class Array:
    """A parameter or result of the function."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    unit: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)

    def indices(self, position: int) -> tuple[int, ...]:
        """Return the indices of an entry in row-major order."""
        found: list[int] = []
        for size in reversed(self.shape):
            position, index = divmod(position, size)
            found.append(index)
        return tuple(reversed(found))


@dataclass(frozen=True)
class Source:
    """Everything a language needs to write a function."""

    function: str
    program: Program
    subject: Subject
    real: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]

    @property
    def origin(self) -> str:
        """The line that says where the text comes from."""
        return origin(self.subject.name, self.subject.owner)

    @property
    def claim(self) -> str:
        """The first line of the documentation; some languages write results instead of returning."""
        return comment(re.sub(r"^Return ", "Compute ", self.subject.doc.strip().splitlines()[0]))

    def documentation(self, index: Index, notes: tuple[str, ...] = ()) -> list[str]:
        """Return the lines that document the function, after its claim."""
        lines = [*self.description(), *notes, "", *self.subject.layout(index)]
        lines += [*([""] if lines[-1] else []), *self.subject.facts, self.operations, self.origin]
        return wrapped(lines)

    def description(self) -> list[str]:
        """Return the lines on the theory and the arrays, each as long as it is."""
        return [*self._theory(), "", *self._arrays()]

    def _theory(self) -> list[str]:
        lines = inspect.cleandoc(self.subject.doc).splitlines()[1:]
        cited = re.search(r"\[[A-Z][A-Za-z]+\d{4}\b", self.subject.doc)
        return [*lines, *(["Citations: docs/references.bib of closedform."] if cited else [])]

    def _arrays(self) -> list[str]:
        lines = []
        for title, arrays in (("Inputs", self.inputs), ("Outputs", self.outputs)):
            lines.append(f"{title} (SI units):")
            names = [f"{array.name} ({_times(array.shape)})" for array in arrays]
            width = max(map(len, names))
            for name, array in zip(names, arrays, strict=True):
                unit = f" [{array.unit}]" if array.unit else ""
                lines.append(f"  {name:<{width}}  {array.meaning}{unit}")
        return lines

    @property
    def operations(self) -> str:
        """The sentence that counts the operations of one call."""
        counts = self.program.counts
        return (
            f"Operations: {counts.additions} additions, {counts.multiplications} multiplications, "
            f"{counts.divisions} divisions, {counts.square_roots} square roots, "
            f"{counts.sines_and_cosines} sines and cosines."
        )


def source(function: str, program: Program, subject: Subject, real: str, reserved: frozenset[str]) -> Source:
    """Return a function to be written, its parameters named so that the language takes them."""
    count = len(program.inputs)
    arrays = (*program.inputs, *program.outputs)
    known = [subject.quantities.get(name) for name, _ in arrays]
    symbols = (
        name if each is None or k < count else each.symbol
        for k, ((name, _), each) in enumerate(zip(arrays, known, strict=True))
    )
    names = distinct(symbols, reserved | {function})
    written = tuple(
        Array(name, shape, *_explained(given, each, subject.words))
        for name, (given, shape), each in zip(names, arrays, known, strict=True)
    )
    return Source(function, program, subject, real, written[:count], written[count:])


def _explained(name: str, quantity: Quantity | None, words: Mapping[str, str]) -> tuple[str, str]:
    """Return the meaning and the unit of an array; those of a program that is no form have only a name."""
    if quantity is None:
        return name.replace("_", " "), ""
    meaning = quantity.meaning
    for word, text in words.items():
        meaning = meaning.replace(f"{{{word}}}", text)
    return meaning, quantity.unit


def origin(what: str, owner: str) -> str:
    """Return the line that says where a text comes from; without a date, so that it is always the same."""
    from .. import __version__  # noqa: PLC0415 (the package is not yet whole when this module loads)

    return comment(f"Generated by closedform {__version__}: {what} of {label(owner)}. Do not edit.")


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines of documentation as safe text of at most `WIDTH` columns."""
    return [comment(part) for line in lines for part in _wrapped(line)]


def _wrapped(line: str) -> list[str]:
    depth = len(line) - len(line.lstrip())
    indent = " " * (depth + 4 if depth else 0)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "1"
