"""The equations of Garofalo, Ott and Albu-Schaeffer, one by one, on a tree with joints of many kinds."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import closedform as cf
from closedform.forms import Variant
from closedform.forms.parameters import momentum_matrix
from closedform.model.inertia import GAROFALO_ORDER, from_order, in_order
from closedform.programs import evaluate, trace
from oracles.outward_recursion import Outward, adj, tilde
from oracles.outward_recursion import momentum_matrix as printed_matrix
from oracles.random_trees import random_tree
from tolerances import DIFFERENCE, ROUNDING, worst

STEP = 1e-5
LINEAR_FIRST = [3, 4, 5, 0, 1, 2]
"""The paper's order of twists, from ours."""


@cache
def tree() -> cf.Robot:
    """Return a branched tree without rotors, which the paper does not have."""
    kinds = ("revolute", "free", "helical", "ball", "prismatic", "planar")
    return random_tree(5, bodies=len(kinds), kinds=kinds).with_armature(0.0)


@cache
def state():
    return tree().random_state(21)


@cache
def paper() -> Outward:
    """Return the paper's sums over the bodies at the state."""
    return Outward(tree(), *state())


def value(name, *arrays, **choices):
    """Return a form of the library at the state, or at other arrays."""
    given = arrays or state()[: len(cf.FORMS[name].takes)]
    return evaluate(trace(tree().model, name, Variant(**choices), closed=False), *given)


def moved(step: float) -> Outward:
    """Return the paper's sums a moment later, on the motion with constant accelerations."""
    q, qd, qdd = state()
    return Outward(tree(), tree().integrate(q, step * qd + step**2 / 2 * qdd), qd + step * qdd, qdd)


@pytest.mark.parametrize(
    "name",
    [
        "mass_matrix",
        "gravity_torque",
        "com_jacobian",
        "mass_matrix_dq",
        "gravity_torque_dq",
        "mass_matrix_dot",
        "gravity_torque_dot",
    ],
)
def test_sums_over_the_bodies(name):
    """(6a), (6c), (7), (24a), (24d), (25a), (25c)."""
    assert worst(getattr(paper(), name)(), value(name)) < ROUNDING


@pytest.mark.parametrize(
    "name", ["coriolis_matrix", "coriolis_matrix_dq", "coriolis_matrix_dqd", "coriolis_matrix_dot"]
)
def test_sums_of_the_papers_c(name):
    """(6b), (24b), (24c), (25b)."""
    assert worst(getattr(paper(), name)(), value(name, factorisation="garofalo")) < ROUNDING


def test_newton_and_euler_of_one_body():
    """(1)-(3): d/dt (Ad^-T L v) = Ad^-T f, L v' - adj^T L v = f = L v' + Psi v; Psi is skew (remark 1)."""
    _, qd, qdd = state()
    it, k = paper(), 5
    v, rate = it.J[k] @ qd, it.J[k] @ qdd + it.Jd[k] @ qd
    f = it.L[k] @ rate - it.adj[k].T @ it.L[k] @ v
    assert worst(it.L[k] @ rate + it.Psi[k] @ v, f) < ROUNDING
    assert worst(it.Psi[k], -it.Psi[k].T) < ROUNDING
    momenta = []
    for step in (STEP, -STEP):
        near = moved(step)
        momenta.append(near.Ad[k].T @ near.L[k] @ near.J[k] @ (qd + step * qdd))
    assert worst((momenta[0] - momenta[1]) / (2 * STEP), it.Ad[k].T @ f) < DIFFERENCE


def test_the_equations_of_motion():
    """(4), (5): J^T (L J q'' + (Psi J + L J') q') + J^T L gamma = tau."""
    _, qd, qdd = state()
    it = paper()
    tau = it.mass_matrix() @ qdd + it.coriolis_matrix() @ qd + it.gravity_torque()
    assert worst(tau, value("inverse_dynamics")) < ROUNDING


def test_the_passivity_property():
    """Remark 5: C + C^T = M'."""
    C = paper().coriolis_matrix()
    assert worst(C + C.T, value("mass_matrix_dot")) < ROUNDING


