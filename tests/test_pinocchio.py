"""Every form against Pinocchio on the models of example-robot-data, 100 random states each."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from example_robots import FIXED_BASE, FLOATING_BASE
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import ROUNDING, worst

STATES = 100
NO_PEER = {"jacobian_ddot", "mass_matrix_inverse", "drive_torque"}
"""Pinocchio has no second derivative of a Jacobian (`test_kinematics_theory` checks it), its M^-1 loses
digits where links are light (`test_forces_pinocchio`), and it adds no friction and offsets of drives."""


def test_enough_models_are_compared():
    assert len(FIXED_BASE | FLOATING_BASE) >= 30


@pytest.mark.parametrize("path", sorted(FIXED_BASE | FLOATING_BASE))
def test_every_form_agrees_with_pinocchio(path):
    floating = path in FLOATING_BASE
    robot = cf.load(robot_data() / path, floating_base=floating)
    peer = Peer(robot_data() / path, robot, floating)
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random_state(rng, batch=STATES)
    inputs = {
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "tau": 10 * qdd,
        "wrenches": rng.normal(size=(STATES, len(robot.body_names), 6)),
    }
    for name, form in BASIC.items():
        if name in NO_PEER:
            continue
        frame = robot.body_names[-1] if form.framed else None
        arrays = [inputs[each] for each in form.inputs]
        ours = evaluate(trace(robot.model, name, Variant(frame), closed=False), *arrays)
        extra = [frame] if frame else []
        if name == "coriolis_matrix":
            ours = np.einsum("bij,bj->bi", ours, qd)
            theirs = [peer.coriolis_force(*state) for state in zip(*arrays, strict=True)]
        else:
            theirs = [getattr(peer, name)(*state, *extra) for state in zip(*arrays, strict=True)]
        scale = 1.0 if name in ("jacobian_dot", "potential_energy") else 0.0
        assert worst(ours, np.array(theirs), scale) < ROUNDING, name
