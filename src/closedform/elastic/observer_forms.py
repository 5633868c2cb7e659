"""What motors tell of the links: an observer of state and external torque, and the balance of momentum."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms.coriolis import coriolis_matrix
from .decoupling import link_derivatives
from .gains import rows
from .plant import Plant


def motor_observer_rate(
    plant: Plant, theta: SX, thetad: SX, z: SX, zd: SX, zdd: SX, theta_m: SX, u: SX, gains: SX
) -> SX:
    """Return the rate of estimates of a motor and of the spring torque z that it drives.

    M_G theta'' = u - z - f_m with a z of which nothing is known but that it is smooth: z''' = 0 between
    the corrections by e = theta_m - theta, the measured motor angle less the estimated one. The
    corrections k_5 e, k_4 e, -M_G k_3 e, -M_G k_2 e and -M_G k_1 e give the errors the poles of
    s^5 + k_5 s^4 + ... + k_1, joint by joint, whatever the links do [Luenberger1971], [KhalilPraly2014].
    `gains` are k_1 to k_5 as rows. Returns the rate of (theta, thetad, z, zd, zdd), (5 nv).
    """
    k1, k2, k3, k4, k5 = rows(gains)
    e = theta_m - theta
    thetadd = (u - z - plant.motor_friction(thetad)) / plant.B
    return ca.vertcat(
        thetad + k5 * e,
        thetadd + k4 * e,
        zd - plant.B * k3 * e,
        zdd - plant.B * k2 * e,
        -plant.B * k1 * e,
    )


def spring_links(plant: Plant, theta: SX, thetad: SX, z: SX, zd: SX) -> tuple[SX, SX]:
    """Return (q, qd), where the links are if the springs between them and the motors carry the torques z.

    q = N (theta - K^-1 z), q' = N (theta' - K^-1 z'). Needs springs without damping.
    """
    return plant.N * (theta - z / plant.K), plant.N * (thetad - zd / plant.K)


def plant_observer_rate(
    plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, d: SX, theta_m: SX, u: SX, gains: SX
) -> SX:
    """Return the rate of estimates of the state and of external torques d, from motor angles and torques.

    A copy of the plant with a constant torque d at the links, driven by e = theta_m - theta, the measured
    motor angle less the estimated one. From theta_m the estimates are a chain of five, (theta, theta', q,
    q', d), with the stiffness Omega^2 = M^-1 N^-2 K as the only feedback within it. With c = M_G N K^-1
    and W = c^-1 Omega^2 c the corrections k_5 e, (k_4 - W) e, c (k_3 - W k_5) e,
    c (k_2 - W (k_4 - W)) e and M c k_1 e let the errors have the poles of s^5 + k_5 s^4 + ... + k_1 in
    every posture, whatever the stiffness; what the velocities and gravity add is small against fast
    poles [Luenberger1971], [KhalilPraly2014]. `gains` are k_1 to k_5 as rows. Returns the rate of
    (q, qd, theta, thetad, d), (5 nv). Needs springs without damping.
    """
    k1, k2, k3, k4, k5 = rows(gains)
    e = theta_m - theta
    z = plant.K * plant.wind_up(q, theta_m)
    factors = plant.factors(q)
    c = plant.B * plant.N / plant.K

    def stiff(x: SX) -> SX:
        """Return c W x = M^-1 N^-1 M_G x."""
        return factors.solve(plant.B * x / plant.N)

    second = k4 * e - stiff(e) / c
    qdd = plant.link_acceleration(factors, q, qd, z + plant.N * d)
    thetadd = (u - z - plant.motor_friction(thetad)) / plant.B
    return ca.vertcat(
        qd + c * k3 * e - stiff(k5 * e),
        qdd + c * k2 * e - stiff(second),
        thetad + k5 * e,
        thetadd + second,
        plant.mass_matrix(q) @ (c * k1 * e),
    )


def loaded_link_derivatives(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, d: SX) -> tuple[SX, SX]:
    """Return (qdd, qddd), acceleration and jerk of links under constant external torques d.

    A constant d acts on the links like the wind-up K^-1 N d of the springs: `link_derivatives` at
    theta + K^-1 N d. Needs springs without damping.
    """
    return link_derivatives(plant, q, qd, theta + plant.N * d / plant.K, thetad)


def momentum_balance(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX) -> tuple[SX, SX]:
    """Return (p, pd), the momenta of the links and their rates if no external torque acts.

    p = M q', p' = N^-1 (K dq + D dq') + C^T q' - g - f_l + d, since M' = C + C^T; what the momentum gains
    beyond pd is the impulse of the external torque d [HaddadinDeLucaAlbuSchaeffer2017].
    """
    z = plant.spring_torque(plant.wind_up(q, theta), plant.wind_up(qd, thetad))
    (bias,) = plant.link_torques(q, qd, plant.rest)
    C = coriolis_matrix(plant.links, q, qd)
    return plant.mass_matrix(q) @ qd, z / plant.N - bias + (C + C.T) @ qd
