"""Laws of one's own, written as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
from casadi import SX
from numpy.typing import ArrayLike

from ..checks import finite_array, flag, function, text
from ..errors import ArgumentError, shorten, shown
from ..forms import Quantity
from ..forms.tree import Tree
from ..robot import Robot
from .law import Input, Law


class ExpressionLaw(Law):
    """A law of one's own: a function that gets CasADi symbols and returns the expression of tau.

    `build(q, qd, *references)` gets a column for each, then the time if `timed`. `references` names
    the arrays that the law takes and their sizes, `gains` its numbers, which the function gets by name.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> law = cf.control.ExpressionLaw(
    ...     arm, lambda q, qd, q_d, k: k * (q_d - q) - qd, references={"q_d": 2}, gains={"k": 10.0}
    ... )
    >>> law([0.0, 0.0], [1.0, 0.0], [0.5, 0.25]).tolist()
    [4.0, 2.5]
    """

    weighs = False

    def __init__(
        self,
        robot: Robot,
        build: Callable[..., SX],
        *,
        references: Mapping[str, int] | None = None,
        gains: Mapping[str, ArrayLike] | None = None,
        timed: bool = False,
        name: str = "law",
    ) -> None:
        self.name = text("ExpressionLaw: name", name)
        if not self.name.isidentifier() or not self.name.isascii():
            raise ArgumentError(f"ExpressionLaw: name is {shown(name)}; expected an identifier")
        references = {} if references is None else references
        gains = {} if gains is None else gains
        self.timed = flag("ExpressionLaw: timed", timed)
        for what, given in (("references", references), ("gains", gains)):
            if not isinstance(given, Mapping) or not all(map(_is_name, given)):
                raise ArgumentError(f"{name}: {what} is {shown(given)}; expected names and sizes or numbers")
        taken = {"q", "qd", "tau", *(["t"] if self.timed else [])}
        clash = taken & {*references, *gains} or {*references} & {*gains}
        if clash:
            raise ArgumentError(f"{name}: {sorted(clash)[0]!r} is the name of two inputs")
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
        super().__init__(robot, inputs, **numbers)
        count = 2 + len(self.references)
        self.build = function(f"{name}: build", build, "q, qd, the references and gains", count + len(gains))
        self._arrays(gains=True)  # an expression that does not fit is found here

    @property
    def options(self) -> None:
        """Nothing tells two functions apart but what they return."""
        return None

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return what the function gives, after checking its size."""
        try:
            tau: Any = self.build(q, qd, *references, *gains.values())
            tau = tau if isinstance(tau, SX) else SX(tau)
        except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
            raise ArgumentError(
                f"{self.name}: build failed on symbols: {shorten(str(error), 200)}"
            ) from error
        if tau.shape != (tree.nv, 1):
            raise ArgumentError(f"{self.name}: build gave shape {tau.shape}; expected ({tree.nv}, 1)")
        known = ca.symvar(ca.vertcat(*map(ca.vec, (q, qd, *references, *gains.values()))))
        hashes = {each.element_hash() for each in known}
        foreign = [each for each in ca.symvar(tau) if each.element_hash() not in hashes]
        if foreign:
            raise ArgumentError(f"{self.name}: build used {shown(foreign)}; expected its own arguments only")
        found: SX = tau
        return found


def _is_name(given: Any) -> bool:
    return isinstance(given, str) and given.isidentifier() and given.isascii()
