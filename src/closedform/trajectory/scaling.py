"""Time scaling: how fast a robot may run through a motion within its torque and torque-rate limits."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes a quarter of a second)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, instance, whole_number
from ..errors import ArgumentError
from ..robot import Robot
from .spline import equal_knots, pieces
from .stretch import Paced, Stretched
from .trajectory import Trajectory, limits, require_trajectory, seconds

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

DEGREE = 5
"""Degree of the spline of the squared pace: q stays five times continuously differentiable."""
TRUST = 0.4
"""Part of the squared pace that one step of the optimisation may change."""
STEPS = 40
GAIN = 1e-4
"""Relative gain of time below which the optimisation ends."""
CHECKS = 10
"""Instants at which the limits are made to hold, per sample of the optimisation."""
SPREAD = 400.0
"""Squared pace may exceed the uniform one by this factor at places with no other limit."""

MOST_PIECES, MOST_LOOKS = 1000, 20_000
"""Pieces of the pace and samples of the optimisation: linear programs that end in a minute."""

UNBOUNDED = 1e9
"""Pace that no motion worth scaling can reach."""


@dataclass(frozen=True)
class MotionLimits:
    """MotionLimits over the coordinates, inf for none."""

    velocity: Array
    acceleration: Array
    torque: Array
    torque_rate: Array


@dataclass(frozen=True)
class Demand:
    """What a motion asks of a robot along s, as coefficients of the squared pace z = (ds/dt)^2.

    With ' for d/ds: qd^2 = q'^2 z, qdd = q'' z + q' z'/2, tau = A z' + B z + g with A = M q'/2 and
    B = M q'' + C(q, q') q', and dtau/dt = sqrt(z) tau' [Verscheure2009]. All have shape
    (samples, dofs).
    """

    s: Array
    dq: Array
    ddq: Array
    A: Array
    dA: Array
    B: Array
    dB: Array
    g: Array
    dg: Array


def time_scaled(
    robot: Robot,
    trajectory: Trajectory,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike = np.inf,
    torque: ArrayLike | None = None,
    torque_rate: ArrayLike = np.inf,
    uniform: bool = False,
    count: int = 32,
    samples: int = 400,
) -> Trajectory:
    """Return the motion run through as fast as the limits of the robot allow.

    Velocity and torque limits are the robot's own unless given; all are numbers or one per joint.
    With `uniform` the whole motion is slowed down (or sped up) by one factor, for which
    tau = g + (tau_1 - g)/factor^2 and dtau/dt = dg/factor + (dtau_1 - dg)/factor^3. Otherwise the
    pace varies along the way: its square z(s) is a spline of `count` pieces that minimises the
    duration int ds/sqrt(z), for which torques are linear in z and torque rates bounded by a convex
    function of it; a sequence of linear programs improves on the uniform solution, every one of
    them within the limits.

    The optimisation sees `samples` instants, the limits then hold at ten times as many; between
    those an excess of about 1e-5 is possible. The motion should rest at its ends, as polynomials,
    splines and profiles do: the pace is never zero.

    >>> import closedform as cf
    >>> robot = cf.load("2r")
    >>> motion = cf.trajectory.polynomial([0, 0], [1.5, 1.0], duration=1.0)
    >>> slow = cf.trajectory.time_scaled(robot, motion, torque=[60, 25], torque_rate=400, uniform=True)
    >>> fast = cf.trajectory.time_scaled(robot, motion, torque=[60, 25], torque_rate=400)
    >>> 1.0 < fast.duration < slow.duration
    True
    """
    instance("time_scaled: robot", robot, Robot)
    require_trajectory("time_scaled", trajectory)
    if robot.nq != robot.nv or trajectory.dofs != robot.nv:
        raise ArgumentError(
            f"time_scaled: the trajectory has {trajectory.dofs} coordinates and the robot {robot.nq} with "
            f"{robot.nv} velocities; expected the same number of each (one-dof joints only)"
        )
    bounds = MotionLimits(
        limits("time_scaled: velocity", robot.velocity_limits if velocity is None else velocity, robot.nv),
        limits("time_scaled: acceleration", acceleration, robot.nv),
        limits("time_scaled: torque", robot.effort_limits if torque is None else torque, robot.nv),
        limits("time_scaled: torque rate", torque_rate, robot.nv),
    )
    flag("time_scaled: uniform", uniform)
    count = whole_number("time_scaled: count", count, 1, MOST_PIECES)
    samples = whole_number("time_scaled: samples", samples, 2, MOST_LOOKS)
    trajectory.check_order(3 if np.isfinite(bounds.torque_rate).any() else 2)
    if not trajectory.duration > 0:
        raise ArgumentError("time_scaled: the trajectory has no duration; there is nothing to scale")
    fine = np.linspace(0.0, trajectory.duration, CHECKS * samples)
    demand = _demand(robot, trajectory, fine)
    _require_holding(demand, bounds, robot.joint_names)
    pace = _uniform(demand, bounds)
    seconds("time_scaled: the duration within these limits", trajectory.duration / pace if pace else np.inf)
    if uniform:
        return Stretched(trajectory, 1.0 / pace)
    coarse = np.linspace(0.0, trajectory.duration, samples)
    squared = _varying(_demand(robot, trajectory, coarse), bounds, pace, trajectory.duration, count)
    found = Paced(trajectory, pieces(squared))
    # even instants are far apart along s at a high pace, even places far apart in time at a low one
    t = np.concatenate([np.linspace(0.0, found.duration, fine.size), found.instants(fine)])
    excess = min(1.0, _uniform(_demand(robot, found, t), bounds))
    squared.c *= excess**2
    return Paced(trajectory, pieces(squared))


def _require_holding(demand: Demand, bounds: MotionLimits, names: Sequence[str]) -> None:
    """Refuse torque limits that gravity alone exceeds."""
    heavy = np.abs(demand.g).max(axis=0) >= bounds.torque
    if heavy.any():
        i = int(np.argmax(heavy))
        raise ArgumentError(
            f"time_scaled: the torque limit {bounds.torque[i]:.6g} of joint {names[i]!r} cannot "
            f"be met at any speed: holding still takes up to {np.abs(demand.g[:, i]).max():.6g} on this path"
        )


def _demand(robot: Robot, trajectory: Trajectory, s: Array) -> Demand:
    rough = trajectory.smoothness < 2
    q, dq, ddq, *more = trajectory.derivatives(s, 2 if rough else 3)
    dddq = np.zeros_like(q) if rough else more[0]
    g, dg = robot.gravity_torque(q), robot.gravity_torque_dot(q, dq)
    tau, dtau = robot.inverse_dynamics_rates(q, dq, ddq, dddq)
    M, dM = robot.mass_matrix(q), robot.mass_matrix_dot(q, dq)
    A = (M @ dq[..., None])[..., 0] / 2
    dA = (M @ ddq[..., None] + dM @ dq[..., None])[..., 0] / 2
    return Demand(s, dq, ddq, A, dA, tau - g, dtau - dg, g, dg)


def _uniform(demand: Demand, bounds: MotionLimits) -> float:
    """Return the largest uniform pace that meets every limit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = [
            (bounds.velocity / np.abs(demand.dq)) ** 2,
            bounds.acceleration / np.abs(demand.ddq),
            (bounds.torque - np.sign(demand.B) * demand.g) / np.abs(demand.B),
        ]
    fastest = float(np.sqrt(min(np.nanmin(square, initial=np.inf) for square in squares)))

    def fits(y: float) -> bool:
        return bool((np.abs(y * demand.dg + y**3 * demand.dB) <= bounds.torque_rate).all())

    high = 1.0
    while np.isinf(fastest) and high < UNBOUNDED and fits(high):
        high *= 2
    if np.isinf(fastest) and high >= UNBOUNDED:
        raise ArgumentError(
            "time_scaled: no limit bounds the pace of this motion; give torque limits, or a motion that moves"
        )
    high = fastest if np.isfinite(fastest) else high
    if fits(high):
        return high
    low = high  # the first pace found on the way down, not the lowest: faster ones may fit between others
    while not fits(low):
        high, low = low, low / 1.01
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _varying(demand: Demand, bounds: MotionLimits, pace: float, duration: float, count: int) -> BSpline:
    """Return the spline z(s) of least duration, by linear programs from the uniform pace."""
    from scipy.interpolate import BSpline
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, diags_array, vstack

    knots, size = equal_knots(duration, count, DEGREE), count + DEGREE
    basis = BSpline(knots, np.eye(size), DEGREE)
    N, dN, ddN = (csr_array(basis(demand.s, nu=k)) for k in range(3))
    fixed, tops = _linear_limits(demand, bounds, N, dN)
    rated = [i for i in range(demand.g.shape[1]) if np.isfinite(bounds.torque_rate[i])]
    slopes = _blocks((demand.dA + demand.B, dN), (demand.A, ddN), (demand.dB, N))
    weight = np.gradient(demand.s)
    c = best = np.full(size, pace**2)
    before = np.inf
    for _ in range(STEPS):
        z = N @ c
        spent = float(weight @ z**-0.5)
        if spent >= before * (1 - GAIN):
            break
        best, before = c, spent
        matrices, values = list(fixed), list(tops)
        for i in rated:
            # 1/sqrt(z) is convex: its tangent at the present z stays below it, so the limit holds
            tangent = diags_array(0.5 * bounds.torque_rate[i] * z**-1.5) @ N
            top = 1.5 * bounds.torque_rate[i] * z**-0.5
            matrices += [slopes[i] + tangent, -slopes[i] + tangent]
            values += [top - demand.dg[:, i], top + demand.dg[:, i]]
        found = linprog(
            -(N.T @ (weight * z**-1.5)),
            vstack(matrices),
            np.concatenate(values),
            bounds=np.stack([c * (1 - TRUST), np.minimum(c * (1 + TRUST), SPREAD * pace**2)], axis=1),
            method="highs",
        )
        if found.x is None:
            break
        c = found.x
    return BSpline(knots, best[:, None], DEGREE)


def _linear_limits(demand: Demand, bounds: MotionLimits, N: Any, dN: Any) -> tuple[list[Any], list[Array]]:
    """Return the rows and bounds of the limits that are linear in z: velocity, acceleration, torque."""
    rows, tops = [], []
    for blocks, bound, shift in (
        (_blocks((demand.dq**2, N)), bounds.velocity**2, 0 * demand.g),
        (_blocks((demand.ddq, N), (demand.dq / 2, dN)), bounds.acceleration, 0 * demand.g),
        (_blocks((demand.A, dN), (demand.B, N)), bounds.torque, demand.g),
    ):
        for i, block in enumerate(blocks):
            if np.isfinite(bound[i]):
                rows += [block, -block]
                tops += [bound[i] - shift[:, i], bound[i] + shift[:, i]]
    return rows, tops


def _blocks(*terms: tuple[Array, Any]) -> list[Any]:
    """Return one sparse block per joint: the sum of coefficients times basis rows."""
    from scipy.sparse import diags_array

    joints = range(terms[0][0].shape[1])
    return [sum(diags_array(weight[:, i]) @ matrix for weight, matrix in terms) for i in joints]
