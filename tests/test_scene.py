"""Scenes: what a page holds is the robot's motion, and a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from importlib.resources import files

import numpy as np
import pytest
from lxml import html

import closedform as cf
from browser import changed, drawn
from closedform.scene.extent import upright
from closedform.scene.library import THREE
from tolerances import ROUNDING, worst

SINGLE = 1e-6
"""Lengths of about a metre in single precision."""

NASTY = '</script><script>alert("x")</script>'


def unpacked(page: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Return words and arrays of a scene as the script reads them."""
    figure = html.fragment_fromstring(page)
    words = json.loads(figure.xpath("string(.//script[@class='scene-words'])"))
    data = zlib.decompress(base64.b64decode(figure.xpath("string(.//script[@class='scene-numbers'])")))
    arrays = {
        name: np.frombuffer(data, each["type"], each["count"], each["start"])
        for name, each in words["layout"].items()
    }
    return words, arrays


def rotated(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    u, w = quaternion[..., :3], quaternion[..., 3:]
    return x + 2 * np.cross(u, np.cross(u, x) + w * x)


@pytest.fixture(scope="module")
def arm() -> cf.Robot:
    return cf.load("iiwa14")


@pytest.fixture(scope="module")
def motion(arm):
    return cf.trajectory.polynomial(arm.neutral(), [0.6, 0.8, -0.4, -1.4, 0.5, 0.9, 0.3], 2.0)


@pytest.fixture(scope="module")
def scene(arm, motion) -> cf.scene.Scene:
    return arm.scene(motion)


def test_the_numbers_of_the_page_place_every_piece_where_the_robot_is(arm, motion, scene):
    words, arrays = unpacked(scene.html(whole=False))
    poses = arrays["poses"].reshape(words["count"], words["rows"], 7)
    corners, triangles = arrays["corners"].reshape(-1, 3), arrays["triangles"].reshape(-1, 3)
    k = 170
    q = motion(float(arrays["t"][k]))
    pieces = arm.shapes().pieces
    for solid, piece in zip(words["solids"], pieces, strict=False):
        first, count = solid["vertices"]
        own = np.array(solid["lower"]) + solid["step"] * (corners[first : first + count] + 32768.0)
        if solid["row"] >= 0:
            p, turn = poses[k, solid["row"], :3], poses[k, solid["row"], 3:]
            own = rotated(turn, own) + p
        T = arm.pose(q, piece.frame) @ piece.placement
        expected = piece.vertices @ T[:3, :3].T + T[:3, 3]
        assert np.abs(own - expected).max() < solid["step"] + SINGLE
        start, many, _ = solid["faces"]
        assert np.array_equal(triangles[start : start + many], piece.faces)


def test_neighbouring_quaternions_do_not_change_sign():
    ball = cf.load("spherical_pendulum")
    angle = np.linspace(0, 4 * np.pi, 60)
    q = np.stack([np.sin(angle / 2), 0 * angle, 0 * angle, np.cos(angle / 2)], axis=1)
    q[::2] *= -1  # the same rotations
    _, arrays = unpacked(ball.scene(q).html(whole=False))
    turns = arrays["poses"].reshape(60, -1, 7)[..., 3:]
    assert ((turns[1:] * turns[:-1]).sum(-1) > 0.9).all()


def test_marks_are_the_closed_forms_of_the_robot(arm, motion, scene):
    marks, k = scene.marks, 99
    q, qd, qdd = motion.derivatives(scene.t[k], 2)
    assert worst(marks.path[k], arm.pose(q)[:3, 3]) < ROUNDING
    assert worst(marks.centre[k], arm.center_of_mass(q)) < ROUNDING
    J = arm.jacobian(q, reference="world_aligned")[3:]
    S = marks.manipulability[k]
    assert worst(S @ S / np.trace(S @ S), J @ J.T / np.trace(J @ J.T)) < 1e-9
    tau = arm.inverse_dynamics(q, qd, qdd)
    for effort, force, limit in zip(marks.efforts, tau, arm.effort_limits, strict=True):
        assert worst(effort.values[k], force) < ROUNDING
        assert effort.shares[k] == pytest.approx(force / limit)
    assert marks.limited


def test_ellipsoids_have_the_inertia_of_their_bodies():
    arm = cf.load("ur5")
    scene = arm.scene()
    for placed, body in zip(scene.marks.ellipsoids, arm.model.bodies, strict=True):
        half = np.linalg.norm(placed.placement[:3, :3], axis=0)
        R, c, m = placed.placement[:3, :3] / half, placed.placement[:3, 3], body.phi[9]
        own = (
            R @ np.diag([half[[1, 2]] @ half[[1, 2]], half[[0, 2]] @ half[[0, 2]], half[:2] @ half[:2]]) @ R.T
        )
        J = m / 5 * own + m * ((c @ c) * np.eye(3) - np.outer(c, c))
        xx, xy, xz, yy, yz, zz = body.phi[:6]
        assert worst(J, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) < 1e-9


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (0, 0, -1), (0.6, 0, -0.8)])
def test_up_is_up(up):
    R = upright(np.array(up, dtype=float))
    assert worst(R @ up, [0, 0, 1]) < ROUNDING
    assert worst(R @ R.T, np.eye(3)) < ROUNDING
    assert np.linalg.det(R) > 0


