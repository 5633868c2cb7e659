"""A foot or tool held on the ground: constrained dynamics, impacts and contact forces."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from oracles.loop_mechanisms import Bodies, X, Y, Z, at, rod
from oracles.loop_peer import ContactPeer

PEER = 1e-9


@cache
def biped() -> cf.Robot:
    """Return a trunk on a free base with two legs of three joints; each foot has four corners."""
    made = Bodies()
    trunk = made.add(
        "trunk", -1, at((0, 0, 1)), cf.Inertial.of(10.0, (0.01, 0, 0.2), 0.3 * np.eye(3)), free=True
    )
    for side, y in (("left", 0.1), ("right", -0.1)):
        thigh = made.add(f"{side}_hip", trunk, at((0, y, 1)), rod(3.0, 0.4, -Z), turn=Y)
        shin = made.add(f"{side}_knee", thigh, at((0, y, 0.6)), rod(2.0, 0.4, -Z), turn=Y)
        foot = made.add(f"{side}_ankle", shin, at((0, y, 0.2)), rod(1.0, 0.2, X), turn=X)
        made.frame(f"{side}_sole", foot, at((0, y, 0.1)))
        for k, (dx, dy) in enumerate([(0.1, 0.05), (0.1, -0.05), (-0.1, 0.05), (-0.1, -0.05)]):
            made.frame(f"{side}_corner{k}", foot, at((dx, y + dy, 0.1)))
    return made.robot("biped")


def value(held, form: str, *inputs: np.ndarray):
    return evaluate(held.program(form), *inputs)


def resting(held, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return velocities at which contacts do not move: what a held turn does to others differs else."""
    J = value(held, "contact_jacobian", q)
    return qd - np.linalg.pinv(J, rcond=1e-10) @ J @ qd


HOLDS = {
    "a point foot": [cf.Contact("left_sole", "point")],
    "a fixed foot": [cf.Contact("left_sole", "fixed")],
    "a fixed foot and a point": [cf.Contact("left_sole", "fixed"), cf.Contact("right_corner0", "point")],
}


@pytest.mark.parametrize("name", HOLDS)
def test_forward_dynamics_and_forces_are_pinocchios(name):
    held = biped().with_contacts(HOLDS[name])
    peer = ContactPeer(held)
    rng = np.random.default_rng(0)
    q, qd, tau = biped().random_state(rng, batch=3)
    qd = np.array([resting(held, *each) for each in zip(q, qd, strict=True)])
    qdd, forces = value(held, "forward_dynamics", q, qd, tau), value(held, "contact_forces", q, qd, tau)
    for k in range(3):
        theirs, pushed = peer.forward_dynamics(q[k], qd[k], tau[k])
        assert np.abs(qdd[k] - theirs).max() < PEER * np.abs(theirs).max()
        if name == "a point foot":
            assert np.abs(forces[k] - pushed).max() < PEER * np.abs(pushed).max()


def test_contacts_do_not_accelerate_and_forces_balance():
    robot = biped()
    normal = (0.3, 0.2, 0.9)
    held = robot.with_contacts(
        [cf.Contact("left_sole", "face", normal), cf.Contact("right_sole", "surface", normal)]
    )
    q, qd, tau = robot.random_state(1)
    qdd, forces = value(held, "forward_dynamics", q, qd, tau), value(held, "contact_forces", q, qd, tau)
    J = value(held, "contact_jacobian", q)
    assert np.abs(value(held, "contact_acceleration", q, qd, qdd)).max() < 1e-10
    balance = evaluate(robot.program("inverse_dynamics"), q, qd, qdd) - tau - J.T @ forces
    assert np.abs(balance).max() < 1e-9
    # J qdd + J' qd is the derivative of J qd: by differences, along the motion
    step = 1e-6
    ahead, behind = (robot.integrate(q, s * qd + 0.5 * s * s * qdd) for s in (step, -step))
    rate = value(held, "contact_jacobian", ahead) @ (qd + step * qdd)
    rate -= value(held, "contact_jacobian", behind) @ (qd - step * qdd)
    assert np.abs(rate).max() / (2 * step) < 1e-5
    # the row of the normal is the velocity along it
    twist = evaluate(robot.program("frame_velocity", "right_sole", reference="world_aligned"), q, qd)
    assert np.isclose(J[3] @ qd, np.array(normal) / np.linalg.norm(normal) @ twist[3:])


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_impact_is_pinocchios_and_loses_energy(restitution):
    robot = biped()
    contacts = [cf.Contact("left_sole", "fixed"), cf.Contact("right_corner1", "point")]
    held = robot.with_contacts(contacts, restitution=restitution)
    q, qd = robot.random_state(2)[:2]
    after, impulses = value(held, "impact", q, qd)
    theirs = ContactPeer(held).impact(q, qd, restitution)
    assert np.abs(after - theirs).max() < PEER * np.abs(theirs).max()
    J, M = value(held, "contact_jacobian", q), evaluate(robot.program("mass_matrix"), q)
    assert np.allclose(J @ after, -restitution * J @ qd, atol=1e-10)
    assert np.allclose(M @ (after - qd), J.T @ impulses, atol=1e-9)
    assert after @ M @ after < qd @ M @ qd


