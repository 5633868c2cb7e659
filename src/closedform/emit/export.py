"""Programs written to files: the languages, and the one way to all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..checks import choice, file_path, known_name
from ..errors import ClosedFormError
from ..files import write_files
from ..programs import Program
from . import words
from .c import write_c
from .cuda import write_cuda
from .matlab import write_matlab
from .names import checked_identifier
from .numpy_code import write_numpy
from .source import Source, source
from .subject import Subject


@dataclass(frozen=True)
class Language:
    """A target: its words, its precisions, its file endings and its printer (ending -> text)."""

    title: str
    reserved: frozenset[str]
    precisions: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[Source], dict[str, str]]


LANGUAGES = {
    "c": Language("C", words.C, ("double", "float"), (".h", ".c"), write_c),
    "cuda": Language("CUDA", words.CUDA, ("double", "float"), (".cu",), write_cuda),
    "matlab": Language("MATLAB", words.MATLAB, ("double",), (".m",), write_matlab),
    "numpy": Language("Python", words.NUMPY, ("double",), (".py",), write_numpy),
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
    its ending, which then names the function too. The files appear whole or not at all.
    """
    target = LANGUAGES[known_name("language", language, tuple(LANGUAGES))]
    choice(f"{target.title}: precision", precision, target.precisions)
    folder, function = _place(path, subject.function, target)
    texts = target.write(source(function, program, subject, precision, target.reserved))
    return write_files({folder / (function + ending): text for ending, text in texts.items()})


def _place(path: str | os.PathLike[str], default: str, target: Language) -> tuple[Path, str]:
    """Return the folder and the name of the function, which is that of its files."""
    given = file_path("export: path", path)
    text = os.fspath(path)
    try:
        if text.endswith((os.sep, "/")):
            given.mkdir(parents=True, exist_ok=True)
        if given.is_dir():
            return given, default
    except OSError as error:
        raise ClosedFormError(f"{path}: cannot be written ({error.strerror}); choose another") from None
    stem = given.stem if given.suffix in target.endings else given.name
    return given.parent, checked_identifier(stem, target.title, target.reserved)
