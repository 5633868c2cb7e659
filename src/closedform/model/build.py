"""From description to model: order the tree, lump fixed links, couple joints, check everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import collected, sized_array
from ..description.description import Description, Joint, Link
from ..description.problems import description_problems
from ..errors import DescriptionError, warn
from .inertia import parts_from_phi, phi_from_inertial, pseudo_inertia_deficit, transform_phi
from .joint import JointType
from .model import Body, Coupling, Frame, Model

Array = NDArray[np.float64]

MAX_BODIES = 2000
"""Straight-line code beyond this many moving bodies would be of no use to anyone."""

NEGATIVE_TOLERANCE = 1e-6
TRIANGLE_TOLERANCE = 1e-6
"""Relative violations of physical inertias below these are rounding of printed figures."""


def build_model(
    description: Description, *, floating_base: bool = False, gravity: ArrayLike | None = None
) -> Model:
    """Return the model of a description, or raise one error that lists every problem.

    Inertias are judged once the tree stands: only lumped bodies need to be physical.
    """
    source = description.source or description.name
    problems = description_problems(description)
    for joint in description.joints:
        problem = JointType(joint.kind, joint.subspace).problem()
        if problem:
            problems.append(f"joint {joint.name!r}: {problem}")
    if floating_base:
        description = _with_floating_base(description)
    roots = _roots(description)
    order = _depth_first(description, roots[:1])
    problems.extend(_reach_problems(description, roots))
    moving = sum(joint.kind != "fixed" for joint in order)
    if moving == 0 and not problems:
        problems.append("no joint moves (nv = 0); dynamics needs at least one moving joint")
    if moving > MAX_BODIES:
        problems.append(f"{moving} moving bodies; straight-line closed forms are limited to {MAX_BODIES}")
    if problems:
        raise DescriptionError(source, problems)
    model = _assemble(description, order, roots[0], gravity)
    problems, doubts = _findings(model)
    if problems:
        raise DescriptionError(source, problems)
    for doubt in doubts:
        warn(f"{description.name}: {doubt}")
    return model


def _with_floating_base(description: Description) -> Description:
    """Return the description with a free joint from a new root link to the old one."""
    world = _unused("world", {link.name for link in description.links})
    moving = {joint.name for joint in description.joints if joint.kind != "fixed"}
    name = _unused("floating_base", moving)
    base = [Joint(name, "free", world, root, subspace=np.eye(6)) for root in _roots(description)[:1]]
    links = (Link(world), *description.links) if base else description.links
    return replace(description, links=links, joints=(*base, *description.joints))


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number where it is taken."""
    numbered = (f"{name}_{k}" for k in count(2))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def _roots(description: Description) -> list[str]:
    """Return the links that no joint carries."""
    carried = {joint.child for joint in description.joints}
    return list(dict.fromkeys(link.name for link in description.links if link.name not in carried))


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
        names = ", ".join(loops[:8]) + (", ..." if loops[8:] else "")
        problems.append(f"every one of the links {names} is the child of another: a loop without a root")
    return problems


