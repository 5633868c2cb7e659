"""Joints of one coordinate each, by their names in order."""

from __future__ import annotations

from collections.abc import Sequence

from ..checks import instances
from ..errors import ArgumentError
from .joint_order import Place


def named_places(library: str, joints: Sequence[str], root: tuple[str, ...] = ()) -> dict[str, Place]:
    """Return the places of joints in the order of their names, after those of a root that floats."""
    names = instances(f"{library}: joints", joints, str, "a list of names of joints")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(f"{library}: joints has {twice[0]!r} more than once; expected each joint once")
    places = {name: Place(0, slice(0, 7), slice(0, 6)) for name in root}
    q, v = 7 * len(root), 6 * len(root)
    for k, name in enumerate(names):
        places[name] = Place(k + len(root), slice(q + k, q + k + 1), slice(v + k, v + k + 1))
    return places
