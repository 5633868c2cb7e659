"""C99: one header and one source that need nothing but libm, allocate nothing and keep no state."""

from __future__ import annotations

from .c_family import CFamily, block_comment, entry_text
from .source import Array, Source
from .turn import turn_function

NOTES = (
    "Arrays are contiguous and row-major; outputs overlap neither inputs nor each other. The",
    "function is reentrant: it allocates nothing and keeps no state.",
)


def write_c(source: Source) -> dict[str, str]:
    """Return the header and the source file of a form."""
    return {".h": "\n".join(_header(source)), ".c": "\n".join(_source(source))}


class _Declared(CFamily):
    """The function as the header declares it, for C and C++."""


class _Defined(CFamily):
    """The function as the source defines it, whose arrays do not overlap."""

    workspace_parameter = "{real} w[restrict {size}]"

    @property
    def turn(self) -> str | None:
        return f"{self.source.function}_turn" if self.source.real == "double" else None

    def parameter(self, array: Array, const: str) -> str:
        return f"{const}{self.source.real} {array.name}[restrict {array.size}]"


def _header(source: Source) -> list[str]:
    family = _Declared(source)
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
        family.prototype("void", source.function, source.inputs, source.outputs) + ";",
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
    helper = [*turn_function(family.turn), ""] if family.turn else []
    return [
        f"/* {source.origin} */",
        f'#include "{source.function}.h"',
        "",
        "#include <math.h>",
        "",
        "#ifdef __cplusplus",
        "#define restrict",
        "#endif",
        "",
        *helper,
        *family.functions_text(),
        "",
    ]
