"""Derivatives by time, state and parameters against CasADi's differentiation of the base forms."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from conftest import ROBOTS, make
from oracles.casadi_rates import Traced, coordinate_rates
from tolerances import ROUNDING, worst

TWINS = {"iiwa14": "panda", "ur10": "ur5"}
"""Arms that differ from another one in numbers only; their own are compared with Pinocchio's elsewhere."""

DYNAMIC = [
    name for name in ROBOTS if make(name).model.has_inertia and make(name).nv <= 21 and name not in TWINS
]


class Motion(Traced):
    """Symbols of a motion up to its fourth derivative, with wrenches that move along."""

    def __init__(self, robot):
        super().__init__(robot)
        self.b, self.c = ca.SX.sym("b", robot.nv), ca.SX.sym("c", robot.nv)
        self.state = [self.q, self.v, self.a, self.b, self.c]
        n = len(robot.body_names)
        self.W = [ca.SX.sym(f"W{k}", n, 6) for k in range(3)]
        self.values = robot.random_state(11, order=4)
        self.W_values = np.random.default_rng(3).normal(size=(3, n, 6))
        self.found = {}

    def rate(self, expression):
        flat = ca.vec(expression)
        dot = ca.jtimes(flat, self.q, coordinate_rates(self.robot, self.q, self.v))
        for low, high in zip(self.state[1:-1], self.state[2:], strict=True):
            dot += ca.jtimes(flat, low, high)
        for low, high in zip(self.W[:-1], self.W[1:], strict=True):
            dot += ca.jtimes(flat, ca.vec(low), ca.vec(high))
        return ca.reshape(dot, expression.shape)

    def value(self, expression):
        function = ca.Function("f", [*self.state, *self.W], [ca.densify(expression)])
        return np.array(function(*self.values, *self.W_values))

    def evaluated(self, name, **options):
        """Return a form of the library at the motion, through its program, which is traced once."""
        key = (name, *options.items())
        if key not in self.found:
            self.found[key] = self._evaluated(name, **options)
        return self.found[key]

    def _evaluated(self, name, **options):
        form = cf.forms.form(name, options.get("order"))
        known = dict(zip(("q", "qd", "qdd", "qddd", "q4"), self.values, strict=True))
        known |= dict(zip(("wrenches", "wrenches_dot", "wrenches_ddot"), self.W_values, strict=True))
        known |= {"tau": 10 * self.values[2], "qdr": self.values[2], "qddr": self.values[3]}
        program = trace(self.robot.model, name, Variant(**options), closed=False)
        return evaluate(program, *(known[each] for each in form.inputs))


@pytest.fixture(scope="module", params=DYNAMIC)
def motion(request):
    return Motion(make(request.param))


@pytest.fixture(scope="module")
def other(motion):
    """The same motion of a robot with other inertias, and these."""
    robot, phi = with_other_inertias(motion.robot)
    its = Motion(robot)
    its.values, its.W_values = motion.values, motion.W_values
    return its, phi


def test_mass_matrix_rates(motion):
    M = motion.form("mass_matrix", motion.q)
    Md = motion.rate(M)
    scale = np.abs(motion.value(M)).max()
    assert worst(motion.evaluated("mass_matrix_dot"), motion.value(Md), scale) < ROUNDING
    assert worst(motion.evaluated("mass_matrix_ddot"), motion.value(motion.rate(Md)), scale) < ROUNDING


def test_coriolis_matrix_rates(motion):
    C = motion.form("coriolis_matrix", motion.q, motion.v)
    Cd = motion.rate(C)
    scale = 1e-3 * np.abs(motion.value(motion.form("mass_matrix", motion.q))).max()
    assert worst(motion.evaluated("coriolis_matrix_dot"), motion.value(Cd), scale) < ROUNDING
    second = motion.value(motion.rate(Cd))
    assert worst(motion.evaluated("coriolis_matrix_ddot"), second, scale) < ROUNDING


def test_gravity_torque_rates(motion):
    g = motion.form("gravity_torque", motion.q)
    gd = motion.rate(g)
    scale = max(np.abs(motion.value(g)).max(), 1e-9)
    assert worst(motion.evaluated("gravity_torque_dot"), motion.value(gd)[:, 0], scale) < ROUNDING
    second = motion.value(motion.rate(gd))[:, 0]
    assert worst(motion.evaluated("gravity_torque_ddot"), second, scale) < ROUNDING


