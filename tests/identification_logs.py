"""Simulated logs with known truth, and the folders of the real ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import closedform as cf

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """A sampled motion with exact derivatives."""

    t: Array
    q: Array
    qd: Array
    qdd: Array


def fourier_motion(robot: cf.Robot, seed: int, duration: float, rate: float, harmonics: int = 8) -> Motion:
    """Return a random Fourier series of base frequency 0.1 Hz that fills the joint ranges."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(duration * rate)) / rate
    lower, upper = (
        np.nan_to_num(x, posinf=2.0, neginf=-2.0) for x in (robot.lower_limits, robot.upper_limits)
    )
    w = 2 * np.pi * 0.1 * np.arange(1, harmonics + 1)
    a, b = rng.normal(size=(2, harmonics, robot.nv))
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q = s @ a + c @ b
    scale = 0.45 * (upper - lower) / np.abs(q).max(axis=0)
    qd = (c * w) @ a - (s * w) @ b
    qdd = -(s * w**2) @ a - (c * w**2) @ b
    return Motion(t, (lower + upper) / 2 + scale * q, scale * qd, scale * qdd)


@dataclass(frozen=True)
class Losses:
    """Viscous and Coulomb friction and offsets of every joint."""

    viscous: Array
    coulomb: Array
    offset: Array

    @classmethod
    def random(cls, count: int, seed: int) -> Losses:
        rng = np.random.default_rng(seed + 1000)
        return cls(rng.uniform(0.2, 1, count), rng.uniform(0.2, 1, count), 0.2 * rng.normal(size=count))

    def torque(self, qd: Array) -> Array:
        return self.viscous * qd + self.coulomb * np.sign(qd) + self.offset


def noisy(tau: Array, part: float, seed: int) -> Array:
    """Return torques with white noise, a part of each joint's root mean square."""
    rng = np.random.default_rng(seed + 2000)
    return tau + part * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)


def rough(robot: cf.Robot, seed: int, duration: int = 21) -> dict[str, Array]:
    """Return a log as robots write them: 1 kHz, stamps that jitter, noisy and quantised positions, friction,
    and four gaps of 8.5 ms."""
    rng = np.random.default_rng(seed)
    motion = fourier_motion(robot, seed, duration, 1000)
    losses = Losses.random(robot.nv, seed)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + losses.torque(motion.qd)
    q = motion.q + 1e-4 * rng.normal(size=motion.q.shape)
    stamps = motion.t + np.clip(1.5e-4 * rng.normal(size=len(motion.t)), -4.5e-4, 4.5e-4)
    keep = np.ones(len(stamps), dtype=bool)
    for part in (0.15, 0.4, 0.6, 0.85):
        start = int(part * len(keep))
        keep[start : start + 8] = False
    return {"t": stamps[keep], "q": np.round(q / 5e-5)[keep] * 5e-5, "tau": noisy(tau, 0.01, seed)[keep]}


def data(name: str) -> Path:
    """Return the folder of a real log; the test is skipped if it is absent."""
    root = Path(os.environ.get("CLOSEDFORM_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (root / name).is_dir():
        pytest.skip(f"no real log {name!r} under {root}")
    return root / name
