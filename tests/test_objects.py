"""Objects without a moving joint, bodies that float already, and states and parameters that users give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.description.description import Description, Joint, Link
from closedform.forms import FORMS
from closedform.model.build import MAX_BODIES, MAX_ELEMENTS, build_model
from closedform.report import Study
from tolerances import LAST_DIGITS, SHORT_CHAIN

INERTIAL = cf.Inertial.of(2.0, (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 1.1, 0.3, 1.2))
STILL = [
    form.name
    for form in FORMS.values()
    if form.group in ("kinematics", "frames", "centroidal") and not form.ordered
]

CUP = """<robot name="cup">
<link name="cup"><inertial><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1.1" iyz="0" izz="1.2"/></inertial></link>
<link name="ear"><inertial><origin xyz="1 0 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="glue" type="fixed"><parent link="cup"/><child link="ear"/>
<origin xyz="0 0 3" rpy="0 0 0.5"/></joint>
</robot>"""


@pytest.fixture
def cup(tmp_path):
    (tmp_path / "cup.urdf").write_text(CUP)
    return tmp_path / "cup.urdf"


def test_an_object_has_poses_mass_and_centre(cup):
    robot = cf.load(cup)
    floating = pin.buildModelFromXML(CUP, pin.JointModelFreeFlyer())
    whole = floating.inertias[1]
    assert (robot.nq, robot.nv, robot.phi.shape, robot.neutral().shape) == (0, 0, (0,), (0,))
    assert robot.mass == whole.mass == 3
    empty = np.zeros((4, 0))
    assert np.allclose(robot.center_of_mass(empty), whole.lever, rtol=0, atol=1e-15)
    assert robot.pose(empty, "ear").shape == (4, 4, 4)
    assert np.allclose(robot.pose([], "ear")[:3, :3], pin.rpy.rpyToMatrix(0, 0, 0.5), rtol=0, atol=1e-15)
    assert robot.jacobian(empty, frame="ear").shape == (4, 6, 0)
    assert robot.com_jacobian([]).shape == (3, 0)
    held = np.ones((4, 3))
    assert robot.center_of_mass(empty, out=held) is held
    assert np.array_equal(held[0], robot.center_of_mass([]))
    assert robot.integrate(empty, empty).shape == (4, 0)
    assert [each.shape for each in robot.random_state(0, batch=2)] == [(2, 0)] * 3
    assert np.allclose(
        robot.base_phi[:6][[0, 1, 3, 2, 4, 5]], whole.toDynamicParameters()[4:], atol=LAST_DIGITS
    )


@pytest.mark.parametrize("name", STILL)
def test_an_object_has_kinematics_and_no_momentum(cup, name):
    robot = cf.load(cup)
    form = FORMS[name]
    (shape,) = form.output_shapes(robot.model)
    found = getattr(robot, name)(*[np.zeros((4, 0))] * len(form.takes))
    assert found.shape == (4, *shape)
    if form.takes[1:]:
        assert not found.any()


def test_an_object_floats_as_a_body(cup):
    robot = cf.load(cup, floating_base=True)
    peer = pin.buildModelFromXML(CUP, pin.JointModelFreeFlyer())
    order = [3, 4, 5, 0, 1, 2]
    q = robot.random_state(0)[0]
    M = pin.crba(peer, peer.createData(), q)[np.ix_(order, order)]
    assert np.allclose(robot.mass_matrix(q), M, rtol=0, atol=SHORT_CHAIN)


def test_a_saved_object_keeps_its_mass(cup, tmp_path):
    robot = cf.load(cup)
    again = cf.load(robot.save(tmp_path / "cup.toml"))
    assert again.mass == robot.mass
    assert np.allclose(again.base_phi, robot.base_phi, rtol=LAST_DIGITS)


@pytest.mark.parametrize("name", [name for name in FORMS if name not in STILL])
def test_what_has_no_meaning_without_motion_says_so(cup, name):
    robot = cf.load(cup)
    with pytest.raises(cf.ClosedFormError, match=rf"{name}: no joint of 'cup' moves \(nv 0\)"):
        getattr(robot, name)


def test_applications_refuse_an_object(cup, tmp_path):
    robot = cf.load(cup)
    for call in (
        lambda: cf.base_parameters(robot),
        lambda: cf.redundancy.solve(robot, np.eye(4)),
        lambda: cf.ElasticJointRobot(robot, 1.0, 1.0, 1.0),
        lambda: robot.equations("pose"),
        lambda: robot.export("pose", "c", tmp_path),
        lambda: Study(robot),
    ):
        with pytest.raises(cf.ClosedFormError, match="nv 0"):
            call()
    for args, problem in ((([1.0],), "expected"), (([], "nowhere"), "nowhere"), (([], [], []), "given")):
        with pytest.raises(cf.ClosedFormError, match=problem):
            robot.pose(*args)


def free(name: str, parent: str) -> Joint:
    return Joint(f"{name}_free", "free", parent, name, subspace=np.eye(6))


def test_a_body_on_its_own_free_joint_floats_once():
    body, spare = Link("body", INERTIAL), Link("spare", INERTIAL)
    one = Description("free", (Link("world"), body), (free("body", "world"),))
    glued = (Joint("glue", "fixed", "world", "shelf"), free("body", "shelf"))
    on_shelf = Description("free", (Link("world"), Link("shelf"), body), glued)
    two = Description("free", (Link("world"), body, spare), (free("body", "world"), free("spare", "world")))
    for description, nv in ((one, 6), (on_shelf, 6), (two, 12)):
        with pytest.warns(cf.ModelWarning, match="floating_base adds nothing"):
            assert build_model(description, floating_base=True).nv == nv
    heavy = replace(one, links=(Link("world", INERTIAL), body))
    assert build_model(heavy, floating_base=True).nv == 12
    assert build_model(heavy, floating_base=True).idle_joints == ()


def limited(**limits: float) -> cf.Robot:
    screw = np.array([0.0, 0, 1, 0, 0, 0])
    return cf.Robot.from_screws([np.eye(4)], [screw], inertials=[INERTIAL], limits=[cf.Limits(**limits)])


def test_equal_limits_fix_random_states():
    assert (limited(lower=0.3, upper=0.3).random_state(0, batch=9)[0] == 0.3).all()


def test_negative_limits_name_the_joint():
    with pytest.raises(cf.DescriptionError, match="joint1': limits of velocity or effort are negative"):
        limited(velocity=-1.0, effort=-2.0)


def test_parameters_with_a_negative_mass_name_the_link():
    robot = cf.load("2r")
    phi = robot.phi.copy()
    phi[19] = -1e-9
    with pytest.raises(cf.ArgumentError, match="mass of link 'link2' is -1e-09"):
        robot.with_phi(phi)


def chain(count: int, kind: str, screws: int) -> Description:
    links = tuple(Link(f"l{k}", INERTIAL) for k in range(count + 1))
    X = np.eye(6)[:, 2 : 2 + screws]
    joints = tuple(Joint(f"j{k}", kind, f"l{k}", f"l{k + 1}", subspace=X) for k in range(count))
    return Description("chain", links, joints)


@pytest.mark.parametrize(
    ("count", "kind", "screws"), [(MAX_BODIES + 1, "revolute", 1), (MAX_ELEMENTS + 1, "fixed", 0)]
)
def test_too_many_bodies_are_counted_before_anything_else(monkeypatch, count, kind, screws):
    monkeypatch.setattr("closedform.model.build.description_problems", lambda _: pytest.fail("too late"))
    with pytest.raises(cf.DescriptionError, match=rf"{count} .*{MAX_BODIES if screws else MAX_ELEMENTS}"):
        build_model(chain(count, kind, screws))


def test_deep_chains_do_not_recurse():
    assert build_model(chain(MAX_BODIES, "revolute", 1)).nv == MAX_BODIES
    assert build_model(chain(5000, "fixed", 0)).nv == 0


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 10**9},
        {"batch": (10**5, 10**5)},
        {"batch": -1},
        {"batch": 1.5},
        {"batch": "x"},
        {"order": 10**7},
        {"order": -1},
        {"rng": "x"},
        {"rng": -1},
        {"rng": 1.5},
        {"rng": object()},
    ],
)
def test_random_states_of_wrong_arguments_are_refused(options):
    with pytest.raises(cf.ArgumentError, match=f"random_state: {next(iter(options))}"):
        cf.load("2r").random_state(**options)


@pytest.mark.parametrize("given", ["no", None, 1, [True]])
def test_a_floating_base_is_true_or_false(given):
    with pytest.raises(cf.ArgumentError, match="floating_base is"):
        cf.load("2r", floating_base=given)
