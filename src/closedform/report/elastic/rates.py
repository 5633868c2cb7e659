"""tau, tau' and tau'' along a motion, against numerical differentiation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..curves import Curve, Panel, add_curve, curves_by_joint, one_joint_at_a_time, panels, powers_of_ten
from ..figure import Figure, figure, thinned
from ..labels import Label, units
from ..section import Section
from .elastic_study import ElasticStudy

SAMPLES = 1001
SHOWN_STEP = 0.02
"""Step of the differences in the curves, s: coarse enough to be seen beside the exact ones."""

STEPS = np.geomspace(1e-6, 0.1, 31)


@dataclass(frozen=True)
class RateFacts:
    """Torques and their derivatives (n, nv): exact, and by central differences of the torques.

    `errors` (2, steps) are the largest errors of the differences for tau' and tau'', relative to
    the largest value, over difference steps `steps`.
    """

    t: Array
    labels: tuple[Label, ...]
    q: Array
    tau: Array
    rates: tuple[Array, Array]
    differences: tuple[Array, Array]
    steps: Array
    errors: Array
    cosines: bool
    tool: float

    @property
    def best(self) -> Array:
        """The smallest error of either derivative that any step reaches."""
        return np.asarray(self.errors.min(axis=1))


def gather(study: ElasticStudy) -> RateFacts:
    """Return exact derivatives by second-order inverse dynamics and differences of inverse dynamics."""
    robot = study.loaded
    t = np.linspace(0.0, study.waves.duration, SAMPLES)
    tau, first, second = robot.inverse_dynamics_rates(*study.waves.derivatives(t, 4))
    inner = t[(t > STEPS[-1]) & (t < t[-1] - STEPS[-1])]  # every difference stays within the motion
    _, *exact = robot.inverse_dynamics_rates(*study.waves.derivatives(inner, 4))
    errors = np.array([_errors(study, inner, h, exact) for h in STEPS]).T
    shown = _differences(study, t, SHOWN_STEP)
    for each in shown:
        each[(t < SHOWN_STEP) | (t > t[-1] - SHOWN_STEP)] = np.nan
    return RateFacts(
        t,
        study.labels,
        study.waves(t),
        tau,
        (first, second),
        shown,
        STEPS,
        errors,
        study.trajectory is None,
        study.tool,
    )


def _torque(study: ElasticStudy, t: Array) -> Array:
    tau: Array = study.loaded.inverse_dynamics(*study.waves.derivatives(t, 2))
    return tau


def _differences(study: ElasticStudy, t: Array, h: float) -> tuple[Array, Array]:
    """Return central differences of the torque over steps of h."""
    behind, here, ahead = (_torque(study, t + k * h) for k in (-1, 0, 1))
    return (ahead - behind) / (2 * h), (ahead - 2 * here + behind) / h**2


def _errors(study: ElasticStudy, t: Array, h: float, exact: list[Array]) -> list[float]:
    found = _differences(study, t, h)
    return [float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, exact, strict=True)]


def draw(facts: RateFacts) -> Mapping[str, Figure]:
    """Return motion and torques, the derivatives of one joint at a time, and the differences' errors."""
    both = [Panel("q", facts.q, facts.labels), Panel("tau", facts.tau, facts.labels, effort=True)]
    motion = curves_by_joint("Joint motion and torques", facts.t, both)
    return {"motion": motion, "rates": _rates(facts), "errors": _steps(facts)}


def _rates(facts: RateFacts) -> Figure:
    keep = thinned(facts.t)
    curves = []
    for row, (exact, near) in enumerate(zip(facts.rates, facts.differences, strict=True), start=1):
        per = "/s" if row == 1 else "/s²"
        curves.append(Curve("closed form", exact[keep], 0, row, 4.0, per=per))
        curves.append(Curve(f"differences over {SHOWN_STEP:g} s", near[keep], 1, row, 1.8, "dash", per))
    unit = units([label.effort_unit for label in facts.labels])
    titles = [f"tau' [{unit}/s]", f"tau'' [{unit}/s²]"]
    plot = one_joint_at_a_time(facts.t[keep], facts.labels, curves, titles)
    return figure(plot, "Derivatives of the torque", 480, [label.text for label in facts.labels])


def _steps(facts: RateFacts) -> Figure:
    plot = panels(["largest error / largest value"], "step of the differences [s]")
    for k, name in enumerate(("tau'", "tau''")):
        add_curve(plot, facts.steps, facts.errors[k], name, k, mode="lines+markers", hover="%{y:.1e}")
    plot.update_xaxes(type="log", exponentformat="power")
    powers_of_ten(plot)
    return figure(plot, "Error of numerical differentiation over its step", 340)


SECTION = Section("torque_rates", "Torque rates", gather, draw)
