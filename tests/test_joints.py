"""Claims that hold for every kind of joint, and joints that are made of others."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import expm

import closedform as cf
from closedform.description import Description, Joint, Link, Mimic
from closedform.forms.joint_motion import joint_velocity_map, pose_about_centre
from closedform.joints import (
    JointChain,
    JointType,
    Planar,
    Revolute,
    Subspace,
    joint_type,
    kind_of_screws,
    kinds,
    registry,
)
from closedform.programs import evaluate
from closedform.rotations import screw_motion, twist_matrix
from oracles.random_trees import KINDS, inertial, placement, rotation, screws
from tolerances import DIFFERENCE, ROUNDING, SHORT_CHAIN, worst

SEEDS = range(4)


@pytest.fixture(
    params=[(kind, seed) for kind in KINDS for seed in SEEDS], ids=lambda each: f"{each[0]}{each[1]}"
)
def joint(request) -> JointType:
    """Joints of every kind whose screws are constant, about oblique axes through any point."""
    kind, seed = request.param
    return joint_type(*screws(kind, np.random.default_rng(seed)))


def state(joint: JointType, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return joint.random(rng, (), -np.inf, np.inf), rng.uniform(-1, 1, joint.nv)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 1.1e-4, 0.3, np.pi / 2, 3.0, 20.0])
def test_the_motion_of_a_screw_is_its_exponential(angle):
    rng = np.random.default_rng(6)
    e = rng.normal(size=3)
    X = np.concatenate([angle * e / np.linalg.norm(e), rng.normal(size=3)])
    assert worst(screw_motion(X), expm(twist_matrix(X))) < SHORT_CHAIN


def test_a_step_is_the_exponential_of_the_screws(joint):
    q, step = state(joint)
    moved = joint.motion(joint.moved(q, step))
    assert worst(moved, joint.motion(q) @ expm(twist_matrix(joint.X @ step))) < SHORT_CHAIN


def test_a_step_is_found_from_where_it_leads(joint):
    q, step = state(joint)
    for size in (1.0, 1e-2, 1e-4, 1e-9, 0.0):
        assert worst(joint.step_to(q, joint.moved(q, size * step)), size * step, 1.0) < SHORT_CHAIN


def test_the_expression_of_a_motion_equals_its_numbers(joint):
    q, _ = state(joint)
    symbol = ca.SX.sym("q", joint.nq)
    R, p = map(
        np.array, ca.Function("motion", [symbol], [*map(ca.densify, pose_about_centre(joint, symbol))])(q)
    )
    T = joint.motion(q)
    assert worst(R, T[:3, :3]) < SHORT_CHAIN
    assert worst(np.ravel(p), T[:3, 3], 1.0) < SHORT_CHAIN


def test_coordinates_change_by_the_map_of_velocities(joint):
    q, v = state(joint)
    symbol = ca.SX.sym("q", joint.nq)
    E = np.array(ca.Function("map", [symbol], [ca.densify(joint_velocity_map(joint, symbol))])(q))
    h = 1e-5
    assert worst(E @ v, (joint.moved(q, h * v) - joint.moved(q, -h * v)) / (2 * h), 1.0) < DIFFERENCE


def test_a_joint_is_at_home_at_its_neutral_coordinates(joint):
    assert worst(joint.motion(joint.neutral()), np.eye(4)) < SHORT_CHAIN
    assert joint.problem() is None
    assert joint.doubt(joint.neutral()) is None
    assert len(joint.neutral()) == joint.nq == len(joint.coordinate_entries)
    assert len(joint.velocity_entries) == joint.nv == joint.X.shape[1]
    assert kind_of_screws(joint.X) == joint.kind


def chain(kind: str, X: np.ndarray, seed: int = 3, armature: float = 0.2) -> tuple[cf.Robot, Description]:
    """Return a robot whose second joint is of a kind, between two oblique hinges."""
    rng = np.random.default_rng(seed)
    hinge = [screws("revolute", rng)[1] for _ in range(2)]
    parts = [("revolute", hinge[0]), (kind, X), ("revolute", hinge[1])]
    joints = [
        Joint(f"j{k}", each, f"l{k}", f"l{k + 1}", placement(rng), S, armature=armature)
        for k, (each, S) in enumerate(parts)
    ]
    links = [Link("l0"), *(Link(f"l{k + 1}", inertial(rng)) for k in range(3))]
    description = Description("chain", tuple(links), tuple(joints), (1.0, -2.0, -9.0))
    return cf.Robot.from_description(description), description


def pinocchio_chain(description: Description, middle: pin.JointModel, armature: float = 0.2) -> pin.Model:
    """Return Pinocchio's model of a chain, each joint about a frame in which its centre is the origin."""
    model = pin.Model()
    model.gravity.linear = np.array(description.gravity)
    before = np.eye(4)
    for k, joint in enumerate(description.joints):
        own, centre = middle, np.zeros(3)
        if k != 1:
            w, v = joint.subspace[:3, 0], joint.subspace[3:, 0]
            own, centre = pin.JointModelRevoluteUnaligned(w), np.cross(w, v)
        after = np.eye(4)
        after[:3, 3] = centre
        T = before @ joint.placement @ after
        model.addJoint(k, own, pin.SE3(T[:3, :3], T[:3, 3]), joint.name)
        body = description.links[k + 1].inertial
        model.appendBodyToJoint(
            k + 1, pin.Inertia(body.mass, body.com - centre, body.inertia), pin.SE3.Identity()
        )
        before = np.linalg.inv(after)
    model.armature = np.full(model.nv, armature)
    return model


