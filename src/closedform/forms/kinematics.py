"""Poses of frames, their Jacobians and the time derivatives of these, for every observer and reference."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import casadi as ca
from casadi import SX

from .algebra import cross_columns
from .path import Path, Step
from .reference import BODY, TWIST_REFERENCES, Reference
from .series import applied, leibniz
from .tree import Posture, Tree
from .twists import minus_ad


def pose(tree: Tree, q: SX, frame: str | None) -> SX:
    """Return the 4x4 pose of a frame in the base frame, a product of exponentials.

    C(q) = B_1 exp(X_1 q_1) ... B_i exp(X_i q_i) T_frame [MuellerKumar2021, Eq. (3)].
    """
    return homogeneous(*Path.of(tree, q, frame).pose())


def relative_pose(tree: Tree, q: SX, frame: str | None, relative_to: str | None = None) -> SX:
    """Return the 4x4 pose of a frame in another one, inverse(pose(relative_to)) pose(frame).

    Joints that carry both frames take no part. Without `relative_to` the other is the base frame.
    """
    return homogeneous(*Path.of(tree, q, frame, relative_to).pose())


def homogeneous(R: SX, p: SX) -> SX:
    """Return the 4x4 matrix of a rotation and a position."""
    T = ca.densify(SX.eye(4))
    T[:3, :3], T[:3, 3] = R, p
    return T


def frame_poses(tree: Tree, q: SX) -> SX:
    """Return the poses of all frames in the base frame, in the order of `frame_names`.

    What frames have in common is computed once. Returns (frames, 4, 4).
    """
    return _poses(tree, q, tree.model.frame_names)


def body_poses(tree: Tree, q: SX) -> SX:
    """Return the poses of all moving bodies in the base frame, in the order of `body_names`.

    Each follows from that of the body before it [MuellerKumar2021, Eq. (3)]. Returns (bodies, 4, 4).
    """
    return _poses(tree, q, [body.name for body in tree.model.bodies])


def _poses(tree: Tree, q: SX, names: Sequence[str]) -> SX:
    """Return the poses of some frames below each other."""
    bodies = base_placements(tree.own_at(q))
    found = [SX(0, 4)]
    for name in names:
        body, R, p = tree.frame(name)
        if body >= 0:
            R_body, p_body = bodies[body]
            R, p = R_body @ R, p_body + R_body @ p
        found.append(homogeneous(R, p))
    return ca.vertcat(*found)


def jacobian(tree: Tree, q: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the 6 x nv Jacobian J with V = J qd, the twist (omega; v) of a frame.

    Its columns are Ad^-1 X_j for the joints that carry the frame [MuellerKumar2021, Eqs. (8)-(10)]. The
    twist is expressed in the `reference`: "body", in the frame itself; "world_aligned", v the velocity
    of the frame's origin, both in base axes; "world", the spatial twist, in base axes about the base
    origin (v is the velocity of the point of the body that is there).
    """
    return jacobian_rates(tree, q, frame, reference=reference)[0]


