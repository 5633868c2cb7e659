"""Columns of payloads beside those of the robot that carries them.

tau = Y_b beta + drives theta + Y_body phi_payload in the logs with the payload, and without the last term in
the others: beta is common to all logs, so that they determine the payload together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...checks import known_name
from ...errors import ArgumentError
from ...loops import ClosedRobot
from ...model.inertia import NAMES
from ...robot import Robot
from ..base.numeric import null_space, reduction
from ..logs.signals import Filters, Signals
from .design import filtered_rows
from .least_squares import Fit
from .moments import Moments
from .payload_states import PayloadState
from .rows import Columns, Rows
from .triangle import Triangle, updated

MASS = NAMES.index("M")

SCALE = 10.0
"""Size of a payload's parameters before a log is seen: kg, kg m and kg m^2."""


class PayloadParameters:
    """The parameters of a payload that torques can tell apart, as columns of the body that carries it.

    Y_body phi = Y_body[:, kept] (matrix phi) + Y_body[:, M] mass if the mass is known.
    """

    def __init__(self, robot: Robot | ClosedRobot, state: PayloadState) -> None:
        names = robot.body_names
        self.robot, self.state = robot, state
        self.body = names[-1] if state.body is None else known_name("body with a payload", state.body, names)
        self.first = 10 * names.index(self.body)
        free = [k for k in range(10) if k != MASS or state.mass is None]
        Y = robot.regressor(*robot.random_state(3, batch=64))[..., self.first : self.first + 10]
        W = Y.reshape(-1, 10)[:, free]
        stay, matrix = reduction(null_space(W), free) if W.any() else ([], np.zeros((0, len(free))))
        self.kept = [free[k] for k in stay]
        self.matrix = np.zeros((len(stay), 10))
        self.matrix[:, free] = matrix
        if not self.kept:
            raise ArgumentError(
                f"payloads: no torque shows what {self.body!r} carries; name a body that the joints move"
            )

    @property
    def width(self) -> int:
        """How many parameters there are."""
        return len(self.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters: cube.MX if it stays alone, cube.ZZR if it is regrouped with others."""
        alone = (self.matrix != 0).sum(axis=1) == 1
        pairs = zip(self.kept, alone, strict=True)
        return tuple(f"{self.state.name}.{NAMES[k]}{'' if own else 'R'}" for k, own in pairs)

    def rows(self, signals: Signals, filters: Filters) -> tuple[list[Array], Array]:
        """Return the columns of each joint after the filters, and the torque of the known mass."""
        wanted = [self.first + k for k in (*self.kept, MASS)]
        found = filtered_rows(self.robot.regressor, signals, [wanted] * self.robot.nv, filters)
        known = np.stack([own[:, -1] for own in found], axis=1) * (self.state.mass or 0.0)
        return [own[:, :-1] for own in found], known


class LoadedColumns(Columns):
    """The columns of a robot, followed by those of its payloads, which are zero in logs without them."""

    def __init__(
        self, robot: Columns, payloads: Sequence[PayloadParameters], carried: str | None = None
    ) -> None:
        self.robot, self.payloads, self.carried = robot, tuple(payloads), carried
        extra = sum(each.width for each in self.payloads)
        self.width = robot.width + extra
        self.active = tuple(np.concatenate([own, np.arange(robot.width, self.width)]) for own in robot.active)

    def carrying(self, payload: str | None) -> Columns:
        """Return the columns of logs with a payload."""
        return LoadedColumns(self.robot, self.payloads, payload)

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion."""
        rows = self.robot.rows(signals, filters)
        W, given = list(rows.W), rows.given
        for each in self.payloads:
            if each.state.name == self.carried:
                columns, known = each.rows(signals, filters)
                given = given + known
            else:
                columns = [np.zeros((len(given), each.width))] * len(W)
            W = [np.concatenate([own, more], axis=1) for own, more in zip(W, columns, strict=True)]
        return replace(rows, W=tuple(W), given=given)


def without_payloads(moments: Moments, robot: Columns) -> Moments:
    """Return the moments without lags of what the columns of payloads cannot explain.

    Each fold and joint is rid of its own best payload: enough to compare models of the robot by.
    """
    if moments.width == robot.width:
        return moments
    found = Moments(robot.active, robot.width, 0)
    found.power = dict(moments.power)
    for (fold, j), triangle in moments.folds.items():
        own = Triangle(len(robot.active[j]) + 1)
        own.R = _last(triangle.R, len(robot.active[j]))
        own.rows, own.weight = triangle.rows, triangle.weight
        found.folds[fold, j] = own
    return found


def robot_fit(fit: Fit, width: int) -> Fit:
    """Return the part of a fit about the first `width` parameters: its factor has the others eliminated."""
    if width == len(fit.values):
        return fit
    prior = None if fit.prior is None else (fit.prior[0][:width], fit.prior[1][:width])
    return replace(fit, values=fit.values[:width], R=_last(fit.R, width), prior=prior)


def with_payloads(fit: Fit, robot: Array) -> Array:
    """Return values of the robot's parameters, followed by those of payloads that fit best with them."""
    width, R = len(robot), fit.R
    if width == len(fit.values):
        return robot
    rest = np.linalg.lstsq(R[:, width:-1], R[:, -1] - R[:, :width] @ robot, rcond=None)[0]
    return np.concatenate([robot, rest])


def payload_beliefs(robot: tuple[Array, Array], width: int) -> tuple[Array, Array]:
    """Return weak beliefs about the robot's parameters followed by those of payloads: near zero."""
    values, scales = robot
    extra = width - len(values)
    return np.append(values, np.zeros(extra)), np.append(scales, np.full(extra, SCALE))


def _last(R: Array, width: int) -> Array:
    """Return the factor of the first `width` columns and the right side, the others eliminated before."""
    extra = R.shape[1] - 1 - width
    order = [*range(width, width + extra), *range(width), width + extra]
    whole = updated(np.zeros_like(R, order="F"), R[:, order])
    return np.asfortranarray(whole[extra:, extra:])