def test_four_corners_hold_a_foot_as_one_frame_does_with_forces_of_least_norm():
    robot = biped()
    whole = robot.with_contacts([cf.Contact("left_sole", "fixed")])
    corners = robot.with_contacts([cf.Contact(f"left_corner{k}", "point") for k in range(4)])
    assert (len(corners.row_names), corners.rank) == (12, 6)
    q, qd, tau = robot.random_state(3)
    qd = resting(whole, q, qd)
    qdd = value(corners, "forward_dynamics", q, qd, tau)
    assert np.allclose(qdd, value(whole, "forward_dynamics", q, qd, tau), rtol=1e-9, atol=1e-9)
    J, forces = value(corners, "contact_jacobian", q), value(corners, "contact_forces", q, qd, tau)
    wanted = evaluate(robot.program("inverse_dynamics"), q, qd, qdd) - tau
    least = np.linalg.lstsq(J.T, wanted, rcond=1e-10)[0]
    assert np.allclose(forces, least, rtol=1e-8, atol=1e-8 * np.abs(least).max())


def test_inverse_dynamics_stands_on_contact_forces_of_least_norm():
    robot = biped()
    held = robot.with_contacts([cf.Contact(f"{side}_sole", "fixed") for side in ("left", "right")])
    q, qd, qdd = robot.random_state(4)
    tau, forces = value(held, "inverse_dynamics", q, qd, qdd)
    J = value(held, "contact_jacobian", q)
    full = evaluate(robot.program("inverse_dynamics"), q, qd, qdd)
    assert np.allclose(tau + J.T @ forces, full, atol=1e-9)
    assert not tau[:6].any()
    least = np.linalg.lstsq(J[:, :6].T, full[:6], rcond=None)[0]
    assert np.allclose(forces, least, atol=1e-9)


def test_a_robot_with_a_fixed_base_needs_no_contact_forces_to_move():
    arm = cf.load("2r")
    held = arm.with_contacts([cf.Contact(arm.frame_names[-1], "surface", (0, 1, 0))])
    q, qd, qdd = arm.random_state(0)
    tau, forces = held.inverse_dynamics(q, qd, qdd)
    assert np.allclose(tau, arm.inverse_dynamics(q, qd, qdd))
    assert not forces.any()
    assert held.forward_dynamics(q, qd, tau).shape == (2,)
    assert "1 contacts of rank 1" in repr(held)


def test_bad_contacts_are_refused_with_names():
    robot = biped()
    with pytest.raises(cf.UnknownNameError, match="toe"):
        robot.with_contacts([cf.Contact("toe")])
    with pytest.raises(cf.ArgumentError, match="fixed to the base"):
        robot.with_contacts([cf.Contact("base")])
    with pytest.raises(cf.ArgumentError, match="twice"):
        robot.with_contacts([cf.Contact("left_sole"), cf.Contact("left_sole", "fixed")])
    with pytest.raises(cf.ArgumentError, match="no contacts"):
        robot.with_contacts([])
    with pytest.raises(cf.ArgumentError, match="restitution is 2"):
        robot.with_contacts([cf.Contact("left_sole")], restitution=2)
    with pytest.raises(cf.UnknownNameError, match="wheel"):
        robot.with_contacts([cf.Contact("left_sole")], actuated=["wheel"])
    with pytest.raises(cf.ArgumentError, match="kind"):
        cf.Contact("left_sole", "glued")
    with pytest.raises(cf.ArgumentError, match="normal has zero length"):
        cf.Contact("left_sole", "surface", (0, 0, 0))
    one = robot.with_contacts([cf.Contact("left_sole", "point")])
    with pytest.raises(cf.ClosedFormError, match="push 3 of the 6 velocities"):
        one.program("inverse_dynamics")
