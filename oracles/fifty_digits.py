"""A 50-digit reference of robots with one-dof joints: textbook Newton-Euler in the world frame.

It shares nothing with the library but the model's data. Poses are products of exponentials; every
vector, wrench and screw is in world axes, moments about the world origin. M comes from unit
accelerations, g from rest, C from the Christoffel symbols (those of the papers from momenta in space), and
every derivative from central differences: with 160 digits and steps of 1e-26, truncation leaves 1e-52 and
round-off at most 1e-160 / 1e-104 (the fourth difference).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from mpmath import MPContext

mp = MPContext()
mp.dps = 160

Number = Any
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]

ZERO: Vector = (mp.zero, mp.zero, mp.zero)
IDENTITY: Matrix = ((mp.one, mp.zero, mp.zero), (mp.zero, mp.one, mp.zero), (mp.zero, mp.zero, mp.one))

STEP = mp.mpf(10) ** -26
STENCILS = {
    0: {0: 1},
    1: {-1: mp.mpf(-1) / 2, 1: mp.mpf(1) / 2},
    2: {-1: 1, 0: -2, 1: 1},
    3: {-2: mp.mpf(-1) / 2, -1: 1, 1: -1, 2: mp.mpf(1) / 2},
    4: {-2: 1, -1: -4, 0: 6, 1: -4, 2: 1},
}
"""Weights of the central differences of each order, by multiples of the step; all of second order."""


def exact(array: np.ndarray) -> Any:
    """Return an array of doubles as nested tuples of the same numbers."""
    return mp.mpf(float(array)) if np.ndim(array) == 0 else tuple(exact(row) for row in array)


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def scale(s: Number, a: Vector) -> Vector:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


def dot(a: Vector, b: Vector) -> Number:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def apply(A: Matrix, x: Vector) -> Vector:
    """Return A x."""
    return dot(A[0], x), dot(A[1], x), dot(A[2], x)


def transpose(A: Matrix) -> Matrix:
    """Return the transpose of A."""
    return tuple(zip(*A, strict=True))


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    return transpose(tuple(apply(A, column) for column in transpose(B)))


def nearest_rotation(R: Matrix) -> Matrix:
    """Return the rotation nearest to one known in double precision, R <- R (3 - R^T R) / 2."""
    for _ in range(4):
        square = multiply(transpose(R), R)
        half = tuple(tuple(((3 if r == c else 0) - square[r][c]) / 2 for c in range(3)) for r in range(3))
        R = multiply(R, half)
    return R


def exponential(w: Vector, v: Vector, q: Number) -> tuple[Matrix, Vector]:
    """Return the rotation and the translation of exp((w; v) q)."""
    length = mp.sqrt(dot(w, w))
    if length == 0:
        return IDENTITY, scale(q, v)
    c, s = mp.cos_sin(length * q)
    a, b, d = s / length, (1 - c) / length**2, (q - s / length) / length**2

    def turned(x: Vector, *factors: Number) -> Vector:
        wx = cross(w, x)
        return add(add(scale(factors[0], x), scale(factors[1], wx)), scale(factors[2], cross(w, wx)))

    return transpose(tuple(turned(e, 1, a, b) for e in IDENTITY)), turned(v, q, b, d)


@dataclass(frozen=True)
class Placed:
    """A body at a configuration: its joint screw, centre of mass and inertia about it, in the world."""

    w: Vector
    v: Vector
    c: Vector
    inertia: Matrix


class Reference:
    """Equations of motion of a model with one-dof joints and no couplings, in 160-digit numbers."""

    def __init__(self, model: Any) -> None:
        self.gravity = exact(model.gravity)
        self.parents = [body.parent for body in model.bodies]
        self.armature = [exact(body.armature) for body in model.bodies]
        self.constants = [_constants(body) for body in model.bodies]
        self.size = len(model.bodies)

    def placed(self, q: Sequence[Number]) -> list[Placed]:
        """Return every body at a configuration."""
        poses: list[tuple[Matrix, Vector]] = []
        bodies = []
        for parent, constants, angle in zip(self.parents, self.constants, q, strict=True):
            placement, shift, w, v, _, c, inertia = constants
            R, p = poses[parent] if parent >= 0 else (IDENTITY, ZERO)
            for turned, moved in ((placement, shift), exponential(w, v, angle)):
                R, p = multiply(R, turned), add(p, apply(R, moved))
            poses.append((R, p))
            axis = apply(R, w)
            bodies.append(
                Placed(
                    axis,
                    add(apply(R, v), cross(p, axis)),
                    add(p, apply(R, c)),
                    multiply(multiply(R, inertia), transpose(R)),
                )
            )
        return bodies

    def torque(
        self,
        bodies: list[Placed],
        qd: Sequence[Number],
        qdd: Sequence[Number],
        gravity: Vector,
    ) -> list[Number]:
        """Return the joint forces: f = m (a_c - g), n = I w' + w x I w, summed from the leaves."""
        twists: list[tuple[Vector, Vector, Vector, Vector]] = []
        wrenches: list[tuple[Vector, Vector]] = []
        for i, body in enumerate(bodies):
            parent, m = self.parents[i], self.constants[i][4]
            w, v, dw, dv = twists[parent] if parent >= 0 else (ZERO, ZERO, ZERO, ZERO)
            # The screw is carried by the parent: (w; v)' = (w_p x w; w_p x v + v_p x w).
            dw = add(add(dw, scale(qdd[i], body.w)), scale(qd[i], cross(w, body.w)))
            turned = add(cross(w, body.v), cross(v, body.w))
            dv = add(add(dv, scale(qdd[i], body.v)), scale(qd[i], turned))
            w, v = add(w, scale(qd[i], body.w)), add(v, scale(qd[i], body.v))
            twists.append((w, v, dw, dv))
            a = add(add(dv, cross(dw, body.c)), cross(w, add(v, cross(w, body.c))))
            f = scale(m, add(a, scale(-1, gravity)))
            n = add(apply(body.inertia, dw), cross(w, apply(body.inertia, w)))
            wrenches.append((add(n, cross(body.c, f)), f))
        tau = [mp.zero] * self.size
        for i in reversed(range(self.size)):
            n, f = wrenches[i]
            tau[i] = dot(bodies[i].w, n) + dot(bodies[i].v, f) + self.armature[i] * qdd[i]
            if self.parents[i] >= 0:
                carried = wrenches[self.parents[i]]
                wrenches[self.parents[i]] = add(carried[0], n), add(carried[1], f)
        return tau

    def inverse_dynamics(
        self, q: Sequence[Number], qd: Sequence[Number], qdd: Sequence[Number]
    ) -> np.ndarray:
        """Return tau of a motion."""
        return np.array(self.torque(self.placed(q), qd, qdd, self.gravity))

    def gravity_torque(self, q: Sequence[Number]) -> np.ndarray:
        """Return g: the joint forces at rest."""
        rest = [mp.zero] * self.size
        return self.inverse_dynamics(q, rest, rest)

    def mass_matrix(self, q: Sequence[Number]) -> np.ndarray:
        """Return M: the joint forces of unit accelerations, without gravity."""
        bodies, rest = self.placed(q), [mp.zero] * self.size
        units = [[mp.mpf(i == j) for i in range(self.size)] for j in range(self.size)]
        return np.array([self.torque(bodies, rest, unit, ZERO) for unit in units]).T

    def coriolis_matrix(self, q: Sequence[Number], qd: Sequence[Number]) -> np.ndarray:
        """Return C of the Christoffel symbols, C_ij = sum_k (M_ij,k + M_ik,j - M_jk,i) qd_k / 2."""

        def along(k: int) -> np.ndarray:
            return difference(lambda s: self.mass_matrix([x + s * (i == k) for i, x in enumerate(q)]), 1)

        dM = np.stack([along(k) for k in range(self.size)], axis=-1)
        symbols = (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 1, 0)) / 2
        return symbols @ np.array(qd)

    def momentum_coriolis_matrix(
        self, q: Sequence[Number], qd: Sequence[Number], skew: bool = False
    ) -> np.ndarray:
        """Return C_ij = sum over bodies k of X_i . h_kj'.

        h_kj is the momentum of body k for a unit velocity of joint j. That is J^T (M J' - b^T M J) in the
        world frame: the rate of a momentum in space needs no b.
        With `skew` each body adds X_i . M_k (V_k x X_j), which Mdot - 2 C = -(Mdot - 2 C)^T asks for.
        """

        def momenta(s: Number) -> np.ndarray:
            return self._momenta(self.placed([x + s * v for x, v in zip(q, qd, strict=True)]))

        bodies = self.placed(q)
        rates = difference(momenta, 1)
        C = np.full((self.size, self.size), mp.zero)
        for k in range(self.size):
            chain = self._chain(k)
            V = _sum([(scale(qd[j], bodies[j].w), scale(qd[j], bodies[j].v)) for j in chain])
            for j in chain:
                n, f = rates[k, j, :3], rates[k, j, 3:]
                if skew:
                    turned = self._momentum(bodies[k], k, _bracket(V, (bodies[j].w, bodies[j].v)))
                    n, f = add(n, turned[0]), add(f, turned[1])
                for i in chain:
                    C[i, j] += dot(bodies[i].w, n) + dot(bodies[i].v, f)
        return C

    def _chain(self, k: int) -> list[int]:
        """Return a body and those that carry it."""
        return [k, *self._chain(self.parents[k])] if k >= 0 else []

    def _momentum(self, body: Placed, k: int, twist: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """Return the momentum (moment about the world origin, force) of body k that moves with a twist."""
        w, v = twist
        f = scale(self.constants[k][4], add(v, cross(w, body.c)))
        return add(apply(body.inertia, w), cross(body.c, f)), f

    def _momenta(self, bodies: list[Placed]) -> np.ndarray:
        """Return the momentum of body k for a unit velocity of joint j that carries it, by k and j."""
        found = np.full((self.size, self.size, 6), mp.zero)
        for k, body in enumerate(bodies):
            for j in self._chain(k):
                n, f = self._momentum(body, k, (bodies[j].w, bodies[j].v))
                found[k, j] = [*n, *f]
        return found


def _sum(twists: list[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    w, v = ZERO, ZERO
    for each in twists:
        w, v = add(w, each[0]), add(v, each[1])
    return w, v


def _bracket(a: tuple[Vector, Vector], b: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """Return a x b of two twists: (w_a x w_b; w_a x v_b + v_a x w_b)."""
    return cross(a[0], b[0]), add(cross(a[0], b[1]), cross(a[1], b[0]))


def difference(function: Callable[[Number], np.ndarray], order: int) -> np.ndarray:
    """Return a derivative at zero by central differences."""
    return sum(weight * function(k * STEP) for k, weight in STENCILS[order].items()) / STEP**order


def motion(derivatives: Sequence[np.ndarray]) -> Callable[[Number, int], list[Number]]:
    """Return q(t) and its derivatives (t, order) of the polynomial with these derivatives at zero."""
    given = [exact(each) for each in derivatives]

    def at(t: Number, order: int = 0) -> list[Number]:
        powers = [t**k / factorial(k) for k in range(len(given) - order)]
        return [
            sum(p * c for p, c in zip(powers, row, strict=True)) for row in zip(*given[order:], strict=True)
        ]

    return at


def _constants(body: Any) -> tuple[Any, ...]:
    """Return R, p of the placement, w, v of the joint screw, and m, c and the inertia about c."""
    if body.joint.nv != 1 or body.coupling is not None:
        raise ValueError(f"{body.name}: the reference knows one-dof joints without couplings")
    R, p = nearest_rotation(exact(body.placement[:3, :3])), exact(body.placement[:3, 3])
    X = exact(body.joint.X[:, 0])
    xx, xy, xz, yy, yz, zz, mx, my, mz, m = exact(body.phi)
    c = scale(1 / m, (mx, my, mz)) if m else ZERO
    J = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    steiner = m * dot(c, c)
    inertia = tuple(
        tuple(J[r][k] - (steiner if r == k else 0) + m * c[r] * c[k] for k in range(3)) for r in range(3)
    )
    return R, p, X[:3], X[3:], m, c, inertia
