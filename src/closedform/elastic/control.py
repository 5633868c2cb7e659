"""Control laws: motor torques from the state and a reference motion, and a plant under a law."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, instance
from ..emit import export
from ..emit.subject import Subject, layout
from ..errors import ArgumentError, shown
from ..guests import at_precision, called, kind_of, own
from ..integration import System
from ..kernels import Kernel, compiled, traced
from ..lazy import cached_property
from ..programs import Program
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .catalogue import FORMS, GAINS, POSITIONS, REFERENCE, STATE, STIFFNESS, TORQUES
from .gains import loop_gains, rows
from .plant import Plant, state_rate
from .robot import ElasticJointRobot

LAW_QUANTITIES = {
    **{each.name: each.quantity for each in (*POSITIONS, *REFERENCE, *STIFFNESS)},
    "gains": GAINS,
    "u": TORQUES,
}
"""What the arrays of a law are."""


class Control(ABC):
    """A law u(q, qd, theta, thetad, reference) of the model it is given, with gains from poles.

    `reference` stacks the wanted link motion and its derivatives up to `order` as rows,
    (..., order + 1, nv); if the stiffness is variable, three more rows give it and its first two
    derivatives. `gains` (feedbacks, nv) come from as many `poles`: see `pole_gains`.
    """

    order: int
    feedbacks: int
    name = "law"
    """Name of the law in code; the library's own have that of their form."""

    torque_sensors = False
    """Whether the law infers the wind-up from measured spring torques, not from angles."""

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike) -> None:
        self._begin(robot, ("poles", poles, self.feedbacks))

    def _begin(self, robot: ElasticJointRobot, *loops: tuple[str, ArrayLike, int]) -> None:
        """Take the robot, and loop by loop the poles: what they are called, themselves, how many are due."""
        where = type(self).__name__
        self.robot = instance(f"{where}: robot", robot, ElasticJointRobot)
        self.gains = loop_gains(where, robot.joint_names, *loops)

    def __repr__(self) -> str:
        return f"<law {self.name}(q, qd, theta, thetad, reference) of elastic {self.robot.robot.name!r}>"

    @abstractmethod
    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return the motor torques as an expression."""

    @property
    def rows(self) -> int:
        """Number of rows of the reference."""
        return self.order + 1 + (3 if self.robot.variable else 0)

    def expression(self, state: Sequence[SX], reference: SX, gains: SX) -> SX:
        """Return the motor torques of symbols; `reference` (rows, nv), `gains` (feedbacks, nv)."""
        wanted = [reference[k, :].T for k in range(self.rows)]
        plant = self.robot.plant(wanted[self.order + 1 :])
        return self.law(plant, state, wanted[: self.order + 1], rows(gains))

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled law (q, qd, theta, thetad, reference, gains) -> u, to bind in a control loop."""
        n = self.robot.nv
        state = [SX.sym(name, n) for name in STATE]
        reference, gains = SX.sym("reference", self.rows, n), SX.sym("gains", self.feedbacks, n)
        shapes = [("reference", (self.rows, n), reference), ("gains", (self.feedbacks, n), gains)]
        inputs: list[Any] = [*zip(STATE, state, strict=True), *shapes]
        u = self.expression(state, reference, gains)
        name = type(self).__name__.lower()
        return compiled(
            name, inputs, [("u", u)], type(self).__doc__ or "", f"elastic {self.robot.robot.name!r}"
        )

    def program(self, gains: str = "constant") -> Program:
        """Return the law as straight-line code, the gains as constants of it or as a last input.

        Its inputs are what the law reads of the state (q, qd, theta, thetad), then the wanted motion q_d,
        qd_d, ... row by row, then a variable stiffness and its rates.
        """
        choice(f"{type(self).__name__}: gains", gains, ("constant", "input"))
        n, reads = self.robot.nv, [*POSITIONS, *REFERENCE[: self.order + 1]]
        reads += STIFFNESS if self.robot.variable else ()
        symbols = [SX.sym(each.name, n) for each in reads]
        letters = SX.sym("gains", self.feedbacks, n)
        u = self.expression(symbols[:4], ca.horzcat(*symbols[4:]).T, letters)
        if gains == "constant":
            u = ca.substitute(u, letters, ca.DM(self.gains))
        named = [(each.name, (n,), symbol) for each, symbol in zip(reads, symbols, strict=True)]
        inputs: list[Any] = [each for each in named[:4] if ca.depends_on(u, each[2])] + named[4:]
        if gains == "input":
            inputs.append(("gains", (self.feedbacks, n), letters))
        return traced(self.name, inputs, [("u", u)])

    def equations(
        self,
        *,
        gains: str = "input",
        digits: int | None = None,
        rational: bool = False,
        seconds: float = 60.0,
    ) -> Any:
        """Return the law as SymPy expressions, the gains as letters k1_1 ... or as numbers.

        Other numbers of the robot are numbers; with letters for them, the law is a form of the robot:
        `robot.equations("feedforward_law", symbolic=True)`.

        >>> import closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("pendulum"), 1e3, 0.1, 1.0)
        >>> law = cf.elastic.ComputedTorque(arm, [-20, -20])
        >>> print(law.equations(gains="constant", digits=3))
        u[1] = 173.0*q_d1 + 17.3*qd_d1 + 0.433*qdd_d1 - 173.0*theta1 - 17.3*thetad1 + 4.91*sin(theta1)
        """
        from ..equations.build import refuse_long  # noqa: PLC0415 (SymPy is slow to import)
        from ..equations.write import program_equations  # noqa: PLC0415

        program = self.program(gains)
        refuse_long(program, self.robot.model.name)
        return program_equations(program, LAW_QUANTITIES, digits=digits, rational=rational, seconds=seconds)

    def export(
        self,
        language: str,
        path: str | os.PathLike[str],
        *,
        gains: str = "constant",
        precision: str = "double",
    ) -> tuple[Path, ...]:
        """Write the law as source code ("c", "c++", "cuda", "matlab", "numpy"); return the paths.

        `gains="input"` makes them an argument of the function. `path` is a folder, or a file without its
        ending, which then names the function too.

        >>> import tempfile, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> law = cf.elastic.Decoupling(arm, [-20, -20, -20, -20])
        >>> [path.name for path in law.export("c", tempfile.mkdtemp())]
        ['elastic_2r_decoupling_law.h', 'elastic_2r_decoupling_law.c']
        """
        model = self.robot.model
        subject = Subject(
            self.name,
            model.name,
            FORMS[self.name].doc if self.name in FORMS else type(self).__doc__ or self.name,
            partial(layout, model, FORMS["decoupling"]),
            quantities=LAW_QUANTITIES,
        )
        return export(self.program(gains), subject, language, path, precision=precision)

    def __call__(
        self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike, reference: ArrayLike
    ) -> Any:
        """Return the motor torques of states (..., nv) under references (..., rows, nv)."""
        return called(self.kernel, (q, qd, theta, thetad, reference), (self.gains,))

    def bind(
        self, q: Array, qd: Array, theta: Array, thetad: Array, reference: Array, *, out: Array
    ) -> Callable[[], None]:
        """Return a call of no arguments that evaluates the law on these very arrays, for control loops."""
        given = (q, qd, theta, thetad, reference)
        kind = kind_of("bind", *given)
        return at_precision(kind, self.kernel).bind(*given, own(kind, self.gains), out=out)

    def seen(self, state: Sequence[Any], stiffness: Any) -> tuple[Any, Any, Any, Any]:
        """Return the state that the law's sensors measure on a plant whose springs have that stiffness.

        Torque sensors measure K dq. From it the law infers the wind-up with the K it knows: angles
        (arrays or expressions) for which its spring torque is right, whatever the true K is.
        """
        q, qd, theta, thetad = state
        known, N = self.robot.drives.stiffness, self.robot.drives.gear_ratio
        if not self.torque_sensors or known is None:
            return q, qd, theta, thetad
        ratio = stiffness / known
        return q, qd, q / N + ratio * (theta - q / N), qd / N + ratio * (thetad - qd / N)

    def reference(self, trajectory: Trajectory, t: ArrayLike, stiffness: Trajectory | None = None) -> Array:
        """Return the reference of a trajectory at instants: t.shape + (rows, nv)."""
        require_motion(type(self).__name__, self.robot, trajectory, stiffness)
        rows = trajectory.derivatives(t, self.order)
        if stiffness is not None:
            rows += stiffness.derivatives(t, 2)
        kind = kind_of("reference", t)
        return np.stack(rows, axis=-2) if kind is None else kind.xp.stack(rows, axis=-2)


