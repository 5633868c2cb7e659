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
from ..checks import (
    common_batch,
    function,
    instance,
    instances,
    known_name,
    not_negative,
    positive,
    rows_array,
)
from ..errors import ArgumentError
from ..guests import kind_of, to_host, to_kind
from .adaptive import ADAPTIVE, adapted
from .divergence import DivergenceError
from .events import Event
from .inputs import Inputs, Levels, levels
from .lazy_runs import LazyRuns
from .rollout import require_room, rollout
from .system import System

LOOKS = 128
"""Steps between two looks at the state: for divergence, `watch` and `progress`."""

MAX_STEPS = 50_000_000

SECONDS = 6e-9
"""Time of a "rk4" step per state, at least, on one core."""


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


@dataclass(frozen=True)
class _Problem:
    """A checked problem: `start` has the shape of the whole batch; `parameters` is empty or one array."""

    system: System
    start: Array
    driven: Levels
    parameters: tuple[Array, ...]
    times: Array
    watch: Callable[[float, Array], None] | None
    progress: Callable[[float], None] | None


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
    `closedform.integration.inputs.levels`. Arrays may be of any kind; "rk4" has their gradients (by x0,
    inputs and parameters) and stays on their device; those of a run of dask arrays are lazy. `watch(t, x)`
    sees the state now and then and may raise; `progress` is called with the fraction done. A single run that
    diverges raises.

    >>> import casadi as ca, numpy as np
    >>> from closedform.integration import System, simulate
    >>> x = ca.SX.sym("x", 2)
    >>> run = simulate(System("oscillator", x, ca.vertcat(x[1], -x[0])), [1.0, 0.0], None, np.pi, 1e-3)
    >>> bool(abs(run.x[-1, 0] + 1) < 1e-12)
    True
    """
    given = dict(locals())  # before anything else has a name here
    instance("simulate: system", system, System)
    lazy = LazyRuns(simulate, {"x0": 1, "parameters": 1, "inputs": 2}, ("x0", "parameters"))
    if lazy.asked(given):
        run: Simulation = lazy.run(system.name, given, SECONDS * system.nx)[0]
        return run
    known_name("method of integration", method, ("rk4", *ADAPTIVE))
    for name, called, of, count in (
        ("watch", watch, "time and state", 2),
        ("progress", progress, "the fraction done", 1),
    ):
        if called is not None:
            function(f"{system.name}: {name}", called, of, count)
    rtol = positive(f"{system.name}: rtol", rtol)
    if rtol > 1:
        raise ArgumentError(f"{system.name}: rtol is {rtol:g}; expected a number up to 1")
    atol = not_negative(f"{system.name}: atol", atol)
    instances(f"{system.name}: events", events, Event)
    kind = kind_of(system.name, x0, inputs, parameters)
    if kind is None:
        return _run(
            system, x0, inputs, duration, step, method, parameters, events, watch, progress, rtol, atol
        )
    _require_parts(system, inputs, parameters)
    if method == "rk4" and not (events or watch or progress) and (callable(inputs) or not kind.plain):
        times = _times(system, duration, step)
        x, u, held = rollout(kind, system, x0, inputs, times, parameters)
        return Simulation(kind.array(times), x, u, held)
    x0, inputs, parameters = (to_host(kind, "simulate", each) for each in (x0, inputs, parameters))
    run = _run(system, x0, inputs, duration, step, method, parameters, events, watch, progress, rtol, atol)
    found: Simulation = to_kind(kind, run)
    return found


def _run(
    system: System,
    x0: ArrayLike,
    inputs: Inputs,
    duration: float,
    step: float,
    method: str,
    parameters: ArrayLike | None,
    events: Sequence[Event],
    watch: Callable[[float, Array], None] | None,
    progress: Callable[[float], None] | None,
    rtol: float,
    atol: float,
) -> Simulation:
    """Return the motion from NumPy's arrays."""
    problem = _problem(system, x0, inputs, duration, step, parameters, watch, progress)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # the states show it
        x = _march(problem) if method == "rk4" else _adapt(problem, method, rtol, atol)
    driven = problem.driven
    run = Simulation(problem.times, x, driven.nodes() if system.nu else None, driven.held)
    if x.ndim == 2:
        _require_finite(system, run)
        return _with_events(problem, run, events) if events else run
    if events:
        raise ArgumentError(f"{system.name}: events are sought in single runs; give one initial state")
    return run


def step_count(name: str, duration: float, step: float, most: int = MAX_STEPS) -> int:
    """Return how many equal steps of at most `step` make up a duration."""
    count = duration / step
    if not count <= most:
        raise ArgumentError(
            f"{name}: {count:.3g} steps; at most {most}: take longer steps (a lower rate), "
            "or a shorter duration"
        )
    return max(1, math.ceil(count - 1e-6))  # no short step more for the round-off of a quotient


def _problem(
    system: System,
    x0: ArrayLike,
    inputs: Inputs,
    duration: float,
    step: float,
    given: ArrayLike | None,
    watch: Callable[[float, Array], None] | None,
    progress: Callable[[float], None] | None,
) -> _Problem:
    name, times = system.name, _times(system, duration, step)
    start = rows_array(f"{name}: initial state", x0, system.nx)
    _require_parts(system, inputs, given)
    driven = levels(name, inputs, system.nu, times)
    parameters = () if given is None else (rows_array(f"{name}: parameters", given, system.np),)
    batch = common_batch(
        name,
        states=start.shape[:-1],
        inputs=driven.batch,
        parameters=parameters[0].shape[:-1] if parameters else (),
    )
    require_room(name, batch, len(times), system.nx)
    start = np.broadcast_to(start, (*batch, system.nx))
    return _Problem(system, start, driven, parameters, times, watch, progress)


