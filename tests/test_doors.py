"""The doors for arrays of other kinds, tried with a stand-in for a library."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.guests import doors, in_kind, kind_of, kinds
from closedform.integration import System, simulate


class Standin(np.ndarray):
    """An array of another library, which may be tracked as those are that have gradients."""

    tracked = False


class Other(np.ndarray):
    """An array of a third library."""


Standin.__module__, Other.__module__ = "standin.arrays", "third.arrays"


def standin(values):
    """Return NumPy's results as stand-ins."""
    if isinstance(values, tuple | list):
        return [standin(each) for each in values]
    return np.asarray(values).view(Standin) if isinstance(values, np.ndarray | np.generic) else values


class Functions:
    """NumPy's functions, whose results are stand-ins."""

    def __getattr__(self, name):
        function = getattr(np, name)
        return lambda *args, **named: standin(function(*args, **named))


def call(kernel, args, out, threads):
    """Evaluate a kernel on stand-ins: all must be."""
    assert all(type(each) is Standin for each in args)
    results = kernel(*[np.array(each) for each in args])
    return standin(results) if kernel.results is None else kernel.results(*standin(results))


@dataclass(frozen=True)
class StandinKind:
    """The kind of stand-ins; on the device "far" nothing is at hand on the host."""

    dtype: Any
    plain: bool
    xp: Any = field(default_factory=Functions)

    def host(self, name, array):
        if array.tracked:
            raise cf.ClosedFormError(f"{name} has no gradient here; detach it")
        return np.array(array)

    def array(self, values):
        given = np.asarray(values)
        return given.astype(self.dtype if given.dtype.kind == "f" else given.dtype).view(Standin)

    constant = array

    def moved(self, array, source, destination):
        return np.moveaxis(array, source, destination)

    def followed(self, array):
        return False

    def stepped(self, *given):
        return doors.marched_kernel(self, *given)

    def march(self, step, start, tables, count):
        states = [start]
        for k in range(count):
            states.append(step(states[-1], k, *(each[k] for each in tables)))
        return tuple(standin(np.stack(parts)) for parts in zip(*states, strict=True))


@pytest.fixture
def near(monkeypatch):
    return _library(monkeypatch, plain=True)


@pytest.fixture
def far(monkeypatch):
    return _library(monkeypatch, plain=False)


def _library(monkeypatch, plain):
    """Make the stand-in known, and return what makes its arrays."""
    module = ModuleType("closedform.guests.standin_kind")

    def kind(name, arrays):
        single = all(each.dtype == np.float32 for each in arrays)
        return StandinKind(np.dtype(np.float32 if single else np.float64), plain)

    module.kind, module.call, module.shortcut = kind, call, lambda kernel: None
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for library in ("standin", "third"):
        for table in (doors.LIBRARIES, kinds.KINDS):
            monkeypatch.setitem(table, library, f"{library}_kind")
    monkeypatch.setattr(doors, "_KNOWN", {})
    monkeypatch.setattr(kinds, "_FOUND", {})
    monkeypatch.setattr(doors, "_LOOKS", dict(doors._LOOKS))
    return lambda values: np.array(values, dtype=float).view(Standin)


class Pair(NamedTuple):
    first: Any
    second: Any


@in_kind
def everything(given, **named):
    """Return results of all sorts."""
    assert type(given) is np.ndarray or not hasattr(given, "dtype")
    return {
        "sum": np.asarray(given).sum(),
        "pair": Pair(np.ones(2), (np.array([True]), np.array([3]))),
        "text": np.array(["a"]),
        "number": 2.0,
        "named": {name: type(each) for name, each in named.items()},
    }


def test_results_of_every_sort_come_back_in_kind(near):
    found = everything(near([1.0, 2.0]), several=[near([1.0]), 2.0], mapped={"a": near([1.0])})
    assert found["sum"] == 3.0
    assert [type(found[name]) for name in ("sum", "pair", "text")] == [Standin, Pair, np.ndarray]
    kept = [found["pair"].first, *found["pair"].second]
    assert [(type(each), each.dtype) for each in kept] == [(Standin, float), (Standin, bool), (Standin, int)]
    assert found["number"] == 2.0
    assert found["named"] == {"several": list, "mapped": dict}


def test_single_precision_comes_back(near):
    assert everything(near([1.0]).astype(np.float32))["sum"].dtype == np.float32


def test_numpy_s_arrays_pass_through_untouched(near):
    given = np.ones(2)
    assert in_kind(lambda x: x)(given) is given
    assert kind_of("f", given, [1.0, 2.0], {"a": given}, "text", None) is None


def test_arrays_are_found_deep_in_lists_mappings_and_records(near):
    motion = cf.load("2r").simulate(near([0.1, 0.2]), duration=2e-3)
    for given in ([[near([1.0])]], {"a": (1.0, near([1.0]))}, motion):
        assert kind_of("f", given) is not None
    endless: list[Any] = []
    endless.append(endless)
    assert kind_of("f", endless) is None


