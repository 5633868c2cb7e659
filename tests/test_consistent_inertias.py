"""Inertias that rigid bodies can have: the optimum, what is known of them, and geometry-only robots."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import mpmath
import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify
from closedform.identification.workflow import cone as cone_module
from closedform.identification.workflow.cone import (
    MARGIN,
    Cone,
    InconsistentError,
    _newton_step,
    least_squares_inside,
)
from closedform.identification.workflow.known_inertias import KnownInertias
from closedform.model.inertia import pseudo_inertia
from identification_logs import fourier_motion, noisy
from tolerances import worst

VISCOUS = FrictionTerms(coulomb=None)


@pytest.fixture(scope="module")
def arm():
    return cf.load("puma560")


@pytest.fixture(scope="module")
def log(arm):
    motion = fourier_motion(arm, 3, 10, 100)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd
    return {"t": motion.t, "q": motion.q, "tau": noisy(tau, 0.02, 3)}


@pytest.fixture(scope="module")
def bare(arm):
    """The arm as a table of its geometry describes it."""
    bodies = tuple(replace(body, phi=np.zeros(10), armature=0.0) for body in arm.model.bodies)
    return cf.Robot(replace(arm.model, bodies=bodies, has_inertia=False))


def test_the_fit_inside_the_cone_is_the_optimum_of_another_solver():
    """Against Clarabel, with bounds and equations, from rows that no bodies explain."""
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(0)
    start = np.append(np.tile([2.0, 0, 0, 2, 0, 2, 0, 0, 0, 1], 2), 1.0)
    A, b = rng.normal(size=(40, 21)), 5 * rng.normal(size=40)
    mass = np.zeros((1, 21))
    mass[0, [9, 19]] = 1.0
    cone = Cone(
        2, np.concatenate([np.eye(21)[20:], -np.eye(21)[9:10]]), np.array([0, -1.2]), mass, np.array([2])
    )
    x = least_squares_inside(A, b, cone, start)
    u = cvxpy.Variable(21)
    bodies = [
        sum(u[10 * i + k] * pseudo_inertia(np.eye(10)[k]) for k in range(10)) >> MARGIN * np.eye(4)
        for i in range(2)
    ]
    bounds = [u[20] >= 0, u[9] <= 1.2, u[9] + u[19] == 2]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(A @ u - b)), [*bodies, *bounds])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cvxpy.CLARABEL)
    assert np.sum((A @ x - b) ** 2) == pytest.approx(problem.value, abs=1e-3)
    assert x == pytest.approx(u.value, abs=2e-3)
    assert x[9] < 1.2
    assert x[9] + x[19] == pytest.approx(2, abs=1e-12)


def test_steps_of_the_fit_inside_the_cone_keep_digits_that_the_hessian_loses():
    """Against 50 digits: the Hessian's entries tell its least eigenvalues no more."""
    rng = np.random.default_rng(4)
    Q, V = (np.linalg.qr(rng.normal(size=(n, 6)))[0] for n in (8, 6))
    F, e, g = Q * np.logspace(0, -9, 6) @ V.T, np.logspace(-8, -10, 6), rng.normal(size=6)
    with mpmath.workdps(50):
        H = mpmath.matrix(F).T * mpmath.matrix(F) + mpmath.diag([mpmath.mpf(x) ** 2 for x in e])
        exact = np.array(mpmath.lu_solve(H, mpmath.matrix(-g)).T.tolist()[0], dtype=float)
    step = _newton_step(F, e, g)
    assert -g @ step == pytest.approx(-g @ exact, rel=1e-6)
    root = np.concatenate([F, np.diag(e)])
    assert np.linalg.norm(root @ (step - exact)) < 1e-6 * np.linalg.norm(root @ exact)


@pytest.mark.parametrize("step", [np.nan, 1e12])
def test_the_fit_inside_the_cone_never_takes_a_step_that_does_not_help(step, monkeypatch):
    """Steps that round-off spoils, or makes far too long, end in what is said if nothing was found."""
    start = np.array([2.0, 0, 0, 2, 0, 2, 0, 0, 0, 1])
    cone = Cone(1, np.zeros((0, 10)), np.zeros(0), np.zeros((0, 10)), np.zeros(0))
    monkeypatch.setattr(cone_module, "_newton_step", lambda F, e, g: step * -g)
    with pytest.raises(InconsistentError, match="no bodies that can exist"):
        least_squares_inside(np.eye(10), np.zeros(10), cone, start)