def test_the_camera_sees_all_that_moves(scene):
    turn, low, high = scene.extent.turn, scene.extent.low, scene.extent.high
    for solid in scene.solids:
        corners = solid.vertices
        if solid.row >= 0:
            T = scene.poses[::40, solid.row]
            corners = (solid.vertices @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]).reshape(-1, 3)
        if solid.name != "post":
            assert (corners @ turn.T >= low - 1e-9).all()
            assert (corners @ turn.T <= high + 1e-9).all()


def test_motions_of_all_kinds_and_a_ghost():
    arm = cf.load("2r")
    run = arm.simulate([0.5, 0.2], duration=0.05, step=1e-3, law=[1.0, 0.0])
    simulated = arm.scene(run)
    assert worst(simulated.marks.efforts[0].values, np.ones(len(simulated.t))) < ROUNDING
    with_ghost = arm.scene(run.q, run.t, ghost=run.q + 0.1)
    assert with_ghost.poses.shape[1] == 2 * simulated.poses.shape[1]
    assert worst(with_ghost.poses[:, 2:], arm.body_poses(run.q + 0.1)) < ROUNDING
    assert not with_ghost.marks.efforts
    assert len(arm.scene().t) == len(arm.scene([0.1, 0.2], ghost=[0.0, 0.0]).t) == 1
    many = arm.scene(np.zeros((5000, 2)) + np.linspace(0, 1, 5000)[:, None])
    assert len(many.t) <= 241
    assert many.t[-1] == pytest.approx(499.9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"motion": [0.0, np.nan]}, r"scene: q\[1\] is nan"),
        ({"motion": np.zeros((0, 2))}, "q has no configurations"),
        ({"motion": [0.0, 1.0, 2.0]}, r"q has shape \(3,\); expected \(2,\) or \(n, 2\)"),
        ({"motion": np.zeros((2, 3, 2))}, "many motions; expected one of them"),
        ({"motion": "fast"}, "q is 'fast'; expected configurations"),
        ({"motion": cf.trajectory.polynomial([0.0], [1.0], 1.0)}, "trajectory has 1 coordinates; '2r' has 2"),
        ({"motion": np.zeros((3, 2)), "t": [0.0, 1.0]}, r"t has shape \(2,\); expected \(3,\)"),
        (
            {"motion": np.zeros((3, 2)), "t": [0.0, 2.0, 1.0]},
            r"t\[2\] is 1 after 2; expected times that incr",
        ),
        ({"motion": np.zeros((3, 2)), "tau": np.zeros((2, 2))}, r"tau has shape \(2, 2\); expected \(3, 2\)"),
        ({"motion": np.zeros((3, 2)), "ghost": np.zeros((2, 2))}, "ghost has 2 configurations; expected 3"),
        ({"tool": "tol"}, "did you mean 'tool'"),
    ],
)
def test_bad_motions_are_named(given, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        cf.load("2r").scene(**given)


@pytest.mark.parametrize("length", [0.0, 1e-200])
@pytest.mark.parametrize("name", ["quadruped", "spherical_pendulum"])
def test_quaternions_without_a_direction_are_named(name, length):
    robot = cf.load(name)
    none = length * robot.neutral()
    told = r"q: the quaternion of joint '\w+' has length (0|1e-200); expected 1"
    with pytest.raises(cf.ArgumentError, match=f"scene: {told}"):
        robot.scene(none)
    with pytest.raises(cf.ArgumentError, match="scene: ghost: the quaternion"):
        robot.scene(ghost=none)
    with pytest.raises(cf.ArgumentError, match=f"plot: {told}"):
        robot.plot(none)


def test_names_are_shown_and_never_run():
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)], name=NASTY, joint_names=[NASTY, "b"])
    page = robot.scene(np.zeros((2, 2)), tau=np.ones((2, 2))).page()
    assert NASTY not in page
    tree = html.document_fromstring(page)
    assert tree.xpath("string(//h1)") == NASTY
    assert NASTY in tree.xpath("//ul//span/text()")
    frame = html.fragment_fromstring(robot.scene()._repr_html_())
    assert html.document_fromstring(frame.get("srcdoc")).xpath("string(//h1)") == NASTY


