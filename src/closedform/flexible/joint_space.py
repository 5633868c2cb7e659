"""Joint-space inverse dynamics: the torques that make the joints follow a path while the links swing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import finite, function, positive, real_array, sized_array
from ..errors import ArgumentError, shown
from ..forms.elimination import Factors
from ..integration import DivergenceError, System, simulate
from . import dynamics
from .arm_motion import ArmMotion, lost_definiteness, warn_of_deflections
from .structure import ArmStructure

Timed = Callable[[float], Array]
"""A function of time that returns position, velocity and acceleration, one after the other."""


def joint_inverse_dynamics(
    arm: ArmStructure, path: Any, step: float, duration: float | None, delta0: ArrayLike | None
) -> ArmMotion:
    """Return the motion whose joints follow the path; see `FlexibleArm.joint_inverse_dynamics`."""
    n, N = arm.joints, arm.size
    reference, duration = sampled(path, duration, n)
    start = np.zeros(2 * (N - n))
    if delta0 is not None:
        start[: N - n] = sized_array("delta0", delta0, (N - n,))
    warn_of_deflections(arm, np.concatenate([np.zeros(n), start[: N - n]]))
    swing = swing_system(arm)
    try:
        run = simulate(swing, start, reference, duration, step)
    except DivergenceError as error:
        if arm.model.exact:
            raise
        q = np.concatenate([reference(error.time)[:n], error.state[: N - n]])
        raise lost_definiteness(arm, error.time, q) from None
    theta, rate, acceleration = np.split(np.stack([reference(t) for t in run.t]), 3, axis=-1)
    delta, delta_rate = np.split(run.x, 2, axis=-1)
    swinging = swing.rate(run.x, np.concatenate([theta, rate, acceleration], axis=-1))[..., N - n :]
    q, qd, qdd = (
        np.concatenate(pair, axis=-1)
        for pair in ((theta, delta), (rate, delta_rate), (acceleration, swinging))
    )
    _require_definite(arm, run.t, q)
    return ArmMotion(arm, run.t, q, qd, np.asarray(arm.inverse_dynamics(q, qd, qdd)[..., :n]))


def _require_definite(arm: ArmStructure, t: Array, q: Array) -> None:
    """Refuse a motion along which no torque would move the linearised arm as planned.

    The block of B by which the links swing can be positive definite although B is not.
    """
    lost = np.linalg.eigvalsh(arm.mass_matrix(q))[:, 0] <= 0
    if lost.any() and not arm.model.exact:
        k = int(lost.argmax())
        raise lost_definiteness(arm, float(t[k]), q[k])


def swing_system(arm: ArmStructure) -> System:
    """Return how the links swing when the joints are moved: states delta, delta'; inputs theta and its rates.

    The lower rows of B(q) qdd + h + D qd + K q + g = Q u with the joints given. These dynamics
    are stable wherever the links are damped, as opposed to those of a given tip path.
    """
    n, N = arm.joints, arm.size
    x, u = ca.SX.sym("x", 2 * (N - n)), ca.SX.sym("u", 3 * n)
    q, qd = ca.vertcat(u[:n], x[: N - n]), ca.vertcat(u[n : 2 * n], x[N - n :])
    symbols = [ca.SX.sym(name, N) for name in ("q", "qd")]
    model, constants = arm.model, arm.model.numbers()
    B = dynamics.mass_matrix(model, constants, symbols[0])
    bias = dynamics.inverse_dynamics(model, constants, symbols[0], symbols[1], ca.SX.zeros(N))
    B, bias = ca.substitute([B, bias], symbols, [q, qd])
    force = -bias[n:] - ca.mtimes(B[n:, :n], u[2 * n :])
    return System(
        f"{arm.name}_swing", x, ca.vertcat(x[N - n :], Factors(B[n:, n:], positive=True).solve(force)), u
    )


def sampled(path: Any, duration: float | None, size: int) -> tuple[Timed, float]:
    """Return a path as a function of time that gives (p, p', p''), and its duration.

    `path` is a trajectory (with `derivatives` and `duration`) or a function t -> (p, p', p'').
    Before and after its own time a trajectory is at rest.
    """
    if hasattr(path, "derivatives"):
        whole = float(path.duration)

        def rows(t: float) -> Any:
            p, *rates = path.derivatives(np.clip(t, 0.0, whole), 2)
            return p, *(rate if 0 <= t <= whole else 0 * rate for rate in rates)

        duration = whole if duration is None else duration
    elif callable(path):
        rows = function("path", path, "time")
        if duration is None:
            raise ArgumentError("duration: give it if the path is a function of time")
    else:
        raise ArgumentError(f"path is {shown(path)}; expected a trajectory or a function t -> (p, p', p'')")
    length = positive("duration", duration)

    def at(t: float) -> Array:
        values = rows(t)
        if not isinstance(values, tuple | list | np.ndarray) or len(values) != 3:
            raise ArgumentError(f"path: gave {shown(values)} at t = {t:g}; expected (p, p', p'')")
        found = [real_array("path", value).ravel() for value in values]
        if any(each.size != size for each in found):
            raise ArgumentError(
                f"path: has {found[0].size} coordinate(s) at t = {t:g}; expected {size}, with two rates"
            )
        return finite(f"path at t = {t:g}", np.concatenate(found))

    at(0.0)  # refuses a path of another size before anything is compiled
    return at, length
