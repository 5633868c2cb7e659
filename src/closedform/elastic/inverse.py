"""Inverse dynamics: the motor motion and torque of a link motion known to its fourth derivative."""

from __future__ import annotations

from casadi import SX

from .plant import Plant


def motor_motion(plant: Plant, q: SX, qd: SX, qdd: SX, qddd: SX, q4: SX) -> tuple[SX, SX, SX]:
    """Return (theta, thetad, thetadd), the motor motion that makes the links move as given.

    The spring carries the link torque, K dq = N tau, so with tau, tau', tau'' by second-order
    inverse dynamics dq = K^-1 N tau, K dq' = N tau' - K' dq, K dq'' = N tau'' - 2 K' dq' - K'' dq,
    and theta = N^-1 q + dq. Each is (nv). Needs springs without damping.
    """
    tau, tau1, tau2 = plant.link_torques(q, qd, qdd, qddd, q4)
    dq = plant.N * tau / plant.K
    dq1 = (plant.N * tau1 - plant.K1 * dq) / plant.K
    dq2 = (plant.N * tau2 - 2 * plant.K1 * dq1 - plant.K2 * dq) / plant.K
    return q / plant.N + dq, qd / plant.N + dq1, qdd / plant.N + dq2


def inverse_dynamics(plant: Plant, q: SX, qd: SX, qdd: SX, qddd: SX, q4: SX) -> tuple[SX]:
    """Return the motor torques of a link motion.

    u = M_G theta'' + N tau + f_m, which is M_G K^-1 N tau'' + N tau + M_G N^-1 q'' for constant
    stiffness and no friction [BuondonnoDeLuca2015]. Needs springs without damping.
    """
    theta, thetad, thetadd = motor_motion(plant, q, qd, qdd, qddd, q4)
    spring = plant.K * plant.wind_up(q, theta)
    return (plant.B * thetadd + spring + plant.motor_friction(thetad),)
