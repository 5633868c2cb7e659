"""`python -m bench [section ...]`: print and store what the project promises, measured."""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import closedform as cf

from . import agreement, calls, derivatives, speed

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", help="speed, derivatives, calls, threads, memory, start, agreement (all)"
    )
    parser.add_argument("--batch", type=int, default=100_000, help="samples per batch")
    parser.add_argument("--quick", action="store_true", help="shorter timing")
    options = parser.parse_args()
    sections = {
        "speed": lambda: speed.run(options.batch, options.quick),
        "derivatives": lambda: derivatives.run(options.batch, options.quick),
        "calls": calls.latency,
        "threads": calls.threads,
        "memory": calls.memory,
        "start": calls.start,
        "agreement": agreement.run,
    }
    unknown = set(options.sections) - set(sections)
    if unknown:
        parser.error(f"unknown section {sorted(unknown)}; known: {', '.join(sections)}")
    results: dict[str, Any] = {
        "closedform": cf.__version__,
        "cpu": llvm.get_host_cpu_name(),
        "python": platform.python_version(),
        "time": time.strftime("%Y-%m-%d %H:%M:%S"),
    }
    for name in options.sections or sections:
        print(f"\n{name}")
        results[name] = sections[name]()
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "latest.json"
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(results, indent=1))
    temporary.replace(target)
    print(f"\nstored in {target}")


if __name__ == "__main__":
    main()
