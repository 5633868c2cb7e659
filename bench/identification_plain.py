"""The plain pipeline of identification, as a peer: what a careful engineer writes in an afternoon.

Positions pass a zero-phase Butterworth filter with a cutoff chosen by hand, central differences give speeds
and accelerations; the torques pass the same filter. Base parameters come from a pivoted QR of the regressor
at random states, every joint has viscous and Coulomb friction, an offset and a rotor, and so has a motor that
turns several joints. Least squares are weighted by the scatter of each joint. Nothing here comes from
`closedform.identification`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import interpolate, linalg, signal

from closedform import Robot
from closedform.arrays import Array

ORDER = 4
"""Order of the Butterworth filter, which runs forwards and backwards."""

ROWS = 8
"""Rows per period of the cutoff that are kept."""

SETTLING = 4.0
"""Periods of the cutoff at either end, and around gaps, that are not used."""

RANK = 1e-8
"""Diagonal of the QR's triangle, over its largest, below which a column depends on others."""

WIDTH = 0.01
"""Speed over which Coulomb friction changes sign: a sharp sign chatters with the noise of a joint at rest."""

SHOWN = 1e-2
"""Singular value of scaled columns, over the largest, below which a log hardly shows a direction."""

Columns = Callable[[Array], Array]
"""Further columns (rows, joints, k) of the positions, such as those of a counterbalance."""


@dataclass(frozen=True)
class Motion:
    """Filtered rows of a log: time (n,), then q, qd, qdd and tau (n, joints)."""

    time: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True)
class Terms:
    """The columns of a model: base parameters, the drives of all axes, and further ones.

    `couplings` are rows of a reduction matrix (motors, joints) that turn several joints.
    """

    robot: Robot
    couplings: Array
    further: tuple[Columns, ...] = ()
    kept: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", base_columns(self.robot))

    def design(self, motion: Motion) -> Array:
        """Return the columns (rows, joints, parameters)."""
        Y = self.robot.regressor(motion.q, motion.qd, motion.qdd)[..., self.kept]
        axes = np.vstack([np.eye(self.robot.nv), self.couplings])
        v, a = motion.qd @ axes.T, motion.qdd @ axes.T
        drives = [part[:, None, :] * axes.T for part in (a, v, np.tanh(v / WIDTH))]
        offsets = np.broadcast_to(np.eye(self.robot.nv), (len(v), self.robot.nv, self.robot.nv))
        return np.concatenate([Y, *drives, offsets, *(each(motion.q) for each in self.further)], axis=2)


@dataclass(frozen=True)
class PlainModel:
    """Terms and the values of their parameters."""

    terms: Terms
    values: Array

    def torque(self, motion: Motion) -> Array:
        """Return the predicted torques at the rows of a motion."""
        return self.terms.design(motion) @ self.values


def predictions(
    predict: Callable[[Motion], Array], time: Array, q: Array, tau: Array, cutoff: float
) -> tuple[Array, Array, Array]:
    """Return time, torques and predicted torques at rows of a motion, both after a filter with `cutoff`."""
    fine = filtered(time, q, tau, cutoff, every=True)
    predicted = low_pass(predict(fine), cutoff, rate(fine.time))
    motion = filtered(time, q, tau, cutoff)
    at = interpolate.make_interp_spline(fine.time, predicted, k=1)(motion.time)
    return motion.time, motion.tau, np.asarray(at)


def plain_model(terms: Terms, time: Array, q: Array, tau: Array, cutoff: float) -> PlainModel:
    """Return the model of a log by the plain pipeline."""
    motion = filtered(time, q, tau, cutoff)
    W = terms.design(motion)
    values = _solve(W, motion.tau, np.ones(terms.robot.nv))
    residual = motion.tau - W @ values
    return PlainModel(terms, _solve(W, motion.tau, np.sqrt(np.mean(residual**2, axis=0)) + 1e-12))


def rate(time: Array) -> float:
    """Return the samples per second of a clock."""
    return float(1 / np.median(np.diff(time)))


def low_pass(x: Array, cutoff: float, fs: float) -> Array:
    """Return columns after the zero-phase filter."""
    if cutoff >= 0.45 * fs:
        return x
    return np.asarray(signal.sosfiltfilt(signal.butter(ORDER, cutoff, fs=fs, output="sos"), x, axis=0))


def evenly(time: Array, q: Array, tau: Array) -> tuple[Array, Array, Array]:
    """Return time, positions and torques on an even clock, by lines between rows."""
    fs = rate(time)
    even = time[0] + np.arange(int((time[-1] - time[0]) * fs) + 1) / fs
    both = interpolate.make_interp_spline(time, np.hstack([q, tau]), k=1)(even)
    return even, both[:, : q.shape[1]], both[:, q.shape[1] :]


def filtered(time: Array, q: Array, tau: Array, cutoff: float, every: bool = False) -> Motion:
    """Return the motion of a log on an even clock: `every` row, or some that are far from ends and gaps."""
    fs = rate(time)
    even, q, tau = evenly(time, q, tau)
    position, torque = low_pass(q, cutoff, fs), low_pass(tau, cutoff, fs)
    qd = np.gradient(position, 1 / fs, axis=0)
    qdd = np.gradient(qd, 1 / fs, axis=0)
    rows = np.arange(len(even))
    if not every:
        ends = np.array([time[0], time[-1], *time[:-1][np.diff(time) > 1 / cutoff]])
        far = np.abs(even[:, None] - ends).min(axis=1) > SETTLING / cutoff
        rows = np.flatnonzero(far)[:: max(1, int(fs / (ROWS * cutoff)))]
    return Motion(even[rows], position[rows], qd[rows], qdd[rows], torque[rows])


def base_columns(robot: Robot) -> Array:
    """Return the columns of the regressor that are independent, by a pivoted QR at random states."""
    q, qd, qdd = robot.random_state(0, batch=50 * robot.nv)
    Y = robot.regressor(q, qd, qdd).reshape(50 * robot.nv**2, -1)
    R, pivots = linalg.qr(Y, mode="r", pivoting=True)
    size = np.abs(np.diag(R))
    return np.sort(pivots[: int(np.sum(size > RANK * size[0]))])


def _solve(W: Array, tau: Array, scatter: Array) -> Array:
    """Return least squares, rows over the scatter of their joint; least in norm if columns are dependent."""
    scaled = W / scatter[:, None]
    size = np.linalg.norm(scaled, axis=(0, 1)) + 1e-300
    rows = (scaled / size).reshape(-1, W.shape[2])
    found = np.linalg.lstsq(rows, (tau / scatter).ravel(), rcond=SHOWN)[0]
    return np.asarray(found / size)
