"""A one-link model fitted to a record: tip deflection driven by the measured hub angle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from ..arrays import Array
from ..checks import LARGEST, real_array, sized_array
from ..errors import ArgumentError, ClosedFormError
from ..guests import in_kind
from ..integration import System, simulate
from .boundary import boundary_modes
from .link import FlexibleLink
from .payload import Payload

NAMES = ("frequency", "ratio", "gain", "lag", "offset")

LOWER = np.array([0.05, 0.0, 0.0, 0.0, -np.inf])
UPPER = np.array([500.0, 0.999, 10.0, 5.0, np.inf])


@dataclass(frozen=True)
class HubDrivenFit:
    """The first mode of a link as its hub drives it, and the sensor that shows it.

    With w = 2 pi `frequency`: d'' + 2 `ratio` w d' + w^2 d = -`gain` hub''. The sensor passes d
    through two equal first-order filters, `lag` seconds together, and adds `offset`. `error` is
    the root mean square of what is left on the record of the fit, as a part of its peak.
    """

    frequency: float
    ratio: float
    gain: float
    lag: float
    offset: float
    error: float

    @in_kind
    def predict(self, t: ArrayLike, hub: ArrayLike, start: tuple[float, float] = (0.0, 0.0)) -> Array:
        """Return the deflection that the sensor shows for a hub angle sampled at equal times t.

        `start` is the deflection at the start and its rate.
        """
        time, angle, _ = _record(t, hub, hub)
        start = _pair("predict: start", start)
        p = np.array([getattr(self, name) for name in NAMES])
        return np.asarray(_response(p[None], time, angle, start)[0])

    def error_on(
        self, t: ArrayLike, hub: ArrayLike, deflection: ArrayLike, start: tuple[float, float] | None = None
    ) -> float:
        """Return the root mean square error of a prediction, as a part of the record's peak."""
        time, angle, shown = _record(t, hub, deflection)
        begin = _start(time, shown) if start is None else _pair("error_on: start", start)
        return _relative(self.predict(time, angle, begin) - shown, shown)

    def link(self, length: float, density: float, payload: tuple[float, float] = (0.0, 0.0)) -> FlexibleLink:
        """Return the uniform link of a length and density, with a payload, that has this frequency."""
        load = Payload(*_pair("link: payload", payload))
        plain = FlexibleLink(length, density, 1.0, modes=1)
        ((mode,),) = boundary_modes([plain], load, "stretched")
        return FlexibleLink(length, density, (self.frequency / mode.frequency) ** 2, modes=1)


def fit_hub_driven(
    t: ArrayLike,
    hub: ArrayLike,
    deflection: ArrayLike,
    start: tuple[float, float] | None = None,
    guess: tuple[float, ...] = (2.0, 0.1, 1.0, 0.05),
) -> HubDrivenFit:
    """Return the hub-driven model of a link that fits a record of hub angle and tip deflection.

    Times are equally spaced; angles and deflections in any one unit. `start` is the deflection at
    the start and its rate, by default taken from the record. `guess` is where frequency, ratio,
    gain and lag start. Nonlinear least squares, with all derivatives from one batch of simulations.
    """
    time, angle, shown = _record(t, hub, deflection)
    begin = _start(time, shown) if start is None else _pair("fit: start", start)
    first = sized_array("fit: guess", guess, (4,))
    if not ((first >= LOWER[:4]) & (first <= UPPER[:4])).all():
        raise ArgumentError(
            f"fit: guess is {guess}; expected frequency, ratio, gain and lag from {LOWER[:4]} to {UPPER[:4]}"
        )
    if not np.ptp(angle) or not np.ptp(shown):
        raise ClosedFormError("fit: hub angle or deflection is constant; a record of a motion is needed")
    p0 = np.array([*first, float(np.median(shown))])
    scale = np.array([1.0, 0.1, 1.0, 0.05, float(np.abs(shown).max())])

    def residual(p: Array) -> Array:
        return np.asarray(_response(p[None], time, angle, begin)[0] - shown)

    def slopes(p: Array) -> Array:
        h = 1e-6 * scale
        found = _response(np.concatenate([p + np.diag(h), p - np.diag(h)]), time, angle, begin)
        return (found[: len(p)] - found[len(p) :]).T / (2 * h)

    found: Any = least_squares(residual, p0, slopes, bounds=(LOWER, UPPER), x_scale=scale, xtol=1e-12)
    if not found.success:
        raise ClosedFormError(f"fit: did not converge ({found.message}); give a guess near the frequency")
    frequency, ratio, gain, lag, offset = map(float, found.x)
    return HubDrivenFit(frequency, ratio, gain, lag, offset, _relative(found.fun, shown))


@cache
def _system() -> System:
    """Return the model as a system: state (d + gain hub, its rate, two filter outputs), inputs hub and rate.

    Written in d + gain hub, it needs no acceleration of the hub.
    """
    x, u, p = ca.SX.sym("x", 4), ca.SX.sym("u", 2), ca.SX.sym("p", 4)
    w, ratio, gain, lag = 2 * np.pi * p[0], p[1], p[2], p[3]
    d, rate = x[0] - gain * u[0], x[1] - gain * u[1]
    filters = ((d - x[2]) / lag * 2, (x[2] - x[3]) / lag * 2)
    return System("hub_driven", x, ca.vertcat(x[1], -2 * ratio * w * rate - w * w * d, *filters), u, p)


def _response(p: Array, t: Array, hub: Array, start: tuple[float, float]) -> Array:
    """Return the sensor's signal for rows of parameters."""
    rate = np.gradient(hub, t)
    gain, offset = p[:, 2], p[:, 4]
    d0 = start[0] - offset
    x0 = np.stack([d0 + gain * hub[0], start[1] + gain * rate[0], d0, d0], axis=-1)
    h = t[1] - t[0]
    quick = np.concatenate([p[:, :3], np.maximum(p[:, 3:4], h)], axis=-1)  # a shorter lag than a step is none
    run = simulate(
        _system(), x0, np.stack([hub, rate], axis=-1), t[-1] - t[0], h * (1 + 1e-9), parameters=quick
    )
    return np.asarray(run.x[..., 3] + offset[:, None])


def _record(t: ArrayLike, hub: ArrayLike, deflection: ArrayLike) -> tuple[Array, Array, Array]:
    arrays = [real_array(name, x) for name, x in (("t", t), ("hub", hub), ("deflection", deflection))]
    if any(array.shape != arrays[0].shape or array.ndim != 1 for array in arrays) or len(arrays[0]) < 8:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ArgumentError(f"fit: t, hub, deflection have shapes {shapes}; expected (k,) each, k from 8")
    if not all((np.abs(array) <= LARGEST).all() for array in arrays):
        raise ArgumentError("fit: a sample is not finite; cut or fill the record there")
    steps = np.diff(arrays[0])
    if not steps.min() > 0 or np.ptp(steps) > 1e-3 * steps.mean():
        raise ArgumentError("fit: times are not equally spaced; resample the record")
    return arrays[0], arrays[1], arrays[2]


def _pair(name: str, given: Any) -> tuple[float, float]:
    first, rate = sized_array(name, given, (2,)).tolist()
    return first, rate


def _start(t: Array, shown: Array) -> tuple[float, float]:
    return float(shown[0]), float(np.gradient(shown[:16], t[:16]).mean())


def _relative(error: Array, shown: Array) -> float:
    peak = np.abs(shown).max()
    if not peak:
        raise ClosedFormError("fit: the deflection is zero all the time; a record of a motion is needed")
    return float(np.sqrt(np.mean((error / peak) ** 2)))
