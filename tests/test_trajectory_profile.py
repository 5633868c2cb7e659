"""Point-to-point profiles: within their limits, and no admissible motion is faster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from closedform import trajectory as tr
from closedform.trajectory.profile import rest_to_rest
from oracles.time_optimal import farthest
from tolerances import LONG_CHAIN, PROMISED, ROUNDING, worst


def random_moves(count: int, seed: int, snap: bool):
    """Return distances and limits spread over several orders of magnitude, so that all cases occur."""
    rng = np.random.default_rng(seed)
    distance = 10 ** rng.uniform(-4, 2, count)
    bounds = [10 ** rng.uniform(-1.5, 1.5, count) * base for base in (1.0, 5.0, 50.0, 1000.0)]
    if not snap:
        bounds[3] = np.full(count, np.inf)
    return distance, bounds


@pytest.mark.parametrize("snap", [False, True])
@pytest.mark.parametrize("synchronise", ["time", "none"])
def test_ten_thousand_random_moves_keep_their_limits(snap, synchronise):
    distance, bounds = random_moves(10_000, 5, snap)
    start = np.random.default_rng(6).normal(size=10_000)
    sign = np.where(np.arange(10_000) % 2, 1.0, -1.0)
    names = ("velocity", "acceleration", "jerk", "snap")
    motion = tr.profile(
        start, start + sign * distance, **dict(zip(names, bounds, strict=True)), synchronise=synchronise
    )
    widths = np.diff(motion.breaks, axis=1).T
    for order in range(1, 5 if snap else 4):
        coefficients = motion.coefficients
        for _ in range(order):
            coefficients = coefficients[1:] * np.arange(1, len(coefficients))[:, None, None]
        for x in np.linspace(0, 1, 9):
            powers = (x * widths) ** np.arange(len(coefficients))[:, None, None]
            value = (coefficients * powers).sum(axis=0) * (widths > 0)
            assert (np.abs(value).max(axis=0) <= bounds[order - 1] * (1 + PROMISED)).all(), order
    assert worst(motion(motion.duration), start + sign * distance) < ROUNDING
    assert (np.diff(motion.breaks, axis=1) >= 0).all()


@pytest.mark.parametrize("snap", [False, True])
def test_pieces_join_and_begin_and_end_at_rest(snap):
    distance, bounds = random_moves(300, 8, snap)
    for i in range(300):
        motion = tr.profile(
            0.0,
            distance[i],
            velocity=bounds[0][i],
            acceleration=bounds[1][i],
            jerk=bounds[2][i],
            snap=bounds[3][i],
        )
        inner = motion.breaks[0, 1:-1]
        for order in range(motion.smoothness + 1):
            scale = np.abs(motion(inner, order=order)).max()
            gap = motion(inner, order=order) - motion(np.nextafter(inner, 0), order=order)
            slope = np.abs(motion(inner, order=order + 1)).max() * np.spacing(motion.duration)
            assert np.abs(gap).max() <= LONG_CHAIN * scale + 4 * slope
            if order:
                assert (
                    np.abs(motion([0.0, motion.duration], order=order)).max() < LONG_CHAIN * scale + 4 * slope
                )


def test_every_case_of_limits_occurs_and_the_widths_nest():
    distance, bounds = random_moves(10_000, 5, True)
    widths = rest_to_rest(distance, *bounds)
    V = distance / widths.velocity
    A, J = V / widths.acceleration, V / widths.acceleration / widths.jerk
    reached = np.stack([np.isclose(x, b, rtol=1e-9) for x, b in zip((V, A, J), bounds[:3], strict=True)])
    assert len(np.unique(reached, axis=1).T) == 8
    slack = 1 + 1e-12
    assert (widths.velocity * slack >= widths.acceleration + widths.jerk + widths.snap).all()
    assert (widths.acceleration * slack >= widths.jerk + widths.snap).all()
    assert (widths.jerk * slack >= widths.snap).all()


def test_no_jerk_limits_is_the_limit_of_ever_larger_ones():
    limits = {"velocity": 1.0, "acceleration": 2.0}
    plain = tr.profile(0.0, 3.0, **limits)
    assert plain.duration == pytest.approx(3.0 / 1.0 + 1.0 / 2.0)
    assert tr.profile(0.0, 3.0, **limits, jerk=1e12).duration == pytest.approx(plain.duration, rel=PROMISED)
    seven = tr.profile(0.0, 3.0, **limits, jerk=7.0)
    fifteen = tr.profile(0.0, 3.0, **limits, jerk=7.0, snap=1e14)
    assert fifteen.duration == pytest.approx(seven.duration, rel=PROMISED)
    t = np.linspace(0, 3, 101)
    assert worst(fifteen(t), seven(t)) < PROMISED


def test_coordinates_arrive_together_or_move_along_the_line():
    start, end = np.array([0.0, 1.0, -1.0, 2.0]), np.array([1.0, -2.0, 0.5, 2.0])
    limits = {"velocity": [1, 2, 3, 1], "acceleration": [2, 3, 9, 1], "jerk": [20, 30, 15, 1], "snap": 500.0}
    own = tr.profile(start, end, **limits, synchronise="none")
    alone = [
        tr.profile(start[i], end[i], **{k: np.broadcast_to(v, 4)[i] for k, v in limits.items()}).duration
        for i in range(3)
    ]
    assert own.duration == pytest.approx(max(alone))
    for i, duration in enumerate(alone):
        assert own(duration)[i] == pytest.approx(end[i], abs=ROUNDING)
        assert abs(own(duration * 0.95)[i] - end[i]) > 1e-6
    together = tr.profile(start, end, **limits)
    assert together.duration == pytest.approx(max(alone))
    line = tr.profile(start, end, **limits, synchronise="line")
    assert line.duration >= together.duration * (1 - 1e-12)
    share = (line(np.linspace(0, line.duration, 50)) - start)[:, :3] / (end - start)[:3]
    assert worst(share, share[:, :1]) < ROUNDING
    for motion in (own, together, line):
        assert np.array_equal(motion(np.linspace(0, 9, 30))[:, 3], np.full(30, 2.0))
        for order, name in enumerate(limits, 1):
            assert (
                np.abs(motion.extremes(order)).max(axis=0) <= np.asarray(limits[name]) * (1 + PROMISED)
            ).all()


def test_a_move_to_where_it_stands_takes_no_time():
    motion = tr.profile([1.0, 2.0], [1.0, 2.0], velocity=1, acceleration=1, jerk=1)
    assert motion.duration == 0
    assert motion(0.0).tolist() == [1.0, 2.0]
    assert motion(5.0, order=1).tolist() == [0.0, 0.0]
    assert [each.tolist() for each in motion.extremes()] == [[1.0, 2.0]] * 2


@pytest.mark.parametrize("seed", range(6))
def test_no_jerk_limited_motion_is_faster(seed):
    distance, bounds = moderate(seed)
    T = float(rest_to_rest(distance, *bounds[:3], np.array(np.inf)).duration)
    assert farthest(T, bounds[:3]) == pytest.approx(distance, rel=2e-3)
    assert farthest(0.99 * T, bounds[:3]) < distance * (1 - 5e-3)


@pytest.mark.parametrize("seed", range(4))
def test_no_snap_limited_motion_is_much_faster(seed):
    distance, bounds = moderate(seed)
    T = float(rest_to_rest(distance, *bounds).duration)
    assert farthest(T / 1.0747, bounds, 120) < distance * 1.002


def test_the_gap_to_bang_bang_snap_is_that_of_chebyshev():
    """With snap alone, the optimum covers s T^4/384 (an L1-minimal monic cubic), the profile s T^4/512."""
    huge = np.array(1e9)
    T = float(rest_to_rest(np.array(1.0), huge, huge, huge, np.array(2.0)).duration)
    assert pytest.approx(1.0) == 2.0 * T**4 / 512
    assert farthest(T, [1e9, 1e9, 1e9, 2.0]) == pytest.approx(512 / 384, rel=1e-3)


def moderate(seed: int):
    """Return a move whose limits all matter, so that a linear program of few steps resolves it."""
    rng = np.random.default_rng(seed)
    distance = np.array(10 ** rng.uniform(-1.5, 0.5))
    return distance, rng.uniform(0.5, 2.0, 4) * [1.0, 4.0, 40.0, 900.0]


@pytest.mark.parametrize("seed", range(4))
def test_no_profile_of_fifteen_segments_is_one_percent_faster(seed):
    """With free durations of all segments, a nonlinear program gets less far in 99 % of the time."""
    distance, bounds = moderate(seed)
    T = 0.99 * float(rest_to_rest(distance, *bounds).duration)
    signs = [1, 0, -1, 0, -1, 0, 1, 0, -1, 0, 1, 0, 1, 0, -1]

    def states(lengths):
        q = v = a = j = 0.0
        seen = []
        for length, sign in zip(lengths * T, signs, strict=True):
            s = sign * bounds[3]
            q += length * (v + length * (a / 2 + length * (j / 6 + length * s / 24)))
            v += length * (a + length * (j / 2 + length * s / 6))
            a += length * (j + length * s / 2)
            j += length * s
            seen.append((v / bounds[0], a / bounds[1], j / bounds[2]))
        return q, np.array(seen)

    def rests(lengths):
        seen = states(lengths)[1]
        return [lengths.sum() - 1, seen[-1, 0], seen[-1, 1], *seen[[2, 6, 10, 14], 2], seen[6, 1]]

    def inside(lengths):
        seen = states(lengths)[1]
        return np.concatenate([1 - seen.ravel(), 1 + seen.ravel()])

    best = 0.0
    for start in range(4):
        snap, jerk, phase = bounds[2] / bounds[3], bounds[1] / bounds[2], bounds[0] / bounds[1]
        rough = [snap, jerk, snap, phase, snap, jerk, snap]
        x0 = np.random.default_rng(start).uniform(0.2, 0.8, 15) * [*rough, T, *rough] / T
        found = minimize(
            lambda x: -states(x)[0] / distance,
            x0,
            method="SLSQP",
            bounds=[(0, 1)] * 15,
            constraints=[{"type": "eq", "fun": rests}, {"type": "ineq", "fun": inside}],
            options={"maxiter": 300},
        )
        if np.abs(rests(found.x)).max() < 1e-6 and inside(found.x).min() > -1e-6:
            best = max(best, -found.fun)
    assert 0.9 < best < 1 - 5e-3
