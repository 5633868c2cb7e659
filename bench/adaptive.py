"""Adaptive control of a seven-joint arm that has a tool of 3 kg and does not know it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import closedform as cf

from .timing import interleaved

Array = np.ndarray

HOME = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
TOOL = 3.0, (0.0, 0.0, 0.1), np.diag([0.01, 0.01, 0.01])
DURATION, RATE, PERIOD = 20.0, 1000.0, 4.0
ROTORS, BANDWIDTH, KD, SPEED = 0.1, 20.0, 20.0, 10.0
LEAST_FALL, MOST_US = 100.0, 2.0


def wanted(t: Any) -> tuple[Array, Array, Array]:
    """Return q_d, qd_d, qdd_d of a periodic motion from rest at home."""
    w = 2 * np.pi / PERIOD * np.arange(1, 4)
    size = 0.6 * np.random.default_rng(0).uniform(-1, 1, size=(3, 7)) / np.arange(1, 4)[:, None]
    angle = np.multiply.outer(np.asarray(t, dtype=float), w)
    c, s = np.cos(angle), np.sin(angle)
    return HOME + (1 - c) @ size, (s * w) @ size, (c * w**2) @ size


def run(quick: bool = False) -> dict[str, float]:
    """Print how far the tracking error falls in 20 s and what a step takes, next to their targets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        arm = cf.load("panda").with_armature(ROTORS)
        loaded = arm.with_payload(*TOOL)
    law = cf.control.AdaptiveControl(arm, BANDWIDTH, KD, SPEED, bodies=arm.body_names[-1:])
    reference = {f"q{'d' * k}_d": (lambda t, k=k: wanted(t)[k]) for k in range(3)}
    found: dict[str, float] = {}
    for name, options in (("in continuous time", {}), ("sampled at 1 kHz", {"rate": RATE})):
        motion = loaded.simulate(
            HOME, law=law, reference=reference, duration=DURATION, method="rk4", **options
        )
        error = np.abs(motion.q - wanted(motion.t)[0]).max(axis=1)
        first, last = error[motion.t <= PERIOD].max(), error[motion.t >= DURATION - PERIOD].max()
        found[name] = first / last
        met = _verdict(first / last > LEAST_FALL)
        print(
            f"panda, unknown tool of 3 kg, {name}: error {first:.1e} rad in the first period, {last:.1e} in"
        )
        print(f"    the last, {first / last:.0f} times less  target {LEAST_FALL:g} {met}")
    laws = {
        "ten parameters": law,
        "all 70": cf.control.AdaptiveControl(arm, BANDWIDTH, KD, SPEED),
        "all 70, natural": cf.control.AdaptiveControl(arm, BANDWIDTH, KD, 0.0, metric="natural"),
    }
    q, qd, tau = HOME + 0.1, np.full(7, 0.2), np.empty(7)
    follow = [np.ascontiguousarray(each) for each in wanted(0.3)]
    steps = {}
    for name, each in laws.items():
        each.gains["adaptation"][:] = 0.0  # the same step again and again
        steps[name] = each.bind(q, qd, *follow, out=tau, step=1 / RATE)
    for name, each in interleaved(steps, seconds=0.3 if quick else 1.0).items():
        found[f"step, {name}, us"] = 1e6 * each
        print(f"one step, {name}: {1e6 * each:.2f} us  target {MOST_US:g} {_verdict(1e6 * each < MOST_US)}")
    return found


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"
