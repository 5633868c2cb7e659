"""The Coriolis matrix as the papers factorise it, by composite bodies.

A body k of inertia M_k adds to C_ij the product of J_ki with M_k J_kj' + (M_k ad_V - ad_V^T M_k) J_kj
[Garofalo2013, Eq. (6b)]. In a frame at rest J_kj' = ad_(V_j) X_j - ad_(V_k) X_j, so that the velocity of
the body is left only in -ad_(V_k)^T M_k: summed over all that j carries, a matrix, its gyration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import casadi as ca
from casadi import SX

from .algebra import Rotation, cross, skew
from .node import Node
from .pairs import Screw, joint_twists, pairs_with_rates, product
from .series import Deferred, Series, across, applied, leibniz, twist_beyond, wrench_twists
from .subtree import Composite
from .subtree_rates import SubtreeRates, subtree_rates
from .tree import Posture


@dataclass(frozen=True)
class Products:
    """Products of the screws of joint i with wrenches of body j, which it carries, and their derivatives.

    C_ij = `upper` and C_ji = `mirrored`.
    """

    i: int
    j: int
    upper: list[SX]
    mirrored: list[SX]


def factored_products(at: Posture, rates: Sequence[SX], skew_consistent: bool) -> Iterator[Products]:
    """Yield the blocks of C for body j and each i that carries it, j first.

    With F = I X the momentum of all that j carries, S = I ad_V X, and derivatives as body i sees them,

        C_ij = X_i . (S + F_V + B X),  C_ji = X_i . (F' - S - F_V - B X)     if Mdot - 2 C is skew,
        C_ij = X_i . (F' + F_V),       C_ji = X_i . (F' - S)                  without M b,

    where F_V = -ad_V^T F, V the twist of body j and B the gyration of what it carries, as body j sees
    it. The second C is the rate of momentum in space, and does not need B.
    """
    subtrees = subtree_rates(at, rates)
    gyrations = _gyrations(at, rates, subtrees) if skew_consistent else [[]] * len(subtrees)
    wrenches = [
        _wrenches(*each) for each in zip(at.nodes, subtrees, _twists(at, rates), gyrations, strict=True)
    ]
    for i, j, moved in pairs_with_rates(at, rates, wrenches):
        F, upper, S = ([product(at.nodes[i].screws, each) for each in series] for series in moved)
        below = upper if skew_consistent else S
        yield Products(i, j, upper, [rate - each for rate, each in zip(F[1:], below, strict=True)])


def _wrenches(node: Node, own: SubtreeRates, twist: Series, B: list[SX]) -> list[list[Screw]]:
    """Return F, the wrench of C_ij and S with their derivatives; without B those of the second C."""
    X = ca.vertcat(*node.screws)
    turn = wrench_twists((each[:3], each[3:]) for each in twist)

    def momentum(turning: SX, inertia: Composite) -> SX:
        return ca.vertcat(*inertia.momentum(_split(-turning.T @ X)))

    F = [ca.vertcat(*each) for each in own.momenta(node.screws)]
    S = [leibniz(momentum, turn, own.inertia, k) for k in range(len(turn))]
    start = [s + b @ X for s, b in zip(S, B, strict=True)] if B else F[1:]
    upper = [leibniz(applied, turn, F, k, start=each) for k, each in enumerate(start)]
    return [[_split(each) for each in series] for series in (F, upper, S)]


def _gyrations(at: Posture, rates: Sequence[SX], subtrees: list[SubtreeRates]) -> list[list[SX]]:
    """Return B = sum of -ad_V^T M over what each body carries, V as it sees them, with its derivatives."""
    found = [[SX(6, 6) for _ in rates] for _ in at.nodes]
    for i, node, placement in at.leaves_first():
        rates_of_inertia = (each.matrix for each in subtrees[i].inertia[1:])
        found[i] = [_completed(*each) for each in zip(found[i], rates_of_inertia, strict=True)]
        if node.parent >= 0:
            seen = _across(node, found[i], subtrees[i].inertia, rates)
            moved = [_in_parent(each, *placement) for each in seen]
            found[node.parent] = [a + b for a, b in zip(found[node.parent], moved, strict=True)]
    return found


def _completed(B: SX, rate: SX) -> SX:
    """Return B from its entries below the diagonal and I' = B + B^T: the others need not be computed."""
    below = ca.tril(B, False)
    return below - below.T + ca.triu(rate, False) + ca.diag(0.5 * ca.diag(rate))


def _across(node: Node, B: list[SX], inertia: list[Composite], rates: Sequence[SX]) -> Series:
    """Return the gyration that the parent sees: the joint moves all that its body carries."""
    inertias = [each.matrix for each in inertia]
    entries = [Deferred(each).plus(inertias, k) for k, each in enumerate(B)]
    return across(entries, joint_twists(node, rates), two_sided=True)


def _in_parent(B: SX, R: Rotation, p: SX) -> SX:
    """Return a matrix from twists to wrenches in the parent frame."""
    nn, nf, fn, ff = (R.sandwich(each) for each in (B[:3, :3], B[:3, 3:], B[3:, :3], B[3:, 3:]))
    turn = skew(p)
    fn, nn = fn - ff @ turn, nn - nf @ turn
    return ca.blockcat(nn + turn @ fn, nf + turn @ ff, fn, ff)


def _split(columns: SX) -> Screw:
    return columns[:3, :], columns[3:, :]


def _twists(at: Posture, rates: Sequence[SX]) -> list[Series]:
    """Return the twist of every body with its derivatives as the body sees them."""
    found: list[Series] = []
    for node, (R, p) in at:
        own = Series.of(ca.vertcat(*node.twist(rate)) for rate in rates)
        if node.parent >= 0:
            own = own + twist_beyond(found[node.parent].map(partial(_back, R, p)), own)
        found.append(own)
    return found


def _back(R: Rotation, p: SX, V: SX) -> SX:
    """Return a twist of the parent frame in the body frame."""
    return ca.vertcat(R.back(V[:3]), R.back(V[3:] + cross(V[:3], p)))
