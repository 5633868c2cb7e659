"""Inverse dynamics and its time derivatives by one Newton-Euler recursion on second moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import casadi as ca
from casadi import SX

from .algebra import Rotation, constant, cross
from .environment import applied_wrenches
from .friction import friction_rates, load_friction
from .loads import NO_LOADS, Loads
from .node import Node
from .pairs import joint_twists
from .series import (
    Series,
    applied,
    bilinear,
    leibniz,
    vector_across,
    vector_beyond,
    wrench_across,
)
from .springs import spring_rates
from .tree import Posture, Tree


def inverse_dynamics(tree: Tree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the joint forces tau = M qdd + C qd + g of a motion.

    With U = dw~ + w~ w~ and the acceleration a of its origin, a body needs the force
    f = m a + U ms and the moment n = ms x a + axial(U S), where S = int r r^T dm: the
    Newton-Euler equations about the frame origin, written on second moments. Gravity enters
    as an upward acceleration of the base. Inputs q (nq), qd, qdd (nv); returns (nv). The
    recursive Newton-Euler algorithm (RNEA), O(n).

    `wrenches` W of the environment, each (moment; force), take their part: tau - J^T W. They are
    (bodies, 6), or {frame: (6)}. `reference` is "body" (the frame's axes and origin, default),
    "world_aligned" (the base's axes, the frame's origin) or "world" (the base's axes and origin).
    `friction=True` adds `friction_torque`, `springs=True` `spring_torque`.
    """
    return inverse_dynamics_rates(tree, q, qd, qdd, loads=loads)[0]


def inverse_dynamics_rates(tree: Tree, q: SX, *derivatives: SX, loads: Loads = NO_LOADS) -> tuple[SX, ...]:
    """Return (tau, tau', tau'', ...), the joint forces of a motion and their time derivatives.

    From q, qd, qdd, qddd, ...: as many derivatives of tau as the motion has beyond qdd. The
    Newton-Euler recursion runs on series of derivatives as each body sees them.
    tau' = M qddd + (M' + C) qdd + C' qd + g' [MuellerKumar2021, Eq. (28)], and so on
    to any order. Each is (nv).

    Wrenches, as in `inverse_dynamics`, come with their derivatives `wrenches_dot`, `wrenches_ddot`,
    `wrenches_3`, ... in the axes of `reference`. Dry friction has no derivative.
    """
    order = len(derivatives) - 2
    at = tree.at(q)
    moments, forces = [], []
    for node, motion in zip(at.nodes, body_motions(at, derivatives), strict=True):
        n, f = body_wrench(node, motion)
        moments.append(n)
        forces.append(f)
    for each in applied_wrenches(tree, at, derivatives[:order], loads):
        moments[each.body] = moments[each.body] + each.wrench.map(lambda W: -W[:3])
        forces[each.body] = forces[each.body] + each.wrench.map(lambda W: -W[3:])
    tau = [SX.zeros(tree.nv) for _ in range(order + 1)]
    for i, node, (R, p) in at.leaves_first():
        rotor = _rotor_forces(node, derivatives)
        for k in range(order + 1):
            own = node.Xw.T @ moments[i][k] + node.Xv.T @ forces[i][k]
            add_rates(tau[k], node, sum((each[k] for each in rotor), own))
        if node.parent >= 0:
            wrench = Series.of(ca.vertcat(*each) for each in zip(moments[i], forces[i], strict=True))
            seen = wrench_across(wrench, joint_twists(node, derivatives[: order + 1]))
            f = Series.of(R.out(W[3:]) for W in seen)
            n = Series.of(R.out(W[:3]) for W in seen)
            forces[node.parent] = forces[node.parent] + f
            moments[node.parent] = moments[node.parent] + n + Series.of(cross(p, each) for each in f)
    if loads.friction:
        tau = [a + b for a, b in zip(tau, friction_rates(tree, *derivatives), strict=False)]
    if loads.springs:
        tau = [a + b for a, b in zip(tau, spring_rates(tree, q, *derivatives), strict=False)]
    return tuple(tau)


