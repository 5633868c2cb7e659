"""A picture shows the robot where its poses are, whatever its names are."""

from __future__ import annotations

import numpy as np
import pytest
from plotly import graph_objects as go

import closedform as cf
from closedform.programs import evaluate
from conftest import ROBOTS, make


def points(trace: go.Scatter3d) -> np.ndarray:
    return np.stack([np.asarray(trace[each], dtype=float) for each in "xyz"], axis=-1)


@pytest.mark.parametrize("name", ["2r", "iiwa14", "quadruped", "screw_lift", "spherical_pendulum", "tree1"])
def test_joints_are_where_the_poses_are(name):
    robot = make(name)
    (q,) = robot.random_state(1, order=0)
    figure = robot.plot(q)
    sticks, joints = figure.data
    shown = dict(zip(joints.text, points(joints), strict=True))
    bodies = [body for body in robot.body_names if body in shown]
    assert bodies
    for body in bodies:
        place = evaluate(robot.program("pose", body), q)[:3, 3]
        assert np.allclose(shown[body], place, atol=1e-6 * (1 + np.abs(place).max()))
    ends = points(sticks)
    assert len(ends) % 3 == 0
    assert np.isnan(ends[2::3]).all()
    assert np.isfinite(ends[0::3]).all()


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_has_a_picture_at_home(name):
    figure = make(name).plot()
    assert figure.layout.title.text == make(name).name
    assert len(figure.to_json()) < 100_000


def test_only_planar_robots_are_seen_flat():
    assert make("2r").plot().layout.scene.camera.projection.type == "orthographic"
    assert make("iiwa14").plot().layout.scene.camera.projection.type == "perspective"


def test_several_configurations_have_a_slider():
    robot = make("iiwa14")
    q = robot.random_state(2, batch=(4,), order=0)[0]
    figure = robot.plot(q, frames=["tool", "base"])
    assert len(figure.frames) == 4
    assert len(figure.layout.sliders[0].steps) == 4
    for k, frame in enumerate(figure.frames):
        origins = points(frame.data[-1])
        assert list(frame.data[-1].text) == ["tool", "base"]
        assert np.allclose(origins[0], evaluate(robot.program("pose", "tool"), q[k])[:3, 3], atol=1e-6)
        assert not origins[1].any()
    assert list(robot.plot(frames=True).data[-1].text) == list(robot.frame_names)


def test_names_are_shown_as_they_are():
    nasty = '<b>%{x}"'
    text = make("2r").with_frame(nasty, pose=(0.1, 0, 0)).plot(frames=[nasty]).data[-1].text[0]
    assert text == '&lt;b&gt;%&#123;x}"'


def test_an_object_that_does_not_move_is_a_point():
    thing = make("2r").locked(["joint1", "joint2"])
    assert len(points(thing.plot().data[1])) == 1


def test_show_shows_the_plot(monkeypatch):
    shown = []

    def keep(figure):
        shown.append(figure)

    monkeypatch.setattr(go.Figure, "show", keep)
    make("2r").show([0.1, 0.2], frames=["tool"])
    assert shown[0].to_json() == make("2r").plot([0.1, 0.2], frames=["tool"]).to_json()

    def fail(figure):
        raise ValueError("Mime type rendering requires nbformat>=4.2.0")

    monkeypatch.setattr(go.Figure, "show", fail)
    with pytest.raises(cf.ClosedFormError, match=r"nbformat.*use plot\(q\)\.write_html"):
        make("2r").show()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.1]}, r"q has shape \(1,\); expected \(2,\) or \(n, 2\)"),
        ({"q": np.zeros((0, 2))}, r"shape \(0, 2\)"),
        ({"q": [0.1, np.nan]}, "finite"),
        ({"q": np.zeros((2000, 2))}, "at most 1000"),
        ({"frames": ["tol"]}, "did you mean 'tool'"),
        ({"frames": 3}, "expected True, False or some of"),
    ],
)
def test_what_cannot_be_drawn_is_said(given, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        make("2r").plot(**given)
