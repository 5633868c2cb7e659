"""Motions of arrays of other kinds: each step is a kernel on the arrays themselves, with gradients.

Laws may be functions of the caller's own library, such as a policy that is trained through the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arrays import Array
from ..checks import common_batch
from ..control import Law
from ..errors import ArgumentError
from ..forms.friction import is_curved
from ..guests import Kind, called, own, sized, to_host
from ..integration.rollout import Rows, require_room, rows
from ..model.state import quaternion_part
from ..robot import Robot
from .drive import Clock, require_fitting
from .inputs import reference_levels, wrench_levels
from .motion import Motion
from .plant import Plant
from .rows import flat, in_rows, joined, wide
from .steps import step_kernel


class Given(NamedTuple):
    """The arrays and functions that a simulation is given."""

    q0: Any
    qd0: Any
    law: Any
    reference: Any
    wrenches: Any
    phi: Any

    @property
    def has_functions(self) -> bool:
        """Whether functions of the caller take part, whose values may have gradients."""
        parts = [self.law, self.reference, self.wrenches]
        parts += [each for part in parts if isinstance(part, Mapping) for each in part.values()]
        return any(callable(each) and not isinstance(each, Law) for each in parts)

    def hosted(self, kind: Kind, why: str) -> Given:
        """Return NumPy's arrays in place of those of a kind; a function of the state sees the latter."""
        law = self.law
        if callable(law) and not isinstance(law, Law):
            law = partial(_in_kind, kind, checks.function("simulate: law", law, "time, q and qd", 3))
        return Given(*(to_host(kind, f"simulate {why}", each) for each in self._replace(law=law)))


def _in_kind(kind: Kind, law: Callable[..., Any], t: float, q: Array, qd: Array) -> Any:
    return law(t, kind.array(q), kind.array(qd))


class Sampled(NamedTuple):
    """Torques that are asked for ahead of steps.

    `torque` gives tau and the next states of the law, of (k, q, qd, states, references).
    """

    torque: Callable[..., Any]
    references: list[Rows]
    substeps: int


