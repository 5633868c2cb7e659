"""Momentum about the centre of mass, the matrix that maps velocities to it, and their rates.

Angular part first, about the centre of mass, in base axes. Rotors (armature) have no part in it.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
from casadi import SX

from .algebra import cross, cross_columns
from .kinematics import base_placements
from .mass_centre import com_velocity, first_moment, total_mass
from .newton_euler import body_motions, body_wrench
from .pairs import Screw, plus, to_parent, with_carried
from .series import Series, wrench_across, wrench_twists
from .subtree import Composite, composites
from .subtree_rates import subtree_rates
from .tree import Posture, Tree
from .twists import body_twists


def centroidal_momentum(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the momentum h = (angular; linear) of all moving bodies about their centre of mass.

    The sum of I_i V_i, moved to the centre of mass, in base axes [OrinGoswamiLee2013]; the
    linear part is mass times the velocity of the centre of mass. Equals the centroidal momentum matrix
    times qd, without forming it. Returns (6,).
    """
    at = _at_origin(tree.own_at(q))
    momenta = [Composite.of(node).momentum(V) for node, V in zip(at.nodes, body_twists(at, qd), strict=True)]
    return _about_centre(tree, at, momenta)


def centroidal_momentum_dot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the rate of the centroidal momentum, h' = A qdd + A' qd.

    It is the wrench of all external forces about the centre of mass, that on the base included
    [OrinGoswamiLee2013]: the sum of what the bodies need by Newton and Euler, in base axes. Returns (6,).
    """
    at = replace(_at_origin(tree.own_at(q)), upward=SX(3, 1))  # gravity is one of those forces
    wrenches = []
    for node, motion in zip(at.nodes, body_motions(at, [qd, qdd]), strict=True):
        n, f = body_wrench(node, motion)
        wrenches.append((n[0], f[0]))
    return _about_centre(tree, at, wrenches)


def centroidal_momentum_matrix(tree: Tree, q: SX) -> SX:
    """Return the 6 x nv matrix A with h = A qd, the centroidal momentum per unit of joint velocity.

    Column j is the momentum I_j X_j of all that joint j carries, moved to the centre of mass
    [OrinGoswamiLee2013]; its last three rows are mass times the Jacobian of the centre of mass.
    """
    at = _at_origin(tree.own_at(q))
    A = SX.zeros(6, tree.nv)
    for node, total, (R, lever) in zip(at.nodes, composites(at), _levers(tree, at), strict=True):
        A[:, node.velocities] += node.ratio * _moved(R, lever, *total.momentum(node.screws))
    return A


def centroidal_momentum_matrix_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the time derivative A' of the centroidal momentum matrix: h' = A qdd + A' qd.

    Column j is F_j' + V~ F_j moved to the centre of mass, F_j = I_j X_j with its derivative as body j
    sees it, and V the twist of body j against axes that move with the centre of mass without turning
    [OrinGoswamiLee2013]. Returns (6, nv).
    """
    at = _at_origin(tree.own_at(q))
    drifts = replace(at, upward=-com_velocity(tree, q, qd)).up  # minus c' in the frame of every body
    bodies = zip(
        at.nodes, subtree_rates(at, [qd]), body_twists(at, qd), drifts, _levers(tree, at), strict=True
    )
    Ad = SX.zeros(6, tree.nv)
    for node, carried, (w, v), drift, (R, lever) in bodies:
        F = Series.of(ca.vertcat(*each) for each in carried.momenta(node.screws))
        rate = wrench_across(F, wrench_twists([(w, v + drift)]))[1]
        Ad[:, node.velocities] += node.ratio * _moved(R, lever, rate[:3, :], rate[3:, :])
    return Ad


def _at_origin(at: Posture) -> Posture:
    """Return the posture with its first body at the base origin, if that carries all others.

    Nothing about the centre of mass depends on where the robot is: a base that floats far away costs no
    digits.
    """
    if sum(node.parent < 0 for node in at.nodes) != 1:
        return at
    (R, _), *others = at.placements
    return replace(at, placements=[(R, SX(3, 1)), *others])


def _centre(tree: Tree, at: Posture) -> SX:
    """Return the centre of mass of a posture in the base frame."""
    return first_moment(at) / total_mass(tree)


def _levers(tree: Tree, at: Posture) -> list[tuple[SX, SX]]:
    """Return the rotation of every body to base axes, and the way from the centre of mass to its origin."""
    centre = _centre(tree, at)
    return [(R, p - centre) for R, p in base_placements(at)]


def _moved(R: SX, lever: SX, n: SX, f: SX) -> SX:
    """Return wrenches of a body as columns, in base axes about the centre of mass."""
    f = R @ f
    return ca.vertcat(R @ n - cross_columns(f, lever), f)


def _about_centre(tree: Tree, at: Posture, wrenches: list[Screw]) -> SX:
    """Return the sum of wrenches of the bodies, in base axes about the centre of mass."""
    n = f = SX(3, 1)
    for (node, placement), wrench in zip(at, with_carried(at, wrenches), strict=True):
        if node.parent < 0:
            n, f = plus((n, f), to_parent(*placement, *wrench))
    return ca.vertcat(n - cross(_centre(tree, at), f), f)
