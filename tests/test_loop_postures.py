"""Singular postures and assembly modes of mechanisms, against geometry done by hand."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from oracles.loop_mechanisms import five_bar, four_bar, planar_3rrr


def test_four_bar_is_singular_where_coupler_and_rocker_are_in_line():
    """Lengths 1 (crank), 1 (coupler), 1 (rocker) and 2.2 (base): they are in line if cos(q) is known."""
    rod = cf.Inertial.of(1.0, (0.5, 0, 0), np.eye(3))
    rows = [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0), (0, 0, 2.2, 0, 0)]
    bars = cf.Robot.from_mdh(rows, parents=[-1, 0, -1], inertials=[rod] * 3)
    bars = bars.with_frame("a", "link2", (1, 0, 0)).with_frame("b", "link3", (1, 0, 0))
    closed = bars.with_loops([cf.Loop("a", "b")], independent=["joint1"], near=[0.6, -0.9, 2.0])
    edge = np.arccos((1 + 2.2**2 - 2**2) / (2 * 2.2))  # crank pin 2 m from the rocker's pivot
    q = edge - np.array([0.2, 1e-2, 1e-4])
    found = closed.singularities(q[:, None])
    assert np.all(np.diff(found.independent.value) < 0)
    assert np.allclose(found.independent.value, found.actuators.value)
    assert found.independent.value[-1] < 0.02
    # the measure falls as the square root of the way of q: linear in the joints that still move there
    x = closed.assemble(q[-1:])
    stretched = closed.assemble([edge - 1e-9])
    way = np.linalg.norm(x - stretched)
    assert found.independent.distance[-1] == pytest.approx(way, rel=0.02)
    assert found.loops.value.min() > 0.05
    assert found.length == pytest.approx(2.2)


def test_five_bar_has_both_kinds():
    closed = five_bar()
    q = closed.neutral()
    plain = closed.singularities(q, "left", "position")
    assert plain.actuators.value > 0.1
    assert plain.output.value > 0.1
    # both elbows at (0.3, 0.4): the distal links turn about them while the motors are locked
    meeting = np.array([np.arctan2(0.4, 0.3), np.arctan2(0.4, -0.3)])
    second = closed.singularities(meeting + np.array([0.02, -0.02]), "left", "position")
    assert second.actuators.value < 0.05
    assert second.output.value > 0.1
    # the left leg of 1.3 m nearly stretched: its motor moves, the tip does not along the leg
    first = closed.singularities(_reached(np.array([0.62, 1.13])), "left", "position")
    assert first.output.value < 0.5 * plain.output.value
    assert first.actuators.value > 0.05


def _reached(tip: np.ndarray) -> np.ndarray:
    """Return crank angles of a five-bar that bring its tip somewhere, elbows outwards."""
    found = []
    for base, side in ((np.zeros(2), 1), (np.array([0.6, 0]), -1)):
        d = tip - base
        r = np.linalg.norm(d)
        inner = np.arccos((0.25 + r * r - 0.64) / (2 * 0.5 * r))
        found.append(np.arctan2(d[1], d[0]) + side * inner)
    return np.array(found)


def test_modes_by_formulas_are_those_of_triangles():
    for closed, count in ((four_bar(), 2), (five_bar(), 2)):
        q = closed.neutral()
        modes = closed.assembly_modes(q)
        assert len(modes) == count
        assert np.allclose(modes[:, list(closed.model.iq)], q)
        assert closed.closure_residual(modes).max() < 1e-12
        own = closed.assemble(q)
        turned = np.abs(np.exp(1j * modes) - np.exp(1j * own)).max(axis=1)
        assert np.sum(turned < 1e-9) == 1


def test_search_finds_the_modes_of_a_triangle_on_three_legs():
    """Its third corner is on a closed curve, which a circle meets an even number of times, at most six."""
    closed = planar_3rrr()
    modes = closed.assembly_modes(closed.neutral(), starts=40)
    assert 2 <= len(modes) <= 6
    assert len(modes) % 2 == 0
    assert closed.closure_residual(modes).max() < 1e-9
    assert np.allclose(modes, closed.assembly_modes(closed.neutral(), starts=40))


def test_what_cannot_be_assembled_has_no_mode():
    assert five_bar().assembly_modes([np.pi, 0.0]).shape[1] == 4
    assert five_bar().assembly_modes([3.0, 0.0]).shape[0] in (0, 2)
    with pytest.raises(cf.ArgumentError, match="assembly_modes: q"):
        five_bar().assembly_modes([1.0])
    with pytest.raises(cf.ArgumentError, match="starts"):
        five_bar().assembly_modes([1.0, 1.0], starts=0)
    with pytest.raises(cf.ArgumentError, match="output"):
        five_bar().singularities(five_bar().neutral(), "left", "speed")
    with pytest.raises(cf.UnknownNameError, match="hand"):
        five_bar().singularities(five_bar().neutral(), "hand")
