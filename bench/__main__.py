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
    "speed": ("bench.speed", "run"),
    "derivatives": ("bench.derivatives", "run"),
    "calls": ("bench.calls", "latency"),
    "threads": ("bench.calls", "threads"),
    "memory": ("bench.calls", "memory"),
    "start": ("bench.calls", "start"),
    "changed": ("bench.changed", "run"),
    "exported": ("bench.exported", "single_calls"),
    "largest": ("bench.exported", "largest"),
    "base-parameters": ("bench.base_parameters", "run"),
    "identification": ("bench.identification", "run"),
    "identification-floating": ("bench.identification_floating", "run"),
    "payload": ("bench.identification_payload", "run"),
    "identification-logs": ("bench.identification_logs", "run"),
    "excitation": ("bench.excitation", "run"),
    "flexible": ("bench.flexible", "run"),
    "redundancy": ("bench.redundancy", "run"),
    "inverse-kinematics": ("bench.inverse_kinematics", "run"),
    "trajectory": ("bench.trajectory", "run"),
    "arrays": ("bench.arrays", "run"),
    "chunks": ("bench.chunks", "run"),
    "optimal-control": ("bench.optimal_control", "run"),
    "elastic": ("bench.elastic", "run"),
    "motion": ("bench.motion", "run"),
    "loops": ("bench.loops", "run"),
    "loop-models": ("bench.loop_models", "run"),
    "adaptive": ("bench.adaptive", "run"),
    "scale": ("bench.scale", "run"),
    "papers": ("bench.papers", "run"),
    "agreement": ("bench.agreement", "run"),
    "written": ("bench.written", "run"),
    "viewer": ("bench.viewer", "run"),
    "collections": ("oracles.collections", "run"),
    "gpu": ("bench.gpu.run", "run"),
}
"""Sections by name: module and function, imported when they run, since some need peers of their own."""

ASKED = ("collections", "gpu")
"""Sections that run only by name: they need files of other people, or a GPU."""

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"{', '.join(SECTIONS)} (all)")
    parser.add_argument("--batch", type=int, default=100_000, help="samples per batch")
    parser.add_argument("--quick", action="store_true", help="shorter timing")
    parser.add_argument("--full", action="store_true", help="the whole of what takes long (scale)")
    parser.add_argument("--folder", help="folder of robot files (written, collections)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (written, collections)")
    parser.add_argument("--seconds", type=float, default=0.0, help="most seconds of the whole (gpu)")
    parser.add_argument("--robot", action="append", default=[], help="a URDF file beside the arm (gpu)")
    parser.add_argument("--parts", default="", help="names of parts, with commas between (gpu)")
    parser.add_argument("--read", default="", help="a CSV file of an earlier run, to show (gpu)")
    parser.add_argument("--write", default="", help="a page whose figures are written anew (gpu)")
    parser.add_argument("--tests", default="", help="a junit file of make test-gpu, for that page (gpu)")
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
        section = getattr(import_module(module), function)
        taken = signature(section).parameters
        given = {**vars(options), "results": RESULTS}
        results[name] = section(**{key: value for key, value in given.items() if key in taken})
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "latest.json"
    write_files({target: json.dumps(results, indent=1, default=lambda value: value.item())})
    print(f"\nstored in {target}")


if __name__ == "__main__":
    main()
