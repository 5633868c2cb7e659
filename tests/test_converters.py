"""Arrays of MuJoCo, Drake, MATLAB and Isaac mean what those libraries say, in any order of the joints."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from call_tables import Traced, begun, rows, run
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from oracles.drake_peer import URDF
from tolerances import DIFFERENCE, ROUNDING, SOLVE, worst

DOCS = Path(__file__).parents[1] / "docs"
MJCF = """<mujoco><worldbody><body name="trunk" pos="1 2 3" euler="20 30 40"><freejoint/>
<geom type="box" size=".1 .2 .3" pos=".05 .02 .1" euler="10 20 0"/>
<site name="tip" pos=".1 .2 .3" euler="10 0 20"/>
<body pos=".1 0 .2"><joint name="ball" type="ball" pos=".01 0 .02"/><geom size=".1" pos=".1 .2 0"/>
<body pos=".2 0 0"><joint name="wrist" axis="1 1 0" pos="0 .1 0"/><geom size=".1" pos="0 .1 .2"/></body>
</body>
<body><joint name="slide" type="slide" axis="0 1 1"/><geom size=".1" pos=".1 0 .1"/>
<body><joint name="follower" axis="0 0 1"/><geom size=".1" pos=".2 0 0"/></body></body></body></worldbody>
<equality><joint joint1="follower" joint2="slide" polycoef=".2 -1.5 0 0 0"/></equality></mujoco>"""
"""A floating trunk with a ball joint, and a joint that follows another."""


def value(robot: cf.Robot, form: str, *arrays, **choices):
    """Return a form by its program, which takes no compilation."""
    return evaluate(trace(robot.model, form, Variant(**choices), closed=False), *arrays)


@cache
def beside_mujoco() -> SimpleNamespace:
    robot, model = cf.load(MJCF), mujoco.MjModel.from_xml_string(MJCF)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # ours are exact, and not forces
    there, data = cf.convert.MuJoCo(robot, model), mujoco.MjData(model)
    q, qd, qdd = robot.random_state(1, batch=3)
    return SimpleNamespace(**locals())


def each_mujoco():
    """Yield (our q, qd, qdd, MuJoCo's data at that state) for each sample."""
    it = beside_mujoco()
    a = it.there.to_a(it.qdd, it.q, it.qd)
    for k, (p, v) in enumerate(zip(it.there.to_q(it.q), it.there.to_v(it.qd, it.q), strict=True)):
        it.data.qpos, it.data.qvel, it.data.qacc = p, v, a[k]
        mujoco.mj_forward(it.model, it.data)
        it.data.qacc = a[k]
        yield it.q[k], it.qd[k], it.qdd[k], it.data


def test_mujocos_poses_twists_and_jacobians_are_ours():
    it = beside_mujoco()
    for q, qd, _, data in each_mujoco():
        T = value(it.robot, "pose", q, frame="tip")
        assert worst(T[:3, 3], data.site("tip").xpos) < ROUNDING
        assert worst(T[:3, :3].ravel(), data.site("tip").xmat) < ROUNDING
        J = np.zeros((6, it.model.nv))
        mujoco.mj_jacSite(it.model, data, J[:3], J[3:], data.site("tip").id)
        ours = value(it.robot, "jacobian", q, frame="tip", reference="world_aligned")
        assert worst(it.there.jacobian(J, q), ours) < ROUNDING
        assert worst(it.there.jacobian(J[:3], q), ours[3:]) < ROUNDING
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(it.model, data, mujoco.mjtObj.mjOBJ_SITE, data.site("tip").id, twist, 0)
        assert worst(ours @ qd, twist) < ROUNDING


def test_mujocos_inertia_and_forces_are_ours():
    it = beside_mujoco()
    for q, qd, qdd, data in each_mujoco():
        M = np.zeros((it.model.nv, it.model.nv))
        for column, unit in zip(M, np.eye(it.model.nv), strict=True):
            mujoco.mj_mulM(it.model, data, column, unit)
        assert worst(it.there.matrix(M, q), value(it.robot, "mass_matrix", q)) < ROUNDING
        mujoco.mj_inverse(it.model, data)
        tau = value(it.robot, "inverse_dynamics", q, qd, qdd)
        assert worst(it.there.tau(data.qfrc_inverse, q), tau) < ROUNDING
        still = it.there.qdd(np.zeros(it.model.nv), q, qd)
        bias = value(it.robot, "inverse_dynamics", q, qd, still)
        assert worst(it.there.tau(data.qfrc_bias, q), bias) < ROUNDING


def test_mujocos_way_back_is_the_inverse_for_any_batch():
    it = beside_mujoco()
    q, qd, qdd = it.q[:, None], it.qd[None, :2], it.qdd[1]
    assert worst(it.there.q(it.there.to_q(q)), q) < ROUNDING
    assert worst(it.there.qd(it.there.to_v(qd, q), q), np.broadcast_to(qd, (3, 2, 11))) < ROUNDING
    a = it.there.to_a(qdd, q, qd)
    assert a.shape == (3, 2, it.model.nv)
    assert worst(it.there.qdd(a, q, qd), np.broadcast_to(qdd, (3, 2, 11))) < ROUNDING
    tau = it.there.to_tau(qdd, q)
    assert worst(it.there.tau(tau, q), np.broadcast_to(qdd, (3, 1, 11))) < ROUNDING
    power = (it.there.to_v(qd, q) * tau).sum(-1)
    assert worst(power, np.broadcast_to((qd * qdd).sum(-1), (3, 2))) < ROUNDING
    assert it.there.matrix(np.ones((5, 1, 1, 12, 12)), q).shape == (5, 3, 1, 11, 11)


def test_mujocos_velocities_are_those_of_the_velocity_map():
    it = beside_mujoco()
    B = value(it.robot, "velocity_map", it.q, coordinates="mujoco")
    own = it.there.to_v(it.qd, it.q)[..., it.there._place]
    assert worst((B @ own[..., None])[..., 0], it.qd) < ROUNDING


class Plant:
    """Answers as Drake's plant does, from what it said."""

    def __init__(self, joints):
        words = ("name", "position_start", "num_positions", "velocity_start", "num_velocities")
        self.joints = [
            SimpleNamespace(**{word: lambda fact=fact: fact for word, fact in zip(words, each, strict=True)})
            for each in joints
        ]

    def GetJointIndices(self):
        return range(len(self.joints))

    def get_joint(self, index):
        return self.joints[index]


@cache
def beside_drake() -> tuple[cf.Robot, cf.convert.Drake, list]:
    told = json.loads((Path(__file__).parent / "golden" / "drake.json").read_text())
    robot = cf.load(URDF, floating_base=True)
    return robot, cf.convert.Drake(robot, Plant(told["joints"])), told["samples"]


GIVEN = {
    "plant.GetPositions": "q",
    "plant.GetVelocities": "v",
    "vdot": "a",
    "foot.CalcPoseInWorld": "pose",
    "foot.CalcSpatialVelocityInWorld": "twist",
    "plant.CalcJacobianSpatialVelocity": "jacobian",
    "plant.CalcMassMatrix": "mass_matrix",
    "plant.CalcGravityGeneralizedForces": "gravity",
    "plant.CalcInverseDynamics": "tau",
    "plant.CalcBiasTerm": "bias",
}
"""What Drake's calls gave, by their names."""


def test_every_row_of_drakes_page_gives_what_drake_gave():
    page = DOCS / "coming-from-drake.md"
    assert len(rows(page)) == begun(page) == len(GIVEN)
    robot, there, samples = beside_drake()
    for sample in samples:
        it = {name: np.array(each) for name, each in sample.items()}
        q = there.q(it["q"])
        qd = there.qd(it["v"], q)
        names = {"np": np, "robot": Traced(robot), "there": there, "q": q, "qd": qd}
        names["qdd"] = there.qdd(it["a"], q, qd)
        for row in rows(page):
            names["x"] = it[GIVEN[row.theirs.partition("(")[0]]]
            ours, theirs = run(row.ours, names), run(row.converter, names)
            assert np.shape(theirs) == np.shape(ours), row
            assert worst(theirs, ours) < ROUNDING, row


def test_drakes_way_back_is_the_inverse():
    _, there, samples = beside_drake()
    q, v, a = (np.array([each[name] for each in samples]) for name in "qva")
    mine = there.q(q)
    qd = there.qd(v, mine)
    assert worst(there.to_q(mine), q) < ROUNDING
    assert worst(there.to_v(qd, mine), v) < ROUNDING
    assert worst(there.to_a(there.qdd(a, mine, qd), mine, qd), a) < ROUNDING
    assert worst(there.to_tau(there.tau(v, mine), mine), v) < ROUNDING


def test_drake_and_pinocchio_agree_through_both_converters():
    robot, there, samples = beside_drake()
    model = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    other = cf.convert.Pinocchio(robot, model)
    q = there.q(np.array([each["q"] for each in samples]))
    M = np.array([pin.crba(model, model.createData(), each) for each in other.to_q(q)])
    told = np.array([each["mass_matrix"] for each in samples])
    assert worst(other.matrix(M), there.matrix(told, q)) < ROUNDING


@pytest.mark.parametrize("quaternion", ["xyzw", "wxyz"])
def test_isaacs_root_is_the_link_or_its_centre_of_mass_in_axes_of_the_world(quaternion):
    """MuJoCo's velocity of the trunk's frame, and of its centre of mass, is the independent route."""
    text = MJCF.replace('type="ball" pos=".01 0 .02"', 'axis="0 1 0"')
    robot, model = cf.load(text), mujoco.MjModel.from_xml_string(text)
    beside, data = cf.convert.MuJoCo(robot, model), mujoco.MjData(model)
    names = [name for name in robot.joint_names[::-1] if robot.joint_index(name) != slice(0, 6)]
    q, qd, _ = robot.random_state(2)
    data.qpos, data.qvel = beside.to_q(q), beside.to_v(qd, q)
    mujoco.mj_forward(model, data)
    order = [0, 1, 2, 3] if quaternion == "wxyz" else [1, 2, 3, 0]
    trunk, place = model.body("trunk"), data.body("trunk")
    for kind, com in ((mujoco.mjtObj.mjOBJ_XBODY, None), (mujoco.mjtObj.mjOBJ_BODY, trunk.ipos)):
        there = cf.convert.Isaac(robot, [*names, "follower"], quaternion=quaternion, com=com)
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, kind, trunk.id, twist, 0)
        root = [*place.xpos, *place.xquat[order], *twist[3:], *twist[:3]]
        places = {name: robot.joint_values(q)[name] for name in names}
        places["follower"] = data.joint("follower").qpos[0]
        speeds = {name: robot.joint_values(qd, "qd")[name] for name in names}
        speeds["follower"] = data.joint("follower").qvel[0]
        mine = there.state(np.tile(root, (2, 1)), [*places.values()], [*speeds.values()])
        assert worst(mine[0], np.tile(q, (2, 1))) < ROUNDING
        assert worst(mine[1], np.tile(qd, (2, 1))) < ROUNDING
        back = there.to_state(*mine)
        assert worst(back.root_state[1], root) < ROUNDING
        assert worst(back.joint_pos[0], [*places.values()]) < ROUNDING
        assert worst(back.joint_vel[0], [*speeds.values()]) < ROUNDING


