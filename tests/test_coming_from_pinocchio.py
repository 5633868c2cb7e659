"""Every row of the page for people who know Pinocchio, run on both sides and compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from call_tables import Row, Traced, begun, rows, run
from closedform.programs import evaluate, trace
from oracles.pinocchio_peer import robot_data
from tolerances import ROUNDING, SOLVE, worst

PAGE = Path(__file__).parents[1] / "docs" / "coming-from-pinocchio.md"
ROBOTS = {
    "arm": ("finger_edu_description/robots/finger_edu.urdf", "finger_tip_link"),
    "free-flyer": ("bolt_description/robots/bolt.urdf", "FL_FOOT"),
    "mimic": ("panda_description/urdf/panda.urdf", "panda_rightfinger"),
}
"""A file and one of its links."""

INVERTED = ("pin.aba", "pin.computeMinverse", "pin.computeABADerivatives")


def is_of(row: Row, robot: str) -> bool:
    """Return whether a row says that it holds for such a robot."""
    words = {"fixed base only": "free-flyer", "joints of one dof only": "free-flyer"}
    if "free-flyer only" in row.differs:
        return robot == "free-flyer"
    if "without mimic joints" in row.differs:
        return robot != "mimic"
    return not any(word in row.differs and robot == other for word, other in words.items())


def side_by_side(name: str) -> dict[str, object]:
    """Return what the cells of the table name."""
    file, frame = ROBOTS[name]
    path = str(robot_data() / file)
    floating = name == "free-flyer"
    robot = cf.load(path, floating_base=floating)
    model = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if floating else []))
    there = cf.convert.Pinocchio(robot, model)
    rng = np.random.default_rng(5)
    q, qd, qdd = robot.random_state(rng)
    q1, tau = robot.random_state(rng)[0], 10 * rng.normal(size=robot.nv)
    W = rng.normal(size=(len(robot.body_names), 6))
    k = len(robot.body_names) // 2
    joint, body = robot.model.bodies[k].joint_name, robot.body_names[k]
    return {
        "np": np,
        "pin": pin,
        "cf": cf,
        "path": path,
        "robot": Traced(robot),
        "model": model,
        "data": model.createData(),
        "there": there,
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "q1": q1,
        "tau": tau,
        "W": W,
        "q_pin": there.to_q(q),
        "v": there.to_v(qd),
        "a": there.to_v(qdd),
        "q1_pin": there.to_q(q1),
        "tau_pin": there.to_tau(tau),
        "forces": [pin.Force(each) for each in there.to_wrenches(W)],
        "frame": frame,
        "frame_id": model.getFrameId(frame, pin.BODY),
        "joint": joint,
        "joint_id": model.getJointId(joint),
        "body": body,
    }


def test_the_page_has_thirty_calls():
    table = rows(PAGE)
    assert len(table) >= 30
    assert len(table) == begun(PAGE), "a row that is not run"
    assert len({row.theirs for row in table}) == len(table)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_row_gives_the_same_numbers(name):
    names = side_by_side(name)
    for row in rows(PAGE):
        if not is_of(row, name):
            continue
        names["x"] = run(row.theirs, names)
        names["ours"] = run(row.ours, names)
        theirs = run(row.converter, names)
        ours = names["ours"].phi if isinstance(names["ours"], cf.Robot) else names["ours"]
        if "at random" in row.differs:
            assert np.shape(ours) == np.shape(theirs), row
            continue
        limit = SOLVE if row.theirs.startswith(INVERTED) else ROUNDING
        pairs = zip(ours, theirs, strict=True) if isinstance(theirs, list) else [(ours, theirs)]
        for mine, other in pairs:
            assert np.shape(mine) == np.shape(other), row
            assert worst(mine, other, scale=1.0) < limit, row


def test_mimic_joints_may_have_no_coordinates_there_either():
    path = str(robot_data() / ROBOTS["mimic"][0])
    robot, model = cf.load(path), pin.buildModelFromUrdf(path, mimic=True)
    there = cf.convert.Pinocchio(robot, model)
    q, qd, _ = robot.random_state(0, batch=3)
    assert there.to_q(q).shape == (3, model.nq) == (3, robot.nq)
    np.testing.assert_array_equal(there.q(there.to_q(q)), q)
    np.testing.assert_array_equal(there.qd(there.to_v(qd)), qd)
    np.testing.assert_array_equal(there.tau(there.to_tau(qd)), qd)


def test_unbounded_joints_and_another_order_of_joints():
    """A tree whose joints Pinocchio sorts by name, with unbounded angles in each."""
    link = (
        '<link name="{}"><inertial><mass value="{}"/><origin xyz="0.1 0.2 0.3"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
    )
    joint = '<joint name="{}" type="{}"><parent link="base"/><child link="{}"/><axis xyz="0 0 1"/></joint>'
    text = "<robot name='fork'><link name='base'/>"
    for k, (name, kind) in enumerate((("z", "continuous"), ("m", "planar"), ("a", "continuous"))):
        text += link.format(f"link_{name}", k + 1.0) + joint.format(name, kind, f"link_{name}")
    robot, model = cf.load(text + "</robot>"), pin.buildModelFromXML(text + "</robot>")
    there = cf.convert.Pinocchio(robot, model)
    q, qd, qdd = robot.random_state(1, batch=4)
    assert worst(there.q(there.to_q(q)), q) < ROUNDING
    assert worst(there.phi(), robot.phi) < ROUNDING
    theirs = [
        pin.rnea(model, model.createData(), *state)
        for state in zip(there.to_q(q), there.to_v(qd), there.to_v(qdd), strict=True)
    ]
    ours = evaluate(trace(robot.model, "inverse_dynamics", closed=False), q, qd, qdd)
    assert worst(there.tau(theirs), ours) < ROUNDING


def test_inertias_go_there_and_back():
    names = side_by_side("arm")
    there, phi = names["there"], 1.5 * names["robot"].phi
    changed = names["model"].copy()
    for number, row in enumerate(there.to_phi(phi)[1:], 1):
        changed.inertias[number] = pin.Inertia.FromDynamicParameters(row)
    assert worst(cf.convert.Pinocchio(there.robot, changed).phi(), phi) < ROUNDING


def test_a_model_of_another_robot_is_refused():
    arm, biped = side_by_side("arm"), side_by_side("free-flyer")
    with pytest.raises(cf.ArgumentError, match="the model has no joint 'floating_base'"):
        cf.convert.Pinocchio(biped["there"].robot, arm["model"])
    smaller = arm["there"].robot.locked([arm["joint"]])
    with pytest.raises(cf.ArgumentError, match=f"the robot has no joint '{arm['joint']}'"):
        cf.convert.Pinocchio(smaller, arm["model"])
    with pytest.raises(cf.ArgumentError, match=r"expected a pinocchio\.Model"):
        cf.convert.Pinocchio(smaller, "arm.urdf")
