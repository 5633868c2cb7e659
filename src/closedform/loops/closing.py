"""From a tree and its loops to a mechanism: a closed posture, independent rows, and coordinates, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import instances, known_name, sized_array
from ..description.loop import Closure, JointCoupling, Loop
from ..errors import ArgumentError, ClosedFormError, listed, shown
from ..forms.tree import Tree
from ..model import Model, random_state
from .actuation import with_driven_motions
from .dyads import found_dyads
from .errors import AssemblyError
from .model import ClosedModel, velocities
from .numbers import LOOSE, ClosureNumbers

CLOSURES: Any = (Loop, JointCoupling)

STARTS = 20
"""Random postures from which loops are tried to be closed if none is given near which they are."""

NEARBY = 6
"""Closed postures beside the first at which the rank is looked at."""

FAR = (0.1, 1e-3, 1e-6)
"""Parts of a column that must be independent of the others for its joint to be dependent, the best first."""

CONDITION = 1e8
"""Condition number of the equations of the dependent velocities beyond which they are not determined."""


def closed_model(
    tree: Model,
    closures: Sequence[Closure],
    independent: Sequence[str] | None,
    actuated: Sequence[str] | None,
    near: ArrayLike | None,
    *,
    motors: Sequence[str] = (),
    start: Array | None = None,
) -> ClosedModel:
    """Return the mechanism of a tree and what closes it; see `Robot.with_loops`.

    Files say less strictly what they want: their `motors` are independent if they can be, and actuated with
    a floating base if only both move all degrees of freedom; `start` is a posture of all joints that may be
    left for a better one.
    """
    tree.require_numbers("with_loops")
    given = _checked(tree, closures)
    built = Tree.of(tree)
    x, given, numbers = _posture(tree, built, given, near, start)
    postures = _neighbours(numbers, x)
    ranks = [numbers.rank(each) for each in postures]
    rank = max(ranks)
    if ranks[0] < rank and near is not None:
        raise ClosedFormError(
            f"with_loops: the posture `near` is singular: its loops have rank {ranks[0]}, {rank} at others; "
            "give a posture a little beside it"
        )
    x = postures[ranks.index(rank)]
    postures = [each for each, found in zip(postures, ranks, strict=True) if found == rank]
    dofs = tree.nv - rank
    if dofs == 0:
        raise ClosedFormError(
            f"with_loops: the loops of {tree.name!r} hold all {tree.nv} velocities of its joints (rank "
            f"{rank}), so that nothing can move; check the kinds of the loops"
        )
    B = numbers.rows(x)
    rows = tuple(sorted(_pivots(B.T, rank)))
    driven = None if actuated is None else _joints(tree, "actuated", actuated)
    wanted = None if independent is None else _joints(tree, "independent", independent)
    options = _driven_options(tree, motors) if motors else [driven or ()]
    every = [numbers.rows(each)[list(rows)] for each in postures]
    if wanted is not None:
        _check_independent(tree, wanted, dofs, every[0])
    else:
        fit = [each for each in options if len(velocities(tree, each)) == dofs]
        fit = [each for each in fit if _determine(tree, each, every[0])]
        wanted = fit[0] if fit else _chosen(tree, every, dofs, options[-1])
    model = ClosedModel(
        tree, given, rows, wanted, wanted if driven is None else driven, x, slack=numbers.slack
    )
    models = [replace(model, actuated=each) for each in options] if motors else [model]
    models = [with_driven_motions(each, every) for each in models]
    model = next((each for each in models if not each.undriven), models[0])
    dependent = [k for k, body in enumerate(tree.bodies) if body.coupling is None and k not in wanted]
    return replace(model, dyads=found_dyads(built, given, dependent, x))


def driven_model(model: ClosedModel) -> ClosedModel:
    """Return a mechanism whose independent joints are actuated, and no others are.

    They are all actuated joints, or as many of them as there are degrees of freedom: the independent ones if
    those are actuated.
    """
    if model.direct:
        return model
    names = model.actuated_names
    if len(model.av) > model.nv:
        own = set(model.independent) <= set(model.actuated)
        chosen = model if own else closed_model(model.tree, model.closures, None, names, model.near)
        names = chosen.joint_names
    return closed_model(model.tree, model.closures, names, names, model.near)


def _checked(tree: Model, closures: Sequence[Closure]) -> tuple[Closure, ...]:
    """Return closures whose names are those of the tree, each once."""
    given: tuple[Closure, ...] = tuple(
        instances("with_loops: loops", closures, CLOSURES, "a list of cf.Loop and cf.JointCoupling")
    )
    if not given:
        raise ArgumentError("with_loops: no loops; expected a list of cf.Loop and cf.JointCoupling")
    for k, each in enumerate(given):
        if each in given[:k]:
            raise ArgumentError(f"with_loops: {each.name!r} is there twice; leave one out")
        if isinstance(each, Loop):
            bodies = {tree.frame(name).body for name in (each.frame_a, each.frame_b)}
            if len(bodies) == 1:
                where = "the base" if bodies == {-1} else f"body {tree.bodies[bodies.pop()].name!r}"
                raise ArgumentError(
                    f"with_loops: both frames of {each.name!r} are fixed to {where}, so that no joint can "
                    "close the loop; take a frame of another body"
                )
        else:
            for name in (each.joint, *each.drivers):
                known_name("joint", name, tree.joint_names)
                body = next(body for body in tree.independent if body.joint_name == name)
                if body.joint.nv != 1:
                    raise ArgumentError(
                        f"with_loops: joint {name!r} of coupling {each.name!r} has {body.joint.nv} "
                        "velocities; expected joints of one"
                    )
    return given


def _posture(
    tree: Model, built: Tree, closures: tuple[Closure, ...], near: ArrayLike | None, first: Array | None
) -> tuple[Array, tuple[Closure, ...], ClosureNumbers]:
    """Return a closed posture, near the given one or any, and the closures with their lengths."""
    start = tree.neutral() if first is None else first
    start = start if near is None else sized_array("with_loops: near", near, (tree.nq,))
    if any(isinstance(each, Loop) and each.kind == "distance" and each.length is None for each in closures):
        closures = tuple(_measured(built, each, start) for each in closures)
    numbers = ClosureNumbers(built, closures)
    best, gap = numbers.closed(start)
    if gap > LOOSE * numbers.size and near is None:
        rng = np.random.default_rng(0)
        for k in range(STARTS):
            # limits of zero, as some files have, leave nothing to draw from
            turned = numbers.moved(start, rng.uniform(-np.pi, np.pi, size=tree.nv) * (k + 1) / STARTS)
            found, error = numbers.closed(turned if k % 2 else random_state(tree, rng, (), 0)[0])
            best, gap = (found, error) if error < gap else (best, gap)
            if gap <= LOOSE * numbers.size:
                break
    if gap > numbers.tolerance and gap <= LOOSE * numbers.size:
        numbers.slack = gap
    if gap > numbers.tolerance:
        worst, distance = numbers.worst(best)
        where = "from the posture `near`" if near is not None else f"from {STARTS + 1} postures"
        raise AssemblyError(
            f"with_loops: the loops of {tree.name!r} cannot be closed {where}: {worst.name!r} stays "
            f"{distance:.3g} (m, or 2 sin(angle / 2)) apart; check its frames"
            + (", or give near= with joints in which it is nearly closed" if near is None else "")
        )
    return best, closures, numbers


def _measured(tree: Tree, closure: Closure, x: Array) -> Closure:
    """Return a distance loop with the length that it has at x."""
    if not isinstance(closure, Loop) or closure.kind != "distance" or closure.length is not None:
        return closure
    ball = ClosureNumbers(tree, [Loop(closure.frame_a, closure.frame_b, "ball")])
    return replace(closure, length=float(np.linalg.norm(ball.residual(x))))


def _neighbours(numbers: ClosureNumbers, x: Array) -> list[Array]:
    """Return a closed posture and others beside it."""
    rng = np.random.default_rng(1)
    found = [x]
    for scale in (0.02, 0.05, 0.1, 0.2, 0.3, 0.3)[:NEARBY]:
        _, s, V = np.linalg.svd(numbers.rows(x))
        free = V[np.sum(s > 1e-9 * max(1.0, s[0])) :] if s.size else V
        step = free.T @ rng.normal(size=len(free)) if len(free) else np.zeros(V.shape[1])
        near, gap = numbers.closed(numbers.moved(x, scale * step / max(float(np.linalg.norm(step)), 1e-300)))
        if gap <= numbers.tolerance:
            found.append(near)
    return found


def _pivots(A: Array, count: int) -> list[int]:
    """Return columns of A that are independent, the best first."""
    norms = np.asarray(np.linalg.norm(A, axis=0))
    _, _, order = scipy.linalg.qr(A / np.where(norms > 1e-9, norms, 1.0), mode="economic", pivoting=True)
    return [int(k) for k in order[:count]]


def _joints(tree: Model, what: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the bodies of joints by name."""
    listed_names = instances(f"with_loops: {what}", names, str, "a list of names of joints")
    bodies = {body.joint_name: k for k, body in enumerate(tree.bodies) if body.coupling is None}
    found = tuple(bodies[known_name(f"{what} joint", name, tree.joint_names)] for name in listed_names)
    if len(set(found)) < len(found) or not found:
        raise ArgumentError(f"with_loops: {what} is {shown(list(names))}; expected joints, each once")
    return found