def _times(system: System, duration: float, step: float) -> Array:
    """Return the nodes of equal steps of at most `step`."""
    name = system.name
    duration, step = positive(f"{name}: duration", duration), positive(f"{name}: step", step)
    return np.linspace(0.0, duration, step_count(name, duration, step) + 1)


def _require_parts(system: System, inputs: Any, given: Any) -> None:
    """Refuse inputs and parameters that a system does not take, and missing parameters."""
    if system.nu == 0 and inputs is not None:
        raise ArgumentError(f"{system.name}: takes no inputs; give None")
    if system.np and given is None:
        raise ArgumentError(f"{system.name}: needs its {system.np} parameters")
    if given is not None and not system.np:
        raise ArgumentError(f"{system.name}: has no parameters; give None")


def _march(problem: _Problem) -> Array:
    """Return the states of equal Runge-Kutta steps, (..., steps + 1, nx)."""
    start, driven, times = problem.start, problem.driven, problem.times
    steps = len(times) - 1
    path = np.empty((steps + 1, *start.shape))
    path[0] = start
    h = np.array(times[1] - times[0])
    here, there = np.array(start), np.empty_like(start)
    tables, steady = driven.tables, driven.steady
    buffers = [np.array(each[0]) for each in tables]
    arguments = [*buffers, h, *(np.ascontiguousarray(p) for p in problem.parameters)]
    calls = itertools.cycle(
        [_call(problem.system, a, arguments, b) for a, b in ((here, there), (there, here))]
    )
    states = itertools.cycle([there, here])
    for k in range(steps):
        if not steady:
            for buffer, table in zip(buffers, tables, strict=True):
                buffer[...] = table[k]
        next(calls)()
        path[k + 1] = state = next(states)
        if not (k + 1) % LOOKS:
            if start.ndim == 1 and not np.isfinite(state).all():
                path[k + 2 :] = np.nan
                break
            if problem.watch is not None:
                problem.watch(times[k + 1], state)
            if problem.progress is not None:
                problem.progress((k + 1) / steps)
    if problem.watch is not None and steps % LOOKS:
        problem.watch(times[-1], path[-1])
    return np.moveaxis(path, 0, -2)


def _call(system: System, x: Array, arguments: list[Array], out: Array) -> Callable[[], Any]:
    """Return a call of no arguments that takes one step from `x` to `out`."""
    if x.ndim == 1:
        return system.step.bind(x, *arguments, out=out)
    return partial(system.step, x, *arguments, out=out)


def _adapt(problem: _Problem, method: str, rtol: float, atol: float) -> Array:
    """Return the states at the times, by one of SciPy's methods, run by run."""
    system, driven, times = problem.system, problem.driven, problem.times
    batch, h = problem.start.shape[:-1], float(times[1] - times[0])
    path = np.empty((*batch, len(times), system.nx))
    runs = list(np.ndindex(*batch))
    # Longer steps than those of the grid could pass over what the inputs do in between.
    longest = np.inf if driven.steady else h
    for number, index in enumerate(runs):
        fixed = [np.broadcast_to(p, (*batch, system.np))[index] for p in problem.parameters]

        def rate(t: float, x: Array, index: Any = index, fixed: list[Array] = fixed) -> Array:
            u = [np.broadcast_to(driven.at(t, h), (*batch, system.nu))[index]] if system.nu else []
            return np.asarray(system.rate(x, *u, *fixed))

        start = problem.start[index]
        path[index], diverged = adapted(system.name, rate, start, times, method, longest, rtol, atol)
        if diverged is not None and not batch:
            raise diverged
        if problem.watch is not None:
            problem.watch(times[-1], path[index][-1])
        if problem.progress is not None:
            problem.progress((number + 1) / len(runs))
    return path


def _require_finite(system: System, run: Simulation) -> None:
    bad = ~np.isfinite(run.x).all(axis=-1)
    if bad.any():
        k = int(bad.argmax())
        raise DivergenceError(system.name, float(run.t[k]), run.x[max(k - 1, 0)])


def _with_events(problem: _Problem, run: Simulation, events: Sequence[Event]) -> Simulation:
    """Return the run with the times of its events, ended at the first terminal one."""
    path = _between(problem, run)
    found = [each.times(path) for each in events]
    ends = [times[0] for each, times in zip(events, found, strict=True) if each.terminal and times]
    if not ends:
        return replace(run, events=tuple(found))
    end = min(ends)
    keep = run.t < end
    t, x = np.append(run.t[keep], end), np.concatenate([run.x[keep], path(end)[None]])
    u = run.u
    if u is not None:
        u = np.concatenate([u[keep], problem.driven.at(end, run.t[1])[None]])
    return Simulation(t, x, u, run.held, tuple([s for s in times if s <= end] for times in found))


def _between(problem: _Problem, run: Simulation) -> PPoly:
    """Return a run between its steps: cubics from the states and rates at both ends of each.

    A step ends with its own inputs, which may jump to those of the next.
    """
    rate, tables, fixed = problem.system.rate, problem.driven.tables, problem.parameters
    x, h = run.x, np.diff(run.t)[:, None]
    first, last = rate(x[:-1], *tables[:1], *fixed), rate(x[1:], *tables[2:], *fixed)
    mean = np.diff(x, axis=0) / h
    cubic = (first + last - 2 * mean) / h**2
    return PPoly(np.stack([cubic, (3 * mean - 2 * first - last) / h, first, x[:-1]]), run.t)
