"""The viewer: what is drawn and written of a posture, and a server that keeps to it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

import browser
import closedform as cf
from closedform.viewer import Player, Reach, Recording, ViewState, numbers, panel
from closedform.viewer.bending import BendingState
from closedform.viewer.coordinates import coordinates
from closedform.viewer.ellipsoids import inertia_ellipsoids, manipulability_ellipsoid
from closedform.viewer.loop import Loop
from closedform.viewer.placing import pose_of
from closedform.viewer.recording import from_log, from_trajectory, made_up
from closedform.viewer.server import free_port
from closedform.viewer.tube import tube
from command_line import run

ROUND_OFF = 1e-12


@pytest.fixture(scope="module", name="arm")
def fixture_arm():
    """Return an arm of three joints for two rows of its tool: one degree of self-motion."""
    return cf.load("chang3r")


# ------------------------------------------------------------------ sliders and postures


@pytest.mark.parametrize("name", cf.catalogue(loops=False))
def test_sliders_set_what_they_show_from_a_posture_within_the_limits(name):
    robot = cf.load(name)
    assert robot.within_limits(ViewState(robot).q)
    q = robot.random_state(3, order=0)[0]
    every = coordinates(robot.model)
    for each in every:
        low, high = each.ends
        assert each.lower <= low < high <= each.upper
        value = low + 0.3 * (high - low)
        assert each.value(each.placed(q, value)) == pytest.approx(value, abs=1e-9)
        moved = each.placed(q, value)
        for other in every:
            assert other is each or other.value(moved) == pytest.approx(other.value(q), abs=1e-9)


def test_what_cannot_be_drawn_is_not_taken_over():
    robot = cf.load("quadruped")
    state = ViewState(robot)
    before = state.q
    nothing = before.copy()
    nothing[3:7] = 0.0  # no rotation
    for q in (np.full(robot.nq, np.nan), np.full(robot.nq, np.inf), nothing, before[:-1]):
        assert not state.move(q)
        assert state.q is before
        assert state.note.endswith("the last posture is kept")
    assert not state.set(state.coordinates[0].name, float("nan"))
    assert state.move(before)
    assert not state.note


def test_a_floating_base_goes_where_it_is_put():
    state = ViewState(cf.load("quadruped"))
    T = pose_of(np.array([0.5, 0.1, -0.7, 0.2]), np.array([0.3, -0.2, 0.9]))
    assert state.place_base(T)
    assert np.abs(state.bodies[0] - T).max() < ROUND_OFF


# ------------------------------------------------------------------ numbers and panel


def test_numbers_are_those_of_the_robot(arm):
    robot = cf.load("iiwa14")
    q = robot.random_state(1, order=0)[0]
    found = numbers(robot, q, "tool")
    J = robot.jacobian(q, "tool")
    assert found.manipulability == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-9)
    assert found.condition == pytest.approx(np.linalg.cond(J), rel=1e-9)
    assert [load.torque for load in found.loads] == robot.gravity_torque(q).tolist()
    assert found.loads[1].use == pytest.approx(abs(robot.gravity_torque(q)[1]) / robot.effort_limits[1])
    assert numbers(arm, np.zeros(3), "tool").condition > 1e6  # stretched


def test_names_stay_names_in_the_panel():
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0)], joint_names=["<img src=x onerror=alert(1)>"])
    state = ViewState(robot)
    found = numbers(robot, state.q, state.frame)
    texts = [
        panel.posture(state.coordinates, state.q),
        panel.loads(found),
        panel.measures(found, "<b>"),
        panel.compared(robot.joint_names, np.zeros(1), np.zeros(1)),
        panel.status(["<script>"]),
    ]
    for text in texts:
        assert not re.search(r"<(img|script|b>\w* at)", text)


def test_the_panel_says_in_words_what_is_too_much():
    robot = cf.load("2r").with_joint_limits(-1.0, 1.0, effort=0.01)
    state = ViewState(robot, [0.2, 0.0])
    assert "too much" in panel.loads(numbers(robot, state.q, state.frame))
    assert "beyond its limit" in panel.posture(state.coordinates, np.array([0.0, 2.0]))
    assert "nan" not in panel.matrix("M", np.array([[np.nan, 1.0]])).replace("NaN", "nan").split("<table")[0]


def test_a_large_matrix_is_a_picture():
    picture = panel.heat(np.diag(np.arange(1.0, 31.0)))
    assert picture.shape == (300, 300, 3)
    assert (picture[0, -1] == 255).all()
    assert picture[-1, -1].sum() < picture[0, 0].sum() < 3 * 255


def test_ellipsoids_have_the_inertia_of_their_body():
    robot = cf.load("humanoid")
    seen = inertia_ellipsoids(robot.model)
    full = {k: each for k, each in seen.items() if each.axes.min() > 0.03 * each.axes.max()}
    assert len(full) > 20  # the others are too thin to be drawn as they are
    for k, each in full.items():
        mass = robot.phi[10 * k + 9]
        R, a2 = each.placement[:3, :3], each.axes**2
        about_com = R @ np.diag(mass / 5 * (a2.sum() - a2)) @ R.T
        c = each.placement[:3, 3]
        about_origin = about_com + mass * (c @ c * np.eye(3) - np.outer(c, c))
        xx, xy, xz, yy, yz, zz = robot.phi[10 * k : 10 * k + 6]
        assert np.allclose(about_origin, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], atol=1e-9)
        assert np.linalg.det(R) == pytest.approx(1.0)
    robot = cf.load("iiwa14")
    q = robot.random_state(0, order=0)[0]
    J, tool = robot.jacobian(q, "tool"), robot.pose(q, "tool")
    gauge = manipulability_ellipsoid(J, tool, 1.0)
    world = tool[:3, :3] @ J[3:]
    shape = gauge.placement[:3, :3] @ np.diag(gauge.axes**2) @ gauge.placement[:3, :3].T
    assert np.allclose(shape / np.trace(shape), world @ world.T / np.trace(world @ world.T))
    assert manipulability_ellipsoid(np.zeros((6, 0)), tool, 1.0) is None


# ------------------------------------------------------------------ the tool and the elbow


def test_the_tool_goes_where_it_is_dragged_or_the_posture_stays(arm):
    reach, q = Reach(arm, "tool"), np.array([0.4, 0.9, 0.5])
    assert (reach.rows, reach.redundant) == (("x", "y"), True)
    target = arm.pose(q, "tool")
    target[:2, 3] += (-0.08, 0.05)
    followed = reach.follow(q, target)
    assert followed.met
    assert np.abs(arm.pose(followed.q, "tool")[:2, 3] - target[:2, 3]).max() < 1e-9
    target[:2, 3] = (9.0, 0.0)
    lost = reach.follow(followed.q, target)
    assert not lost.met
    assert "kept" in lost.note
    assert np.isfinite(lost.q).all()
    target[0, 3] = np.nan
    assert reach.follow(q, target).q is q


def test_the_elbow_moves_and_the_tool_stays(arm):
    q = np.array([0.4, 0.9, 0.5])
    elbow = Reach(arm, "tool").elbow(q)
    places = np.linspace(0.0, elbow.longest, 7)
    postures = np.array([elbow.at(place).q for place in places])
    assert np.abs(arm.pose(postures, "tool")[:, :2, 3] - arm.pose(q, "tool")[:2, 3]).max() < 1e-9
    assert np.ptp(postures, axis=0).min() > 0.5
    assert np.abs(elbow.at(elbow.start).q - q).max() < 0.05


def test_dragging_a_foot_moves_its_leg_only():
    robot = cf.load("quadruped")
    foot = next(name for name in robot.frame_names if "foot" in name)
    state, reach = ViewState(robot), Reach(robot, foot)
    state.place_base(pose_of(np.array([0.9, 0.1, 0.3, -0.2]), np.array([1.0, 2.0, 3.0])))
    target = robot.pose(state.q, foot)
    target[:3, 3] += (0.01, 0.02, 0.03)
    followed = reach.follow(state.q, target)
    assert followed.met, followed.note
    assert np.abs(robot.pose(followed.q, foot)[:3, 3] - target[:3, 3]).max() < 1e-9
    moved = robot.joint_values(followed.q - state.q)
    changed = {name for name, by in moved.items() if np.any(by)}
    assert changed == set(reach.joints)
    assert len(changed) == 3


def test_a_frame_that_too_few_joints_move_cannot_be_dragged():
    robot = cf.load("pendulum")
    reach = Reach(robot, ViewState(robot).frame)
    assert not reach.possible
    assert reach.elbow(np.zeros(1)) is None
    assert not reach.follow(np.zeros(1), np.eye(4)).met


# ------------------------------------------------------------------ motions


def test_a_player_goes_through_its_recording():
    turn = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    player = Player(Recording("turn", np.array([3.0, 5.0]), turn), (0,))
    assert not player.advance(1.0)
    player.playing, player.speed = True, 2.0
    assert player.advance(0.5)
    assert player.q == pytest.approx([0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    assert player.advance(0.75)  # and from the start
    assert player.time == pytest.approx(0.5)
    player.seek(float("nan"))
    assert player.time == pytest.approx(0.5)
    player.seek(99.0)
    assert player.q == pytest.approx(turn[1])


def test_recordings_have_the_torques_of_the_motion():
    robot = cf.load("2r")
    move = cf.trajectory.polynomial([0, 0], [1, 2], duration=2.0)
    played = from_trajectory(robot, move)
    assert np.allclose(played.computed, robot.inverse_dynamics(*move.derivatives(played.t, 2)), atol=1e-12)
    t = np.arange(0, 20, 0.005)
    q = 0.5 * np.stack([np.sin(t), np.cos(2 * t)], axis=1)
    qdd = 0.5 * np.stack([-np.sin(t), -4 * np.cos(2 * t)], axis=1)
    qd = 0.5 * np.stack([np.cos(t), -2 * np.sin(2 * t)], axis=1)
    tau = robot.inverse_dynamics(q, qd, qdd)
    logged = from_log(robot, {"time": t, "q": q, "tau": tau})
    assert np.abs(logged.measured - logged.computed).max() < 1e-3 * np.abs(tau).max()
    assert 0 == logged.t[0] < logged.duration < 20
    made = made_up(cf.load("spherical_pendulum"))
    assert np.allclose(np.linalg.norm(made.q, axis=1), 1.0)
    with pytest.raises(cf.ArgumentError, match="has 2 coordinates"):
        from_trajectory(cf.load("iiwa14"), move)


# ------------------------------------------------------------------ a flexible arm


def test_a_flexible_arm_moves_as_its_simulation_says():
    arm = cf.FlexibleArm.deluca_siciliano()
    state = BendingState(arm, [0.1, 0.2, 0, 0, 0.05, 0.002])
    state.set_torque(0, 0.1)
    state.set_torque(0, float("nan"))
    for _ in range(5):
        assert state.advance(0.02)
    run_ = arm.simulate(state.start, None, [0.1, 0.0], 0.1, 1e-3)
    assert np.abs(state.q - run_.q[-1]).max() < ROUND_OFF
    state.magnified = 0.0
    x, y = state.points()[-1]
    assert np.hypot(x, y) == pytest.approx(np.hypot(0.5 + 0.5 * np.cos(state.q[1]), 0.5 * np.sin(state.q[1])))


def test_a_flexible_arm_that_bends_too_far_stops_where_it_was():
    state = BendingState(cf.FlexibleArm.deluca_siciliano())
    state.torques[:] = 1e4
    while state.running:
        before = state.q
        state.advance(0.1)
    assert state.q is before
    assert "stopped where it was" in state.note
    assert np.isfinite(state.points()).all()
    state.rest()
    assert state.advance(0.01)
    assert not state.note


def test_a_tube_is_closed_and_seen_from_outside():
    bend = np.linspace(0, 1, 20)
    points = np.stack([np.cos(bend), np.sin(bend), 0.2 * bend], axis=1)
    vertices, faces = tube(points, np.full(20, 0.05))
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = vertices[faces.T]
    length = np.hypot(1.0, 0.2)
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(np.pi * 0.05**2 * length, rel=0.06)  # of a tube of twelve sides


# ------------------------------------------------------------------ the loop and the server


def test_of_several_changes_of_a_kind_the_last_is_made():
    done = []
    loop = Loop(done.append, lambda: False)
    for k in range(5):
        loop.ask("slider", lambda k=k: done.append(f"slider {k}"))
    loop.ask("broken", lambda: panel.number("x"))
    loop.ask("refused", lambda: cf.load("nope"))
    loop.step(0.1)
    assert done == ["slider 4", 0.1]
    assert "unknown robot" in loop.trouble
    loop.step(0.2)
    assert not loop.trouble


def test_a_port_in_use_is_left_alone():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", port) != port
    with pytest.raises(cf.ArgumentError, match="no address of this machine"):
        free_port("nowhere.invalid", 8080)
    for wrong in (-1, 70000, "8080", None):
        with pytest.raises(cf.ArgumentError, match="port"):
            free_port("127.0.0.1", wrong)


def test_without_viser_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    code, out, err = run(capsys, "view", "2r")
    assert (code, out) == (2, "")
    assert "pip install 'closedform[view]'" in err
    assert err.count("\n") == 1


def test_wrong_arguments_are_refused_before_a_server_is_opened(monkeypatch):
    pytest.importorskip("viser")
    monkeypatch.setattr("closedform.viewer.page.open_server", lambda *_: pytest.fail("a server"))
    robot, bending = cf.load("2r"), cf.FlexibleArm.deluca_siciliano()
    move = cf.trajectory.polynomial([0, 0], [1, 2], duration=1.0)
    for subject, options in (
        ("2r", {}),
        (robot, {"q": [0.0]}),
        (robot, {"q": [0.0, np.nan]}),
        (robot, {"frame": "nope"}),
        (robot, {"trajectory": 3}),
        (robot, {"trajectory": move, "log": {}}),
        (robot, {"log": "nope.csv"}),
        (robot, {"browser": "yes"}),
        (bending, {"frame": "tool"}),
        (bending, {"q": [0.0]}),
    ):
        with pytest.raises(cf.ClosedFormError):
            cf.view(subject, **options)


def test_a_view_draws_each_frame_of_a_motion_and_nothing_that_is_not_finite():
    pytest.importorskip("viser")
    robot = cf.load("2r")
    move = cf.trajectory.polynomial([0, 0], [1, 2], duration=2.0)
    with cf.view(robot, trajectory=move, port=0) as view:
        view.loop.end()  # frames are made here
        view.loop.ask("play", view.playing.toggle)
        view.loop.step(0.0)
        view.loop.step(1.0)
        assert np.allclose(view.q, [0.5, 1.0], atol=1e-4)
        tips = [view.server.scene.get_handle_by_name(f"/robot/{k}") for k in (1, 2)]
        for tip, T in zip(tips, robot.body_poses(view.q), strict=True):
            assert np.allclose(tip.position, T[:3, 3])
        view.q = [np.nan, 0.0]
        view.loop.step(1.0)
        assert "kept" in view.note
        assert not view.playing.moving
        assert np.isfinite([tip.position for tip in tips]).all()


def test_the_viewer_prints_its_address_and_ends_with_ctrl_c():
    pytest.importorskip("viser")
    command = [sys.executable, "-m", "closedform", "view", "2r", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        try:
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
            with urllib.request.urlopen(address) as page:
                assert b"<html" in page.read()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()  # one that does not end would be waited for without end
    assert (process.returncode, out, err) == (130, "", "")


def test_in_a_browser_a_slider_moves_the_robot_for_every_client():
    pytest.importorskip("viser")
    robot = cf.load("2r")
    with (
        browser.started() as opened,
        cf.view(robot, [0.3, 0.4], port=0) as view,
        opened.open(view.url, width=400, height=700) as other,
    ):
        other.page.wait_for_selector("canvas")
        with opened.open(view.url) as sheet:
            slider = sheet.page.get_by_role("slider").first
            slider.wait_for()
            sheet.page.wait_for_timeout(500)
            before = sheet.picture("canvas")
            assert browser.drawn(before) > 0.02
            slider.focus()
            for _ in range(3):
                sheet.page.keyboard.press("Home")
            sheet.until("document.querySelector('[role=slider]').ariaValueNow < -100")
        view.q = [0.3, np.nan]  # while a client goes
        other.page.wait_for_selector("text=the last posture is kept")
        assert view.q[0] < -3
        view.q = [1.0, 0.0]
        other.until("document.querySelector('[role=slider]').ariaValueNow > 57")
    assert not view.note
