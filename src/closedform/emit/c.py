"""C99: one header and one source that need nothing but libm, allocate nothing and keep no state."""

from __future__ import annotations

from .c_family import CFamily, block_comment, entry_text, listed
from .c_sincos import sincos_function
from .footprint import Footprint, footprint
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

PART = (
    "/* Parts stay functions: within one another they would not share their places on the stack. */",
    "#if defined(__GNUC__)",
    "#define CLOSEDFORM_PART CLOSEDFORM_STRAIGHT __attribute__((noinline))",
    "#else",
    "#define CLOSEDFORM_PART",
    "#endif",
)

LANES = 4
"""Arrays of three or more angles are padded to a multiple of this, so that they fill whole registers."""


def write_c(source: Source) -> dict[str, str]:
    """Return the header and the source file of a form."""
    written = CFunction(source)
    lines = [source.function, "", source.claim, *source.documentation(entry_text, (*NOTES, written.stack))]
    header = guarded(block_comment(lines), source.function, [written.declaration()])
    return {".h": header, ".c": written.text(f"{source.function}.h")}


class CFunction(CFamily):
    """The function as the source defines it: its arrays do not overlap."""

    attribute = ("CLOSEDFORM_STRAIGHT",)
    part_attribute = ("CLOSEDFORM_PART",)

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

    @property
    def footprint(self) -> Footprint:
        """What the function takes of a small computer."""
        return footprint(self.source.program, self.stream, self.source.real)

    @property
    def stack(self) -> str:
        """The sentence on the stack."""
        return f"Stack: at most {self.footprint.stack} bytes, less with optimisation."

    def declaration(self) -> str:
        """Return the function as a header declares it."""
        return CFamily(self.source, self.stream).prototype() + ";"

    def text(self, header: str) -> str:
        """Return the source file."""
        helper = (
            sincos_function(self.sincos_name, self.angle_count, self.source.real) if self.angle_count else []
        )
        lines = [
            f"/* {self.source.origin} */",
            f'#include "{header}"',
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
            *((*PART, "") if len(self.stream.parts) > 1 else ()),
            *(*helper, *([""] if helper else [])),
            *self.definition(),
            "",
        ]
        return "\n".join(lines)

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


def guarded(comment: list[str], name: str, lines: list[str], before: list[str] | None = None) -> str:
    """Return a header that may be included twice, and by C++; lines `before` stand outside extern "C"."""
    guard = f"{name.upper()}_H"
    text = [
        *comment,
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *(before or []),
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *lines,
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]
    return "\n".join(text)
