"""The figures of every bundled robot agree with their published source by an independent route."""

from __future__ import annotations

import tomllib
import warnings
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from closedform.description.catalogue import ROBOTS, catalogue, read_catalogue, read_toml
from closedform.description.urdf import read_urdf
from closedform.errors import DescriptionError, ModelWarning, UnknownNameError
from closedform.model.build import build_model
from oracles.link_poses import SIZES, gravity_torque, link_poses, mass_matrix
from tolerances import HALF_DIGITS, PROMISED, ROUNDING, SHORT_CHAIN

URDFS = Path(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
SOURCES = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "quadruped": "solo_description/robots/solo12.urdf",
    "humanoid": "romeo_description/urdf/romeo_small.urdf",
}

POSES = {"humanoid": 1e-5}
"""URDFs write a quarter turn as 1.57079632679; the humanoid's shoulder angles are rounded."""

FIGURES = {"panda": 1e-12, "ur5": 5e-6, "ur10": 5e-6, "kinova": 5e-6, "quadruped": 1e-3, "humanoid": 1e-3}
"""Relative rounding of the inertias in our files: six or four digits."""


def inertial_of(description, name):
    return next(link.inertial for link in description.links if link.name == name)


@pytest.mark.parametrize("name", catalogue())
def test_every_file_names_itself_and_its_source(name):
    content = tomllib.loads(ROBOTS.joinpath(f"{name}.toml").read_text())
    description = read_catalogue(name)
    assert content["name"] == description.name == name
    assert len(description.citation) > 60
    assert "\\" not in description.citation
    assert name in description.source


@pytest.mark.parametrize("name", catalogue())
def test_every_inertia_is_that_of_a_rigid_body(name):
    exceptions = {("iiwa14", "link4"), ("iiwa14", "link7")}
    description = read_catalogue(name)
    for link in description.links:
        if link.inertial is None:
            continue
        smallest, middle, largest = np.linalg.eigvalsh(link.inertial.inertia)
        assert link.inertial.mass > 0
        assert smallest >= 0
        physical = largest <= (smallest + middle) * (1 + 1e-12)
        assert physical != ((name, link.name) in exceptions)


@pytest.mark.parametrize("name", catalogue())
def test_a_bundled_robot_becomes_a_model_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert build_model(read_catalogue(name)).nv >= 1


def test_the_figures_of_iiwa14_in_a_file_of_ones_own_are_doubted():
    description = read_catalogue("iiwa14")
    assert description.as_printed
    with pytest.warns(ModelWarning, match="links 'link4', 'link7': .*triangle") as caught:
        build_model(replace(description, as_printed=False))
    assert len(caught) == 1


@pytest.mark.parametrize(
    "name", ["2r", "iiwa14", "panda", "puma560", "stanford", "scara", "ur5", "quadruped"]
)
def test_quarter_turns_are_exact(name):
    for joint in read_catalogue(name).joints:
        assert np.isin(joint.placement[:3, :3], (-1, 0, 1)).all()


def test_unknown_robots_are_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"'r2d2'.*puma560"):
        read_catalogue("r2d2")
    with pytest.raises(UnknownNameError):
        read_catalogue("../robots/2r")


# ------------------------------------------------------------------ robots that have a public URDF


def configurations(name, urdf, rng):
    """Return our random q and the q of Pinocchio's model for the same joints."""
    description = read_catalogue(name)
    ours = []
    for joint in description.joints:
        part = rng.uniform(-1, 1, SIZES.get(joint.kind, 1))
        if joint.kind == "free":
            part[3:] /= np.linalg.norm(part[3:])
        ours.append(part)
    parts = dict(zip((joint.child for joint in description.joints), ours, strict=True))
    q = pin.neutral(urdf)
    for frame in urdf.frames:
        part = parts.get(partner(name, frame.name), np.zeros(0))
        if frame.type == pin.FrameType.BODY and len(part):
            joint = urdf.joints[frame.parentJoint]
            # Pinocchio holds an unlimited angle as its cosine and sine
            value = [np.cos(part[0]), np.sin(part[0])] if joint.nq == 2 else part
            q[joint.idx_q : joint.idx_q + joint.nq] = value
    return description, np.concatenate(ours), q


