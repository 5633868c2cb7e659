"""Wrenches of the environment at any frame in any axes, moved to the bodies as recursions take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from .algebra import constant, cross
from .kinematics import base_placements
from .loads import Loads
from .mass import add_block
from .pairs import Screw, cross_wrench, pairs, plus, product, times, with_carried
from .reference import BODY
from .series import Series, twist_beyond, wrench_beyond
from .subtree import Flow
from .tree import Posture, Tree


@dataclass(frozen=True)
class AppliedWrench:
    """A wrench (n; f) of the environment on a body: about the origin of its node, in the node's axes.

    Its derivatives are those that the body sees. Its force acts at `point` of the node.
    """

    body: int
    wrench: Series
    point: SX

    @property
    def screw(self) -> Screw:
        """The wrench itself, as moment and force."""
        return self.wrench[0][:3], self.wrench[0][3:]


def applied_wrenches(tree: Tree, at: Posture, rates: Sequence[SX], loads: Loads) -> list[AppliedWrench]:
    """Return the wrenches of the environment with a derivative for each of the rates qd, qdd, ...

    A wrench in axes of the base changes for its body if that turns, and one about the base's origin if
    it moves at all. Lengths are in the unit of the nodes, so that moments stay in N m.
    """
    if not loads.wrenches:
        return []
    names: Sequence[str | int] = range(len(at.nodes)) if loads.frames is None else loads.frames
    bases = base_placements(at) if loads.reference != BODY else []
    twists = _twists(at, rates) if bases else []
    here, still = SX(3, 1), SX(3, 1)
    found = []
    for row, name in enumerate(names):
        body, R, c = _place(tree, name)
        if body < 0:
            continue  # what is fixed to the base moves nothing
        unit = at.nodes[body].unit
        c = c / unit
        point = -(R @ c)
        wrench = Series.of(ca.vertcat(each[row, :3].T, unit * each[row, 3:].T) for each in loads.wrenches)
        if loads.reference == BODY:
            wrench = _moved(wrench, c, R)
        elif loads.reference == "world":
            R_base, p_base = bases[body]
            wrench = wrench_beyond(_moved(wrench, p_base, R_base.T), twists[body])
        else:
            turning = Series.of(ca.vertcat(V[:3], still) for V in twists[body])
            wrench = wrench_beyond(_moved(wrench, here, bases[body][0].T), turning)
            wrench = _moved(wrench, -point, SX.eye(3))
        found.append(AppliedWrench(body, wrench, point))
    return found


def wrench_gradient(at: Posture, nv: int, acting: Sequence[AppliedWrench], reference: str) -> SX:
    """Return d (J^T W) / dq for wrenches W that are constant in the axes of their reference.

    With the wrench F of the environment on a subtree, and i an ancestor of j: a joint j turns wrenches of
    bodies with all it carries, d tau_i / dq_j = X_i . (X_j x F_j), and turns its own and further joints
    against wrenches of the base, d tau_j / dq_i = X_i . (X_j x F_j). In the base's axes at points r that
    move, forces f add w_i . (dr x f) to both, which A = sum of f r^T gives as for `subtree.Flow`.
    """
    own = [(SX(3, 1), SX(3, 1)) for _ in at.nodes]
    points = [Flow(SX(3, 3), SX(3, 1)) for _ in at.nodes]
    for each in acting:
        n, f = each.screw
        own[each.body] = plus(own[each.body], (n, f))
        points[each.body] = points[each.body] + Flow(f @ each.point.T, f)
    wrenches = []
    flows = at.with_all_carried(points, Flow.in_parent)
    for node, F, flow in zip(at.nodes, with_carried(at, own), flows, strict=True):
        X = node.screws
        turned, none = cross_wrench(X, F), (SX(3, node.nv), SX(3, node.nv))
        if reference == BODY:
            wrenches.append([turned, none])
        elif reference == "world":
            wrenches.append([none, turned])
        else:  # forces cancel: what moves without turning takes its wrenches with it
            behind = turned[0] - flow.wrench(X)[0], none[1]
            wrenches.append([times(-1, flow.transposed_wrench(X)), behind])
    G = SX.zeros(nv, nv)
    for i, j, (beyond, behind) in pairs(at, wrenches):
        if i != j:
            add_block(G, at.nodes[i], at.nodes[j], product(at.nodes[i].screws, beyond))
        add_block(G, at.nodes[j], at.nodes[i], product(at.nodes[i].screws, behind).T)
    return G


def _place(tree: Tree, name: str | int) -> tuple[int, SX, SX]:
    """Return the body of a frame, its rotation in that body's node, and the node's origin in the frame.

    A number is a body, whose own frame is meant.
    """
    if isinstance(name, int):
        T = tree.own[name].T_frame
        return name, constant(T[:3, :3]).T, constant(T[:3, 3])
    body, R, p = tree.frame(name)
    return body, R, -(R.T @ p)


def _moved(wrench: Series, point: SX, R: SX) -> Series:
    """Return wrenches about another point, then in other axes."""
    return Series.of(ca.vertcat(R @ (W[:3] - cross(point, W[3:])), R @ W[3:]) for W in wrench)


def _twists(at: Posture, rates: Sequence[SX]) -> list[Series]:
    """Return the twist (w; v) of every body with its derivatives, as the body sees them."""
    found: list[Series] = []
    for node, (R, p) in at:
        own = Series.of(ca.vertcat(*node.twist(rate)) for rate in rates)
        if node.parent >= 0:
            before = found[node.parent]
            moved = (ca.vertcat(R.back(V[:3]), R.back(V[3:] + cross(V[:3], p))) for V in before)
            own = twist_beyond(Series.of(moved), own) + own
        found.append(own)
    return found
