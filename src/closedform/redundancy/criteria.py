"""What is best: criteria of the joint angles, as closed forms to be differentiated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from .. import checks
from ..checks import choice, finite_array, flag, instance, known_name, positive, sized_array, text
from ..errors import ArgumentError, ClosedFormError, shorten, shown
from ..forms.elimination import Factors
from ..model import Model
from .bounds import limits_of
from .twist import Twist, form_at

Expressions = tuple[SX, list[SX]]
"""H(q), and its guards: what must stay positive for H to make sense (distances to limits and obstacles)."""

KINDS = ("maximum", "minimum")

LONGEST = 1e6
"""Largest length that the rows of a Jacobian may be divided by, in metres; the smallest is its inverse."""


@dataclass(frozen=True)
class Criterion:
    """A function H(q) to be maximised or minimised [Chang1987, Eq. (3)].

    `build(model, q, twist, *parameters)` gives its expressions; `twist` has the task's Jacobian.
    Criteria add, subtract and scale; a sum has the sense of its first term.

    >>> (2 * manipulability() - 0.1 * joint_centering()).kind
    'maximum'
    """

    name: str
    kind: str
    build: Callable[..., Expressions]
    parameters: tuple[Any, ...] = ()

    __array_ufunc__ = None  # an array times a criterion is refused as a weight, not entry by entry

    def __post_init__(self) -> None:
        text("criterion: name", self.name)
        choice(f"criterion {shorten(self.name, 80)}: kind", self.kind, KINDS)
        if not callable(self.build):
            raise ArgumentError(
                f"criterion {shorten(self.name, 80)}: build is {shown(self.build)}; expected a function"
            )

    def expressions(self, model: Model, q: SX, twist: Twist) -> Expressions:
        """Return H and the guards on the symbols q."""
        return self.build(model, q, twist, *self.parameters)

    def __add__(self, other: Any) -> Criterion:
        instance(f"{self.name} +", other, Criterion)
        return Criterion(f"{self.name} + {other.name}", self.kind, _sum, (self, other, 1.0))

    def __sub__(self, other: Any) -> Criterion:
        instance(f"{self.name} -", other, Criterion)
        return Criterion(f"{self.name} - {other.name}", self.kind, _sum, (self, other, -1.0))

    def __mul__(self, weight: float) -> Criterion:
        weight = positive(f"weight of {self.name}", weight)
        return Criterion(f"{weight:g} {self.name}", self.kind, _scaled, (self, float(weight)))

    __rmul__ = __mul__


def manipulability(*, squared: bool = False, length: float = 1.0) -> Criterion:
    """Return w = sqrt(det(J J^T)), the volume of the velocity ellipsoid, to be maximised.

    [Yoshikawa1985]; if `squared`, det(J J^T), the H of [Chang1987, Eq. (29)]. `length` divides the rows of
    positions, so that J has no unit; with that of the first link it is the J of [Chang1987, Eq. (31)]. The
    optima are the same; the sizes of H and h are not, and with them the meaning of a gain of resolved
    motion.

    >>> manipulability(squared=True, length=0.6).name
    'squared manipulability'
    """
    if not 1 / LONGEST <= positive("manipulability: length", length) <= LONGEST:
        raise ArgumentError(
            f"manipulability: length is {length:g}; expected {1 / LONGEST:g} to {LONGEST:g} metres"
        )
    if not flag("manipulability: squared", squared) and length == 1:
        return Criterion("manipulability", "maximum", _manipulability)
    name = "squared manipulability" if squared else "manipulability"
    return Criterion(name, "maximum", _manipulability, (squared, length))


def condition_number() -> Criterion:
    """Return |J|_F |J^+|_F / m, the condition number in Frobenius norms, to be minimised.

    It is 1 if the arm moves alike in all directions of the task, and smooth, which the ratio of
    singular values is not.
    """
    return Criterion("condition_number", "minimum", _condition_number)


def joint_limits() -> Criterion:
    """Return the sum of ((b - a)/2)^2 / ((b - q)(q - a)) over limited joints, to be minimised.

    The second sum of [Chang1987, Eq. (12)], for limits a, b that need not be symmetric, without
    units: a joint counts 1 at the middle of its range and grows beyond all bounds at the ends.
    """
    return Criterion("joint_limits", "minimum", _joint_limits)


def joint_centering(middle: ArrayLike | None = None) -> Criterion:
    """Return the mean of ((q - middle) / half range)^2, to be minimised.

    `middle` is by default the middle of the limits, and zero for a joint without limits, whose half
    range counts as pi.
    """
    if middle is None:
        return Criterion("joint_centering", "minimum", _joint_centering, (None,))
    centre = finite_array("joint_centering: middle", middle)
    if centre.ndim != 1:
        raise ArgumentError(
            f"joint_centering: middle has shape {centre.shape}; expected one number per joint"
        )
    return Criterion("joint_centering", "minimum", _joint_centering, (tuple(centre.tolist()),))


def gravity_load() -> Criterion:
    """Return the sum of (g_i / effort limit_i)^2, the load of gravity on the drives, to be minimised.

    Joints without an effort limit count in N m (or N).
    """
    return Criterion("gravity_load", "minimum", _gravity_load)


def own(function: Callable[[SX], Any], kind: str = "maximum", name: str | None = None) -> Criterion:
    """Return a criterion of one's own: a function from the CasADi symbols of q to one expression.

    >>> import casadi as ca
    >>> own(lambda q: ca.cos(q[0]) * q[1], kind="minimum", name="mine").name
    'mine'
    """
    checks.function("own: function", function, "CasADi symbols")
    title = str(getattr(function, "__name__", "own")) if name is None else text("own: name", name)
    return Criterion(title, kind, _own, (function, title))


NAMED: dict[str, Callable[[], Criterion]] = {
    "manipulability": manipulability,
    "condition_number": condition_number,
    "joint_limits": joint_limits,
    "joint_centering": joint_centering,
    "gravity_load": gravity_load,
}
"""Criteria that `solve` takes by name."""


def read_criterion(given: Any) -> Criterion:
    """Return the criterion of a name, a criterion, or a function of CasADi symbols."""
    if isinstance(given, Criterion):
        return given
    if isinstance(given, str):
        return NAMED[known_name("criterion", given, tuple(NAMED))]()
    if callable(given):
        return own(given)
    raise ArgumentError(f"criterion is {shown(given)}; expected a name, a Criterion or a function of q")


def _sum(model: Model, q: SX, twist: Twist, first: Criterion, second: Criterion, sign: float) -> Expressions:
    (H, guards), (more, others) = first.expressions(model, q, twist), second.expressions(model, q, twist)
    return H + sign * more, [*guards, *others]


def _scaled(model: Model, q: SX, twist: Twist, criterion: Criterion, weight: float) -> Expressions:
    H, guards = criterion.expressions(model, q, twist)
    return weight * H, guards


def _manipulability(
    model: Model, q: SX, twist: Twist, squared: bool = False, length: float = 1.0
) -> Expressions:
    J = twist.same_volume
    determinant = _gram_determinant(J @ J.T, polynomial=twist.tree.symbolic)
    places = sum(not row.startswith("r") for row in twist.rows)
    return (determinant if squared else ca.sqrt(determinant)) / length ** (places * (1 + squared)), []


def _gram_determinant(G: SX, polynomial: bool) -> SX:
    """Return the determinant of a symmetric matrix, as a `polynomial` for readers or from its pivots."""
    if polynomial:
        return ca.det(G)
    determinant = SX(1)
    for pivot in Factors(G).pivots:
        determinant = determinant * pivot
    return determinant


def _condition_number(model: Model, q: SX, twist: Twist) -> Expressions:
    G = twist.J @ twist.J.T
    factors, m = Factors(G), G.size1()
    trace = SX(0)  # of G^-1 = L^-T diag(1/pivots) L^-1, a column of L^-1 at a time
    for k in range(m):
        y = [SX(0)] * m
        y[k] = SX(1)
        for i in range(k + 1, m):
            y[i] = -_total(factors.columns[j].get(i, SX(0)) * y[j] for j in range(k, i))
        trace = trace + _total(y[i] * y[i] / factors.pivots[i] for i in range(k, m))
    return ca.sqrt(ca.trace(G) * trace) / m, []


def _total(terms: Any) -> SX:
    return sum(terms, SX(0))


def _joint_limits(model: Model, q: SX, twist: Twist) -> Expressions:
    bounds = limits_of(model)
    if not bounds.limited.any():
        raise ClosedFormError(
            f"joint_limits: robot {model.name!r} has no joint limits; use another criterion"
        )
    H: SX = SX(0)
    guards: list[SX] = []
    for k in np.flatnonzero(bounds.limited).tolist():
        above, below = bounds.upper[k] - q[k], q[k] - bounds.lower[k]
        H = H + ((bounds.upper[k] - bounds.lower[k]) / 2) ** 2 / (above * below)
        guards += [above, below]
    return H, guards


def _joint_centering(model: Model, q: SX, twist: Twist, middle: Sequence[float] | None) -> Expressions:
    bounds = limits_of(model)
    centre = bounds.middle if middle is None else sized_array("joint_centering: middle", middle, (model.nq,))
    return ca.sumsqr((q - centre) / bounds.half_range) / model.nq, []


def _gravity_load(model: Model, q: SX, twist: Twist) -> Expressions:
    effort = model.limit_array("effort")
    scale = np.where(np.isfinite(effort) & (effort > 0), effort, 1.0)
    return ca.sumsqr(form_at("gravity_torque", model, q, tree=twist.tree) / scale), []


def _nothing(model: Model, q: SX, twist: Twist) -> Expressions:
    return SX(0), []


ANY = Criterion("any", "minimum", _nothing)
"""No criterion: the first configuration that meets the task will do, and the search is for the task alone."""


def _own(model: Model, q: SX, twist: Twist, function: Callable[[SX], Any], title: str) -> Expressions:
    try:
        H = SX(function(q))
    except Exception as error:
        reason = f"{type(error).__name__}: {shorten(' '.join(str(error).split()), 200)}"
        raise ArgumentError(f"criterion {title}: failed on {model.nq} CasADi symbols ({reason})") from error
    if H.shape != (1, 1):
        raise ArgumentError(f"criterion {title}: gives shape {H.shape}; expected one expression")
    known = {each.element_hash() for each in ca.symvar(q)}
    foreign = [each for each in ca.symvar(H) if each.element_hash() not in known]
    if foreign:
        raise ArgumentError(f"criterion {title}: depends on {foreign}; expected symbols of q only")
    return H, []
