"""MATLAB and Octave: one function file; vectors are columns. Simulink's has declared sizes and types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .dialect import Dialect, sines_and_cosines
from .source import Array, Source
from .statements import Entry
from .stream import stream

NOTES = ("Vectors are columns.",)

CODEGEN = "%#codegen"
"""Tells MATLAB that the function is meant for code generation, so that its editor checks it."""

FUNCTIONS = {
    "pow": "power",
    "less": "double({} < {})",
    "at_most": "double({} <= {})",
    "not": "double({} == 0)",
    "where": "kept_({}, {})",
}
"""Operations that MATLAB names or writes otherwise."""

KEPT = ["function y = kept_(c, x)", "    y = x;", "    if c == 0", "        y(1) = 0;", "    end", "end", ""]
"""x if c is not zero, else zero of the same type, even if x is NaN; the product c * x would be NaN."""


CLASSES = {"double": "double", "float": "single"}
"""What MATLAB calls a precision."""


def write_simulink(source: Source) -> dict[str, str]:
    """Return the one file of a form for a MATLAB Function block and for MATLAB Coder.

    The sizes and types of the inputs are declared as Coder reads them, so that everything has a fixed size.
    """
    kind = CLASSES[source.real]
    declared = []
    for array in source.inputs:
        size = _size(array.shape).replace(",", "")
        declared += [
            f"    assert(isa({array.name}, '{kind}'));",
            f"    assert(all(size({array.name}) == [{size}]));",
        ]
    return write_matlab(source, f" {CODEGEN}", declared)


def write_matlab(source: Source, mark: str = "", declared: Sequence[str] = ()) -> dict[str, str]:
    """Return the one file of a form, named as its function.

    `mark` stands behind its first line, `declared` are lines before its first statement.
    """

    def entry(arrays: tuple[Array, ...], at: Entry) -> str:
        array = arrays[at.array]
        return entry_text(array.name, array.indices(at.position))

    inputs, outputs = partial(entry, source.inputs), partial(entry, source.outputs)
    dialect = Dialect(repr, inputs, outputs, functions=FUNCTIONS)
    kind = "" if source.real == "double" else ", 'single'"
    whole = stream(source.program)
    (part,) = whole.parts
    results = ", ".join(array.name for array in source.outputs)
    head = results if len(source.outputs) == 1 else f"[{results}]"
    parameters = ", ".join(array.name for array in source.inputs)
    lines = [
        f"function {head} = {source.function}({parameters}){mark}",
        f"%{source.function.upper()}  {source.claim}",
        *(f"%   {line}".rstrip() for line in source.documentation(entry_text, NOTES)),
        "",
        *declared,
        *(f"    {array.name} = zeros({_size(array.shape)}{kind});" for array in source.outputs),
        *(f"    {line};" for line in sines_and_cosines(whole, dialect)),
        *(f"    {dialect.assignment(statement)};" for statement in part.statements),
        "end",
        "",
    ]
    if any(operation == "where" for operation, _, _ in source.program.operations):
        lines += KEPT
    return {".m": "\n".join(lines)}


def entry_text(array: str, indices: tuple[int, ...]) -> str:
    """Return an entry as MATLAB writes it, counting from one."""
    return f"{array}({', '.join(str(index + 1) for index in indices) or '1'})"


def _size(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape if len(shape) > 1 else (*(shape or (1,)), 1)))
