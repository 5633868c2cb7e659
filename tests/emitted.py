"""Exports of catalogue robots, and the compilers that read them."""

from __future__ import annotations

import shutil
from functools import cache

from closedform.emit import export, form_subject
from closedform.forms import Variant, form
from closedform.programs import trace
from conftest import make

CC, CXX, NVCC, OCTAVE = (shutil.which(name) for name in ("cc", "c++", "nvcc", "octave"))
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


@cache
def program(name: str, form_name: str):
    return trace(make(name).model, form_name)


def write(name: str, form_name: str, language: str, path, frame=None, **options):
    model, it = make(name).model, form(form_name, frame=frame)
    traced = program(name, form_name) if frame is None else trace(model, form_name, Variant(frame))
    return export(traced, form_subject(it, model), language, path, **options)
