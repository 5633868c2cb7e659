"""The torques of the motion, what they are made of, and their time derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...forms import Variant
from ...programs import evaluate, trace
from ..curves import Curve, Panel, curves_by_joint, one_joint_at_a_time
from ..figure import Figure, figure, thinned
from ..labels import Label, units
from ..section import Section
from .robot_study import Study


@dataclass(frozen=True)
class Effort:
    """How hard one joint works: peak, root mean square, and the limit of its drive.

    `peaks` are those of tau' and tau'', as far as the motion has them.
    """

    label: Label
    peak: float
    rms: float
    limit: float
    peaks: tuple[float, ...]

    @property
    def use(self) -> float:
        """Peak as a fraction of the limit; infinite without one."""
        return self.peak / self.limit if 0 < self.limit < np.inf else np.inf


@dataclass(frozen=True)
class TorqueFacts:
    """tau of inverse dynamics, its parts M qdd, C qd and g, and its rates tau' and tau'', all (n, nv).

    `rates` has what the motion is smooth enough for.
    """

    t: Array
    labels: tuple[Label, ...]
    tau: Array
    inertial: Array
    coriolis: Array
    gravity: Array
    rates: tuple[Array, ...]
    limits: Array
    floating: bool

    @property
    def difference(self) -> float:
        """Largest |M qdd + C qd + g - tau|."""
        return float(np.abs(self.inertial + self.coriolis + self.gravity - self.tau).max())

    @property
    def relative_difference(self) -> float:
        """The same, relative to the largest part."""
        parts = (self.tau, self.inertial, self.coriolis, self.gravity)
        return self.difference / max(*(float(np.abs(part).max()) for part in parts), 1e-300)

    @property
    def efforts(self) -> tuple[Effort, ...]:
        """The work of every joint."""
        peak, rms = np.abs(self.tau).max(axis=0), np.sqrt(np.mean(self.tau**2, axis=0))
        return tuple(
            Effort(
                label,
                float(peak[k]),
                float(rms[k]),
                float(self.limits[k]),
                tuple(float(np.abs(rate[:, k]).max()) for rate in self.rates),
            )
            for k, label in enumerate(self.labels)
        )


def gather(study: Study) -> TorqueFacts | None:
    """Return torques by inverse dynamics and, separately, by the matrices."""
    robot, s = study.robot, study.states
    if not robot.model.has_inertia:
        return None
    return TorqueFacts(
        s.t,
        study.velocities,
        robot.kernel("inverse_dynamics")(s.q, s.qd, s.qdd),
        np.einsum("tij,tj->ti", robot.kernel("mass_matrix")(s.q), s.qdd),
        np.einsum("tij,tj->ti", robot.kernel("coriolis_matrix")(s.q, s.qd), s.qd),
        robot.kernel("gravity_torque")(s.q),
        _rates(study),
        robot.effort_limits,
        any(body.joint.floats for body in robot.model.bodies),
    )


def _rates(study: Study) -> tuple[Array, ...]:
    """Return tau' and tau'' [MuellerKumar2021, Eqs. (28), (38)]; what runs once needs no machine code."""
    s, order = study.states, len(study.states.further)
    if not order:
        return ()
    program = trace(study.robot.model, "inverse_dynamics_rates", Variant(order=order))
    _, *rates = evaluate(program, s.q, s.qd, s.qdd, *s.further)
    return tuple(rates)


def draw(facts: TorqueFacts) -> Mapping[str, Figure]:
    """Return the torques of all joints with their rates, and the parts of one joint at a time."""
    panels = [Panel("tau", facts.tau, facts.labels, effort=True)]
    for k, rate in enumerate(facts.rates, start=1):
        panels.append(Panel("tau" + "'" * k, rate, facts.labels, "/s" if k == 1 else "/s²", effort=True))
    return {"torques": curves_by_joint("Torques over time", facts.t, panels), "parts": _parts(facts)}


def _parts(facts: TorqueFacts) -> Figure:
    keep = thinned(facts.t)
    curves = (
        Curve("tau", facts.tau[keep], 3, width=2.6),
        Curve("M qdd", facts.inertial[keep], 0),
        Curve("C qd", facts.coriolis[keep], 1),
        Curve("g", facts.gravity[keep], 2),
    )
    title = f"[{units([label.effort_unit for label in facts.labels])}]"
    plot = one_joint_at_a_time(facts.t[keep], facts.labels, curves, [title])
    return figure(plot, "Parts of the torque of one joint", 340, [label.text for label in facts.labels])


SECTION = Section("torques", "Torques", gather, draw)
