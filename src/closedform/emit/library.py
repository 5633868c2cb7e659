"""A library of C: functions of one owner with one header, a CMake file, a self-check and a page of sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from typing import TypeVar

from . import words
from .c import NOTES, CFunction, guarded
from .c_family import block_comment, entry_text
from .cpp import LONGEST, cpp_header, named_sizes
from .names import distinct, identifier
from .self_check import self_check
from .source import Source, origin, wrapped

T = TypeVar("T")


class Library:
    """Functions that share a name, a header and a folder."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.functions = [CFunction(each) for each in sources]
        self.sources, self.real = tuple(sources), sources[0].real
        self.owner = sources[0].subject.owner
        self.name = library_name(self.owner, {each.function for each in sources})
        self.origin = origin("library", self.owner)

    @property
    def names(self) -> list[str]:
        """Names of the functions."""
        return [each.function for each in self.sources]


def library_name(owner: str, functions: Set[str] = frozenset()) -> str:
    """Return the name of an owner's library: no word of a language, no known header, no function of it."""
    return distinct([identifier(owner, LONGEST)], words.LIBRARY | functions)[0]


def write_library(sources: Sequence[Source], *, cpp: bool = False) -> dict[str, str]:
    """Return the files of a library by name, with a header for C++ if asked for."""
    library = Library(sources)
    header = f"{library.name}.h"
    more = {f"{library.name}.hpp": cpp_header(library.name, sources, header, library.origin)} if cpp else {}
    return {
        header: _header(library),
        **more,
        **{f"{each.source.function}.c": each.text(header) for each in library.functions},
        "self_check.c": self_check(library.name, sources, library.origin),
        "CMakeLists.txt": _cmake(library, cpp=cpp),
        "README.md": _readme(library, cpp=cpp),
    }


write_cpp_library = partial(write_library, cpp=True)


def _header(library: Library) -> str:
    subjects = [each.subject for each in library.sources]
    layouts = _once(block for subject in subjects for block in _blocks(subject.layout(entry_text)))
    facts = _once(fact for subject in subjects for fact in subject.facts)
    lines = [
        f"{library.name}: {', '.join(subject.name for subject in subjects)}",
        "",
        *NOTES,
        "",
        *(line for block in layouts for line in (*block, "")),
        *facts,
        library.origin,
    ]
    prefix, sizes = library.name.upper(), named_sizes(library.sources)
    before = [
        f"typedef {library.real} {library.name}_real;",
        "",
        *(f"#define {prefix}_{name} {size}" for name, size in sizes.items()),
        *([""] if sizes else []),
    ]
    declared: list[str] = []
    for each in library.functions:
        costs = [each.source.operations, each.stack]
        text = [each.source.claim, *wrapped([*each.source.description(), *costs])]
        declared += [*block_comment(text), *_macros(each.source), each.declaration(), ""]
    return guarded(block_comment(wrapped(lines)), library.name, declared[:-1], before)


def _macros(source: Source) -> Iterator[str]:
    """Yield the sizes of the outputs as constants, for those who declare arrays."""
    names = distinct((array.name.upper() for array in source.outputs), frozenset())
    for name, array in zip(names, source.outputs, strict=True):
        yield f"#define {source.function.upper()}_{name}_SIZE {array.size}"


def _blocks(lines: Iterable[str]) -> list[tuple[str, ...]]:
    """Return runs of lines that are not empty."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        else:
            blocks.append([])
    return [tuple(block) for block in blocks if block]


def _once(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))


CMAKE = """\
# {origin}
cmake_minimum_required(VERSION 3.15)
project({name} LANGUAGES {languages})

if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({name} STATIC
  {sources})
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
target_compile_features({name} PUBLIC c_std_99)
if(NOT MSVC)
  target_link_libraries({name} PUBLIC m)
endif()
{cpp}
add_executable({name}_self_check self_check.c)
target_link_libraries({name}_self_check PRIVATE {name})

enable_testing()
add_test(NAME {name}_self_check COMMAND {name}_self_check)
"""

CMAKE_CPP = """
add_library({name}_cpp INTERFACE)
target_link_libraries({name}_cpp INTERFACE {name})
target_compile_features({name}_cpp INTERFACE cxx_std_20)
"""


def _cmake(library: Library, *, cpp: bool) -> str:
    return CMAKE.format(
        origin=library.origin,
        name=library.name,
        languages="C CXX" if cpp else "C",
        sources="\n  ".join(f"{name}.c" for name in library.names),
        cpp=CMAKE_CPP.format(name=library.name) if cpp else "",
    )


README = """\
# {name}

{origin}

| file | what it is |
|---|---|
{files}

    cmake -S . -B build && cmake --build build && ctest --test-dir build
    cc -std=c99 -O2 -o self_check *.c -lm && ./self_check

Both build the functions and compare them with results that were stored at export; the second does it without
CMake. Arrays, units and joints are explained in {name}.h. Numbers are of type {real}. Do not use -ffast-math.

| function | operations | constants | stack, at most | code on Arm, about | code on x86-64, about |
|---|---|---|---|---|---|
{sizes}

Stack and code are bytes. The stack is a bound for the function and all it calls, functions of libm not
counted; with optimisation a compiler needs less (GCC: -fstack-usage). Code is an estimate for GCC with -O2,
constants included; it may be half or twice as much (GCC: size file.o). Nothing is allocated, and no state
is kept.
"""


def _readme(library: Library, *, cpp: bool) -> str:
    files = {
        f"{library.name}.h": "the header of all functions, for C and C++",
        **({f"{library.name}.hpp": "the same for C++20: spans, arrays, Eigen if it is there"} if cpp else {}),
        **{f"{each.function}.c": each.claim for each in library.sources},
        "self_check.c": "compares the functions with stored results",
        "CMakeLists.txt": f"builds the static library {library.name} and {library.name}_self_check",
    }
    rows = []
    for each in library.functions:
        took, counts = each.footprint, each.source.program.counts
        figures = (counts.total, took.constants, took.stack, *took.code.values())
        rows.append(f"| {each.source.function} | {' | '.join(map(str, figures))} |")
    return README.format(
        name=library.name,
        origin=library.origin,
        files="\n".join(f"| {name} | {what.replace('|', '/')} |" for name, what in files.items()),
        real=library.real,
        sizes="\n".join(rows),
    )
