"""Passivity-based adaptive control: the law learns the inertial parameters while it follows a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import LARGEST, choice, one_each
from ..errors import ArgumentError, shown
from ..forms import Quantity
from ..forms.algebra import second_moments, symmetric
from ..forms.manifold import coordinate_rates, difference
from ..forms.passivity import reference_forces
from ..forms.tree import Tree
from ..model import Model
from ..model.inertia import NAMES, pseudo_inertia
from ..robot import Robot
from .estimates import ESTIMATES, Estimates
from .joint_laws import DAMPING, joint_gains, wanted
from .law import Law
from .parts import Response

METRICS = ("euclidean", "natural")
"""How far two sets of parameters are apart: the gradient that the estimates descend follows from it."""

BANDWIDTH = Quantity("lambda", r"\lambda", "1/s", "rates at which errors decay")
ADAPTATION = Quantity("gamma", r"\gamma", "1/J, or per parameter", "speed of adaptation")
BOUND = Quantity("bound", r"\varphi_b", ESTIMATES.base_unit, "bounds of the estimates")

SOUND = 1e-10
"""Least eigenvalue of a pseudo-inertia, scaled to a unit diagonal, where the natural metric can begin."""


class AdaptiveControl(Law):
    """Adaptive control: tau = Y phi - kd s, and the estimates phi descend along Y^T s.

    With the reference velocity qdr = qd_d + bandwidth (q_d - q), s = qd - qdr and the regressor
    Y(q, qd, qdr, qddr) of `slotine_li_regressor`, tracking errors go to zero whatever the true
    parameters are [SlotineLi1987], [Garofalo2013, section VII]. Rotor inertias are the robot's own.
    `phi`, the state of the law, begins with the robot's parameters. It has the ten parameters of each
    of the `bodies` (default: all), in the order of the tree; the others are known. With `parameters` it
    has those of a mapping of names to first values, such as base parameters, and the others are zero.

    In the "euclidean" `metric` phi' = -adaptation Y^T s, with one number for all or one each, within `bounds`
    (lower, upper) if they are given. In the "natural" one the pseudo-inertia P of each body moves by
    -adaptation P G P, with G that of Y^T s [LeeKwonPark2018]: it stays positive definite, so that every
    estimate is a possible body, and one number, in 1/J, will do for parameters of all units.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("2r")
    >>> law = cf.control.AdaptiveControl(arm, bandwidth=5.0, kd=20.0, adaptation=0.5)
    >>> swing = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=2.0)
    >>> loaded = arm.with_payload(2.0)
    >>> run = loaded.simulate([0.0, 0.0], law=law, reference=swing, duration=2.0)
    >>> run.states["phi"].shape
    (2001, 20)
    """

    name = "adaptive_control"

    def __init__(
        self,
        robot: Robot,
        bandwidth: ArrayLike,
        kd: ArrayLike,
        adaptation: ArrayLike,
        *,
        bodies: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        metric: str = "euclidean",
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        gains: dict[str, tuple[Array, Quantity]] = {
            "bandwidth": (joint_gains("AdaptiveControl: bandwidth", bandwidth, robot), BANDWIDTH),
            "kd": (joint_gains("AdaptiveControl: kd", kd, robot), DAMPING),
        }
        self.metric = choice("AdaptiveControl: metric", metric, METRICS)
        if parameters is None:
            self.estimates = Estimates.of_bodies("AdaptiveControl: bodies", robot.model, bodies)
        elif bodies is not None:
            raise ArgumentError("AdaptiveControl: give either bodies or parameters, not both")
        elif self.metric == "natural":
            raise ArgumentError(
                "AdaptiveControl: the natural metric is that of whole bodies; with parameters "
                "take metric='euclidean'"
            )
        else:
            self.weighs = False  # the numbers are all given
            self.estimates = Estimates.of_parameters("AdaptiveControl: parameters", robot.model, parameters)
        count = len(self.estimates.places)
        if self.metric == "natural":
            _require_sound(robot.model, self.estimates)
            count //= len(NAMES)
        gains["adaptation"] = (_speeds(adaptation, count), ADAPTATION)
        self.bounded = bounds is not None
        if bounds is not None:
            if self.metric == "natural":
                raise ArgumentError(
                    "AdaptiveControl: the natural metric keeps bodies possible by itself; bounds need "
                    "metric='euclidean'"
                )
            lower, upper = _bounds(bounds, self.estimates)
            gains |= {"lower": (lower, BOUND), "upper": (upper, BOUND)}
        start = np.array(self.estimates.values)
        super().__init__(robot, wanted(robot, 2), {"phi": (start, ESTIMATES)}, **gains)

    @property
    def options(self) -> tuple[str, ...]:
        """Choices that change the expression."""
        known = self.estimates.known.tobytes().hex()
        return self.metric, repr(self.bounded), repr(self.estimates.places), known

    def response(
        self,
        tree: Tree,
        q: SX,
        qd: SX,
        references: Sequence[SX],
        gains: Mapping[str, SX],
        states: Mapping[str, SX],
    ) -> Response:
        """Return Y phi - kd s and the descent of the estimates along Y^T s."""
        q_d, qd_d, qdd_d = references
        error, error_dot = _errors(tree.model, q, qd, q_d, qd_d)
        qdr, qddr = qd_d + gains["bandwidth"] * error, qdd_d + gains["bandwidth"] * error_dot
        phi, speeds = SX.sym("phi", len(self.estimates.places)), gains["adaptation"]
        forces, power = reference_forces(self.estimates.tree(phi), q, qd, qdr, qddr)
        gradient = ca.gradient(power, phi)  # Y^T s, in which phi does not occur
        forces = ca.substitute(forces, phi, states["phi"])
        tau = forces - gains["kd"] * (qd - qdr)
        if self.metric == "natural":
            rate, then = _natural(states["phi"], gradient, speeds)
            return Response(tau, {"phi": rate}, lambda h: {"phi": then(h)})
        rate = -speeds * gradient
        if not self.bounded:
            return Response(tau, {"phi": rate})
        return _within(tau, states["phi"], rate, gains["lower"], gains["upper"])


def _errors(model: Model, q: SX, qd: SX, q_d: SX, qd_d: SX) -> tuple[SX, SX]:
    """Return the error of q and its rate, which for rotations is no difference of velocities."""
    x, x_d = SX.sym("q", model.nq), SX.sym("q_d", model.nq)  # only symbols can be differentiated by
    v, v_d = SX.sym("qd", model.nv), SX.sym("qd_d", model.nv)
    error = difference(model, x, x_d)
    own = ca.jtimes(error, x, coordinate_rates(model, x, v))
    rate = own + ca.jtimes(error, x_d, coordinate_rates(model, x_d, v_d))
    found, found_rate = ca.Function("errors", [x, v, x_d, v_d], [error, rate])(q, qd, q_d, qd_d)
    return found, found_rate


def _natural(phi: SX, gradient: SX, speeds: SX) -> tuple[SX, Callable[[SX], SX]]:
    """Return the rate of the estimates, P' = -gamma P G P for each body, and them after a step.

    With X = gamma h P^(1/2) G P^(1/2) a step takes P^(1/2) (1 - X + X^2) P^(1/2), which is positive definite
    for every X and agrees to second order with P^-1 + gamma h G, the motion if G were constant.
    """
    size = len(NAMES)
    bodies = []
    for k in range(phi.numel() // size):
        own = slice(size * k, size * k + size)
        P, G = _pseudo_inertia(phi[own]), _adjoint(gradient[own])
        GP = G @ P
        descent = speeds[k] * (P @ GP)
        bodies.append((P, descent, speeds[k] * (descent @ GP)))
    rate = ca.vertcat(*(-_parameters(descent) for _, descent, _ in bodies))

    def then(h: SX) -> SX:
        return ca.vertcat(*(_parameters(P + h * (h * second - first)) for P, first, second in bodies))

    return rate, then


def _within(tau: SX, phi: SX, rate: SX, lower: SX, upper: SX) -> Response:
    """Return the response with estimates that stay within bounds: rates beyond them are zero there."""
    held = ca.if_else(phi <= lower, ca.fmax(rate, 0), ca.if_else(phi >= upper, ca.fmin(rate, 0), rate))
    return Response(tau, {"phi": held}, lambda h: {"phi": ca.fmax(ca.fmin(phi + h * rate, upper), lower)})


def _pseudo_inertia(phi: SX) -> SX:
    """Return int (r; 1) (r; 1)^T dm of a body, 4 x 4."""
    S, ms = second_moments(symmetric(*(phi[k] for k in range(6)))), phi[6:9]
    return ca.blockcat([[S, ms], [ms.T, phi[9]]])


def _adjoint(g: SX) -> SX:
    """Return the symmetric G with tr(P G) = g . phi for the pseudo-inertia P of every phi."""
    xx, xy, xz, yy, yz, zz = (g[k] for k in range(6))
    half = 0.5 * g[6:9]
    G = symmetric(yy + zz, -0.5 * xy, -0.5 * xz, xx + zz, -0.5 * yz, xx + yy)
    return ca.blockcat([[G, half], [half.T, g[9]]])


def _parameters(P: SX) -> SX:
    """Return the ten parameters of a pseudo-inertia."""
    xx, yy, zz = P[0, 0], P[1, 1], P[2, 2]
    return ca.vertcat(yy + zz, -P[0, 1], -P[0, 2], xx + zz, -P[1, 2], xx + yy, P[:3, 3], P[3, 3])


def _speeds(given: ArrayLike, count: int) -> Array:
    values = one_each("AdaptiveControl: adaptation", given, count)
    fine = (values >= 0) & (values <= LARGEST)
    if not fine.all():
        k = int(np.argmin(fine))
        raise ArgumentError(
            f"AdaptiveControl: adaptation[{k}] is {values[k]:g}; expected a number from 0 to {LARGEST:g}"
        )
    return values


def _bounds(given: tuple[ArrayLike, ArrayLike], estimates: Estimates) -> tuple[Array, Array]:
    """Return the lower and the upper bounds, after checking that the first estimates are within them."""
    if not isinstance(given, Sequence) or len(given) != 2:
        raise ArgumentError(f"AdaptiveControl: bounds is {shown(given)}; expected (lower, upper)")
    count = len(estimates.places)
    lower, upper = (one_each("AdaptiveControl: bounds", each, count) for each in given)
    fine = (lower <= estimates.values) & (estimates.values <= upper)
    if not fine.all():
        k = int(np.argmin(fine))
        raise ArgumentError(
            f"AdaptiveControl: bounds[{k}] are {lower[k]:g} and {upper[k]:g}; the estimate begins with "
            f"{estimates.values[k]:g}"
        )
    return np.maximum(lower, -LARGEST), np.minimum(upper, LARGEST)


def _require_sound(model: Model, estimates: Estimates) -> None:
    """Refuse bodies whose pseudo-inertia is not positive definite: points, rods, plates, impossible ones."""
    size = len(NAMES)
    for k in range(0, len(estimates.places), size):
        phi = estimates.values[k : k + size]
        P = pseudo_inertia(phi)
        scale = np.sqrt(np.maximum(np.diag(P), np.finfo(float).tiny))
        if np.linalg.eigvalsh(P / np.outer(scale, scale))[0] < SOUND:
            body = model.bodies[estimates.places[k] // size].name
            raise ArgumentError(
                f"AdaptiveControl: body {body!r} has mass in a plane at most, or none, or an impossible "
                "inertia: the natural metric cannot begin there. Give it an inertia (with_phi), leave it out "
                "of bodies, or say metric='euclidean'"
            )
