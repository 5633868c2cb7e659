"""The appendix of [GautierKhalil1990] as printed: derivatives of the energies from link to link."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.description.mdh_row import khalil_rotation, mdh_pose
from closedform.identification.base.transfer import transfer_matrix
from oracles.serial_robots import energy_rows, serial_robot
from tolerances import ROUNDING

SIZE = 10


def trigonometry(alpha: float, theta: float) -> tuple[float, ...]:
    return np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)


def DJ(alpha: float, theta: float) -> np.ndarray:
    """Eq. (A3)."""
    C, S, c, s = trigonometry(alpha, theta)
    two = c * c - s * s
    return np.array(
        [
            [c * c, c * s * C, c * s * S, s * s * C * C, s * s * C * S, s * s * S * S],
            [-2 * c * s, two * C, two * S, 2 * c * s * C * C, 2 * c * s * C * S, 2 * c * s * S * S],
            [0, -c * S, c * C, -2 * s * C * S, s * (C * C - S * S), 2 * s * C * S],
            [s * s, -c * s * C, -c * s * S, c * c * C * C, c * c * C * S, c * c * S * S],
            [0, s * S, -s * C, -2 * c * C * S, c * (C * C - S * S), 2 * c * C * S],
            [0, 0, 0, S * S, -C * S, C * C],
        ]
    )


def DS(alpha: float, d: float, theta: float, r: float) -> np.ndarray:
    """Eq. (A4)."""
    C, S, c, s = trigonometry(alpha, theta)
    return np.array(
        [
            [0, 0, 2 * r],
            [-d * s * C + r * c * S, -d * c * C - r * s * S, d * S],
            [-d * s * S - r * c * C, -d * c * S + r * s * C, -d * C],
            [2 * (d * c + r * s * C * S), 2 * (-d * s + r * c * C * S), 2 * r * C * C],
            [r * s * (S * S - C * C), r * c * (S * S - C * C), 2 * r * C * S],
            [2 * (d * c - r * s * C * S), 2 * (-d * s - r * c * C * S), 2 * r * S * S],
        ]
    ).T


def Dm(alpha: float, d: float, r: float) -> np.ndarray:
    """Eq. (A5)."""
    C, S = np.cos(alpha), np.sin(alpha)
    return np.array([r**2, d * r * S, -d * r * C, d**2 + (r * C) ** 2, r**2 * C * S, d**2 + (r * S) ** 2])


def printed_lambda(alpha: float, d: float, theta: float, r: float) -> np.ndarray:
    """Eq. (A2) of Eqs. (A3)-(A7)."""
    C, S, c, s = trigonometry(alpha, theta)
    found = np.zeros((SIZE, SIZE))
    found[:6, :6] = DJ(alpha, theta)
    found[6:9, :6] = DS(alpha, d, theta, r)
    found[6:9, 6:9] = [[c, C * s, S * s], [-s, C * c, S * c], [0, -S, C]]
    found[9] = [*Dm(alpha, d, r), d, -r * S, r * C, 1]
    return found


def printed_f(prismatic: bool, w: np.ndarray, v: np.ndarray, qd: float) -> np.ndarray:
    """Eqs. (A8), with "V2, -V1" as two entries, and (A9)."""
    if prismatic:
        return np.array([0, 0, 0, 0, 0, 0, -w[1], w[0], 0, v[2] - qd / 2])
    return np.array([0, 0, w[0], 0, w[1], w[2] - qd / 2, v[1], -v[0], 0, 0])


@pytest.mark.parametrize("seed", range(20))
def test_lambda_is_the_transfer_of_parameters(seed):
    row = np.random.default_rng(seed).uniform(-2, 2, 4)
    T = mdh_pose(*row)
    assert np.abs(printed_lambda(*row) - transfer_matrix(T).T).max() < ROUNDING
    R = np.array(khalil_rotation(*trigonometry(row[0], row[2])), dtype=float)
    assert np.abs(R - T[:3, :3]).max() < ROUNDING


@pytest.mark.parametrize("seed", range(8))
def test_derivatives_of_the_energies_follow_the_printed_recursion(seed):
    robot = serial_robot(seed)
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-2, 2, (2, robot.nv))
    inputs = {"q": q, "qd": qd}
    values = []
    for name in ("kinetic_energy_regressor", "potential_energy_regressor"):
        symbols, (expression,) = cf.FORMS[name].expression(robot.model)
        function = ca.Function(name, symbols, [expression])
        values.append(np.asarray(function(*(inputs[each] for each in cf.FORMS[name].inputs))))
    E, U = values[0].reshape(-1, SIZE), values[1].reshape(-1, SIZE)
    before_E, before_U = np.zeros(SIZE), np.array([*np.zeros(6), *-robot.gravity, 0.0])  # (A10), (A12)
    w, v = np.zeros(3), np.zeros(3)
    for k, body in enumerate(robot.model.bodies):
        prismatic = body.joint.kind == "prismatic"
        T = body.placement @ body.joint.motion(q[k : k + 1])
        C, S = body.placement[2, 2], -body.placement[1, 2]
        alpha, theta = np.arctan2(S, C), np.arctan2(T[1, 0] * C + T[2, 0] * S, T[0, 0])
        d, r = T[0, 3], -T[1, 3] * S + T[2, 3] * C
        R, p = T[:3, :3], T[:3, 3]
        w, v = R.T @ w, R.T @ (v + np.cross(w, p))
        own = qd[k] * np.array([0.0, 0.0, 1.0])
        w, v = (w, v + own) if prismatic else (w + own, v)
        lam = printed_lambda(alpha, d, theta, r)
        before_E = lam @ before_E + qd[k] * printed_f(prismatic, w, v, qd[k])  # (A1)
        lam[:, :6] = 0  # (A11)
        before_U = lam @ before_U
        scale = max(1.0, np.abs(E).max(), np.abs(U).max())
        assert np.abs(E[k] - before_E).max() < ROUNDING * scale
        assert np.abs(U[k] - before_U).max() < ROUNDING * scale


@pytest.mark.parametrize("seed", range(6))
def test_energies_are_linear_in_the_parameters_with_these_derivatives(seed):
    """Eqs. (2), (3): the rows of another derivation, of energy and of its change."""
    robot = serial_robot(seed)
    samples = 4
    rows = energy_rows(robot, samples, seed)
    rng = np.random.default_rng(seed)
    states = np.array([(rng.uniform(-3, 3, samples), rng.normal(size=samples)) for _ in range(robot.nv)])
    q, qd = states[:, 0].T, states[:, 1].T
    symbols, (E,) = cf.FORMS["kinetic_energy_regressor"].expression(robot.model)
    energy = ca.Function("E", symbols, [E])
    found = np.array([np.asarray(energy(*each)).ravel() for each in zip(q, qd, strict=True)])
    assert np.abs(found - rows[:samples]).max() < ROUNDING * np.abs(rows).max()
