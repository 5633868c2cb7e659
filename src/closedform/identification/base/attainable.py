"""What a joint does not feel: inertia that can move to the parent without changing the dynamics.

A set of inertial parameters has no effect when its kinetic energy vanishes and its potential energy
is constant for every motion [GautierKhalil1990, Eqs. (4), (5)]. The coordinate of the last joint of a
branch appears in the energy of its own body only, so that this energy must not depend on it. The body
might then as well be fixed to its parent in the home pose, and the question passes to the parent. From
the leaves to the base, the parameters of each body therefore split into those that its joint feels and
those that move to the parent (the inertial transfers of [Wensing2017]). The number of base parameters is
the sum of what the joints feel.

A joint with screws X feels phi of its body through three kinds of linear functionals,

    X^T M(phi) V          for the twists V that the body attains,
    X^T M(phi) (0; g)     for the directions g that gravity takes in its frame,
    e . D(X) phi          for the energies e that a body fixed to the parent attains,

where D(X) phi is the rate of phi under the motion X. Only the span of what is attained matters. Over
all positions of a joint it is the smallest subspace that the joint's motion maps to itself: linear
algebra on at most ten numbers per body. For revolute and prismatic joints far from the base, the
parameters not felt are those of [GautierKhalil1990, Eqs. (15), (16)]; close to the base, where little is
attained, the rules of its section III-B, Eqs. (19), (20) and their exceptions follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...model import Body, Model
from ...rotations import adjoint, inverse, skew
from .transfer import SIZE, momentum_matrix, motion_matrix, transfer_matrix

DEPENDENT = 1e-11
"""Sine of the angle to a subspace below which a direction counts as in it. Round-off is about 1e-15. A
right angle written as 1.57079632679 is off by 5e-12; one written as 1.570796327, by 2e-10, is oblique."""

ROUNDING = 100 * float(np.finfo(float).eps)
"""Error of a direction of unit size; the difference of two directions, of size s, has this error over s."""


@dataclass(frozen=True)
class Attained:
    """Spans of what a body attains over all motions, in its frame, as orthonormal columns.

    `twists` (6, .), `energies` (10, .): the functionals phi -> V^T M(phi) V / 2, `gravity` (3, .).
    """

    twists: Array
    energies: Array
    gravity: Array


def unfelt_parameters(model: Model) -> list[Array]:
    """Return for each body an orthonormal basis (10, .) of the parameters that its joint does not feel.

    Lengths should be of the order of one: see `scaled_model`. Coupled joints are treated as if they
    were free; their bases are then right, but may be too small.
    """
    return [_kernel(felt) for _, felt in attained_by(model)]


def attained_by(model: Model) -> list[tuple[Attained, Array]]:
    """Return for each body what it attains, and the functionals (10, .) of phi that its joint feels."""
    found: list[tuple[Attained, Array]] = []
    ground = Attained(np.zeros((6, 0)), np.zeros((SIZE, 0)), span(model.gravity[:, None]))
    for body in model.bodies:
        found.append(_across(body, found[body.parent][0] if body.parent >= 0 else ground))
    return found


def _across(body: Body, parent: Attained) -> tuple[Attained, Array]:
    """Return what a body attains and the functionals (10, .) that its joint feels."""
    screws = body.joint.X.T
    T = body.placement
    fixed = Attained(
        orbit(adjoint(inverse(T)) @ parent.twists, [_bracket(X) for X in screws]),
        orbit(transfer_matrix(T).T @ parent.energies, [motion_matrix(X).T for X in screws]),
        orbit(T[:3, :3].T @ parent.gravity, [skew(X[:3]) for X in screws]),
    )
    twists = span(fixed.twists, body.joint.X)
    momenta = [momentum_matrix(V).T @ body.joint.X for V in twists.T]
    weights = [momentum_matrix(np.array([0, 0, 0, *g])).T @ body.joint.X for g in fixed.gravity.T]
    rates = [motion_matrix(X).T @ fixed.energies for X in screws]
    attained = Attained(twists, span(fixed.energies, *momenta), fixed.gravity)
    return attained, span(np.zeros((SIZE, 0)), *momenta, *weights, *rates)


def span(*blocks: Array) -> Array:
    """Return an orthonormal basis of the columns of all blocks together.

    If the span is one of coordinate directions, up to the error of its weakest direction, it is made
    exact: errors of two joints with a small offset would otherwise look like further directions.
    """
    U, s, _ = np.linalg.svd(np.concatenate(blocks, axis=1), full_matrices=False)
    s = s[s > DEPENDENT]
    U = U[:, : len(s)]
    P = U @ U.T
    near = np.rint(2 * P) / 2
    if len(s) == 0 or np.abs(P - near).max() > ROUNDING / s[-1] or (near @ near != near).any():
        return np.asarray(U)
    return np.asarray(np.linalg.eigh(near)[1][:, len(U) - len(s) :])


def orbit(basis: Array, generators: Sequence[Array]) -> Array:
    """Return the smallest subspace that contains a basis and that the generators map to itself.

    It is the span of exp(t G) b over all t: of all that the basis becomes as the joint moves.
    """
    basis = span(basis)
    while True:
        grown = span(basis, *(G @ basis for G in generators))
        if grown.shape[1] == basis.shape[1]:
            return basis
        basis = grown


def _bracket(X: Array) -> Array:
    """Return ad_X on twists (omega; v)."""
    w, v = skew(X[:3]), skew(X[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def _kernel(felt: Array) -> Array:
    """Return an orthonormal basis of the parameters on which all functionals vanish."""
    U, _, _ = np.linalg.svd(felt, full_matrices=True)
    return np.asarray(U[:, felt.shape[1] :])