def test_external_torque_rates(motion):
    Q = motion.form("external_torque", motion.q, motion.W[0])
    Qd = motion.rate(Q)
    scale = np.abs(motion.W_values).sum()
    assert worst(motion.evaluated("external_torque_dot"), motion.value(Qd)[:, 0], scale) < ROUNDING
    second = motion.value(motion.rate(Qd))[:, 0]
    assert worst(motion.evaluated("external_torque_ddot"), second, scale) < ROUNDING


def test_inverse_dynamics_rates(motion):
    tau = motion.form("inverse_dynamics", motion.q, motion.v, motion.a)
    first = motion.rate(tau)
    expected = [motion.value(each)[:, 0] for each in (tau, first, motion.rate(first))]
    for order in range(3):
        given = motion.evaluated("inverse_dynamics_rates", order=order)
        given = (given,) if order == 0 else given
        for rate, reference in zip(given, expected, strict=False):
            assert worst(rate, reference) < ROUNDING


def test_rates_of_inverse_dynamics_are_those_of_its_matrices(motion):
    """tau' = M qddd + (M' + C) qdd + C' qd + g' [MuellerKumar2021, Eq. (28)], and the second (38)."""
    _, v, a, b, c = motion.values
    M, Md, Mdd, C, Cd, Cdd = (
        motion.evaluated(name)
        for name in (
            "mass_matrix",
            "mass_matrix_dot",
            "mass_matrix_ddot",
            "coriolis_matrix",
            "coriolis_matrix_dot",
            "coriolis_matrix_ddot",
        )
    )
    gd, gdd = motion.evaluated("gravity_torque_dot"), motion.evaluated("gravity_torque_ddot")
    _, first, second = motion.evaluated("inverse_dynamics_rates", order=2)
    assert worst(first, M @ b + (Md + C) @ a + Cd @ v + gd) < ROUNDING
    assert worst(second, M @ c + (2 * Md + C) @ b + (Mdd + 2 * Cd) @ a + Cdd @ v + gdd) < ROUNDING


def test_matrices_together_are_the_matrices_alone(motion):
    together = motion.evaluated("dynamic_matrices_dot")
    names = ("mass_matrix", "coriolis_matrix", "gravity_torque")
    alone = [motion.evaluated(name + suffix) for suffix in ("", "_dot") for name in names]
    for a, b in zip(together, alone, strict=True):
        assert worst(a, b, scale=1e-3 * np.abs(alone[0]).max()) < ROUNDING
    for a, b in zip(motion.evaluated("dynamic_matrices"), alone, strict=False):
        assert worst(a, b, scale=1e-3 * np.abs(alone[0]).max()) < ROUNDING


def test_passivity(motion):
    """Mdot - 2 C is skew-symmetric, and so is its time derivative."""
    C, Cd = motion.evaluated("coriolis_matrix"), motion.evaluated("coriolis_matrix_dot")
    first, second = motion.evaluated("mass_matrix_dot"), motion.evaluated("mass_matrix_ddot")
    scale = 1e-3 * np.abs(motion.evaluated("mass_matrix")).max()
    assert worst(C + C.T, first, max(scale, np.abs(C).max())) < ROUNDING
    assert worst(Cd + Cd.T, second, max(scale, np.abs(Cd).max())) < ROUNDING


def test_derivatives_of_inverse_dynamics_by_the_state(motion):
    tau = motion.form("inverse_dynamics", motion.q, motion.v, motion.a)
    by_q, by_qd = motion.evaluated("inverse_dynamics_derivatives")
    assert worst(by_q, motion.value(motion.gradient(tau))) < ROUNDING
    assert worst(by_qd, motion.value(ca.jacobian(tau, motion.v))) < ROUNDING
    assert worst(motion.evaluated("inverse_dynamics_dq"), by_q) < ROUNDING
    assert worst(motion.evaluated("inverse_dynamics_dqd"), by_qd) < ROUNDING


def test_derivatives_of_gravity_by_the_state(motion):
    g = motion.form("gravity_torque", motion.q)
    scale = max(np.abs(motion.value(g)).max(), 1e-9)
    expected = motion.value(motion.gradient(g))
    assert worst(motion.evaluated("gravity_torque_dq"), expected, scale) < ROUNDING


def test_derivatives_of_forward_dynamics_by_the_state(motion):
    """M d qdd = -d tau at the accelerations of forward dynamics."""
    q, v, *_ = motion.values
    M, qdd = motion.evaluated("mass_matrix"), motion.evaluated("forward_dynamics")
    program = trace(motion.robot.model, "inverse_dynamics_derivatives")
    by_q, by_qd = evaluate(program, q, v, qdd)
    fq, fv, ft = motion.evaluated("forward_dynamics_derivatives")
    condition = np.linalg.cond(M)
    assert worst(M @ fq, -by_q) < ROUNDING * condition
    assert worst(M @ fv, -by_qd) < ROUNDING * condition
    assert worst(M @ ft, np.eye(motion.robot.nv)) < ROUNDING * condition
    if motion.robot.nv > 4:
        return  # each alone is one of the three, picked out after the same work, whatever the robot
    for name, expected in (("dq", fq), ("dqd", fv), ("dtau", ft)):
        assert worst(motion.evaluated(f"forward_dynamics_{name}"), expected) < ROUNDING * condition