@pytest.mark.parametrize("library", ["Drake", "Isaac", "MuJoCo"])
def test_accelerations_are_rates_of_velocities(library):
    isaac = cf.convert.Isaac(FLOATING, ["foot", "a_left", "z_right"], quaternion="xyzw", com=(0.1, -0.2, 0.3))
    there = {"Drake": beside_drake()[1], "Isaac": isaac, "MuJoCo": beside_mujoco().there}[library]
    q, qd, qdd = there.robot.random_state(6)
    h = 1e-5
    before, after = (
        there.to_v(qd + sign * h * qdd, there.robot.integrate(q, sign * h * qd)) for sign in (-1, 1)
    )
    assert worst(there.to_a(qdd, q, qd), (after - before) / (2 * h)) < DIFFERENCE
    assert worst(there.qdd(there.to_a(qdd, q, qd), q, qd), qdd) < ROUNDING


def test_isaacs_fixed_base_has_no_root():
    robot = cf.load("2r")
    there = cf.convert.Isaac(robot, ["joint2", "joint1"], quaternion="xyzw")
    q, qd = there.state(None, [[0.1, 0.2]], [0.3, 0.4])
    assert (q.tolist(), qd.tolist()) == ([[0.2, 0.1]], [[0.4, 0.3]])
    root, pos, vel = there.to_state(q, qd)
    assert (root, pos.tolist(), vel.tolist()) == (None, [[0.1, 0.2]], [[0.3, 0.4]])
    with pytest.raises(cf.ArgumentError, match="root_state is an array; expected None: the base is fixed"):
        there.state(np.zeros(13), [0.1, 0.2], [0.3, 0.4])