def value(robot: cf.Robot, name: str, *inputs: np.ndarray) -> np.ndarray:
    return np.asarray(evaluate(robot.program(name), *inputs))


def check_dynamics(robot: cf.Robot, model: pin.Model, theirs) -> None:
    """Compare dynamics and derivatives; `theirs` are Pinocchio's coordinates of ours."""
    data = model.createData()
    q, qd, qdd = robot.random_state(1)
    x = theirs(q)
    tau = value(robot, "inverse_dynamics", q, qd, qdd)
    assert worst(tau, pin.rnea(model, data, x, qd, qdd)) < ROUNDING
    M = pin.crba(model, data, x)
    M = np.triu(M) + np.triu(M, 1).T
    assert worst(value(robot, "mass_matrix", q), M) < ROUNDING
    assert (
        worst(
            value(robot, "coriolis_matrix", q, qd) @ qd + value(robot, "gravity_torque", q),
            pin.nonLinearEffects(model, data, x, qd),
        )
        < ROUNDING
    )
    assert worst(value(robot, "forward_dynamics", q, qd, tau), qdd) < ROUNDING
    armature = robot.armature * qdd
    assert worst(value(robot, "regressor", q, qd, qdd) @ robot.phi + armature, tau) < ROUNDING
    h = 1e-5  # Pinocchio's own derivatives take the screws of a joint for constant
    steps = [(robot.integrate(q, h * e), robot.integrate(q, -h * e)) for e in np.eye(robot.nv)]
    ends = [[pin.rnea(model, data, theirs(each), qd, qdd) for each in step] for step in steps]
    by_q = np.transpose([(after - before) / (2 * h) for after, before in ends])
    assert worst(value(robot, "inverse_dynamics_dq", q, qd, qdd), by_q) < DIFFERENCE


def test_a_universal_joint_moves_as_pinocchios():
    R = rotation(np.random.default_rng(7))
    X = np.zeros((6, 2))
    X[:3] = R[:, :2]
    robot, description = chain("universal", X)
    assert robot.joint_names == ("j0", "j1/1", "j1/2", "j2")
    assert robot.body_names == ("l1", "l2/j1/1", "l2", "l3")
    check_dynamics(robot, pinocchio_chain(description, pin.JointModelUniversal(*X[:3].T)), lambda q: q)


def test_a_planar_joint_moves_as_pinocchios():
    X = Planar.screws(axis=(0, 0, 2))
    robot, description = chain("planar", X)
    plain, _ = chain("subspace", X)
    assert robot.model.digest == plain.model.digest  # one motion, one kernel, whatever it is called
    model = pinocchio_chain(description, pin.JointModelPlanar())
    check_dynamics(robot, model, lambda q: np.array([*q[:3], np.cos(q[3]), np.sin(q[3]), q[4]]))


