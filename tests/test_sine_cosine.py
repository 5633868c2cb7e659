"""Sine and cosine in machine code are right to two units in the last place."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernel_inputs import load
from tolerances import SHORT_CHAIN

ULPS = 2.0
"""The documented bound on sine and cosine; 1.4 is what random angles show."""


def ulps(x: np.ndarray) -> float:
    """Return the largest error of sine and cosine in units of their last place, through a pendulum's pose."""
    T = load("pendulum").pose(np.asarray(x)[:, None])
    worst = 0.0
    with mpmath.workprec(300):
        for angle, sine, cosine in zip(x.tolist(), T[:, 0, 2].tolist(), T[:, 0, 0].tolist(), strict=True):
            for given, exact in ((sine, mpmath.sin(angle)), (cosine, mpmath.cos(angle))):
                unit = float(np.spacing(abs(float(exact)))) or 5e-324
                worst = max(worst, abs(float((given - exact) / unit)))
    return worst


@pytest.mark.parametrize("top", [1e-300, 1e-8, 1.0, 10.0, 1e3, 1e6, 1e9])
def test_sine_and_cosine_of_any_angle_are_right_to_two_ulps(top: float) -> None:
    x = np.random.default_rng(0).uniform(-top, top, 500)
    assert ulps(x) <= ULPS


def nearest_to_quarter_turns(top: float) -> np.ndarray:
    """Return doubles below `top` extraordinarily close to multiples of pi/2, by continued fractions."""
    found = set()
    with mpmath.workprec(400):
        for exponent in range(-52, 30):
            remainder, p, q = mpmath.ldexp(2 / mpmath.pi, exponent), (0, 1), (1, 0)
            while q[1] < 2**53:
                whole = int(mpmath.floor(remainder))
                p, q = (p[1], whole * p[1] + p[0]), (q[1], whole * q[1] + q[0])
                x = float(mpmath.ldexp(q[1], exponent))
                if 2**30 < q[1] < 2**53 and 1 < x < top:
                    found.add(x)
                remainder = 1 / (remainder - whole)
    return np.array(sorted(found))


def test_sine_and_cosine_keep_their_digits_next_to_quarter_turns() -> None:
    # 29 quarter turns in double precision: the cosine is 6e-19, and every digit of it is known.
    assert ulps(np.array([45.553093477052])) <= ULPS


def test_sine_and_cosine_keep_their_digits_at_the_worst_angles_up_to_1e9() -> None:
    x = nearest_to_quarter_turns(1e9)
    assert len(x) > 100
    assert ulps(x) <= ULPS


def test_multiples_of_half_a_turn_are_as_exact_as_the_angle() -> None:
    k = np.arange(-1000, 1001)
    assert ulps(k * (np.pi / 2)) <= ULPS


def test_zero_keeps_its_sine_and_cosine() -> None:
    for sign in (0.0, -0.0):
        T = load("pendulum").pose([sign])
        assert T[0, 0] == 1.0
        assert T[0, 2] == 0.0


@pytest.mark.parametrize("size", [1, 8, 11])
def test_angles_beyond_2_to_the_45_are_nan(size: int) -> None:
    pose = load("pendulum").pose
    below = float(np.nextafter(2.0**45, 0))
    for angle in (2.0**45, -(2.0**45), 1e14, 1e300, np.finfo(float).max):
        with np.errstate(all="raise"):  # an angle too large is no overflow of the caller's
            T = pose(np.full((size, 1), angle))
        assert np.isnan(T[:, 0, 0]).all()
        assert np.isnan(T[:, 0, 2]).all()
    T = pose(np.full((size, 1), below))
    exact = float(mpmath.cos(below))
    # an ordinary angle, far from a quarter turn
    np.testing.assert_allclose(T[:, 0, 0], exact, rtol=SHORT_CHAIN)


def test_vector_and_scalar_sines_agree() -> None:
    x = np.random.default_rng(2).uniform(-1e9, 1e9, (1000, 1))
    pose = load("pendulum").pose
    np.testing.assert_array_equal(pose(x), np.array([pose(row) for row in x]))