def test_derivatives_of_the_matrices_by_the_state(motion):
    n = motion.robot.nv
    M, C = motion.form("mass_matrix", motion.q), motion.form("coriolis_matrix", motion.q, motion.v)
    dM = motion.value(motion.gradient(M)).reshape(n, n, n).transpose(1, 0, 2)
    scale = np.abs(motion.value(M)).max()
    assert worst(motion.evaluated("mass_matrix_dq"), dM, scale) < ROUNDING
    if n <= 8:
        dC = motion.value(motion.gradient(C)).reshape(n, n, n).transpose(1, 0, 2)
        assert worst(motion.evaluated("coriolis_matrix_dq"), dC, scale) < ROUNDING
        dCv = motion.value(ca.jacobian(ca.vec(C), motion.v)).reshape(n, n, n).transpose(1, 0, 2)
        assert worst(motion.evaluated("coriolis_matrix_dqd"), dCv, scale) < ROUNDING


def with_other_inertias(robot):
    """Return the robot with random inertial parameters and without rotor inertias."""
    phi = np.random.default_rng(5).normal(size=robot.phi.shape)
    bodies = tuple(replace(body, armature=0.0) for body in robot.model.bodies)
    return cf.Robot(replace(robot.model, bodies=bodies).with_phi(phi)), phi


def test_equations_are_linear_in_the_parameters(motion, other):
    """Regressors of the robot predict the forms of a robot with any other inertias."""
    its, phi = other
    assert worst(motion.evaluated("regressor") @ phi, its.evaluated("inverse_dynamics")) < ROUNDING
    M, C, g = (its.evaluated(name) for name in ("mass_matrix", "coriolis_matrix", "gravity_torque"))
    assert worst(motion.evaluated("mass_matrix_dphi") @ phi, M) < ROUNDING
    if motion.robot.nv <= 8:
        assert worst(motion.evaluated("coriolis_matrix_dphi") @ phi, C, np.abs(M).max()) < ROUNDING
    assert worst(motion.evaluated("gravity_torque_dphi") @ phi, g, scale=1.0) < ROUNDING
    _, _, a, b, _ = motion.values
    reference = M @ b + C @ a + g
    assert worst(motion.evaluated("slotine_li_regressor") @ phi, reference) < ROUNDING
    for form in ("kinetic_energy", "potential_energy"):
        energy = motion.evaluated(f"{form}_regressor") @ phi
        assert worst(energy, its.evaluated(form), scale=1.0) < ROUNDING


CLOSED = [name for name, form in cf.FORMS.items() if form.group == "time" and form.closed]


@pytest.mark.parametrize("form", CLOSED)
def test_closed_forms_of_the_paper_equal_the_recursions(motion, form):
    """As printed (and corrected) for one-dof joints, in their general form for the others."""
    if len(motion.robot.model.bodies) > 7:
        pytest.skip("the block matrices of a long tree are beyond the limit of straight-line code")
    program = trace(motion.robot.model, form, closed=True)
    known = dict(zip(("q", "qd", "qdd", "qddd", "q4"), motion.values, strict=True))
    known |= dict(zip(("wrenches", "wrenches_dot", "wrenches_ddot"), motion.W_values, strict=True))
    given = evaluate(program, *(known[name] for name, _ in program.inputs))
    scale = 1e-3 * np.abs(motion.evaluated("mass_matrix")).max()
    assert worst(given, motion.evaluated(form), scale) < ROUNDING


@pytest.mark.parametrize("form", ["inverse_dynamics", "mass_matrix", "coriolis_matrix", "gravity_torque"])
def test_parameters_can_be_an_input(motion, other, form):
    """A kernel with phi as an input gives what the robot with those parameters gives."""
    its, phi = other
    bare = its.robot.with_phi(motion.robot.phi)
    program = trace(bare.model, form, Variant(phi=True))
    inputs = [motion.values[k] for k in range(len(program.inputs) - 1)]
    scale = 1e-3 * np.abs(its.evaluated("mass_matrix")).max()
    assert worst(evaluate(program, *inputs, phi), its.evaluated(form), scale) < ROUNDING