def test_rates_of_a_universal_joint_are_those_of_its_motion():
    robot, _ = chain("universal", np.eye(6)[:, :2])
    q, qd, qdd, qddd = robot.random_state(2, order=3)

    def torque(t: float) -> np.ndarray:
        at = (q + qd * t + qdd * t**2 / 2 + qddd * t**3 / 6, qd + qdd * t + qddd * t**2 / 2, qdd + qddd * t)
        return value(robot, "inverse_dynamics", *at)

    h = 1e-5
    tau_dot = evaluate(robot.program("inverse_dynamics_rates", order=1), q, qd, qdd, qddd)[1]
    assert worst(tau_dot, (torque(h) - torque(-h)) / (2 * h)) < DIFFERENCE


TOML = """
name = "cross"
citation = "none"
link = [
  {{ name = "base" }},
  {{ name = "arm", mass = 2.0, com = [0.1, 0.2, 0.3], inertia = [1, 0, 0, 1, 0, 1] }},
]
joint = [
  {{ name = "hip", parent = "base", child = "arm", xyz = [0.1, 0, 0], lower = -1.0, upper = 2.0, {} }},
]
"""


def loaded(tmp_path, joint: str) -> cf.Robot:
    path = tmp_path / "cross.toml"
    path.write_text(TOML.format(joint))
    return cf.load(path)


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        ('type = "universal", axes = [[2, 0, 0], [0, 3, 0]]', [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]),
        ('type = "helical", axis = [0, 0, 2], pitch = 0.01', [[0, 0, 1, 0, 0, 0.01]]),
        (
            'type = "planar", axis = [0, 0, 1]',
            [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0]],
        ),
        ('type = "revolute", axis = [0, 1, 0]', [[0, 1, 0, 0, 0, 0]]),
    ],
)
def test_files_write_a_joint_by_its_axes(tmp_path, written, columns):
    robot = loaded(tmp_path, written)
    X = np.hstack([body.joint.X for body in robot.model.bodies])
    assert np.array_equal(X, np.array(columns, dtype=float).T)
    assert (robot.upper_limits == 2.0).all()


def test_a_universal_joint_survives_files_and_changes(tmp_path):
    robot = loaded(tmp_path, 'type = "universal", axes = [[1, 0, 0], [0, 0.6, 0.8]]')
    state = robot.random_state(0)
    assert (np.abs(state[0] - 0.5) <= 1.5).all()
    robot.save(tmp_path / "again.toml")
    assert cf.load(tmp_path / "again.toml").model.digest == robot.model.digest
    tau = value(robot, "inverse_dynamics", *state)
    for path in (robot.to_urdf(tmp_path / "again.urdf"), robot.to_mjcf(tmp_path / "again.xml")):
        again = cf.load(path)
        assert (again.joint_names, again.body_names[-1]) == (("hip/1", "hip/2"), "arm")
        assert worst(value(again, "inverse_dynamics", *state), tau) < ROUNDING
    one = robot.locked({"hip/1": 0.3})
    assert worst(value(one, "pose", [0.2]), value(robot, "pose", [0.3, 0.2])) < ROUNDING


@pytest.mark.parametrize(
    ("kind", "X", "match"),
    [
        ("universal", [[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0]], "parallel"),
        ("universal", [[1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0]], "do not meet"),
        ("universal", [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]], "two turns"),
        ("universal", [[1, 0, 0, 0, 0, 0]], "a universal joint needs two screws; it has 1"),
        ("planar", [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]], "one turn"),
        ("planar", [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0]], "out of their span"),
        ("revolute", [[0, 0, 0, 0, 0, 1]], "does not rotate"),
        ("revolute", [[0, 0, 1, 0, 0, 0.1]], "along its axis"),
        ("prismatic", [[0, 0, 1, 0, 0, 0]], "rotates"),
        ("helical", [[0, 0, 0, 0, 0, 1]], "does not rotate"),
        ("ball", np.zeros((0, 6)), "needs three screws; it has 0"),
        ("subspace", np.zeros((0, 6)), "a subspace joint needs screws; it has 0"),
    ],
)
def test_screws_of_another_kind_are_refused(kind, X, match):
    with pytest.raises(cf.ClosedFormError, match=match) as error:
        chain(kind, np.array(X, dtype=float).T)
    assert "joint 'j1'" in str(error.value)


def test_only_joints_of_one_dof_follow_a_joint():
    _, description = chain("universal", np.eye(6)[:, :2])
    first, second, third = description.joints
    follower = Joint("j2", third.kind, "l2", "l3", third.placement, third.subspace, mimic=Mimic("j1"))
    with pytest.raises(cf.ClosedFormError, match="one-dof"):
        cf.Robot.from_description(
            Description("chain", description.links, (first, second, follower), description.gravity)
        )


