"""Wrenches in any axes and their time and state derivatives, against CasADi's differentiation of J^T W."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from conftest import make
from oracles.casadi_rates import Traced, coordinate_rates
from tolerances import ROUNDING, worst

SMALL = ("2r", "spherical_pendulum", "screw_lift")
TREES = (("tree0", "world_aligned"), ("tree4", "body"), ("tree1", "world_aligned"), ("tree3", "world"))
CASES = [*((name, reference) for name in SMALL for reference in REFERENCES), *TREES]
"""Trees 1 and 3 have joints of every kind, tree 0 a mimic joint; each pair takes a second or two."""


class Pushed(Traced):
    """A motion with wrenches at two frames: J^T W from poses and Jacobians, differentiated by CasADi."""

    def __init__(self, robot: cf.Robot) -> None:
        super().__init__(robot)
        rng = np.random.default_rng(5)
        frames = robot.frame_names
        self.frames = (frames[-1], frames[len(frames) // 2])
        self.W = [ca.SX.sym(f"W{k}", 2, 6) for k in range(3)]
        self.more = [ca.SX.sym("j", robot.nv), ca.SX.sym("s", robot.nv)]
        self.values = dict(
            zip(("q", "qd", "qdd", "qddd", "q4"), robot.random_state(rng, order=4), strict=True)
        )
        self.pushes = dict(
            zip(("wrenches", "wrenches_dot", "wrenches_ddot"), rng.normal(size=(3, 2, 6)), strict=True)
        )
        self.values["tau"] = 3 * self.values["qdd"]

    def torque(self, reference: str) -> ca.SX:
        """Return J^T W of wrenches in these axes, turned into each frame's own by its pose."""
        total = ca.SX.zeros(self.robot.nv)
        for k, frame in enumerate(self.frames):
            T, J = self.form("pose", self.q, frame=frame), self.form("jacobian", self.q, frame=frame)
            n, f = self.W[0][k, :3].T, self.W[0][k, 3:].T
            n = n - ca.cross(T[:3, 3], f) if reference == "world" else n
            R = ca.SX.eye(3) if reference == "body" else T[:3, :3]
            total += J.T @ ca.vertcat(R.T @ n, R.T @ f)
        return total

    def rate(self, expression: ca.SX) -> ca.SX:
        """Return the time derivative along the motion, wrenches changing too."""
        rates = [self.v, self.a, *self.more]
        dot = ca.jtimes(expression, self.q, coordinate_rates(self.robot, self.q, self.v))
        for low, high in pairwise(rates):
            dot += ca.jtimes(expression, low, high)
        for low, high in pairwise(self.W):
            dot += ca.jtimes(expression, ca.vec(low), ca.vec(high))
        return dot

    def value(self, expression: ca.SX) -> np.ndarray:
        symbols = [self.q, self.v, self.a, *self.more, *self.W]
        function = ca.Function("f", symbols, [ca.densify(expression)])
        return np.array(function(*list(self.values.values())[:5], *self.pushes.values()))

    def evaluated(self, name: str, order: int | None = None, **choices) -> np.ndarray:
        """Return a form of the library at the motion, through its program."""
        known = {**self.values, **self.pushes}
        inputs = form(name, order, **choices).inputs
        program = trace(self.robot.model, name, Variant(order=order, **choices))
        return evaluate(program, *(known[each] for each in inputs))


FITTED = 1e-6
"""The fifth derivative of a polynomial fitted over 0.1 s: round-off divided by 0.05^5."""


@cache
def pushed(name: str) -> Pushed:
    return Pushed(make(name))


