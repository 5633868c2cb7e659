"""From description to model: order the tree, lump fixed links, couple joints, check everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, instance
from ..description.description import CURVE, MAX_ELEMENTS, Description, Joint, Link, new_name
from ..description.problems import description_problems
from ..errors import DescriptionError, listed, warn
from ..joints import Free, joint_kind, joint_type, kinds
from .body import Body, Coupling, Frame, numbered
from .findings import doubts_about, problems_of
from .inertia import phi_from_inertial, transform_phi
from .model import Model

MAX_BODIES = 2000
"""Straight-line code beyond this many moving bodies would be of no use to anyone."""


def build_model(
    description: Description, *, floating_base: bool = False, gravity: ArrayLike | None = None
) -> Model:
    """Return the model of a description, or raise one error that lists every problem.

    Inertias are judged when the tree is known: only lumped bodies need to be physical.
    """
    instance("description", description, Description)
    for what in ("name", "source", "citation"):
        instance(what, getattr(description, what), str, "a text")
    floating_base = flag("floating_base", floating_base)
    source = description.source or description.name
    _check_counts(description, source)
    problems = description_problems(description)
    for joint in description.joints:
        problem = joint_type(joint.kind, joint.subspace).problem() if joint.kind in kinds() else None
        if problem:
            problems.append(f"joint {joint.name!r}: {problem}")
    if floating_base and not problems and _floats_already(description):
        warn(f"{description.name}: floating_base adds nothing, since its root hangs on free joints already")
    elif floating_base:
        description = _with_floating_base(description)
    roots = _roots(description)
    problems.extend(_reach_problems(description, roots))
    if problems:
        raise DescriptionError(source, problems)
    description = _taken_apart(description)
    _check_counts(description, source)
    model = _assemble(description, _depth_first(description, roots[:1]), roots[0], gravity)
    problems = problems_of(model)
    if problems:
        raise DescriptionError(source, problems)
    for doubt in doubts_about(model, description):
        warn(f"{description.name}: {doubt}")
    return model.with_letters(description.letters) if description.letters else model


def _check_counts(description: Description, source: str) -> None:
    """Refuse a description that is too large before anything is done with it."""
    moving = sum(not joint.fixed for joint in description.joints)
    if moving > MAX_BODIES:
        text = f"{moving} moving bodies; straight-line closed forms are limited to {MAX_BODIES}"
        raise DescriptionError(source, [text])
    if len(description.joints) > MAX_ELEMENTS:
        raise DescriptionError(source, [f"{len(description.joints)} joints; expected {MAX_ELEMENTS} at most"])


def _floats_already(description: Description) -> bool:
    """Return whether the root and what is fixed to it have no inertia, and carry free joints alone."""
    roots = _roots(description)
    inertials = {link.name: link.inertial for link in description.links}
    carried, fixed = [], set(roots[:1])
    for joint in _depth_first(description, roots[:1]):
        if joint.parent in fixed:
            fixed |= {joint.child} if joint.fixed else set()
            carried += [] if joint.fixed else [joint_kind(joint.kind)]
    massless = not any(phi_from_inertial(inertials[name]).any() for name in fixed)
    return massless and bool(carried) and all(kind.floats for kind in carried)


def _with_floating_base(description: Description) -> Description:
    """Return the description with a free joint from a new root link to the old one."""
    world = new_name("world", {link.name for link in description.links})
    moving = {joint.name for joint in description.joints if not joint.fixed}
    name = new_name("floating_base", moving)
    base = [Joint(name, Free.kind, world, root, subspace=Free.screws()) for root in _roots(description)[:1]]
    links = (Link(world), *description.links) if base else description.links
    return replace(description, links=links, joints=(*base, *description.joints))


def _taken_apart(description: Description) -> Description:
    """Return the description with a joint that is made of others as these: "name/1", "name/2", ...

    Between them are massless links "<child>/<joint>", as between the joints of one body of an MJCF file.
    """
    link_names = {link.name for link in description.links}
    joint_names = {joint.name for joint in description.joints}
    links, joints = list(description.links), []
    for joint in description.joints:
        whole = joint_type(joint.kind, joint.subspace)
        parts = whole.simple_parts
        if joint.fixed or parts[0] is whole:
            joints.append(joint)
            continue
        count, parent, placement = len(parts), joint.parent, joint.placement
        for k, part in enumerate(parts, start=1):
            name = joint.name if count == 1 else new_name(f"{joint.name}/{k}", joint_names)
            child = joint.child if k == count else new_name(f"{joint.child}/{name}", link_names)
            links += [Link(child)] if k < count else []
            own = replace(joint, name=name, kind=part.kind, subspace=part.X)
            joints.append(replace(own, parent=parent, child=child, placement=placement))
            parent, placement = child, np.eye(4)
    return replace(description, links=tuple(links), joints=tuple(joints))


def _roots(description: Description) -> list[str]:
    """Return the links that are the child of no joint."""
    children = {joint.child for joint in description.joints}
    return list(dict.fromkeys(link.name for link in description.links if link.name not in children))


def _depth_first(description: Description, starts: list[str]) -> list[Joint]:
    """Return the joints reached from some links, parents first, each link reached once."""
    children: dict[str, list[Joint]] = {}
    for joint in reversed(description.joints):
        children.setdefault(joint.parent, []).append(joint)
    order: list[Joint] = []
    reached = set(starts)
    stack = [joint for start in reversed(starts) for joint in children.get(start, [])]
    while stack:
        joint = stack.pop()
        if joint.child not in reached:
            reached.add(joint.child)
            order.append(joint)
            stack.extend(children.get(joint.child, []))
    return order


def _reach_problems(description: Description, roots: list[str]) -> list[str]:
    """Return the problems of roots beyond the first, and of loops, which no root leads to."""
    problems = [
        f"link {root!r}: cannot be reached from the root link {roots[0]!r}; join it or remove it"
        for root in roots[1:]
        if root  # a reader that found no name has said so
    ]
    links = {link.name for link in description.links}
    unknown = {joint.parent for joint in description.joints} - links
    starts = [*roots, *unknown]
    reached = {*starts, *(joint.child for joint in _depth_first(description, starts))}
    loops = [repr(link.name) for link in description.links if link.name not in reached]
    if loops:
        problems.append(
            f"every one of the links {listed(loops, 8)} is the child of another: a loop without a root"
        )
    return problems


def _assemble(description: Description, order: list[Joint], root: str, gravity: ArrayLike | None) -> Model:
    links = {link.name: link for link in description.links}
    where: dict[str, tuple[int, Array]] = {root: (-1, np.eye(4))}
    frames = [Frame(root, -1, np.eye(4), links[root].look)]
    moving: list[tuple[Joint, int, Array]] = []
    phis: list[Array] = []
    base_phi = phi_from_inertial(links[root].inertial)
    for joint in order:
        parent, T_body_link = where[joint.parent]
        placement = T_body_link @ joint.placement
        if joint.fixed:
            where[joint.child] = (parent, placement)
            inertial = links[joint.child].inertial
            if inertial is not None:
                phi = transform_phi(phi_from_inertial(inertial), placement)
                if parent >= 0:
                    phis[parent] = phis[parent] + phi
                else:
                    base_phi = base_phi + phi
        else:
            where[joint.child] = (len(moving), np.eye(4))
            moving.append((joint, parent, placement))
            phis.append(phi_from_inertial(links[joint.child].inertial))
        frames.append(Frame(joint.child, *where[joint.child], links[joint.child].look))
    index = {joint.name: i for i, (joint, _, _) in enumerate(moving)}
    bodies = [
        Body(
            name=joint.child,
            joint_name=joint.name,
            parent=parent,
            placement=placement,
            joint=joint_type(joint.kind, joint.subspace + 0.0).normalised(),
            phi=phi,
            iq=0,
            iv=0,
            limits=joint.limits,
            damping=joint.damping,
            friction=joint.friction,
            armature=joint.armature,
            stiffness=joint.stiffness,
            spring_rest=joint.spring_rest,
            drive_offset=joint.drive_offset,
            **{name: getattr(joint, name) for name in CURVE},
            coupling=_coupling(joint, index, moving),
            row=joint.row,
        )
        for (joint, parent, placement), phi in zip(moving, phis, strict=True)
    ]
    has_inertia = any(link.inertial is not None for link in description.links)
    model = Model(
        description.name,
        numbered(bodies),
        tuple(frames),
        np.array(description.gravity, dtype=float),
        has_inertia,
        description.citation,
        base_phi,
    )
    return model if gravity is None else model.with_gravity(gravity)


def _coupling(joint: Joint, index: dict[str, int], moving: list[tuple[Joint, int, Array]]) -> Coupling | None:
    """Return the coupling of a mimic joint to the joint that drives its chain."""
    if joint.mimic is None:
        return None
    multiplier, offset, current = 1.0, 0.0, joint
    while current.mimic is not None:
        offset += multiplier * current.mimic.offset
        multiplier *= current.mimic.multiplier
        current = moving[index[current.mimic.joint]][0]
    return Coupling(index[current.name], multiplier, offset)
