"""What a URDF says in words that no reader knows: misspelt, misplaced, or beyond a tree of joints."""

from __future__ import annotations

from difflib import SequenceMatcher

from .xml import Element, tag_of

READ = {
    "robot": ("link", "joint", "loop", "loop_joint"),
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
"""Elements that are read, by the element that holds them."""

KNOWN = (
    "visual",
    "collision",
    "material",
    "transmission",
    "gazebo",
    "sensor",
    "calibration",
    "safety_controller",
    "contact",
)
"""Elements that dynamics does not need."""

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ATTRIBUTES = {
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "mass": ("value",),
    "inertia": ENTRIES,
    "axis": ("xyz",),
    "mimic": ("joint", "multiplier", "offset"),
}
"""Elements of which every attribute is read, with all their attributes."""

OPTIONS = {"limit": ("lower", "upper", "velocity", "effort"), "dynamics": ("damping", "friction")}
"""Attributes that are read, of elements to which dialects add further ones."""

SPRINGS = {"dynamics": ("spring_stiffness", "spring_reference", "stiffness", "armature")}
"""Attributes of dialects that change the mechanics."""

MECHANICS = ("joint", "loop", "constraint", "spring", "bushing", "tendon")
"""Words in the tags of elements that change the mechanics, in any dialect."""

ALIKE = 0.75
"""Likeness from which a word is taken for a misspelling of another."""


def doubt_spelling(root: Element) -> None:
    """Add a doubt for every element or attribute that is not read and seems to matter."""
    _doubt_children(root, "robot")
    for link in root.children("link"):
        _doubt_children(link, "link")
        inertials = link.children("inertial")
        for first in inertials[:1]:
            _doubt_children(first, "inertial")
        for other in inertials[1:]:
            other.doubt("links have more than one <inertial>, of which the first is read")
    for joint in root.children("joint"):
        _doubt_children(joint, "joint")


def _doubt_children(element: Element, level: str) -> None:
    for node in element.node.iterchildren("*"):
        tag = tag_of(node)
        place = f"line {node.sourceline}: <{tag[:80]}> in {element.address}"
        if tag in READ[level]:
            for attribute in node.attrib:
                if _seems_meant(tag, attribute):
                    element.doubts.add("attributes that nothing reads", f"{attribute[:80]!r} in {place}")
        elif tag in KNOWN:
            continue
        elif any(tag in tags for tags in READ.values()) or any(alike(tag, other) for other in READ[level]):
            element.doubts.add("elements that are misspelt or misplaced are not read", place)
        elif any(word in tag.lower() for word in MECHANICS):
            element.doubts.add("elements that change the mechanics are not read: the model is without", place)


def _seems_meant(tag: str, attribute: str) -> bool:
    if tag in ATTRIBUTES:
        return attribute not in ATTRIBUTES[tag]
    options = OPTIONS.get(tag, ())
    if attribute in options:
        return False
    return attribute in SPRINGS.get(tag, ()) or any(alike(attribute, other) for other in options)


def alike(word: str, other: str) -> bool:
    """Return whether a word looks like another one, misspelt or in capitals."""
    if abs(len(word) - len(other)) > 2:
        return False
    return SequenceMatcher(None, word.lower(), other, autojunk=False).ratio() >= ALIKE
