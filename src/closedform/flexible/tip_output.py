"""The tip of an arm as an output to be followed: its angle for one link, its position for two."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..arrays import Array
from ..checks import known_name
from ..errors import ArgumentError
from .structure import ArmStructure

ELBOWS = {"positive": 1.0, "negative": -1.0}
"""The sign of the second joint's angle."""

NEAR = 1e-3
"""How near the cosine of the elbow may come to one: there the tip is at the edge of its reach."""


class TipOutput(Protocol):
    """What the tip does with the coordinates: y = f(q), its rate J qd and the rest of y''."""

    def angles(self, y: Array, delta: Array) -> Array:
        """Return the joint angles that put the tip of the bent arm at y."""

    def rates(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return J (..., n, N) and Jdot qd (..., n)."""

    def require(self, t: Array, y: Array) -> None:
        """Refuse a path that the tip cannot follow."""


class TipAngle:
    """The angle theta + y_e / l at which the hub of a single link sees its tip."""

    def __init__(self, arm: ArmStructure) -> None:
        self.row = np.concatenate([[1.0], arm.modes[0].stacked("tip") / arm.links[0].length])

    def angles(self, y: Array, delta: Array) -> Array:
        """Return theta."""
        return np.asarray(y - delta @ self.row[1:, None])

    def rates(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return a constant row, and nothing else."""
        return np.broadcast_to(self.row, (*q.shape[:-1], 1, len(self.row))), np.zeros((*q.shape[:-1], 1))

    def require(self, t: Array, y: Array) -> None:
        """Refuse nothing: a hub turns all round."""


class TipPosition:
    """The position (x, y) of the tip of two links, with the elbow's angle of one `sign`.

    As a complex number it is exp(i theta1) (a + exp(i theta2) b), where a and b depend on the
    deflections alone: a two-link arm of other lengths, whose angles have a closed form.
    """

    def __init__(self, arm: ArmStructure, sign: float) -> None:
        self.arm, self.sign = arm, sign

    def angles(self, y: Array, delta: Array) -> Array:
        """Return theta1 and theta2; at the edge of the reach the nearest."""
        a, b = self._links(delta)
        place = y[..., 0] + 1j * y[..., 1]
        cosine = (np.abs(place) ** 2 - np.abs(a) ** 2 - np.abs(b) ** 2) / (2 * np.abs(a) * np.abs(b))
        turn = self.sign * np.arccos(np.clip(cosine, -1 + 1e-9, 1 - 1e-9))
        second = turn + np.angle(a / b)
        first = np.angle(place / (a + np.exp(1j * second) * b))
        return np.stack([first, second], axis=-1)

    def _links(self, delta: Array) -> tuple[Array, Array]:
        """Return a and b, from the tip of the stretched arm and of the folded one."""
        stretched, folded = (self._tip(elbow, delta) for elbow in (0.0, np.pi))
        return (stretched + folded) / 2, (stretched - folded) / 2

    def _tip(self, elbow: float, delta: Array) -> Any:
        """Return the tip as a complex number, with the first joint at zero."""
        angles = np.broadcast_to([0.0, elbow], (*delta.shape[:-1], 2))
        tip = np.asarray(self.arm.tip_position(np.concatenate([angles, delta], axis=-1)))
        return tip[..., 0] + 1j * tip[..., 1]

    def rates(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the Jacobian of the tip, and its rate times qd."""
        bias = np.asarray(self.arm.tip_jacobian_dot(q, qd)) @ qd[..., None]
        return np.asarray(self.arm.tip_jacobian(q)), bias[..., 0]

    def require(self, t: Array, y: Array) -> None:
        """Refuse a path at the edge of the reach, where no joint rate moves the tip along its radius."""
        one, two = (link.length for link in self.arm.links)
        cosine = ((y**2).sum(-1) - one**2 - two**2) / (2 * one * two)
        edge = np.abs(cosine) > 1 - NEAR
        if edge.any():
            k = int(edge.argmax())
            raise ArgumentError(
                f"{self.arm.name}: the path is {np.linalg.norm(y[k]):.4g} m from the base at t = {t[k]:.4g} "
                f"s; expected less than {one + two:.4g} m, more than {abs(one - two):.4g} m, and no edge"
            )


def tip_output(arm: ArmStructure, elbow: str) -> TipOutput:
    """Return the output of an arm of one link or two."""
    if arm.joints > 2:
        raise ArgumentError(
            f"{arm.name}: {arm.joints} links; the tip is inverted for one link (its angle) or two (its "
            "position): use joint_inverse_dynamics"
        )
    sign = ELBOWS[known_name("elbow", elbow, tuple(ELBOWS))]
    return TipPosition(arm, sign) if arm.joints == 2 else TipAngle(arm)


def unbent(
    arm: ArmStructure, output: TipOutput, y: Array, yd: Array, ydd: Array
) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd (k, N) of an arm that follows y, y', y'' (k, n) without bending."""
    n = arm.joints
    straight = np.zeros((len(y), arm.size - n))
    q = np.concatenate([output.angles(y, straight), straight], axis=-1)
    qd, qdd = np.zeros_like(q), np.zeros_like(q)
    J = output.rates(q, qd)[0][..., :n]
    qd[:, :n] = np.linalg.solve(J, yd[..., None])[..., 0]
    qdd[:, :n] = np.linalg.solve(J, (ydd - output.rates(q, qd)[1])[..., None])[..., 0]
    return q, qd, qdd