def test_mixed_kinds_are_refused(near):
    with pytest.raises(cf.ClosedFormError, match=r"solve: a NumPy array of shape \(3,\) is beside a Standin"):
        cf.redundancy.solve(cf.load("chang3r"), near([0.4, 0.1]), task="xy", q0=np.zeros(3))
    with pytest.raises(cf.ClosedFormError, match="arrays are Other and Standin; convert them to one kind"):
        everything(near([1.0]), other=np.ones(2).view(Other))


def test_a_gradient_is_never_lost_silently(near):
    given = near([0.4, 0.1])
    given.tracked = True
    with pytest.raises(cf.ClosedFormError, match="has no gradient here"):
        cf.redundancy.resolved_motion(cf.load("chang3r"), [given, given], [0.1, 0.2, 0.3], task="xy")
    with pytest.raises(cf.ClosedFormError, match="polynomial: end has no gradient here"):
        cf.trajectory.polynomial([0.0, 0.0], given, 1.0)


def calls(make):
    """Return calls of applications, with arrays that `make` makes."""
    arm, puma, ball = cf.load("2r"), cf.load("puma560"), cf.load("spherical_pendulum")
    goal = make(puma.pose([0.3, -0.5, 0.4, 0.2, 0.9, -0.1]))
    return {
        "inverse_kinematics": lambda: puma.inverse_kinematics(goal, q0=make(np.zeros(6))),
        "integrate": lambda: ball.integrate(make([0, 0, 0.6, 0.8]), make([0.1, 0.2, 0.3])),
        "euler_angles": lambda: ball.euler_angles(ball.from_euler_angles(make([0.1, 0.2, 0.3]))),
        "q": lambda: arm.q(joint1=make([0.1, 0.2])),
        "qd": lambda: arm.qd({"joint2": 0.1}, qd0=make([0.1, 0.2])),
        "joint_values": lambda: arm.joint_values(make([[0.1, 0.2]])),
        "limit_distance": lambda: arm.with_joint_limits(-1, 2).limit_distance(make([[0.1, 0.2]])),
        "within_limits": lambda: arm.with_joint_limits(-1, 2).within_limits(make([[0.1, 0.2]])),
        "polynomial": lambda: cf.trajectory.polynomial([0, 0], [1, -1], 1.0)(
            make([-1.0, 0.5, 2.0, np.nan]), 1
        ),
        "profile": lambda: cf.trajectory.profile([0, 0], [1, -2], velocity=1, acceleration=[2, 3])(
            make([0.0, 0.1, 1.0])
        ),
        "cosine": lambda: cf.trajectory.stretch(
            cf.trajectory.cosine([0, 1], [0.5, 0.2], [1.0, 0.5], duration=2.0), 1.5
        ).derivatives(make([0.3, 3.0]), 2),
        "friction": lambda: cf.elastic.Friction(0.1, 0.2).torque(make([0.0, 1.0])),
    }


def entries(result):
    """Return the arrays of a result one by one."""
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, tuple | list):
        return [each for part in result for each in entries(part)]
    if hasattr(result, "branches"):
        return [result.q, result.found, result.branches, result.closest, result.position_error]
    return [result]


@pytest.mark.parametrize("name", sorted(calls(np.array)))
@pytest.mark.parametrize("where", ["near", "far"])
def test_applications_answer_in_kind_with_the_same_numbers(request, where, name):
    make = request.getfixturevalue(where)
    ours, theirs = calls(make)[name](), calls(partial(np.array, dtype=float))[name]()
    for one, other in zip(entries(ours), entries(theirs), strict=True):
        assert type(one) is Standin
        np.testing.assert_array_equal(np.array(one), other)


X, U, P = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
PENDULUM = System("pendulum", X, ca.vertcat(X[1], U - P * ca.sin(X[0])), U, P)


@pytest.mark.parametrize("where", ["near", "far"])
@pytest.mark.parametrize("inputs", ["constant", "held", "sampled", "function"])
def test_steps_on_arrays_of_a_kind_are_those_of_numpy(request, where, inputs):
    make = request.getfixturevalue(where)
    rng = np.random.default_rng(0)
    table = {"constant": rng.normal(size=1), "held": rng.normal(size=(3, 1, 10, 1))}
    table["sampled"] = rng.normal(size=(2, 11, 1))
    x0, p = rng.normal(size=(2, 2)), rng.normal(size=(3, 1, 1))
    function = inputs == "function"
    u, v = (lambda t: [np.sin(t)],) * 2 if function else (table[inputs], make(table[inputs]))
    theirs = simulate(PENDULUM, x0, u, 0.1, 0.01, parameters=p)
    ours = simulate(PENDULUM, make(x0), v, 0.1, 0.01, parameters=make(p))
    for name in ("t", "x", "u"):
        np.testing.assert_array_equal(np.array(getattr(ours, name)), getattr(theirs, name))
    assert ours.held == theirs.held