@pytest.mark.parametrize(("name", "reference"), CASES)
def test_time_derivatives_see_bodies_turn_under_wrenches(name, reference):
    it = pushed(name)
    order = 2 if name in SMALL else 1
    expected = [it.torque(reference)]
    for _ in range(order):
        expected.append(it.rate(expected[-1]))
    chosen = {"wrenches": it.frames, "reference": reference}
    ours = it.evaluated("external_torque_rates", order, **chosen)
    pushed_along = it.evaluated("inverse_dynamics_rates", order, **chosen)
    free = it.evaluated("inverse_dynamics_rates", order)
    for k, expression in enumerate(expected):
        tau = it.value(expression)[:, 0]
        assert worst(ours[k], tau) < ROUNDING, k
        assert worst(pushed_along[k], free[k] - tau, np.abs(tau).max()) < ROUNDING, k


@pytest.mark.parametrize(("name", "reference"), CASES)
def test_state_derivatives_see_what_stays_and_what_turns(name, reference):
    it = pushed(name)
    chosen = {"wrenches": it.frames, "reference": reference}
    by_q = it.value(it.gradient(it.torque(reference)))
    assert worst(it.evaluated("external_torque_dq", **chosen), by_q) < ROUNDING
    ours, free = (it.evaluated("inverse_dynamics_derivatives", **each) for each in (chosen, {}))
    assert worst(ours[0], free[0] - by_q, np.abs(by_q).max()) < ROUNDING
    assert worst(ours[1], free[1]) < ROUNDING


def test_high_orders_change_observers_by_another_rule():
    """Beyond four terms a series passes to another observer by the transformation's own series."""
    robot = cf.load("2r")
    it, order = Pushed(robot), 5
    rng = np.random.default_rng(2)
    motion = [*robot.random_state(rng, order=order)]
    wrenches = rng.normal(size=(order + 1, 2, 6))
    for reference in REFERENCES:
        chosen = {"wrenches": it.frames, "reference": reference}
        whole = evaluate(
            trace(robot.model, "external_torque_rates", Variant(order=order, **chosen)), *motion, *wrenches
        )
        steps = np.linspace(-0.05, 0.05, 11)
        powers = steps[:, None] ** np.arange(order + 1) / [1, 1, 2, 6, 24, 120]
        at = evaluate(
            trace(robot.model, "external_torque", Variant(**chosen)),
            powers @ np.array(motion),
            np.tensordot(powers, wrenches, 1),
        )
        fitted = np.polynomial.Polynomial.fit
        for joint in range(robot.nv):
            curve = fitted(steps, at[:, joint], 10).convert().coef
            scale = np.array([1, 1, 2, 6, 24, 120])
            mine = np.array([each[joint] for each in whole])
            assert worst(mine / scale, curve[:6]) < FITTED


def test_wrenches_of_all_bodies_and_of_their_frames_are_the_same():
    robot = make("tree0")
    q, qd, qdd = robot.random_state(0, batch=4)
    W = np.random.default_rng(1).normal(size=(4, len(robot.body_names), 6))
    for reference in REFERENCES:
        values = [
            evaluate(trace(robot.model, "inverse_dynamics", Variant(wrenches=it, reference=reference)), *all_)
            for it, all_ in ((True, (q, qd, qdd, W)), (robot.body_names, (q, qd, qdd, W)))
        ]
        assert worst(*values) < ROUNDING


def test_forward_dynamics_undoes_inverse_dynamics_with_wrenches_and_friction():
    robot = make("tree2").with_damping(0.3).with_friction(0.2)
    q, qd, qdd = robot.random_state(3, batch=5)
    W = np.random.default_rng(1).normal(size=(5, len(robot.body_names), 6))
    variant = Variant(wrenches=True, reference="world_aligned", friction=True)
    tau = evaluate(trace(robot.model, "inverse_dynamics", variant), q, qd, qdd, W)
    assert worst(evaluate(trace(robot.model, "forward_dynamics", variant), q, qd, tau, W), qdd) < 1e-10