def jacobian_dot(tree: Tree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the time derivative of the frame's Jacobian.

    A column changes with the motion of the `reference` relative to the body of its joint,
    Jd_j = -ad_V J_j with V the relative twist [Garofalo2013, Eq. (28)]. It is the derivative of the
    components in the reference. Returns (6, nv).
    """
    return jacobian_rates(tree, q, qd, frame, reference=reference)[1]


def jacobian_ddot(tree: Tree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the second time derivative of the frame's Jacobian.

    Jdd_j = -ad_Vd J_j - ad_V Jd_j with the relative twist V and its rate [Garofalo2013, Eq. (29)], the
    second derivative of the components in the `reference`. Returns (6, nv).
    """
    return jacobian_rates(tree, q, qd, qdd, frame, reference=reference)[2]


def jacobian_rates(tree: Tree, q: SX, *rates_and_frame: Any, reference: str = BODY) -> tuple[SX, ...]:
    """Return (J, J', J'', ...), the Jacobian of a frame along a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of J as of q. Column j changes with the twist V of the
    reference relative to the body of joint j, J_j' = -ad_V J_j [Garofalo2013, Eq. (28)]; J_j^(k + 1)
    follows by Leibniz' rule, and V is a sum of J qd over the joints between. Each is (6, nv).
    """
    *rates, frame = rates_and_frame
    return _path_jacobian(Path.of(tree, q, frame), tree.nv, rates, reference)


def relative_jacobian(
    tree: Tree, q: SX, frame: str | None, relative_to: str | None = None, reference: str = BODY
) -> SX:
    """Return the 6 x nv Jacobian of a frame's twist (omega; v) as another frame sees it.

    J qd = vee(T^-1 T') with T the `relative_pose`, for the reference "body": the twist of `frame` against
    `relative_to`, in `frame`. In the other references, axes and origin of `relative_to` are what those of
    the base are for `jacobian`. Only the joints between the two frames have columns.
    """
    return _path_jacobian(Path.of(tree, q, frame, relative_to), tree.nv, [], reference)[0]


def relative_jacobian_dot(
    tree: Tree, q: SX, qd: SX, frame: str | None, relative_to: str | None = None, reference: str = BODY
) -> SX:
    """Return the time derivative of the relative Jacobian of two frames.

    It is that of the components in the `reference`, as for `jacobian_dot`. Returns (6, nv).
    """
    return _path_jacobian(Path.of(tree, q, frame, relative_to), tree.nv, [qd], reference)[1]


def _path_jacobian(path: Path, nv: int, rates: list[SX], reference: str) -> tuple[SX, ...]:
    """Return the Jacobian along a path in a reference, and its time derivatives."""
    total = [SX.zeros(6, nv) for _ in range(len(rates) + 1)]
    found = column_rates(path, rates, TWIST_REFERENCES[reference])
    for step, columns in zip(path.steps, found, strict=True):
        for matrix, each in zip(total, columns, strict=True):
            matrix[:, step.node.velocities] += step.node.ratio * each
    return tuple(total)


def column_rates(path: Path, rates: Sequence[SX], reference: Reference) -> list[list[SX]]:
    """Return the columns of each joint of a path with their time derivatives, J_j' = -ad_V J_j.

    V is the twist of the reference against the body of the joint.
    """
    found = _frame_columns(path) if reference.turns else _observed_columns(path, reference)
    J = [[each] for each in found]
    V: list[list[SX]] = [[] for _ in path.steps]
    for k in range(len(rates)):
        own = [
            leibniz(applied, each, [step.node.rates(rate) for rate in rates], k)
            for step, each in zip(path.steps, J, strict=True)
        ]
        for j, twist in enumerate(reference_twists(path, reference, own)):
            V[j].append(twist)
            J[j].append(leibniz(stacked_minus_ad, V[j], J[j], k))
    return J


def reference_twists(path: Path, reference: Reference, own: Sequence[SX]) -> list[SX]:
    """Return the twist of the reference against the body of each joint, from what each joint gives of it.

    Of axes and a point that go with the frame it is the sum over joints nearer to the frame, of those at
    rest minus that over the others. Columns of `own` are several such motions.
    """
    none = SX(6, own[0].size2() if own else 1)
    beyond = [none, *accumulate(own)]
    before = [none, *accumulate(-each for each in reversed(own))][::-1]
    found = []
    for j, step in enumerate(path.steps):
        # ad_X X = 0: the joint's own motion counts only if it has several or axes and point go apart
        alone = step.node.nv == 1 and reference.turns == reference.moves
        nearer = beyond[j if step.inward or alone else j + 1]
        others = before[j + 1 if alone or not step.inward else j]
        turning, moving = (nearer if each else others for each in (reference.turns, reference.moves))
        found.append(ca.vertcat(turning[:3, :], moving[3:, :]))
    return found


def _frame_columns(path: Path) -> list[SX]:
    """Return the columns of each joint in the frame itself."""
    return [
        step.sign * ca.vertcat(R.T @ step.node.Xw, R.T @ (step.node.Xv + cross_columns(step.node.Xw, p)))
        for step, R, p in path.frame_poses()
        if step is not None
    ]


def _observed_columns(path: Path, reference: Reference) -> list[SX]:
    """Return the columns of each joint in the axes of the observer, nearest to the frame first."""
    axes, ways = zip(*path.observed(), strict=True)
    if reference.moves:  # from each joint to the frame, or back to the observer
        levers = [*accumulate(reversed(ways))][:-1]
    else:
        levers = [-each for each in accumulate(ways[:-1])][::-1]
    return [
        _observed_column(step, R, lever)
        for step, R, lever in zip(path.steps, reversed(axes[:-1]), levers, strict=True)
    ]


def _observed_column(step: Step, R: SX, lever: SX) -> SX:
    w = R @ step.node.Xw
    return step.sign * ca.vertcat(w, R @ step.node.Xv + cross_columns(w, lever))


def stacked_minus_ad(V: SX, X: SX) -> SX:
    """Return -ad_V X of a stacked twist and stacked screws."""
    return ca.vertcat(*minus_ad((V[:3], V[3:]), (X[:3, :], X[3:, :])))


def base_placements(at: Posture) -> list[tuple[SX, SX]]:
    """Return the rotation matrix and origin of every body in the base frame."""
    absolute: list[tuple[SX, SX]] = []
    for node, (R, p) in at:
        if node.parent < 0:
            absolute.append((R.matrix, p))
        else:
            R_p, p_p = absolute[node.parent]
            absolute.append((R.back(R_p.T).T, p_p + R_p @ p))
    return absolute
