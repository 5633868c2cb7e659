"""The closed forms of a flexible arm: B(q), h(q, qd), energies, forward and inverse dynamics.

B(q) qdd + h(q, qd) + D qd + K q + g(q) = Q u, with q = (joint angles, modes link by link)
[DeLucaSiciliano1991, Eq. (25)]. Each form is one function of the model that returns CasADi
expressions; the catalogue lists them.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms.elimination import Factors
from .energy import exact_inertia, first_order, gravity_energy, kinetic_energy
from .kinematics import Plane, link_frames
from .model import KINDS, LINEAR, ArmModel, Constants


def _elastic(model: ArmModel, constants: Constants) -> SX:
    """Return the diagonal of K: zero for the joints [DeLucaSiciliano1991, Eq. (35)]."""
    return ca.vertcat(SX.zeros(model.joints), *(k for link in constants.links for k in link.k))


def _bias(model: ArmModel, constants: Constants, q: SX, qd: SX) -> SX:
    """Return h + D qd + K q + g."""
    bias = coriolis_torque(model, constants, q, qd) + gravity_torque(model, constants, q)
    return bias + ca.vertcat(*constants.damping) * qd + _elastic(model, constants) * q


def mass_matrix(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the inertia matrix B(q), of first order in the deflections unless the arm is exact.

    From the kinetic energy (8)-(11) with the kinematics (1)-(7) of [DeLucaSiciliano1991]; for two
    links of two modes these are the coefficients (32). Input q (N); returns (N, N).
    """
    if model.exact:
        return exact_inertia(model, constants, q)
    qd = SX.sym("qd", model.size)
    return ca.densify(ca.hessian(kinetic_energy(model, constants, q, qd), qd)[0])


def coriolis_torque(model: ArmModel, constants: Constants, q: SX, qd: SX) -> SX:
    """Return the Coriolis and centrifugal forces h(q, qd), by the Christoffel symbols of B.

    h = Bdot qd - grad_q (qd^T B qd / 2) [DeLucaSiciliano1991, Eqs. (23), (26)]. Of the printed
    coefficients (34), five are misprinted: h107, h117, h118, h412, h413. Returns (N).
    """
    T = kinetic_energy(model, constants, q, qd)
    return ca.jtimes(ca.gradient(T, qd), q, qd) - ca.gradient(T, q)


def coriolis_matrix(model: ArmModel, constants: Constants, q: SX, qd: SX) -> SX:
    """Return the Christoffel matrix C with C qd = h and Bdot - 2 C skew-symmetric.

    C = (Bdot + G - G^T) / 2 with G = d(B qd)/dq. Returns (N, N).
    """
    B = mass_matrix(model, constants, q)
    G = ca.jacobian(ca.mtimes(B, qd), q)
    Bdot = ca.reshape(ca.jtimes(ca.vec(B), q, qd), B.shape)
    return (Bdot + G - G.T) / 2