def test_a_wrench_on_what_is_fixed_to_the_base_does_nothing():
    robot = cf.load("2r")
    base = next(frame.name for frame in robot.model.frames if frame.body < 0)
    q, qd, qdd = robot.random_state(0)
    pushed = robot.inverse_dynamics(q, qd, qdd, wrenches={base: np.ones(6)}, reference="world")
    assert np.array_equal(pushed, robot.inverse_dynamics(q, qd, qdd))


def test_a_weight_hung_on_the_tool_is_gravity_of_a_payload():
    """A payload's weight is a force in the base's axes at its centre, wherever the arm turns."""
    robot = cf.load("panda")
    heavy = robot.with_payload(2.0, (0.0, 0.1, 0.2), frame="tool").with_frame("load", "tool", (0.0, 0.1, 0.2))
    q, _, _ = robot.random_state(0, batch=3)
    rest = np.zeros_like(q)
    weight = {"load": np.array([0, 0, 0, 0, 0, -2.0 * 9.81])}
    light = robot.with_frame("load", "tool", (0.0, 0.1, 0.2))
    hung = light.inverse_dynamics(q, rest, rest, wrenches=weight, reference="world_aligned")
    assert worst(hung, heavy.gravity_torque(q)) < ROUNDING


def test_calls_take_wrenches_by_frame_by_array_and_by_name():
    robot = cf.load("2r")
    q, qd, qdd = robot.random_state(0, batch=(2, 3))
    w, rate = np.arange(6.0), np.ones((3, 6))
    J = robot.jacobian(q, "tool")
    torque = J.swapaxes(-1, -2) @ w
    free = robot.inverse_dynamics(q, qd, qdd)
    assert worst(robot.external_torque(q, {"tool": w}), torque) < ROUNDING
    assert worst(robot.external_torque(q, wrenches={"tool": w}), torque) < ROUNDING
    assert worst(robot.inverse_dynamics(q, qd, qdd, wrenches={"tool": w}), free - torque) < ROUNDING
    assert np.array_equal(robot.inverse_dynamics(q, qd, qdd, wrenches={}), free)
    assert np.array_equal(robot.inverse_dynamics(q, qd, qdd, wrenches=None), free)
    assert worst(robot.bias_force(q, qd, wrenches={"tool": w}), robot.bias_force(q, qd) - torque) < ROUNDING
    tau, tau_dot = robot.inverse_dynamics_rates(
        q, qd, qdd, np.zeros_like(q), wrenches={"tool": w}, wrenches_dot={"tool": rate}
    )
    plain = robot.inverse_dynamics_rates(q, qd, qdd, np.zeros_like(q))
    moved = robot.jacobian_dot(q, qd, "tool").swapaxes(-1, -2) @ w + np.einsum("...ij,...i->...j", J, rate)
    assert worst(tau, free - torque) < ROUNDING
    assert worst(tau_dot, plain[1] - moved) < ROUNDING


WRONG = {
    "unknown frame 'tol'": {"wrenches": {"tol": np.zeros(6)}},
    "expected True or names of frames": {"wrenches": {3: np.zeros(6)}},
    r"wrenches\['tool'\] has shape \(5,\)": {"wrenches": {"tool": np.zeros(5)}},
    r"wrenches has shape \(3, 6\); expected \(\.\.\., 2, 6\)": {"wrenches": np.zeros((3, 6))},
    "unknown reference 'base'": {"wrenches": np.zeros((2, 6)), "reference": "base"},
    "reference is that of wrenches": {"reference": "world"},
    "not of the same frames": {"wrenches": {"tool": np.zeros(6)}, "wrenches_dot": np.zeros((2, 6))},
    "friction is 'dry'": {"friction": "dry"},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_wrenches_say_what_is_wrong(message):
    robot = cf.load("2r")
    with pytest.raises(cf.ClosedFormError, match=message):
        robot.inverse_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), **WRONG[message])


def test_names_of_no_frame_are_refused():
    with pytest.raises(cf.ArgumentError, match="names no frame"):
        cf.load("2r").external_torque(np.zeros(2), {})
