"""Where assembly modes meet, nothing says which one follows: assembly and simulation stop there."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.loops.linear import BlockSystem
from closedform.loops.passages import first_passage, touched


def bars(coupler, *, formula=True):
    """Return a four-bar of crank 1, ground 2 and rocker 1; a coupler of 2 makes it a parallelogram."""
    rod = cf.Inertial.of(1.0, (0.5, 0, 0), (0, 0, 0, 0.1, 0, 0.1))
    rows = [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0), (0, 0, 2.0, 0, 0)]
    tree = cf.Robot.from_mdh(rows, parents=[-1, 0, -1], inertials=[rod] * 3, gravity=(0, -9.81, 0))
    tree = tree.with_frame("coupler", "link2", (coupler, 0, 0)).with_frame("rocker", "link3", (1.0, 0, 0))
    robot = tree.with_loops([cf.Loop("coupler", "rocker", "hinge")], near=[1.0, -1.0, 1.0])
    return robot if formula else cf.ClosedRobot(replace(robot.model, dyads=()))


@pytest.fixture(scope="module", params=["formula", "search"])
def parallelogram(request):
    robot = bars(2.0, formula=request.param == "formula")
    assert robot.model.explicit == (request.param == "formula")
    return robot


@pytest.mark.parametrize("q", [0.02, 0.5, 3.1])
def test_a_parallelogram_is_one_on_this_side_of_its_change_points(parallelogram, q):
    np.testing.assert_allclose(parallelogram.assemble([q]), [q, -q, q], atol=1e-12)


@pytest.mark.parametrize("q", [-0.02, -1.0, 3.2, 5.0])
def test_assembly_through_a_change_point_is_refused(parallelogram, q):
    with pytest.raises(cf.ClosedFormError, match="a singular posture, where assembly modes meet"):
        parallelogram.assemble([q])
    beyond = parallelogram.assemble([q], near=[q, -q, q])
    np.testing.assert_allclose(beyond, [q, -q, q], atol=1e-12)


def test_in_a_batch_the_rows_beyond_are_nan(parallelogram):
    q = np.array([[0.5], [-0.5], [2.0]])
    with pytest.warns(cf.ModelWarning, match="1 of 3 samples are NaN"):
        x = parallelogram.assemble(q)
    assert np.isnan(x).any(axis=1).tolist() == [False, True, False]


def test_a_full_turn_passes_both_change_points_and_ends_where_it_began():
    x = bars(2.0).assemble([1.0 + 2 * np.pi])
    np.testing.assert_allclose(x[1:], [-1.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("velocity", [3.0, -2.0])
def test_a_motion_through_a_change_point_is_refused(parallelogram, velocity):
    """A crank of 3 rad/s falls to the left past pi, one of -2 rad/s falls to the right past zero."""
    with pytest.raises(
        cf.ClosedFormError, match="the loop coupler-rocker passes a singular posture"
    ) as found:
        parallelogram.simulate([1.0], [velocity], duration=1.0)
    t = float(str(found.value).split("t = ")[1].split()[0])
    short = parallelogram.simulate([1.0], [velocity], duration=t - 0.002)
    end = short.q_all[-1]
    assert min(abs(end[0]), abs(end[0] - np.pi)) < 0.02
    np.testing.assert_allclose(end, [end[0], -end[0], end[0]], atol=1e-9)


def test_in_a_batch_motions_are_nan_from_there(parallelogram):
    with pytest.warns(cf.ModelWarning, match="1 of 2 motions are NaN"):
        run = parallelogram.simulate([1.0], [[1.0], [-2.0]], duration=0.6, step=1e-2)
    assert not np.isnan(run.q[0]).any()
    assert np.isnan(run.q[1, -1]).all()
    assert not np.isnan(run.q[1, :10]).any()


def test_a_four_bar_that_comes_near_its_dead_points_is_assembled_all_around():
    """With a coupler a little longer than that of the parallelogram the bars turn back before a line."""
    robot = bars(2.01)
    q = np.linspace(1.0, 1.0 + np.pi, 40)[:, None]
    x = robot.assemble(q[q[:, 0] < 2.9])
    assert np.isfinite(x).all()
    assert not robot._assembler._has_change_points


@pytest.mark.parametrize(("name", "meets"), [("four_bar", False), ("five_bar", False), ("palletiser", True)])
def test_only_mechanisms_with_change_points_are_looked_at_along_the_way(name, meets):
    assert cf.load(name)._assembler._has_change_points == meets


def test_touching_zero_twice_is_as_good_as_never():
    """|t - 1/3| touches zero once, |t - 1/3| |t - 2/3| twice; a parabola above zero never."""
    t1, t2 = 1 / 3, 2 / 3
    rows = [
        lambda t: np.abs(t - t1),
        lambda t: np.abs((t - t1) * (t - t2)),
        lambda t: (t - 0.5) ** 2 + 1e-6,
    ]
    found = touched(lambda t: np.array([f(part) for f, part in zip(rows, t, strict=True)])[..., None], 3)
    assert found.tolist() == [True, False, False]


def test_a_motion_that_heads_for_zero_and_turns_back_has_taken_the_other_branch():
    t = np.linspace(0, 1, 101)
    through, back, beside = t - 0.503, np.abs(t - 0.503), np.sqrt((t - 0.503) ** 2 + 0.01)
    sample, _ = first_passage(np.stack([through, back, beside])[..., None])
    assert sample.tolist() == [51, 51, -1]


def test_determinants_of_blocks_are_those_of_numpy():
    """By the lengths of columns, and but for a sign that does not depend on the numbers."""
    A = ca.SX.sym("A", 5, 5)
    mask = np.kron(np.eye(2), np.ones((3, 3)))[:5, :5]
    system = BlockSystem(A * mask)
    found = ca.Function("d", [A], [system.determinants])
    rng, signs = np.random.default_rng(0), []
    for _ in range(20):
        values = rng.normal(size=(5, 5)) * mask
        expected = [
            np.linalg.det(each / np.linalg.norm(each, axis=0)) for each in (values[:3, :3], values[3:, 3:])
        ]
        got = np.array(found(values)).ravel()
        got = got if system.blocks[0][2].n == 3 else got[::-1]
        np.testing.assert_allclose(np.abs(got), np.abs(expected), atol=1e-13)
        signs.append(np.sign(got * expected))
    assert np.ptp(signs, axis=0).tolist() == [0, 0]
