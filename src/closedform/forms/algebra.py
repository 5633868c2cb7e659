"""Three-vectors, rotations and symmetric tensors as CasADi expressions that keep their zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..rotations import ROUNDING


def constant(values: ArrayLike | SX) -> SX:
    """Return a constant whose zeros are structural; symbols of constants pass as they are."""
    if isinstance(values, SX):
        return values
    return SX(ca.sparsify(ca.DM(np.asarray(values, dtype=float))))


def cross(a: SX, b: SX) -> SX:
    """Return a cross b, in one call of CasADi: entry by entry from Python it takes ten times as long."""
    return ca.cross(a, b)


def cross_columns(a: SX, b: SX) -> SX:
    """Return the matrix of columns a_k cross b."""
    return ca.horzcat(SX(3, 0), *(cross(column, b) for column in ca.horzsplit(a)))


def dot(a: SX, b: SX) -> SX:
    """Return the inner product."""
    return (a.T @ b)[0]


def skew(a: SX) -> SX:
    """Return a~ with structural zeros on the diagonal."""
    return ca.reshape(_GENERATORS @ a, 3, 3)


_GENERATORS = constant(np.cross(np.eye(3)[:, None], np.eye(3)).reshape(3, 9).T)
"""The matrices of the crosses with each axis, column by column: one product gives all entries of a~."""


def symmetric(xx: SX, xy: SX, xz: SX, yy: SX, yz: SX, zz: SX) -> SX:
    """Return a symmetric matrix from its six entries."""
    return ca.blockcat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def outer_symmetric(a: SX, b: SX) -> SX:
    """Return a b^T + b a^T with every entry formed once."""
    return symmetric(
        2 * a[0] * b[0],
        a[0] * b[1] + a[1] * b[0],
        a[0] * b[2] + a[2] * b[0],
        2 * a[1] * b[1],
        a[1] * b[2] + a[2] * b[1],
        2 * a[2] * b[2],
    )


def inertia_matrix(S: SX) -> SX:
    """Return tr(S) I - S: the inertia J of second moments S = int r r^T dm; S need not be symmetric."""
    diagonal = (S[1, 1] + S[2, 2], S[0, 0] + S[2, 2], S[0, 0] + S[1, 1])
    J = -S
    for k, entry in enumerate(diagonal):
        J[k, k] = entry
    return J


def second_moments(J: SX) -> SX:
    """Return S = tr(J)/2 I - J, the inverse of `inertia_matrix`."""
    xx, yy, zz = J[0, 0], J[1, 1], J[2, 2]
    return symmetric(
        0.5 * (yy + zz - xx), -J[0, 1], -J[0, 2], 0.5 * (xx + zz - yy), -J[1, 2], 0.5 * (xx + yy - zz)
    )


@dataclass(frozen=True)
class Turn:
    """A rotation about a coordinate axis, kept as its cosine and sine."""

    axis: int
    c: SX
    s: SX

    @property
    def matrix(self) -> SX:
        """The rotation matrix with structural zeros."""
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        R = SX(3, 3)
        R[self.axis, self.axis] = 1
        R[i, i], R[i, j], R[j, i], R[j, j] = self.c, -self.s, self.s, self.c
        return R

    def tensor(self, S: SX) -> SX:
        """Return R S R^T for symmetric S by the invariant trace of the turned plane."""
        k = self.axis
        i, j = (k + 1) % 3, (k + 2) % 3
        a, b = self.c * S[i, i] - self.s * S[i, j], self.c * S[i, j] - self.s * S[j, j]
        ii, ij = self.c * a - self.s * b, self.s * a + self.c * b
        ki, kj = self.c * S[k, i] - self.s * S[k, j], self.s * S[k, i] + self.c * S[k, j]
        T = SX(3, 3)
        T[k, k], T[i, i], T[j, j] = S[k, k], ii, S[i, i] + S[j, j] - ii
        T[i, j] = T[j, i] = ij
        T[k, i] = T[i, k] = ki
        T[k, j] = T[j, k] = kj
        return T

    def sandwich(self, Y: SX) -> SX:
        """Return R Y R^T for any Y by the invariants of the turned plane: its trace and its skew part."""
        k = self.axis
        i, j = (k + 1) % 3, (k + 2) % 3
        a, b = self.c * Y[i, i] - self.s * Y[j, i], self.c * Y[i, j] - self.s * Y[j, j]
        ii, ij = self.c * a - self.s * b, self.s * a + self.c * b
        T = SX(3, 3)
        T[k, k], T[i, i], T[j, j] = Y[k, k], ii, Y[i, i] + Y[j, j] - ii
        T[i, j], T[j, i] = ij, ij - (Y[i, j] - Y[j, i])
        T[k, i], T[k, j] = self.c * Y[k, i] - self.s * Y[k, j], self.s * Y[k, i] + self.c * Y[k, j]
        T[i, k], T[j, k] = self.c * Y[i, k] - self.s * Y[j, k], self.s * Y[i, k] + self.c * Y[j, k]
        return T


def matrix_of(factor: Turn | SX) -> SX:
    """Return a rotation as a matrix."""
    return factor.matrix if isinstance(factor, Turn) else factor


class Rotation:
    """A product of rotations applied one after the other, so that sparse factors stay cheap."""

    def __init__(self, factors: Sequence[Turn | SX]) -> None:
        self.factors = tuple(factors)
        self._matrices = [matrix_of(factor) for factor in self.factors]

    @property
    def matrix(self) -> SX:
        """The whole rotation as one matrix."""
        R = SX.eye(3)
        for factor in self._matrices:
            R = R @ factor
        return R

    def out(self, x: SX) -> SX:
        """Return R x (child to parent) for a vector or a 3 x k matrix."""
        for R in reversed(self._matrices):
            x = R @ x
        return x

    def back(self, x: SX) -> SX:
        """Return R^T x (parent to child)."""
        for R in self._matrices:
            x = R.T @ x
        return x

    def tensor(self, S: SX) -> SX:
        """Return R S R^T for symmetric S, every entry formed once."""
        for factor, R in zip(reversed(self.factors), reversed(self._matrices), strict=True):
            S = factor.tensor(S) if isinstance(factor, Turn) else _congruence(R, S)
        return S

    def sandwich(self, Y: SX) -> SX:
        """Return R Y R^T for any matrix Y."""
        for factor, R in zip(reversed(self.factors), reversed(self._matrices), strict=True):
            Y = factor.sandwich(Y) if isinstance(factor, Turn) else R @ Y @ R.T
        return Y


def _congruence(R: SX, S: SX) -> SX:
    T = R @ S
    upper = [dot(T[i, :].T, R[j, :].T) for i in range(3) for j in range(i, 3)]
    return symmetric(*upper)


def constant_turns(R: ArrayLike | SX) -> list[Turn | SX]:
    """Return a constant rotation as factors: none, a coordinate turn, or a matrix, as symbols are."""
    if isinstance(R, SX):
        return [R]
    R = np.asarray(R, dtype=float)
    if np.array_equal(R, np.eye(3)):
        return []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        plane = R[np.ix_([i, j], [i, j])]
        tilt = np.abs([R[i, k], R[j, k], R[k, i], R[k, j]]).max()  # R[k, k] is 1 for tilts up to 1e-8
        if R[k, k] > 0 and tilt <= ROUNDING and not np.array_equal(plane, np.rint(plane)):
            return [Turn(k, SX(R[i, i]), SX(R[j, i]))]
    return [constant(R)]


def rotation_of_quaternion(q: SX) -> SX:
    """Return the rotation of a quaternion (x, y, z, w) of any length whose square is a normal number.

    If the square underflows every entry is NaN or infinite, and if it overflows the diagonal
    is NaN, because it is a difference of squares times a reciprocal of their sum.
    """
    x, y, z, w = (q[k] for k in range(4))
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    along = ww + xx
    square = along + (yy + zz)
    s, half = 2 / square, 0.5 * square
    sx, sy, sz = s * x, s * y, s * z
    xy, xz, yz, wx, wy, wz = x * sy, x * sz, y * sz, w * sx, w * sy, w * sz
    rest = half - yy
    return ca.blockcat(
        [
            [s * (along - half), xy - wz, xz + wy],
            [xy + wz, s * (ww - rest), yz - wx],
            [xz - wy, yz + wx, s * (rest - xx)],
        ]
    )