def test_identified_bodies_can_exist_without_any_solver_installed(arm, log, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    result = identify(arm, log, friction=VISCOUS, hold_out=1.0)
    for phi in result.robot.phi.reshape(-1, 10):
        assert np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0
    held = result.trace.held_out
    wrong, power = (
        np.sum((x[held]) ** 2)
        for x in (result.trace.measured - result.trace.predicted, result.trace.measured)
    )
    assert np.sqrt(wrong / power) == pytest.approx(result.held_out.total, rel=1e-6)
    note = next(note for note in result.notes if "physically consistent" in note)
    assert f"{100 * result.held_out.total:.3g} % of rows held out instead of" in note


def test_a_robot_without_inertias_is_not_pulled_to_spheres_of_one_kilogram(arm, bare, log):
    found = identify(bare, log, friction=VISCOUS)
    assert found.cross_validation.total < 0.025  # noise of 2 %, less what the filters take
    assert 0.2 < found.robot.phi[19] / arm.phi[19] < 5  # the upper arm, 17.4 kg
    heavy = identify(bare, log | {"tau": 100 * log["tau"]}, friction=VISCOUS)
    assert worst(heavy.robot.phi, 100 * found.robot.phi) < 1e-3  # nothing but the log has a scale
    assert heavy.fitted.total == pytest.approx(found.fitted.total, rel=1e-3)


def test_what_is_known_of_masses_and_symmetries_holds(arm, log):
    result = identify(
        arm,
        log,
        friction=VISCOUS,
        mass_bounds={"link2": (10, 12), "link3": 4.8, "link6": (0.05, 0.2)},
        total_mass=30.0,
        symmetric={"link2": "zx", "link6": "z"},
    )
    phi = result.robot.phi.reshape(-1, 10)
    assert 10 < phi[1, 9] < 12
    assert 0.05 < phi[5, 9] < 0.2
    assert phi[2, 9] == pytest.approx(4.8)
    assert phi[:, 9].sum() == pytest.approx(30)
    assert np.abs(phi[1, [1, 4, 7]]).max() < 1e-9  # XY, YZ and MY of a body that y = 0 divides evenly
    assert np.abs(phi[5, [1, 2, 4, 6, 7]]).max() < 1e-9
    assert phi[5, 0] == pytest.approx(phi[5, 3])
    assert all(np.linalg.eigvalsh(pseudo_inertia(row))[0] > 0 for row in phi)
    free = identify(arm, log, friction=VISCOUS, physical=True)
    assert result.fitted.total >= free.fitted.total


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mass_bounds": {"link9": (1, 2)}}, "'link9'.*link1"),
        ({"mass_bounds": {"link2": (5, 2)}}, "'link2' is .5, 2.; expected .lowest, highest. in kg"),
        ({"mass_bounds": [1, 2]}, "a mapping of bodies"),
        (
            {"mass_bounds": {"link2": (4, 9), "link3": (2, 3), "link4": (0.1, 1)}, "total_mass": 5},
            "link2 at least",
        ),
        (
            {"mass_bounds": {f"link{k}": (0, 1) for k in range(1, 7)}, "total_mass": 8},
            "2 kg more than all of them",
        ),
        ({"total_mass": -1}, "total_mass"),
        ({"symmetric": {"link2": "zz"}}, "'link2' is 'zz'; expected x, y or z"),
        ({"total_mass": 10, "physical": False}, "physical is False"),
    ],
)
def test_contradictions_are_named(arm, log, given, words):
    with pytest.raises(cf.ClosedFormError, match=words):
        identify(arm, log, friction=VISCOUS, **given)


def test_the_fewest_masses_that_contradict_each_other_are_named():
    with pytest.raises(cf.ArgumentError) as caught:
        KnownInertias.of("abcd", {"a": (1, 2), "b": (4, 9), "c": (3, 4)}, total_mass=6)
    assert "make b at least 4 kg, c at least 3 kg, total_mass is 6 kg, 1 kg too much" in str(caught.value)
    exact = KnownInertias.of("ab", {"a": 1.0, "b": 2.0}, total_mass=3)
    assert exact.masses(np.ones(2)) == pytest.approx([1, 2])
