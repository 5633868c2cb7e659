"""Gaps between spheres of a robot, against centres by poses of their frames, one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from conftest import make
from tolerances import ROUNDING, worst


@pytest.mark.parametrize("name", ["iiwa14", "quadruped"])
def test_gaps_are_distances_less_radii(name):
    robot = make(name)
    rng = np.random.default_rng(0)
    names = [robot.frame_names[0], *robot.body_names, robot.frame_names[-1]]
    given = [(each, rng.normal(scale=0.1, size=3), rng.uniform(0, 0.2)) for each in names]
    balls = robot.spheres(given)
    q = robot.random_state(1, batch=(2, 3), order=0)[0]
    home = np.broadcast_to(np.eye(4), (2, 3, 4, 4))
    places = []
    for frame, centre, _ in given:
        moves = robot.model.frame(frame).body >= 0
        T = evaluate(robot.program("pose", frame), q) if moves else home
        places.append((T @ np.append(centre, 1.0))[..., :3])
    gaps = balls.distances(q)
    assert gaps.shape == (2, 3, len(balls.pairs))
    for gap, (i, j) in zip(np.moveaxis(gaps, -1, 0), balls.pairs, strict=True):
        expected = np.linalg.norm(places[i] - places[j], axis=-1) - given[i][2] - given[j][2]
        assert worst(gap, expected, 1.0) < ROUNDING
    obstacles = rng.normal(size=(3, 4, 4))  # one set for each of three samples
    found = balls.obstacle_distances(q, obstacles)
    assert found.shape == (2, 3, len(given), 4)
    away = np.linalg.norm(places[2][1, 2] - obstacles[2, 1, :3]) - given[2][2] - obstacles[2, 1, 3]
    assert found[1, 2, 2, 1] == pytest.approx(away, abs=1e-14)


def test_bodies_next_to_each_other_are_left_out_unless_asked_for():
    arm = make("iiwa14")
    given = [("base", (0, 0, 0), 0.1), *((name, (0, 0, 0), 0.1) for name in arm.body_names)]
    pairs = arm.spheres([*given, ("tool", (0, 0, 0), 0.1)]).pairs.tolist()
    everything = arm.spheres([*given, ("tool", (0, 0, 0), 0.1)], neighbours=True).pairs.tolist()
    assert [0, 1] not in pairs
    assert [0, 2] in pairs
    assert [7, 8] not in everything  # the tool is fixed to the last body
    assert len(everything) == 9 * 8 // 2 - 1
    assert len(pairs) == len(everything) - 8


def test_an_object_without_joints_has_spheres_too():
    thing = make("2r").locked(["joint1", "joint2"])
    balls = thing.spheres([("tool", (0, 0, 0), 0.1)])
    assert np.allclose(balls.centers(np.zeros(0)), [[1.75, 0, 0]])
    assert balls.distances(np.zeros((3, 0))).shape == (3, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: arm.spheres([]), "expected 1 to 1000"),
        (lambda arm: arm.spheres([("tool", 0.1)]), r"spheres\[0\] is .*expected \(frame, centre, radius\)"),
        (lambda arm: arm.spheres([("tol", (0, 0, 0), 0.1)]), "did you mean 'tool'"),
        (lambda arm: arm.spheres([("tool", (0, 0), 0.1)]), r"spheres\[0\]: centre has shape \(2,\)"),
        (lambda arm: arm.spheres([("tool", (0, 0, 0), -0.1)]), r"spheres\[0\]: radius"),
        (lambda arm: arm.spheres([("tool", (0, 0, 0), 0.1)]).centers([0.1]), r"expected \(..., 2\)"),
        (
            lambda arm: arm.spheres([("tool", (0, 0, 0), 0.1)]).obstacle_distances([0, 0], [1, 2, 3]),
            r"expected \(..., k, 4\)",
        ),
    ],
)
def test_wrong_spheres_are_refused(call, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        call(make("2r"))