def gravity_torque(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the forces g(q) that hold the arm against gravity, the gradient of its potential.

    The positions are of first order in the deflections unless the arm is exact. Returns (N).
    """
    return ca.gradient(gravity_energy(model, constants, q), q)


def potential_energy(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the energy of bending q^T K q / 2 and of gravity, zero at the base's height.

    The integrals of [DeLucaSiciliano1991, Eq. (13)] over the modes; gravity is added.
    """
    return ca.dot(q, _elastic(model, constants) * q) / 2 + gravity_energy(model, constants, q)


def inverse_dynamics(model: ArmModel, constants: Constants, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the generalised forces B qdd + h + D qd + K q + g that a motion takes.

    The last entries, those of the modes, are zero along any motion that torques at the joints
    can make. Returns (N).
    """
    momentum = ca.gradient(kinetic_energy(model, constants, q, qd), qd)
    return ca.jtimes(momentum, qd, qdd) + _bias(model, constants, q, qd)


def forward_dynamics(model: ArmModel, constants: Constants, q: SX, qd: SX, u: SX) -> SX:
    """Return qdd = B^-1 (Q u - h - D qd - K q - g) for joint torques u, Q = [I 0]^T.

    By the Cholesky factors of B: a sample whose B is not positive definite gives NaN in its own
    row, which happens to the linearised B at large deflections. Inputs q, qd (N), u (n);
    returns (N).
    """
    B, bias = mass_matrix(model, constants, q), _bias(model, constants, q, qd)
    return Factors(B, positive=True).solve(ca.vertcat(u, SX.zeros(model.size - model.joints)) - bias)


def state_matrices(model: ArmModel, constants: Constants, q: SX, qd: SX, u: SX) -> tuple[SX, SX]:
    """Return the matrices A (2N, 2N) and B (2N, n) of x' = A x + B u about a state, x = (q, qd)."""
    n, N = model.joints, model.size
    qdd = forward_dynamics(model, constants, q, qd, u)
    A = ca.blockcat(SX.zeros(N, N), SX.eye(N), ca.jacobian(qdd, q), ca.jacobian(qdd, qd))
    return ca.densify(A), ca.densify(ca.vertcat(SX.zeros(N, n), ca.jacobian(qdd, u)))


def tip_position(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the position (x, y) of the arm's tip in the base frame, r_{n+1} of (2)."""
    r, _ = link_frames(model, constants, q)[-1]
    return first_order(model, ca.vertcat(*r), q)


def tip_angle(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the direction of the arm's tip: joint angles plus tip slopes, as (4) has their rates."""
    slopes = ca.vertcat(*(slope for link in constants.links for slope in link.slopes))
    return ca.sum1(q[: model.joints]) + ca.dot(slopes, q[model.joints :])


def tip_jacobian(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the matrix (2, N) that maps qd to the velocity of the tip."""
    return ca.densify(ca.jacobian(tip_position(model, constants, q), q))


def tip_jacobian_dot(model: ArmModel, constants: Constants, q: SX, qd: SX) -> SX:
    """Return the rate (2, N) of the tip's Jacobian: the tip's acceleration is J qdd + Jdot qd."""
    J = tip_jacobian(model, constants, q)
    return ca.densify(ca.reshape(ca.jtimes(ca.vec(J), q, qd), J.shape))


def regressor(model: ArmModel, constants: Constants, q: SX, qd: SX, qdd: SX) -> SX:
    """Return Y(q, qd, qdd) with B qdd + h + D qd + K q + g = Y p, p the arm's `parameters`.

    The equations are linear in link masses, moments v, w, z, hubs, payload, stiffnesses and
    damping once lengths and mode shapes are known [DeLucaSiciliano1991, section VIII].
    """
    letters, parameters = model.symbols(KINDS)
    linear = [each.symbol for each in parameters if each.kind in LINEAR]
    Y = ca.densify(ca.jacobian(inverse_dynamics(model, letters, q, qd, qdd), ca.vertcat(*linear)))
    others = [each for each in parameters if each.kind not in LINEAR]
    symbols, values = ([each.symbol for each in others], [constants.named[each.name] for each in others])
    return ca.substitute(Y, ca.vertcat(*symbols), ca.vertcat(*values))


def points(model: ArmModel, constants: Constants, q: SX, stations: int) -> SX:
    """Return points (n stations, 2) along the arm, evenly spaced on each link from joint to tip."""
    rows = []
    for link, modes, (r, W), part in zip(
        model.links, model.modes, link_frames(model, constants, q), model.parts, strict=False
    ):
        for k in range(stations):
            x = link.length * k / (stations - 1)
            y = ca.dot(ca.DM(modes.shapes(x)), q[part])
            rows.append(ca.horzcat(*r.plus(W.times(Plane(SX(x), y)))))
    return first_order(model, ca.vertcat(*rows), q)
