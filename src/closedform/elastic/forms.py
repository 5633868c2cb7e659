"""The catalogue of what an elastic-joint robot computes: inputs, outputs and builders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from .decoupling import decoupling, link_derivatives
from .inverse import inverse_dynamics, motor_motion
from .plant import energy, forward_dynamics

STATE = ("q", "qd", "theta", "thetad")
MOTION = ("q", "qd", "qdd", "qddd", "q4")
STIFFNESS = ("stiffness", "stiffness_dot", "stiffness_ddot")
"""Last inputs of a form where the stiffness is variable, as many as the form needs."""


@dataclass(frozen=True)
class ElasticForm:
    """One quantity: `build(plant, *inputs)` gives a tuple of expressions, each over the joints.

    `rates` is how many of K, K', K'' it takes; `undamped` forms need springs without damping.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    build: Callable[..., tuple[ca.SX, ...]]
    rates: int
    undamped: bool = False

    @property
    def name(self) -> str:
        """Name of the quantity, that of its builder."""
        return self.build.__name__

    @property
    def doc(self) -> str:
        """What it returns, by which equation."""
        return (self.build.__doc__ or "").strip()


FORMS = {
    form.name: form
    for form in (
        ElasticForm((*STATE, "u"), ("qdd", "thetadd"), forward_dynamics, 1),
        ElasticForm(MOTION, ("u",), inverse_dynamics, 3, undamped=True),
        ElasticForm(MOTION, ("theta", "thetad", "thetadd"), motor_motion, 3, undamped=True),
        ElasticForm(STATE, ("qdd", "qddd"), link_derivatives, 2, undamped=True),
        ElasticForm((*STATE, "s"), ("u",), decoupling, 3),
        ElasticForm(STATE, ("energy",), energy, 1),
    )
}
"""Every form by name."""
