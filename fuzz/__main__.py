"""`python -m fuzz [section ...] [--count N] [--seed S]`: attack the library and say what broke.

A section is a module with `run(count, seed) -> Outcome`; the same count and seed repeat the same cases.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from .outcome import Outcome

SECTIONS = {
    "aliases": 10_000,
    "cache": 500,
    "processes": 100,
    "files": 50_000,
    "arguments": 25_000,
    "logs": 10,
}
"""Sections and the number of cases of a full run."""

SHOWN = 40


def run(section: str, count: int, seed: int) -> Outcome:
    """Run one section."""
    outcome: Outcome = import_module(f".{section}", __package__).run(count, seed)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"{', '.join(SECTIONS)} (all)")
    parser.add_argument("--count", type=int, help="cases of each section (that of a full run)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {sorted(unknown)}; known: {', '.join(SECTIONS)}")
    broken = 0
    for section in options.sections or SECTIONS:
        start = time.perf_counter()
        outcome = run(section, options.count or SECTIONS[section], options.seed)
        seconds = time.perf_counter() - start
        broken += len(outcome.failures)
        endings = ", ".join(f"{how} {count}" for how, count in outcome.endings.most_common())
        print(
            f"{section}: {len(outcome.failures)} failures of {outcome.tried} in {seconds:.0f} s ({endings})"
        )
        for line in outcome.failures[:SHOWN]:
            print(f"  {line}")
        if outcome.failures[SHOWN:]:
            print(f"  and {len(outcome.failures) - SHOWN} more")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
