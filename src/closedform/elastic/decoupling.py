"""Nonlinear decoupling: the motor torque that turns every joint into a chain of integrators."""

from __future__ import annotations

from collections.abc import Callable

from casadi import SX

from .plant import Plant

Command = Callable[..., SX]
"""The wanted highest derivative, given the derivatives that the state determines."""


def link_derivatives(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX) -> tuple[SX, SX]:
    """Return (qdd, qddd), acceleration and jerk of the links, which the state determines.

    q'' = M^-1 (N^-1 K dq - C q' - g), q''' = M^-1 (N^-1 (K dq' + K' dq) - M' q'' - (C q')' - g').
    Needs springs without damping, or u would enter the jerk.
    """
    factors = plant.factors(q)
    dq, dq1 = plant.wind_up(q, theta), plant.wind_up(qd, thetad)
    qdd = plant.link_acceleration(factors, q, qd, plant.K * dq)
    return qdd, plant.link_jerk(factors, q, qd, qdd, plant.K * dq1 + plant.K1 * dq)


def decoupling(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, s: SX) -> tuple[SX]:
    """Return the motor torques under which the links move with q'''' = s, or q''' = s if damped.

    Without damping of the springs u = M_G K^-1 N (M s + n) + K dq + M_G N^-1 q'' [Grimm1990, Eq. (3)],
    with n = M'' q'' + 2 M' q''' + (C q')'' + g'': M s + n is the second-order inverse dynamics
    at q'''' = s, one recursion. With damping D the torque enters the jerk already, and
    u = M_G (D^-1 (N tau' - K dq') + N^-1 q'') + K dq + D dq' with tau' at q''' = s leaves the
    wind-up dq' to die out with the rate K/D by itself. Friction of links and motors is
    compensated, and so are known rates of the stiffness.
    """
    law = third_order if plant.drives.damped else fourth_order
    return (law(plant, q, qd, theta, thetad, lambda *_: s),)


def fourth_order(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, command: Command) -> SX:
    """Return the motor torques for q'''' = command(q'', q'''), springs without damping."""
    dq, dq1 = plant.wind_up(q, theta), plant.wind_up(qd, thetad)
    qdd, qddd = link_derivatives(plant, q, qd, theta, thetad)
    tau2 = plant.link_torques(q, qd, qdd, qddd, command(qdd, qddd))[2]
    dq2 = (plant.N * tau2 - 2 * plant.K1 * dq1 - plant.K2 * dq) / plant.K
    u: SX = plant.B * (dq2 + qdd / plant.N) + plant.K * dq + plant.motor_friction(thetad)
    return u


def third_order(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, command: Command) -> SX:
    """Return the motor torques for q''' = command(q''), every spring damped."""
    dq, dq1 = plant.wind_up(q, theta), plant.wind_up(qd, thetad)
    spring = plant.spring_torque(dq, dq1)
    qdd = plant.link_acceleration(plant.factors(q), q, qd, spring)
    tau1 = plant.link_torques(q, qd, qdd, command(qdd))[1]
    dq2 = (plant.N * tau1 - plant.K * dq1 - plant.K1 * dq) / plant.D
    u: SX = plant.B * (dq2 + qdd / plant.N) + spring + plant.motor_friction(thetad)
    return u
