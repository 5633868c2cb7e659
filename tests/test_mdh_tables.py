"""Robots as modified Denavit-Hartenberg tables, read back by `Robot.from_mdh`: the same torques."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from closedform.rotations import adjoint, inverse, pose, rotation_rpy
from conftest import ROBOTS, make
from oracles.pinocchio_peer import robot_data
from tolerances import ROUNDING, worst

STATES = 5
TABLES = [
    name
    for name in ROBOTS
    if {body.joint.kind for body in make(name).model.bodies} <= {"revolute", "prismatic"}
    and not make(name).model.coupled
]


def same(robot: cf.Robot, table) -> bool:
    """Whether the robot of a table has the torques of another, and its tool where there is one."""
    again = cf.Robot.from_mdh(**table)
    assert again.joint_names == robot.joint_names
    q, qd, qdd = robot.random_state(0, batch=STATES)
    forms = {"inverse_dynamics": (q, qd, qdd)} if robot.model.has_inertia else {}
    pairs = [[evaluate(each.program(f), *x) for each in (robot, again)] for f, x in forms.items()]
    if table.tool is not None:
        tip = robot.model.default_frame.name
        pairs.append([evaluate(robot.program("pose", tip), q), evaluate(again.program("pose", "tool"), q)])
    return all(worst(ours, theirs) < ROUNDING for ours, theirs in pairs)


@pytest.mark.parametrize("name", TABLES)
def test_a_catalogue_robot_is_that_of_its_table(name):
    table = make(name).to_mdh()
    assert table.rows.shape == (make(name).nv, 5)
    assert same(make(name), table)


@pytest.mark.parametrize(
    ("path", "columns"),
    [
        ("ur_description/urdf/ur5_robot.urdf", 5),
        ("talos_data/robots/talos_reduced.urdf", 7),
        ("icub_description/robots/icub.urdf", 7),
    ],
)
def test_public_robots_are_those_of_their_tables(path, columns):
    robot = cf.load(next(robot_data().rglob(path.rpartition("/")[2])), snap=1e-5)
    table = robot.to_mdh()
    assert table.rows.shape == (robot.nv, columns)
    assert same(robot, table)


def random_robot(seed: int, chain: bool) -> cf.Robot:
    """Return a chain or a tree of revolute and prismatic joints about axes anywhere, some parallel."""
    rng = np.random.default_rng(seed)
    n = 5
    placements, screws, inertials = [], [], []
    for _ in range(n):
        turned = rng.random() < 0.6
        R = rotation_rpy(rng.uniform(-3, 3, size=3)) if turned else np.eye(3)
        placements.append(pose(R, rng.normal(size=3)))
        axis = rng.normal(size=3) if turned else np.array([0.0, 0.0, 1.0])
        axis /= np.linalg.norm(axis)
        point = rng.normal(size=3) * rng.integers(2)
        slides = rng.random() < 0.3
        screws.append(np.r_[0, 0, 0, axis] if slides else np.r_[axis, np.cross(point, axis)])
        inertials.append(cf.Inertial.of(rng.uniform(1, 2), rng.normal(size=3), (0.3, 0, 0.01, 0.3, 0, 0.4)))
    parents = None if chain else [int(rng.integers(-1, i)) for i in range(n)]
    return cf.Robot.from_screws(
        placements, screws, parents=parents, inertials=inertials, armature=list(rng.uniform(0, 1, size=n))
    )


@pytest.mark.parametrize("seed", range(5))
def test_any_chain_has_a_table_of_five_columns(seed):
    robot = random_robot(seed, chain=True)
    table = robot.to_mdh()
    assert table.rows.shape == (robot.nv, 5)
    assert same(robot, table)


@pytest.mark.parametrize("seed", range(5))
def test_any_tree_has_a_table(seed):
    robot = random_robot(seed, chain=False)
    assert same(robot, robot.to_mdh())


def test_the_table_that_a_robot_was_made_of_comes_back():
    rows = [
        (0, 0, 0, 0, 0.3),
        (0, np.pi / 2, 0.1, 0.2, -0.4),
        (1, -0.7, 0.4, 0.3, 0.2),
        (0, 0.5, 0.2, -1.0, 0.1),
    ]
    table = cf.Robot.from_mdh(rows, base=pose(None, (0, 0, 0.5))).to_mdh()
    assert np.allclose(table.rows[:, :4], np.array(rows)[:, :4], rtol=0, atol=1e-15)
    assert np.allclose(table.rows[1:, 4], np.array(rows)[1:, 4], rtol=0, atol=1e-15)
    assert table.rows[0, 4] + table.base[2, 3] == pytest.approx(0.8)
    branched = cf.Robot.from_mdh(
        [(*row, 0.3 * k, 0.1 * k) for k, row in enumerate(rows)], parents=[-1, 0, 0, 1]
    )
    assert same(branched, branched.to_mdh())


def test_gamma_and_b_come_before_the_rest():
    T = cf.Robot.from_mdh([(0, 0.4, 0.2, 0.5, 0.6, 0.3, 0.7)]).pose([0.0], "link1")
    parts = [
        (rotation_rpy((0, 0, 0.3)), (0, 0, 0.7)),
        (rotation_rpy((0.4, 0, 0)), (0.2, 0, 0)),
        (rotation_rpy((0, 0, 0.5)), (0, 0, 0.6)),
    ]
    expected = np.eye(4)
    for R, p in parts:
        expected = expected @ pose(None, p) @ pose(R)
    assert np.allclose(T, expected, rtol=0, atol=1e-15)
    assert np.allclose(adjoint(T) @ adjoint(inverse(T)), np.eye(6))


def test_a_table_reads_as_text():
    text = str(cf.load("scara").to_mdh())
    assert text.splitlines()[0].split() == ["joint", "parent", "sigma", "alpha", "d", "theta", "r"]
    assert text.splitlines()[3].split() == ["joint3", "2", "1", "3.142", "0.275", "0", "0"]


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (lambda: cf.load("spherical_pendulum"), "'ball'; a table has revolute and prismatic"),
        (lambda: cf.load("quadruped"), "'free'"),
        (lambda: cf.load("screw_lift"), "'helical'"),
        (lambda: cf.load(robot_data() / "panda_description/urdf/panda.urdf"), "follows 'panda_finger"),
        (lambda: cf.load("2r").locked(["joint1", "joint2"]), "no moving joint"),
        (lambda: cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 1e-5, 0.3, 0, 0.2), (0, 0, 0.1, 0, 0)]).with_base(
            pose(rotation_rpy((1e-6, 0, 0)), (0, 0.3, 0))), "nearly parallel"),
    ],
)  # fmt: skip
def test_robots_without_a_table_say_why(robot, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        robot().to_mdh()
