"""C++20: a header over the functions of C, with spans, arrays returned by value, and Eigen if it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from . import words
from .c import write_c
from .c_family import block_comment, listed
from .names import distinct, identifier
from .source import Array, Source, wrapped

NOTES = (
    "C++20, over the functions of {header}. Arrays are spans of fixed size: arrays of that size are taken "
    "as they are, others are refused by the compiler. Matrices are row-major. Nothing is allocated; what is "
    "returned is returned by value.",
    "If Eigen is there, namespace eigen has the same functions for its vectors and matrices. A matrix that "
    "is returned may be assigned to one of any storage order; one that is written in place is row-major. An "
    "array of three axes is a matrix whose rows run over the first two.",
)

LONGEST = 40
"""Characters of the name of a library or a namespace."""

_Parameter = Callable[[Array, bool], str]
"""How an array is declared: (array, whether it is an input) -> text."""

EIGEN = """\
namespace eigen {{

template <int Rows, int Columns>
using matrix = Eigen::Matrix<{real}, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

template <int Rows, int Columns>
using contiguous = Eigen::OuterStride<Columns == 1 ? Rows : Columns>;

/** A contiguous matrix to read; what is stored otherwise is copied to the stack. */
template <int Rows, int Columns>
using in = const Eigen::Ref<const matrix<Rows, Columns>, 0, contiguous<Rows, Columns>> &;

/** A contiguous matrix or map to write to. */
template <int Rows, int Columns>
using out = Eigen::Ref<matrix<Rows, Columns>, 0, contiguous<Rows, Columns>>;
"""


def write_cpp(source: Source) -> dict[str, str]:
    """Return the files of C and the header of C++ of one function."""
    files = write_c(source)
    (name,) = distinct([identifier(source.subject.owner, LONGEST)], words.CPP | {source.function})
    return {**files, ".hpp": cpp_header(name, [source], f"{source.function}.h", source.origin)}


def cpp_header(name: str, sources: Sequence[Source], header: str, origin: str) -> str:
    """Return the header of C++ over the header of C of some functions; `name` is that of the namespace."""
    real = sources[0].real
    sizes, callers = named_sizes(sources), _callers(sources)
    lines = [
        *block_comment(wrapped([name, "", *(note.format(header=header) for note in NOTES), "", origin])),
        "#pragma once",
        "",
        f'#include "{header}"',
        "",
        "#include <array>",
        "#include <cstddef>",
        "#include <span>",
        "",
        "#if __has_include(<Eigen/Core>)",
        "#include <Eigen/Core>",
        "#endif",
        "",
        f"namespace {name} {{",
        "",
        f"using real = {real};",
        *(f"inline constexpr std::size_t {size.lower()} = {count};" for size, count in sizes.items()),
        "",
        *(line for each in callers for line in each.plain()),
        "#if __has_include(<Eigen/Core>)",
        *EIGEN.format(real=real).splitlines(),
        "",
        *(line for each in callers for line in each.eigen()),
        "}",
        "#endif",
        "",
        "}",
        "",
    ]
    return "\n".join(lines)


def named_sizes(sources: Sequence[Source]) -> dict[str, int]:
    """Return the sizes that the owner of functions gives a name."""
    return {name: size for each in sources for name, size in each.subject.sizes.items()}


def _callers(sources: Sequence[Source]) -> list[_Caller]:
    """Return the callers of functions; within the namespace the owner's name is left out."""
    shorter = [
        each.subject.what if each.function == each.subject.function else each.function for each in sources
    ]
    names = distinct(shorter, words.CPP | {"real"})
    return [_Caller(name, each) for name, each in zip(names, sources, strict=True)]


class _Caller:
    """How C++ calls a function of C: with results written in place, and with results returned."""

    def __init__(self, name: str, source: Source) -> None:
        self.name, self.source = name, source
        self.real = source.real

    def plain(self) -> Iterator[str]:
        """Yield the functions of spans."""
        outputs = self.source.outputs
        yield f"/** {self.source.claim} */"
        yield from self._in_place(self._span)
        if len(outputs) == 1:
            yield from self._returned(self._value(outputs[0]), self._span, "{0}.data()", "{0}")
            return
        yield f"struct {self.name}_result {{"
        yield from (f"    {self._value(array)} {array.name};" for array in outputs)
        yield from ("};", "")
        yield from self._returned(f"{self.name}_result", self._span, "results_.{0}.data()", "results_.{0}")

    def eigen(self) -> Iterator[str]:
        """Yield the functions of Eigen's matrices; several results are written in place only."""
        outputs = self.source.outputs
        yield f"/** {self.source.claim} */"
        yield from self._in_place(self._matrix)
        if len(outputs) == 1:
            array = outputs[0]
            kind = f"matrix<{_rows_and_columns(array)}>" if array.shape else self.real
            yield from self._returned(kind, self._matrix, "{0}.data()", "{0}")

    def _in_place(self, parameter: _Parameter) -> Iterator[str]:
        """Yield the function that writes its results to arrays of the caller."""
        arrays = (*self.source.inputs, *self.source.outputs)
        count = len(self.source.inputs)
        parameters = [parameter(array, k < count) for k, array in enumerate(arrays)]
        arguments = [f"{array.name}.data()" if array.shape else f"&{array.name}" for array in arrays]
        yield listed(f"inline void {self.name}(", parameters, ") noexcept")
        yield from ("{", f"    {self._call(arguments)}", "}", "")

    def _returned(self, kind: str, parameter: _Parameter, data: str, number: str) -> Iterator[str]:
        """Yield the function that returns its results; `data` and `number` say where an output is written."""
        inputs, outputs = self.source.inputs, self.source.outputs
        variable = outputs[0].name if len(outputs) == 1 else "results_"
        arguments = [f"{array.name}.data()" if array.shape else f"&{array.name}" for array in inputs]
        arguments += [(data if array.shape else f"&{number}").format(array.name) for array in outputs]
        parameters = [parameter(array, True) for array in inputs]
        yield listed(f"[[nodiscard]] inline {kind} {self.name}(", parameters, ") noexcept")
        yield from ("{", f"    {kind} {variable};", f"    {self._call(arguments)}")
        yield from (f"    return {variable};", "}", "")

    def _call(self, arguments: list[str]) -> str:
        return listed(f"::{self.source.function}(", arguments, ");").replace("\n", "\n    ")

    def _value(self, array: Array) -> str:
        return f"std::array<{self.real}, {array.size}>" if array.shape else self.real

    def _span(self, array: Array, given: bool) -> str:
        if not array.shape:
            return self._number(array, given)
        return f"std::span<{'const ' if given else ''}{self.real}, {array.size}> {array.name}"

    def _matrix(self, array: Array, given: bool) -> str:
        if not array.shape:
            return self._number(array, given)
        return f"{'in' if given else 'out'}<{_rows_and_columns(array)}> {array.name}"

    def _number(self, array: Array, given: bool) -> str:
        return f"const {self.real} {array.name}" if given else f"{self.real} &{array.name}"


def _rows_and_columns(array: Array) -> str:
    columns = array.shape[-1] if len(array.shape) > 1 else 1
    return f"{array.size // columns}, {columns}"
