"""Point-to-point profiles within velocity, acceleration, jerk and snap limits, in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice
from ..errors import ArgumentError
from .piecewise import PiecewisePolynomial
from .trajectory import LONGEST, coordinates, limits

SNAP = np.array([1, 0, -1, 0, -1, 0, 1, 0, -1, 0, 1, 0, 1, 0, -1])
"""Sign of the snap in the fifteen segments."""
JERK = np.array([0, 1, 1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, 1, 1])
"""Sign of the jerk at the start of each segment: four trapezoids."""
PLATEAU = {3: 1, 4: 1, 7: 0, 8: 0, 11: -1, 12: -1}
"""Sign of the acceleration at segments that start on a plateau of it."""
LEAST = 1e-30
"""Seconds of a whole move; a shorter one is taken for an error in the limits."""
SYNCHRONISE = ("time", "line", "none")


class Widths(NamedTuple):
    """A rest-to-rest profile as a step smoothed by four moving averages of these widths, in seconds.

    Averaging a step of size d over `velocity` gives the trapezoid's ramp with peak velocity
    d/velocity, averaging that over `acceleration` bounds the acceleration, and so on. The whole
    motion takes the sum of the widths.
    """

    velocity: Array
    acceleration: Array
    jerk: Array
    snap: Array

    @property
    def duration(self) -> Array:
        """Seconds from start to end."""
        return self.velocity + self.acceleration + self.jerk + self.snap


def profile(
    start: ArrayLike,
    end: ArrayLike,
    *,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike = np.inf,
    snap: ArrayLike = np.inf,
    synchronise: str = "time",
) -> PiecewisePolynomial:
    """Return the fastest rest-to-rest profile of the class within the limits, in closed form.

    With a snap limit it has fifteen segments (four trapezoidal jerk pulses), without one seven
    (trapezoidal acceleration), without a jerk limit three (trapezoidal velocity). Segments that a
    short move does not need have no length. Limits are numbers or one per coordinate.

    `synchronise`: "time" slows every coordinate down to the duration of the slowest, "line" moves
    all along the straight line between the ends, "none" lets each arrive in its own time.

    The jerk-limited profile is the time-optimal motion between rests. The snap-limited one is the
    fastest whose jerk returns to zero between its pulses [Lambrechts2005]; without that condition
    a bang-bang snap would be faster by up to 7.5 % on short moves and by nothing on long ones.

    >>> import closedform as cf
    >>> move = cf.trajectory.profile([0, 0], [1, -2], velocity=1, acceleration=2, jerk=10, snap=200)
    >>> move.smoothness, bool(move.extremes(1)[0][1] >= -1)
    (3, True)
    """
    q0 = coordinates("profile: start", start)
    q1 = coordinates("profile: end", end, q0.size)
    given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk, "snap": snap}
    bounds = [limits(f"profile: {name}", limit, q0.size) for name, limit in given.items()]
    choice("profile: synchronise", synchronise, SYNCHRONISE)
    free = np.flatnonzero(np.isinf(np.min(bounds[1:], axis=0)))
    if free.size:
        raise ArgumentError(
            f"profile: coordinate {free[0]} (from 0) has no acceleration, jerk or snap limit; give one"
        )
    distance = q1 - q0
    size = np.abs(distance)
    if synchronise == "line":  # all take part in one move of length 1
        with np.errstate(divide="ignore", over="ignore"):
            bounds = [np.broadcast_to(np.min(bound / size), size.shape) for bound in bounds]
        size = np.ones(size.size) * bool(distance.any())
    widths = rest_to_rest(size, *bounds)
    T = widths.duration
    lost = np.flatnonzero(~((LEAST <= T) | (distance == 0)) | ~(LONGEST >= T))
    if lost.size:
        raise ArgumentError(
            f"profile: coordinate {lost[0]} (from 0) moves by {distance[lost[0]]:.3g}, too many "
            f"orders of magnitude (it would take {T[lost[0]]:.3g} s) "
            "away from its limits for double precision; leave it out, or change them"
        )
    if synchronise == "time":
        widths = _stretched(widths)
    smoothness = 3 if np.isfinite(bounds[3]).all() else 2 if np.isfinite(np.minimum(*bounds[2:])).all() else 1
    return _pieces(q0, distance, widths, smoothness)


def rest_to_rest(distance: Array, velocity: Array, acceleration: Array, jerk: Array, snap: Array) -> Widths:
    """Return the widths of the fastest profiles over distances >= 0, as arrays of one shape.

    Let f(A) be the time of a jerk pulse that changes the acceleration by A, and g(V) = V/A + f(A)
    the time of a phase that changes the velocity by V. Then T = d/V + g(V), with f and g concave,
    falls with A and V up to the largest values that the limits and d = V g(V) allow. Each case is
    a power, a quadratic or one cubic.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ramp = np.where(np.isinf(snap), 0.0, jerk / snap)
        reached = np.where(np.isinf(snap), 0.0, jerk * ramp)

        def pulse(A: Array) -> tuple[Array, Array]:
            """Return the whole time of a jerk pulse of area A, and that of its ramps."""
            low = reached >= A
            ramps = np.where(low, np.sqrt(A / snap), ramp)
            return np.where(low, 2 * ramps, A / jerk + ramp), ramps

        A = np.sqrt(distance * snap / 8)
        by_jerk = np.where(np.isinf(jerk), np.inf, jerk * _cubic(distance / (2 * jerk), ramp))
        A = np.where(reached >= A, A, by_jerk)
        short = acceleration >= A
        time = pulse(np.where(short, A, acceleration))[0]
        V = np.where(short, A * time, 2 * distance / (time + np.sqrt(time**2 + 4 * distance / acceleration)))
        V = np.minimum(V, velocity)

        A = np.cbrt(V * V * snap / 4)
        A = np.where(reached >= A, A, 2 * V / (ramp + np.sqrt(ramp**2 + 4 * V / jerk)))
        A = np.minimum(A, acceleration)
        time, ramps = pulse(A)
        phase = np.maximum(V / A, time)
        widths = Widths(np.maximum(distance / V, phase + time), phase, time - ramps, ramps)
    return Widths(*(np.where(distance > 0, width, 0.0) for width in widths))


