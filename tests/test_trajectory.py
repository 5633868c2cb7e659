"""Trajectories: derivatives, smoothness and interpolation, by routes of their own."""

from __future__ import annotations

import math
import pickle

import mpmath
import numpy as np
import pytest

from closedform import ArgumentError
from closedform import trajectory as tr
from tolerances import DIFFERENCE, HALF_DIGITS, ITERATED, LONG_CHAIN, PROMISED, ROUNDING, worst

RNG = np.random.default_rng(7)
TIMES = np.array([0.0, 0.4, 1.1, 1.5, 2.3])
POINTS = RNG.normal(size=(5, 3))


def cases() -> dict[str, tr.Trajectory]:
    q0, q1 = POINTS[:2]
    bounds = {"velocity": [1, 2, 0.5], "acceleration": 4.0, "jerk": 30.0}
    return {
        "quintic": tr.polynomial(q0, q1, 0.8, degree=5),
        "septic": tr.polynomial(q0, q1, 0.8, degree=7, start_rates=POINTS[2:4], end_rates=POINTS[3:5]),
        "ninth": tr.polynomial(q0, q1, 0.8, degree=9),
        "spline": tr.spline(TIMES + 3.0, POINTS),
        "spline7": tr.spline(TIMES, POINTS, degree=7),
        "trapezoid": tr.profile(q0, q1, velocity=1.0, acceleration=4.0),
        "seven": tr.profile(q0, q1, **bounds),
        "fifteen": tr.profile(q0, q1, **bounds, snap=400.0, synchronise="none"),
        "fourier": tr.fourier(q0, POINTS[:4], POINTS[1:], period=2.5, duration=4.0),
        "cosine": tr.cosine(q0, q1, [1.0, 1.3, 0.7], phase=0.3, duration=2.0),
        "stretched": tr.stretch(tr.spline(TIMES, POINTS), 1.7),
        "paced": tr.Paced(tr.spline(TIMES, POINTS), tr.spline([0, 1, 2.3], [0.5, 2.0, 1.0])),
    }


CASES = cases()


@pytest.fixture(params=CASES)
def motion(request):
    return CASES[request.param]


def test_each_derivative_is_the_slope_of_the_one_before(motion):
    h = 1e-5 * motion.duration
    t = np.linspace(0.02, 0.98, 57) * motion.duration
    for order in range(1, int(min(motion.smoothness + 1, 6)) + 1):
        slope = (motion(t + h, order=order - 1) - motion(t - h, order=order - 1)) / (2 * h)
        value = motion(t, order=order)
        # where a piece ends within the difference, the last derivative may jump
        near = np.zeros(t.shape, bool)
        if order == motion.smoothness + 1:
            near = (
                np.abs(motion(t + h, order=order) - motion(t - h, order=order)).max(-1)
                > 1e-2 * np.abs(value).max()
            )
        assert near.mean() < 0.1
        assert worst(slope[~near], value[~near]) < 100 * DIFFERENCE


def test_derivatives_up_to_the_smoothness_are_continuous_and_the_next_jumps(motion):
    if math.isinf(motion.smoothness):
        assert motion(0.3, order=12).shape == (3,)
        return
    jumping = motion.smoothness + 1
    jump = motion._jump(jumping)
    here, before = motion(jump.time, order=jumping), motion(np.nextafter(jump.time, 0) - 1e-12, order=jumping)
    assert abs((here - before)[jump.dof] - jump.size) < 1e-3 * abs(jump.size)
    for order in range(jumping):
        steps = motion(jump.time + 1e-9, order=order) - motion(jump.time - 1e-9, order=order)
        scale = np.abs(motion(np.linspace(0, motion.duration, 101), order=order)).max()
        slope = np.abs(motion(np.linspace(0, motion.duration, 101), order=order + 1)).max()
        assert np.abs(steps).max() < ITERATED * scale + 4e-9 * slope


