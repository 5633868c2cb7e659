"""Time derivatives of the equations of motion of a robot with loops, to any order, by Leibniz' rule."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from casadi import SX

from ..forms import coriolis, external, gravity, mass, newton_euler
from ..forms.external import Frames
from ..forms.factorisation import CHRISTOFFEL
from ..forms.loads import NO_LOADS, Loads
from ..forms.reference import BODY
from ..forms.series import Series, applied, bilinear
from .closed_tree import ClosedTree, Posture
from .linear import BlockSystem


def inverse_dynamics_rates(
    closed: ClosedTree, q: SX, *derivatives: SX, loads: Loads = NO_LOADS
) -> tuple[SX, ...]:
    """Return (tau, tau', tau'', ...), the torques of the actuated joints and their time derivatives.

    From q, qd, qdd, qddd, ... of the independent joints: as many derivatives of tau as the motion has
    beyond qdd. All joints' rates follow from the loops, those of the tree's joint forces from the
    Newton-Euler recursion on series [MuellerKumar2021, Eqs. (28), (38)], and A^T tau_a = G^T tau is
    differentiated by Leibniz' rule. The second derivative is the feedforward of elastic drives. Each is
    (actuated).
    """
    at = closed.at(q)
    return torque_rates(at, *_force_rates(at, derivatives, loads)).terms


def generalized_force_rates(
    closed: ClosedTree, q: SX, *derivatives: SX, loads: Loads = NO_LOADS
) -> tuple[SX, ...]:
    """Return `generalized_force` and its time derivatives, as many as the motion has beyond qdd.

    Each is (nv).
    """
    return _force_rates(closed.at(q), derivatives, loads)[1].terms


def _force_rates(at: Posture, derivatives: Sequence[SX], loads: Loads) -> tuple[Series, Series]:
    """Return the embedding and the generalised forces of a motion, with their derivatives."""
    v = at.velocities(derivatives)
    tau = newton_euler.inverse_dynamics_rates(at.tree, at.x, *v, loads=loads)
    G = Series.of(at.embedding_rates(v[: len(tau) - 1]))
    return G, _projected(G, Series.of(tau))


def torque_rates(at: Posture, G: Series, forces: Series) -> Series:
    """Return torques of the actuated joints that give generalised forces, with their derivatives.

    A^T tau = f gives A^T tau^(k) = f^(k) - sum over j >= 1 of comb(k, j) A^(j)T tau^(k - j). With more
    actuators than degrees of freedom tau = A w of least norm, (A^T A) w = f, by the same rule for w.
    """
    model = at.model
    if model.direct:
        return forces
    A = G.map(lambda each: each[list(model.av), :])
    if len(model.av) == model.nv:
        return _solved(A.map(lambda each: each.T), forces)
    normal = bilinear(lambda a, b: a.T @ b, A, A)
    return bilinear(applied, A, _solved(normal, forces))


def _solved(A: Series, b: Series) -> Series:
    """Return x of A x = b with its derivatives."""
    system = BlockSystem(A[0])
    x: list[SX] = []
    for k in range(len(b)):
        rest = b[k]
        for j in range(1, k + 1):
            rest = rest - comb(k, j) * (A[j] @ x[k - j])
        x.append(system.solve(rest))
    return Series.of(x)


def mass_matrix_dot(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the mass matrix. Returns (nv, nv)."""
    return mass_matrix_rates(closed, q, qd)[1]


def mass_matrix_ddot(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the mass matrix. Returns (nv, nv)."""
    return mass_matrix_rates(closed, q, qd, qdd)[2]


def mass_matrix_rates(closed: ClosedTree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return (M, M', M'', ...) of G^T M_tree G, as many derivatives as of q. Each is (nv, nv)."""
    at = closed.at(q)
    v = at.velocities(rates)
    G = Series.of(at.embedding_rates(v))
    M = Series.of(mass.mass_matrix_rates(at.tree, at.x, *v))
    return _projected(G, bilinear(applied, M, G)).terms


def coriolis_matrix_dot(closed: ClosedTree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the time derivative of the Coriolis matrix. Returns (nv, nv)."""
    return coriolis_matrix_rates(closed, q, qd, qdd, factorisation=factorisation)[1]


def coriolis_matrix_ddot(
    closed: ClosedTree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return the second time derivative of the Coriolis matrix. Returns (nv, nv)."""
    return coriolis_matrix_rates(closed, q, qd, qdd, qddd, factorisation=factorisation)[2]


def coriolis_matrix_rates(
    closed: ClosedTree, q: SX, *rates: SX, factorisation: str = CHRISTOFFEL
) -> tuple[SX, ...]:
    """Return (C, C', C'', ...) of G^T (M G' + C_tree G), as many derivatives as the motion has beyond qd.

    Each is (nv, nv).
    """
    at = closed.at(q)
    v = at.velocities(rates)
    G = Series.of(at.embedding_rates(v))
    M = Series.of(mass.mass_matrix_rates(at.tree, at.x, *v[:-1]))
    C = Series.of(coriolis.coriolis_matrix_rates(at.tree, at.x, *v, factorisation=factorisation))
    return _projected(G, bilinear(applied, M, G.rate) + bilinear(applied, C, G)).terms


def gravity_torque_dot(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the gravity forces. Returns (nv)."""
    return gravity_torque_rates(closed, q, qd)[1]


def gravity_torque_ddot(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the gravity forces. Returns (nv)."""
    return gravity_torque_rates(closed, q, qd, qdd)[2]


def gravity_torque_rates(closed: ClosedTree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return (g, g', g'', ...) of G^T g_tree, as many derivatives as of q. Each is (nv)."""
    at = closed.at(q)
    v = at.velocities(rates)
    g = gravity.gravity_torque_rates(at.tree, at.x, *v)
    return _projected(Series.of(at.embedding_rates(v)), Series.of(g)).terms


def external_torque_dot(
    closed: ClosedTree,
    q: SX,
    qd: SX,
    wrenches: SX,
    wrenches_dot: SX,
    *,
    frames: Frames = None,
    reference: str = BODY,
) -> SX:
    """Return the time derivative of G^T J^T W for wrenches and their rates. Returns (nv)."""
    return external_torque_rates(closed, q, qd, wrenches, wrenches_dot, frames=frames, reference=reference)[1]


def external_torque_ddot(
    closed: ClosedTree,
    q: SX,
    qd: SX,
    qdd: SX,
    wrenches: SX,
    wrenches_dot: SX,
    wrenches_ddot: SX,
    *,
    frames: Frames = None,
    reference: str = BODY,
) -> SX:
    """Return the second time derivative of G^T J^T W for wrenches and their rates. Returns (nv)."""
    given = (qd, qdd, wrenches, wrenches_dot, wrenches_ddot)
    return external_torque_rates(closed, q, *given, frames=frames, reference=reference)[2]


def external_torque_rates(
    closed: ClosedTree, q: SX, *given: SX, frames: Frames = None, reference: str = BODY
) -> tuple[SX, ...]:
    """Return G^T J^T W with its time derivatives, from q, qd, ... and then W, W', ... Each is (nv)."""
    order = len(given) // 2
    at = closed.at(q)
    v = at.velocities(given[:order])
    tau = external.external_torque_rates(
        at.tree, at.x, *v, *given[order:], frames=frames, reference=reference
    )
    return _projected(Series.of(at.embedding_rates(v)), Series.of(tau)).terms


def _projected(G: Series, forces: Series) -> Series:
    """Return G^T f with its derivatives."""
    return bilinear(_transposed, G, forces)


def _transposed(A: SX, b: SX) -> SX:
    return A.T @ b
