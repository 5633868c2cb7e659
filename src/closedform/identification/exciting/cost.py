"""What an exciting motion costs: the condition number of its regressor, and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from ...arrays import Array
from ...kernels import Kernel, compiled
from ...lazy import cached_property
from ...robot import Robot
from ..base.result import BaseParameters, regressor_expression
from .bounds import Bounds
from .fourier import FourierSeries

STATE = ("position", "velocity", "acceleration")

NEAR = 0.1
"""Metres that count as much as half of a joint's range when a gap is too small."""

SOFTNESS = 4.0
"""Power with which the extreme eigenvalues count; the maximum of several is not smooth."""


@dataclass(frozen=True)
class Violation:
    """By how much samples of a quantity leave their range (signed, relative to `scale`), 0 within."""

    quantity: str
    excess: Array
    scale: Array
    frame: str | None = None

    @classmethod
    def of(
        cls,
        quantity: str,
        values: Array,
        lower: Array,
        upper: Array,
        margin: float,
        frame: str | None = None,
    ) -> Violation:
        """Return the excess of values over a range whose ends may be infinite, and are kept clear of."""
        width = upper - lower
        scale = np.where(np.isfinite(width), width / 2, 1.0)
        kept = np.clip(values, lower + margin * scale, upper - margin * scale)
        return cls(quantity, (values - kept) / scale, scale, frame)


class Cost:
    """The logarithm of the condition number of a motion's reduced regressor, and its violations.

    Values and gradients over the offsets and free numbers of a series. The gradient of any smooth
    function of the regressors Y is that of sum(R * Y) with R = df/dY, one compiled kernel; torques
    are Y @ base, so the same kernel serves their limits. With a `start`, where the motion begins and
    ends, the offset follows from the free numbers.
    """

    def __init__(
        self, base: BaseParameters, bounds: Bounds, series: FourierSeries, start: Array | None = None
    ) -> None:
        self.base, self.bounds, self.series, self.start = base, bounds, series, start
        self.robot: Robot = base.robot
        limited = np.isfinite(bounds.torque).any()
        self.values = base.values if limited else np.zeros(base.count)
        self.rotor = _rotor_inertia(self.robot) if limited else np.zeros((self.robot.nv, self.robot.nv))

    @cached_property
    def pullback(self) -> Kernel:
        """The gradients of sum(R * Y(q, qd, qdd)) over q, qd and qdd."""
        return _pullback(self.base)

    def unpack(self, x: Array) -> tuple[Array, Array]:
        """Return the offset (dofs,) and the free numbers (2 terms - 2, dofs) of a vector."""
        n = self.robot.nv
        y = x[n:].reshape(-1, n)
        if self.start is None:
            return x[:n], y
        return self.start - self.series.values[0] @ self.series.basis @ y, y

    def state(self, x: Array) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd at the instants of the series."""
        offset, y = self.unpack(x)
        terms = self.series.basis @ y
        return (
            offset + self.series.values @ terms,
            self.series.rates @ terms,
            self.series.accelerations @ terms,
        )

    def condition(self, x: Array) -> float:
        """Return the condition number of the stacked regressors."""
        W = self.base.regressor(*self.state(x)).reshape(-1, self.base.count)
        return float(np.linalg.cond(W))

    def __call__(self, x: Array, weight: float, margin: float) -> tuple[float, Array]:
        """Return log(condition number), softened, plus weighted squared violations; and the gradient.

        Limits are to be kept clear of by `margin`, a part of the range they leave.
        """
        state = self.state(x)
        Y = self.base.regressor(*state)
        value, R = _log_condition(Y)
        gradients = [np.zeros_like(each) for each in state]
        scale = weight / len(Y)
        for violation in self.violations(state, Y, margin):
            value += scale * float((violation.excess**2).sum())
            slope = 2 * scale * violation.excess / violation.scale
            if violation.quantity == "torque":
                R += slope[..., None] * self.values
                gradients[2] += slope @ self.rotor
            elif violation.quantity == "clearance" and self.bounds.clearances is not None:
                gradients[0] += self.bounds.clearances.pulled_back(state[0], slope)
            elif violation.frame is not None:
                J = self._origin_jacobian(state[0], violation.frame)
                gradients[0] += (slope[..., None, :] @ J)[..., 0, :]
            else:
                gradients[STATE.index(violation.quantity)] += slope
        along = [mine + its for mine, its in zip(gradients, self.pullback(*state, R), strict=True)]
        series = self.series
        designs = (series.values, series.rates, series.accelerations)
        terms = sum(design.T @ each for design, each in zip(designs, along, strict=True))
        shift = along[0].sum(axis=0)
        if self.start is not None:
            terms = terms - np.outer(series.values[0], shift)
            shift = np.zeros_like(shift)
        return value, np.concatenate([shift, (series.basis.T @ terms).ravel()])

    def violations(self, state: tuple[Array, ...], Y: Array, margin: float) -> Iterator[Violation]:
        """Yield the excess over every limit at the instants of the series."""
        bounds = self.bounds
        tau = Y @ self.values + state[2] @ self.rotor.T
        yield Violation.of("position", state[0], bounds.lower, bounds.upper, margin)
        for name, values, limit in (
            ("velocity", state[1], bounds.velocity),
            ("acceleration", state[2], bounds.acceleration),
            ("torque", tau, bounds.torque),
        ):
            yield Violation.of(name, values, -limit, limit, margin)
        for frame, box in bounds.workspace.items():
            origin = self.robot.pose(state[0], frame)[..., :3, 3]
            yield Violation.of("workspace", origin, *box, margin, frame)
        if bounds.clearances is not None:
            least = bounds.clearances.least + margin * NEAR
            short = np.minimum(bounds.clearances.distances(state[0]) - least, 0.0)
            yield Violation("clearance", short / NEAR, np.array(NEAR))

    def fits(self, x: Array) -> bool:
        """Return whether every limit holds at every instant of the series."""
        state = self.state(x)
        Y = self.base.regressor(*state)
        return not any(violation.excess.any() for violation in self.violations(state, Y, 0.0))

    def _origin_jacobian(self, q: Array, frame: str) -> Array:
        """Return the derivative of a frame's origin, in base axes."""
        R: Array = self.robot.pose(q, frame)[..., :3, :3]
        return R @ self.robot.jacobian(q, frame)[..., 3:, :]


