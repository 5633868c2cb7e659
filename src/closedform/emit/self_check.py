"""A program in C that compares exported functions with results that were stored at export."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ClosedFormError
from ..programs import evaluate
from .c_family import WIDTH, block_comment, listed, literal
from .source import Source, wrapped

TYPES: dict[str, type[np.float64] | type[np.float32]] = {"double": np.float64, "float": np.float32}

SEED = 1
SAMPLES = 3
"""States at which a function is compared."""

NUMBERS = 20_000
"""Numbers stored of one function, after which one state suffices."""

TRIES = 8
"""States tried for each that is stored, since some may have no finite result."""

DISTURBED = 4
"""Disturbed copies of each state."""

ALLOWED = {"double": 1e-12, "float": 1e-5}
"""Errors relative to the largest entry of an array that round-off explains in any function."""

MARGIN = 128.0
"""What a computation may lose, in multiples of what rounding its inputs alone changes."""


@dataclass(frozen=True)
class Stored:
    """Inputs and results of a function, one row per state, the size of each result, and the error allowed."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    sizes: tuple[float, ...]
    allowed: float


def stored(source: Source) -> Stored:
    """Return results of a function by evaluating its program, operation by operation.

    The error that is allowed grows with the sensitivity of the function: results are compared with those of
    inputs disturbed by one unit in the last place, so that a stiff or nearly singular robot does not fail.
    """
    rng = np.random.default_rng(SEED)
    inputs = _inputs(source, rng)
    results = _rows(source, inputs)
    finite = np.flatnonzero(np.all([np.isfinite(each).all(axis=-1) for each in results], axis=0))
    if not finite.size:
        raise ClosedFormError(
            f"{source.function}: no result at random inputs is finite, so that nothing can be stored for the "
            "self-check; export the function alone"
        )
    kept = finite[: SAMPLES if sum(each.shape[-1] for each in results) * SAMPLES <= NUMBERS else 1]
    inputs, outputs = [each[kept] for each in inputs], [each[kept] for each in results]
    sizes = [float(np.abs(each).max(initial=0.0)) or 1.0 for each in outputs]
    unit = float(np.finfo(TYPES[source.real]).eps)
    change = 0.0
    for _ in range(DISTURBED):
        moved = [each * (1.0 + unit * rng.choice([-1.0, 1.0], each.shape)) for each in inputs]
        for now, before, size in zip(_rows(source, moved), outputs, sizes, strict=True):
            change = max(change, float(np.nan_to_num(np.abs(now - before)).max(initial=0.0)) / size)
    allowed = float(f"{max(ALLOWED[source.real], MARGIN * change):.1e}")
    return Stored(tuple(inputs), tuple(outputs), tuple(sizes), allowed)


def _inputs(source: Source, rng: np.random.Generator) -> list[Array]:
    """Return random inputs, exact in the precision of the function, one row per state."""
    count = SAMPLES * TRIES
    known = source.subject.states(rng, count)
    arrays = []
    for name, shape in source.program.inputs:
        given = known[name] if name in known else rng.uniform(0.5, 1.5, (count, *shape))
        arrays.append(np.asarray(given, TYPES[source.real]).astype(np.float64).reshape(count, -1))
    return arrays


def _rows(source: Source, inputs: Sequence[Array]) -> list[Array]:
    """Return the outputs for rows of inputs, as rows too."""
    shapes = [shape for _, shape in source.program.inputs]
    given = [each.reshape(-1, *shape) for each, shape in zip(inputs, shapes, strict=True)]
    with np.errstate(all="ignore"):
        results = evaluate(source.program, *given)
    together = results if isinstance(results, tuple) else (results,)
    return [
        np.broadcast_to(each, (len(given[0]), *each.shape[1:])).reshape(len(given[0]), -1)
        for each in together
    ]


