"""MATLAB and Octave: one function file; vectors are columns."""

from __future__ import annotations

from functools import partial

from .dialect import Dialect, sines_and_cosines
from .source import Array, Source
from .statements import Entry
from .stream import stream

NOTES = ("Vectors are columns.",)

FUNCTIONS = {
    "pow": "power",
    "less": "double({} < {})",
    "at_most": "double({} <= {})",
    "not": "double({} == 0)",
    "where": "kept_({}, {})",
}
"""Operations that MATLAB names or writes otherwise."""

KEPT = ["function y = kept_(c, x)", "    y = 0;", "    if c ~= 0", "        y = x;", "    end", "end", ""]
"""x if c is not zero, else zero, even if x is NaN; the product c * x would be NaN."""


def write_matlab(source: Source) -> dict[str, str]:
    """Return the one file of a form, named as its function."""

    def entry(arrays: tuple[Array, ...], at: Entry) -> str:
        array = arrays[at.array]
        return entry_text(array.name, array.indices(at.position))

    inputs, outputs = partial(entry, source.inputs), partial(entry, source.outputs)
    dialect = Dialect(repr, inputs, outputs, functions=FUNCTIONS)
    whole = stream(source.program)
    (part,) = whole.parts
    results = ", ".join(array.name for array in source.outputs)
    head = results if len(source.outputs) == 1 else f"[{results}]"
    parameters = ", ".join(array.name for array in source.inputs)
    lines = [
        f"function {head} = {source.function}({parameters})",
        f"%{source.function.upper()}  {source.claim}",
        *(f"%   {line}".rstrip() for line in source.documentation(entry_text, NOTES)),
        "",
        *(f"    {array.name} = zeros({_size(array.shape)});" for array in source.outputs),
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
