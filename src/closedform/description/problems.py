"""What is wrong with a description, whoever wrote it: every problem, not only the first."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..checks import LARGEST, collected, is_text, real_array, sized_array
from ..errors import SHOWN, ArgumentError, listed, shown, similar
from ..joints import kinds
from ..rotations import checked_pose
from .description import MAX_NAME, Description, Joint


def description_problems(description: Description) -> list[str]:
    """Return the problems of the links, the joints and their names, after those the reader found."""
    problems = list(description.problems)
    links = {link.name for link in description.links}
    if problems:
        links.add("")  # a reader that found no name has said so
    if not description.links:
        problems.append("a robot needs at least one link")
    problems.extend(_name_problems(description))
    for link in description.links:
        if link.inertial is not None:
            with collected(problems):
                link.inertial.checked(f"link {link.name!r}")
    for joint in description.joints:
        problems.extend(_joint_problems(joint))
        for end in (joint.parent, joint.child):
            if end not in links:
                meant = similar(end, links) if len(problems) < SHOWN else ""
                problems.append(f"joint {joint.name!r}: link {end!r} does not exist{meant}")
    problems.extend(_loop_problems(description))
    problems.extend(_mimic_problems(description))
    with collected(problems):
        sized_array("gravity", description.gravity, (3,))
    return problems


def _name_problems(description: Description) -> list[str]:
    problems = []
    name = description.name
    if not is_text(name) or not name.strip() or len(name) > MAX_NAME:
        problems.append(
            f"robot {shown(name)}: a name is a text of up to {MAX_NAME} characters, not all blank"
        )
    if not is_text(description.citation):
        problems.append(f"citation {shown(description.citation)}: expected a text")
    for kind, elements in (("link", description.links), ("joint", description.joints)):
        for name, count in Counter(element.name for element in elements).items():
            if not name and description.problems:
                continue
            if count > 1:
                problems.append(f"{kind} {name!r}: the name is used {count} times; names must be unique")
            if not name.strip() or not name.isprintable():
                problems.append(f"{kind} {name!r}: a name needs visible characters and no control characters")
            if len(name) > MAX_NAME:
                problems.append(f"{kind} {shown(name)}: has {len(name)} characters; the limit is {MAX_NAME}")
    return problems


BOUNDS = {
    "damping": -LARGEST,
    "friction": -LARGEST,
    "armature": 0.0,
    "stiffness": -LARGEST,
    "spring_rest": -LARGEST,
    "drive_offset": -LARGEST,
    "smooth_friction": -LARGEST,
    "smooth_speed": 0.0,
    "stribeck_friction": -LARGEST,
    "stribeck_speed": 0.0,
    "damping_asymmetry": -LARGEST,
    "load_friction": 0.0,
}
"""Least numbers of a joint's properties."""


def _joint_problems(joint: Joint) -> list[str]:
    problems: list[str] = []
    name = f"joint {joint.name!r}"
    if joint.kind not in kinds():
        problems.append(f"{name}: kind {joint.kind!r} is not one of {', '.join(kinds())}")
    if joint.parent == joint.child != "":
        problems.append(f"{name}: parent and child are the same link {joint.child!r}")
    with collected(problems):
        checked_pose(f"{name}: placement", joint.placement)
    for what, least in BOUNDS.items():
        value = getattr(joint, what)
        if not least <= value <= LARGEST:
            problems.append(f"{name}: {what} {value:g} should be from {least:g} to {LARGEST:g}")
    for what in ("smooth", "stribeck"):
        if getattr(joint, f"{what}_friction") and not getattr(joint, f"{what}_speed") > 0:
            problems.append(f"{name}: {what}_friction needs a {what}_speed, over which it changes sign")
    if joint.stiffness and joint.subspace.shape[1] != 1:
        problems.append(f"{name}: a {joint.kind} joint has a stiffness; springs are of joints with one dof")
    with collected(problems):
        bounds = real_array(f"{name}: limits", list(vars(joint.limits).values()))
        if np.isnan(bounds).any():
            raise ArgumentError(f"{name}: limits has a number that is NaN; leave out what is unlimited")
        if (bounds[2:] < 0).any():
            raise ArgumentError(f"{name}: limits of velocity or effort are negative; give magnitudes")
    if joint.mimic is not None:
        for what in ("multiplier", "offset"):
            value = getattr(joint.mimic, what)
            if not abs(value) <= LARGEST:
                problems.append(f"{name}: mimic {what} {value:g} should be from -{LARGEST:g} to {LARGEST:g}")
    return problems


def _loop_problems(description: Description) -> list[str]:
    parents: dict[str, list[str]] = {}
    for joint in description.joints:
        if joint.child:
            parents.setdefault(joint.child, []).append(joint.name)
    return [
        f"link {link!r}: is the child of {len(joints)} joints ({listed(joints, 5)}); "
        "kinematic loops are not trees, cut one joint"
        for link, joints in parents.items()
        if len(joints) > 1
    ]


def _mimic_problems(description: Description) -> list[str]:
    problems: list[str] = []
    joints = {joint.name: joint for joint in description.joints}
    settled: set[str] = set()
    for joint in description.joints:
        if joint.mimic is None or (not joint.mimic.joint and description.problems):
            continue
        driver = joints.get(joint.mimic.joint)
        if driver is None:
            meant = similar(joint.mimic.joint, joints) if len(problems) < SHOWN else ""
            problems.append(
                f"joint {joint.name!r}: mimics {joint.mimic.joint!r}, which does not exist{meant}"
            )
        elif np.shape(joint.subspace)[1:] != (1,) or np.shape(driver.subspace)[1:] != (1,):
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
