"""SciPy's adaptive methods, taken step by step to know when and why a run ends early."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.integrate import BDF, DOP853, LSODA, RK23, RK45, OdeSolver, Radau

from ..arrays import Array
from .divergence import NOT_FINITE, SHORTER, DivergenceError

Rate = Callable[[float, Array], Array]

ADAPTIVE: dict[str, type[OdeSolver]] = {
    "RK23": RK23,
    "RK45": RK45,
    "DOP853": DOP853,
    "Radau": Radau,
    "BDF": BDF,
    "LSODA": LSODA,
}

PATIENCE = 100_000, 1e-9
"""Evaluations in which a run must come forward, and the part of the duration by which it must."""

MAX_EVALUATIONS = 50_000_000

LEAST_RTOL = 100 * float(np.finfo(float).eps)
"""Relative tolerance that double precision can meet; SciPy takes no smaller one."""

WIDER = (
    "take wider tolerances (atol above zero if a state passes zero) or a method for stiff systems "
    "(Radau, BDF, LSODA), or check the inputs and the initial state"
)


class _EndlessError(Exception):
    """A method that asks for the rate too often."""


class _Recorded:
    """A rate that keeps what it raises, to tell the caller's errors from those of a method that diverges.

    It counts too: a single step of a method may ask without end.
    """

    def __init__(self, rate: Rate, duration: float) -> None:
        self.rate, self.duration = rate, duration
        self.raised: BaseException | None = None
        self.count, self.watched, self.since = 0, 0, 0.0

    def __call__(self, t: float, x: Array) -> Array:
        self.count += 1
        if self.count > self.watched + PATIENCE[0]:
            if self.count > MAX_EVALUATIONS:
                raise _EndlessError(f"has taken {MAX_EVALUATIONS} evaluations")
            if not t - self.since >= PATIENCE[1] * self.duration:  # the step, and so the time, may be NaN
                raise _EndlessError("takes steps without end")
            self.watched, self.since = self.count, t
        try:
            return self.rate(t, x)
        except BaseException as error:
            self.raised = error
            raise


def adapted(
    name: str, rate: Rate, start: Array, times: Array, method: str, longest: float, rtol: float, atol: float
) -> tuple[Array, DivergenceError | None]:
    """Return the states at the times, NaN after the run diverges, and the error that says so."""
    path = np.full((len(times), len(start)), np.nan)
    recorded = _Recorded(rate, float(times[-1]))
    solver: OdeSolver | None = None
    reason = NOT_FINITE
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"scipy\.integrate")  # the states show it
        try:
            solver = ADAPTIVE[method](
                recorded, 0.0, start, times[-1], rtol=max(rtol, LEAST_RTOL), atol=atol, max_step=longest
            )
            reason = _fill(path, solver, times, method)
        except _EndlessError as error:
            reason = f"{method} {error}"
        except (ValueError, np.linalg.LinAlgError):  # an implicit method met a state that is not finite
            if recorded.raised is not None:
                raise recorded.raised from None
    if not reason:
        return path, None
    t, x = (0.0, start) if solver is None else (solver.t, solver.y)
    return path, DivergenceError(
        name, float(t), np.array(x), reason, SHORTER if reason == NOT_FINITE else WIDER
    )


def _fill(path: Array, solver: OdeSolver, times: Array, method: str) -> str:
    """Take steps until the end, fill the states at the times, and return why it ended early, if it did."""
    done = 0
    while solver.status == "running":
        before = np.array(solver.y)
        solver.step()
        if not np.isfinite(solver.y).all():
            solver.t, solver.y = solver.t_old, before
            return NOT_FINITE
        if solver.status == "failed":
            return f"{method} finds no step that is short enough"
        reached = int(np.searchsorted(times, solver.t, side="right"))
        if reached > done:
            path[done:reached] = solver.dense_output()(times[done:reached]).T
            done = reached
    return ""