def drive_torque(tree: Tree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the joint forces that the drives apply in a motion: dynamics and all that the joints take.

    M qdd + C qd + g + damping qd + friction sign(qd) + drive_offset + stiffness (q - rest): what a log of
    the robot shows, and the feedforward for a motion. Rotor inertias (`armature`) are part of M.
    `inverse_dynamics` with `friction=True` and `springs=True`, and with the part of the links' torques
    that gears lose (`robot.load_friction`); `wrenches` as there. Returns (nv).
    """
    tau = inverse_dynamics(tree, q, qd, qdd, loads=replace(loads, friction=True, springs=True))
    if not tree.model.joint_array("load_friction").any():
        return tau
    links = replace(tree, own=tuple(replace(node, armature=0.0) for node in tree.own))
    link = inverse_dynamics(links, q, qd, qdd, loads=replace(loads, friction=False, springs=True))
    return tau + load_friction(tree, link, qd)


def bias_force(tree: Tree, q: SX, qd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return C qd + g, the joint forces of a motion without accelerations.

    What forward dynamics takes from tau. `wrenches`, `friction` and `springs` as in `inverse_dynamics`.
    Returns (nv).
    """
    return inverse_dynamics(tree, q, qd, SX.zeros(tree.nv), loads=loads)


@dataclass(frozen=True)
class Motion:
    """How a body moves: angular velocity w, acceleration a of its origin, U = w'~ + w~ w~, squares of w."""

    w: Series
    a: Series
    U: Series
    squares: Series

    @classmethod
    def of(cls, w: Series, a: Series) -> Motion:
        """Return the motion, each product of components of w formed once."""
        U, squares = [], []
        for k in range(len(a)):
            xx, yy, zz = (_square(w, i, k) for i in range(3))
            xy, xz, yz = (_product(w, i, j, k) for i, j in ((0, 1), (0, 2), (1, 2)))
            x, y, z = (w[k + 1][i] for i in range(3))
            rows = [[-(yy + zz), xy - z, xz + y], [xy + z, -(xx + zz), yz - x], [xz - y, yz + x, -(xx + yy)]]
            U.append(ca.blockcat(rows))
            squares.append(ca.vertcat(xx, yy, zz))
        return cls(w, a, Series.of(U), Series.of(squares))


def body_motions(at: Posture, derivatives: Sequence[SX]) -> list[Motion]:
    """Return how every body moves as it sees it, the base rising with `upward`, from qd, qdd, ..."""
    order = len(derivatives) - 2
    base = Motion.of(Series.constant(SX(3, 1), order + 1), Series.constant(at.upward, order))
    found: list[Motion] = []
    for node, (R, p) in at:
        joint = _joint_twist(node, derivatives)
        found.append(_carried(found[node.parent] if node.parent >= 0 else base, node, R, p, joint))
    return found


def _product(w: Series, i: int, j: int, k: int) -> SX:
    """Return the k-th derivative of w_i w_j."""
    return leibniz(lambda a, b: a[i] * b[j], w, w.terms, k, shared=True)


def _square(w: Series, i: int, k: int) -> SX:
    """Return the k-th derivative of w_i^2, equal products of Leibniz' rule paired."""
    if k == 0:
        return w[0][i] * w[0][i]
    pairs = [comb(k, a) * (w[a][i] * w[k - a][i]) for a in range((k + 1) // 2)]
    if k % 2 == 0:
        pairs.append(comb(k, k // 2) // 2 * (w[k // 2][i] * w[k // 2][i]))
    return 2 * sum(pairs[1:], pairs[0])


def _joint_twist(node: Node, derivatives: Sequence[SX]) -> tuple[Series, Series]:
    """Return the joint's own twist (w, v) with its derivatives."""
    twists = [node.twist(each) for each in derivatives]
    return Series.of(w for w, _ in twists), Series.of(v for _, v in twists)


def _carried(parent: Motion, node: Node, R: Rotation, p: SX, joint: tuple[Series, Series]) -> Motion:
    """Return the motion of a body from that of its parent and its joint's own twist."""
    order = len(parent.a) - 1
    w_joint, v_joint = joint
    # the highest derivative passes to another observer as it is: the joint's own is added before
    highest = Series((*[SX(3, 1)] * (order + 1), w_joint[order + 1]))
    w_in = vector_beyond(parent.w.map(R.back) + highest, w_joint)
    w = w_in + Series((*w_joint.to(order), SX(3, 1)))
    origin = Series.constant(p, order)
    slides = bool(node.X[3:].any())
    if slides:
        origin = Series.of([p, *vector_across(v_joint, w_joint).map(R.out)]).to(order)
    a = vector_beyond((parent.a + bilinear(applied, parent.U, origin)).map(R.back), w_joint)
    if slides:
        a = a + v_joint.rate + bilinear(cross, w + w_in, v_joint)
    return Motion.of(w, a)


def body_wrench(node: Node, motion: Motion) -> tuple[Series, Series]:
    """Return (n, f), the wrench about the origin of a body that its motion needs (Newton and Euler)."""
    ms, S = constant(node.ms), constant(node.S)
    n, f = [], []
    for a, U, squares in zip(motion.a, motion.U, motion.squares, strict=True):
        n.append(cross(ms, a) + _moment(U, squares, S))
        f.append(node.m * a + U @ ms)
    return Series.of(n), Series.of(f)


def _moment(U: SX, squares: SX, S: SX) -> SX:
    """Return axial(U S) = int r x (U r) dm, its diagonal terms from differences of squares."""
    xx, yy, zz = squares[0], squares[1], squares[2]
    return ca.vertcat(
        U[2, 1] * S[1, 1] - U[1, 2] * S[2, 2] + (zz - yy) * S[1, 2] + U[2, 0] * S[0, 1] - U[1, 0] * S[0, 2],
        U[0, 2] * S[2, 2] - U[2, 0] * S[0, 0] + (xx - zz) * S[0, 2] + U[0, 1] * S[1, 2] - U[2, 1] * S[0, 1],
        U[1, 0] * S[0, 0] - U[0, 1] * S[1, 1] + (yy - xx) * S[0, 1] + U[1, 2] * S[0, 2] - U[0, 2] * S[1, 2],
    )


def _rotor_forces(node: Node, derivatives: tuple[SX, ...]) -> list[Series]:
    """Return what the joint's armature a needs: a qdd, and a (0; w x v) more if the joint is free."""
    if not node.has_armature:
        return []
    own = Series.of(node.rates(each) for each in derivatives)
    forces = [own.rate.map(lambda rate: node.armature * rate)]
    if node.joint.floats:
        turned = bilinear(lambda a, b: cross(a[:3], b[3:]), own, own)
        forces.append(turned.map(lambda force: ca.vertcat(SX(3, 1), node.armature * force)))
    return forces


def add_rates(total: SX, node: Node, own: SX) -> None:
    """Add the joint's own generalised forces to the vector over all velocities."""
    total[node.velocities] += node.ratio * own