def _cubic(k: Array, c: Array) -> Array:
    """Return the root x >= 0 of x (x + c)^2 = k, by Newton's method from above, on its convex side."""
    x = np.fmin(np.cbrt(k), k / c**2)
    for _ in range(60):
        step = np.where(x > 0, (x * (x + c) ** 2 - k) / ((x + c) * (3 * x + c)), 0.0)
        x = x - step
        if not (np.abs(step) > 2e-16 * x).any():
            break
    return x


def _stretched(widths: Widths) -> Widths:
    """Return the widths with every coordinate slowed down to the longest duration."""
    own = widths.duration
    T = own.max()
    factor = np.where(own > 0, T / np.where(own > 0, own, 1.0), 0.0)
    stretched = Widths(*(width * factor for width in widths))
    return stretched._replace(velocity=np.where(own > 0, stretched.velocity, T))


def _pieces(start: Array, distance: Array, widths: Widths, smoothness: float) -> PiecewisePolynomial:
    """Return the fifteen segments as polynomials, and a last one that holds the end."""
    Wv, Wa, Wj, Ws = widths

    def ratio(top: Array, bottom: Array) -> Array:
        return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)

    peaks = [ratio(distance, Wv)]
    for width in (Wa, Wj, Ws):
        peaks.append(ratio(peaks[-1], width))
    V, A, J, S = peaks
    constant_jerk, constant_acceleration = Wj - Ws, np.maximum(Wa - Wj - Ws, 0.0)
    cruise = np.maximum(Wv - Wa - Wj - Ws, 0.0)
    pulse = [Ws, constant_jerk, Ws]
    phase = [*pulse, constant_acceleration, *pulse]
    lengths = np.array([*phase, cruise, *phase])
    q, v, a = np.zeros_like(start), np.zeros_like(start), np.zeros_like(start)
    coefficients = np.zeros((5, 16, start.size))
    for i, length in enumerate(lengths):
        if i in PLATEAU:
            a = PLATEAU[i] * A
        v = V if i in (7, 8) else v
        j, s = JERK[i] * J, SNAP[i] * S
        coefficients[:, i] = [start + q, v, a / 2, j / 6, s / 24]
        q = q + length * (v + length * (a / 2 + length * (j / 6 + length * s / 24)))
        v = v + length * (a + length * (j / 2 + length * s / 6))
        a = a + length * (j + length * s / 2)
    coefficients[0, 15] = start + distance
    ends = np.cumsum(lengths, axis=0)
    T = ends[-1].max(initial=0.0)
    ends[-1, T - ends[-1] <= 1e-12 * T] = T
    breaks = np.concatenate([np.zeros((1, start.size)), ends, np.full((1, start.size), T)])
    lengths = np.concatenate([lengths, T - ends[-1:]])
    return PiecewisePolynomial(breaks.T.copy(), coefficients, smoothness, lengths.T.copy())