def _log_condition(Y: Array) -> tuple[float, Array]:
    """Return the softened logarithm of the condition number of stacked regressors, and its slope dY."""
    W = Y.reshape(-1, Y.shape[-1])
    eigenvalues, V = np.linalg.eigh(W.T @ W)
    eigenvalues = np.maximum(eigenvalues, 1e-18 * eigenvalues[-1])
    logs = SOFTNESS * np.log(eigenvalues)
    value, slope = 0.0, np.zeros_like(logs)
    for sign in (1.0, -1.0):
        shares = np.exp(sign * logs - (sign * logs).max())
        value += ((sign * logs).max() + np.log(shares.sum())) / (2 * SOFTNESS)
        slope += sign * shares / shares.sum() / 2
    H = (V * (slope / eigenvalues)) @ V.T
    return value, (2 * W @ H).reshape(Y.shape)


def _pullback(base: BaseParameters) -> Kernel:
    """Return the kernel of the gradients of sum(R * Y(q, qd, qdd)) over q, qd and qdd."""
    symbols, Y = regressor_expression(base)
    R = SX.sym("R", *Y.shape)
    total = ca.dot(R, Y)
    names = ("q", "qd", "qdd")
    return compiled(
        "base_regressor_pullback",
        [*zip(names, symbols, strict=True), ("R", Y.shape, R)],
        [(f"d{name}", ca.gradient(total, symbol)) for name, symbol in zip(names, symbols, strict=True)],
        "Return the gradients of sum(R * Y) for the reduced regressor Y.",
        f"robot {base.robot.name!r}",
    )


def _rotor_inertia(robot: Robot) -> Array:
    """Return the constant part of the mass matrix that rotors add and regressors leave out."""
    q, still, unit = robot.neutral(), np.zeros((robot.nv, robot.nv)), np.eye(robot.nv)
    q = np.tile(q, (robot.nv, 1))
    full = robot.inverse_dynamics(q, still, unit)
    links: Array = robot.regressor(q, still, unit) @ robot.phi
    return np.asarray(full - links).T