def test_the_momentum_is_linear_in_the_parameters():
    """(8)-(12): L v = A(v) pi, with the paper's order of parameters and twists from ours."""
    body, V = tree().model.bodies[3], np.random.default_rng(0).normal(size=6)
    ours = np.array(ca.evalf(ca.densify(momentum_matrix((SX(ca.DM(V[:3])), SX(ca.DM(V[3:])))))))
    assert worst(ours @ body.phi, paper().L[3] @ V) < ROUNDING
    assert worst(in_order(ours, "garofalo")[LINEAR_FIRST], printed_matrix(V)) < ROUNDING
    m, c, J = body.phi[9], body.phi[6:9] / body.phi[9], body.phi
    own = cf.model.inertia.inertial_from_phi(body.phi).inertia
    about_origin = own - m * tilde(c) @ tilde(c)
    pi = [m, *(m * c), *about_origin.diagonal(), *about_origin[[0, 0, 1], [1, 2, 2]]]
    assert worst(in_order(body.phi, "garofalo"), pi) < ROUNDING
    assert np.array_equal(from_order(in_order(J, "garofalo"), "garofalo"), J)
    assert np.array_equal(J[list(GAROFALO_ORDER)], in_order(J, "garofalo"))


def columns(V: np.ndarray) -> np.ndarray:
    """Return A(V) in our order of twists and parameters, from the printed matrix."""
    return from_order(printed_matrix(V)[LINEAR_FIRST], "garofalo")


def test_derivatives_by_the_parameters():
    """(13a), (13c), (14): columns of J^T A(J^j) and J^T A(gamma)."""
    it, n = paper(), tree().nv
    dM = np.zeros((n, n, len(tree().phi)))
    dg = np.zeros((n, len(tree().phi)))
    for k in range(len(it.J)):
        ten = slice(10 * k, 10 * k + 10)
        dg[:, ten] = it.J[k].T @ columns(it.Ad[k] @ it.gamma)
        for j in range(n):
            dM[:, j, ten] = it.J[k].T @ columns(it.J[k][:, j])
    assert worst(dM, value("mass_matrix_dphi")) < ROUNDING
    assert worst(dg, value("gravity_torque_dphi")) < ROUNDING


def test_derivatives_of_the_papers_c_by_the_parameters():
    """(13b): C = (dC / dpi) pi for the C of (6b), whatever the parameters are."""
    it = paper()
    dC = np.zeros((tree().nv, tree().nv, len(tree().phi)))
    for k, (J, Jd) in enumerate(zip(it.J, it.Jd, strict=True)):
        for j in range(tree().nv):
            A = columns(it.adj[k] @ J[:, j] + Jd[:, j]) - it.adj[k].T @ columns(J[:, j])
            dC[:, j, 10 * k : 10 * k + 10] = J.T @ A
    phi = np.random.default_rng(3).normal(size=len(tree().phi))
    assert worst(dC, value("coriolis_matrix_dphi", factorisation="garofalo")) < ROUNDING
    for given, it in ((tree().phi, paper()), (phi, Outward(cf.Robot(tree().model.with_phi(phi)), *state()))):
        assert worst(dC @ given, it.coriolis_matrix()) < ROUNDING


def test_regressors_of_the_papers_c():
    """(15), (16): J^T (A(alpha) - adj^T A(J qdr)) gives M qddr + C qdr + g of (6b), and Y at qdr = qd."""
    it, rng = paper(), np.random.default_rng(1)
    qdr, qddr = rng.normal(size=(2, tree().nv))
    expected = it.mass_matrix() @ qddr + it.coriolis_matrix() @ qdr + it.gravity_torque()
    Y = _regressor(it, qdr, qddr)
    assert worst(Y @ tree().phi, expected) < ROUNDING
    q, qd, qdd = state()
    assert worst(Y, value("slotine_li_regressor", q, qd, qdr, qddr, factorisation="garofalo")) < ROUNDING
    assert worst(_regressor(it, qd, qdd), value("regressor")) < ROUNDING


