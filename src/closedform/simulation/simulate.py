"""Simulation of a robot: a state, a law and a duration in; the motion out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import (
    MOST_ENTRIES,
    common_batch,
    flag,
    function,
    instance,
    instances,
    known_name,
    rows_array,
    small_number,
)
from ..control import Law
from ..errors import ArgumentError
from ..forms import FORMS
from ..forms.friction import is_curved
from ..guests import Kind, in_kind, kind_of, to_kind
from ..integration import DivergenceError, Event
from ..integration.adaptive import ADAPTIVE
from ..integration.divergence import NOT_FINITE
from ..integration.inputs import Levels
from ..integration.simulate import MAX_STEPS
from ..robot import Robot
from .adaptive import adaptive_run
from .contact import Contact
from .drive import Clock, Drive, TorqueLaw, clock, drive, driven_torques, not_finite
from .event_times import with_events
from .inputs import together, wrench_levels
from .lazy_runs import lazy_motion
from .marching import Marching, take_steps
from .motion import Motion, Transition
from .plant import Plant
from .rollout import Given, rolled_out
from .start import checked_coordinates, require_within_limits
from .steps import METHODS as STEPS
from .steps import forces_kernel, step_kernel
from .variational import require_no_gear_losses, require_plain_coordinates

REMEDY = (
    "take shorter steps or method='rosenbrock' (damping gains over the least inertia may be too high for the "
    "step), or check the law and the initial state"
)
"""What to do about a run that diverges."""

METHODS = (*STEPS, *ADAPTIVE)
"""Methods by name: ours, of equal steps, and SciPy's adaptive ones."""