def partner(name, urdf_link):
    """Return our name of a link of the URDF."""
    if name == "panda":
        return {"panda_link8": "tool", "panda_link0": "base"}.get(urdf_link, urdf_link.removeprefix("panda_"))
    if name == "kinova":
        return urdf_link.removeprefix("j2s6s200_")
    if name == "quadruped":
        return urdf_link.lower()
    if name == "humanoid":
        return HUMANOID.get(urdf_link, urdf_link)
    return urdf_link


def humanoid_names():
    names = {"body": "pelvis", "torso": "torso", "gaze": "gaze"}
    for word in ("NeckYaw", "NeckPitch", "HeadPitch", "HeadRoll"):
        names[f"{word}Link"] = f"{snake(word)}_link"
    for side, letter in (("left", "L"), ("right", "R")):
        for word in (
            *("HipYaw", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "ShoulderPitch", "ShoulderYaw"),
            *("ElbowRoll", "ElbowYaw", "WristRoll", "WristYaw"),
        ):
            names[f"{letter}{word}Link"] = f"{side}_{snake(word)}_link"
        names[f"{letter.lower()}_ankle"] = f"{side}_ankle_roll_link"
        names[f"{letter.lower()}_wrist"] = f"{side}_wrist_pitch_link"
        names[f"{letter.lower()}_sole"] = f"{side}_sole"
        names[f"{letter.lower()}_gripper"] = f"{side}_gripper"
    return names


def snake(word):
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in word).lstrip("_")


HUMANOID = humanoid_names()


@pytest.mark.parametrize("name", SOURCES)
def test_poses_equal_pinocchio_on_the_public_urdf(name):
    root = [pin.JointModelFreeFlyer()] if name in ("quadruped", "humanoid") else []
    urdf = pin.buildModelFromUrdf(str(URDFS / SOURCES[name]), *root)
    description, q, q_pin = configurations(name, urdf, np.random.default_rng(5))
    data = urdf.createData()
    pin.framesForwardKinematics(urdf, data, q_pin)
    poses = link_poses(description, q)
    T_base = data.oMf[urdf.getFrameId("j2s6s200_link_base" if name == "kinova" else "universe")].homogeneous
    checked = 0
    for frame, T in zip(urdf.frames, data.oMf, strict=True):
        ours = partner(name, frame.name)
        if frame.type == pin.FrameType.BODY and ours in poses:
            np.testing.assert_allclose(T_base @ poses[ours], T.homogeneous, atol=POSES.get(name, 1e-9))
            checked += 1
    assert checked >= len(description.joints)


@pytest.mark.parametrize("name", SOURCES)
def test_inertias_equal_the_public_urdf(name):
    urdf = read_urdf((URDFS / SOURCES[name]).read_bytes(), name)
    theirs = {partner(name, link.name): link.inertial for link in urdf.links}
    for link in read_catalogue(name).links:
        if link.inertial is None or link.name.startswith("right_"):
            continue
        want, rel = theirs[link.name], FIGURES[name]
        assert link.inertial.mass == pytest.approx(want.mass, rel=rel)
        np.testing.assert_allclose(link.inertial.com, want.com, rtol=rel, atol=PROMISED)
        scale = np.abs(want.inertia).max()
        np.testing.assert_allclose(
            link.inertial.inertia, want.inertia, atol=rel * scale + 1e-7 * (rel > 1e-4)
        )


def test_total_masses():
    masses = {
        name: sum(link.inertial.mass for link in read_catalogue(name).links if link.inertial)
        for name in catalogue()
    }
    assert masses["iiwa14"] == pytest.approx(20.66958)
    assert masses["panda"] == pytest.approx(16.062132)
    assert masses["quadruped"] == pytest.approx(2.5, abs=0.005)
    assert masses["humanoid"] == pytest.approx(40.53, abs=0.01)
    assert masses["stanford"] == pytest.approx(20.77)


