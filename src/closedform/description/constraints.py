"""Lists of constraints beside a URDF: the `robot.yaml` of the example-parallel-robots collection.

    closed_loop: [['frame_1A', 'frame_1B'], ['frame_2A', 'frame_2B']]
    type: ['6d', '3d']                       # fixed or ball, one for each pair; fixed if it is absent
    name_mot: ['motor1', 'motor2']           # the joints that are driven
    joint_name: ['knuckle', 'hook', 'strut'] # joints that a URDF cannot describe,
    joint_type: ['SPHERICAL', 'UJOINT_XY', 'FIXED']   # and what they are

Only this much of YAML is read: keys with lists of texts, in brackets or as lines with a dash.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import DescriptionError, shown, similar, warn
from ..joints import Ball, Fixed, Universal
from .description import Description, Joint, Limits
from .loop import Loop, Mechanism

MAX_BYTES = 2**20
"""Size of a list of constraints."""

KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
KINDS = {"6d": "fixed", "3d": "ball"}
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\#[^\n]*)|(?P<line>\n)|(?P<mark>[][,])|(?P<dash>-(?=[ \t]))"""
    r"""|"(?P<double>[^"\\\n]*)"|'(?P<single>[^'\n]*)'|(?P<key>[A-Za-z_]\w*)[ \t]*:(?=\s|\[|\Z)"""
    r"""|(?P<plain>[^][,\#'"&*!|>%@`{}\s:][^][,\#'"{}\n:]*)"""
)


def with_constraints(description: Description, data: bytes, source: str) -> Description:
    """Return a description with the loops, motors and joints of a list of constraints."""
    table = read_table(data, source)
    problems: list[str] = []
    joints = _retyped(description, table, problems)
    frames = {link.name: link.name for link in description.links}
    for joint in description.joints:
        frames.setdefault(joint.name, joint.child)
    pairs = table.get("closed_loop", [])
    kinds = table.get("type", ["6d"] * len(pairs))
    if len(kinds) != len(pairs):
        problems.append(f"type has {len(kinds)} entries for {len(pairs)} pairs of closed_loop")
    closures = []
    for pair, kind in zip(pairs, kinds, strict=False):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            problems.append(f"closed_loop has {shown(pair)}; expected pairs of frames")
            continue
        missing = [name for name in pair if name not in frames]
        problems += [
            f"closed_loop: no link or joint is called {shown(name)}{similar(name, frames)}"
            for name in missing
        ]
        if str(kind).lower() not in KINDS:
            problems.append(f"type has {shown(kind)}; expected '6d' (fixed) or '3d' (ball)")
        elif not missing:
            a, b = (frames[name] for name in pair)
            if a == b:
                problems.append(f"closed_loop: both frames are {shown(a)}")
            else:
                closures.append(Loop(a, b, KINDS[str(kind).lower()]))
    if not pairs:
        problems.append("closed_loop is missing; expected pairs of frames, [['a', 'b'], ...]")
    motors = tuple(dict.fromkeys(map(str, table.get("name_mot", []))))
    moving = {joint.name for joint in joints if not joint.fixed}
    problems += [
        f"name_mot: no joint that moves is called {shown(name)}{similar(name, moving)}"
        for name in motors
        if name not in moving
    ]
    if problems:
        raise DescriptionError(source, problems)
    return replace(description, joints=joints, mechanism=Mechanism(tuple(closures), motors=motors))


def _retyped(description: Description, table: dict[str, list[Any]], problems: list[str]) -> tuple[Joint, ...]:
    """Return the joints, some of which are of a kind that a URDF does not know."""
    names, kinds = table.get("joint_name", []), table.get("joint_type", [])
    if len(names) != len(kinds):
        problems.append(f"joint_name has {len(names)} entries, joint_type {len(kinds)}")
    wanted = {str(name): str(kind) for name, kind in zip(names, kinds, strict=False)}
    joints = []
    for joint in description.joints:
        kind = wanted.pop(joint.name, None)
        joints.append(joint if kind is None else _as(joint, kind, problems))
    known = [joint.name for joint in description.joints]
    for name in wanted:
        warn(f"joint_name: no joint is called {shown(name)}{similar(name, known)}; it is left out")
    return tuple(joints)


def _as(joint: Joint, kind: str, problems: list[str]) -> Joint:
    plain = replace(joint, limits=Limits(), mimic=None)
    if kind == "SPHERICAL":
        return replace(plain, kind=Ball.kind, subspace=Ball.screws())
    if kind == "FIXED":
        return replace(plain, kind=Fixed.kind, subspace=np.zeros((6, 0)))
    first, second = kind[-2:-1], kind[-1:]
    if kind != f"UJOINT_{first}{second}" or first not in AXES or second not in AXES or first == second:
        problems.append(f"joint_type has {shown(kind)}; expected SPHERICAL, FIXED or UJOINT_XY (two axes)")
        return joint
    axes = np.array([AXES[first], AXES[second]])
    return replace(plain, kind=Universal.kind, subspace=Universal.screws(axes=axes))


def read_table(data: bytes, source: str) -> dict[str, list[Any]]:
    """Return the lists of a file of constraints by key; what is not of its small grammar is refused."""
    if len(data) > MAX_BYTES:
        raise DescriptionError(source, [f"file has {len(data)} bytes; the limit is {MAX_BYTES}"])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DescriptionError(source, [f"not a text: {error}"]) from None
    table: dict[str, list[Any]] = {}
    open_lists: list[list[Any]] = []
    current: list[Any] | None = None
    at, line = 0, 1
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise _unfit(source, line, f"{shown(text[at : at + 20])} is not of the lists that are read here")
        at = found.end()
        kind, word = str(found.lastgroup), found[str(found.lastgroup)]
        if kind == "blank":
            continue
        if kind == "line":
            line += 1
        elif kind == "key" and not open_lists:
            if word not in KEYS:
                raise _unfit(source, line, f"unknown key {shown(word)}{similar(word, KEYS)}")
            if word in table:
                raise _unfit(source, line, f"{word} is there twice")
            current = table[word] = []
        elif current is None:
            raise _unfit(source, line, f"{shown(word)} stands before the first key")
        elif kind == "mark" and word == "[":
            if len(open_lists) == 2:
                raise _unfit(source, line, "lists are nested too deeply")
            inner: list[Any] = current if not open_lists and not current else []
            if inner is not current or open_lists:
                (open_lists[-1] if open_lists else current).append(inner)
            open_lists.append(inner)
        elif kind == "mark":
            if not open_lists:
                raise _unfit(source, line, f"{shown(word)} without [")
            if word == "]":
                open_lists.pop()
        elif kind in ("double", "single", "plain", "key"):
            (open_lists[-1] if open_lists else current).append(word.strip())
    if open_lists:
        raise _unfit(source, line, "a [ has no ]")
    return table


def _unfit(source: str, line: int, problem: str) -> DescriptionError:
    return DescriptionError(source, [f"line {line}: {problem}; expected keys with lists of texts, in []"])
