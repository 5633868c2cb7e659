"""Simulation: a system, an initial state, inputs and a duration in; states over time out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from ..arrays import Array
from ..checks import function, instance, known_name, not_negative, positive, rows_array
from ..errors import ArgumentError, shown
from .adaptive import ADAPTIVE, adapted
from .divergence import DivergenceError
from .events import Event
from .inputs import Inputs, Levels, levels
from .system import System

LOOKS = 128
"""Steps between two looks at the state: for divergence, `watch` and `progress`."""

MAX_STEPS = 50_000_000

MAX_NUMBERS = 2**27
"""States kept of a run or a batch of them, as numbers."""


@dataclass(frozen=True)
class Simulation:
    """A run: times `t` (n + 1,), states `x` (..., n + 1, nx) and inputs `u` (..., n + 1, nu) at them.

    `held` says that the inputs are constant within each step. `events` holds the times of each
    event. Runs of a batch that diverged are NaN from there on.
    """

    t: Array
    x: Array
    u: Array | None
    held: bool = True
    events: tuple[list[float], ...] = field(default=())


def simulate(
    system: System,
    x0: ArrayLike,
    inputs: Inputs = None,
    duration: float = 1.0,
    step: float = 1e-3,
    *,
    method: str = "rk4",
    parameters: ArrayLike | None = None,
    events: Sequence[Event] = (),
    watch: Callable[[float, Array], None] | None = None,
    progress: Callable[[float], None] | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> Simulation:
    """Return the motion of a system from x0.

    Steps are equal and at most `step` long. "rk4" takes each as one compiled Runge-Kutta step, a
    batch of initial states (or of inputs, or of parameters) as one. Otherwise `method` is one of
    SciPy's adaptive ones, within `rtol` and `atol`, sampled at the steps. `inputs`: see
    `closedform.integration.inputs.levels`. `watch(t, x)` sees the state now and then and may
    raise; `progress` hears the fraction done. A single run that diverges raises.

    >>> import casadi as ca, numpy as np
    >>> from closedform.integration import System, simulate
    >>> x = ca.SX.sym("x", 2)
    >>> run = simulate(System("oscillator", x, ca.vertcat(x[1], -x[0])), [1.0, 0.0], None, np.pi, 1e-3)
    >>> bool(abs(run.x[-1, 0] + 1) < 1e-12)
    True
    """
    instance("simulate: system", system, System)
    known_name("method of integration", method, ("rk4", *ADAPTIVE))
    for name, given, of, count in (
        ("watch", watch, "time and state", 2),
        ("progress", progress, "a part", 1),
    ):
        if given is not None:
            function(f"{system.name}: {name}", given, of, count)
    rtol = positive(f"{system.name}: rtol", rtol)
    if rtol > 1:
        raise ArgumentError(f"{system.name}: rtol is {rtol:g}; expected a number up to 1")
    atol = not_negative(f"{system.name}: atol", atol)
    if not isinstance(events, Sequence) or not all(isinstance(each, Event) for each in events):
        raise ArgumentError(f"{system.name}: events are {shown(events)}; expected a list of Event")
    times = _grid(system.name, duration, step)
    start = rows_array(f"{system.name}: initial state", x0, system.nx)
    driven = levels(system.name, inputs, system.nu, times)
    p = _parameters(system, parameters)
    batch = _batch(system, start, driven, p)
    numbers = math.prod(batch) * len(times) * system.nx
    if numbers > MAX_NUMBERS:
        raise ArgumentError(
            f"{system.name}: {len(times)} states of {math.prod(batch)} run(s) are {numbers} numbers; at most "
            f"{MAX_NUMBERS}: take longer steps or fewer runs at a time"
        )
    start = np.broadcast_to(start, (*batch, system.nx))
    runner = _march if method == "rk4" else partial(_adapt, method=method, rtol=rtol, atol=atol)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # told below, by the states
        x = runner(system, start, driven, p, times, watch, progress)
    run = Simulation(times, x, None) if driven is None else Simulation(times, x, driven.nodes(), driven.held)
    if not batch:
        _require_finite(system, run)
        return _with_events(system, run, driven, p, events) if events else run
    if events:
        raise ArgumentError(f"{system.name}: events are sought in single runs; give one initial state")
    return run


def _grid(name: str, duration: float, step: float) -> Array:
    duration, step = positive(f"{name}: duration", duration), positive(f"{name}: step", step)
    if duration / step > MAX_STEPS:
        raise ArgumentError(f"{name}: {duration / step:.3g} steps; at most {MAX_STEPS}; take longer steps")
    steps = max(1, math.ceil(duration / step - 1e-6))
    return np.linspace(0.0, duration, steps + 1)


def _parameters(system: System, given: ArrayLike | None) -> Array | None:
    if system.parameters is None:
        if given is not None:
            raise ArgumentError(f"{system.name}: has no parameters; give None")
        return None
    if given is None:
        raise ArgumentError(f"{system.name}: needs its {system.np} parameters")
    return rows_array(f"{system.name}: parameters", given, system.np)


def _batch(system: System, start: Array, driven: Levels | None, p: Array | None) -> tuple[int, ...]:
    batches = [start.shape[:-1], () if driven is None else driven.batch, () if p is None else p.shape[:-1]]
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(
            f"{name} {each}" for name, each in zip(("states", "inputs", "parameters"), batches, strict=True)
        )
        raise ArgumentError(f"{system.name}: batches do not broadcast: {shapes}") from None


def _march(
    system: System,
    start: Array,
    driven: Levels | None,
    p: Array | None,
    times: Array,
    watch: Callable[[float, Array], None] | None,
    progress: Callable[[float], None] | None,
) -> Array:
    """Return the states of equal Runge-Kutta steps, (..., steps + 1, nx)."""
    steps = len(times) - 1
    path = np.empty((steps + 1, *start.shape))
    path[0] = start
    h = np.array(times[1] - times[0])
    here, there = np.array(start), np.empty_like(start)
    drives = [] if driven is None else [driven.start, driven.middle, driven.end]
    buffers = [np.array(each[0]) for each in drives]
    fixed = [] if p is None else [np.ascontiguousarray(p, dtype=float)]
    steady = driven is None or driven.steady
    calls = itertools.cycle(
        [_call(system, a, h, buffers, fixed, b) for a, b in ((here, there), (there, here))]
    )
    states = itertools.cycle([there, here])
    for k in range(steps):
        if not steady:
            for buffer, drive in zip(buffers, drives, strict=True):
                buffer[...] = drive[k]
        next(calls)()
        path[k + 1] = state = next(states)
        if not (k + 1) % LOOKS:
            if start.ndim == 1 and not np.isfinite(state).all():
                path[k + 2 :] = np.nan
                break
            if watch is not None:
                watch(times[k + 1], state)
            if progress is not None:
                progress((k + 1) / steps)
    if watch is not None and steps % LOOKS:
        watch(times[-1], path[-1])
    return np.moveaxis(path, 0, -2)


def _call(
    system: System, x: Array, h: Array, drives: list[Array], fixed: list[Array], out: Array
) -> Callable[[], Any]:
    """Return a call of no arguments that takes one step from `x` to `out`."""
    if x.ndim == 1:
        return system.step.bind(x, *drives, h, *fixed, out=out)
    return partial(system.step, x, *drives, h, *fixed, out=out)


def _adapt(
    system: System,
    start: Array,
    driven: Levels | None,
    p: Array | None,
    times: Array,
    watch: Callable[[float, Array], None] | None,
    progress: Callable[[float], None] | None,
    *,
    method: str,
    rtol: float,
    atol: float,
) -> Array:
    """Return the states at the times, by one of SciPy's methods, run by run."""
    batch, h = start.shape[:-1], float(times[1] - times[0])
    path = np.empty((*batch, len(times), system.nx))
    runs = list(np.ndindex(*batch))
    for number, index in enumerate(runs):
        fixed = [] if p is None else [np.broadcast_to(p, (*batch, system.np))[index]]

        def rate(t: float, x: Array, index: Any = index, fixed: list[Array] = fixed) -> Array:
            drive = []
            if driven is not None:
                drive = [np.broadcast_to(driven.at(t, h), (*batch, system.nu))[index]]
            return np.asarray(system.rate(x, *drive, *fixed))

        # Longer steps than those of the grid could pass over what the inputs do in between.
        longest = np.inf if driven is None or driven.steady else h
        path[index], diverged = adapted(system.name, rate, start[index], times, method, longest, rtol, atol)
        if diverged is not None and not batch:
            raise diverged
        if watch is not None:
            watch(times[-1], path[index][-1])
        if progress is not None:
            progress((number + 1) / len(runs))
    return path