def _driven_options(tree: Model, motors: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the joints of motors, alone and with the free joints of a floating base."""
    driven = _joints(tree, "driven", motors)
    free = [k for k, body in enumerate(tree.bodies) if body.joint.floats and k not in driven]
    return [driven, (*free, *driven)] if free else [driven]


def _dependent(tree: Model, independent: Sequence[int]) -> list[int]:
    chosen = set(velocities(tree, independent))
    return [k for k in range(tree.nv) if k not in chosen]


def _determine(tree: Model, independent: Sequence[int], B: Array) -> bool:
    """Return whether the velocities of some joints determine all others."""
    block = B[:, _dependent(tree, independent)]
    norms = np.linalg.norm(block, axis=1, keepdims=True)
    return bool(
        block.shape[0] == block.shape[1] and np.linalg.cond(block / np.maximum(norms, 1e-300)) < CONDITION
    )


def _check_independent(tree: Model, wanted: tuple[int, ...], dofs: int, B: Array) -> None:
    """Refuse independent joints that do not describe the mechanism."""
    names = [tree.bodies[k].joint_name for k in wanted]
    count = len(velocities(tree, wanted))
    if count != dofs:
        raise ArgumentError(
            f"with_loops: the mechanism has {dofs} degree(s) of freedom (the loops have rank "
            f"{tree.nv - dofs} of {tree.nv} velocities); independent={names} have {count}"
        )
    if not _determine(tree, wanted, B):
        raise ArgumentError(
            f"with_loops: the joints {listed(names, 8)} do not determine the others at this posture: while "
            "they stand still, the mechanism moves; choose other independent joints, or another posture near="
        )


def _chosen(tree: Model, every: Sequence[Array], dofs: int, wanted: Sequence[int] = ()) -> tuple[int, ...]:
    """Return independent joints: what is left after the joints farthest from the base became dependent.

    Joints that are `wanted` become dependent last; a worse choice of the others that leaves them all
    independent is preferred.
    """
    rank, found = every[0].shape[0], list[tuple[int, ...]]()
    order = sorted(range(len(tree.bodies)), key=lambda k: (k in wanted, -k))
    for far in FAR:
        bases = [np.zeros((rank, 0)) for _ in every]
        chosen: list[int] = []
        for k in order:
            body = tree.bodies[k]
            if body.coupling is not None or bases[0].shape[1] + body.joint.nv > rank:
                continue
            grown = [_grown(Q, B[:, body.velocities], far) for Q, B in zip(bases, every, strict=True)]
            if all(each is not None for each in grown):
                bases = [each for each in grown if each is not None]
                chosen.append(k)
        if bases[0].shape[1] == rank:
            left = (k for k, body in enumerate(tree.bodies) if body.coupling is None and k not in chosen)
            found.append(tuple(left))
            if set(wanted) <= set(found[-1]):
                return found[-1]
    if found:
        return found[0]
    raise ClosedFormError(
        f"with_loops: no joints of {tree.name!r} were found whose {dofs} coordinates describe it; give "
        "independent=[...], and near= away from singular postures"
    )


def _grown(Q: Array, columns: Array, far: float) -> Array | None:
    """Return an orthonormal basis with more columns, None if one is not far enough from the others."""
    for column in columns.T:
        norm = np.linalg.norm(column)
        rest = column - Q @ (Q.T @ column)
        rest = rest - Q @ (Q.T @ rest)
        if norm <= 1e-9 or np.linalg.norm(rest) <= far * norm:
            return None
        Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
    return Q
