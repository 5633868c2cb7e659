"""Payloads: masses weighed with drive gains from a known mass, simulated many times and on real logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

import closedform as cf
from closedform.identification import (
    DriveGains,
    FrictionTerms,
    Log,
    identify,
    identify_payload,
    known_mass_gains,
)

from .public_logs import LOGS, missing

KNOWN, CARRIED = 5.0, 2.8
"""Masses in kg: the one that calibrates the gains, and the one that is weighed."""

FRICTION = FrictionTerms(coulomb=0.02)

CLOSE = 2.0
"""Percent by which a mass may be off."""

REAL = "ur10e"
PAIRS = (
    ("20_01_31-unload", "20_01_31-load"),
    ("20_02_19_14harm50sec", "20_02_19_14harm50secLoad"),
    ("20_02_19_15harm50sec", "20_02_19_15harm50secLoad"),
)
"""Recordings of the public log of a real robot, without and with a mass."""


@dataclass(frozen=True)
class Weighed:
    """One simulated case: the mass found, its standard error, and the gains in standard errors of theirs."""

    mass: float
    error: float
    gains: tuple[float, ...]

    @property
    def score(self) -> float:
        """Error of the mass in standard errors."""
        return (self.mass - CARRIED) / self.error


def simulated(seed: int, duration: float = 25.0, noise: float = 0.02) -> Weighed:
    """Return a payload of a UR5 weighed from currents: gains from two logs of one mass, then two logs more.

    Friction changes from log to log, and how the masses are fixed is not known.
    """
    rng = np.random.default_rng(seed)
    robot = cf.load("ur5")
    gains = rng.uniform(8, 15, robot.nv)
    usual = rng.uniform(0.5, 1.5, (2, robot.nv))

    def log(mass: float) -> dict[str, Any]:
        loaded = (
            robot.with_payload(mass, rng.uniform(-0.1, 0.1, 3), 0.01 * mass * np.eye(3)) if mass else robot
        )
        t = np.arange(round(duration * 100)) / 100
        w = 2 * np.pi * 0.1 * np.arange(1, 7)
        a, b = rng.normal(size=(2, 6, robot.nv)) / np.sqrt(6)
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b
        viscous, dry = usual * rng.normal(1, 0.2, (2, robot.nv))
        tau = loaded.inverse_dynamics(q, qd, qdd) + viscous * qd + dry * np.tanh(qd / 0.02)
        tau += noise * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
        return {"t": t, "q": q, "current": tau / gains}

    options: dict[str, Any] = {"friction": FRICTION, "cutoff": 5.0}
    found = known_mass_gains(robot, log(0), log(KNOWN), KNOWN, **options)
    empty = identify(robot, log(0), gain=found.values, physical=False, plausible=False, **options)
    payload = identify_payload(empty, log(CARRIED), gains=found)
    assert found.standard_errors is not None
    scores = tuple(((found.values - gains) / found.standard_errors).tolist())
    return Weighed(payload.mass, payload.mass_error, scores)


def cases(count: int) -> dict[str, float]:
    """Print and return how often the true mass lies within two standard errors, and how far off it is."""
    found = [simulated(seed) for seed in range(count)]
    inside = float(np.mean([abs(each.score) <= 2 for each in found]))
    gains = float(np.mean([abs(score) <= 2 for each in found for score in each.gains]))
    off = np.array([each.mass / CARRIED - 1 for each in found])
    spread = float(np.sqrt(np.mean([each.score**2 for each in found])))
    verdict = _verdict(inside >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / count))
    print(f"{count} simulated payloads of {CARRIED} kg: {100 * inside:.1f} % within 2 standard errors, "
          f"target 95 % {verdict}; root mean square {spread:.2f} of them (ideal 1)")  # fmt: skip
    worst = 100 * float(np.abs(off).max())
    print(f"  mean error {100 * off.mean():+.2f} %, root mean square {100 * np.sqrt(np.mean(off**2)):.2f} %, "
          f"worst {worst:.2f} %, target {CLOSE:g} % {_verdict(worst <= CLOSE)}; "
          f"gains: {100 * gains:.1f} % within 2 standard errors")  # fmt: skip
    return {
        "cases": count,
        "inside": inside,
        "spread": spread,
        "percent": 100 * float(np.sqrt(np.mean(off**2))),
        "worst": worst,
        "gains_inside": gains,
    }


def run(quick: bool) -> dict[str, Any]:
    """Print the figures of payloads and return them."""
    return {"real": real(), "simulated": cases(10 if quick else 200)}


@dataclass(frozen=True)
class Pair:
    """A real log without and one with a mass in kg that is known."""

    number: int
    robot: cf.Robot
    empty: Log
    loaded: Log
    mass: float

    def weighed(self, words: str, gains: DriveGains | None) -> dict[str, Any]:
        """Print and return the mass as weighed with some gains, or those that the log's documents quote."""
        empty, loaded = self.empty, self.loaded
        if gains is not None:
            both = (
                replace(x, transmission=replace(x.transmission, gain=gains.values)) for x in (empty, loaded)
            )
            empty, loaded = both
        without = identify(self.robot, empty, physical=False, plausible=False)
        found = identify_payload(without, loaded, gains=gains)
        off = found.mass - self.mass
        percent, score = 100 * off / self.mass, off / found.mass_error
        target = "" if gains is None else f"  target {CLOSE:g} % {_verdict(abs(percent) <= CLOSE)}"
        print(f"  pair {self.number}, {words:22s} {found.mass:.3f} kg, standard error "
              f"{found.mass_error:.3f}, off by {percent:+.2f} % or {score:+.1f} standard errors{target}",
              flush=True)  # fmt: skip
        return {"pair": self.number, "gains": words, "mass": found.mass, "error": found.mass_error,
                "percent": percent, "score": score}  # fmt: skip


def real() -> list[dict[str, Any]]:
    """Print and return the mass in pairs of logs of a UR10e, weighed with gains from the other pairs.

    The gains that the log's documents quote come first: they are those of another robot.
    """
    public = next(log for log in LOGS if log.name == REAL)
    if missing(public):
        print(f"  real payloads: clone {public.repository} into the folder that CLOSEDFORM_LOGS names")
        return []
    robot = public.load_robot()
    pairs = [
        Pair(k, robot, *(public.read(name, robot) for name in names), public.recordings[names[1]].payload)
        for k, names in enumerate(PAIRS, 1)
    ]
    print(f"real payloads of {pairs[0].mass} kg, UR10e, {public.repository}")
    quoted = [pair.weighed("quoted gains", None) for pair in pairs]
    rows = []
    for count in range(1, len(pairs)):
        for some in combinations(pairs, count):
            logs = [each.empty for each in some], [each.loaded for each in some]
            gains = known_mass_gains(robot, *logs, some[0].mass)
            words = f"gains of {' and '.join(str(each.number) for each in some)}"
            rows += [pair.weighed(words, gains) for pair in pairs if all(pair is not each for each in some)]
    worst = max(abs(row["percent"]) for row in rows)
    inside = sum(abs(row["score"]) <= 2 for row in rows)
    print(f"  worst {worst:.2f} %, target {CLOSE:g} % {_verdict(worst <= CLOSE)}; {inside} of {len(rows)} "
          "within 2 standard errors")  # fmt: skip
    return [*quoted, *rows]


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"
