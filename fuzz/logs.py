"""Thirteen faults injected into simulated logs of a small arm: each is repaired or named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import closedform as cf
from closedform.identification import FrictionTerms, Identification, identify

from .outcome import Outcome

Array = NDArray[np.float64]

RATE, DURATION = 500, 12.0

AS_GOOD, GOOD = 2.0, 0.02
"""Error with a repaired fault over that of the log without it, and the error that is good in any case."""

FRICTION = FrictionTerms(coulomb=0.01)


@dataclass(frozen=True)
class Log:
    """A simulated log, with what was put into it."""

    robot: cf.Robot
    t: Array
    q: Array
    tau: Array

    def arrays(self) -> Mapping[str, Array]:
        return {"t": self.t, "q": self.q, "tau": self.tau}


@cache
def arm() -> cf.Robot:
    return cf.load("2r")


def simulated(rng: np.random.Generator) -> Log:
    """Return a good log: a random motion over a turn and more, friction, noise of 1 % on the torques."""
    robot = arm()
    t = np.arange(round(DURATION * RATE)) / RATE
    w = 2 * np.pi * np.array([0.15, 0.4, 0.7, 1.1])
    a, b = rng.normal(size=(2, len(w), robot.nv)) / np.sqrt(w)[:, None]
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    scale = 3.6 / np.abs(s @ a + c @ b).max(axis=0)
    q, qd, qdd = (
        scale * (s @ a + c @ b),
        scale * ((c * w) @ a - (s * w) @ b),
        -scale * ((s * w**2) @ a + (c * w**2) @ b),
    )
    tau = (
        robot.inverse_dynamics(q, qd, qdd)
        + rng.uniform(0.3, 1, 2) * qd
        + rng.uniform(0.3, 1, 2) * np.sign(qd)
    )
    noise = 0.01 * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
    return Log(robot, t, q, tau + noise)


def jitter(log: Log, rng: np.random.Generator) -> Log:
    """Stamps off by a fifth of the sampling time."""
    off = np.clip(0.2 * rng.normal(size=len(log.t)), -0.45, 0.45) / RATE
    return Log(log.robot, log.t + off, log.q, log.tau)


def gaps(log: Log, rng: np.random.Generator) -> Log:
    """Four gaps of a few rows."""
    keep = np.ones(len(log.t), dtype=bool)
    for start in rng.integers(100, len(log.t) - 100, 4):
        keep[start : start + 5] = False
    return Log(log.robot, log.t[keep], log.q[keep], log.tau[keep])


def quantisation(log: Log, rng: np.random.Generator) -> Log:
    """Positions in steps of up to a thousandth of a radian."""
    step = rng.uniform(3e-4, 1e-3)
    return Log(log.robot, log.t, np.round(log.q / step) * step, log.tau)


def wrap(log: Log, rng: np.random.Generator) -> Log:
    """Angles within half a turn of zero."""
    return Log(log.robot, log.t, (log.q + np.pi) % (2 * np.pi) - np.pi, log.tau)


def swapped(log: Log, rng: np.random.Generator) -> Log:
    """Two columns exchanged: efforts, positions, or both."""
    what = rng.integers(3)
    q = log.q if what == 0 else log.q[:, ::-1]
    return Log(log.robot, log.t, q, log.tau if what == 1 else log.tau[:, ::-1])


def flipped(log: Log, rng: np.random.Generator) -> Log:
    """Give one joint's efforts or positions the other sign."""
    sign = np.where(np.arange(2) == rng.integers(2), -1.0, 1.0)
    if rng.integers(2):
        return Log(log.robot, log.t, log.q * sign, log.tau)
    return Log(log.robot, log.t, log.q, log.tau * sign)


def gravity(log: Log, rng: np.random.Generator) -> Log:
    """Describe the robot with gravity along another axis, or upside down."""
    down = log.robot.gravity
    others = [sign * 9.81 * axis for axis in np.eye(3) for sign in (1, -1)]
    wrong = [g for g in others if np.abs(g - down).max() > 1]
    return Log(cf.Robot(log.robot.model.with_gravity(wrong[rng.integers(5)])), log.t, log.q, log.tau)


def lag(log: Log, rng: np.random.Generator) -> Log:
    """Efforts that come some samples after or before the positions."""
    k = int(rng.integers(6, 20))
    q, tau = (log.q[k:], log.tau[:-k]) if rng.integers(2) else (log.q[:-k], log.tau[k:])
    return Log(log.robot, log.t[k:], q, tau)


