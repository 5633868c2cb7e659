"""Logs without and with loads, fitted together: the robot, the loads and the drive gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...model.inertia import NAMES
from ..regression.design import Design
from ..regression.least_squares import ExcitationError, undetermined
from ..regression.moments import Moments
from .evidence import Evidence

STEPS = 100
"""Gauss-Newton steps at most."""

CHANGING = ("f", "of")
"""Parameters of drives that may differ from log to log, by their first letters: friction and offsets."""

DRIFT = 0.3
"""Standard deviation by which they do, relative to their own size or the usual one."""


@dataclass(frozen=True)
class LoadFit:
    """Values of all parameters and their covariance; `scatter` is that of the residuals (logs, joints)."""

    values: Array
    covariance: Array
    scatter: Array


class LoadedLogs:
    """The least squares of tau_j = s_j (W_j x + L_j phi) over logs: phi is zero in the first.

    The parameters are those of the robot without a load, then friction and offsets of each loaded log and the
    ten of its load, then the scale s of the efforts of each joint, 1 if gains are known. Noise is that of
    the efforts: rows are weighted by its scatter, and it biases nothing. Friction and offsets follow
    the temperature: each log has its own, which differ by about `DRIFT`.
    """

    def __init__(
        self,
        design: Design,
        empty: Evidence,
        loaded: Sequence[Moments],
        correlations: Sequence[Array],
        values: Array,
    ) -> None:
        self.design, self.loaded, self.correlations = design, tuple(loaded), tuple(correlations)
        self.logs = (empty, *(self._evidence(k) for k in range(len(loaded))))
        width, joints = design.width, design.robot.nv
        drives = enumerate(design.drive, design.base.count)
        own = [k for k, term in drives if term.kind.startswith(CHANGING)]
        self.again, self.loads = [], []
        names, start = [*design.names], [values]
        for each in range(len(loaded)):
            again = np.arange(width)  # where this log has the parameters of the design
            again[own] = len(names) + np.arange(len(own))
            self.again.append(again)
            self.loads.append(slice(len(names) + len(own), len(names) + len(own) + 10))
            which = f" of log {each + 1}" if len(loaded) > 1 else ""
            names += [f"{design.names[k]} with the payload{which}" for k in own]
            names += [f"{name} of the payload{which}" for name in NAMES]
            start += [values[own], np.zeros(10)]
        self.scales = slice(len(names), len(names) + joints)
        self._drift = self._drifting(own, values, self.scales.stop)
        self.names = (*names, *(f"gain of {name}" for name in design.robot.joint_names))
        self.start = np.concatenate([*start, np.ones(joints)])

    def _evidence(self, log: int, values: Sequence[Array] | None = None) -> Evidence:
        """Return what a loaded log says; noise is judged by the values of each joint's columns."""
        moments = self.loaded[log]
        none = [np.zeros(len(active)) for active in moments.active]
        return Evidence.of(moments, none if values is None else values, self.correlations[log])

    def _drifting(self, own: Sequence[int], values: Array, count: int) -> Array:
        """Return rows K with K x of variance one: how far friction and offsets differ from log to log."""
        kinds = [term.kind for term in self.design.drive]
        rows = []
        for k in own:
            alike = [j for j in own if kinds[j - self.design.base.count] == kinds[k - self.design.base.count]]
            size = max(abs(float(values[k])), float(np.median(np.abs(values[alike]))))
            for again in self.again if size > 0 else []:
                row = np.zeros(count)
                row[k], row[again[k]] = -1 / (DRIFT * size), 1 / (DRIFT * size)
                rows.append(row)
        return np.reshape(rows, (-1, count))

    def columns(self, log: int, joint: int) -> NDArray[np.intp]:
        """Return the parameters behind the columns of a joint's rows in one of the logs."""
        active = self.logs[log].active[joint]
        if log == 0:
            return active
        load = self.loads[log - 1]
        inside = active[active < self.design.width]
        return np.concatenate([self.again[log - 1][inside], np.arange(load.start, load.stop)])

    def residuals(self, x: Array) -> list[tuple[Array, Array]]:
        """Return residuals and their derivatives by x, log by log and joint by joint."""
        found = []
        for log, evidence in enumerate(self.logs):
            for j, R in enumerate(evidence.factors):
                where, s = self.columns(log, j), x[self.scales][j]
                torque = R[:, :-1] @ x[where]
                J = np.zeros((len(R), len(x)))
                J[:, where] = -s * R[:, :-1]
                J[:, self.scales.start + j] = -torque
                found.append((R[:, -1] - s * torque, J))
        return found

    def scatter(self, x: Array) -> Array:
        """Return the root mean squares of the residuals (logs, joints)."""
        joints = self.design.robot.nv
        rows = np.repeat([max(evidence.rows, 1) for evidence in self.logs], joints)
        squares = np.array([r @ r for r, _ in self.residuals(x)])
        return np.asarray(np.sqrt(np.maximum(squares / rows, 1e-24)).reshape(-1, joints))

    def fit(
        self,
        start: Array,
        free: NDArray[np.bool_],
        believed: tuple[Array, Array] | None = None,
        remedy: str = "",
    ) -> LoadFit:
        """Return the fit of the free parameters, the others staying as in `start`.

        `believed` are rows of equal variance, K x = k: what is known of the parameters beside the logs.
        """
        x = start.copy()
        weights = 1 / self.scatter(x).ravel()
        K, k = (np.zeros((0, len(x))), np.zeros(0)) if believed is None else believed
        K, k = np.concatenate([K, self._drift]), np.append(k, np.zeros(len(self._drift)))
        prior = self.logs[0].prior
        if prior is not None:
            width = self.design.width
            K = np.concatenate([K, np.eye(len(x))[:width] / prior[1][:, None]])
            k = np.append(k, prior[0] / prior[1])
        for step in range(STEPS):
            rows = self.residuals(x)
            J = np.concatenate([w * part for (_, part), w in zip(rows, weights, strict=True)] + [K])[:, free]
            r = np.concatenate([w * part for (part, _), w in zip(rows, weights, strict=True)] + [K @ x - k])
            if step == 0:
                names = [name for name, here in zip(self.names, free, strict=True) if here]
                lost, condition = undetermined(np.linalg.qr(J)[1], names)
                if lost:
                    raise ExcitationError(lost, condition, remedy)
            norms = np.linalg.norm(J, axis=0)
            change = -np.linalg.lstsq(J / norms, r, rcond=None)[0]
            x[free] += change / norms
            fresh = 1 / self.scatter(x).ravel()
            if np.linalg.norm(change) < 1e-8 * np.linalg.norm(r) and np.abs(fresh / weights - 1).max() < 1e-6:
                break
            weights = fresh
        return LoadFit(x, self._covariance(x, free, weights, K), self.scatter(x))

    def _noise(self, x: Array) -> list[Array]:
        """Return the covariances of W^T e, log by log and joint by joint, as x explains the loaded ones."""
        found = [*self.logs[0].noise]
        for log in range(len(self.loaded)):
            s, joints = x[self.scales], range(self.design.robot.nv)
            values = [s[j] * x[self.columns(log + 1, j)] for j in joints]
            found += self._evidence(log, values).noise
        return found

    def _covariance(self, x: Array, free: NDArray[np.bool_], weights: Array, K: Array) -> Array:
        """Return the covariance of all parameters, A^-1 S A^-1, zero of those that are not free."""
        A, S = K.T @ K, K.T @ K
        parts = zip(self.residuals(x), weights, self._noise(x), strict=True)
        for k, ((_, J), w, noise) in enumerate(parts):
            log, j = divmod(k, self.design.robot.nv)
            where = self.columns(log, j)
            D = np.zeros((len(where), len(x)))
            D[np.arange(len(where)), where] = x[self.scales][j]
            D[:, self.scales.start + j] = x[where]
            A = A + w**2 * J.T @ J
            S = S + w**4 * D.T @ noise @ D
        found = np.zeros_like(A)
        both = np.ix_(free, free)
        norms = np.sqrt(np.diag(A[both]))
        inverse = np.linalg.inv(A[both] / norms / norms[:, None]) / norms / norms[:, None]
        found[both] = inverse @ S[both] @ inverse
        return found


def masked(count: int, *fixed: slice | Sequence[int]) -> NDArray[np.bool_]:
    """Return which of `count` parameters are free."""
    free = np.ones(count, dtype=bool)
    for each in fixed:
        free[each] = False
    return free
