"""Energy and power along the motion: what goes in at the joints is what the energy gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..curves import add_curve, panels
from ..figure import Figure, figure, thinned
from ..section import Section
from .robot_study import Study

STENCIL = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Central differences of eighth order."""

STEP = 0.005
"""Difference step times the highest frequency: truncation and round-off both near 1e-12."""


@dataclass(frozen=True)
class EnergyFacts:
    """Energies, the power qd . tau of the joints, and the rate of the total energy, all (n,)."""

    t: Array
    kinetic: Array
    potential: Array
    power: Array
    energy_rate: Array

    @property
    def potential_gain(self) -> Array:
        """Potential energy above that of the first instant."""
        gain: Array = self.potential - self.potential[0]
        return gain

    @property
    def relative_error(self) -> float:
        """Largest |dE/dt - qd . tau| relative to the largest power."""
        scale = float(np.abs(self.power).max())
        return float(np.abs(self.energy_rate - self.power).max()) / max(scale, 1e-300)


def gather(study: Study) -> EnergyFacts | None:
    """Return the balance; the energy is differentiated along the motion, apart from any torque."""
    robot, s = study.robot, study.states
    if not robot.model.has_inertia:
        return None
    kinetic, potential = robot.kernel("kinetic_energy"), robot.kernel("potential_energy")

    def energy(t: Array) -> Array:
        there = study.motion.at(t)
        total: Array = kinetic(there.q, there.qd) + potential(there.q)
        return total

    h = STEP / study.motion.fastest
    if study.trajectory is not None:  # differences need the motion on both sides of every instant
        edge = min(len(STENCIL) * h, study.duration / 2)
        s = study.motion.at(np.clip(s.t, edge, study.duration - edge))
    pairs = enumerate(STENCIL, start=1)
    rate = sum((c * (energy(s.t + k * h) - energy(s.t - k * h)) for k, c in pairs), np.zeros(len(s.t))) / h
    tau = robot.kernel("inverse_dynamics")(s.q, s.qd, s.qdd)
    power = np.einsum("ti,ti->t", s.qd, tau)
    return EnergyFacts(s.t, kinetic(s.q, s.qd), potential(s.q), power, rate)


def draw(facts: EnergyFacts) -> Mapping[str, Figure]:
    """Return energies above, powers below."""
    keep = thinned(facts.t)
    plot = panels(["energy [J]", "power [W]"], spacing=0.08)
    for row, name, values, colour, dash, width, unit in (
        (1, "kinetic", facts.kinetic, 0, "solid", 1.8, "J"),
        (1, "potential", facts.potential_gain, 2, "solid", 1.8, "J"),
        (1, "total", facts.kinetic + facts.potential_gain, 7, "dot", 1.8, "J"),
        (2, "qd . tau", facts.power, 3, "solid", 4.0, "W"),
        (2, "dE/dt", facts.energy_rate, 1, "dash", 1.8, "W"),
    ):
        t, y, hover = facts.t[keep], values[keep], "%{y:.4g} " + unit
        add_curve(plot, t, y, name, colour, row=row, dash=dash, width=width, hover=hover)
    return {"energy": figure(plot, "Energy and power over time", 480)}


SECTION = Section("energy", "Energy", gather, draw)
