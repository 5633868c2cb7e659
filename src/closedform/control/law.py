"""A torque law: joint forces from the state and a reference, written once as an expression."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, instance, known_name, positive
from ..emit import export
from ..emit.subject import Subject, layout
from ..errors import ArgumentError
from ..forms import FORMS, Quantity
from ..forms.quantities import COORDINATES, FORCES
from ..forms.tree import Tree
from ..guests import Kind, at_precision, kind_of, own
from ..kernels import DeferredRecipe, Kernel, traced
from ..lazy import cached_property
from ..programs import Program, Shaped
from ..robot import Robot
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .parts import STEP, Input, Response

ROOMS = ("rotations.py", "joints", "model", "forms", "control")
"""Modules and packages that decide the expression of a law."""


class Law:
    """A law tau(q, qd, references) of a robot: called with arrays, bound, exported, or part of a simulation.

    `references` are the arrays that it takes after q and qd, `gains` its numbers by name. The gains are
    inputs of the machine code, so that other gains need no other code; exported code has them as constants
    or as inputs. A subclass writes `torque`, an expression, and everything else follows.

    A law may have `states` of its own: columns by name, which change with rates of their own. It then writes
    `response` instead. A call takes the states by name and gives their rates after tau; a bound call and
    exported code take a step; a simulation carries them along, from the values in `states` on.
    """

    name: str
    """Name of the law in code and messages."""

    timed = False
    """Whether the time is its last reference, which a simulation fills in itself."""

    weighs = True
    """Whether the law needs the robot's inertias."""

    def __init__(
        self,
        robot: Robot,
        references: Sequence[Input] = (),
        states: Mapping[str, tuple[Array, Quantity]] | None = None,
        /,
        **gains: tuple[Array, Quantity],
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
        self.states: dict[str, Array] = {}
        for name, (values, quantity) in (states or {}).items():
            self.states[name], self._quantities[name] = values, quantity
            then = replace(quantity, letter=f"{name}_next", noun=f"{quantity.noun}, after the step")
            self._quantities[f"{name}_next"] = then
        if self.states:
            self._quantities["h"] = STEP

    def __repr__(self) -> str:
        inputs = ", ".join(("q", "qd", *(each.name for each in self.references)))
        return f"<law {self.name}({inputs}) of {self.robot.name!r}>"

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return the joint forces as an expression, (nv): what a law without states writes."""
        raise ArgumentError(f"{self.name} gives its joint forces by response, with the rates of its states")

    def response(
        self,
        tree: Tree,
        q: SX,
        qd: SX,
        references: Sequence[SX],
        gains: Mapping[str, SX],
        states: Mapping[str, SX],
    ) -> Response:
        """Return the joint forces and the rates of the states: what a law with states writes."""
        return Response(self.torque(tree, q, qd, references, gains), {})

    @cached_property
    def tree(self) -> Tree:
        """The tree that the law's model is built on."""
        return Tree.of(self.robot.model)

    def _arrays(self, *, gains: bool, step: bool) -> tuple[list[Shaped], list[Shaped]]:
        """Return the inputs and the outputs as (name, shape, symbols); gains are inputs or numbers.

        Of the states the outputs are the values after a `step`, whose length is the last input, or the rates.
        """
        q, qd, h = SX.sym("q", self.robot.nq), SX.sym("qd", self.robot.nv), SX.sym("h")
        given = [(each, each.symbol) for each in self.references]
        states = {name: SX.sym(name, values.size) for name, values in self.states.items()}
        letters = {name: SX.sym(name, *values.shape) for name, values in self.gains.items()}
        numbers = letters if gains else {name: SX(values) for name, values in self.gains.items()}
        found = self.response(self.tree, q, qd, [symbol for _, symbol in given], numbers, states)
        inputs: list[Shaped] = [("q", (self.robot.nq,), q), ("qd", (self.robot.nv,), qd)]
        inputs += [(each.name, each.shape, symbol) for each, symbol in given]
        inputs += [(name, self.states[name].shape, symbol) for name, symbol in states.items()]
        if gains:
            inputs += [(name, self.gains[name].shape, symbol) for name, symbol in letters.items()]
        outputs: list[Shaped] = [("tau", (self.robot.nv,), found.tau)]
        if step:
            inputs.append(("h", (), h))
            then = (
                {name: states[name] + h * rate for name, rate in found.rates.items()}
                if found.next is None
                else found.next(h)
            )
            outputs += [(f"{name}_next", each.shape, then[name]) for name, each in self.states.items()]
        else:
            outputs += [(f"{name}_dot", each.shape, found.rates[name]) for name, each in self.states.items()]
        return inputs, outputs

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled law (q, qd, references, states, gains) -> tau and the rates of the states."""
        return self._kernel(step=False)

    @cached_property
    def step_kernel(self) -> Kernel:
        """A law with states over a step: (q, qd, references, states, gains, h) -> tau and the next states."""
        if not self.states:
            raise ArgumentError(f"{self.name} has no states that a step could change; take its kernel")
        return self._kernel(step=True)

    def _kernel(self, step: bool) -> Kernel:
        shapes: list[tuple[str, tuple[int, ...]]] = [("q", (self.robot.nq,)), ("qd", (self.robot.nv,))]
        shapes += [(each.name, each.shape) for each in self.references]
        shapes += [(name, values.shape) for name, values in (*self.states.items(), *self.gains.items())]
        shapes += [("h", ())] if step else []
        ending = "next" if step else "dot"
        outputs = [(f"{name}_{ending}", each.shape) for name, each in self.states.items()]
        return Kernel(
            DeferredRecipe(
                f"{self.name}_step" if step else self.name,
                type(self).__doc__ or self.name,
                repr(self.robot.name),
                shapes,
                [("tau", (self.robot.nv,)), *outputs],
                partial(self._program, "input", step),
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
        given; the time must be. A law with states takes these by name too, as `law.states` has them if they
        are not given, and returns (tau, rate of the first, ...).
        """
        kind = kind_of(self.name, q, qd, *references, *named.values())
        states = [named.pop(name) if name in named else own(kind, v) for name, v in self.states.items()]
        if named or len(references) != len(self.references):
            references = self._completed(kind, references, named)
        gains = (own(kind, values) for values in self.gains.values())
        return at_precision(kind, self.kernel)(q, qd, *references, *states, *gains, out=out)

    def _completed(
        self, kind: Kind | None, references: Sequence[ArrayLike], named: dict[str, ArrayLike]
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
        return tuple(
            given[each.name] if each.name in given else own(kind, np.zeros(each.shape))
            for each in self.references
        )

    def bind(
        self, q: Array, qd: Array, *references: Array, out: Array, step: float | None = None
    ) -> Callable[[], None]:
        """Return a call of no arguments that evaluates the law on these very arrays, for control loops.

        It takes the law's own `gains` arrays too: numbers written into them count from the next call on.
        Beside arrays of another kind they are copies.
        A law with states needs the `step` between two calls, in seconds: each call writes tau and then moves
        the arrays in `states` on.
        """
        if not self.states:
            if step is not None:
                raise ArgumentError(f"bind {self.name}: the law has no states, so it takes no step")
            kind = kind_of(f"bind {self.name}", q, qd, *references)
            gains = [own(kind, values) for values in self.gains.values()]
            return at_precision(kind, self.kernel).bind(q, qd, *references, *gains, out=out)
        if kind_of(f"bind {self.name}", q, qd, *references) is not None:
            raise ArgumentError(
                f"bind {self.name}: the states of the law are NumPy's; expected such arrays: or bind its "
                "step_kernel"
            )
        if step is None:
            raise ArgumentError(
                f"bind {self.name}: the law has states; say step=, the time between two calls"
            )
        h = np.array(positive(f"bind {self.name}: step", step))
        now = list(self.states.values())
        then = [np.empty_like(each) for each in now]
        operands = (q, qd, *references, *now, *self.gains.values(), h)
        return partial(_advance, self.step_kernel.bind(*operands, out=(out, *then)), now, then)

    def program(self, gains: str = "constant") -> Program:
        """Return the law as straight-line code, the gains as constants of it or as further inputs.

        That of a law with states takes a step: its last input is the length h, and it gives the next states.
        """
        return self._program(gains, bool(self.states))

    def _program(self, gains: str, step: bool) -> Program:
        choice(f"{self.name}: gains", gains, ("constant", "input"))
        inputs, outputs = self._arrays(gains=gains == "input", step=step)
        return traced(self.name, inputs, outputs)

    def export(
        self,
        language: str,
        path: str | os.PathLike[str],
        *,
        gains: str = "constant",
        precision: str = "double",
    ) -> tuple[Path, ...]:
        """Write the law as source code ("c", "cuda", "matlab", "numpy") and return the paths.

        `gains="input"` makes them arguments of the function. The function of a law with states takes them
        and the length of the step, and gives the next ones. `path` is a folder, or a file without its
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


def _advance(evaluate: Callable[[], None], now: list[Array], then: list[Array]) -> None:
    """Take a step of a law and write its next states over the ones before."""
    evaluate()
    for old, new in zip(now, then, strict=True):
        old[:] = new
