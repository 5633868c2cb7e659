"""Mechanisms solved by hand: planar bars by Lagrange's equations, a platform by virtual work.

They share nothing with the library but lengths and masses. Bars close as two circles meet; their energies
are differentiated by central differences in 60-digit numbers. The platform's legs are slender, so that their
spin does not count, and the drive forces follow from the virtual work of all bodies (Tsai, Robot Analysis,
1999, chapter 10).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mpmath import MPContext

mp = MPContext()
mp.dps = 60
STEP = mp.mpf(10) ** -15

Number = object
Rod = tuple[float, float, float, float]
"""Mass, centre along and across the rod, and moment of inertia about the centre."""


def meeting(a: complex, b: complex, reach_a: float, reach_b: float, side: int) -> complex:
    """Return the point at given distances from a and b, to the left (1) or right (-1) of the way to b."""
    d = b - a
    span = abs(d)
    along = (span**2 + mp.mpf(reach_a) ** 2 - mp.mpf(reach_b) ** 2) / (2 * span)
    across = mp.sqrt(mp.mpf(reach_a) ** 2 - along**2)
    return a + d / span * mp.mpc(along, side * across)


def rods_of_four_bar(lengths: Sequence[float], side: int) -> Callable[[Sequence[Number]], list[complex]]:
    """Return a function of q that gives (start, direction) of crank, coupler and rocker."""
    crank, coupler, rocker, ground = (mp.mpf(each) for each in lengths)

    def found(q: Sequence[Number]) -> list[tuple[complex, complex]]:
        a = crank * mp.expjpi(q[0] / mp.pi)
        c = meeting(a, mp.mpc(ground), coupler, rocker, side)
        return [(mp.mpc(0), a / crank), (a, (c - a) / coupler), (mp.mpc(ground), (c - ground) / rocker)]

    return found


def rods_of_five_bar(
    crank: float, coupler: float, ground: float, side: int
) -> Callable[[Sequence[Number]], list[complex]]:
    """Return a function of q that gives (start, direction) of both cranks and couplers, as in the tree."""
    l1, l2, g = mp.mpf(crank), mp.mpf(coupler), mp.mpf(ground)

    def found(q: Sequence[Number]) -> list[tuple[complex, complex]]:
        a, b = l1 * mp.expjpi(q[0] / mp.pi), g + l1 * mp.expjpi(q[1] / mp.pi)
        c = meeting(a, b, l2, l2, side)
        return [(mp.mpc(0), a / l1), (a, (c - a) / l2), (g, (b - g) / l1), (b, (c - b) / l2)]

    return found


class PlanarBars:
    """Rods that a function of q places, in a field of gravity along -y; everything by differences."""

    def __init__(
        self, rods: Callable[[Sequence[Number]], list], bodies: Sequence[Rod], gravity: float
    ) -> None:
        self.rods, self.bodies, self.gravity = rods, bodies, mp.mpf(gravity)

    def _centres(self, q: Sequence[Number]) -> list[complex]:
        return [
            start + way * mp.mpc(along, across)
            for (start, way), (_, along, across, _) in zip(self.rods(q), self.bodies, strict=True)
        ]

    def potential(self, q: Sequence[Number]) -> Number:
        """Return the potential energy."""
        return self.gravity * sum(
            mp.mpf(m) * c.imag for c, (m, *_) in zip(self._centres(q), self.bodies, strict=True)
        )

    def mass_matrix(self, q: Sequence[Number]) -> np.ndarray:
        """Return M from velocities of centres and turns: way' = i angle' way."""
        n = len(q)
        columns = []
        for k in range(n):
            up, down = ([x + s * STEP * (i == k) for i, x in enumerate(q)] for s in (1, -1))
            moves = [
                (b - a) / (2 * STEP) for a, b in zip(self._centres(down), self._centres(up), strict=True)
            ]
            turns = [
                ((b - a) / (2 * STEP) / way).imag
                for (_, a), (_, b), (_, way) in zip(self.rods(down), self.rods(up), self.rods(q), strict=True)
            ]
            columns.append((moves, turns))
        M = np.empty((n, n), dtype=object)
        for i, (v, w) in enumerate(columns):
            for j, (u, z) in enumerate(columns):
                M[i, j] = sum(
                    mp.mpf(m) * (a * mp.conj(b)).real + mp.mpf(inertia) * x * y
                    for (m, _, _, inertia), a, b, x, y in zip(self.bodies, v, u, w, z, strict=True)
                )
        return M

    def inverse_dynamics(self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]) -> np.ndarray:
        """Return M qdd + M' qd - d(qd M qd)/dq / 2 + dU/dq, Lagrange's equations."""
        at, v, a = ([mp.mpf(float(x)) for x in each] for each in (q, qd, qdd))
        h = mp.mpf(10) ** -10
        n = len(at)

        def moved(k: int, s: int) -> list[Number]:
            return [x + s * h * (i == k) for i, x in enumerate(at)]

        M = self.mass_matrix(at)
        dM = [(self.mass_matrix(moved(k, 1)) - self.mass_matrix(moved(k, -1))) / (2 * h) for k in range(n)]
        tau = []
        for i in range(n):
            rate = sum(dM[k][i, j] * v[k] * v[j] for k in range(n) for j in range(n))
            slope = sum(dM[i][j, k] * v[j] * v[k] for j in range(n) for k in range(n)) / 2
            lift = (self.potential(moved(i, 1)) - self.potential(moved(i, -1))) / (2 * h)
            tau.append(sum(M[i, j] * a[j] for j in range(n)) + rate - slope + lift)
        return np.array([float(each) for each in tau])


def platform_forces(
    base: np.ndarray,
    top: np.ndarray,
    pose: tuple[np.ndarray, np.ndarray],
    twist: tuple[np.ndarray, np.ndarray],
    acceleration: tuple[np.ndarray, np.ndarray],
    bodies: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, np.ndarray]],
    gravity: np.ndarray,
) -> np.ndarray:
    """Return the forces of six drives under a platform, by the virtual work of all bodies.

    Pose (R, p), twist and acceleration (angular, linear) are in the base's axes. A leg along s of length l
    has s' = (v - l' s) / l and s'' = (a - l'' s - 2 l' s') / l with the velocity v and acceleration a of its
    top, and a slender body on it the angular momentum I s x s'.
    """
    (R, p), (w, v), (dw, a) = pose, twist, acceleration
    (m1, c1, i1), (m2, c2, i2), (m, inertia) = bodies
    world = R @ inertia @ R.T
    force, moment = m * (a - gravity), world @ dw + np.cross(w, world @ w)
    total = np.concatenate([moment, force])
    drives = []
    for start, own in zip(base, top, strict=True):
        r = R @ own
        to = np.hstack([-_skew(r), np.eye(3)])  # velocity of the leg's top per (w, v)
        vi, ai = v + np.cross(w, r), a + np.cross(dw, r) + np.cross(w, np.cross(w, r))
        way = p + r - start
        length = np.linalg.norm(way)
        s = way / length
        ld = s @ vi
        sd = (vi - ld * s) / length
        ldd = s @ ai + length * (sd @ sd)
        sdd = (ai - ldd * s - 2 * ld * sd) / length
        turn = _skew(s) @ to / length  # angular velocity s x s' per (w, v)
        across = (np.eye(3) - np.outer(s, s)) @ to / length  # s' per (w, v)
        spin = (i1 + i2) * np.cross(s, sdd)
        total += turn.T @ spin
        total += (c1 * across).T @ (m1 * (c1 * sdd - gravity))
        reach = length + c2
        piston = np.outer(s, s) @ to + reach * across
        total += piston.T @ (m2 * (ldd * s + 2 * ld * sd + reach * sdd - gravity))
        drives.append(s @ to)
    return np.linalg.solve(np.array(drives).T, total)


def _skew(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def delta_torques(
    sizes: dict[str, float],
    masses: dict[str, float],
    p: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray,
) -> np.ndarray:
    """Return the torques of a Delta robot's arms while its platform is at p, by virtual work (Clavel 1988).

    The forces that a uniform slender rod needs are (m / 6) (2 a1 + a2) at one end and (m / 6) (a1 + 2 a2) at
    the other. An arm is such a rod with one end at rest; its angle follows from the length of its rod.
    """
    arm, rod = sizes["arm"], sizes["rod"]
    slopes, forces = [], []
    lift = -gravity
    total = masses["platform"] * (a + lift)
    for k in range(3):
        angle = 2 * np.pi * k / 3
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        down = np.array([0.0, 0.0, -1.0])
        way = p + (sizes["platform"] - sizes["base"]) * out  # from the shoulder to the platform's corner
        # |way - arm e|^2 = rod^2 with e = out cos(q) + down sin(q)
        level = (way @ way + arm**2 - rod**2) / (2 * arm)
        x, y = way @ out, way @ down
        q = np.arctan2(y, x) - np.arccos(level / np.hypot(x, y))  # the elbow outside
        e, f = np.cos(q) * out + np.sin(q) * down, np.cos(q) * down - np.sin(q) * out
        s = way - arm * e
        # s . (v - arm f q') = 0, and its time derivative
        slope = s / (arm * (s @ f))
        qd = slope @ v
        sd = v - arm * f * qd
        qdd = (s @ a + sd @ sd + arm * (s @ e) * qd**2) / (arm * (s @ f))
        elbow = arm * (f * qdd - e * qd**2)
        m = masses["rod"]
        total = total + m / 6 * (elbow + 2 * a) + m / 2 * lift
        own = m / 6 * (2 * elbow + a) + m / 2 * lift + masses["arm"] / 3 * elbow + masses["arm"] / 2 * lift
        forces.append(arm * (f @ own))
        slopes.append(slope)
    return np.array(forces) + np.linalg.solve(np.array(slopes).T, total)
