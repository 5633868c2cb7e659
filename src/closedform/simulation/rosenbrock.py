"""A linearly implicit step, for laws and dampers that are stiff: high gains on light links."""

from __future__ import annotations

import math

import casadi as ca
from casadi import SX

from ..forms.elimination import Factors
from ..forms.friction import curve_slope
from ..forms.manifold import chart_rate, moved
from ..forms.springs import spring_gradient
from ..programs import Program
from .plant import NO_REACTIONS, Plant, masked
from .step_symbols import StepSymbols, step_program

GAMMA = 1 - 1 / math.sqrt(2)
"""Makes the step L-stable: what is infinitely stiff is at rest after it."""


def rosenbrock(plant: Plant, held: bool) -> Program:
    """Return the program of one step of second order, ROS2 [Verwer1999].

    With W = 1 - gamma h A, k1 = W^-1 f(x) and k2 = W^-1 (f(x + h k1) - 2 k1), the state moves by
    h (3 k1 + k2) / 2. The order is 2 whatever A is; here it has the derivatives of the joint forces, of
    springs and of viscous friction by q and qd, symmetric parts, so that W is solved like M. The states of
    the law have no part in A, so that they take Heun's step.
    """
    given = StepSymbols(plant, held)
    model, q, qd, h, nv = plant.model, given.q, given.qd, given.h, plant.nv
    mode, coulomb = given.contact.get("mode"), given.contact.get("coulomb")
    free = SX.ones(nv) if mode is None else mode * mode
    first, last, constants = given.inputs(0.0), given.inputs(1.0), given.constants
    by_q, by_qd = _stiffness(plant, given, first)
    M, (push, t, z1) = plant.mass_matrix(q), plant.forces(q, qd, given.z, first, constants)
    if mode is not None and coulomb is not None:
        M, push = plant.sliding(M, push, t, mode, coulomb)
    s = GAMMA * h
    W = Factors(masked(M - s * by_qd - s * s * by_q, free), from_leaves=True)
    rate = chart_rate(model, q, SX(nv, 1), qd)
    a1 = W.solve(free * (push + s * (by_q @ rate)))
    v1 = rate + s * a1
    there, then = moved(model, q, h * v1), qd + h * a1
    a, _, z2 = plant.acceleration(there, then, given.z + h * z1, last, constants, mode, coulomb)
    v = chart_rate(model, there, h * v1, then) - 2 * v1
    a2 = W.solve(free * (M @ (a - 2 * a1) + s * (by_q @ v)))
    v2 = v + s * a2
    end, speed = moved(model, q, h / 2 * (3 * v1 + v2)), qd + h / 2 * (3 * a1 + a2)
    reactions = NO_REACTIONS
    if mode is not None:
        _, reactions, _ = plant.acceleration(q, qd, given.z, first, constants, mode, coulomb)
    return step_program(given, "rosenbrock_step", end, speed, given.z + h / 2 * (z1 + z2), reactions)


def _stiffness(plant: Plant, given: StepSymbols, u: SX) -> tuple[SX, SX]:
    """Return the symmetric parts of d/dq and d/dqd of joint forces, springs and viscous friction.

    Gears that lose by load count with the most of the drives' forces that they ever pass on, 1 / (1 - fl): a
    step that takes forces for less stiff than they are is not stable, and the sign in k may change within it.
    """

    def passed(D: SX) -> SX:
        return ca.diag(1 / (1 - plant.gears.symbols[0])) @ D if plant.geared else D

    nv = plant.nv
    step, more = SX.sym("step", nv), SX.sym("more", nv)
    there = moved(plant.model, given.q, step)
    tau, _ = plant.joint_forces(there, given.qd + more, given.z, u, given.constants)
    zero = SX.zeros(2 * nv)
    found = []
    for by in (step, more):
        D = passed(ca.substitute(ca.jacobian(tau, by), ca.vertcat(step, more), zero))
        found.append((D + D.T) / 2)
    if plant.damped:
        found[1] = found[1] - passed(ca.diag(given.constants["viscous"]))
    if plant.curved:
        found[1] = found[1] - passed(ca.diag(curve_slope(plant.tree, given.qd)))
    if plant.sprung:
        found[0] = found[0] - spring_gradient(plant.tree, given.q)
    return found[0], found[1]
