"""`python -m bench gpu`: ours on a GPU against other libraries, in parts that fail alone."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import closedform as cf
from closedform.files import write_files

from .figures import figures, ratios, shares
from .grid_part import missing
from .job import Job, prepared
from .page import robots_of, write_page
from .part import PARTS, finish, rows_of, start
from .rows import Row, read_csv, write_csv

LIMITS = {True: 120.0, False: 420.0}
"""Seconds of a quick and of a whole run, unless others are given."""

BUILD, LAST = 110.0, 40.0
"""Seconds of the whole that are kept for compiling and for measuring GRiD."""

PACKAGES = (
    *("torch", "jax", "cupy-cuda13x", "cuda-bindings", "numpy", "llvmlite"),
    *("grid-rbd", "frax", "adam-robotics"),
)


def run(
    results: Path,
    quick: bool = False,
    seconds: float = 0.0,
    robot: Sequence[str] = (),
    parts: str = "",
    write: str = "",
    read: str = "",
    tests: str = "",
) -> dict[str, Any]:
    """Measure, print as it goes, and leave a CSV file; with `read` only show a file of an earlier run."""
    if read:
        with open(read) as file:
            rows, facts = read_csv(file)
    else:
        facts = machine()
        print("; ".join(f"{name}: {value}" for name, value in facts.items()), flush=True)
        if not facts["card"]:
            print("no GPU that PyTorch can use: nothing is measured")
            return {"facts": facts}
        results.mkdir(exist_ok=True)
        target = results / "gpu.csv"

        def keep(rows: Sequence[Row]) -> None:
            write_files({target: write_csv(rows, facts)})

        rows = measured(chosen(parts, quick), robot, quick, seconds or LIMITS[quick], keep)
        print(f"stored in {target}")
    report(rows)
    if write:
        write_page(Path(write), rows, facts, Path(tests) if tests else None)
        print(f"written into {write}")
    promised = list(figures(rows, robots_of(rows)))
    return {"facts": facts, "figures": {each.what: [each.value, each.verdict] for each in promised}}


def chosen(parts: str, quick: bool) -> list[str]:
    """Return the names of the parts to run: those asked for, or all of a quick or whole run."""
    asked = [each for each in parts.split(",") if each]
    unknown = set(asked) - set(PARTS)
    if unknown:
        raise SystemExit(f"unknown part {sorted(unknown)}; known: {', '.join(PARTS)}")
    return [name for name, part in PARTS.items() if (name in asked if asked else part.in_quick or not quick)]


def measured(
    names: Sequence[str],
    robots: Sequence[str],
    quick: bool,
    limit: float,
    keep: Callable[[Sequence[Row]], None],
) -> list[Row]:
    """Return the rows of the parts, each in a process of its own; `keep` gets all rows after each."""
    end = time.perf_counter() + limit

    def left(later: float) -> float:
        return end - later - time.perf_counter()

    with tempfile.TemporaryDirectory(prefix="bench-gpu-", ignore_cleanup_errors=True) as folder:
        job = prepared(Path(folder), robots, quick)
        print(f"robots {', '.join(job.robots)}: {limit - left(0.0):.0f} s", flush=True)
        later = BUILD + LAST if "grid" in names else 0.0
        for name in [each for each in names if each != "grid"]:
            if left(later) <= 0:
                print(f"{name}: left out: no time is left", flush=True)
                continue
            _one(name, job, min(PARTS[name].limit, left(later)))
            keep(rows_of(job))
        builds = _builds(job) if "grid" in names else {}  # last: calls from Python would feel its compilers
        for robot, build in builds.items():
            finish(f"grid, build of {robot}", build, max(5.0, left(LAST)))
        if builds:
            _one("grid", job, max(LAST, min(PARTS["grid"].limit, left(0.0))))
        keep(rows_of(job))
        return rows_of(job)


def _one(name: str, job: Job, limit: float) -> None:
    """Run a part if its library is installed."""
    needs = PARTS[name].needs
    if importlib.util.find_spec(needs) is None:
        print(f"{name}: not measured: {needs} is not installed", flush=True)
        return
    print(f"\n{name}", flush=True)
    finish(name, start(name, job), limit)


def _builds(job: Job) -> dict[str, Any]:
    """Start GRiD's compiler for each robot, if all that it needs is there."""
    if importlib.util.find_spec("grid_rbd") is None:
        print("grid: not measured: grid_rbd is not installed", flush=True)
        return {}
    if missing():
        print(f"grid: not measured: its build needs {missing()}", flush=True)
        return {}
    module = "bench.gpu.grid_part"
    return {robot: start("grid", job, module, job.folder, robot) for robot in job.robots}


def report(rows: Sequence[Row]) -> None:
    """Print ratios, shares of the memory's speed, and what was promised."""
    for title, lines in (
        ("against peers", ratios(rows)),
        ("share of the memory's speed", shares(rows)),
        ("promised", [str(each) for each in figures(rows, robots_of(rows))]),
    ):
        print(f"\n{title}")
        for each in lines or ["nothing was measured"]:
            print(f"  {each}")


def machine() -> dict[str, str]:
    """Return the date, the card and the versions of what takes part."""
    versions = [f"closedform {cf.__version__}", f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"date": time.strftime("%Y-%m-%d"), "card": _card(), "versions": ", ".join(versions)}


def _card() -> str:
    """Return the name of the GPU, empty if PyTorch or a GPU is missing."""
    if importlib.util.find_spec("torch") is None:
        return ""
    import torch  # noqa: PLC0415 (may be missing)

    return torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""
