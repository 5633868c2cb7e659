"""Motor sensors only: links and loads that an observer estimates, and a law that compensates the load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...elastic import MotorObserver, ObservedTracking, track_observed
from ..curves import add_curve, panels
from ..figure import Figure, figure, thinned
from ..labels import Label
from ..section import Section
from .elastic_study import FEEDFORWARD, ElasticStudy

POLES, EXTERNAL_POLE = 200.0, 20.0
"""Of the observers of the motors and of the balance of momentum, rad/s."""

NOISE = 1e-4
"""Standard deviation of the motor encoders, rad at the shaft."""

SOFTER, PUSH, STEP = 0.8, 1.0, 2.5e-4
"""Stiffness of the plant over that of the model; the push over the largest torque of its joint; s."""


@dataclass(frozen=True)
class SensorFacts:
    """Two runs on softer springs with a push at half time: without and with compensation of the load.

    `wanted` and `found` (n,) are the load of the pushed joint and its estimate, `errors` (2, n) the errors of
    the worst link in each run, `lag` the largest error of an estimated link angle.
    """

    t: Array
    joint: Label
    wanted: Array
    found: Array
    errors: Array
    lag: float

    @property
    def last(self) -> tuple[float, float]:
        """The largest errors over the last tenth of both runs."""
        without, compensated = self.errors[:, -(len(self.t) // 10) :].max(axis=-1)
        return float(without), float(compensated)

    @property
    def bounded(self) -> bool:
        """Whether both runs stayed finite."""
        return bool(np.isfinite(self.errors).all())


def gather(study: ElasticStudy) -> SensorFacts:
    """Return the runs of feedforward over the estimates."""
    robot, move = study.elastic, study.move
    plant = robot.changed(stiffness=SOFTER * np.asarray(robot.drives.stiffness))
    law, observer = study.sampled_laws[FEEDFORWARD], MotorObserver(robot, [-POLES] * 5, [-EXTERNAL_POLE])
    t = np.linspace(0.0, move.duration, 200)
    k = robot.nv // 2
    size = PUSH * float(np.abs(study.loaded.inverse_dynamics(*move.derivatives(t, 2))[:, k]).max())

    def push(now: float) -> Array:
        return np.where(np.arange(robot.nv) == k, size * (now > move.duration / 2), 0.0)

    runs: list[ObservedTracking] = [
        track_observed(
            law, observer, move, plant=plant, external=push, noise=NOISE, compensate=compensate, step=STEP
        )
        for compensate in (False, True)
    ]
    last = runs[-1]
    return SensorFacts(
        last.t,
        study.labels[k],
        last.external[:, k],
        last.estimates[:, 4 * robot.nv + k],
        np.stack([np.abs(run.error).max(axis=-1) for run in runs]),
        float(np.abs(last.state_errors[:, : robot.nv]).max()),
    )


def draw(facts: SensorFacts) -> Mapping[str, Figure]:
    """Return the load and its estimate, and the errors of the worst link."""
    keep = thinned(facts.t)
    t = facts.t[keep]
    titles = [f"load of {facts.joint.text} [{facts.joint.effort_unit}]", "error of the worst link [rad, m]"]
    plot = panels(titles)
    add_curve(plot, t, facts.wanted[keep], "load", 7, dash="dot", hover="%{y:.3g}")
    add_curve(plot, t, facts.found[keep], "estimate", 0, width=2, hover="%{y:.3g}")
    for k, name in enumerate(("load not compensated", "load compensated")):
        add_curve(plot, t, facts.errors[k][keep], name, k + 1, row=2, width=2, hover="%{y:.1e}")
    return {"load": figure(plot, "A push, seen by the motors", 480)}


SECTION = Section("motor_sensors", "Motor sensors only", gather, draw)
