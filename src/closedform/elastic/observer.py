"""What observers of links and external torques share: a step per sample from the signals of the motors."""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, flag, instance, rows_array
from ..emit import export
from ..emit.subject import Subject, layout
from ..errors import ArgumentError, ClosedFormError
from ..forms import Quantity
from ..guests import at_precision, called, in_kind, kind_of, own
from ..integration.system import runge_kutta_step
from ..kernels import Kernel, compiled, traced
from ..lazy import cached_property
from ..programs import Program
from .catalogue import FORMS, MEASURED, TORQUES
from .control import Control, require_control
from .gains import loop_gains
from .plant import Plant
from .robot import ElasticJointRobot
from .tracking import checked_rate

FOLLOWED = 1.0
"""Period times fastest pole up to which one Runge-Kutta step per sample follows an observer closely."""

SIGNALS = {
    "memory": Quantity("m", "m", "", "what the observer keeps between samples, as rows"),
    "theta_before": MEASURED,
    "theta": MEASURED,
    "u": TORQUES,
    "estimate": Quantity("x", "x", "rad, rad/s, N m", "estimates (q, qd, theta, thetad, d)"),
    "onward": Quantity("m", "m", "", "what the observer keeps until the next sample, as rows"),
}
"""What the arrays of an observer are."""

REST_STEPS, AT_REST = 200, 1e-12
"""Iterations for the sag of the springs at rest, and the change in rad (or m) at which they end."""