def _regressor(it: Outward, qdr: np.ndarray, qddr: np.ndarray) -> np.ndarray:
    blocks = []
    for k, J in enumerate(it.J):
        alpha = J @ qddr + it.adj[k] @ J @ qdr + it.Jd[k] @ qdr + it.Ad[k] @ it.gamma
        blocks.append(J.T @ (columns(alpha) - it.adj[k].T @ columns(J @ qdr)))
    return np.hstack(blocks)


def test_the_bracket_is_linear_in_the_twist():
    """(17), (22): adj = W blkdiag(v) with the constant W of the appendix, and linear in qd."""
    zero, none = np.zeros((3, 3)), np.zeros((3, 18))
    turns = [tilde(e).T for e in np.eye(3)]
    W_w = np.hstack([each for turn in turns for each in (zero, turn)])
    W_v = np.hstack([each for turn in turns for each in (turn, zero)])
    W = np.block([[W_w, W_v], [none, W_w]])
    it, (_, qd, _) = paper(), state()
    J = it.J[5][LINEAR_FIRST]
    total = sum(W @ np.kron(np.eye(6), J[:, [h]]) * qd[h] for h in range(tree().nv))
    assert worst(W @ np.kron(np.eye(6), (J @ qd)[:, None]), total) < ROUNDING
    assert worst(total, it.adj[5][np.ix_(LINEAR_FIRST, LINEAR_FIRST)]) < ROUNDING


def test_derivatives_of_the_adjoint_by_the_state():
    """(18), (20), (21), (23): along q_h, by differences of the paper's own quantities; (19) is linear."""
    q, qd, qdd = state()
    it, k = paper(), 5
    for h in (0, 9, tree().nv - 1):
        unit = STEP * np.eye(tree().nv)[h]
        ahead, behind = (Outward(tree(), tree().integrate(q, each), qd, qdd) for each in (unit, -unit))
        rate = (ahead.Ad[k] - behind.Ad[k]) / (2 * STEP)
        assert worst(-adj(it.J[k][:, h]) @ it.Ad[k], rate, scale=1.0) < DIFFERENCE
        rate = (ahead.adj[k] - behind.adj[k]) / (2 * STEP)
        assert worst(adj(it.dJ[k, ..., h] @ qd), rate, scale=1.0) < DIFFERENCE
        faster = Outward(tree(), q, qd + np.eye(tree().nv)[h], qdd)
        assert worst(faster.adj[k] - it.adj[k], adj(it.J[k][:, h]), scale=1.0) < ROUNDING
    near = moved(STEP), moved(-STEP)
    rate = (near[0].Ad[k] - near[1].Ad[k]) / (2 * STEP)
    assert worst(-it.adj[k] @ it.Ad[k], rate) < DIFFERENCE


def test_derivatives_of_the_papers_c_by_the_state_and_time():
    """(24b), (24c), (25b), (30): by differences of (6b)."""
    q, qd, qdd = state()
    dq, dqd = paper().coriolis_matrix_dq(), paper().coriolis_matrix_dqd()
    for h in (0, 9, tree().nv - 1):
        unit = STEP * np.eye(tree().nv)[h]
        sides = [
            Outward(tree(), tree().integrate(q, each), qd, qdd).coriolis_matrix() for each in (unit, -unit)
        ]
        assert worst(dq[..., h], (sides[0] - sides[1]) / (2 * STEP), scale=1.0) < DIFFERENCE
    assert worst(dqd @ qd, paper().coriolis_matrix()) < ROUNDING, "C is linear in qd"
    assert worst(dq @ qd + dqd @ qdd, paper().coriolis_matrix_dot()) < ROUNDING
    sides = [moved(each).coriolis_matrix() for each in (STEP, -STEP)]
    assert worst((sides[0] - sides[1]) / (2 * STEP), paper().coriolis_matrix_dot()) < DIFFERENCE


def test_other_orders_of_parameters_are_refused():
    with pytest.raises(cf.ClosedFormError, match=r"unknown order of parameters 'garofolo'.*garofalo"):
        in_order(np.zeros(10), "garofolo")
    with pytest.raises(cf.ArgumentError, match="ten per body"):
        in_order(np.zeros(9), "garofalo")