def test_what_the_pages_name_exists():
    for library in ("matlab", "isaac"):
        text = (DOCS / f"coming-from-{library}.md").read_text(encoding="utf-8")
        for owner, path in re.findall(r"\b(robot|cf)\.([a-z_]+(?:\.[A-Za-z_]+)*)", text):
            found = ARM if owner == "robot" else cf
            for part in path.split("."):
                found = getattr(found, part)


def test_matlabs_jacobian_is_that_of_the_base_axes_with_angular_rows_first():
    """A planar arm by hand: geometricJacobian has (omega; v) of the tool in the axes of the base."""
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 0.7, 0, 0)]).with_frame("tip", "link2", (0.4, 0, 0))
    a, b = 0.3, -1.1
    x, y = 0.7 * np.cos(a) + 0.4 * np.cos(a + b), 0.7 * np.sin(a) + 0.4 * np.sin(a + b)
    J = [[0, 0], [0, 0], [1, 1], [-0.4 * np.sin(a + b), -y], [0.4 * np.cos(a + b), x], [0, 0]]
    there = cf.convert.Matlab(robot, ["joint2", "joint1"])
    q = there.q([b, a])
    ours = value(robot, "jacobian", q, frame="tip", reference="world_aligned")
    assert worst(there.jacobian(J), ours) < ROUNDING
    assert there.to_q(q).tolist() == [b, a]
    assert there.matrix([[1, 2], [3, 4]]).tolist() == [[4, 3], [2, 1]]