def rolled_out(
    kind: Kind,
    robot: Robot,
    given: Given,
    clock: Clock,
    rate: float | None,
    method: str,
    wrench_reference: str,
    *,
    damped: bool,
    sprung: bool,
    limited: bool,
) -> Motion:
    """Return the motion from arrays of a kind, without friction that holds joints and without stops."""
    model, xp, times = robot.model, kind.xp, clock.times
    q = _unit(kind, robot, sized(kind, "simulate: q0", given.q0, robot.nq))
    qd = sized(kind, "simulate: qd0", np.zeros(robot.nv) if given.qd0 is None else given.qd0, robot.nv)
    size = 10 * len(model.bodies)
    phi = None if given.phi is None else sized(kind, "simulate: phi", given.phi, size)
    frames, bodies, wrenches = wrench_levels(
        model, given.wrenches, wrench_reference, times, partial(flat, kind)
    )
    law, sampled, driving = _drive(kind, robot, given, clock, rate)
    plant = Plant(
        model,
        law,
        driven=driving is not None or sampled is not None,
        frames=frames,
        reference=wrench_reference,
        bodies=bodies,
        limited=limited,
        damped=damped and bool(robot.damping.any()),
        offset=damped and bool(robot.drive_offset.any()),
        curved=damped and is_curved(model),
        sprung=sprung and any(body.stiffness for body in model.bodies),
        variable=phi is not None,
    )
    references = [] if law is None else [in_rows(kind, each) for each in _references(kind, law, given, times)]
    parts = [*([] if driving is None else [driving]), *references, *wrenches]
    batch = common_batch(
        "simulate",
        q0=tuple(q.shape[:-1]),
        qd0=tuple(qd.shape[:-1]),
        phi=() if phi is None else tuple(phi.shape[:-1]),
        **{f"input {k + 1}": each.batch for k, each in enumerate((*parts, *(sampled or _NONE).references))},
    )
    require_room("simulate", batch, len(times), model.nq + plant.nv + plant.nu)
    inputs = joined(kind, parts, clock.steps)
    held = inputs is None or inputs.held
    kernel = step_kernel(plant, method, held)
    kernel = kernel if kind.dtype == np.float64 else kernel.single
    numbers = {"effort": robot.effort_limits, "viscous": robot.damping, "offset": robot.drive_offset}
    if law is not None:
        numbers |= {f"gain_{name}": gain for name, gain in law.gains.items()}
    h = own(kind, np.array(clock.step))
    constants: list[Any] = [phi if name == "phi" else own(kind, numbers[name]) for name, _ in plant.constants]
    z = own(kind, plant.start)
    start = [xp.broadcast_to(each, (*batch, each.shape[-1])) for each in (q, z, qd)]
    state: tuple[Any, ...] = (xp.concatenate(start[:2], axis=-1), start[2])
    memory: list[Any] = []
    if sampled is None:
        u = [] if inputs is None else [inputs.start] if inputs.steady else [*inputs.tables]
        moves = inputs is not None and not inputs.steady
        moving = [False, *(moves for _ in u), *(False for _ in constants)]
        path = kind.stepped(kernel, state, [h, *u, *constants], moving, clock.steps)
    else:
        if isinstance(given.law, Law):
            memory = wide(xp, batch, [own(kind, each) for each in given.law.states.values()])
        state = (*state, xp.zeros_like(start[2]), *memory)
        tables = [] if inputs is None else [*inputs.tables]
        tables += [each.start for each in sampled.references if not each.steady]
        step = partial(_sampled_step, xp, kernel, robot.nq, batch, inputs, sampled, [h, *constants])
        path = kind.march(step, state, tables, clock.steps)
    x, speed, *rest = (kind.moved(each, 0, -2) for each in path)
    coordinates, states = x[..., : robot.nq], _states(plant, x[..., robot.nq :])
    if sampled is not None:
        tau = xp.concatenate([rest[0][..., 1:, :], rest[0][..., -1:, :]], axis=-2)
        states = dict(zip(given.law.states, rest[1:], strict=True)) if memory else {}
        torques = partial(_recorded, kind, limited, robot.effort_limits, tau)
    elif law is not None:
        nodes = [each.nodes for each in references]
        torques = partial(_of_law, kind, limited, robot.effort_limits, law, nodes)
    else:
        tau = kind.array(np.zeros(robot.nv)) if driving is None else driving.nodes
        torques = partial(_recorded, kind, limited, robot.effort_limits, tau)
    return Motion(robot, kind.array(times), coordinates, speed, (), (), method, torques, states, sprung, phi)


def _sampled_step(
    xp: Any,
    kernel: Any,
    nq: int,
    batch: tuple[int, ...],
    inputs: Rows | None,
    sampled: Sampled,
    constants: list[Any],
    now: tuple[Any, ...],
    k: Any,
    *entries: Any,
) -> tuple[Any, ...]:
    """Return the state after step k: q and qd, the torques that are held, the states of the law."""
    x, v, *rest = now
    count = 0 if inputs is None else len(inputs.tables)
    others = list(entries[:count]) if inputs is None or not inputs.steady else [inputs.start]
    following = sampled.torque(k, x[..., :nq], v, rest[1:], entries[count:])
    rest = _chosen(xp, k, sampled.substeps, following, rest)
    u = [xp.concatenate(wide(xp, batch, [rest[0], each]), axis=-1) for each in others] or [rest[0]]
    return (*kernel(x, v, constants[0], *u, *constants[1:]), *rest)


_NONE = Sampled(lambda *_: (), [], 1)


def _drive(
    kind: Kind, robot: Robot, given: Given, clock: Clock, rate: float | None
) -> tuple[Law | None, Sampled | None, Rows | None]:
    """Return the law in continuous time, or what samples one, or torques over the steps."""
    law = given.law
    if isinstance(law, Law):
        require_fitting(law, robot)
        if rate is None:
            return law, None, None
        if law.states and clock.substeps > 1:
            raise ArgumentError(
                f"simulate: {law.name} has states, and is sampled every {clock.substeps} steps; arrays of "
                "this kind take one sample a step: give step=1/rate"
            )
        references = [in_rows(kind, each) for each in _references(kind, law, given, clock.times)]
        return (
            None,
            Sampled(partial(_law_torque, kind, law, references, clock), references, clock.substeps),
            None,
        )
    if given.reference is not None:
        raise ArgumentError(
            "simulate: a reference is that of a law of closedform.control, and none is given; the one "
            "of wrenches is wrench_reference="
        )
    if callable(law):
        function = checks.function("simulate: law", law, "time, q and qd", 3)
        return None, Sampled(partial(_called_torque, kind, function, clock), [], clock.substeps), None
    if law is None:
        return None, None, None
    return None, None, rows(kind, "simulate: torques", law, robot.nv, clock.times)


