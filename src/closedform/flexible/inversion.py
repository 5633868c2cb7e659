"""Torques that make the tip of a bending arm follow a path: stable inversion, with gravity.

The tip of a flexible arm is not minimum phase: torques that make it follow a path start before the
path does. Of all motions of the links that go with the path one stays bounded: it leaves the sagging
arm at rest along what grows, and returns to rest along what decays [BayoPaden1987],
[DevasiaChenPaden1996]. It is found as a boundary value problem.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_bvp
from scipy.linalg import schur
from scipy.optimize import root

from ..arrays import Array
from ..checks import positive
from ..errors import ArgumentError, ClosedFormError
from .arm_motion import ArmMotion
from .joint_space import Timed, sampled
from .structure import ArmStructure
from .tip_output import TipOutput, tip_output, unbent

MAX_SAMPLES = 1_000_000
"""Samples of an inverted path, the time before and after it included."""

MOST_MODES = 12
"""Modes of all links together, which are twice as many internal states."""

MOST_UNKNOWNS = 48_000
"""Internal states at all nodes of the boundary value problem."""

SETTLED = 1e-9
"""What is left of the internal motion at either end of the time before and after the path."""

TOLERANCE = 1e-6
"""Residual of the internal motion between its nodes, relative to its rates."""

CHECKED, STILL = 201, 1e-6
"""Instants at which a path is looked at, and the part of the largest that counts as rest."""

LEAST_RATE = 1e-6
"""Rate over the fastest one, below which the internal motion neither grows nor decays."""


def tip_inverse_dynamics(
    arm: ArmStructure, path: Any, step: float, duration: float | None, elbow: str
) -> ArmMotion:
    """Return the motion whose tip follows the path; see `FlexibleArm.tip_inverse_dynamics`."""
    output = tip_output(arm, elbow)
    if arm.size - arm.joints > MOST_MODES:
        raise ArgumentError(
            f"{arm.name}: {arm.size - arm.joints} modes; the tip is inverted for at most {MOST_MODES}, and "
            "well for two of each link: take fewer"
        )
    reference, duration = sampled(path, duration, arm.joints)
    step = positive("step", step)
    internal = _InternalMotion(arm, output, _Path(reference, duration))
    whole = np.linspace(0.0, duration, CHECKED)
    internal.path.require_rest(arm.name, whole)
    output.require(whole, internal.path(whole)[0])
    try:
        t, x = internal.inverted(step)
    except np.linalg.LinAlgError:
        raise internal.lost("the torques lose their hold on the tip") from None
    q, qd, qdd = internal.motion(t, x)
    q[:, : arm.joints] = np.unwrap(q[:, : arm.joints], axis=0)
    return ArmMotion(arm, t, q, qd, np.asarray(arm.inverse_dynamics(q, qd, qdd)[..., : arm.joints]))


class _Path:
    """A path with its rates at many times: still before its start and after its end."""

    def __init__(self, reference: Timed, duration: float) -> None:
        self.reference, self.duration = reference, duration
        self.known: dict[float, Array] = {}

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        """Return y, y' and y'' at times (k,), each (k, n)."""
        times = np.clip(t, 0.0, self.duration).tolist()
        for s in times:
            if s not in self.known:  # the solver asks for the same times again and again
                self.known[s] = self.reference(s)
        y, yd, ydd = np.split(np.stack([self.known[s] for s in times]), 3, axis=-1)
        moving = ((t >= 0) & (t <= self.duration))[:, None]
        return y, np.where(moving, yd, 0.0), np.where(moving, ydd, 0.0)

    def require_rest(self, name: str, t: Array) -> None:
        """Refuse a path that does not start and end at rest, without a jump of the acceleration."""
        for what, rate in zip(("velocity", "acceleration"), self(t)[1:], strict=True):
            most, ends = np.abs(rate).max(), np.abs(rate[[0, -1]]).max()
            if ends > STILL * most:
                raise ArgumentError(
                    f"{name}: the path starts or ends with {what} {ends:.3g}; expected rest at both ends, "
                    "with an acceleration that begins and ends at zero: take a polynomial of degree 5 or more"
                )


class _Rest(NamedTuple):
    """The arm at rest with its tip at one end of the path: internal state, rates, and what spans them.

    Rows of `decaying` and `growing` are zero on states that only grow, or only decay.
    """

    state: Array
    grows: Array
    decays: Array
    growing: Array
    decaying: Array