def dropouts(log: Log, rng: np.random.Generator) -> Log:
    """Make some rows not finite, zero, or the row before."""
    q, tau = log.q.copy(), log.tau.copy()
    for row in rng.choice(np.arange(10, len(q) - 10), 6, replace=False):
        kind = rng.integers(3)
        if kind == 2:
            q[row], tau[row] = q[row - 1], tau[row - 1]
        else:
            (q if rng.integers(2) else tau)[row] = (np.nan, 0.0)[kind]
    return Log(log.robot, log.t, q, tau)


def saturation(log: Log, rng: np.random.Generator) -> Log:
    """Efforts cut at a part of their largest value."""
    most = rng.uniform(0.6, 0.8) * np.abs(log.tau).max(axis=0)
    return Log(log.robot, log.t, log.q, np.clip(log.tau, -most, most))


def ripple(log: Log, rng: np.random.Generator) -> Log:
    """Let the position sensors err some tens of times a turn, by a thousandth of a radian."""
    size, count = rng.uniform(7e-4, 1.2e-3), rng.integers(20, 80)
    return Log(log.robot, log.t, log.q + size * np.sin(count * log.q), log.tau)


def clock(log: Log, rng: np.random.Generator) -> Log:
    """Stamps of another rate."""
    return Log(log.robot, log.t * rng.choice([0.25, 0.5, 2.0, 4.0]), log.q, log.tau)


def late(log: Log, rng: np.random.Generator) -> Log:
    """Efforts of one joint that come some samples later."""
    k, j = int(rng.integers(10, 20)), rng.integers(2)
    tau = log.tau.copy()
    tau[k:, j] = log.tau[:-k, j]
    return Log(log.robot, log.t, log.q, tau)


FAULTS: dict[str, tuple[Callable[[Log, np.random.Generator], Log], tuple[str, ...]]] = {
    "jitter": (jitter, ("jitter",)),
    "gaps": (gaps, ()),
    "quantisation": (quantisation, ()),
    "wrap": (wrap, ("unwrapped",)),
    "swapped columns": (swapped, ("swapped",)),
    "flipped sign": (flipped, ("sign",)),
    "wrong gravity": (gravity, ("gravity along",)),
    "lag": (lag, ("lag",)),
    "dropouts": (dropouts, ("left out",)),
    "saturation": (saturation, ("saturated",)),
    "ripple": (ripple, ("do not follow",)),
    "clock": (clock, ("as fast",)),
    "one late effort": (late, ("shifted",)),
}
"""Faults, and the word by which each is named; those without one must be repaired."""


def run(count: int, seed: int) -> Outcome:
    """Inject the faults in turn into logs of their own."""
    outcome = Outcome()
    names = list(FAULTS)
    for case in range(count):
        outcome.tried += 1
        name = names[case % len(names)]
        rng = np.random.default_rng([seed, case])
        good = simulated(rng)
        reference = _error(identify(good.robot, good.arrays(), friction=FRICTION, physical=False))
        inject, words = FAULTS[name]
        ending = _ending(inject(good, rng), words, reference)
        if ending in ("repaired", "named"):
            outcome.endings[f"{name} {ending}"] += 1
        else:
            outcome.failed(f"{name}, seed {seed}, case {case}: {ending}")
    return outcome


def _ending(log: Log, words: tuple[str, ...], reference: float) -> str:
    """Return how an identification of a faulty log ended."""
    try:
        found = identify(log.robot, log.arrays(), friction=FRICTION, physical=False)
    except cf.ClosedFormError as error:
        return "named" if words and all(word in str(error) for word in words) else f"refused: {error}"
    if any(all(word in doubt for word in words) for doubt in found.doubts if words):
        return "named"
    if found.doubts:
        return f"doubts do not name it: {found.doubts}"
    noted = all(any(word in note for note in found.notes) for word in words)
    if _error(found) <= max(AS_GOOD * reference, GOOD) and noted:
        return "repaired"
    return f"silent: error {_error(found):.2g}, without the fault {reference:.2g}; notes {found.notes}"


def _error(found: Identification) -> float:
    errors = found.cross_validation or found.fitted
    return float(np.sqrt(np.mean(errors.relative**2)))