def _require_finite(system: System, run: Simulation) -> None:
    bad = ~np.isfinite(run.x).all(axis=-1)
    if bad.any():
        k = int(bad.argmax())
        raise DivergenceError(system.name, float(run.t[k]), run.x[max(k - 1, 0)])


def _with_events(
    system: System, run: Simulation, driven: Levels | None, p: Array | None, events: Sequence[Event]
) -> Simulation:
    """Return the run with the times of its events, ended at the first terminal one."""
    path = _between(system, run, driven, p)
    found = [each.times(path) for each in events]
    ends = [times[0] for each, times in zip(events, found, strict=True) if each.terminal and times]
    if not ends:
        return replace(run, events=tuple(found))
    end = min(ends)
    keep = run.t < end
    t, x = np.append(run.t[keep], end), np.concatenate([run.x[keep], path(end)[None]])
    u = None if driven is None else np.concatenate([run.u[keep], driven.at(end, run.t[1])[None]])  # type: ignore[index]
    return Simulation(t, x, u, run.held, tuple([s for s in times if s <= end] for times in found))


def _between(system: System, run: Simulation, driven: Levels | None, p: Array | None) -> PPoly:
    """Return a run between its steps: cubics from the states and rates at both ends of each.

    A step ends with its own inputs, which may jump to those of the next.
    """
    fixed = [] if p is None else [p]
    starts, ends = ([], []) if driven is None else ([driven.start], [driven.end])
    x, h = run.x, np.diff(run.t)[:, None]
    first, last = system.rate(x[:-1], *starts, *fixed), system.rate(x[1:], *ends, *fixed)
    mean = np.diff(x, axis=0) / h
    cubic = (first + last - 2 * mean) / h**2
    return PPoly(np.stack([cubic, (3 * mean - 2 * first - last) / h, first, x[:-1]]), run.t)
