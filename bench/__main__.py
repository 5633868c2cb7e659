"""`python -m bench [section ...]`: print and store what the project promises, measured."""

from __future__ import annotations

import argparse
import json
import platform
import time
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import closedform as cf
from closedform.files import write_files

SECTIONS = {
    "speed": ("speed", "run"),
    "derivatives": ("derivatives", "run"),
    "calls": ("calls", "latency"),
    "threads": ("calls", "threads"),
    "memory": ("calls", "memory"),
    "start": ("calls", "start"),
    "exported": ("exported", "single_calls"),
    "largest": ("exported", "largest"),
    "base-parameters": ("base_parameters", "run"),
    "identification": ("identification", "run"),
    "excitation": ("excitation", "run"),
    "flexible": ("flexible", "run"),
    "redundancy": ("redundancy", "run"),
    "trajectory": ("trajectory", "run"),
    "elastic": ("elastic", "run"),
    "agreement": ("agreement", "run"),
    "collections": ("collections", "run"),
}
"""Sections by name: module and function, imported when they run, since some need peers of their own."""

ASKED = ("collections",)
"""Sections that run only by name: they need files of other people."""

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"{', '.join(SECTIONS)} (all)")
    parser.add_argument("--batch", type=int, default=100_000, help="samples per batch")
    parser.add_argument("--quick", action="store_true", help="shorter timing")
    parser.add_argument("--folder", help="folder of robot files (collections)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (collections)")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {sorted(unknown)}; known: {', '.join(SECTIONS)}")
    results: dict[str, Any] = {
        "closedform": cf.__version__,
        "cpu": llvm.get_host_cpu_name(),
        "python": platform.python_version(),
        "time": time.strftime("%Y-%m-%d %H:%M:%S"),
    }
    for name in options.sections or [each for each in SECTIONS if each not in ASKED]:
        print(f"\n{name}")
        module, function = SECTIONS[name]
        section = getattr(import_module(f".{module}", __package__), function)
        taken = signature(section).parameters
        results[name] = section(**{key: value for key, value in vars(options).items() if key in taken})
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "latest.json"
    write_files({target: json.dumps(results, indent=1, default=lambda value: value.item())})
    print(f"\nstored in {target}")


if __name__ == "__main__":
    main()