def test_the_humanoid_is_its_own_mirror_image():
    description = read_catalogue("humanoid")
    mirror = np.diag([1.0, -1.0, 1.0])
    q = np.zeros(38)
    q[6] = 1
    poses = link_poses(description, q)
    for link in description.links:
        if not link.name.startswith("left_"):
            continue
        twin = link.name.replace("left_", "right_")
        np.testing.assert_allclose(mirror @ poses[link.name][:3, 3], poses[twin][:3, 3], atol=ROUNDING)
        if link.inertial is not None:
            other = inertial_of(description, twin)
            np.testing.assert_allclose(other.com, mirror @ link.inertial.com, atol=0)
            np.testing.assert_allclose(other.inertia, mirror @ link.inertial.inertia @ mirror, atol=0)


# ------------------------------------------------------------------ robots of papers and tables


def test_iiwa14_has_the_relative_placements_of_the_paper():
    """[MuellerKumar2021, section 6.2]"""
    joints = read_catalogue("iiwa14").joints
    plus = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    for i, joint in enumerate(joints[:7], start=1):
        R = np.eye(3) if i == 1 else plus if i in (2, 5, 6) else plus.T
        r = {3: (0, 0.42, 0), 5: (0, -0.40, 0)}.get(i, (0, 0, 0))
        np.testing.assert_array_equal(joint.placement[:3, :3], R)
        np.testing.assert_array_equal(joint.placement[:3, 3], r)
        np.testing.assert_array_equal(joint.subspace[:, 0], [0, 0, 1, 0, 0, 0])


def test_panda_flange_height_at_home():
    """At q = 0 the flange looks down at x = 0.088 m, z = 0.333 + 0.316 + 0.384 - 0.107 m."""
    T = link_poses(read_catalogue("panda"), np.zeros(7))["tool"]
    np.testing.assert_allclose(T[:3, 3], [0.088, 0, 0.926], atol=SHORT_CHAIN)
    np.testing.assert_allclose(T[:3, 2], [0, 0, -1], atol=SHORT_CHAIN)


def test_2r_has_the_torques_printed_in_the_paper():
    """tau of [MuellerKumar2021, section 6.1] at rest, and its mass matrix."""
    description = read_catalogue("2r")
    L1, L2, m1, m2, g = 1.0, 0.75, 2.0, 1.5, 9.81
    q = np.array([0.7, -1.9])
    c1, c2, c12 = np.cos(q[0]), np.cos(q[1]), np.cos(q.sum())
    M12 = L2**2 * m2 + L1 * L2 * m2 * c2
    M11 = L1**2 * (m1 + m2) + L2**2 * m2 + 2 * L1 * L2 * m2 * c2
    np.testing.assert_allclose(mass_matrix(description, q), [[M11, M12], [M12, L2**2 * m2]], atol=HALF_DIGITS)
    tau = [L2 * g * m2 * c12 + L1 * g * (m1 + m2) * c1, L2 * m2 * g * c12]
    np.testing.assert_allclose(gravity_torque(description, q), tau, atol=HALF_DIGITS)
    tip = link_poses(description, q)["tool"][:3, 3]
    expected = [L1 * c1 + L2 * c12, L1 * np.sin(q[0]) + L2 * np.sin(q.sum()), 0]
    np.testing.assert_allclose(tip, expected, atol=SHORT_CHAIN)


def test_puma560_has_the_constants_printed_by_armstrong_khatib_burdick():
    """Gravity and the inertias seen by joints 2 and 3, with their printed three-digit constants.

    Their joint 3 is ours minus 180 degrees, and they take g = 9.8.
    """
    description = read_catalogue("puma560")
    rng = np.random.default_rng(6)
    for _ in range(4):
        t = rng.uniform(-2, 2, 6)
        q = t + np.array([0, 0, np.pi, 0, 0, 0])
        c, s = np.cos(t), np.sin(t)
        c23, s23 = np.cos(t[1] + t[2]), np.sin(t[1] + t[2])
        g3 = -8.44 * s23 + 0.249 * c23 - 0.0282 * (s23 * c[4] + c23 * c[3] * s[4])
        torque = gravity_torque(description, q) * 9.8 / 9.81
        np.testing.assert_allclose(torque[1:3], [-37.2 * c[1] + 1.02 * s[1] + g3, g3], atol=0.015)
        t[3:], q[3:] = 0, 0
        M = mass_matrix(description, q)
        M23 = 0.333 + 2 * 0.00125 + 0.372 * s[2] - 0.011 * c[2] + 0.00124 * s[2]
        M22 = 4.71 + 1.75 + 0.333 + 2 * (0.372 * s[2] - 0.011 * c[2] + 0.00125 + 0.00124 * s[2])
        np.testing.assert_allclose([M[1, 1], M[1, 2], M[2, 2]], [M22, M23, 0.83 + 0.333 + 0.0025], atol=0.003)


