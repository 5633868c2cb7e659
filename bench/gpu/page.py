"""The figures of a run in docs/gpu.md, between markers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from closedform.files import write_files

from .figures import Figure, figures, number
from .job import ARM, FORMS
from .rows import OURS, SUM, Row, found, roof, share

SHOWN = (1024, 65536, 2**20)


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with another text between the markers of a name."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found_start, rest = page.partition(start)
    _, found_end, after = rest.partition(end)
    if not found_start or not found_end:
        raise ValueError(f"the page has no markers {start} and {end}")
    return f"{before}{start}\n{text.strip()}\n{end}{after}"


def robots_of(rows: Sequence[Row]) -> list[str]:
    """Return the robots of the rows, the arm first."""
    return [ARM, *dict.fromkeys(row.robot for row in rows if row.robot not in (ARM, "-", "2r"))]


def facts_text(facts: dict[str, str]) -> str:
    """Return date, card and versions as a sentence."""
    versions = re.sub(
        r"^closedform [^,]*, |(?<=\d)\.0\b(?!\.)", "", facts.get("versions", "?")
    )  # ours is this one
    return f"Measured {facts.get('date', '?')} on {facts.get('card', '?')}: {versions}."


def figures_text(rows: Sequence[Row], facts: dict[str, str]) -> str:
    """Return the tables of the page: what was promised, and the times by library."""
    robots = robots_of(rows)
    promised = [
        "| what | measured | asked for | |",
        "|---|---|---|---|",
        *(_promise(each) for each in figures(rows, robots)),
    ]
    tables = [*_times(rows, robots), *_sums(rows), "", *_ways(rows)]
    return "\n".join([facts_text(facts), "", *promised, "", *tables]).strip()


def _promise(figure: Figure) -> str:
    value = "-" if figure.value is None else f"{number(figure.value)} {figure.unit}"
    sense = "at least" if figure.least else "at most"
    return f"| {figure.what} | {value} | {sense} {number(figure.bound)} {figure.unit} | {figure.verdict} |"


def _times(rows: Sequence[Row], robots: Sequence[str]) -> list[str]:
    """Return a table of microseconds in single precision, with those of other libraries."""
    heads = ["graph", "PyTorch call", "JAX, jitted", "of roof"]
    heads += [f"{name} {how}" for name, how in (("GRiD", "graph"), ("GRiD", "call"), ("frax", "jitted"))]
    heads.append("adam call")
    lines = [f"| us, float32 | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for robot in robots:
        for form in FORMS:
            for count in SHOWN:
                cells = _cells(rows, robot, form, count)
                if any(cell != "-" for cell in cells):
                    lines.append(f"| {robot} {form}, N = {count} | {' | '.join(cells)} |")
    top = roof(rows)
    return [*lines, "", f"The roof is a copy on the card: {top * 1e-12:.2f} TB/s, read and written."]


def _sums(rows: Sequence[Row]) -> list[str]:
    """Return what a call of the arrays' own libraries cost in the same run."""
    pair = [found(rows, form=SUM, library=each) for each in ("torch", "jax")]
    if not all(pair):
        return []
    plain, jitted = (f"{each.seconds * 1e6:.1f}" for each in pair if each)
    return [
        f"The sum of two arrays, N = 1024, took {plain} us by PyTorch itself and {jitted} us by JAX itself, "
        "jitted: about the least that any call costs there."
    ]


def _cells(rows: Sequence[Row], robot: str, form: str, count: int) -> list[str]:
    def cell(library: str, arrays: str, how: str) -> str:
        wanted = {"library": library, "arrays": arrays, "how": how, "dtype": "float32"}
        row = found(rows, robot=robot, form=form, count=count, **wanted)
        return f"{row.seconds * 1e6:.1f}" if row else "-"

    graph = found(
        rows, robot=robot, form=form, count=count, library=OURS, arrays="torch", how="graph", dtype="float32"
    )
    top = roof(rows)
    return [
        cell(OURS, "torch", "graph"),
        cell(OURS, "torch", "eager"),
        cell(OURS, "jax", "eager"),
        f"{100 * share(graph, top):.0f}%" if graph and top else "-",
        cell("grid-rbd", "torch", "graph"),
        cell("grid-rbd", "torch", "eager"),
        cell("frax", "jax", "eager"),
        cell("adam", "torch", "eager"),
    ]


def _ways(rows: Sequence[Row]) -> list[str]:
    """Return a table of the two ways from a program to code of a GPU, if they were measured."""
    lines = []
    for form in ("ID", "dID"):
        for way, name in (("nvrtc", "NVRTC"), ("nvptx", "LLVM's NVPTX and the driver")):
            wanted = {"robot": ARM, "form": form, "arrays": way}
            made = found(rows, how="compile", **wanted)
            times = [found(rows, how="graph", count=count, **wanted) for count in (1024, 2**20)]
            if made and all(times):
                cells = [f"{made.seconds:.2f}", *(f"{each.seconds * 1e6:.1f}" for each in times if each)]
                lines.append(f"| {ARM} {form}, {name} | {' | '.join(cells)} |")
    titles = ("structure of arrays, float32", "compiling, s", "N = 1024, us", "N = 1 M, us")
    head = [f"| {' | '.join(titles)} |", "|---|---|---|---|"]
    return [*head, *lines] if lines else []


def outcomes_text(path: Path, facts: dict[str, str]) -> str:
    """Return what a junit file of `make test-gpu` says, by test file."""
    counts: dict[str, list[int]] = {}
    failed = []
    for case in ET.parse(path).getroot().iter("testcase"):
        name = case.get("classname", "").rpartition(".")[2] or case.get("name", "")
        row = counts.setdefault(name, [0, 0, 0])
        if case.find("failure") is not None or case.find("error") is not None:
            row[1] += 1
            failed.append(f"{name}: {case.get('name')}")
        else:
            row[2 if case.find("skipped") is not None else 0] += 1
    lines = ["| tests | passed | failed | skipped |", "|---|---|---|---|"]
    lines += [f"| {name} | {' | '.join(map(str, row))} |" for name, row in sorted(counts.items())]
    return "\n".join([facts_text(facts), "", *lines, *([""] if failed else []), *failed])


def write_page(page: Path, rows: Sequence[Row], facts: dict[str, str], tests: Path | None = None) -> None:
    """Write the figures, and the summary of tests if there is one, into a page."""
    text = replaced(page.read_text(), "figures", figures_text(rows, facts))
    if tests is not None and tests.exists():
        text = replaced(text, "tests", outcomes_text(tests, facts))
    write_files({page: text})
