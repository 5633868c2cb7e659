"""Frames in every reference and momentum about the centre of mass against Pinocchio, on 20 models or more."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from example_robots import FLOATING, SMALL
from oracles.pinocchio_frames import ANGULAR_FIRST, FramePeer
from oracles.pinocchio_peer import robot_data
from tolerances import ROUNDING, worst

STATES = 4


def test_twenty_models_are_compared():
    assert len(SMALL) >= 20


@pytest.mark.parametrize("path", SMALL)
def test_frames_and_momentum_agree_with_pinocchio(path):
    floating = path in FLOATING
    robot = cf.load(robot_data() / path, floating_base=floating)
    peer = FramePeer(robot_data() / path, robot, floating)
    states = robot.random_state(0, batch=STATES)
    names = robot.body_names
    frame, other = names[-1], names[len(names) // 2]
    for reference in REFERENCES:
        expected = per_state(
            peer,
            states,
            lambda frame=frame, reference=reference: (
                peer.jacobian_in(frame, reference),
                peer.jacobian_dot_in(frame, reference),
                peer.jacobian_dq_in(frame, reference),
                peer.velocity(frame, reference),
                peer.acceleration(frame, reference),
                peer.classical_acceleration(frame, reference),
            ),
        )
        forms = (
            "jacobian",
            "jacobian_dot",
            "jacobian_dq",
            "frame_velocity",
            "frame_acceleration",
            "frame_classical_acceleration",
        )
        check(robot, states, dict(zip(forms, expected, strict=True)), frame, reference=reference)
    expected = per_state(
        peer, states, lambda: (peer.placement(other).actInv(peer.placement(frame)).homogeneous,)
    )
    check(robot, states, {"relative_pose": expected[0]}, frame, relative_to=other)
    expected = per_state(peer, states, lambda: (*peer.momentum(), *peer.centres(frame)))
    forms = (
        "centroidal_momentum",
        "centroidal_momentum_dot",
        "centroidal_momentum_matrix",
        "centroidal_momentum_matrix_dot",
        "com_velocity",
        "com_acceleration",
        "subtree_center_of_mass",
    )
    check(robot, states, dict(zip(forms, expected, strict=True)), frame)


def per_state(peer, states, values):
    """Return arrays over the states of what Pinocchio gives."""
    rows = []
    for state in zip(*states, strict=True):
        peer.moved(*state)
        rows.append(values())
    return [np.array(each) for each in zip(*rows, strict=True)]


def check(robot, states, expected, frame, **choices):
    for name, theirs in expected.items():
        form = cf.FORMS[name]
        variant = Variant(frame if form.framed else None, **choices)
        ours = evaluate(trace(robot.model, name, variant, closed=False), *states[: len(form.takes)])
        assert worst(ours, theirs, scale=1.0) < ROUNDING, (name, choices)


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_relative_jacobian_is_the_difference_of_twists(reference):
    """Twists of Pinocchio, moved to the axes and the point of the reference."""
    path = "anymal_b_simple_description/robots/anymal-kinova.urdf"
    robot = cf.load(robot_data() / path, floating_base=True)
    peer = FramePeer(robot_data() / path, robot, True)
    q, qd, qdd = robot.random_state(3)
    peer.moved(q, qd, qdd)
    frame, other = robot.body_names[-1], robot.body_names[3]
    one, two = peer.placement(frame), peer.placement(other)
    twists = [peer.jacobian_in(each, "world")[ANGULAR_FIRST] for each in (frame, other)]
    seen = {"body": one, "world": two, "world_aligned": type(one)(two.rotation, one.translation)}[reference]
    expected = seen.inverse().action @ (twists[0] - twists[1])
    program = trace(
        robot.model, "relative_jacobian", Variant(frame, relative_to=other, reference=reference), closed=False
    )
    ours = evaluate(program, q)
    assert worst(ours, expected[ANGULAR_FIRST]) < ROUNDING
    assert not ours[:, :6].any(), "the floating base carries both frames"