def drives(arm):
    """Return what may drive an arm, as options of a simulation whose arrays are still NumPy's."""
    rng = np.random.default_rng(1)
    law, motion = cf.control.PDGravity(arm, 50.0, 5.0), cf.trajectory.polynomial([0, 0], [1, 1.0], 0.01)
    learning = cf.control.AdaptiveControl(arm, 5.0, 5.0, 0.1)
    return {
        "nothing": {},
        "torques": {"law": rng.normal(size=(3, 10, 2)), "effort_limits": True},
        "law": {"law": law, "reference": motion},
        "learning": {"law": learning, "reference": [0.5, 0.5]},
        "sampled law": {"law": law, "reference": rng.normal(size=(10, 2)), "rate": 500.0},
        "learning in samples": {"law": learning, "reference": [0.5, 0.5], "rate": 1000.0},
        "function": {"law": lambda t, q, qd: -5 * qd - t, "rate": 500.0},
        "wrench": {"wrenches": {"tool": lambda t: [t, 0, 0, 0, 1, 0]}, "law": rng.normal(size=(3, 1, 10, 2))},
        "function and wrench": {
            "law": lambda t, q, qd: -qd,
            "wrenches": {"tool": lambda t: [t, 0, 0, 0, 1, 0]},
        },
        "phi": {"phi": arm.phi * rng.uniform(0.9, 1.1, size=(3, 20)), "friction": True},
    }


@pytest.mark.parametrize("where", ["near", "far"])
@pytest.mark.parametrize("name", sorted(drives(cf.load("2r"))))
def test_motions_of_arrays_of_a_kind_are_those_of_numpy(request, where, name):
    make, arm = request.getfixturevalue(where), cf.load("2r").with_damping(0.1)
    options = {**drives(arm)[name], "duration": 0.01, "step": 1e-3, "method": "rk4"}
    q0 = np.random.default_rng(2).normal(size=(3, 2))
    theirs = arm.simulate(q0, **options)
    ours = arm.simulate(
        make(q0), **{k: make(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    )
    for part in ("t", "q", "qd", "tau", "energy"):
        np.testing.assert_array_equal(np.array(getattr(ours, part)), getattr(theirs, part))
    for one, other in zip(ours.states.values(), theirs.states.values(), strict=True):
        np.testing.assert_array_equal(np.array(one), other)


def test_a_law_of_the_caller_sees_arrays_of_its_kind(near):
    seen = []
    rough = cf.load("2r").with_friction(0.3)
    rough.simulate(
        near([0.1, 0.2]), law=lambda t, q, qd: seen.append(type(q)) or -qd, duration=2e-3, friction=True
    )
    assert set(seen) == {Standin}


def test_phi_is_an_input_of_a_motion():
    arm = cf.load("2r")
    heavy = arm.with_phi(1.5 * arm.phi)
    theirs = heavy.simulate([0.1, 0.2], law=[1.0, 2.0], duration=0.01, method="rk4")
    ours = arm.simulate([0.1, 0.2], law=[1.0, 2.0], duration=0.01, method="rk4", phi=heavy.phi)
    np.testing.assert_allclose(ours.q, theirs.q, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ours.energy, theirs.energy, rtol=1e-12, atol=1e-13)
    both = arm.simulate(
        [0.1, 0.2], law=[1.0, 2.0], duration=0.01, method="rk4", phi=np.stack([arm.phi, heavy.phi])
    )
    np.testing.assert_array_equal(both.q[1], ours.q)
    assert both.energy.shape == (2, 11)
    adaptive = arm.simulate([0.1, 0.2], law=[1.0, 2.0], duration=0.01, method="DOP853", phi=both.phi)
    np.testing.assert_allclose(adaptive.q, both.q, rtol=1e-9, atol=1e-9)
    rough = arm.with_friction(0.1)
    held = rough.simulate([0.1, 0.2], duration=0.01, friction=True, phi=both.phi)
    for k, phi in enumerate(both.phi):
        one = rough.simulate([0.1, 0.2], duration=0.01, friction=True, phi=phi)
        np.testing.assert_array_equal(held.q[k], one.q)


def test_inputs_of_a_part_of_the_batch_axes_go_with_the_others():
    arm, rng = cf.load("2r"), np.random.default_rng(3)
    q0, tau, wrench = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 1, 5, 2)), rng.normal(size=6)
    whole = arm.simulate(q0, law=tau, wrenches={"tool": wrench}, duration=5e-3, method="rk4")
    for i, j in np.ndindex(2, 3):
        one = arm.simulate(q0[i, j], law=tau[i, 0], wrenches={"tool": wrench}, duration=5e-3, method="rk4")
        np.testing.assert_array_equal(whole.q[i, j], one.q)
