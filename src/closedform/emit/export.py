"""Programs written to files: the languages, and the one way to all of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from ..checks import choice, file_path, known_name
from ..errors import ArgumentError
from ..files import file_size, is_folder, made_folder, read_start, write_files
from ..programs import Program
from . import words
from .c import write_c
from .cpp import write_cpp
from .cuda import write_cuda
from .library import write_cpp_library, write_library
from .matlab import write_matlab, write_simulink
from .names import checked_identifier
from .numpy_code import write_numpy
from .source import Source, source
from .subject import Subject

BOTH, DOUBLE = ("double", "float"), ("double",)

HEAD = 2**16
"""Bytes of a file in which the line that says where it comes from is looked for."""


@dataclass(frozen=True)
class Language:
    """A target: its words, its precisions, its file endings and its printer (ending -> text).

    `library` prints several functions that belong together (file -> text); without one, every function is
    printed by itself.
    """

    title: str
    reserved: frozenset[str]
    precisions: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[Source], dict[str, str]]
    library: Callable[[Sequence[Source]], dict[str, str]] | None = None

    def alone(self, sources: Sequence[Source]) -> dict[str, str]:
        """Return the files of functions, each for itself, by name."""
        return {each.function + ending: text for each in sources for ending, text in self.write(each).items()}


LANGUAGES = {
    "c": Language("C", words.C, BOTH, (".h", ".c"), write_c, write_library),
    "c++": Language("C++", words.CPP, BOTH, (".h", ".c", ".hpp"), write_cpp, write_cpp_library),
    "cuda": Language("CUDA", words.CUDA, BOTH, (".cu",), write_cuda),
    "matlab": Language("MATLAB", words.MATLAB, DOUBLE, (".m",), write_matlab),
    "simulink": Language("MATLAB", words.MATLAB, BOTH, (".m",), write_simulink),
    "numpy": Language("Python", words.NUMPY, DOUBLE, (".py",), write_numpy),
}
"""Every language by name."""


def export(
    program: Program,
    subject: Subject,
    language: str,
    path: str | os.PathLike[str],
    *,
    precision: str = "double",
) -> tuple[Path, ...]:
    """Write a program as source code and return the paths of its files.

    `path` is a folder, in which the subject names the function and its files, or a file without
    its ending, which then names the function too. The files appear whole or not at all, and never in place
    of files that are something else.
    """
    target = _language(language, precision)
    folder, make, function = _place(path, subject.function, target)
    written = source(function, program, subject, precision, target.reserved)
    return _write(folder, target.alone([written]), make=make)


def export_library(
    functions: Sequence[tuple[Program, Subject]],
    language: str,
    folder: str | os.PathLike[str],
    *,
    precision: str = "double",
) -> tuple[Path, ...]:
    """Write several programs of one owner into a folder, which is made, and return the paths.

    In C they become a library: one header, a source for each, a CMake file, a program that checks them and a
    page with their sizes. The other languages have files of their own for each.
    """
    target = _language(language, precision)
    place = file_path("export: path", folder)
    _refuse_same_names([subject for _, subject in functions])
    sources = [
        source(subject.function, program, subject, precision, target.reserved)
        for program, subject in functions
    ]
    return _write(place, (target.library or target.alone)(sources))


def _language(language: str, precision: str) -> Language:
    target = LANGUAGES[known_name("language", language, tuple(LANGUAGES))]
    choice(f"{target.title}: precision", precision, target.precisions)
    return target


def _refuse_same_names(subjects: Sequence[Subject]) -> None:
    """Refuse functions that would be written to the same files; some systems do not tell cases apart."""
    if not subjects:
        raise ArgumentError("export: no form is named; expected at least one")
    known: dict[str, Subject] = {}
    for each in subjects:
        other = known.setdefault(each.function.lower(), each)
        if other is not each:
            raise ArgumentError(
                f"export: {other.name} and {each.name} would both be {each.function}; "
                "leave one out, or export it to another folder"
            )


def _place(path: str | os.PathLike[str], default: str, target: Language) -> tuple[Path, bool, str]:
    """Return the folder, whether it may be made, and the name of the function, which is that of its files."""
    given = file_path("export: path", path)
    if os.fspath(path).endswith((os.sep, "/")) or is_folder(given):
        return given, True, default
    stem = given.stem if given.suffix in target.endings else given.name
    return given.parent, False, checked_identifier(stem, target.title, target.reserved)


def _write(folder: Path, texts: Mapping[str, str], *, make: bool = True) -> tuple[Path, ...]:
    """Write files into a folder, all or none; none of them may hold something else already."""
    paths = {folder / name: text for name, text in texts.items()}
    for path, text in paths.items():
        _refuse_other(path, text)
    with made_folder(folder) if make else nullcontext():
        return write_files(paths)


def _refuse_other(path: Path, text: str) -> None:
    """Refuse to overwrite a file that holds another function, or that was not exported."""
    if not file_size(path):
        return
    held, new = _origin(read_start(path, HEAD)[0].decode("utf-8", "replace")), _origin(text)
    if held != new:
        what = f"holds {held}, not {new}" if held else "was not written by export"
        raise ArgumentError(
            f"{path}: {what}; choose another name or folder, or remove it. Several forms go to one folder if "
            "they are exported together"
        )


def _origin(text: str) -> str | None:
    """Return what a text says that it is, in comments of any language."""
    plain = re.sub(r"[\s*%#]+", " ", text)
    found = re.search(r"Generated by closedform \S+: (.*?)\. Do not edit\.", plain)
    return found and found[1]