class Observer(ABC):
    """An observer of the state (q, qd, theta, thetad) and of external torques d, from signals of the motors.

    It keeps a `memory` (..., rows, nv), and takes a step per sample, `rate` times a second. `gains` come from
    poles, joint by joint. Needs a constant stiffness and springs without damping.
    """

    rows: int
    """Rows of the memory."""

    name: str
    """Name of the observer in code."""

    def __init__(self, robot: ElasticJointRobot, rate: float, *loops: tuple[str, ArrayLike, int]) -> None:
        where = type(self).__name__
        self.robot = instance(f"{where}: robot", robot, ElasticJointRobot)
        if robot.variable:
            raise ClosedFormError(
                f"{where}: the stiffness is variable; use changed(stiffness=...) for a constant one"
            )
        robot.require("spring_links")
        self.rate = checked_rate(where, rate)
        self.gains = loop_gains(where, robot.joint_names, *loops)
        for name, poles, _ in loops:
            fastest = float(np.abs(np.asarray(poles)).max())
            if fastest > FOLLOWED * self.rate:
                raise ArgumentError(
                    f"{where}: {name} of {fastest:g} rad/s are too fast for {self.rate:g} samples per "
                    f"second; give poles up to {FOLLOWED * self.rate:g} rad/s, or a higher rate"
                )

    @abstractmethod
    def expression(
        self, plant: Plant, memory: Sequence[SX], theta: tuple[SX, SX], u: SX, gains: SX, h: SX
    ) -> tuple[Sequence[SX], Sequence[SX]]:
        """Return the estimates (q, qd, theta, thetad, d) and the memory one sample later, as expressions.

        `theta` are the motor angles measured before and now, h is the period.
        """

    @abstractmethod
    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory of a robot that is in a known state, with no external torque."""

    def _arrays(self, gains: SX, h: SX) -> tuple[list[Any], list[Any]]:
        """Return inputs and outputs of a step as (name, expression)."""
        n = self.robot.nv
        memory = SX.sym("memory", self.rows, n)
        before, now, u = (SX.sym(name, n) for name in ("theta_before", "theta", "u"))
        kept = [memory[k, :].T for k in range(self.rows)]
        estimate, onward = self.expression(self.robot.plant(), kept, (before, now), u, gains, h)
        inputs = [("memory", memory), ("theta_before", before), ("theta", now), ("u", u)]
        return inputs, [("estimate", ca.vertcat(*estimate)), ("onward", ca.horzcat(*onward).T)]

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled step (memory, theta_before, theta, u, gains, h) -> (estimate, onward), to bind."""
        gains, h = SX.sym("gains", *self.gains.shape), SX.sym("h")
        inputs, outputs = self._arrays(gains, h)
        doc, subject = type(self).__doc__ or "", f"elastic {self.robot.robot.name!r}"
        return compiled(self.name, [*inputs, ("gains", gains), ("h", (), h)], outputs, doc, subject)

    def program(self) -> Program:
        """Return a step as straight-line code, the gains and the period as constants of it."""
        return traced(self.name, *self._arrays(SX(ca.DM(self.gains)), SX(1 / self.rate)))

    def export(
        self, language: str, path: str | os.PathLike[str], *, precision: str = "double"
    ) -> tuple[Path, ...]:
        """Write a step as source code ("c", "c++", "cuda", "matlab", "numpy"); return the paths.

        The function takes the memory and the signals of the motors and gives the estimates and the memory of
        the next sample; gains and period are constants. `path` is a folder, or a file without its ending,
        which then names the function too.

        >>> import tempfile, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> observer = cf.elastic.MotorObserver(arm, [-200] * 5)
        >>> [path.name for path in observer.export("c", tempfile.mkdtemp())]
        ['elastic_2r_motor_observer.h', 'elastic_2r_motor_observer.c']
        """
        doc = inspect.cleandoc(type(self).__doc__ or self.name).partition("\n\n>>>")[0]
        model = self.robot.model
        told = partial(layout, model, FORMS["decoupling"])
        subject = Subject(self.name, model.name, doc, told, quantities=SIGNALS)
        return export(self.program(), subject, language, path, precision=precision)

    @in_kind
    def at_rest(self, theta: ArrayLike) -> Array:
        """Return the memory of a robot at rest with motors at theta (..., nv): springs carry its weight.

        Solves q = N (theta - K^-1 N g(q)).
        """
        robot = self.robot
        theta = rows_array("at_rest: theta", theta, robot.nv)
        N, K = robot.drives.gear_ratio, np.asarray(robot.drives.stiffness)
        q = N * theta
        for _ in range(REST_STEPS):
            sagged = N * (theta - N * robot.links.gravity_torque(q) / K)
            change = float(np.abs(sagged - q).max(initial=0.0))
            q = sagged
            if change < AT_REST:
                return self.begin(q, np.zeros_like(q), theta, np.zeros_like(q))
        raise ClosedFormError(
            f"at_rest: the springs are too soft for the weight of {robot.robot.name!r}: no posture found in "
            f"{REST_STEPS} iterations; begin with a state that you know"
        )

    def step(
        self, memory: ArrayLike, theta_before: ArrayLike, theta: ArrayLike, u: ArrayLike
    ) -> tuple[Array, Array]:
        """Return the estimates (..., 5 nv) of (q, qd, theta, thetad, d) and the memory one sample later.

        `theta_before` and `theta` (..., nv) are the motor angles measured at the sample before and now,
        `u` the torques that were held in between.
        """
        period = np.array(1 / self.rate)
        estimate, onward = called(self.kernel, (memory, theta_before, theta, u), (self.gains, period))
        return estimate, onward

    def bind(
        self, memory: Array, theta_before: Array, theta: Array, u: Array, *, out: tuple[Array, Array]
    ) -> Callable[[], None]:
        """Return a call of no arguments that takes a step on these very arrays, for control loops.

        `out` are the estimates (5 nv,) and the memory one sample later, an array of its own: copy it into
        `memory` before the next call.
        """
        given = (memory, theta_before, theta, u)
        kind = kind_of("bind", *given)
        numbers = [own(kind, each) for each in (self.gains, np.array(1 / self.rate))]
        return at_precision(kind, self.kernel).bind(*given, *numbers, out=out)

    def torques(
        self, control: Control, estimate: ArrayLike, reference: ArrayLike, *, loaded: bool = True
    ) -> Any:
        """Return the motor torques of a law that takes the estimates for the state.

        If `loaded`, the estimated external torque d is compensated: a constant d is the same as a shift of
        the motors by K^-1 N d, so u(q, qd, theta + K^-1 N d, thetad) - N d has the poles of the law too.
        """
        require_control("torques", control)
        kind, n = kind_of("torques", estimate, reference), self.robot.nv
        x: Any = estimate if kind is not None else batch_array("torques: estimate", estimate, 5 * n)
        if x.shape[-1:] != (5 * n,):
            raise ArgumentError(f"torques: estimate has shape {tuple(x.shape)}; expected (..., {5 * n})")
        q, qd, theta, thetad, d = (x[..., k * n : (k + 1) * n] for k in range(5))
        if not flag("torques: loaded", loaded):
            return control(q, qd, theta, thetad, reference)
        drives = self.robot.drives
        N, K = own(kind, np.asarray(drives.gear_ratio)), own(kind, np.asarray(drives.stiffness))
        return control(q, qd, theta + N * d / K, thetad, reference) - N * d


def advanced(rate: Callable[[SX, SX], SX], x: SX, theta: tuple[SX, SX], h: SX) -> SX:
    """Return x one Runge-Kutta step later, the measured angle changing evenly [Kutta1901]."""
    before, now = theta
    return runge_kutta_step(rate, x, (before, (before + now) / 2, now), h)
