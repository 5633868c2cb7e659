"""The robot with closed loops that users hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import MOST_SAMPLES, batch_array, generator, real_array, shape, whole_number
from ..description.loop import Closure
from ..errors import ArgumentError, ModelWarning, warn
from ..guests import in_kind, kind_of
from ..integration import System
from ..lazy import cached_property
from ..robot import Robot
from ..states import MAX_RATES
from .assembly import Assembler
from .closing import closed_model
from .errors import AssemblyError
from .implicit import with_gradients
from .methods import ClosedForms
from .model import ClosedModel
from .motion import ClosedMotion, Law, hosted, simulate
from .numbers import ClosureNumbers
from .postures import ClosedPostures
from .saving import ClosedFiles


class ClosedRobot(ClosedFiles, ClosedPostures, ClosedForms):
    """A robot whose joints form closed loops, in minimal coordinates; `Robot.with_loops` makes it.

    Methods are those of a robot. They take the independent coordinates q (..., nq), velocities qd and
    accelerations qdd, and give torques of the actuated joints and matrices over the independent velocities.
    If no formula closes the loops, q may also hold the coordinates of all joints, as `assemble` gives them:
    then nothing is searched.
    """

    def __init__(self, model: ClosedModel) -> None:
        super().__init__(model)
        self._assembler = Assembler(model)
        self._systems: dict[tuple[bool, bool], System] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model,)

    def __repr__(self) -> str:
        model = self.model
        how = "in closed form" if model.explicit else "by Newton's method"
        return (
            f"<ClosedRobot {self.name!r}: {model.tree.nv} velocities of joints, {len(model.closures)} loops "
            f"of rank {len(model.rows)}, {model.nv} degrees of freedom ({', '.join(model.joint_names)}), "
            f"assembled {how}>"
        )

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of independent coordinates."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of independent velocities: the degrees of freedom."""
        return self.model.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q."""
        return self.model.joint_names

    @property
    def actuated_names(self) -> tuple[str, ...]:
        """Names of the actuated joints, in the order of tau."""
        return self.model.actuated_names

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the independent rows of the loops, in the order of `constraint_forces`."""
        return self.model.row_names

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies."""
        return tuple(body.name for body in self.model.bodies)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames."""
        return self.model.frame_names

    @property
    def loops(self) -> tuple[Closure, ...]:
        """What closes the tree."""
        return self.model.closures

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the base frame."""
        return self.model.gravity

    @property
    def phi(self) -> Array:
        """All inertial parameters, ten per body."""
        return self.model.phi

    @property
    def mass(self) -> float:
        """Mass of the moving bodies."""
        return self.model.tree.mass

    @cached_property
    def tree(self) -> Robot:
        """The robot whose loops are cut: all joints have coordinates of their own."""
        return Robot(self.model.tree)

    def neutral(self) -> Array:
        """Return the independent coordinates of the posture in which the loops were closed."""
        return self.model.near[list(self.model.iq)].copy()

    @with_gradients
    @in_kind
    def assemble(self, q: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the coordinates of all joints (..., n) from the independent ones (..., nq).

        Without `near` the assembly mode is that in which the robot was closed; with it, that of the posture
        `near` (..., n) of all joints. All loops are closed to round-off. A q that cannot be reached, or only
        through a singular posture, where modes meet, is an error; in a batch its row is NaN, with a warning,
        unless none can be reached. Tensors keep their gradients, and JAX may trace: of any order if formulas
        close the loops, else up to the third.
        """
        wanted = batch_array("assemble: q", q, self.nq)
        start = None
        if near is not None:
            start = batch_array("assemble: near", near, self.model.tree.nq)
            flat = start.reshape(-1, start.shape[-1])
            start = np.array([self._closed(x) for x in flat]).reshape(start.shape)
        x = self._assembler.found(wanted, start)
        lost = np.isnan(x).any(axis=-1) & np.isfinite(wanted).all(axis=-1)
        if lost.any():
            self._refuse(wanted, x, lost)
        return x

    def _closed(self, x: Array) -> Array:
        numbers = self._numbers
        found, gap = numbers.closed(x)
        if gap > 1e-9 * numbers.size:
            loop, distance = numbers.worst(found)
            raise AssemblyError(
                f"assemble: no closed posture was found near the given one: {loop.name!r} stays "
                f"{distance:.3g} (m, or 2 sin(angle / 2)) apart; give joints in which it is nearly closed"
            )
        return found

    @cached_property
    def _numbers(self) -> ClosureNumbers:
        return ClosureNumbers(self._assembler.closed.tree, self.model.closures)

    def _refuse(self, wanted: Array, x: Array, lost: Any) -> None:
        """Say which coordinates cannot be reached, and which loop stays open how far."""
        sentence = self.why_open(np.broadcast_to(wanted, (*lost.shape, self.nq))[lost][0])
        if lost.all():
            raise AssemblyError(
                f"assemble: {sentence}; stay within reach on this side, or give near= of all joints in the "
                "mode that is meant"
            )
        warn(
            f"assemble: {np.count_nonzero(lost)} of {lost.size} samples are NaN; the first: {sentence}",
            ModelWarning,
        )

    def all_coordinates(self, q: Any) -> Any:
        """Return the coordinates of all joints: q itself if it has them, else assembled; float32 stays."""
        if getattr(q, "dtype", None) == np.float32 and isinstance(q, np.ndarray):
            return np.asarray(self.all_coordinates(q.astype(float)), dtype=np.float32)
        if kind_of("q", q) is None:
            q = real_array("q", q)
        size = np.shape(q)
        if size[-1:] == (self.model.tree.nq,):
            if not isinstance(q, np.ndarray):
                return q
            gap = self._assembler.residual(q)
            if np.nanmax(gap, initial=0.0) > 1e-6 * self._assembler.size:
                raise ArgumentError(
                    f"q has coordinates of all {self.model.tree.nq} joints, but loops are open by "
                    f"{np.nanmax(gap):.3g} (m, or 2 sin(angle / 2)); assemble(q) closes them"
                )
            return q
        if size[-1:] != (self.nq,):
            raise ArgumentError(
                f"q has shape {size}; expected (..., {self.nq}), or all, (..., {self.model.tree.nq})"
            )
        return self.assemble(q)

    @in_kind
    def closure_residual(self, q_all: ArrayLike) -> Array:
        """Return how far the loops are from closed at coordinates of all joints: m, and 2 sin(angle / 2)."""
        return self._assembler.residual(batch_array("closure_residual: q_all", q_all, self.model.tree.nq))

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        law: ArrayLike | Law | None = None,
        duration: float = 1.0,
        step: float = 1e-3,
        *,
        friction: bool = False,
        springs: bool = False,
        method: str = "rk4",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        progress: Callable[[float], None] | None = None,
    ) -> ClosedMotion:
        """Return the motion from q0 (..., nq) and qd0 (..., nv), over equal steps of at most `step` seconds.

        `law` gives the torques of the actuated joints: an array, held over each step or sampled at its ends
        (`closedform.integration.simulate` says which shapes), a function law(t, q, qd) that is asked once a
        step, or None. `friction=True` and `springs=True` add those of all joints. `method` is "rk4", or one
        of SciPy's adaptive ones within `rtol` and `atol` if the law is no function of the state. The loops of
        the motion are closed to round-off. A motion that passes a singular posture, where assembly modes
        meet, is an error; in a batch what follows is NaN, with a warning. Arrays of other kinds are answered
        in kind, without gradients.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_loops([cf.JointCoupling("joint2", "joint1")])
        >>> run = arm.simulate([0.5], duration=1.0)
        >>> bool(abs(run.energy / run.energy[0] - 1).max() < 1e-9)
        True
        """
        kind = kind_of("simulate", q0, qd0, None if callable(law) else law)
        q0, qd0, law = hosted(kind, q0, qd0, law=law)
        start = self.assemble(q0) if self.model.explicit else np.asarray(self.all_coordinates(q0))
        return simulate(
            self,
            self._assembler,
            self._systems,
            start,
            qd0,
            law,
            duration,
            step,
            friction=friction,
            springs=springs,
            method=method,
            rtol=rtol,
            atol=atol,
            progress=progress,
            kind=kind,
        )

    def equations(self, name: str, frame: str | None = None, **options: Any) -> Any:
        """Return a form as SymPy expressions of the coordinates of all joints, in which the loops are closed.

        Options are those of `Robot.equations`; formulas that give the dependent coordinates are left out.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_loops([cf.JointCoupling("joint2", "joint1", (0.0, 2.0))])
        >>> print(arm.equations("joint_velocities"))
        qd[1] = qd1
        qd[2] = 2*qd1
        """
        if not self.model.explicit:
            return super().equations(name, frame, **options)
        return type(self)(replace(self.model, dyads=())).equations(name, frame, **options)

    def random_state(
        self, rng: Any = None, *, batch: int | tuple[int, ...] = (), order: int = 2
    ) -> tuple[Array, ...]:
        """Return q, qd, qdd, ... of random reachable postures near the one in which the loops were closed."""
        order = whole_number("random_state: order", order, 0, MAX_RATES)
        size = shape("random_state: batch", batch)
        count = math.prod(size)
        if count > MOST_SAMPLES:
            raise ArgumentError(f"random_state: batch is {size}; expected at most {MOST_SAMPLES} samples")
        draw = generator("random_state: rng", rng)
        q = self._reachable(draw, count).reshape(*size, self.nq)
        return (q, *(draw.normal(size=(*size, self.nv)) for _ in range(order)))

    def _reachable(self, rng: np.random.Generator, count: int) -> Array:
        """Return independent coordinates around the closed posture that can be assembled."""
        tree = self.tree
        found = np.zeros((0, self.nq))
        reach = 0.6
        while len(found) < count:
            step = np.zeros((2 * count + 8, tree.nv))
            step[:, list(self.model.iv)] = reach * rng.uniform(-1, 1, size=(len(step), self.nv))
            moved = np.array([self._numbers.moved(self.model.near, each) for each in step])
            wanted = moved[:, list(self.model.iq)]
            x = self._assembler.found(wanted, None)
            fine = np.isfinite(x).all(axis=1)
            found = np.concatenate([found, wanted[fine]])
            reach *= 0.7 if fine.mean() < 0.5 else 1.0
        return found[:count]


def with_loops(
    robot: Robot,
    loops: Sequence[Closure],
    independent: Sequence[str] | None = None,
    actuated: Sequence[str] | None = None,
    near: ArrayLike | None = None,
) -> ClosedRobot:
    """Return the robot with closed loops; see `Robot.with_loops`."""
    return ClosedRobot(closed_model(robot.model, loops, independent, actuated, near))
