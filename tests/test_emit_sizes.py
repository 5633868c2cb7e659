"""Exported C on other processors, and the stack and code that it states."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from emitted import CC, CROSS, QEMU, SEVERAL, STRICT, build_check, library, run

FORMS = ("inverse_dynamics", "inverse_dynamics_derivatives")
"""One function in a piece, and one that is split into parts with a workspace."""


def gcc() -> dict[str, list[str]]:
    """Return this machine's compiler too, if it is GCC."""
    if CC is None or "Free Software Foundation" not in run(CC, "--version")[1]:
        return CROSS
    return {"here": [CC], **CROSS}


def stack_used(compiler: list[str], path: Path, flag: str, target: Path) -> int:
    """Return the stack of a function and of the deepest that it calls, as GCC counts it."""
    command = [*compiler, "-std=gnu99", flag, "-fstack-usage", "-c", path, "-o", target]
    subprocess.run(command, check=True)
    rows = [line.split("\t") for line in target.with_suffix(".su").read_text().splitlines()]
    used = {row[0].rsplit(":", 1)[-1]: int(row[1]) for row in rows}
    return used.pop(path.stem) + max(used.values(), default=0)


@pytest.mark.parametrize("target", gcc())
def test_stack_and_code_are_as_stated(target, tmp_path):
    compiler, precision = gcc()[target], "float" if target == "cortex-m7" else "double"
    files = library(tmp_path / "gen", "panda", FORMS, precision=precision)
    header, page = files["panda.h"].read_text(), files["README.md"].read_text()
    for form_name, bound in zip(FORMS, re.findall(r"Stack: at most (\d+) bytes", header), strict=True):
        row = re.search(rf"^\| panda_{form_name} \|.*$", page, flags=re.MULTILINE)[0]
        *_, stack, arm, intel = (int(each) for each in re.findall(r"\d+", row))
        assert stack == int(bound)
        path, compiled = files[f"panda_{form_name}.c"], tmp_path / "out.o"
        used = max(stack_used(compiler, path, flag, compiled) for flag in ("-O0", "-O2"))
        assert used <= stack <= 2 * used + 512, form_name  # a bound that says something
        code = int(run(shutil.which("size"), compiled)[1].splitlines()[1].split()[0])
        stated = intel if target == "here" else arm
        assert stated / 2 < code < 2 * stated, form_name


@pytest.mark.parametrize("target", CROSS)
def test_other_processors_compile_the_library(target, tmp_path):
    precision = "float" if target == "cortex-m7" else "double"
    library(tmp_path, precision=precision)
    flags = ["-std=c99", *STRICT, "-Wdouble-promotion", "-O2", "-DCLOSEDFORM_NO_MAIN"]
    for path in tmp_path.glob("*.c"):
        subprocess.run([*CROSS[target], *flags, "-c", path, "-o", tmp_path / "out.o"], check=True)
    if target == "aarch64" and QEMU:
        code, out = run(QEMU, build_check(tmp_path, "-O2", "-static", compiler=CROSS[target][0]))
        assert (code, out.count(": ok")) == (0, len(SEVERAL))