def mujoco_names(text: str, seed: int) -> dict[str, object]:
    """Return what the cells of MuJoCo's page name."""
    robot, model = cf.load(text), mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # the shapes overlap
    there, data = cf.convert.MuJoCo(robot, model), mujoco.MjData(model)
    q, qd, tau = robot.random_state(seed)
    data.qpos, data.qvel, data.qfrc_applied = there.to_q(q), there.to_v(qd, q), there.to_tau(tau, q)
    mujoco.mj_forward(model, data)
    qdd, qacc, qfrc = there.qdd(data.qacc, q, qd), data.qacc.copy(), data.qfrc_applied.copy()
    robot, site, body = Traced(robot), "tip", robot.body_names[0]
    return {**locals(), "cf": cf, "np": np, "mujoco": mujoco}


ALONE = MJCF.partition("<equality>")[0] + "</mujoco>"
ON_A_RAIL = ALONE.replace("<freejoint/>", '<joint name="rail" type="slide" axis="1 2 3"/>').replace(
    'type="ball"', 'type="hinge" axis="1 0 1"'
)


@pytest.mark.parametrize("text", [ON_A_RAIL, ALONE], ids=["arm", "floating"])
def test_every_row_of_mujocos_page_gives_the_same_numbers(text):
    page = DOCS / "coming-from-mujoco.md"
    assert len(rows(page)) == begun(page) >= 20
    names = mujoco_names(text, 4)
    for row in rows(page):
        if "mj_fullM(model, data" in row.theirs and hasattr(names["data"], "qM"):
            continue  # an older MuJoCo
        names["x"] = np.array(run(row.theirs, names))
        names["ours"] = run(row.ours, names)
        theirs, ours = run(row.converter, names), names["ours"]
        assert np.shape(theirs) == np.shape(ours), row
        limit = SOLVE if "mj_forward" in row.theirs or "qacc" in row.theirs else ROUNDING
        assert worst(theirs, ours, scale=1.0) < limit, row


FLOATING = cf.load(URDF, floating_base=True)
ARM = cf.load("2r")
ELBOWS = Plant([("joint1", 0, 1, 0, 1), ("joint2", 1, 2, 1, 2)])
TRUNK = Plant([("trunk", 0, 7, 0, 6)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cf.convert.MuJoCo(FLOATING, "scene.xml"), r"expected a mujoco\.MjModel"),
        (lambda: cf.convert.Drake(FLOATING, object()), "expected a finalized MultibodyPlant"),
        (lambda: cf.convert.Drake(FLOATING, TRUNK), "has no joint 'z_right', 'a_left', 'foot'"),
        (lambda: cf.convert.Drake(ARM, ELBOWS), "'joint2' has 2 coordinates"),
        (lambda: cf.convert.Matlab(FLOATING, ["z_right", "a_left", "foot"]), "'floating_base' floats"),
        (lambda: cf.convert.Matlab(ARM, ["joint1", "joint1"]), "'joint1' more than once"),
        (lambda: cf.convert.Matlab(ARM, "joint1"), "expected a list of names"),
        (lambda: cf.convert.Matlab(ARM, ["joint1", "elbow"]), "has no joint 'joint2'"),
        (lambda: cf.convert.Isaac(ARM, ["joint1", "joint2"], quaternion="zyxw"), "'xyzw' or 'wxyz'"),
        (lambda: cf.convert.Isaac(cf.load("spherical_pendulum"), ["socket"], quaternion="xyzw"), "by hand"),
        (lambda: beside_drake()[1].qd(np.zeros(9)), "q is missing; expected our q"),
        (lambda: beside_drake()[1].qdd(np.zeros(9), FLOATING.neutral()), "qd is missing"),
        (lambda: beside_drake()[1].matrix(np.zeros((9, 8)), np.ones(10)), r"expected \(\.\.\., 9, 9\)"),
        (lambda: beside_drake()[1].tau(np.zeros((2, 9)), np.zeros((3, 10))), "batches do not broadcast"),
        (lambda: cf.convert.wxyz([1, 2, 3]), r"shape \(3,\); expected \(\.\.\., 4\)"),
    ],
)
def test_what_does_not_fit_is_named(call, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        call()
