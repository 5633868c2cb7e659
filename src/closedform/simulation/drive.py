"""Where the joint forces come from: a compiled law, a law that is sampled, torques over time, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import LARGEST, function, positive, real_array
from ..control import Law
from ..errors import ArgumentError, shorten, shown
from ..integration.inputs import Levels, levels
from ..integration.simulate import step_count
from ..kernels import Kernel
from ..robot import Robot
from .inputs import reference_levels
from .memory import Memory

MOST_RATE = 1e6
"""Samples of a law per second."""

TorqueLaw = Law | Callable[[float, Array, Array], ArrayLike] | ArrayLike | None
"""A compiled law, a function of time and state, torques over time, or None for free motion."""


@dataclass(frozen=True)
class Clock:
    """The instants of a run, and how many steps are between two samples of a law."""

    times: Array
    substeps: int = 1

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.times) - 1

    @property
    def step(self) -> float:
        """Length of a step."""
        return float(self.times[1] - self.times[0])


def clock(duration: float, step: float, rate: float | None, sampled: bool, most: int) -> Clock:
    """Return at most so many equal steps of up to `step`, a whole number between the samples of a law."""
    duration, step = positive("simulate: duration", duration), positive("simulate: step", step)
    if rate is not None:
        if not sampled:
            raise ArgumentError("simulate: rate is that of a law; torques over time have none")
        if positive("simulate: rate", rate) > MOST_RATE:
            raise ArgumentError(f"simulate: rate is {shown(rate)}; expected at most {MOST_RATE:g} per second")
        period = 1 / rate
        substeps = step_count("simulate", period, step)
        steps = step_count("simulate", duration, period, most // substeps) * substeps
        step = duration / steps
    else:
        substeps = 1
    return Clock(np.linspace(0.0, duration, step_count("simulate", duration, step, most) + 1), substeps)


class SampledLaw(NamedTuple):
    """A compiled law that is called ahead of every step.

    Its kernel, references (steps, ...), states (steps + 1, ...) and the numbers that stay the same.
    """

    kernel: Kernel
    references: list[Array]
    states: list[Array]
    numbers: list[Array]


@dataclass(frozen=True)
class Drive:
    """The joint forces of a run: a `law` in continuous time, or inputs; `sample` fills the inputs as it goes.

    `levels` are the references of the law, or the torques, over the steps. `compiled` samples once a step,
    in machine code.
    """

    law: Law | None = None
    driven: bool = False
    levels: list[Levels] = field(default_factory=list)
    sample: Callable[[float, Array, Array], Array] | None = None
    compiled: SampledLaw | None = None
    memory: Memory | None = None

    def recorded(self) -> Drive:
        """Return what is left of it after a run: numbers, no functions of the caller, so that it pickles."""
        levels = [replace(each, function=None) for each in self.levels]
        return replace(self, levels=levels, sample=None, compiled=None, memory=None)


def drive(robot: Robot, law: TorqueLaw, reference: Any, rate: float | None, clock: Clock) -> Drive:
    """Return where the joint forces come from."""
    times = clock.times
    if isinstance(law, Law):
        require_fitting(law, robot)
        given = reference_levels(law, reference, times)
        if rate is None:
            return Drive(law, levels=given)
        own, memory = None, Memory(law, clock.steps, clock.substeps)
        if clock.substeps == 1 and not any(each.batch for each in given):
            kernel, numbers = law.kernel, list(law.gains.values())
            if law.states:
                kernel, numbers = law.step_kernel, [*numbers, np.array(clock.step)]
            own = SampledLaw(kernel, _starts(law, given), memory.paths, numbers)
        return _sampled(robot, partial(_compiled_torque, law, given, clock, memory), clock, own, memory)
    if reference is not None:
        raise ArgumentError(
            "simulate: a reference is that of a law of closedform.control, and none is given; the one "
            "of wrenches is wrench_reference="
        )
    if law is None:
        return Drive()
    if callable(law):
        own = function("simulate: law", law, "time, q and qd", 3)
        return _sampled(robot, partial(_called_torque, own, robot.nv), clock)
    return Drive(driven=True, levels=[levels("simulate: torques", law, robot.nv, times)])


def require_fitting(law: Law, robot: Robot) -> None:
    """Refuse a law of a robot with other coordinates or velocities."""
    if law.robot.model.nv != robot.nv or law.robot.model.nq != robot.nq:
        raise ArgumentError(
            f"simulate: {law.name} is of {law.robot.name!r} with {law.robot.nv} velocities; "
            f"expected one of {robot.name!r}, {robot.nv}"
        )


def _sampled(
    robot: Robot,
    sample: Callable[[float, Array, Array], Array],
    clock: Clock,
    compiled: SampledLaw | None = None,
    memory: Memory | None = None,
) -> Drive:
    """Return a drive whose torques are still to be sampled."""
    table = np.zeros((clock.steps, robot.nv))
    held = Levels(table, table, table, held=True)
    return Drive(driven=True, levels=[held], sample=sample, compiled=compiled, memory=memory)


def _starts(law: Law, given: list[Levels]) -> list[Array]:
    """Return the references of a law at the start of every step, (steps, *shape) each."""
    found = []
    for each, wanted in zip(given, law.references, strict=True):
        rows = each.start if each.start.strides[0] else each.start[:1]
        whole = np.ascontiguousarray(rows).reshape(len(rows), *wanted.shape)
        found.append(
            whole if rows is each.start else np.broadcast_to(whole, (len(each.start), *wanted.shape))
        )
    return found


def _compiled_torque(
    law: Law, given: list[Levels], clock: Clock, memory: Memory, t: float, q: Array, qd: Array
) -> Array:
    """Return the torques of a compiled law at an instant, and let it remember its next states."""
    references = [
        each.at(t, clock.step).reshape(*each.batch, *wanted.shape)
        for each, wanted in zip(given, law.references, strict=True)
    ]
    if law.states:
        k, period = round(t / clock.step), clock.step * clock.substeps
        numbers = law.gains.values()
        tau, *following = law.step_kernel(q, qd, *references, *memory.at(k), *numbers, period)
        memory.keep(k, following)
    else:
        tau = law(q, qd, *references)
    tau = np.asarray(tau)
    if not np.isfinite(tau).all():
        raise not_finite(law.name, tau, t)
    return tau


def _called_torque(
    law: Callable[[float, Array, Array], ArrayLike], nv: int, t: float, q: Array, qd: Array
) -> Array:
    """Return the torques of a function at an instant, after checking them."""
    given = law(t, q, qd)
    tau = given if type(given) is np.ndarray and given.dtype == np.float64 else _real(given, t)
    if tau.shape[-1:] != (nv,) or (tau.ndim > 1 and tau.shape[:-1] != q.shape[:-1]):
        raise ArgumentError(
            f"simulate: the law gave shape {tau.shape} at t = {t:.6g} s; expected {(*q.shape[:-1], nv)}"
        )
    if not (np.abs(tau) <= LARGEST).all():
        if not np.isfinite(q).all():  # a run of a batch that has diverged
            alive = np.asarray(np.isfinite(q).all(axis=-1))
            return np.where(alive[..., None], tau, np.nan)
        raise not_finite("the law", tau, t)
    return tau


def _real(given: Any, t: float) -> Array:
    if given is None:
        raise ArgumentError(f"simulate: the law gave None at t = {t:.6g} s; does it return the torques?")
    return real_array(f"simulate: the law's value at t = {t:.6g} s", given)


def not_finite(name: str, tau: Array, t: float) -> ArgumentError:
    """Return the error of a law that gives no numbers."""
    return ArgumentError(
        f"simulate: {name} gave {shorten(str(tau), 80)} at t = {t:.6g} s; expected finite numbers"
    )


def driven_torques(
    robot: Robot,
    found: Drive,
    tables: Array | None,
    limited: bool,
    clock: Clock,
    t: Array,
    q: Array,
    qd: Array,
    states: dict[str, Array],
) -> Array:
    """Return the joint forces at the times of a motion."""
    batch = q.shape[:-2]
    if found.law is not None:
        rows = [
            each.nodes().reshape(*each.batch, len(clock.times), *wanted.shape)
            for each, wanted in zip(found.levels, found.law.references, strict=True)
        ]
        if len(t) != len(clock.times):  # a terminal event ended the run
            rows = [
                _until(each, wanted.shape, t) for each, wanted in zip(rows, found.law.references, strict=True)
            ]
        given = found.law(q, qd, *rows, **states)
        tau = np.asarray(given[0] if states else given)
    elif tables is not None:
        held = np.concatenate([tables, tables[..., -1:, :]], axis=-2)
        tau = np.broadcast_to(held[..., : len(t), :], (*batch, len(t), robot.nv))
    elif found.driven:
        tau = np.broadcast_to(found.levels[0].nodes()[..., : len(t), :], (*batch, len(t), robot.nv))
    else:
        tau = np.zeros((*batch, len(t), robot.nv))
    return np.clip(tau, -robot.effort_limits, robot.effort_limits) if limited else np.array(tau)


def _until(rows: Array, shape: tuple[int, ...], t: Array) -> Array:
    """Return the entries of the first times; at the last, within a step, those of the step's start."""
    axis = rows.ndim - len(shape) - 1
    return np.take(rows, np.arange(len(t)), axis=axis)