def test_puma560_reshuffled_inertias_leave_the_dynamics_of_the_published_ones():
    """XX3 + d, YY3 + d, ZZ1 - d is a null direction of the equations of motion."""
    description = read_catalogue("puma560")
    figures = {"link1": (0.35, 0.35, 0.35), "link3": (0.066, 0.0125, 0.086)}
    links = [
        replace(link, inertial=replace(link.inertial, inertia=np.diag(figures[link.name])))
        if link.name in figures
        else link
        for link in description.links
    ]
    published = replace(description, links=tuple(links))
    q = np.random.default_rng(7).uniform(-3, 3, 6)
    np.testing.assert_allclose(mass_matrix(published, q), mass_matrix(description, q), atol=PROMISED)


def test_stanford_inertias_return_to_the_table_of_paul():
    """About the origins of the standard DH frames, with centres of mass in centimetres."""
    table = [  # mass, xx, yy, zz, x, y, z
        (9.29, 0.276, 0.255, 0.071, 0, 1.75, -11.05),
        (5.01, 0.108, 0.018, 0.100, 0, -10.54, 0),
        (4.25, 2.51, 2.51, 0.006, 0, 0, -64.47),
        (1.08, 0.002, 0.001, 0.001, 0, 0.92, -0.54),
        (0.63, 0.003, 0.003, 0.0004, 0, 0, 5.66),
        (0.51, 0.013, 0.013, 0.0003, 0, 0, 15.54),
    ]
    description = read_catalogue("stanford")
    twists = (-90, 90, 0, -90, 90, 0)
    for i, (m, xx, yy, zz, *com) in enumerate(table):
        inertial = inertial_of(description, f"link{i + 1}")
        c, s = np.round([np.cos(np.deg2rad(twists[i])), np.sin(np.deg2rad(twists[i]))])
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        about_com = R.T @ inertial.inertia @ R
        centre = R.T @ inertial.com
        about_origin = about_com + inertial.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        assert inertial.mass == m
        np.testing.assert_allclose(centre * 100, com, atol=ROUNDING)
        np.testing.assert_allclose(about_origin, np.diag([xx, yy, zz]), atol=1e-4)
    tip = link_poses(description, np.array([0, 0, 0.5, 0, 0, 0]))["tool"][:3, 3]
    np.testing.assert_allclose(tip, [0, 0.154, 0.412 + 0.5 + 0.263], atol=SHORT_CHAIN)


def test_chang3r_tip_equals_the_printed_table():
    """Table I, rows of the proposed method, in degrees and millimetres, and Eq. (30)."""
    description = read_catalogue("chang3r")
    rows = [
        ((-25.5116, 134.4894, 100.8165), (446.00, 91.514)),
        ((-13.4927, 135.1801, 101.6627), (446.00, -8.4866)),
        ((-7.1232, 128.0020, 92.1837), (546.00, -8.4863)),
        ((-17.0753, 127.4846, 91.4484), (546.00, 91.514)),
    ]
    for angles, xy in rows:
        tip = link_poses(description, np.deg2rad(angles))["tool"][:3, 3]
        np.testing.assert_allclose(tip * 1000, [*xy, 0], atol=0.01)
    q = np.random.default_rng(8).uniform(-3, 3, 3)
    absolute, lengths = np.cumsum(q), np.array([0.6, 0.85, 0.2])
    tip = link_poses(description, q)["tool"][:3, 3]
    np.testing.assert_allclose(
        tip, [lengths @ np.sin(absolute), lengths @ np.cos(absolute), 0], atol=SHORT_CHAIN
    )