@pytest.fixture(name="gimbal")
def fixture_gimbal():
    """A kind that a user adds: three axes that meet, with an angle each."""

    class Gimbal(JointChain):
        kind = "gimbal"
        count = 3

        @property
        def parts(self):
            return tuple(Revolute(self.X[:, [k]]) for k in range(3))

    registry.register(Gimbal)
    yield Gimbal
    registry.unregister("gimbal")


def test_a_new_kind_of_joint_is_one_class(gimbal):
    X = np.eye(6)[:, [2, 1, 0]]
    robot, _ = chain("gimbal", X)
    ball, _ = chain("ball", np.eye(6)[:, :3])
    q, qd = robot.random_state(4)[:2]
    T = gimbal(X).motion(q[1:4])
    x, y, z, w = pin.Quaternion(T[:3, :3]).coeffs()
    yaw, pitch, roll = (expm(twist_matrix(X[:, k] * q[1 + k]))[:3, :3] for k in range(3))
    omega = roll.T @ (pitch.T @ X[:3, 0] * qd[1] + X[:3, 1] * qd[2]) + X[:3, 2] * qd[3]
    assert worst(yaw @ pitch @ roll, T[:3, :3]) < SHORT_CHAIN
    energy = value(robot.with_armature(0), "kinetic_energy", q, qd)
    at = np.array([q[0], x, y, z, w, q[4]]), np.array([qd[0], *omega, qd[4]])
    assert worst(energy, value(ball.with_armature(0), "kinetic_energy", *at)) < ROUNDING


def test_parts_may_be_made_of_parts(gimbal):
    @registry.register
    class Wrist(JointChain):
        kind = "wrist"

        @property
        def parts(self):
            return joint_type("universal", self.X[:, :2]), Revolute(self.X[:, [2]])

    try:
        X = np.eye(6)[:, :3]
        robots = [chain(kind, X)[0] for kind in ("wrist", "gimbal")]
        assert robots[0].model.digest == robots[1].model.digest
        assert robots[0].joint_names == robots[1].joint_names
        q = np.array([0.1, 0.2, 0.3])
        assert worst(Wrist(X).motion(q), gimbal(X).motion(q)) < SHORT_CHAIN
        angles_zyz = np.eye(6)[:, [2, 1, 2]]  # whose screws depend on each other at home
        assert chain("wrist", angles_zyz)[0].nv == 5
        with pytest.raises(cf.ClosedFormError, match="part 1 of it: its axes are parallel"):
            chain("wrist", np.array([[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0]]).T)
        with pytest.raises(cf.ClosedFormError, match="its parts have 3"):
            chain("wrist", np.eye(6)[:, :4])
    finally:
        registry.unregister("wrist")


@pytest.mark.parametrize(
    ("kind", "given", "match"),
    [
        (Planar, {}, "planar is given by axis"),
        (Planar, {"axis": (0, 0, 0)}, "axis has zero length"),
        (Planar, {"axis": (0, 1)}, "axis has shape"),
        (Planar, {"axis": (0, 0, np.nan)}, "axis"),
        (Revolute, {"axis": (0, 0, 1), "pitch": 1.0}, "revolute is given by axis"),
        (Subspace, {}, "subspace is given by its screws"),
    ],
)
def test_numbers_that_are_no_joint_are_refused(kind, given, match):
    with pytest.raises(cf.ClosedFormError, match=match):
        kind.screws(**given)


def test_a_subspace_of_one_turn_is_a_hinge():
    X = np.eye(6)[:, [2]]
    hinge, subspace = (chain(kind, X)[0] for kind in ("revolute", "subspace"))
    state = hinge.random_state(0)
    assert worst(*(value(each, "inverse_dynamics", *state) for each in (hinge, subspace))) < ROUNDING


def test_kinds_have_names_of_their_own(gimbal):
    assert "gimbal" in kinds()
    with pytest.raises(cf.ClosedFormError, match="exists already"):
        registry.register(type("Other", (JointChain,), {"kind": "gimbal"}))
    with pytest.raises(cf.ClosedFormError, match="not a JointType"):
        registry.register(dict)
    with pytest.raises(cf.ClosedFormError, match="unknown kind of joint 'revolut'"):
        joint_type("revolut", np.zeros((6, 1)))
