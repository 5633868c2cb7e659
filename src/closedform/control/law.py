"""A torque law: joint forces from the state and a reference, written once as an expression."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, instance, known_name
from ..emit import export
from ..emit.subject import Subject, layout
from ..errors import ArgumentError
from ..forms import FORMS, Quantity
from ..forms.catalogue import COORDINATES, FORCES
from ..forms.tree import Tree
from ..kernels import DeferredRecipe, Kernel, traced
from ..lazy import cached_property
from ..programs import Program, Shaped
from ..robot import Robot
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory

ROOMS = ("rotations.py", "joints", "model", "forms", "control")
"""Modules and packages that decide the expression of a law."""


class Input(NamedTuple):
    """An array that a law takes: its name, its core shape and what it is."""

    name: str
    shape: tuple[int, ...]
    quantity: Quantity

    @property
    def symbol(self) -> SX:
        """A symbol of that shape."""
        return SX.sym(self.name, *self.shape) if self.shape else SX.sym(self.name)


class Law(ABC):
    """A law tau(q, qd, references) of a robot: called with arrays, bound, exported, or part of a simulation.

    `references` are the arrays that it takes after q and qd, `gains` its numbers by name. The gains are
    inputs of the machine code, so that other gains need no other code; exported code has them as constants
    or as inputs. A subclass writes `torque`, an expression, and everything else follows.
    """

    name: str
    """Name of the law in code and messages."""

    timed = False
    """Whether the time is its last reference, which a simulation fills in itself."""

    weighs = True
    """Whether the law needs the robot's inertias."""

    def __init__(
        self, robot: Robot, references: Sequence[Input] = (), **gains: tuple[Array, Quantity]
    ) -> None:
        self.robot = instance(f"{self.name}: robot", robot, Robot)
        for need in FORMS["gravity_torque"].needs if self.weighs else ():
            need.check(robot.model, self.name)
        self.references = tuple(references)
        self.gains: dict[str, Array] = {}
        self._quantities = {"q": COORDINATES, "qd": COORDINATES.rate(), "tau": FORCES}
        self._quantities |= {each.name: each.quantity for each in self.references}
        for name, (values, quantity) in gains.items():
            self.gains[name], self._quantities[name] = values, quantity

    def __repr__(self) -> str:
        inputs = ", ".join(("q", "qd", *(each.name for each in self.references)))
        return f"<law {self.name}({inputs}) of {self.robot.name!r}>"

    @abstractmethod
    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return the joint forces as an expression, (nv)."""

    @cached_property
    def tree(self) -> Tree:
        """The tree that the law's model is built on."""
        return Tree.of(self.robot.model)

    def _arrays(self, *, gains: bool) -> tuple[list[Shaped], SX]:
        """Return the inputs as (name, shape, symbols) and the joint forces; gains are inputs or numbers."""
        q, qd = SX.sym("q", self.robot.nq), SX.sym("qd", self.robot.nv)
        given = [(each, each.symbol) for each in self.references]
        letters = {name: SX.sym(name, *values.shape) for name, values in self.gains.items()}
        numbers = letters if gains else {name: SX(values) for name, values in self.gains.items()}
        tau = self.torque(self.tree, q, qd, [symbol for _, symbol in given], numbers)
        inputs: list[Shaped] = [("q", (self.robot.nq,), q), ("qd", (self.robot.nv,), qd)]
        inputs += [(each.name, each.shape, symbol) for each, symbol in given]
        if gains:
            inputs += [(name, self.gains[name].shape, symbol) for name, symbol in letters.items()]
        return inputs, tau

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled law (q, qd, references, gains) -> tau."""
        shapes: list[tuple[str, tuple[int, ...]]] = [("q", (self.robot.nq,)), ("qd", (self.robot.nv,))]
        shapes += [(each.name, each.shape) for each in self.references]
        shapes += [(name, values.shape) for name, values in self.gains.items()]
        return Kernel(
            DeferredRecipe(
                self.name,
                type(self).__doc__ or self.name,
                repr(self.robot.name),
                shapes,
                [("tau", (self.robot.nv,))],
                partial(self.program, "input"),
                self.key,
                ROOMS,
            )
        )

    @property
    def key(self) -> tuple[str, ...] | None:
        """Everything that the expression follows from, if the library itself wrote it."""
        if type(self).__module__.rpartition(".")[0] != __name__.rpartition(".")[0]:
            return None
        options = self.options
        return None if options is None else (self.name, *options, self.robot.model.digest)

    @property
    def options(self) -> tuple[str, ...] | None:
        """Choices that change the expression; None if no text can tell them."""
        return ()

    def __call__(
        self, q: ArrayLike, qd: ArrayLike, *references: ArrayLike, out: Any = None, **named: ArrayLike
    ) -> Any:
        """Return the joint forces of states (..., nq), (..., nv) under references, of any batch shape.

        References may be given by name. As in a simulation, those after the first are zero if they are not
        given; the time must be.
        """
        if named or len(references) != len(self.references):
            references = self._completed(references, named)
        return self.kernel(q, qd, *references, *self.gains.values(), out=out)

    def _completed(
        self, references: Sequence[ArrayLike], named: Mapping[str, ArrayLike]
    ) -> tuple[ArrayLike, ...]:
        """Return all references of a call that gives some by name, or leaves some out."""
        for name in named:
            self.input(name)
        names = [each.name for each in self.references]
        given = {**dict(zip(names, references, strict=False)), **named}
        needed = names[:1] + (["t"] if self.timed else [])
        if len(given) < len(references) + len(named) or not given.keys() >= set(needed):
            takes = ", ".join(("q", "qd", *names))
            count = 2 + len(references) + len(named)
            raise ArgumentError(f"{self.name} takes {takes}; {count} arrays given")
        return tuple(given.get(each.name, np.zeros(each.shape)) for each in self.references)

    def bind(self, q: Array, qd: Array, *references: Array, out: Array) -> Callable[[], None]:
        """Return a call of no arguments that evaluates the law on these very arrays, for control loops.

        It takes the law's own `gains` arrays too: numbers written into them count from the next call on.
        """
        return self.kernel.bind(q, qd, *references, *self.gains.values(), out=out)

    def program(self, gains: str = "constant") -> Program:
        """Return the law as straight-line code, the gains as constants of it or as further inputs."""
        choice(f"{self.name}: gains", gains, ("constant", "input"))
        inputs, tau = self._arrays(gains=gains == "input")
        return traced(self.name, inputs, [("tau", tau)])

    def export(
        self,
        language: str,
        path: str | os.PathLike[str],
        *,
        gains: str = "constant",
        precision: str = "double",
    ) -> tuple[Path, ...]:
        """Write the law as source code ("c", "cuda", "matlab", "numpy") and return the paths.

        `gains="input"` makes them arguments of the function. `path` is a folder, or a file without its
        ending, which then names the function too.
        """
        model = self.robot.model
        subject = Subject(
            self.name,
            model.name,
            type(self).__doc__ or self.name,
            partial(layout, model, FORMS["inverse_dynamics"]),
            quantities=self._quantities,
        )
        return export(self.program(gains), subject, language, path, precision=precision)

    def reference(self, trajectory: Trajectory, t: ArrayLike) -> tuple[Array, ...]:
        """Return the references of a joint trajectory at instants: q_d, qd_d, ... as the law takes them."""
        joint = [f"q{'d' * k}_d" for k in range(len(self.references))]
        if not joint or [each.name for each in self.references] != joint:
            takes = ", ".join(each.name for each in self.references) or "no reference"
            raise ArgumentError(f"{self.name} takes {takes}; a trajectory gives joint motions only")
        if self.robot.nq != self.robot.nv:
            raise ArgumentError(f"{self.name}: a trajectory cannot give quaternions; give q_d as an array")
        require_trajectory(self.name, trajectory, self.robot.joint_names)
        return trajectory.derivatives(t, len(joint) - 1)

    def input(self, name: str) -> Input:
        """Return the reference of that name."""
        known = [each.name for each in self.references]
        return self.references[known.index(known_name(f"reference of {self.name}", name, known))]