def test_scara_moves_its_tool_down_from_the_plane_of_its_arms():
    q = np.array([0.4, -1.1, 0.15, 0.3])
    T = link_poses(read_catalogue("scara"), q)["link4"]
    x = 0.325 * np.cos(0.4) + 0.275 * np.cos(-0.7)
    y = 0.325 * np.sin(0.4) + 0.275 * np.sin(-0.7)
    np.testing.assert_allclose(T[:3, 3], [x, y, 0.387 - 0.15], atol=SHORT_CHAIN)


def test_cartpole_has_its_textbook_mass_matrix():
    q = np.array([0.3, 0.8])
    expected = [[1.1, 0.05 * np.cos(0.8)], [0.05 * np.cos(0.8), 0.1 / 3]]
    np.testing.assert_allclose(mass_matrix(read_catalogue("cartpole"), q), expected, atol=HALF_DIGITS)
    np.testing.assert_allclose(
        gravity_torque(read_catalogue("cartpole"), q), [0, -0.05 * 9.81 * np.sin(0.8)], atol=1e-8
    )


def test_pendulum_is_a_uniform_rod():
    q = np.array([0.6])
    np.testing.assert_allclose(mass_matrix(read_catalogue("pendulum"), q), [[1 / 3]], atol=HALF_DIGITS)
    np.testing.assert_allclose(
        gravity_torque(read_catalogue("pendulum"), q), [0.5 * 9.81 * np.sin(0.6)], atol=1e-8
    )


def test_screw_lift_climbs_twenty_millimetres_a_turn():
    description = read_catalogue("screw_lift")
    assert [joint.kind for joint in description.joints] == ["helical", "prismatic", "revolute"]
    low, high = (link_poses(description, np.array([turn, 0.1, 0.7]))["link3"] for turn in (0, 2 * np.pi))
    np.testing.assert_allclose(high[:3, 3] - low[:3, 3], [0, 0, 0.02], atol=HALF_DIGITS)
    np.testing.assert_allclose(low[:3, 3], [0.7, 0, 0.5], atol=SHORT_CHAIN)


# ------------------------------------------------------------------ files that are wrong

GOOD = """
name = "r"
citation = "figures made up for this test, long enough to be taken for a citation"
[mdh]
rows = [[0, 0, 0, 0, 0], [1, 90, 0.1, 0, 0]]
inertials = [[1, 0, 0, 0, 1, 0, 0, 1, 0, 1], [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]]
limits = [[-1, 1, inf, inf], [0, 2, 3, 4]]
"""

HEADER = GOOD.partition("[mdh]")[0]

LINKS = """
name = "r"
citation = "figures made up for this test, long enough to be taken for a citation"
link = [{ name = "a" }, { name = "b", mass = 1, inertia = [1, 0, 0, 1, 0, 1] }]
joint = [{ name = "j", type = "revolute", parent = "a", child = "b", axis = [0, 3, 4], damping = 0.5 }]
"""