MANY = 20
"""Velocities beyond which steps of order 6 are not the default: they take long to compile."""


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    law: TorqueLaw = None,
    duration: float = 1.0,
    step: float = 1e-3,
    *,
    reference: Any = None,
    rate: float | None = None,
    friction: bool = False,
    springs: bool = False,
    stops: bool = False,
    restitution: float = 0.0,
    effort_limits: bool = False,
    wrenches: Any = None,
    wrench_reference: str = "body",
    phi: ArrayLike | None = None,
    method: str | None = None,
    events: Sequence[Event] = (),
    progress: Callable[[float], None] | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> Motion:
    """Return the motion of a robot from a state, under a law: see `Robot.simulate`."""
    given = dict(locals())  # before anything else has a name here
    model = instance("simulate: robot", robot, Robot).model
    lazy = lazy_motion(simulate, given)
    if lazy is not None:
        return lazy
    for need in FORMS["forward_dynamics"].needs:
        need.check(model, "simulate")
    if method is not None:
        known_name("method of integration", method, METHODS)
    if progress is not None:
        function("simulate: progress", progress, "the fraction done", 1)
    instances("simulate: events", events, Event)
    chosen = {"friction": friction, "springs": springs, "stops": stops, "effort_limits": effort_limits}
    for name, value in chosen.items():
        flag(f"simulate: {name}", value)
    if method == "variational":
        require_plain_coordinates(model)
        if friction:
            require_no_gear_losses(model)
    bounce = small_number("simulate: restitution", restitution, 1.0)
    most = min(MAX_STEPS, MOST_ENTRIES // (robot.nq + robot.nv))
    run_clock = clock(duration, step, rate, isinstance(law, Law) or callable(law), most)
    contact = Contact.of(model, friction, stops, bounce)
    if method is None:
        sampled = callable(law) if not isinstance(law, Law) else rate is not None
        method = "rk6" if not contact.acts and not sampled and robot.nv <= MANY else "rk4"
    arrays = Given(q0, qd0, law, reference, wrenches, phi)
    kind = kind_of("simulate", *arrays)
    if kind is not None:
        looks = bool(contact.acts or events or progress or method in ADAPTIVE)
        if not looks and (arrays.has_functions or not kind.plain):
            return rolled_out(
                kind,
                robot,
                arrays,
                run_clock,
                rate,
                method,
                wrench_reference,
                damped=friction,
                sprung=springs,
                limited=effort_limits,
            )
        why = (
            "with friction that holds joints, stops, events, progress or an adaptive method" if looks else ""
        )
        q0, qd0, law, reference, wrenches, phi = arrays.hosted(kind, why)
    q = checked_coordinates(model, q0)
    qd = np.zeros(robot.nv) if qd0 is None else rows_array("simulate: qd0", qd0, robot.nv)
    own = None if phi is None else rows_array("simulate: phi", phi, 10 * len(model.bodies))
    if stops:
        require_within_limits(model, q)
    found = drive(robot, law, reference, rate, run_clock)
    frames, bodies, acting = wrench_levels(model, wrenches, wrench_reference, run_clock.times)
    parts = [*found.levels, *acting]
    batch = common_batch(
        "simulate",
        q0=q.shape[:-1],
        qd0=qd.shape[:-1],
        inputs=_batch("simulate: inputs", parts),
        phi=() if own is None else own.shape[:-1],
    )
    plant = Plant(
        model,
        found.law,
        driven=found.driven,
        frames=frames,
        reference=wrench_reference,
        bodies=bodies,
        limited=effort_limits,
        damped=friction and bool(robot.damping.any()),
        offset=friction and bool(robot.drive_offset.any()),
        curved=friction and is_curved(model),
        geared=contact.gears.any,
        sprung=springs and any(body.stiffness for body in model.bodies),
        contact=contact.acts,
        variable=own is not None,
    )
    if events and batch:
        raise ArgumentError("simulate: events are sought in single runs; give one initial state")
    _require_room(plant, math.prod(batch), run_clock)
    start = tuple(np.broadcast_to(each, (*batch, each.shape[-1])) for each in (q, qd, plant.start))
    if found.memory is not None:
        found.memory.begin(batch)
    record = found.recorded()
    torques = partial(on_host, partial(driven_torques, robot, record, None, effort_limits, run_clock))
    if method in ADAPTIVE:
        t, q, qd, z, times = adaptive_run(
            plant,
            found,
            start,
            run_clock,
            parts,
            _constants(robot, plant, own),
            method,
            events,
            progress,
            rtol,
            atol,
        )
        return _answer(
            kind, Motion(robot, t, q, qd, times, (), method, torques, plant.states(z), springs, own)
        )
    marching = _marching(robot, plant, found, start, run_clock, parts, contact, method, own)
    take_steps(robot, marching, found, run_clock, batch, progress)
    x, qd = (_unstacked(each, batch) for each in (marching.q, marching.qd))
    q, states = x[..., : robot.nq], plant.states(x[..., robot.nq :])
    if found.memory is not None:
        states = found.memory.recorded()
    if found.sample is not None:
        table = _unstacked(marching.tables[0][..., : robot.nv], batch)
        torques = partial(on_host, partial(driven_torques, robot, record, table, effort_limits, run_clock))
    if not batch:
        _require_finite(robot, torques, run_clock.times, q, qd, states)
    names = velocity_names(robot)
    changes = tuple(Transition(c.time, names[c.velocity], c.what, c.run) for c in marching.changes)
    motion = Motion(robot, run_clock.times, q, qd, (), changes, method, torques, states, springs, own)
    return _answer(kind, with_events(motion, events) if events else motion)


def _answer(kind: Kind | None, motion: Motion) -> Motion:
    """Return a motion in the kind of the arrays that were given."""
    return motion if kind is None else to_kind(kind, motion)


@in_kind
def on_host(torques: Callable[..., Array], *state: Any) -> Array:
    """Return the joint forces of a motion whose arrays may be of any kind."""
    return torques(*state)


def _batch(name: str, parts: list[Levels]) -> tuple[int, ...]:
    return common_batch(name, **{f"input {k + 1}": each.batch for k, each in enumerate(parts)})


def _require_room(plant: Plant, runs: int, run_clock: Clock) -> None:
    numbers = runs * len(run_clock.times) * (plant.model.nq + plant.nv + plant.nu)
    if numbers > MOST_ENTRIES:
        raise ArgumentError(
            f"simulate: {len(run_clock.times)} states of {runs} run(s) are {numbers} numbers; at most "
            f"{MOST_ENTRIES}: take longer steps, a shorter duration or fewer runs at a time"
        )


def _constants(robot: Robot, plant: Plant, phi: Array | None) -> list[Array]:
    """Return the numbers of a run, in the order of the kernels' inputs."""
    values = {"effort": robot.effort_limits, "viscous": robot.damping, "phi": phi}
    values["offset"] = robot.drive_offset
    if plant.law is not None:
        values |= {f"gain_{name}": gain for name, gain in plant.law.gains.items()}
    return [np.ascontiguousarray(values[name]) for name, _ in plant.constants]


def _marching(
    robot: Robot,
    plant: Plant,
    found: Drive,
    start: tuple[Array, ...],
    run_clock: Clock,
    parts: list[Levels],
    contact: Contact,
    method: str,
    phi: Array | None,
) -> Marching:
    """Return the runs, ready to take their steps."""
    q, qd, z = start
    inputs = together(parts, run_clock.steps, qd.shape[:-1])
    if phi is not None and phi.ndim > 1:
        rows = np.broadcast_to(phi, (*q.shape[:-1], phi.shape[-1])).reshape(-1, phi.shape[-1])
        phi = rows[0] if len(rows) == 1 else rows
    paths = []
    for first in (np.concatenate([q, z], axis=-1), qd):
        runs = math.prod(first.shape[:-1])
        path = np.empty((len(run_clock.times), runs, first.shape[-1]))
        path[0] = first.reshape(runs, first.shape[-1])
        paths.append(path)
    kernel = step_kernel(plant, method, inputs.held)
    own = contact if plant.contact else None
    law = found.compiled if len(parts) == 1 else None
    return Marching(
        kernel,
        partial(forces_kernel, plant),
        run_clock.times,
        paths[0],
        paths[1],
        inputs,
        _constants(robot, plant, phi),
        own,
        law,
        continuous=found.sample is None,
    )


def _unstacked(path: Array, batch: tuple[int, ...]) -> Array:
    """Return an array (steps, runs, n) as (*batch, steps, n)."""
    return np.moveaxis(path.reshape(len(path), *batch, path.shape[-1]), 0, -2)


def _require_finite(
    robot: Robot, torques: Any, t: Array, q: Array, qd: Array, states: dict[str, Array]
) -> None:
    """Raise the error of a run that diverged: of its law, if that gives no numbers at the last good state."""
    bad = ~(np.isfinite(q).all(axis=-1) & np.isfinite(qd).all(axis=-1))
    if not bad.any():
        return
    k = max(int(bad.argmax()) - 1, 0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        tau = torques(t, q, qd, states)[k]
    if not np.isfinite(tau).all():
        raise not_finite("the law", tau, float(t[k]))
    state = np.concatenate([q[k], qd[k]])
    raise DivergenceError(f"simulation of {robot.name!r}", float(t[k + 1]), state, NOT_FINITE, REMEDY)


def velocity_names(robot: Robot) -> list[str]:
    """Return the name of the joint of every velocity."""
    return [body.joint_name for body in robot.model.independent for _ in range(body.joint.nv)]
