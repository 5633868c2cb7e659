"""From description to model: order the tree, lump fixed links, couple joints, check everything."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import real_array
from ..description.description import Description, Joint, Link
from ..errors import ArgumentError, DescriptionError, ModelWarning
from .inertia import parts_from_phi, phi_from_inertial, pseudo_inertia_deficit, transform_phi
from .joint import JointType
from .model import Body, Coupling, Frame, Model

Array = NDArray[np.float64]

MAX_BODIES = 500
"""Straight-line code beyond this many moving bodies would be of no use to anyone."""

ROOT_JOINT = "floating_base"

NEGATIVE_TOLERANCE = 1e-6
TRIANGLE_TOLERANCE = 1e-6
"""Relative violations of physical inertias below these are rounding of printed figures."""


def build_model(
    description: Description, *, floating_base: bool = False, gravity: ArrayLike | None = None
) -> Model:
    """Return the model of a description, or raise one error that lists every problem."""
    problems = _structure_problems(description)
    if problems:
        raise DescriptionError(description.source or description.name, problems)
    if floating_base and _depth_first(description)[1]:
        description = _with_floating_base(description)
    order, roots = _depth_first(description)
    problems = _reach_problems(description, order, roots)
    moving = sum(joint.kind != "fixed" for joint in order)
    if moving == 0 and roots:
        problems.append("no joint moves (nv = 0); dynamics needs at least one moving joint")
    if moving > MAX_BODIES:
        problems.append(f"{moving} moving bodies; straight-line closed forms are limited to {MAX_BODIES}")
    if problems:
        raise DescriptionError(description.source or description.name, problems)
    model = _assemble(description, order, roots[0], gravity)
    problems, doubts = _inertia_findings(model)
    if problems:
        raise DescriptionError(description.source or description.name, problems)
    for doubt in doubts:
        warnings.warn(f"{description.name}: {doubt}", ModelWarning, stacklevel=3)
    return model


def _structure_problems(description: Description) -> list[str]:
    problems = []
    for kind, names in (
        ("link", [link.name for link in description.links]),
        ("joint", [joint.name for joint in description.joints]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                problems.append(f"{kind} {name!r}: the name is used {count} times; names must be unique")
            if not name.strip() or any(ord(character) < 32 for character in name):
                problems.append(f"{kind} {name!r}: a name needs visible characters and no control characters")
    links = {link.name for link in description.links}
    for joint in description.joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                problems.append(f"joint {joint.name!r}: link {end!r} does not exist")
        if joint.parent == joint.child:
            problems.append(f"joint {joint.name!r}: parent and child are the same link {joint.child!r}")
        problems.extend(_joint_problems(joint))
    carriers: dict[str, list[str]] = {}
    for joint in description.joints:
        carriers.setdefault(joint.child, []).append(joint.name)
    for link_name, parents in carriers.items():
        if len(parents) > 1:
            problems.append(
                f"link {link_name!r}: is the child of {len(parents)} joints ({', '.join(parents[:5])}"
                f"{', ...' if parents[5:] else ''}); kinematic loops are not trees, cut one joint"
            )
    problems.extend(_mimic_problems(description))
    for each in description.links:
        if each.inertial is not None:
            values = [each.inertial.mass, *each.inertial.com, *each.inertial.inertia.ravel()]
            if not np.isfinite(values).all():
                problems.append(f"link {each.name!r}: its inertial has a number that is not finite")
            elif each.inertial.mass < 0:
                problems.append(f"link {each.name!r}: mass {each.inertial.mass:g} is negative")
    if not _is_gravity(description.gravity):
        problems.append(f"gravity is {description.gravity!r}; expected three finite numbers")
    return problems


def _is_gravity(given: ArrayLike) -> bool:
    try:
        g = real_array("gravity", given)
    except ArgumentError:
        return False
    return g.shape == (3,) and bool(np.isfinite(g).all())


def _joint_problems(joint: Joint) -> list[str]:
    if not (np.isfinite(joint.placement).all() and np.isfinite(joint.subspace).all()):
        return [f"joint {joint.name!r}: its placement or axis has a number that is not finite"]
    problems = []
    if joint.kind != "fixed" and not np.abs(joint.subspace).sum(axis=0).all():
        problems.append(f"joint {joint.name!r}: axis has zero length; give a non-zero axis")
    else:
        problem = JointType(joint.kind, joint.subspace).problem()
        if problem:
            problems.append(f"joint {joint.name!r}: {problem}")
    numbers = {"damping": joint.damping, "friction": joint.friction, "armature": joint.armature}
    for what, value in numbers.items():
        if not np.isfinite(value) or value < 0:
            problems.append(f"joint {joint.name!r}: {what} {value:g} should be finite and not negative")
    return problems


def _mimic_problems(description: Description) -> list[str]:
    problems = []
    joints = {joint.name: joint for joint in description.joints}
    settled: set[str] = set()
    for joint in description.joints:
        if joint.mimic is None:
            continue
        driver = joints.get(joint.mimic.joint)
        if driver is None:
            problems.append(f"joint {joint.name!r}: mimics {joint.mimic.joint!r}, which does not exist")
        elif joint.subspace.shape[1] != 1 or driver.subspace.shape[1] != 1:
            problems.append(f"joint {joint.name!r}: only one-dof joints can mimic one-dof joints")
        seen, current = {joint.name}, driver
        while current is not None and current.mimic is not None and current.name not in settled:
            if current.name in seen:
                problems.append(f"joint {joint.name!r}: its mimic chain returns to {current.name!r}")
                break
            seen.add(current.name)
            current = joints.get(current.mimic.joint)
        settled |= seen
    return problems


def _with_floating_base(description: Description) -> Description:
    children = {joint.child for joint in description.joints}
    roots = [link.name for link in description.links if link.name not in children]
    taken = {link.name for link in description.links}
    world = next(name for name in ("world", "ground", "closedform_world") if name not in taken)
    joint = Joint(ROOT_JOINT, "free", world, roots[0] if roots else "", subspace=np.eye(6))
    return Description(
        description.name,
        (Link(world), *description.links),
        (joint, *description.joints),
        description.gravity,
        description.source,
        description.citation,
    )


def _depth_first(description: Description) -> tuple[list[Joint], list[str]]:
    """Return the joints reached from the first root, parents first, and all roots."""
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    carried = {joint.child for joint in description.joints}
    roots = [link.name for link in description.links if link.name not in carried]
    order: list[Joint] = []
    stack = list(reversed(children.get(roots[0], []))) if roots else []
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(children.get(joint.child, [])))
    return order, roots


def _reach_problems(description: Description, order: list[Joint], roots: list[str]) -> list[str]:
    if not roots:
        names = ", ".join(repr(link.name) for link in description.links[:8])
        return [f"every link is the child of a joint: {names} form a loop; one link must be the root"]
    reached = {roots[0], *(joint.child for joint in order)}
    return [
        f"link {link.name!r}: cannot be reached from the root link {roots[0]!r}; join it or remove it"
        for link in description.links
        if link.name not in reached
    ]


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


def _inertia_findings(model: Model) -> tuple[list[str], list[str]]:
    """Return the problems and the doubts about the inertias of the moving bodies."""
    problems: list[str] = []
    doubts: list[str] = []
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
            problems.append(
                f"link {body.name!r}: a massless moving leaf (joint {body.joint_name!r} moves no "
                "inertia); give it an inertia or fix the joint"
            )
    return problems, doubts


def _moves_mass(body: Body) -> bool:
    m, ms, J = parts_from_phi(body.phi)
    S = np.array([[0, -ms[2], ms[1]], [ms[2], 0, -ms[0]], [-ms[1], ms[0], 0]])
    inertia = np.block([[J, S], [S.T, m * np.eye(3)]])
    moved = body.joint.X.T @ inertia @ body.joint.X + body.armature * np.eye(body.joint.nv)
    return bool(np.linalg.eigvalsh(moved)[0] > 0)