def test_a_page_needs_no_network_and_has_the_library_once(scene):
    page = scene.page()
    part = "<p>" + scene.html("below & beside")
    assert part.startswith("<p><figure")
    assert "<figcaption>below &amp; beside</figcaption>" in part
    assert page.count('data-three="core"') == 1
    assert 'data-three="core"' not in scene.html(whole=False)
    tree = html.document_fromstring(page)
    assert not tree.xpath("//*[@src or @href]")
    assert "default-src 'none'" in tree.xpath("//meta[@http-equiv]/@content")[0]
    assert len(page) < 600_000
    (canvas,) = tree.xpath("//canvas")
    assert "goes from" in canvas.get("aria-label")
    assert canvas.get("tabindex") == "0"
    assert tree.xpath("//div[@class='scene-still']//*[name()='svg']")


def test_three_js_is_the_released_one():
    folder = files("closedform.scene") / "vendor" / "three"
    listed = dict(re.findall(r"\| `(\S+)` \| `(\w{64})` \|", (folder / "README.md").read_text()))
    assert set(listed) == set(THREE.values())
    for name, sum_ in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == sum_
    assert "MIT License" in (folder / "LICENSE").read_text()


def test_a_browser_shows_the_robot_and_plays(browser, tmp_path):
    arm = cf.load("2r")
    path = tmp_path / "arm.html"
    arm.scene(cf.trajectory.polynomial([0.0, 0.5], [1.5, -1.0], 2.0)).save(path)
    with browser.open(path, 400, "dark", 600, reduced_motion="reduce") as sheet:
        page = sheet.page
        page.wait_for_selector("figure.scene.ready")
        assert sheet.overflow() <= 0
        canvas = ".scene-stage"
        still = sheet.picture(canvas)
        assert drawn(still) > 0.05
        assert page.inner_text("[data-scene=play]") == "Play"  # nobody asked for motion
        page.focus("canvas")
        page.keyboard.press("Space")
        sheet.until("document.querySelector('[data-scene=time]').value > 300")
        page.keyboard.press("Space")
        assert page.inner_text("[data-scene=play]") == "Play"
        moved = sheet.picture(canvas)
        assert changed(still, moved) > 0.01
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(200)
        assert changed(moved, sheet.picture(canvas)) > 0.01
        for mark in ("torques", "manipulability", "centres", "frames"):
            before = sheet.picture(canvas)
            page.check(f"[data-mark={mark}]")
            page.wait_for_timeout(200)
            assert changed(before, sheet.picture(canvas)) > 1e-4, mark
        assert "N m" in page.inner_text(".scene-bars li >> nth=0")


def test_a_browser_without_webgl_shows_a_still_picture(browser, tmp_path):
    path = tmp_path / "arm.html"
    cf.load("2r").scene([[0.0, 0.5], [1.0, 0.5]]).save(path)
    with browser.open(
        path, height=600, before="HTMLCanvasElement.prototype.getContext = () => null"
    ) as sheet:
        sheet.page.wait_for_selector("figure.scene[data-state=failed]")
        assert "still picture" in sheet.page.inner_text(".scene")
        assert drawn(sheet.picture(".scene-still")) > 0.005
        assert not sheet.page.is_visible("[data-scene=play]")