def test_a_trajectory_refuses_an_order_beyond_a_jump(motion):
    if math.isinf(motion.smoothness):
        return
    motion(0.1, order=motion.smoothness + 1)
    with pytest.raises(
        ArgumentError, match=rf"derivative {motion.smoothness + 1}.*jumps by .* at t = "
    ) as caught:
        motion(0.1, order=motion.smoothness + 2)
    jump = motion._jump(motion.smoothness + 1)
    assert f"coordinate {jump.dof}" in str(caught.value)
    assert f"t = {jump.time:.6g} s" in str(caught.value)
    with pytest.raises(ArgumentError, match="not continuous"):
        motion.check_order(motion.smoothness + 1, continuous=True)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,), (2, 0, 3)])
def test_instants_of_any_shape(motion, shape):
    t = np.random.default_rng(1).uniform(0, motion.duration, shape)
    values = motion.derivatives(t, 2)
    assert [value.shape for value in values] == [(*shape, 3)] * 3
    for index in np.ndindex(shape):
        for order in range(3):
            assert worst(values[order][index], motion(t[index], order=order)) < ROUNDING


def test_the_ends_are_held_outside_and_nan_stays_in_its_sample(motion):
    t = np.array([-1.0, np.nan, motion.duration / 3, motion.duration + 1, np.inf])
    q, qd = motion.derivatives(t, 1)
    assert worst(q[0], motion(0.0)) < ROUNDING
    assert worst(q[3], motion(motion.duration)) < ROUNDING
    assert worst(q[4], q[3]) < ROUNDING
    assert not qd[[0, 3, 4]].any()
    assert np.isnan(q[1]).all()
    assert np.isnan(qd[1]).all()
    assert np.isfinite(np.delete(q, 1, axis=0)).all()


def test_trajectories_pickle(motion):
    again = pickle.loads(pickle.dumps(motion))
    t = np.linspace(0, motion.duration, 11)
    assert np.array_equal(again(t, order=1), motion(t, order=1))


@pytest.mark.parametrize("degree", [1, 3, 5, 7, 9, 11])
def test_polynomial_solves_the_boundary_conditions_to_fifty_digits(degree):
    m = degree // 2
    rng = np.random.default_rng(degree)
    T, first, last = 1.7, rng.normal(size=(m + 1, 2)), rng.normal(size=(m + 1, 2))
    motion = tr.polynomial(
        first[0], last[0], T, degree=degree, start_rates=list(first[1:]), end_rates=list(last[1:])
    )
    with mpmath.workdps(50):
        rows = mpmath.zeros(degree + 1)
        for k in range(m + 1):
            rows[k, k] = mpmath.factorial(k)
            for n in range(k, degree + 1):
                rows[m + 1 + k, n] = mpmath.ff(n, k) * mpmath.mpf(T) ** (n - k)
        for dof in range(2):
            right = mpmath.matrix([*first[:, dof].tolist(), *last[:, dof].tolist()])
            wanted = mpmath.lu_solve(rows, right)
            got = motion.coefficients[:, 0, dof]
            assert (
                worst(got * T ** np.arange(degree + 1), [float(w * T**n) for n, w in enumerate(wanted)])
                < ROUNDING
            )


def test_quintic_between_rests_is_the_minimum_jerk_motion():
    s = np.linspace(0, 1, 11)
    q = tr.polynomial(0.0, 2.0, 3.0, degree=5)(3 * s)[:, 0]
    assert worst(q, 2 * (10 * s**3 - 15 * s**4 + 6 * s**5)) < ROUNDING


