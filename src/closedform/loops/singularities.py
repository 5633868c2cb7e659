"""Singular postures of a mechanism, and how far they are.

In units in which a length of the mechanism is one, let the columns of N be an orthonormal basis of the
velocities of all joints that the loops allow, N^T N = 1. The least speed of some of the joints, or of a
frame, in a motion of unit speed is the smallest singular value of their rows of N. It vanishes if the
mechanism moves while they stand still [GosselinAngeles1990]:

- of the independent joints: they do not describe the mechanism there;
- of the actuated joints: locked actuators do not hold it (second kind);
- of the output frame: actuators move and the output does not (first kind).

If the loops themselves lose rank, the smallest singular value of their rows, relative to the largest,
vanishes, and assembly modes meet there.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..arrays import Array
from ..description.loop import JointCoupling
from ..forms import kinematics
from .cut_joints import KINDS
from .model import ClosedModel
from .numbers import ClosureNumbers

OUTPUTS = {"twist": slice(0, 6), "position": slice(3, 6), "rotation": slice(0, 3)}
"""What of the motion of a frame is the output."""

STEP = 1e-5
"""Step of the differences that give the slopes of the measures, in radians or lengths."""


@dataclass(frozen=True)
class Measure:
    """A measure that vanishes at singular postures, and the distance to the nearest along its slope.

    `value` is between 0 and about 1, without unit; `distance` is value / |slope| in the joint space of the
    mechanism, in radians (slides in lengths), an estimate to first order. Both have one number per posture.
    """

    value: Array
    distance: Array


@dataclass(frozen=True)
class Singularities:
    """How far postures are from singular ones of each kind; `length` is what one unit of length is, in m."""

    length: float
    loops: Measure
    independent: Measure
    actuators: Measure
    output: Measure


class Probe:
    """The measures of a mechanism at coordinates of all joints."""

    def __init__(self, model: ClosedModel, numbers: ClosureNumbers, frame: str, output: str) -> None:
        self.model, self.numbers, self.length = model, numbers, numbers.size
        self.output = OUTPUTS[output]
        x = ca.SX.sym("x", model.tree.nq)
        self._jacobian = ca.Function("J", [x], [ca.densify(kinematics.jacobian(numbers.tree, x, frame))])
        slides = np.zeros(model.tree.nv, dtype=bool)
        for body in model.tree.independent:
            slides[body.velocities] = ~body.joint.turns
        self.columns = np.where(slides, self.length, 1.0)
        self.rows = np.concatenate([_row_units(each, model, slides, self.length) for each in model.closures])

    def at(self, x: Array) -> tuple[Array, Array]:
        """Return the four measures at one closed posture, and N in SI units."""
        chosen = list(self.model.rows)
        B = (self.numbers.rows(x) * self.columns / self.rows[:, None])[chosen]
        _, s, V = np.linalg.svd(B)
        N = V[len(chosen) :].T
        J = np.array(self._jacobian(x)) * self.columns
        J[3:] /= self.length
        found = [N[list(self.model.iv)], N[list(self.model.av)], J[self.output] @ N]
        least = [_least(each) for each in found]
        return np.array([s[-1] / s[0], *least]), N * self.columns[:, None]

    def with_distances(self, x: Array) -> tuple[Array, Array]:
        """Return the four measures at one closed posture, and their distances to zero."""
        values, N = self.at(x)
        slopes = np.zeros((N.shape[1], len(values)))
        for k, direction in enumerate(N.T):
            ahead, behind = (self._beside(x, sign * STEP * direction) for sign in (1, -1))
            slopes[k] = (ahead - behind) / (2 * STEP)
        norms = np.linalg.norm(slopes, axis=0)
        with np.errstate(divide="ignore"):
            return values, np.where(norms > 1e-9, values / np.maximum(norms, 1e-300), np.inf)

    def _beside(self, x: Array, step: Array) -> Array:
        return self.at(self.numbers.closed(self.numbers.moved(x, step))[0])[0]


def measured(probe: Probe, x: Array) -> Singularities:
    """Return the measures at postures of all joints (..., n); those that are NaN stay NaN."""
    flat = x.reshape(-1, x.shape[-1])
    values, distances = np.full((2, len(flat), 4), np.nan)
    for k, each in enumerate(flat):
        if np.isfinite(each).all():
            values[k], distances[k] = probe.with_distances(each)
    shape = x.shape[:-1]
    every = [Measure(values[:, i].reshape(shape), distances[:, i].reshape(shape)) for i in range(4)]
    return Singularities(probe.length, *every)


def _least(A: Array) -> float:
    """Return the least length of A u for unit u."""
    if A.shape[0] < A.shape[1]:
        return 0.0
    return float(np.linalg.svd(A, compute_uv=False)[-1])


def _row_units(closure: object, model: ClosedModel, slides: Array, length: float) -> Array:
    """Return the unit of each row of a closure: a length, or one radian."""
    if isinstance(closure, JointCoupling):
        body = next(each for each in model.tree.independent if each.joint_name == closure.joint)
        return np.array([length if slides[body.iv] else 1.0])
    held = KINDS[closure.kind]  # type: ignore[attr-defined]  # a loop
    special = [length if held.special == "distance" else 1.0] if held.special else []
    return np.array([length] * len(held.position) + [1.0] * len(held.turn) + special)
