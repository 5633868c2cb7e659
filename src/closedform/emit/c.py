"""C99: one header and one source that need nothing but libm, allocate nothing and keep no state."""

from __future__ import annotations

from .c_family import CFamily, block_comment, entry_text, listed
from .c_sincos import sincos_function
from .source import Source
from .statements import Entry

NOTES = (
    "Arrays are contiguous and row-major: entry (i, j) of m x n is array[n * i + j]. Outputs overlap "
    "neither inputs nor each other. Reentrant: nothing is allocated, no state is kept.",
)

STRAIGHT = (
    "/* GCC packs neighbouring results of straight-line code into vectors, which makes it slower. */",
    "#if defined(__GNUC__) && !defined(__clang__)",
    "#define CLOSEDFORM_STRAIGHT __attribute__((optimize( \\",
    '    "no-tree-slp-vectorize", "live-range-shrinkage", "rename-registers", \\',
    '    "schedule-insns", "sched-pressure")))',
    "#else",
    "#define CLOSEDFORM_STRAIGHT",
    "#endif",
)
"""Options of GCC for the functions, chosen by `python -m bench exported`."""

LANES = 4
"""Arrays of three or more angles are padded to a multiple of this, so that they fill whole registers."""


def write_c(source: Source) -> dict[str, str]:
    """Return the header and the source file of a form."""
    return {".h": "\n".join(_header(source)), ".c": "\n".join(_source(source))}


class _Defined(CFamily):
    """The function as the source defines it: its arrays do not overlap."""

    attribute = ("CLOSEDFORM_STRAIGHT",)

    def parameter(self, name: str, size: int, *, const: bool) -> str:
        """Return the declaration of an array that overlaps no other."""
        return f"{'const ' if const else ''}{self.source.real} {name}[restrict {size}]"

    @property
    def angle_count(self) -> int:
        """The size of the arrays of angles, sines and cosines; angles used in place are not padded."""
        count = len(self.stream.angles)
        return count if count < 3 or self.angles_in_place else -(-count // LANES) * LANES

    @property
    def angles_in_place(self) -> str | None:
        """The address of the angles if they are neighbours in an input, in order, and need no copy."""
        angles = [each for each in self.stream.angles if isinstance(each, Entry)]
        places = [(each.array, each.position) for each in angles]
        array, first = places[0] if places else (0, 0)
        if places != [(array, first + k) for k in range(len(self.stream.angles))]:
            return None
        name = self.source.inputs[array].name
        return f"{name} + {first}" if first else name

    @property
    def sincos_name(self) -> str:
        """The function that computes sines and cosines."""
        return f"{self.source.function}_turns"

    def sines_and_cosines(self) -> list[str]:
        """Return the call that computes all sines and cosines together."""
        real, size = self.source.real, self.angle_count
        if self.angles_in_place:
            return [f"{real} s[{size}], c[{size}];", f"{self.sincos_name}({self.angles_in_place}, s, c);"]
        angles = [self.dialect.write(angle) for angle in self.stream.angles]
        angles += [self.dialect.number(0.0)] * (size - len(angles))
        return [
            *listed(f"const {real} x[{size}] = {{", angles, "};").splitlines(),
            f"{real} s[{size}], c[{size}];",
            f"{self.sincos_name}(x, s, c);",
        ]


def _header(source: Source) -> list[str]:
    family = CFamily(source)
    size = family.stream.workspace
    notes = (*NOTES, f"Stack: {size} {source.real}s of workspace.") if size else NOTES
    guard = f"{source.function.upper()}_H"
    return [
        *block_comment([source.function, "", source.claim, *source.documentation(entry_text, notes)]),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        family.prototype() + ";",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]


def _source(source: Source) -> list[str]:
    family = _Defined(source)
    helper = (
        sincos_function(family.sincos_name, family.angle_count, source.real) if family.angle_count else []
    )
    return [
        f"/* {source.origin} */",
        f'#include "{source.function}.h"',
        "",
        "#include <float.h>",
        "#include <math.h>",
        "",
        "#ifdef __cplusplus",
        "#define restrict",
        "#endif",
        "",
        *STRAIGHT,
        "",
        *(*helper, *([""] if helper else [])),
        *family.definition(),
        "",
    ]
