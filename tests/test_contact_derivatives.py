"""Derivatives of constrained forward dynamics and of contact forces by q, qd and tau."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from oracles.loop_peer import ContactPeer
from test_contacts import HOLDS, PEER, biped, resting
from tolerances import DIFFERENCE, SOLVE, worst

TILTED = (0.3, 0.2, 0.9)
EVERY = {
    **HOLDS,
    "a face and a surface": [
        cf.Contact("left_sole", "face", TILTED),
        cf.Contact("right_sole", "surface", TILTED),
    ],
    "four corners": [cf.Contact(f"left_corner{k}", "point") for k in range(4)],
}
FORMS = ("forward_dynamics", "contact_forces")


@cache
def programs(name: str) -> dict:
    held = biped().with_contacts(EVERY[name])
    return {each: held.program(each) for form in FORMS for each in (form, f"{form}_derivatives")}


@cache
def state(name: str) -> tuple[np.ndarray, ...]:
    return biped().random_state(len(name) + 3)


def slope(robot: cf.Robot, program, given: tuple[np.ndarray, ...], which: int, *more) -> np.ndarray:
    """Return the derivative by q (along body-frame velocities), qd or tau: differences of sixth order."""
    weights, h = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}, 3e-4
    total = 0.0
    for k, weight in weights.items():
        for s in (1, -1):
            steps, ends = s * k * h * np.eye(robot.nv), list(given)
            ends[which] = robot.integrate(given[0], steps) if which == 0 else given[which] + steps
            every = [np.broadcast_to(each, (robot.nv, *each.shape[-1:])) for each in ends]
            extra = [np.broadcast_to(each, (robot.nv, *each.shape)) for each in more]
            total = total + s * weight / h * evaluate(program, *every, *extra)
    return total.T


@pytest.mark.parametrize("name", EVERY)
def test_derivatives_are_differences(name):
    for form in FORMS:
        found = evaluate(programs(name)[f"{form}_derivatives"], *state(name))
        for which, ours in enumerate(found):
            assert worst(ours, slope(biped(), programs(name)[form], state(name), which)) < DIFFERENCE


@pytest.mark.parametrize("name", EVERY)
def test_contacts_hold_to_first_order(name):
    """J d qdd vanishes for any torques, M d qdd = d tau + J^T d lambda, and d qdd / dtau is symmetric."""
    held, (q, qd, tau) = biped().with_contacts(EVERY[name]), state(name)
    qdd_dtau = evaluate(programs(name)["forward_dynamics_derivatives"], q, qd, tau)[2]
    forces_dtau = evaluate(programs(name)["contact_forces_derivatives"], q, qd, tau)[2]
    J = evaluate(held.program("contact_jacobian"), q)
    M = evaluate(biped().program("mass_matrix"), q)
    assert worst(qdd_dtau, qdd_dtau.T) < SOLVE
    assert np.abs(J @ qdd_dtau).max() < SOLVE * np.abs(qdd_dtau).max()
    assert worst(M @ qdd_dtau, np.eye(len(M)) + J.T @ forces_dtau) < SOLVE


@pytest.mark.parametrize("name", ["a point foot", "a fixed foot"])
def test_derivatives_are_pinocchios(name):
    robot = biped()
    held, (q, qd, tau) = robot.with_contacts(EVERY[name]), state(name)
    qd = resting(held, q, qd)
    found = [each for form in FORMS for each in evaluate(programs(name)[f"{form}_derivatives"], q, qd, tau)]
    for ours, theirs in zip(found, ContactPeer(held).derivatives(q, qd, tau), strict=True):
        assert worst(ours, theirs) < PEER


def test_loads_are_differentiated_too():
    arm = cf.load("puma560").with_damping(0.3).with_springs(20.0)
    held = arm.with_contacts([cf.Contact("link6", "surface")])
    q, qd, tau = arm.random_state(3)
    W = np.random.default_rng(4).normal(size=(len(arm.body_names), 6))
    options = {"wrenches": True, "friction": True, "springs": True}
    found = evaluate(held.program("forward_dynamics_derivatives", **options), q, qd, tau, W)
    program = held.program("forward_dynamics", **options)
    for which, ours in enumerate(found):
        assert worst(ours, slope(arm, program, (q, qd, tau), which, W)) < DIFFERENCE
    kernel = held.forward_dynamics_derivatives(q, qd, tau)
    for which, form in zip(kernel, ("dq", "dqd", "dtau"), strict=True):
        assert worst(which, getattr(held, f"forward_dynamics_{form}")(q, qd, tau)) < SOLVE
