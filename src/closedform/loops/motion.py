"""Motion of a robot with loops: all joints move with v = G qd; what drifts off the loops is drawn back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, flag, function, positive
from ..errors import ModelWarning, warn
from ..forms.joint_motion import joint_velocity_map
from ..forms.loads import Loads
from ..guests import Kind, in_kind, to_host
from ..integration import DivergenceError, System
from ..integration import simulate as integrate
from ..integration.simulate import step_count
from . import dynamics
from .assembly import Assembler
from .closed_tree import Posture
from .errors import AssemblyError
from .methods import ClosedForms
from .passages import first_passage

DRAWN = 10.0
"""Rate in 1/s at which joints that have drifted off the loops, by round-off, return."""

Law = Callable[[float, Array, Array], ArrayLike]


@dataclass(frozen=True, eq=False)
class ClosedMotion:
    """A motion: times t (n + 1,), q (..., n + 1, nq), qd and tau, and q_all of all joints, loops closed."""

    robot: ClosedForms
    assembler: Assembler
    t: Array
    q: Array
    qd: Array
    tau: Array
    q_all: Array

    @property
    def kinetic_energy(self) -> Array:
        """Kinetic energy at the times, (..., n + 1)."""
        energy: Array = self.robot.kinetic_energy(self._place, self.qd)
        return energy

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy at the times, (..., n + 1)."""
        energy: Array = self.kinetic_energy + self.robot.potential_energy(self._place)
        return energy

    @property
    def closure_residual(self) -> Array:
        """How far the loops are from closed at the times, (..., n + 1)."""
        return in_kind(self.assembler.residual)(self.q_all)

    @property
    def _place(self) -> Array:
        return self.q if self.robot.model.explicit else self.q_all

    def __repr__(self) -> str:
        steps = len(self.t) - 1
        name = self.robot.model.name
        return f"<ClosedMotion of {name!r}: {self.t[-1]:g} s in {steps} steps, q {self.q.shape}>"


def simulate(
    robot: ClosedForms,
    assembler: Assembler,
    systems: dict[tuple[bool, bool], System],
    start: Array,
    qd0: ArrayLike | None,
    law: ArrayLike | Law | None,
    duration: float,
    step: float,
    *,
    friction: bool = False,
    springs: bool = False,
    method: str = "rk4",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    progress: Callable[[float], None] | None = None,
    kind: Kind | None = None,
) -> ClosedMotion:
    """Return the motion of a robot with loops, in a kind of arrays; see `ClosedRobot.simulate`."""
    flag("simulate: friction", friction)
    flag("simulate: springs", springs)
    model = robot.model
    qd = np.zeros(model.nv) if qd0 is None else batch_array("simulate: qd0", qd0, model.nv)
    batch = np.broadcast_shapes(start.shape[:-1], qd.shape[:-1])
    x0 = np.concatenate(
        [np.broadcast_to(start, (*batch, start.shape[-1])), np.broadcast_to(qd, (*batch, model.nv))], axis=-1
    )
    system = systems.get((friction, springs))
    if system is None:
        system = systems[friction, springs] = plant(assembler, friction, springs)
    if callable(law):
        t, x, tau = _sampled(assembler, system, x0, law, duration, step, progress)
    else:
        run = integrate(
            system, x0, law, duration, step, method=method, rtol=rtol, atol=atol, progress=progress
        )
        t, x = run.t, run.x
        tau = np.zeros((*x.shape[:-1], system.nu)) if run.u is None else run.u
    n = start.shape[-1]
    x = _before_passages(assembler, t, x)
    q_all = _closed(assembler, x[..., :n])
    arrays = (t, q_all[..., list(model.iq)], x[..., n:], tau, q_all)
    return ClosedMotion(robot, assembler, *(arrays if kind is None else map(kind.array, arrays)))


def hosted(kind: Kind | None, *arrays: Any, law: Any) -> list[Any]:
    """Return what `simulate` is given with NumPy's arrays; a law is asked with those of the kind."""
    if kind is None:
        return [*arrays, law]
    if callable(law):
        law = partial(_asked, kind, function("simulate: law", law, "time, q and qd", 3))
    return [to_host(kind, "simulate of a robot with loops", each) for each in (*arrays, law)]


