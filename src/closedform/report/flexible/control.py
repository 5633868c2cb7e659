"""Control uses: a tip path by stable inversion, and a shaped command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import ClosedFormError
from ...flexible import Damping, FlexibleArm, InputShaper
from ...trajectory import polynomial
from ..curves import add_curve, panels
from ..figure import Figure, figure, thinned
from ..section import Section
from .arm_study import FlexibleStudy

STEP, FINE = 1e-3, 2e-4
"""Steps of the shaped turn, and of the inversion, whose torque is linear between samples [s]."""
ANGLE, TIME = 1.0, 0.8
"""Turn of the tip [rad] and the time it takes [s]."""
SLOWEST = 2.2
"""First frequency [Hz] of the link that these times suit; other links take proportionally longer or less."""

RATIO = 0.01
"""Damping ratio of the modes."""


@dataclass(frozen=True)
class ControlFacts:
    """A one-link arm's tip: wanted, by stable inversion and by the rigid torque; shaped and plain steps."""

    alone: bool
    frequencies: Array
    t: Array
    wanted: Array
    inverted: Array
    rigid: Array
    torque: Array
    rigid_torque: Array
    shaped_t: Array
    plain: Array
    shaped: Array
    shaper: str

    @property
    def before(self) -> float:
        """How long before the path the torque begins, to a hundredth of its peak."""
        acting = np.abs(self.torque) > 0.01 * np.abs(self.torque).max()
        return -float(self.t[acting.argmax()])

    @property
    def errors(self) -> tuple[float, float]:
        """Largest errors of the tip [rad]: inverted, rigid."""
        return tuple(float(np.abs(each - self.wanted).max()) for each in (self.inverted, self.rigid))  # type: ignore[return-value]

    @property
    def left(self) -> tuple[float, float]:
        """Vibration of the tip [m] after the command, plain and shaped."""
        late = self.shaped_t > self.shaped_t[-1] / 2
        return tuple(float(np.ptp(each[late])) / 2 for each in (self.plain, self.shaped))  # type: ignore[return-value]


def gather(study: FlexibleStudy) -> ControlFacts | None:
    """Return both examples on the last link alone; None if its tip cannot be inverted."""
    arm, scale = _one_link(study)
    duration = TIME * scale
    path = polynomial(0.0, ANGLE, duration=duration, degree=9)
    try:
        plan = arm.tip_inverse_dynamics(path, FINE * scale)
    except ClosedFormError:  # zeros on the imaginary axis, or too long a time before the path
        return None
    c = np.concatenate([[1.0], arm.modes[0].stacked("tip") / arm.links[0].length])
    inside = (plan.t >= 0) & (plan.t <= duration)
    y, _, ydd = (each[:, 0] for each in path.derivatives(np.clip(plan.t, 0, duration), 2))
    rest = np.zeros(arm.size)
    rigid_torque = arm.mass_matrix(rest)[0, 0] * np.where(inside, ydd, 0.0)
    span = float(plan.t[-1] - plan.t[0])
    tips = [
        arm.simulate(start, rate, torque[:, None], span, FINE * scale).q @ c
        for start, rate, torque in (
            (plan.q[0], plan.qd[0], plan.u[:, 0]),
            (rest, rest, rigid_torque),
        )
    ]
    shown = (plan.t > -0.2 * scale) & (plan.t < duration + 0.6 * scale)
    t, wanted, inverted, rigid, torque, stiff = (
        each[shown] for each in (plan.t, y, *tips, plan.u[:, 0], rigid_torque)
    )
    shaping = _shaping(arm, scale)
    return ControlFacts(
        study.subject.joints == 1, arm.frequencies[0], t, wanted, inverted, rigid, torque, stiff, *shaping
    )


def _one_link(study: FlexibleStudy) -> tuple[FlexibleArm, float]:
    """Return the last link with a point mass as an arm of its own, and how many times slower it is."""
    link, (mass, _) = study.subject.links[-1], study.subject.payload
    arm = FlexibleArm([link], (mass, 0.0), damping=Damping(0.0, RATIO), name="one_link")
    return arm, float(f"{SLOWEST / float(arm.frequencies[0][0]):.1g}")


def _shaping(arm: FlexibleArm, scale: float) -> tuple[Array, Array, Array, str]:
    """Return the tip's deflection after a plain and a shaped bang-bang turn of the hub."""
    step = STEP * scale
    t = step * np.arange(3000.0)
    s, size = t / scale, 10.0 / scale**2
    acceleration: Array = np.where((s > 0.1) & (s < 0.3), size, np.where((s >= 0.3) & (s < 0.5), -size, 0.0))
    shaper = InputShaper.of_modes(arm.frequencies[0], RATIO, "zvd")
    plain, shaped = (_swing(arm, t, each) for each in (acceleration, shaper(acceleration, step)))
    return t, plain, shaped, "ZVD shaper of its modes"


def _swing(arm: FlexibleArm, t: Array, acceleration: Array) -> Array:
    """Return the tip's deflection when the hub follows a sampled acceleration."""
    step = float(t[1])
    rate = np.concatenate([[0.0], np.cumsum(acceleration)[:-1] * step])
    angle = np.concatenate([[0.0], np.cumsum(rate)[:-1] * step])

    def hub(s: float) -> tuple[Array, ...]:
        return tuple(np.array([np.interp(s, t, row)]) for row in (angle, rate, acceleration))

    return arm.joint_inverse_dynamics(hub, step, duration=float(t[-1])).deflection(0)


def draw(facts: ControlFacts) -> Mapping[str, Figure]:
    """Return the tip with its torques, and the deflections."""
    keep = thinned(facts.t)
    tip = panels(["angle of the tip [rad]", "torque [N m]"])
    for row, name, values, colour in (
        (1, "stable inversion", facts.inverted, 0),
        (1, "rigid torque", facts.rigid, 1),
        (2, "stable inversion", facts.torque, 0),
        (2, "rigid torque", facts.rigid_torque, 1),
    ):
        add_curve(tip, facts.t[keep], values[keep], name, colour, row=row)
    add_curve(tip, facts.t[keep], facts.wanted[keep], "wanted", 7, width=2.6, dash="dot")
    keep = thinned(facts.shaped_t)
    shaped = panels(["deflection of the tip [mm]"])
    for name, values, colour in (("plain", facts.plain, 1), ("shaped", facts.shaped, 0)):
        add_curve(shaped, facts.shaped_t[keep], values[keep] * 1e3, name, colour, hover="%{y:.3f} mm")
    return {
        "tip": figure(tip, "Tip and torque over time", 520),
        "shaped": figure(shaped, "Deflection after a plain and a shaped command", 340),
    }


SECTION = Section("flexible_control", "Control", gather, draw)