class _InternalMotion:
    """The internal motion x = (delta, delta') of an arm whose tip follows a path."""

    def __init__(self, arm: ArmStructure, output: TipOutput, path: _Path) -> None:
        self.arm, self.output, self.path = arm, output, path
        self.modes = arm.size - arm.joints

    def motion(self, t: Array, x: Array) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (k, N) at times and internal states (k, 2m).

        y'' = J qdd + Jdot qd and the rows of the modes in B qdd + h + D qd + K q + g = Q u.
        """
        arm, n = self.arm, self.arm.joints
        y, yd, ydd = self.path(t)
        delta, rate = np.split(x, 2, axis=-1)
        q = np.concatenate([self.output.angles(y, delta), delta], axis=-1)
        J, _ = self.output.rates(q, np.zeros_like(q))
        turning = np.linalg.solve(J[..., :n], (yd - (J[..., n:] @ rate[..., None])[..., 0])[..., None])
        qd = np.concatenate([turning[..., 0], rate], axis=-1)
        _, bias = self.output.rates(q, qd)
        rows = np.concatenate([J, np.asarray(arm.mass_matrix(q))[..., n:, :]], axis=-2)
        forces = np.asarray(arm.inverse_dynamics(q, qd, np.zeros_like(q)))[..., n:]
        right = np.concatenate([ydd - bias, -forces], axis=-1)
        return q, qd, np.linalg.solve(rows, right[..., None])[..., 0]

    def inverted(self, step: float) -> tuple[Array, Array]:
        """Return the times of the motion, from rest to rest, and its internal states."""
        arm, duration = self.arm, self.path.duration
        start, end = (self.rest(t) for t in (0.0, duration))
        before = -np.log(SETTLED) / min(start.grows, default=np.inf)
        after = -np.log(SETTLED) / min(end.decays, default=np.inf)
        if (before + duration + after) / step > MAX_SAMPLES:
            count = (before + duration + after) / step
            raise ArgumentError(
                f"{arm.name}: {count:.3g} samples of the path and of the time before and after it; at most "
                f"{MAX_SAMPLES}; take longer steps"
            )
        first, last = -int(np.ceil(before / step)), int(np.ceil((duration + after) / step))
        t: Array = step * np.arange(first, last + 1, dtype=float)
        return t, self.bounded(t, start, end)

    def lost(self, reason: str) -> ClosedFormError:
        """Return the error of a path for which no motion is found."""
        return ClosedFormError(
            f"{self.arm.name}: no bounded motion found ({reason}); take a smoother, slower path, lighter "
            "hubs and payload, stiffer links, fewer modes or more damping"
        )

    def rate(self, t: Array, x: Array) -> Array:
        """Return x' (k, 2m)."""
        _, qd, qdd = self.motion(t, x)
        return np.concatenate([qd[..., -self.modes :], qdd[..., -self.modes :]], axis=-1)

    def rest(self, t: float) -> _Rest:
        """Return the arm that rests with its tip where the path is at t, sagging under gravity."""
        arm, n, m = self.arm, self.arm.joints, self.modes
        y = self.path(np.array([t]))[0]

        def unbalanced(delta: Array) -> Array:
            q = np.concatenate([self.output.angles(y, delta[None]), delta[None]], axis=-1)
            return np.asarray((q @ arm.stiffness + arm.gravity_torque(q))[0, n:])

        with np.errstate(all="ignore"):
            found = root(unbalanced, np.zeros(m), tol=1e-13)
        if not (found.success or np.abs(found.fun).max() < 1e-9 * np.diag(arm.stiffness).max()):
            raise ClosedFormError(
                f"{arm.name}: no rest with the tip at t = {t:g} s found; take stiffer links"
            )
        state = np.concatenate([found.x, np.zeros(m)])
        still = _InternalMotion(
            arm, self.output, _Path(lambda _: np.concatenate([y[0], 0 * y[0], 0 * y[0]]), 1.0)
        )
        step = 1e-6 * max(1e-3, float(np.abs(state).max()))
        around = np.concatenate([state + step * np.eye(2 * m), state - step * np.eye(2 * m)])
        up, down = np.split(still.rate(np.zeros(4 * m), around), 2)
        A = ((up - down) / (2 * step)).T
        rates = np.asarray(np.linalg.eigvals(A).real, dtype=float)
        if np.abs(rates).min() < LEAST_RATE * np.abs(rates).max():
            raise ClosedFormError(f"{arm.name}: the tip has zeros on the imaginary axis; add damping")
        sides = [schur(A.T, sort=side) for side in ("rhp", "lhp")]
        growing, decaying = (Z[:, :count].T for _, Z, count in sides)
        return _Rest(state, rates[rates > 0], -rates[rates < 0], growing, decaying)

    def bounded(self, t: Array, start: _Rest, end: _Rest) -> Array:
        """Return the bounded internal motion (k, 2m) at times, from one rest to the other."""
        arm, m = self.arm, self.modes
        if len(start.decaying) + len(end.growing) != 2 * m:
            raise ClosedFormError(
                f"{arm.name}: {len(start.growing)} of {2 * m} internal motions grow at the start of the path "
                f"and {len(end.growing)} at its end; no bounded motion joins them: take a nearer "
                "end, stiffer links or fewer modes"
            )

        def rate(s: Array, x: Array) -> Array:
            return self.rate(s, x.T).T

        def ends(first: Array, last: Array) -> Array:
            return np.concatenate([start.decaying @ (first - start.state), end.growing @ (last - end.state)])

        mesh, guess = self._guess(t, start, end)
        most = MOST_UNKNOWNS // (2 * m)
        with np.errstate(all="ignore"):
            found: Any = solve_bvp(rate, ends, mesh, guess.T, tol=TOLERANCE, max_nodes=most)
        if not found.success:
            raise self.lost(found.message.rstrip(".").lower())
        return np.asarray(found.sol(t).T)

    def _guess(self, t: Array, start: _Rest, end: _Rest) -> tuple[Array, Array]:
        """Return a mesh, and links that bend as the forces of the unbent arm would bend them."""
        n, m, duration = self.arm.joints, self.modes, self.path.duration
        inside = np.linspace(0.0, duration, 201)
        tails = 1 - np.geomspace(1, 1e-3, 40)
        mesh = np.unique(np.concatenate([t[0] * tails[::-1], inside, duration + (t[-1] - duration) * tails]))
        mesh = np.concatenate([[t[0]], mesh[(mesh > t[0]) & (mesh < t[-1])], [t[-1]]])
        q, qd, qdd = unbent(self.arm, self.output, *self.path(mesh))
        forces = np.asarray(self.arm.inverse_dynamics(q, qd, qdd))[:, n:]
        delta = -forces / np.diag(self.arm.stiffness)[n:]
        delta[mesh < 0], delta[mesh > duration] = start.state[:m], end.state[:m]
        return mesh, np.concatenate([delta, np.gradient(delta, mesh, axis=0)], axis=-1)