def test_good_files_are_read():
    mdh = read_toml(GOOD.encode(), "test")
    assert [joint.kind for joint in mdh.joints] == ["revolute", "prismatic"]
    assert mdh.joints[0].limits.upper == 1
    assert mdh.joints[1].limits.effort == 4
    tree = read_toml(LINKS.encode(), "test")
    np.testing.assert_allclose(tree.joints[0].subspace[:, 0], [0, 0.6, 0.8, 0, 0, 0])
    assert tree.joints[0].damping == 0.5
    assert tree.links[0].inertial is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("name = ", "not TOML"),
        (GOOD.replace("citation", "cite"), "citation should be a text"),
        (GOOD.replace("rows", "row"), "rows is missing"),
        (GOOD.replace("[1, 90, 0.1, 0, 0]", "[1, 90, 0.1, 0]"), "rows should be n x 5"),
        (GOOD.replace("[1, 90, 0.1, 0, 0]", "[2, 90, 0.1, 0, 0]"), "sigma is 2"),
        (GOOD.replace("0.1, 0, 0]", "nan, 0, 0]"), "rows should be n x 5 finite"),
        (GOOD.replace("[[-1, 1, inf, inf], ", "["), "limits should be 2 x 4"),
        (GOOD.replace("inertials", "inertia"), "unknown key 'inertia'"),
        (GOOD + "colour = 'red'", "unknown key 'colour'"),
        (GOOD + "tool = { xyz = [0, 0], turn = 3 }", "xyz should be 3 finite"),
        (GOOD + "[screws]\n", "give one of"),
        (HEADER, "give one of"),
        (HEADER + "[screws]\nscrews = []", "placements is missing"),
        (LINKS.replace("[0, 3, 4]", "[0, 0, 0]"), "joint 'j': axis has zero length"),
        (LINKS.replace(", axis = [0, 3, 4]", ""), "joint 'j': axis is missing"),
        (LINKS.replace("revolute", "elastic"), "type 'elastic' is not one of"),
        (LINKS.replace("mass = 1", "mass = 'heavy'"), "link 'b': mass should be one finite"),
        (LINKS.replace("mass", "weight"), "link 'b': unknown key 'weight'"),
        (LINKS.replace("link = [", "link = [3, "), "link should hold tables"),
        (LINKS.replace("mass = 1", "mass = true"), "link 'b': mass should be one finite number.*found True"),
        (
            LINKS.replace("mass = 1", "mass = '1.0'"),
            "link 'b': mass should be one finite.*found '1.0'",
        ),
        (LINKS.replace("[0, 3, 4]", "[0, '3', 4]"), "joint 'j': axis should be 3 finite"),
        (LINKS.replace("[0, 3, 4]", "[0, 3, true]"), "joint 'j': axis should be 3 finite"),
        (LINKS.replace("mass = 1", f"mass = {'9' * 400}"), "link 'b': mass should be one finite"),
        (LINKS.replace("mass = 1", f"mass = {'9' * 5000}"), "not TOML"),
        (LINKS.replace("damping = 0.5", "velocity = -1"), "joint 'j': limits of velocity or effort"),
        (LINKS.replace('name = "r"', f'name = "{"r" * 1001}"'), "robot 'rrr.*up to 1000"),
        (LINKS.replace('"b"', f'"{"b" * 1001}"'), "link 'bbb.*1001 characters; the limit is 1000"),
        (GOOD + "parents = [-1, -0.9]", "parents should be 2 whole"),
        (GOOD + "parents = [-1, true]", "parents should be 2 whole"),
        (GOOD + "parents = [-1, '0']", "parents should be 2 whole"),
        (GOOD + "parents = [-1, 5]", r"parents\[1\] is 5"),
        (HEADER + "[screws]\nspatial = 'false'", "spatial should be true or false"),
        ("a." * 100_000 + "a = 1", "more than 20 parts .at line 1"),
        ("x = [\n" * 20_000, "not TOML"),
        ("x = 1\n[" + "'a'." * 100_000 + "a]", "more than 20 parts .at line 2"),
    ],
)
def test_wrong_files_are_refused_with_the_reason(text, match):
    with pytest.raises(DescriptionError, match=match):
        build_model(read_toml(text.encode(), "test"))


def test_dots_in_strings_comments_and_numbers_are_no_parts_of_keys():
    dots = "a." * 60
    text = LINKS.replace("figures", dots) + f"# {dots}\n"
    text = text.replace('name = "r"', f'name = """it\'s "r" {dots}"""')
    assert dots in read_toml(text.encode(), "test").name


def test_negative_friction_is_kept_with_a_warning():
    with pytest.warns(ModelWarning, match=r"negative damping.*joint 'j'"):
        assert read_toml(LINKS.replace("0.5", "-0.5").encode(), "test").joints[0].damping == -0.5


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"x = '\xe9'", b"\x00"])
def test_what_is_not_utf_8_is_not_toml(text):
    with pytest.raises(DescriptionError, match="not TOML"):
        read_toml(text, "test")


def test_all_problems_are_told_at_once():
    text = (
        LINKS.replace("citation", "cite")
        .replace("[0, 3, 4]", "[0, 3]")
        .replace("mass = 1", "mass = true, m = 2")
    )
    with pytest.raises(DescriptionError) as caught:
        read_toml(text.encode(), "test")
    assert len(caught.value.problems) >= 4
