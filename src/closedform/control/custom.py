"""Laws of one's own, written as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import finite_array, flag, function, text
from ..errors import ArgumentError, shorten, shown
from ..forms import Quantity
from ..forms.tree import Tree
from ..robot import Robot
from .law import Law
from .parts import Input, Response

MOST_STATES = 10_000
"""Entries of one state of a law."""


class ExpressionLaw(Law):
    """A law of one's own: a function that gets CasADi symbols and returns the expression of tau.

    `build(q, qd, *references)` gets a column for each, then the time if `timed`, the states and the gains.
    `references` names the arrays that the law takes and their sizes, `gains` its numbers. `states` are
    what the law remembers, names with first values; then the function returns (tau, rate of the first, ...).

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> law = cf.control.ExpressionLaw(
    ...     arm, lambda q, qd, q_d, k: k * (q_d - q) - qd, references={"q_d": 2}, gains={"k": 10.0}
    ... )
    >>> law([0.0, 0.0], [1.0, 0.0], [0.5, 0.25]).tolist()
    [4.0, 2.5]
    >>> servo = cf.control.ExpressionLaw(
    ...     arm, lambda q, qd, q_d, pull: (300 * (q_d - q) - 60 * qd + pull, 300 * (q_d - q)),
    ...     references={"q_d": 2}, states={"pull": [0.0, 0.0]},
    ... )
    >>> run = arm.simulate([0.0, 0.0], law=servo, reference=[0.5, 0.25], duration=10.0)
    >>> run.q[-1].round(3).tolist(), run.states["pull"].shape
    ([0.5, 0.25], (10001, 2))
    """

    weighs = False

    def __init__(
        self,
        robot: Robot,
        build: Callable[..., SX],
        *,
        references: Mapping[str, int] | None = None,
        gains: Mapping[str, ArrayLike] | None = None,
        states: Mapping[str, ArrayLike] | None = None,
        timed: bool = False,
        name: str = "law",
    ) -> None:
        self.name = text("ExpressionLaw: name", name)
        if not self.name.isidentifier() or not self.name.isascii():
            raise ArgumentError(f"ExpressionLaw: name is {shown(name)}; expected an identifier")
        references = {} if references is None else references
        gains = {} if gains is None else gains
        states = {} if states is None else states
        self.timed = flag("ExpressionLaw: timed", timed)
        for what, given in (("references", references), ("gains", gains), ("states", states)):
            if not isinstance(given, Mapping) or not all(map(_is_name, given)):
                raise ArgumentError(f"{name}: {what} is {shown(given)}; expected names and sizes or numbers")
        taken = ["q", "qd", "tau", *(["t"] if self.timed else []), *(["h"] if states else [])]
        taken += [*references, *gains, *states, *(f"{each}_next" for each in states)]
        clash = [each for each in taken if taken.count(each) > 1]
        if clash:
            raise ArgumentError(f"{name}: {clash[0]!r} is the name of two arrays")
        inputs = []
        for each, size in references.items():
            if type(size) is not int or not 0 < size <= 10_000:
                raise ArgumentError(f"{name}: reference {each!r} has size {shown(size)}; expected 1 to 10000")
            inputs.append(Input(each, (size,), Quantity(each, each, "1", f"reference {each}")))
        if self.timed:
            inputs.append(Input("t", (), Quantity("t", "t", "s", "time")))
        numbers = {
            each: (finite_array(f"{name}: gain {each}", values), Quantity(each, each, "1", f"gain {each}"))
            for each, values in gains.items()
        }
        memory = {
            each: (_column(f"{name}: state {each}", values), _state(each)) for each, values in states.items()
        }
        super().__init__(robot, inputs, memory, **numbers)
        count = 2 + len(self.references) + len(states) + len(gains)
        self.build = function(f"{name}: build", build, "q, qd, the references, states and gains", count)
        self._arrays(gains=True, step=False)  # an expression that does not fit is found here

    @property
    def options(self) -> None:
        """Nothing tells two functions apart but what they return."""
        return None

    def response(
        self,
        tree: Tree,
        q: SX,
        qd: SX,
        references: Sequence[SX],
        gains: Mapping[str, SX],
        states: Mapping[str, SX],
    ) -> Response:
        """Return what the function gives, after checking its sizes."""
        arguments = (q, qd, *references, *states.values(), *gains.values())
        try:
            found: Any = self.build(*arguments)
            parts = found if isinstance(found, tuple | list) and states else (found,)
            columns = [each if isinstance(each, SX) else SX(each) for each in parts]
        except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
            raise ArgumentError(
                f"{self.name}: build failed on symbols: {shorten(str(error), 200)}"
            ) from error
        names = ["tau", *(f"the rate of {each}" for each in states)]
        if len(columns) != len(names):
            raise ArgumentError(
                f"{self.name}: build gave {len(columns)} columns; expected {', '.join(names)}"
            )
        sizes = [tree.nv, *(each.numel() for each in states.values())]
        for name, column, size in zip(names, columns, sizes, strict=True):
            if column.shape != (size, 1):
                what = "" if name == "tau" else f" of {name}"
                raise ArgumentError(
                    f"{self.name}: build gave shape {column.shape}{what}; expected ({size}, 1)"
                )
        known = ca.symvar(ca.vertcat(*map(ca.vec, arguments)))
        hashes = {each.element_hash() for each in known}
        foreign = [each for each in ca.symvar(ca.vertcat(*columns)) if each.element_hash() not in hashes]
        if foreign:
            raise ArgumentError(f"{self.name}: build used {shown(foreign)}; expected its own arguments only")
        return Response(columns[0], dict(zip(states, columns[1:], strict=True)))


def _is_name(given: Any) -> bool:
    return isinstance(given, str) and given.isidentifier() and given.isascii()


def _column(name: str, given: ArrayLike) -> Array:
    values = finite_array(name, given)
    if values.ndim != 1 or not 0 < values.size <= MOST_STATES:
        raise ArgumentError(f"{name} has shape {values.shape}; expected (n,), n up to {MOST_STATES}")
    return values.copy()


def _state(name: str) -> Quantity:
    return Quantity(name, name, "1", f"state {name} of the law")
