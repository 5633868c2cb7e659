"""The motions of an arm over time, with their energies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...flexible import ArmMotion
from ..curves import add_curve, panels
from ..figure import Figure, figure, thinned
from ..section import Section
from .arm_study import FlexibleStudy
from .cases import Case

ENERGIES = ("kinetic", "potential", "total", "work", "dissipated")


@dataclass(frozen=True)
class Motion:
    """One case: the values of every panel (samples, curves), and energies (samples, 5)."""

    case: Case
    t: Array
    values: tuple[Array, ...]
    energies: Array
    change: float
    peak: float

    @property
    def drift(self) -> float:
        """Error of the energy balance, as a part of the largest energy."""
        return self.change / max(self.peak, 1e-300)


@dataclass(frozen=True)
class MotionFacts:
    """All cases; `panels` are the titles of the pictures and the names of their curves.

    With gravity, angles, places and potential energies are shown as changes from the start: an arm
    that hangs is far from all zeros.
    """

    step: float
    printed: bool
    gravity: bool
    panels: tuple[tuple[str, tuple[str, ...]], ...]
    motions: tuple[Motion, ...]

    @property
    def free(self) -> tuple[Motion, ...]:
        """Those without damping and torques, whose energy must stay."""
        return tuple(each for each in self.motions if each.case.free)

    @property
    def worst(self) -> Motion:
        """The motion whose energy balance is furthest off."""
        return max(self.motions, key=lambda each: each.drift)

    @property
    def unit(self) -> tuple[str, float]:
        """Unit of the energies and its number per joule."""
        return ("J", 1.0) if max(each.peak for each in self.motions) >= 1 else ("mJ", 1e3)


def gather(study: FlexibleStudy) -> MotionFacts:
    """Return the motions with all that is shown of them."""
    arm = study.subject
    names = arm.coordinate_names
    panels = [(f"modes of link {i + 1} [m]", tuple(names[part])) for i, part in enumerate(arm.model.parts)]
    moved = "change of " if arm.gravity.any() else ""
    panels += [(f"{moved}joints [rad]", tuple(names[: arm.joints])), (f"{moved}tip [m]", ("x", "y"))]
    pairs = zip(study.cases, study.motions, strict=True)
    return MotionFacts(
        study.step,
        study.printed,
        bool(moved),
        tuple(panels),
        tuple(_motion(case, run) for case, run in pairs),
    )


def _motion(case: Case, run: ArmMotion) -> Motion:
    energy = run.energy
    still = float(run.arm.gravity.any())
    rigid = (each - still * each[0] for each in (run.joints, run.tip))
    values = (*(run.q[:, part] for part in run.arm.model.parts), *rigid)
    energies = np.stack([getattr(energy, name) for name in ENERGIES], axis=-1)
    energies[:, 1:3] -= still * energy.potential[0]
    peak = max(float(each) for each in (energy.total.max(), energy.kinetic.max(), np.ptp(energy.potential)))
    return Motion(case, run.t, values, energies, float(np.ptp(energy.balance)), peak)


def draw(facts: MotionFacts) -> Mapping[str, Figure]:
    """Return time series and energies, one choice per case."""
    titles = [motion.case.label for motion in facts.motions]
    rows, (unit, scale) = len(facts.panels), facts.unit
    series = panels([title for title, _ in facts.panels], spacing=0.14 / rows)
    energies = panels([f"energy [{unit}]"])
    for choice, motion in enumerate(facts.motions):
        keep = thinned(motion.t)
        t, colour = motion.t[keep], 0
        for row, (_, names) in enumerate(facts.panels):
            for values, name in zip(motion.values[row][keep].T, names, strict=True):
                add_curve(series, t, values, name, colour, row=row + 1, choice=choice)
                colour += 1
        for k, name in enumerate(ENERGIES):
            dash, hover = "dot" if name == "total" else "solid", "%{y:.4g} " + unit
            values = motion.energies[keep, k] * scale
            add_curve(energies, t, values, name, k, choice=choice, dash=dash, hover=hover)
    choices = titles if len(titles) > 1 else ()
    return {
        "series": figure(series, "Coordinates and tip over time", 100 + 180 * rows, choices),
        "energies": figure(energies, "Energies over time", 360, choices),
    }


SECTION = Section("flexible_motions", "Motions", gather, draw)