def _asked(kind: Kind, law: Law, t: float, q: Array, qd: Array) -> Array:
    """Return the torques of a law of arrays of another kind."""
    found: Array = to_host(kind, "simulate: torques of the law", law(t, kind.array(q), kind.array(qd)))
    return found


def plant(assembler: Assembler, friction: bool, springs: bool) -> System:
    """Return the equations of motion as a system of the state (coordinates of all joints, qd)."""
    closed, model = assembler.closed, assembler.model
    tree = model.tree
    x, qd, tau = SX.sym("x", tree.nq), SX.sym("qd", model.nv), SX.sym("tau", len(model.av))
    at = Posture(closed, x)
    v = at.G @ qd
    # the dependent joints also move so that open loops close: B_d w = -c, at the rate DRAWN
    back = SX(tree.nv, 1)
    back[list(model.dv)] = at.system.solve(-closed.residual(x)[list(model.rows)])
    rates = []
    for body in tree.independent:
        own = x[body.iq : body.iq + body.joint.nq]
        rate = joint_velocity_map(body.joint, own) @ (v + DRAWN * back)[body.velocities]
        if body.joint.quaternion is not None:
            turn = own[body.joint.quaternion]
            rate[body.joint.quaternion] += 0.5 * DRAWN * (1 - ca.dot(turn, turn)) * turn
        rates.append(rate)
    qdd = dynamics.forward_dynamics(closed, x, qd, tau, loads=Loads(friction=friction, springs=springs))
    name = f"closed_{model.name}"
    return System(name, ca.vertcat(x, qd), ca.densify(ca.vertcat(*rates, qdd)), tau)


def _sampled(
    assembler: Assembler,
    system: System,
    x0: Array,
    law: Law,
    duration: float,
    step: float,
    progress: Callable[[float], None] | None,
) -> tuple[Array, Array, Array]:
    """Return times, states and torques under a law that is asked once a step."""
    law = function("simulate: law", law, "time, q and qd", 3)
    duration, step = positive("simulate: duration", duration), positive("simulate: step", step)
    count = step_count("simulate", duration, step)
    t = np.linspace(0.0, duration, count + 1)
    h, n, iq = t[1], x0.shape[-1] - assembler.model.nv, list(assembler.model.iq)
    x, tau = np.empty((*x0.shape[:-1], count + 1, x0.shape[-1])), list[Any]()
    x[..., 0, :] = x0
    for k in range(count + 1):
        now = x[..., k, :]
        u = batch_array("simulate: torques of the law", law(t[k], now[..., iq], now[..., n:]), system.nu)
        tau.append(np.broadcast_to(u, (*x0.shape[:-1], system.nu)))
        if k < count:
            x[..., k + 1, :] = system.step(now, u, u, u, h)
        if progress is not None and k % 128 == 0:
            progress(k / count)
    if x.ndim == 2 and not np.isfinite(x[-1]).all():
        first = int(np.argmin(np.isfinite(x).all(axis=1)))
        raise DivergenceError(system.name, float(t[first]), x[first - 1])
    return t, x, np.stack(tau, axis=-2)


def _before_passages(assembler: Assembler, t: Array, x: Array) -> Array:
    """Return motions up to the first singular posture that they pass; one motion that does is refused."""
    n = assembler.model.tree.nq
    sample, block = first_passage(assembler.determinants(x[..., :n]))
    passed = sample >= 0
    if not passed.any():
        return x
    k, b = int(sample[passed][0]), int(block[passed][0])
    sentence = (
        f"at t = {t[k]:.4g} s the loop {assembler.block_names()[b]} passes a singular posture, where "
        "assembly modes meet and nothing says which one follows"
    )
    if x.ndim == 2:
        raise AssemblyError(
            f"simulate: {sentence}; end the motion before, or, if other independent joints determine the "
            "mechanism there, describe it by them"
        )
    warn(
        f"simulate: {np.count_nonzero(passed)} of {passed.size} motions are NaN from where they pass a "
        f"singular posture; the first: {sentence}",
        ModelWarning,
    )
    after = passed[..., None] & (np.arange(len(t)) >= sample[..., None])
    return np.where(after[..., None], np.nan, x)


def _closed(assembler: Assembler, q_all: Array) -> Array:
    """Return coordinates of all joints with loops closed to round-off."""
    flat = q_all.reshape(-1, q_all.shape[-1]).copy()
    assembler.close(flat)
    return flat.reshape(q_all.shape)