def require_control(where: str, given: Any) -> None:
    """Refuse what is not a law."""
    if not isinstance(given, Control):
        raise ArgumentError(f"{where}: control is {shown(given)}; expected a law, such as Decoupling")


def require_motion(
    where: str, robot: ElasticJointRobot, trajectory: Trajectory, stiffness: Trajectory | None
) -> None:
    """Refuse trajectories, of the links and of a variable stiffness, that do not fit the robot."""
    require_trajectory(where, trajectory, robot.joint_names)
    if (stiffness is not None) != robot.variable:
        kind = "variable; give a trajectory" if robot.variable else "constant; give no trajectory"
        raise ArgumentError(f"{where}: the stiffness is {kind} of it")
    if stiffness is not None:
        require_trajectory(f"{where}: stiffness", stiffness, robot.joint_names)


def closed_loop(control: Control, plant: ElasticJointRobot | None = None) -> System:
    """Return a plant under a law in continuous time: inputs are the rows of the reference.

    The gains, row by row, are its parameters, so that other poles need no other machine code.
    The plant is the model of the law unless another is given.
    """
    require_control("closed_loop", control)
    if plant is not None:
        instance("closed_loop: plant", plant, ElasticJointRobot)
    return _closed_loop(control, plant)


@lru_cache(maxsize=32)
def _closed_loop(control: Control, plant: ElasticJointRobot | None) -> System:
    robot = control.robot if plant is None else plant
    n, rows = robot.nv, control.rows
    state = [SX.sym(name, n) for name in STATE]
    reference, gains = SX.sym("r", rows * n), SX.sym("k", control.feedbacks * n)
    stacked = (ca.reshape(each, n, -1).T for each in (reference, gains))
    its = robot.plant([reference[(rows - 3) * n : (rows - 2) * n]] if robot.variable else [])
    u = control.expression(control.seen(state, its.K), *stacked)
    name = f"{type(control).__name__.lower()}_of_{robot.robot.name}"
    return System(name, ca.vertcat(*state), state_rate(its, *[*state, u]), reference, gains)
