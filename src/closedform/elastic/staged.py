"""Staged decoupling: a loop for the torques of the springs within a loop for the links."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from casadi import SX

from ..forms.mass import mass_matrix_rates
from .gains import rows
from .plant import Plant


def staged_law(
    plant: Plant,
    q: SX,
    qd: SX,
    theta: SX,
    thetad: SX,
    q_d: SX,
    qd_d: SX,
    qdd_d: SX,
    qddd_d: SX,
    q4_d: SX,
    gains: SX,
) -> SX:
    """Return the motor torques of decoupling in stages: links first, then the torques of their springs.

    The outer loop asks for the acceleration a = q_d'' + k_2 (q_d' - q') + k_1 (q_d - q) and thus for the
    spring torque z_d = N (M a + C q' + g); the inner loop lets the error of z = K dq obey
    e'' + k_4 e' + k_3 e = 0 with u = M_G (K^-1 w + N^-1 q'') + z and
    w = z_d'' + k_4 (z_d' - z') + k_3 (z_d - z). Nonlinearities are compensated where they act, as in the
    stages of [Grimm1990, Sec. I]. `gains` are k_1 to k_4 as rows. With damped springs the motor torque
    enters z' already and the inner loop is of first order, e' + k_3 e = 0; neither q_d'''' nor k_4
    counts.
    """
    wanted = (q_d, qd_d, qdd_d, qddd_d, q4_d)
    stages = _damped if plant.drives.damped else _undamped
    return stages(plant, (q, qd, theta, thetad), wanted, rows(gains))


def _undamped(plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
    q, qd, theta, thetad = state
    k1, k2, k3, k4 = gains
    dq, dq1 = plant.wind_up(q, theta), plant.wind_up(qd, thetad)
    z, z1 = plant.K * dq, plant.K * dq1 + plant.K1 * dq
    factors = plant.factors(q)
    qdd = plant.link_acceleration(factors, q, qd, z)
    motion = (q, qd, qdd, plant.link_jerk(factors, q, qd, qdd, z1))
    asked = [_asked(k1, k2, wanted[k:], motion[k:]) for k in range(3)]
    z_d, z1_d, z2_d = (plant.N * each for each in _torques_for(plant, motion, asked))
    w = z2_d + k4 * (z1_d - z1) + k3 * (z_d - z)
    dq2 = (w - 2 * plant.K1 * dq1 - plant.K2 * dq) / plant.K
    u: SX = plant.B * (dq2 + qdd / plant.N) + z + plant.motor_friction(thetad)
    return u


def _damped(plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
    """Return u = M_G (D^-1 (z_d' + k_3 (z_d - z) - K dq') + N^-1 q'') + z with z = K dq + D dq'."""
    q, qd, theta, thetad = state
    k1, k2, k3 = gains[:3]
    dq, dq1 = plant.wind_up(q, theta), plant.wind_up(qd, thetad)
    z = plant.spring_torque(dq, dq1)
    motion = (q, qd, plant.link_acceleration(plant.factors(q), q, qd, z))
    asked = [_asked(k1, k2, wanted[k:], motion[k:]) for k in range(2)]
    z_d, z1_d = (plant.N * each for each in _torques_for(plant, motion, asked))
    w = z1_d + k3 * (z_d - z)
    dq2 = (w - plant.K * dq1 - plant.K1 * dq) / plant.D
    u: SX = plant.B * (dq2 + motion[2] / plant.N) + z + plant.motor_friction(thetad)
    return u


def _asked(k1: SX, k2: SX, wanted: Sequence[SX], actual: Sequence[SX]) -> SX:
    """Return wanted'' + k2 (wanted' - actual') + k1 (wanted - actual)."""
    asked: SX = wanted[2] + k2 * (wanted[1] - actual[1]) + k1 * (wanted[0] - actual[0])
    return asked


def _torques_for(plant: Plant, motion: Sequence[SX], asked: Sequence[SX]) -> list[SX]:
    """Return M a + C q' + g + f_l and its time derivatives along a motion, for the a that is asked for.

    It is tau + M (a - q'') with the inverse dynamics tau. Its k-th derivative is tau^(k) at
    q^(k+2) = a^(k), and the terms of the product rule that hold lower derivatives of a - q''.
    """
    q, *derivatives = motion
    M = mass_matrix_rates(plant.links, q, *derivatives[: len(asked) - 1])
    missed = [a - actual for a, actual in zip(asked[:-1], derivatives[1:], strict=True)]
    found = []
    for k, a in enumerate(asked):
        tau = plant.link_torques(q, *derivatives[: k + 1], a)[k]
        found.append(sum((comb(k, j) * (M[k - j] @ missed[j]) for j in range(k)), start=tau))
    return found
