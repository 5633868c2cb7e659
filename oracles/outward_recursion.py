"""The iterative algorithm of Garofalo, Ott and Albu-Schaeffer in numbers, and its sums over all bodies.

Their recursion from the root to the leaves gives the Jacobian of every body with its derivatives by time and
state; M, C, g and what is derived of them are sums of products with the inertias, as printed but for the
corrections that docs/papers/garofalo.md lists. Twists have the angular part first. Rotors are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from closedform import Robot
from closedform.model.inertia import parts_from_phi


def tilde(a: np.ndarray) -> np.ndarray:
    """Return the matrices of a x, for vectors on the last axis."""
    return np.cross(np.eye(3), a[..., None, :])


def adj(V: np.ndarray) -> np.ndarray:
    """Return the Lie bracket matrices of twists on the last axis."""
    found = np.zeros((*V.shape[:-1], 6, 6))
    found[..., :3, :3] = found[..., 3:, 3:] = tilde(V[..., :3])
    found[..., 3:, :3] = tilde(V[..., 3:])
    return found


def adjoint_of_inverse(T: np.ndarray) -> np.ndarray:
    """Return the matrix that takes twists into the frame of pose T."""
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ tilde(p), R.T]])


def momentum_matrix(V: np.ndarray) -> np.ndarray:
    """Return A(V) of [Garofalo2013, Eqs. (10)-(12)] as printed: linear part first, parameters of (9)."""
    w, v = V[:3], V[3:]
    x, y, z = w
    bar = [[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]]
    linear = np.hstack([v[:, None], tilde(w), np.zeros((3, 6))])
    return np.vstack([linear, np.hstack([np.zeros((3, 1)), -tilde(v), bar])])


class Outward:
    """Jacobians of all bodies along a motion, with their derivatives: [k, :, j], and [k, :, j, h] by q_h."""

    def __init__(self, robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
        count, nv = len(robot.model.bodies), robot.nv
        self.qd, self.gamma = qd, np.concatenate([np.zeros(3), -robot.gravity])
        self.L = np.array([_inertia(body) for body in robot.model.bodies])
        self.Ad = np.zeros((count, 6, 6))
        self.J, self.Jd, self.Jdd = (np.zeros((count, 6, nv)) for _ in range(3))
        self.dJ, self.dJd = np.zeros((count, 6, nv, nv)), np.zeros((count, 6, nv, nv))
        for k, body in enumerate(robot.model.bodies):
            own = slice(body.iv, body.iv + body.joint.nv)
            Xi = np.zeros((6, nv))
            Xi[:, own] = body.ratio * body.joint.X
            self._step(k, body.parent, _adjoint_to_body(body, q), Xi, qd, qdd)
        self.adj = adj(self.J @ qd)
        self.adj_dot = adj(self.J @ qdd + self.Jd @ qd)
        self.Psi = self._skew(self.adj)

    def _step(self, k: int, p: int, Ad: np.ndarray, Xi: np.ndarray, qd: Any, qdd: Any) -> None:
        """Carry everything from a body to the next one [Garofalo2013, Eqs. (27)-(29), (31), (32)]."""
        self.J[k] = Xi
        self.Ad[k] = Ad if p < 0 else Ad @ self.Ad[p]
        if p < 0:
            return
        own, own_dot = adj(Xi @ qd), adj(Xi @ qdd)
        J, Jd = Ad @ self.J[p], Ad @ self.Jd[p]
        self.J[k] += J
        self.Jd[k] = Jd - own @ J
        self.Jdd[k] = Ad @ self.Jdd[p] - own @ Jd - own_dot @ J - own @ self.Jd[k]
        for h in range(len(qd)):
            along = adj(Xi[:, h])
            self.dJ[k, ..., h] = Ad @ self.dJ[p, ..., h] - along @ J
            self.dJd[k, ..., h] = Ad @ self.dJd[p, ..., h] - along @ Jd - own @ self.dJ[k, ..., h]

    def _skew(self, bracket: np.ndarray) -> np.ndarray:
        """Return L adj - adj^T L of every body."""
        product = self.L @ bracket
        return product - product.swapaxes(-1, -2)

    def mass_matrix(self) -> np.ndarray:
        """Return M [Garofalo2013, Eq. (6a)]."""
        return _sum(self.J, self.L @ self.J)

    def coriolis_matrix(self) -> np.ndarray:
        """Return C [Garofalo2013, Eq. (6b)]."""
        return _sum(self.J, self.Psi @ self.J + self.L @ self.Jd)

    def gravity_torque(self) -> np.ndarray:
        """Return g [Garofalo2013, Eq. (6c)]."""
        return _sum(self.J, (self.L @ self.Ad @ self.gamma)[..., None])[:, 0]

    def com_jacobian(self) -> np.ndarray:
        """Return the Jacobian of the centre of mass [Garofalo2013, Eq. (7)]."""
        return _sum(self.Ad[..., 3:], self.L @ self.J) / self.L[:, 5, 5].sum()

    def mass_matrix_dq(self) -> np.ndarray:
        """Return dM / dq [Garofalo2013, Eq. (24a)]."""
        half = np.einsum("kaih,kab,kbj->ijh", self.dJ, self.L, self.J)
        return half + half.transpose(1, 0, 2)

    def coriolis_matrix_dq(self) -> np.ndarray:
        """Return dC / dq [Garofalo2013, Eq. (24b)]."""
        turned = self._skew(adj(np.einsum("kajh,j->kha", self.dJ, self.qd)).swapaxes(0, 1)).swapaxes(0, 1)
        force = np.einsum("khab,kbj->kajh", turned, self.J)
        force += np.einsum("kab,kbjh->kajh", self.Psi, self.dJ) + np.einsum(
            "kab,kbjh->kajh", self.L, self.dJd
        )
        own = self.Psi @ self.J + self.L @ self.Jd
        return np.einsum("kaih,kaj->ijh", self.dJ, own) + np.einsum("kai,kajh->ijh", self.J, force)

    def coriolis_matrix_dqd(self) -> np.ndarray:
        """Return dC / dqd [Garofalo2013, Eqs. (24c), (30)]."""
        turned = self._skew(adj(self.J.swapaxes(-1, -2)).swapaxes(0, 1)).swapaxes(0, 1)
        force = np.einsum("khab,kbj->kajh", turned, self.J) + np.einsum("kab,kbjh->kajh", self.L, self.dJ)
        return np.einsum("kai,kajh->ijh", self.J, force)

    def gravity_torque_dq(self) -> np.ndarray:
        """Return dg / dq [Garofalo2013, Eq. (24d)]."""
        up = self.Ad @ self.gamma
        lever = np.einsum("kab,khbc,kc->kah", self.L, adj(self.J.swapaxes(-1, -2)), up)
        return np.einsum("kaih,kab,kb->ih", self.dJ, self.L, up) - np.einsum("kai,kah->ih", self.J, lever)

    def mass_matrix_dot(self) -> np.ndarray:
        """Return M' [Garofalo2013, Eq. (25a)]."""
        half = _sum(self.Jd, self.L @ self.J)
        return half + half.T

    def coriolis_matrix_dot(self) -> np.ndarray:
        """Return C' [Garofalo2013, Eq. (25b)], with J'' and the rate of adj that the print lost."""
        force = self.L @ self.Jdd + self._skew(self.adj_dot) @ self.J + self.Psi @ self.Jd
        return _sum(self.Jd, self.Psi @ self.J + self.L @ self.Jd) + _sum(self.J, force)

    def gravity_torque_dot(self) -> np.ndarray:
        """Return g' [Garofalo2013, Eq. (25c)]."""
        up = (self.Ad @ self.gamma)[..., None]
        return (_sum(self.Jd, self.L @ up) - _sum(self.J, self.L @ self.adj @ up))[:, 0]


def _sum(J: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Return the sum over the bodies of J^T times something."""
    return np.einsum("kai,kaj->ij", J, force)


def _inertia(body: Any) -> np.ndarray:
    m, ms, inertia = parts_from_phi(body.phi)
    return np.block([[inertia, tilde(ms)], [-tilde(ms), m * np.eye(3)]])


def _adjoint_to_body(body: Any, q: np.ndarray) -> np.ndarray:
    own = q[body.iq : body.iq + body.joint.nq]
    if body.coupling is not None:
        own = body.ratio * own + body.coupling.offset
    return adjoint_of_inverse(body.placement @ body.joint.motion(own))
