"""Exports of catalogue robots, and the compilers that read them."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from closedform.emit import export, form_subject
from closedform.forms import FORMS, Variant, form
from closedform.programs import trace
from conftest import make

CC, CXX, NVCC, OCTAVE, CMAKE = (shutil.which(name) for name in ("cc", "c++", "nvcc", "octave", "cmake"))

EIGEN = next(
    (each for each in ("/usr/include/eigen3", "/usr/local/include/eigen3") if Path(each).is_dir()), None
)

CORTEX_M7 = ("-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard")
CROSS = {
    target: [path, *flags]
    for target, compiler, flags in (
        ("cortex-m7", "arm-none-eabi-gcc", CORTEX_M7),
        ("aarch64", "aarch64-linux-gnu-gcc", ()),
    )
    if (path := shutil.which(compiler))
}
"""Compilers for other processors, if they are installed."""

QEMU = shutil.which("qemu-aarch64")

SIX_ROWS = ("task_inertia", "dynamically_consistent_inverse", "nullspace_projector")

SEVERAL = ("inverse_dynamics", "mass_matrix", "kinetic_energy", "dynamic_matrices", "mass_matrix_dq")
"""Forms of one output and of several, whose entries are numbers, vectors, matrices and more."""

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


@cache
def program(name: str, form_name: str):
    return trace(make(name).model, form_name)


def offered(name: str) -> list[str]:
    """Return the forms of a robot; the tool of the 2R arm does not move in all six rows of a task."""
    return [each for each in FORMS if name != "2r" or each not in SIX_ROWS]


def write(name: str, form_name: str, language: str, path, frame=None, **options):
    model, it = make(name).model, form(form_name, frame=frame)
    traced = program(name, form_name) if frame is None else trace(model, form_name, Variant(frame))
    return export(traced, form_subject(it, model), language, path, **options)


def library(folder: Path, name="2r", forms=SEVERAL, language="c", **options) -> dict[str, Path]:
    """Return the files of a library by name."""
    return {path.name: path for path in make(name).export(list(forms), language, folder, **options)}


def build_check(folder: Path, *flags: str, compiler=CC) -> Path:
    """Return the self-check of a folder, compiled without a word of complaint."""
    target = folder / "checked"
    sources = sorted(folder.glob("*.c"))
    subprocess.run([compiler, "-std=c99", *STRICT, *flags, "-o", target, *sources, "-lm"], check=True)
    return target


def run(*command) -> tuple[int, str]:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout
