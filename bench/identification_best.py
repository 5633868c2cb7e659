"""How near our defaults are to the best that options of ours reach on held-out recordings.

The options of `OPTIONS` are tried one after the other on what was best so far, until none helps. Whoever
tunes by hand would not see the held-out recordings: the best setting is a bound, not a method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import closedform as cf
from closedform.identification import FrictionTerms, identify

from .identification_compare import Case, error_of, judge_of
from .public_logs import LOGS, missing

WITHIN = 1.10
"""Error of the defaults over that of the best setting, the most that is promised."""

BANDS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Cutoffs that are tried, over that of the comparison."""

FRICTION = (
    None,
    *(FrictionTerms(coulomb=width) for width in (0.003, 0.01, 0.05, 0.2, 0.5)),
    *(FrictionTerms(coulomb=0.05, presliding=length) for length in (1e-5, 1e-4, 1e-3)),
    *(FrictionTerms(coulomb=0.5, presliding=length) for length in (1e-5, 1e-4, 1e-3)),
)

OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "physical": (None, False),
    "friction": ("auto", *FRICTION),
    "method": ("auto", "weighted", "reweighted", "ordinary", "iv"),
    "rotors": (True, False),
    "lag": (None, 0.0),
}
"""Options and what is tried for each, the default first; cutoffs depend on the log."""


class Search:
    """Held-out errors of settings of one log, each computed once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        bands = [band * case.log.cutoff for band in BANDS]
        rate = len(case.fit) / case.fit.duration
        self.options = {"cutoff": (None, *(each for each in bands if each < 0.4 * rate)), **OPTIONS}
        self.errors: dict[tuple[Any, ...], float] = {}

    def error(self, setting: Mapping[str, Any]) -> float:
        """Return the held-out error of a setting in percent; infinite if it is refused."""
        key = tuple(setting.values())
        if key not in self.errors:
            try:
                result = identify(self.case.robot, self.case.fit, plausible=False, **setting)
                self.errors[key] = error_of(judge_of(result, self.case), self.case)
            except cf.ClosedFormError:
                self.errors[key] = float("inf")
        return self.errors[key]

    def best(self) -> dict[str, Any]:
        """Return the best setting that changes of one option after the other reach."""
        setting = {name: values[0] for name, values in self.options.items()}
        while True:
            before = self.error(setting)
            for name, values in self.options.items():
                setting[name] = min(values, key=lambda value: self.error({**setting, name: value}))
            if self.error(setting) > 0.999 * before:
                return setting


def run(names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Print and return the error of the defaults and of the best setting, log by log."""
    rows = []
    for log in LOGS:
        if missing(log) or (names and log.name not in names):
            continue
        search = Search(Case.of(log))
        setting = search.best()
        defaults = next(iter(search.errors.values()))
        best = search.error(setting)
        changed = {name: value for name, value in setting.items() if value != search.options[name][0]}
        verdict = "met" if defaults <= WITHIN * best else "MISSED"
        told = f"target {WITHIN} {verdict}; {len(search.errors)} settings: {shown(changed)}"
        errors = f"defaults {defaults:6.2f} %, best {best:6.2f} %: {defaults / best:.2f}"
        print(f"{log.name:13s} {errors}  {told}", flush=True)
        rows.append({"log": log.name, "defaults": defaults, "best": best, "with": shown(changed)})
    return rows


def shown(changed: Mapping[str, Any]) -> str:
    """Return changed options as text."""
    return ", ".join(f"{name}={value}" for name, value in changed.items()) or "the defaults"
