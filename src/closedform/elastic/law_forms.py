"""The laws as expressions of the state, the wanted motion and the gains, all of them inputs."""

from __future__ import annotations

from collections.abc import Sequence

from casadi import SX

from .decoupling import decoupling, fourth_order, third_order
from .gains import rows
from .inverse import motor_motion
from .plant import Plant


def decoupling_matrix(plant: Plant, q: SX) -> SX:
    """Return the matrix H of nonlinear decoupling u = H s + h.

    H = M_G K^-1 N M [Grimm1990, Eq. (4)]. Returns (nv, nv). Needs springs without damping.
    """
    H: SX = (plant.B * plant.N / plant.K) * plant.mass_matrix(q)
    return H


def decoupling_bias(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX) -> SX:
    """Return the vector h of nonlinear decoupling u = H s + h.

    h = -H Psi - P (c + g) + (P N^-1 + I) K dq [Grimm1990, Eq. (5)], with Psi = -M^-1 n and
    P = M_G N^-1 M^-1, which the print does not define; n is that of `decoupling`. It is the motor
    torque at s = 0 and is computed so. Needs springs without damping.
    """
    return decoupling(plant, q, qd, theta, thetad, plant.rest)[0]


def decoupling_law(
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
    """Return the motor torques of decoupling with error feedback along a wanted motion.

    u = H s + h with s = q_d'''' + k_4 (q_d''' - q''') + ... + k_1 (q_d - q) [Grimm1990, Eq. (3)];
    acceleration and jerk of the links follow from the state. `gains` are k_1 to k_4 as rows. With damped
    springs s = q_d''' + k_3 (q_d'' - q'') + k_2 (q_d' - q') + k_1 (q_d - q), see `decoupling`; neither
    q_d'''' nor k_4 counts.
    """
    wanted = (q_d, qd_d, qdd_d, qddd_d, q4_d)
    order = 3 if plant.drives.damped else 4
    chain = third_order if plant.drives.damped else fourth_order

    def command(*more: SX) -> SX:
        feedback = error_feedback(rows(gains)[:order], wanted[:order], (q, qd, *more))
        return wanted[order] + feedback

    return chain(plant, q, qd, theta, thetad, command)


def feedforward_law(
    plant: Plant,
    theta: SX,
    thetad: SX,
    q_d: SX,
    qd_d: SX,
    qdd_d: SX,
    qddd_d: SX,
    q4_d: SX,
    gains: SX,
) -> SX:
    """Return the motor torques of the wanted link motion with PD feedback of the motors.

    u = M_G K^-1 N tau'' + N tau + M_G N^-1 q_d'' + M_G (k_2 (theta_d' - theta') + k_1 (theta_d - theta)),
    tau'' by second-order inverse dynamics of the wanted motion [BuondonnoDeLuca2015]. `gains` are k_1 and
    k_2 as rows. Needs springs without damping.
    """
    motion = motor_motion(plant, q_d, qd_d, qdd_d, qddd_d, q4_d)
    return _driven(plant, motion, plant.K * plant.wind_up(q_d, motion[0]), (theta, thetad), gains)


def static_feedforward_law(
    plant: Plant, theta: SX, thetad: SX, q_d: SX, qd_d: SX, qdd_d: SX, gains: SX
) -> SX:
    """Return the motor torques of feedforward that knows tau, but neither tau' nor tau''.

    u = N tau + M_G N^-1 q_d'' + M_G (k_2 (N^-1 q_d' - theta') + k_1 (theta_d - theta)) with the wind-up
    K^-1 N tau in theta_d: `feedforward_law` as if the torque did not change. `gains` are k_1 and k_2 as
    rows.
    """
    (tau,) = plant.link_torques(q_d, qd_d, qdd_d)
    spring = plant.N * tau
    motion = q_d / plant.N + spring / plant.K, qd_d / plant.N, qdd_d / plant.N
    return _driven(plant, motion, spring, (theta, thetad), gains)


def rigid_law(plant: Plant, theta: SX, thetad: SX, q_d: SX, qd_d: SX, qdd_d: SX, gains: SX) -> SX:
    """Return the computed torque of a rigid robot, which takes N theta for the link angles.

    u = N (M a + C q' + g + f_l) + M_G N^-1 a + f_m with a = q_d'' + k_2 (q_d' - q') + k_1 (q_d - q), the
    law without springs that others are compared with. `gains` are k_1 and k_2 as rows.
    """
    q, qd = plant.N * theta, plant.N * thetad
    a = qdd_d + error_feedback(rows(gains), (q_d, qd_d), (q, qd))
    (tau,) = plant.link_torques(q, qd, a)
    u: SX = plant.N * tau + plant.B * a / plant.N + plant.motor_friction(thetad)
    return u


def error_feedback(gains: Sequence[SX], wanted: Sequence[SX], actual: Sequence[SX]) -> SX:
    """Return sum_i k_i (wanted - actual)^(i)."""
    terms = [k * (w - a) for k, w, a in zip(gains, wanted, actual, strict=True)]
    return sum(terms[1:], terms[0])


def _driven(plant: Plant, motion: tuple[SX, SX, SX], spring: SX, actual: tuple[SX, SX], gains: SX) -> SX:
    """Return the motor torques of a motor motion and its spring torque, with PD feedback."""
    theta, thetad, thetadd = motion
    acceleration = thetadd + error_feedback(rows(gains), (theta, thetad), actual)
    u: SX = plant.B * acceleration + spring + plant.motor_friction(thetad)
    return u