def _assemble(description: Description, order: list[Joint], root: str, gravity: ArrayLike | None) -> Model:
    links = {link.name: link for link in description.links}
    where: dict[str, tuple[int, Array]] = {root: (-1, np.eye(4))}
    frames = [Frame(root, -1, np.eye(4))]
    carried: list[tuple[Joint, int, Array]] = []
    phis: list[Array] = []
    for joint in order:
        parent, T_body_link = where[joint.parent]
        placement = T_body_link @ joint.placement
        if joint.kind == "fixed":
            where[joint.child] = (parent, placement)
            inertial = links[joint.child].inertial
            if parent >= 0 and inertial is not None:
                phis[parent] = phis[parent] + transform_phi(phi_from_inertial(inertial), placement)
        else:
            where[joint.child] = (len(carried), np.eye(4))
            carried.append((joint, parent, placement))
            phis.append(phi_from_inertial(links[joint.child].inertial))
        frames.append(Frame(joint.child, *where[joint.child]))
    index = {joint.name: i for i, (joint, _, _) in enumerate(carried)}
    couplings = [_coupling(joint, index, [j for j, _, _ in carried]) for joint, _, _ in carried]
    starts, iq, iv = [], 0, 0
    for (joint, _, _), coupling in zip(carried, couplings, strict=True):
        starts.append((iq, iv))
        if coupling is None:
            kind = JointType(joint.kind, joint.subspace)
            iq, iv = iq + kind.nq, iv + kind.nv
    bodies = []
    for i, (joint, parent, placement) in enumerate(carried):
        coupling = couplings[i]
        iq, iv = starts[i] if coupling is None else starts[coupling.body]
        bodies.append(
            Body(
                name=joint.child,
                joint_name=joint.name,
                parent=parent,
                placement=placement,
                joint=JointType(joint.kind, joint.subspace + 0.0),
                phi=phis[i],
                iq=iq,
                iv=iv,
                limits=joint.limits,
                damping=joint.damping,
                friction=joint.friction,
                armature=joint.armature,
                coupling=coupling,
            )
        )
    has_inertia = any(link.inertial is not None for link in description.links)
    model = Model(
        description.name,
        tuple(bodies),
        tuple(frames),
        np.array(description.gravity, dtype=float),
        has_inertia,
        description.citation,
    )
    return model if gravity is None else model.with_gravity(gravity)


def _coupling(joint: Joint, index: dict[str, int], carried: list[Joint]) -> Coupling | None:
    """Return the coupling of a mimic joint to the joint that drives its chain."""
    if joint.mimic is None:
        return None
    multiplier, offset, current = 1.0, 0.0, joint
    while current.mimic is not None:
        offset += multiplier * current.mimic.offset
        multiplier *= current.mimic.multiplier
        current = carried[index[current.mimic.joint]]
    return Coupling(index[current.name], multiplier, offset)


def _findings(model: Model) -> tuple[list[str], list[str]]:
    """Return the problems and the doubts about the joints and inertias of the moving bodies."""
    problems: list[str] = []
    doubts: list[str] = []
    for body in model.bodies:
        if body.limits.lower > body.limits.upper:
            doubts.append(
                f"joint {body.joint_name!r}: its lower limit {body.limits.lower:g} is above its upper "
                f"limit {body.limits.upper:g}"
            )
        if body.coupling is not None:
            with collected(problems):
                numbers = (body.coupling.multiplier, body.coupling.offset)
                sized_array(f"joint {body.joint_name!r}: the product of its mimic chain", numbers, (2,))
    if not model.has_inertia:
        return problems, doubts
    parents = {body.parent for body in model.bodies}
    for i, body in enumerate(model.bodies):
        negative, triangle = pseudo_inertia_deficit(body.phi)
        if negative > NEGATIVE_TOLERANCE:
            problems.append(
                f"link {body.name!r}: its inertia about the centre of mass is not positive "
                f"(smallest eigenvalue is {-negative:.2g} of the largest); correct the inertia"
            )
        elif triangle > TRIANGLE_TOLERANCE:
            doubts.append(
                f"link {body.name!r}: its principal inertias violate the triangle inequality "
                f"by {triangle:.2g} of the largest; no rigid body has them"
            )
        if i not in parents and not _moves_mass(body):
            if not body.phi.any() or not any(_moves_mass(other) for other in model.bodies):
                problems.append(
                    f"link {body.name!r}: a massless moving leaf (joint {body.joint_name!r} moves no "
                    "inertia); give it an inertia or fix the joint"
                )
            else:  # a wrist's mass on its axis, the inertia rounded away: only M^-1 is out of reach
                doubts.append(
                    f"link {body.name!r}: joint {body.joint_name!r} moves no inertia, so that forward "
                    "dynamics is singular; give the link an inertia or the joint an armature"
                )
    return problems, doubts


def _moves_mass(body: Body) -> bool:
    m, ms, J = parts_from_phi(body.phi)
    S = np.array([[0, -ms[2], ms[1]], [ms[2], 0, -ms[0]], [-ms[1], ms[0], 0]])
    inertia = np.block([[J, S], [S.T, m * np.eye(3)]])
    moved = body.joint.X.T @ inertia @ body.joint.X + body.armature * np.eye(body.joint.nv)
    return bool(np.linalg.eigvalsh(moved)[0] > 0)
