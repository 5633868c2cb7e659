"""Parts of documents that follow from the code and from stored figures; a test with --update writes them."""

from __future__ import annotations

import csv
import inspect
import io
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from fuzz.inventory import PACKAGES

from .tree import DOCS

ROW = re.compile(r"^\| `(closedform\.[\w.]+)` \|.*\|$", re.MULTILINE)


def written() -> dict[Path, str]:
    """Return the texts of all such documents by path."""
    return {
        DOCS / "api.md": ROW.sub(lambda row: f"| `{row[1]}` | {_claim(row[1])} |", _read("api.md")),
        DOCS / "api" / "README.md": _between("api/README.md", "packages", _packages()),
        **{DOCS / "api" / f"{name}.md": _package(name) for name in _names()},
        DOCS / "benchmarks.md": _between("benchmarks.md", "cpu", _figures()),
        DOCS / "benchmarks" / "gpu.csv": _gpu_figures(),
    }


def _read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _between(name: str, mark: str, text: str) -> str:
    """Return a document with a text between its marks."""
    before, start, rest = _read(name).partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition(f"<!-- end of {mark} -->")
    return f"{before}{start}\n{text}\n{end}{after}"


def _claim(name: str) -> str:
    """Return the first line of the docstring of a dotted name, which may be a form of an owner."""
    found: Any = import_module("closedform")
    for part in name.split(".")[1:]:
        found = inspect.getattr_static(found, part) if inspect.isclass(found) else getattr(found, part)
    plain = found.__func__ if isinstance(found, classmethod | staticmethod) else found
    return (inspect.getdoc(plain) or "").partition("\n")[0]


def _names() -> list[str]:
    return [f"closedform.{package}".rstrip(".") for package in PACKAGES]


def _purpose(name: str) -> str:
    return (import_module(name).__doc__ or "").partition("\n")[0]


def _packages() -> str:
    rows = [f"| [{name}]({name}.md) | {_purpose(name)} |" for name in _names()]
    return "\n".join(["| package | what is in it |", "|---|---|", *rows, ""])


def _package(name: str) -> str:
    public = ", ".join(f"`{each}`" for each in import_module(name).__all__ if not each.startswith("_"))
    below = "The site has their docstrings below, as `help` has."
    return f"# {name}\n\n{_purpose(name)}\n\nPublic names: {public}. {below}\n"


def _figures() -> str:
    """Return the table of figures of the CPU."""
    lines = ["| what | robot | per sample | Pinocchio takes |", "|---|---|---|---|"]
    with (DOCS / "benchmarks" / "cpu.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            each = float(row["nanoseconds"])
            time = f"{each:g} ns" if each < 1000 else f"{each / 1000:g} us"
            peer = f"{row['times_pinocchio']} times that, {row['peer']}" if row["times_pinocchio"] else "-"
            lines.append(f"| {row['what']} | {row['robot']} | {time} | {peer} |")
    return "\n".join([*lines, ""])


def _gpu_figures() -> str:
    """Return the second table of the page about GPUs as CSV."""
    head, *rows = re.findall(
        r"^\| (us, float32 .*|\w+ \w+, N = \d+ \| [\d.]+ \| .*) \|$", _read("gpu.md"), re.MULTILINE
    )
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "robot",
            "form",
            "samples",
            *(f"{name} [us]" if name != "of roof" else name for name in head.split(" | ")[1:]),
        ]
    )
    for row in rows:
        name, *values = row.split(" | ")
        robot, form, *_, count = name.replace(",", "").split()
        writer.writerow([robot, form, count, *("" if value == "-" else value for value in values)])
    return out.getvalue()
