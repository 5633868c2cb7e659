"""Joints that move no inertia: the robot loads, and only what needs the inverse of M names them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.forms.catalogue import INVERSE
from closedform.identification.base.savings import operation_savings
from closedform.programs import evaluate, trace
from closedform.report import Study
from closedform.report.robot import speed
from oracles.random_trees import random_tree
from tolerances import LONG_CHAIN, ROUNDING, worst

MASS = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
NONE = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
POINT = f'<inertial><origin xyz="0 0 0.3"/><mass value="2"/>{NONE}</inertial>'
BASE = (
    f'<link name="m">{MASS}</link><joint name="f" type="fixed"><parent link="l0"/><child link="m"/></joint>'
)
FORWARD = [name for name in cf.FORMS if name.startswith("forward_dynamics")]


def urdf(
    *links: str,
    axes: tuple[str, ...] = (),
    mimic: dict[int, str] | None = None,
    more: str = "",
    xyz: str = "0.1 0.2 0.3",
) -> str:
    """Return a chain of links with these inertials as URDF; joint k carries link k."""
    axes = axes or ("0 0 1", "0 1 0", "1 0 0")
    text = "".join(f'<link name="l{k}">{inertial}</link>' for k, inertial in enumerate(links))
    for k in range(1, len(links)):
        copied = f'<mimic joint="{mimic[k]}" multiplier="2"/>' if mimic and k in mimic else ""
        text += (
            f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="{axes[k - 1]}"/>{copied}</joint>'
        )
    return f'<robot name="light">{text}{more}</robot>'


@pytest.fixture
def load(tmp_path):
    def from_text(text: str, idle: tuple[str, ...] = (), **options: bool) -> cf.Robot:
        (tmp_path / "light.urdf").write_text(text)
        if not idle:
            return cf.load(tmp_path / "light.urdf", **options)
        with pytest.warns(cf.ModelWarning, match=r"(no|any) inertia") as caught:
            robot = cf.load(tmp_path / "light.urdf", **options)
        assert len(caught) == 1
        assert robot.model.idle_joints == idle
        return robot

    return from_text


CASES = {
    "leaf": (urdf("", MASS, ""), ("j2",), False),
    "two leaves": (urdf("", MASS, "", ""), ("j2", "j3"), False),
    "mass on its axis": (urdf("", MASS, POINT, axes=("0 1 0", "0 0 1")), ("j2",), False),
    "floating on a massless root": (urdf("", MASS), ("floating_base", "j1"), True),
    "two joints on one axis": (urdf("", "", MASS, axes=("0 0 1", "0 0 1")), (), False),
    "massless between": (urdf("", "", MASS), (), False),
    "floating with mass": (urdf(MASS, MASS), (), True),
    "all massless": (urdf("", "", "", more=BASE), ("j1", "j2"), False),
}


@pytest.mark.parametrize("case", CASES)
def test_idle_joints_are_found_and_the_rest_agrees_with_pinocchio(load, case):
    text, idle, floating = CASES[case]
    robot = load(text, idle, floating_base=floating)
    peer = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floating else []))
    state = robot.random_state(0)
    q = state[0] if floating else pin.integrate(peer, pin.neutral(peer), state[0])
    order = np.arange(robot.nv)
    if floating:  # Pinocchio's twists are (v; omega), its continuous joints cosine and sine
        q = np.concatenate([q[:7], *([np.cos(x), np.sin(x)] for x in q[7:])])
        order[:6] = (3, 4, 5, 0, 1, 2)
    M = pin.crba(peer, peer.createData(), q)[np.ix_(order, order)]
    tau = pin.rnea(peer, peer.createData(), q, *(rate[order] for rate in state[1:]))[order]
    assert worst(evaluate(trace(robot.model, "mass_matrix"), state[0]), M) < ROUNDING
    assert worst(evaluate(trace(robot.model, "inverse_dynamics"), *state), tau) < ROUNDING
    assert (np.linalg.matrix_rank(M, tol=1e-10) < robot.nv) == bool(idle)


def test_joints_on_one_axis_share_an_inertia_that_one_would_need(load):
    """Two joints turn one body about the same axis: only their sum moves it."""
    screw = np.array([0.0, 0, 1, 0, 0, 0])
    bodies = [None, cf.Inertial.of(1.0, (0.1, 0, 0), (1, 0, 0, 1, 0, 1))]
    with pytest.warns(
        cf.ModelWarning, match="joints 'joint1', 'joint2' can move together without moving any"
    ):
        cf.Robot.from_screws([np.eye(4)] * 2, [screw] * 2, inertials=bodies)


@pytest.mark.parametrize("name", FORWARD)
def test_what_needs_the_inverse_of_m_names_the_joint(load, name):
    robot = load(urdf("", MASS, ""), ("j2",))
    sentence = rf"{name}: joint 'j2' moves no inertia"
    with pytest.raises(cf.ClosedFormError, match=sentence):
        getattr(robot, name)
    with pytest.raises(cf.ClosedFormError, match=sentence):
        robot.kernel(name)(*robot.random_state(0))
    assert robot.kernel(name, phi=True) is not None, "with phi as an input, its values decide"


def test_exports_equations_and_elastic_joints_name_the_joint_too(load, tmp_path):
    robot = load(urdf("", MASS, ""), ("j2",))
    for call in (
        lambda: robot.export("forward_dynamics", "c", tmp_path),
        lambda: robot.equations("forward_dynamics"),
        lambda: cf.ElasticJointRobot(robot, 1.0, 1.0, 1.0).kernel("forward_dynamics").program,
        lambda: cf.elastic.natural_frequencies(cf.ElasticJointRobot(robot, 1.0, 1.0, 1.0), [0.0, 0.0]),
    ):
        with pytest.raises(cf.ClosedFormError, match="joint 'j2' moves no inertia"):
            call()


def test_an_armature_or_a_mimic_joint_makes_m_regular(load):
    screws = [np.array([0.0, 0, 1, 0, 0, 0]), np.array([0.0, 1, 0, 0, 0, 0])]
    bodies = [cf.Inertial.of(1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1)), None]
    regular = cf.Robot.from_screws([np.eye(4)] * 2, screws, inertials=bodies, armature=[0.0, 0.1])
    assert regular.model.idle_joints == ()
    assert load(urdf("", MASS, "", mimic={2: "j1"})).model.idle_joints == ()
    one_axis = {"axes": ("0 0 1",) * 3, "xyz": "0 0 0"}
    load(urdf("", "", "", MASS, mimic={2: "j1"}, **one_axis), ("j1", "j3"))
    assert load(urdf("", "", MASS, mimic={2: "j1"}, **one_axis)).model.idle_joints == ()


def test_parameters_decide_anew():
    robot = cf.load("2r")
    light = robot.phi.copy()
    light[10:] = 0
    with pytest.raises(cf.ClosedFormError, match="joint 'joint2' moves no inertia"):
        _ = robot.with_phi(light).forward_dynamics
    assert robot.model.idle_joints == ()


def test_a_robot_without_mass_has_no_centre_but_energies(load):
    text, idle, _ = CASES["all massless"]
    robot = load(text, idle)
    with pytest.raises(cf.ClosedFormError, match="what moves has no mass"):
        robot.center_of_mass(robot.neutral())
    assert robot.potential_energy(robot.neutral()) == 0


def test_a_report_leaves_out_what_is_refused(load):
    study = Study(load(CASES["leaf"][0], ("j2",)), pinocchio=False, patience=1e-4, batch=2)
    assert {row.name for row in speed.gather(study).rows} == {
        name for name, form in cf.FORMS.items() if form.group == "dynamics" and INVERSE not in form.needs
    }
    assert operation_savings(study.robot.model, "gravity_torque").share == 0


def test_a_far_base_makes_no_joint_idle():
    """The place of a robot in the world is no length of its own."""
    point = cf.Inertial.of(1.0, (1e-8, 0, 0))
    solid = cf.Inertial.of(1.0, (0, 0, 0), np.eye(3))
    far = np.eye(4)
    far[:3, 3] = 1e4
    robot = cf.Robot.from_screws([far, far], [np.eye(6)[2]] * 2, inertials=[point, solid], parents=[-1, -1])
    assert robot.model.idle_joints == ()


def test_a_massless_link_in_a_large_robot_is_found_where_it_is():
    count = 300
    inertials = [cf.Inertial.of(1.0, (0.1, 0, 0), np.eye(3))] * count
    inertials[7] = None
    with pytest.warns(cf.ModelWarning, match="joint 'joint8' moves no inertia"):
        robot = cf.Robot.from_screws(
            [np.eye(4)] * count, [np.eye(6)[2]] * count, inertials=inertials, parents=[-1] * count
        )
    assert robot.model.idle_joints == ("joint8",)


@pytest.mark.parametrize("seed", range(24))
def test_joints_are_idle_where_the_mass_matrix_is_singular(seed):
    """Some bodies lose their inertia, some keep a point mass; M at random states is the judge."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, bodies=5)
    phi = tree.phi.reshape(-1, 10).copy()
    for row in phi:
        if rng.random() < 0.5:
            row[:] = 0.0
            if rng.random() < 0.4:
                row[9] = 1.0  # a point at the origin of the frame
    model = tree.model.with_phi(phi.ravel())
    M = evaluate(trace(model, "mass_matrix", closed=False), model_states(model, rng))
    scale = np.sqrt(np.maximum(np.diagonal(M, axis1=-2, axis2=-1), 1e-300))
    sizes = np.linalg.eigvalsh(M / scale[..., None, :] / scale[..., :, None])
    assert bool(model.idle_joints) == bool((sizes[..., 0] < LONG_CHAIN).all())


def model_states(model, rng):
    return cf.Robot(model).random_state(rng, batch=4)[0]
