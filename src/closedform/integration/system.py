"""A dynamical system as expressions, and one step of it as a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca

from ..checks import instance, text
from ..errors import ArgumentError, shown
from ..kernels import Kernel, ProgramRecipe, traced
from ..lazy import cached_property
from ..programs import Program


class System:
    """A system x' = f(x, u, p) in CasADi symbols, compiled when first used.

    `state` x, `inputs` u and `parameters` p are columns of symbols (u and p may be None), `rate`
    the expression of f. `rate` and `step` broadcast over batches like every kernel.

    >>> import casadi as ca, numpy as np
    >>> from closedform.integration import System
    >>> x = ca.SX.sym("x", 2)
    >>> oscillator = System("oscillator", x, ca.vertcat(x[1], -x[0]))
    >>> oscillator.rate(np.array([1.0, 0.0])).tolist()
    [0.0, -1.0]
    """

    def __init__(
        self,
        name: str,
        state: ca.SX,
        rate: ca.SX,
        inputs: ca.SX | None = None,
        parameters: ca.SX | None = None,
    ) -> None:
        text("System: name", name)
        for part, given in (("state", state), ("rate", rate), ("inputs", inputs), ("parameters", parameters)):
            if given is None and part in ("inputs", "parameters"):
                continue
            each = instance(f"{name}: {part}", given, ca.SX, "CasADi SX")
            if part != "rate" and not (each.is_valid_input() and each.size2() == 1 and each.numel()):
                raise ArgumentError(f"{name}: {part} is {shown(given)}; expected a column of SX symbols")
        if rate.shape != state.shape or state.size2() != 1:
            raise ArgumentError(
                f"{name}: rate is {rate.shape}; expected a column like the state {state.shape}"
            )
        known = ca.symvar(ca.vertcat(*(each for each in (state, inputs, parameters) if each is not None)))
        hashes = {each.element_hash() for each in known}
        foreign = [each for each in ca.symvar(rate) if each.element_hash() not in hashes]
        if foreign:
            raise ArgumentError(
                f"{name}: rate depends on {shown(foreign)}; expected state, inputs, parameters"
            )
        self.name, self.state, self.expression = name, state, rate
        self.inputs, self.parameters = inputs, parameters

    def __reduce__(self) -> tuple[Any, ...]:
        symbols = [self.state, *(each for each in (self.inputs, self.parameters) if each is not None)]
        text = ca.Function("f", symbols, [self.expression]).serialize()
        return _restored, (self.name, text, self.inputs is not None, self.parameters is not None)

    @property
    def nx(self) -> int:
        """Number of states."""
        return int(self.state.size1())

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return 0 if self.inputs is None else int(self.inputs.size1())

    @property
    def np(self) -> int:
        """Number of parameters."""
        return 0 if self.parameters is None else int(self.parameters.size1())

    @cached_property
    def rate(self) -> Kernel:
        """The kernel (x[, u][, p]) -> x'."""
        return Kernel(ProgramRecipe(self.rate_program, "Return x'.", self.name))

    @cached_property
    def rate_program(self) -> Program:
        """The program of `rate`, which need not be compiled to be counted."""
        given = [("x", self.state)]
        given += [
            (name, each) for name, each in (("u", self.inputs), ("p", self.parameters)) if each is not None
        ]
        return traced(f"{self.name}_rate", given, [("rate", self.expression)])

    @cached_property
    def step(self) -> Kernel:
        """The kernel (x[, u_start, u_middle, u_end], h[, p]) -> x one step later.

        The classical Runge-Kutta step of fourth order [Kutta1901]; the inputs are those at the
        step's start, middle and end.
        """
        doc = "Return the state one Runge-Kutta step later."
        return Kernel(ProgramRecipe(self.step_program, doc, self.name))

    @cached_property
    def step_program(self) -> Program:
        """The program of `step`."""
        h = ca.SX.sym("h")
        given: list[Any] = [("x", self.state)]
        levels: list[ca.SX | None] = [None] * 3
        if self.inputs is not None:
            names = ("u_start", "u_middle", "u_end")
            levels = [ca.SX.sym(name, self.nu) for name in names]
            given += zip(names, levels, strict=True)
        given.append(("h", (), h))
        if self.parameters is not None:
            given.append(("p", self.parameters))
        later = runge_kutta_step(self.at, self.state, levels, h)
        return traced(f"{self.name}_step", given, [("x", later)])

    def at(self, x: ca.SX, u: ca.SX | None = None) -> ca.SX:
        """Return the expression of f at other expressions of x and u."""
        if self.inputs is None or u is None:
            return ca.substitute(self.expression, self.state, x)
        return ca.substitute(self.expression, ca.vertcat(self.state, self.inputs), ca.vertcat(x, u))


def runge_kutta_step(rate: Callable[[ca.SX, Any], ca.SX], x: ca.SX, levels: Sequence[Any], h: ca.SX) -> ca.SX:
    """Return x one classical step of fourth order later; `levels` are the inputs at start, middle and end."""
    start, middle, end = levels
    k1 = rate(x, start)
    k2 = rate(x + h / 2 * k1, middle)
    k3 = rate(x + h / 2 * k2, middle)
    k4 = rate(x + h * k3, end)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _restored(name: str, text: str, has_inputs: bool, has_parameters: bool) -> System:
    """Return a system from its serialised function."""
    function = ca.Function.deserialize(text)
    symbols = list(function.sx_in())
    rate = function.call(symbols)[0]
    inputs = symbols[1] if has_inputs else None
    return System(name, symbols[0], rate, inputs, symbols[-1] if has_parameters else None)