TEXT = """\
{comment}
#include "{name}.h"

#include <math.h>
#ifndef CLOSEDFORM_NO_MAIN
#include <stdio.h>
#endif

typedef {name}_real real;

int {name}_self_check(void);

/* Forget earlier results, so that an entry that is not written shows. */
static void forget(real *x, int count)
{{
    for (int k = 0; k < count; ++k) {{
        x[k] = NAN;
    }}
}}

/* Return the larger of `worst` and the errors relative to `size`; infinity if a result is no number. */
static real larger(real worst, const real *got, const real *want, int count, real size)
{{
    for (int k = 0; k < count; ++k) {{
        const real error = {fabs}(got[k] - want[k])/size;
        if (!(error < {infinity})) {{
            return {infinity};
        }}
        worst = error > worst ? error : worst;
    }}
    return worst;
}}

{checks}
static const struct {{
    const char *name;
    real (*error)(void);
    real allowed;
}} checks[] = {{
{table}
}};

enum {{ COUNT = sizeof checks / sizeof checks[0] }};

int {name}_self_check(void)
{{
    int failed = 0;
    for (int k = 0; k < COUNT; ++k) {{
        failed += !(checks[k].error() <= checks[k].allowed);
    }}
    return failed;
}}

#ifndef CLOSEDFORM_NO_MAIN
int main(void)
{{
    for (int k = 0; k < COUNT; ++k) {{
        const real error = checks[k].error(), allowed = checks[k].allowed;
        printf("%-{width}s  worst relative error %.1e, allowed %.1e: %s\\n", checks[k].name, (double)error,
            (double)allowed, error <= allowed ? "ok" : "FAILED");
    }}
    return {name}_self_check() ? 1 : 0;
}}
#endif
"""


def self_check(name: str, sources: Sequence[Source], origin: str) -> str:
    """Return the program that checks a library."""
    comment = [
        f"Self-check of {name}.h: calls every function at stored inputs and compares with stored results.",
        "",
        "Prints the worst error of each function, relative to the largest entry of the array, and returns 1 "
        "if one is more than round-off explains. With -DCLOSEDFORM_NO_MAIN there is no main, for firmware: "
        f"{name}_self_check() prints nothing and returns the number of functions that fail.",
        origin,
    ]
    real = sources[0].real
    known = [stored(each) for each in sources]
    rows = [
        f'    {{"{source.function}", check_{number}, {literal(each.allowed, real)}}},'
        for number, (source, each) in enumerate(zip(sources, known, strict=True))
    ]
    return TEXT.format(
        comment="\n".join(block_comment(wrapped(comment))),
        name=name,
        fabs="fabs" if real == "double" else "fabsf",
        infinity="HUGE_VAL" if real == "double" else "HUGE_VALF",
        checks="\n".join(
            line
            for number, (source, each) in enumerate(zip(sources, known, strict=True))
            for line in _check(number, source, each)
        ),
        table="\n".join(rows),
        width=max(len(source.function) for source in sources),
    )


def _check(number: int, source: Source, known: Stored) -> Iterator[str]:
    """Yield the stored numbers of a function, and the function that compares with them."""
    arrays = list(zip(source.inputs + source.outputs, known.inputs + known.outputs, strict=True))
    for array, rows in arrays:
        yield f"static const real {array.name}_{number}[{len(rows)}][{array.size}] = {{"
        for row in rows:
            numbers = ", ".join(literal(float(each), source.real) for each in row)
            yield textwrap.fill(f"    {{{numbers}}},", WIDTH, subsequent_indent="     ")
        yield "};"
    results = [f"{array.name}_got" for array in source.outputs]
    arguments = [*(f"{array.name}_{number}[k]" for array in source.inputs), *results]
    yield from ("", f"static real check_{number}(void)", "{", "    real worst = 0;")
    yield f"    for (int k = 0; k < {len(arrays[0][1])}; ++k) {{"
    for array, result in zip(source.outputs, results, strict=True):
        yield f"        static real {result}[{array.size}];"
    for array, result in zip(source.outputs, results, strict=True):
        yield f"        forget({result}, {array.size});"
    yield f"        {listed(f'{source.function}(', arguments, ');')}"
    for array, result, size in zip(source.outputs, results, known.sizes, strict=True):
        want = f"{array.name}_{number}[k]"
        yield f"        worst = larger(worst, {result}, {want}, {array.size}, {literal(size, source.real)});"
    yield from ("    }", "    return worst;", "}", "")