def _references(kind: Kind, law: Law, given: Given, times: Array) -> list[Any]:
    return reference_levels(law, given.reference, times, partial(flat, kind))


def _law_torque(
    kind: Kind,
    law: Law,
    references: list[Rows],
    clock: Clock,
    _: Any,
    q: Any,
    qd: Any,
    states: list[Any],
    entries: tuple[Any, ...],
) -> list[Any]:
    """Return the torques of a compiled law and its next states."""
    now = iter(entries)
    found = [each.start if each.steady else next(now) for each in references]
    shaped = [
        each.reshape(*each.shape[:-1], *wanted.shape)
        for each, wanted in zip(found, law.references, strict=True)
    ]
    if not law.states:
        return [called(law.kernel, (q, qd, *shaped), law.gains.values())]
    period = np.array(clock.step * clock.substeps)
    return list(called(law.step_kernel, (q, qd, *shaped, *states), [*law.gains.values(), period]))


def _called_torque(
    kind: Kind, law: Callable[..., Any], clock: Clock, k: Any, q: Any, qd: Any, *_: Any
) -> list[Any]:
    """Return the torques of a function, checked as far as that needs no numbers."""
    t = float(clock.times[k]) if isinstance(k, int) else kind.array(clock.times)[k]
    given = law(t, q, qd)
    if given is None:
        raise ArgumentError("simulate: the law gave None; does it return the torques?")
    tau = sized(kind, "simulate: the law's value", given, qd.shape[-1])
    if tau.ndim > 1 and tau.shape[:-1] != q.shape[:-1]:
        raise ArgumentError(f"simulate: the law gave shape {tuple(tau.shape)}; expected {tuple(qd.shape)}")
    return [kind.xp.broadcast_to(tau, tuple(qd.shape))]


def _chosen(xp: Any, k: Any, substeps: int, following: list[Any], before: list[Any]) -> list[Any]:
    """Return what was sampled just now if a sample is due at step k, else what was before."""
    if substeps == 1:
        return following
    if isinstance(k, int):
        return following if k % substeps == 0 else before
    return [xp.where(k % substeps == 0, new, old) for new, old in zip(following, before, strict=True)]


def _unit(kind: Kind, robot: Robot, q: Any) -> Any:
    """Return coordinates with quaternions of length 1."""
    xp = kind.xp
    for body in robot.model.independent:
        part = quaternion_part(body)
        if part is not None:
            own = q[..., part]
            own = own / xp.sqrt((own * own).sum(-1))[..., None]
            q = xp.concatenate([q[..., : part.start], own, q[..., part.stop :]], axis=-1)
    return q


def _states(plant: Plant, z: Any) -> dict[str, Any]:
    """Return the states of a law in continuous time by name."""
    found, first = {}, 0
    for name, each in (plant.law.states if plant.law is not None else {}).items():
        found[name] = z[..., first : first + each.size]
        first += each.size
    return found


def _recorded(
    kind: Kind, limited: bool, effort: Array, tau: Any, t: Any, q: Any, qd: Any, states: dict[str, Any]
) -> Any:
    """Return joint forces that are known, as they act."""
    most = own(kind, effort)
    return kind.xp.broadcast_to(kind.xp.clip(tau, -most, most) if limited else tau, tuple(qd.shape))


def _of_law(
    kind: Kind,
    limited: bool,
    effort: Array,
    law: Law,
    nodes: list[Any],
    t: Any,
    q: Any,
    qd: Any,
    states: dict[str, Any],
) -> Any:
    """Return the joint forces of a law in continuous time."""
    given = [
        each.reshape(*each.shape[:-1], *wanted.shape)
        for each, wanted in zip(nodes, law.references, strict=True)
    ]
    found = law(q, qd, *given, **states)
    return _recorded(kind, limited, effort, found[0] if states else found, t, q, qd, states)
