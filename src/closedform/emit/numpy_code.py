"""NumPy: one function that broadcasts over leading batch axes and needs nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from ..programs.operations import NUMPY
from .dialect import Dialect, sines_and_cosines
from .source import Array, Source
from .statements import Entry
from .stream import stream

NOTES = (
    "Axes before those shapes are batch axes and broadcast. Single precision stays single. Every "
    "variable lives until the end: give large batches in blocks of some thousand samples.",
)

FUNCTIONS = {name: f"np.{known.__name__}" for name, known in NUMPY.items() if isinstance(known, np.ufunc)} | {
    "less": "np.where({} < {}, 1.0, 0.0)",
    "at_most": "np.where({} <= {}, 1.0, 0.0)",
    "not": "np.where({} == 0, 1.0, 0.0)",
    "where": "np.where({} != 0, {}, 0.0)",
}
"""Operations as functions of NumPy."""


def write_numpy(source: Source) -> dict[str, str]:
    """Return the one module of a form."""
    starts = [0, *accumulate(array.size for array in source.inputs)]

    def entry(at: Entry) -> str:
        return f"x{starts[at.array] + at.position}"

    def output(at: Entry) -> str:
        array = source.outputs[at.array]
        return entry_text(array.name, array.indices(at.position))

    dialect = Dialect(repr, entry, output, functions=FUNCTIONS)
    whole = stream(source.program)
    (part,) = whole.parts
    parameters = ", ".join(array.name for array in source.inputs)
    docstring = [f'"""{source.claim}', *source.documentation(entry_text, NOTES), '"""']
    body = [
        *docstring,
        *_arguments(source),
        *(line for array, start in zip(source.inputs, starts, strict=False) for line in _load(array, start)),
        *(f"{array.name} = np.zeros(({_joined(array.shape)}), dtype)" for array in source.outputs),
        *sines_and_cosines(whole, dialect),
        *(dialect.assignment(statement) for statement in part.statements),
        f"return {', '.join(array.name for array in source.outputs)}",
    ]
    lines = [
        f'"""{source.origin}"""',
        "",
        "import numpy as np",
        "",
        "",
        f"def {source.function}({parameters}):",
        *(f"    {line}".rstrip() for line in body),
        "",
    ]
    return {".py": "\n".join(lines)}


def entry_text(array: str, indices: tuple[int, ...]) -> str:
    """Return an entry as NumPy writes it, after any batch axes."""
    return f"{array}[{', '.join(['...', *map(str, indices)])}]"


def _joined(shape: tuple[int, ...]) -> str:
    return ", ".join(["*batch", *map(str, shape)]) + ("" if shape else ",")


def _arguments(source: Source) -> Iterator[str]:
    """Yield the lines that convert and check the arguments."""
    names = ", ".join(array.name for array in source.inputs)
    one = "," if len(source.inputs) == 1 else ""
    yield f"dtype = np.result_type(np.float32, *(np.asarray(x) for x in ({names}{one})))"
    for array in source.inputs:
        yield f"{array.name} = np.asarray({array.name}, dtype)"
        if array.shape:
            expected = ", ".join(["...", *map(str, array.shape)])
            yield f"if {array.name}.shape[-{len(array.shape)}:] != {array.shape!r}:"
            problem = f"{array.name} has shape {{{array.name}.shape}}; expected ({expected})"
            yield f'    raise ValueError(f"{problem}")'
    yield f"batch = np.broadcast_shapes({', '.join(map(_batch, source.inputs))})"


def _batch(array: Array) -> str:
    """Return the batch axes of an input; a number has no others."""
    return f"{array.name}.shape" + (f"[:-{len(array.shape)}]" if array.shape else "")


def _load(array: Array, start: int) -> Iterator[str]:
    """Yield the lines that name the entries of an input."""
    flat = array.name
    if not array.shape:
        yield f"x{start} = {flat}"
        return
    if len(array.shape) > 1:
        flat = f"{flat}.reshape(*{_batch(array)}, {array.size})"
    names = ", ".join(f"x{start + k}" for k in range(array.size))
    *lines, last = textwrap.wrap(f"({names}{',' if array.size == 1 else ''})", 96, subsequent_indent=" ")
    yield from (*lines, f"{last} = np.moveaxis({flat}, -1, 0)")