@pytest.mark.parametrize("degree", [3, 5, 7, 9])
def test_spline_passes_its_waypoints_and_keeps_its_end_rates(degree):
    rates = list(RNG.normal(size=(degree // 2, 3)))
    motion = tr.spline(TIMES, POINTS, degree=degree, start_rates=rates, end_rates=rates[:1])
    assert worst(motion(TIMES), POINTS) < LONG_CHAIN
    for k in range(degree // 2):
        assert worst(motion(0.0, order=k + 1), rates[k]) < PROMISED
        end = motion(motion.duration, order=k + 1)
        assert np.abs(end - (rates[0] if k == 0 else 0)).max() < HALF_DIGITS * max(
            np.abs(motion(TIMES, order=k + 1)).max(), 1
        )
    assert motion.smoothness == degree - 1


def test_extremes_contain_every_sample_and_are_attained():
    for name in ("septic", "spline", "seven", "fifteen"):
        motion = CASES[name]
        t = np.linspace(0, motion.duration, 20001)
        for order in range(4):
            lowest, highest = motion.extremes(order)
            values = motion(t, order=order)
            scale = np.abs(values).max()
            assert (values >= lowest - 1e-12 * scale).all()
            assert (values <= highest + ROUNDING * scale).all()
            assert worst(values.min(0), lowest, scale) < 1e-3
            assert worst(values.max(0), highest, scale) < 1e-3


def test_paced_motion_follows_its_pace():
    base, squared = tr.spline(TIMES, POINTS), tr.spline([0, 1, 2.3], [0.5, 2.0, 1.0])
    motion = tr.Paced(base, squared)
    with mpmath.workdps(20):
        knots = [0, 1, 2.3]
        T = mpmath.quad(lambda s: 1 / mpmath.sqrt(float(squared(float(s))[0])), knots)
    assert abs(motion.duration - float(T)) < ROUNDING
    t = np.linspace(0, motion.duration, 301)
    s = motion.progress(t)
    assert worst(motion.instants(s), t) < ROUNDING
    assert worst(motion(t), base(s)) < ROUNDING
    assert worst(motion(t, order=1), base(s, order=1) * np.sqrt(squared(s))) < ROUNDING


def test_fitted_spline_recovers_a_noisy_motion_and_its_derivatives():
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(5.0, 9.0, 2000))
    truth = np.stack([np.sin(2 * t), np.cos(3 * t) + t, np.full_like(t, 0.3)], axis=1)
    motion = tr.fit_spline(t, truth + 1e-3 * rng.normal(size=truth.shape))
    inside = slice(100, -100)
    assert np.abs(motion(t - t[0]) - truth)[inside].max() < 5e-4
    slope = np.stack([2 * np.cos(2 * t), 1 - 3 * np.sin(3 * t), 0 * t], axis=1)
    assert np.abs(motion(t - t[0], order=1) - slope)[inside].max() < 2e-2
    assert motion.smoothness == 4


def test_fitted_spline_reproduces_polynomials_exactly():
    t = np.linspace(0, 2, 50)
    motion = tr.fit_spline(t, t**5 - t**2, count=3)
    assert worst(motion(t, order=2)[:, 0], 20 * t**3 - 2) < PROMISED


def test_fitted_fourier_series_recovers_its_coefficients():
    series = CASES["fourier"]
    t = np.sort(np.random.default_rng(0).uniform(0, 4, 300))
    t[0] = 0.0
    fitted = tr.fit_fourier(t, series(t), terms=4, period=2.5)
    assert worst(fitted.cosines, series.cosines) < LONG_CHAIN
    assert worst(fitted.sines, series.sines) < LONG_CHAIN
    assert worst(fitted.offset, series.offset) < LONG_CHAIN


def test_check_start_names_what_is_off():
    motion = CASES["septic"]
    state = list(motion.derivatives(0.0, 3))
    motion.check_start(*state)
    motion.check_start(np.tile(state[0], (4, 1)))
    state[1] = state[1] + [0, 0, 1e-6]
    with pytest.raises(ArgumentError, match=r"derivative 1 \(velocity\) of coordinate 2 .* differs by 1e-06"):
        motion.check_start(*state)
    with pytest.raises(ArgumentError, match="off the trajectory"):
        motion.check_start([np.nan, 0, 0])
    with pytest.raises(ArgumentError, match="expected"):
        motion.check_start([0.0, 0.0])


LIMITS = {"velocity": 1.0, "acceleration": 1.0}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tr.polynomial([0], [1], 0.0), "duration is 0.0; expected a positive"),
        (lambda: tr.polynomial([0], [1], np.nan), "positive number of seconds"),
        (lambda: tr.polynomial([0, 1], [1, 2, 3], 1.0), "end has shape"),
        (lambda: tr.polynomial([0, np.inf], [1, 2], 1.0), r"\[1\] is (nan|inf)"),
        (lambda: tr.polynomial([], [], 1.0), "expected a vector"),
        (lambda: tr.polynomial([0], [1], 1.0, degree=6), "odd degree"),
        (lambda: tr.polynomial([0], [1], 1.0, degree=99), "at most 21"),
        (lambda: tr.polynomial([0], [1], 1.0, degree=5, start_rates=[[0]] * 3), "choose a higher degree"),
        (lambda: tr.polynomial(["a"], [1], 1.0), "real numbers"),
        (lambda: tr.spline([0, 1, 1], [[0], [1], [2]]), "repeats at entry 2"),
        (lambda: tr.spline([0, 2, 1], [[0], [1], [2]]), "decreases at entry 2"),
        (lambda: tr.spline([0, np.nan, 1], [[0], [1], [2]]), r"\[1\] is (nan|inf)"),
        (lambda: tr.spline([0, 1, 2], [[0], [1]]), "one row per instant"),
        (lambda: tr.spline([0, 1, 2], [[0], [np.nan], [1]]), r"waypoints\[1, 0\] is nan"),
        (lambda: tr.spline([0], [[0]]), "at least two instants"),
        (lambda: tr.profile([0], [1], velocity=0.0, acceleration=1.0), "velocity limit 0 .* cannot be met"),
        (lambda: tr.profile([0], [1], velocity=1.0, acceleration=-1.0), "acceleration limit -1"),
        (lambda: tr.profile([0, 0], [1, 1], **LIMITS, jerk=[1, np.nan]), "jerk limit nan of coordinate 1"),
        (lambda: tr.profile([0], [1], **LIMITS, snap=[1, 2]), "snap limit has shape"),
        (lambda: tr.profile([0], [1], velocity=1.0, acceleration=np.inf), "no acceleration, jerk or snap"),
        (lambda: tr.profile([0], [1], **LIMITS, synchronise="both"), "expected one of time, line, none"),
        (lambda: tr.fourier([0], [[1]], [[1], [2]], 1.0), "differ in shape"),
        (lambda: tr.fourier([0], [[1]], [[1]], -1.0), "positive number of seconds"),
        (lambda: tr.cosine([0, 1], [1, 2, 3], 1.0, duration=1.0), "expected a number, or 2 of them"),
        (lambda: tr.fit_spline([0, 1, 2], [0, 1, 2]), "too few for degree 5"),
        (lambda: tr.fit_spline(np.arange(9), np.arange(9), count=6), "need 11 samples"),
        (
            lambda: tr.fit_spline(
                [0, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 1], np.arange(8), degree=1, count=5
            ),
            "too few",
        ),
        (lambda: tr.fit_fourier(np.arange(4), np.arange(4), terms=2, period=3.0), "determine only"),
        (lambda: tr.stretch(CASES["septic"], -1.0), "factor is -1; expected a positive number"),
        (lambda: tr.stretch(3, 2.0), "trajectory is 3"),
        (lambda: tr.polynomial([0], [1], 1.0, start_rates=3), "start_rates is 3; expected"),
        (lambda: tr.spline([0, 1], [0, 1], end_rates=[[0]] * 3), "end_rates: 3 derivatives given"),
        (lambda: tr.profile([0], [1e-300], **LIMITS, jerk=1, snap=1), "moves by 1e-300, too many orders"),
        (lambda: tr.profile([0], [1e45], velocity=1e-45, acceleration=1), "too many orders"),
        (lambda: CASES["septic"](0.0, order=-1), "order is -1"),
        (lambda: CASES["septic"](["x"]), "real numbers"),
    ],
)
def test_bad_input_is_told(call, says):
    with pytest.raises(ArgumentError, match=says):
        call()
