"""What the expressions of an owner are built on: the sizes of its arrays, and the start of every builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from casadi import SX

from ..errors import ArgumentError, shown

Known = TypeVar("Known")


@dataclass(frozen=True)
class Basis:
    """What forms ask of the models of one kind of owner.

    `sizes(model)` gives the letters of shapes as numbers, None for a constant that is no input;
    `start(model, constants)` the first arguments of every builder, of symbols by name.
    """

    sizes: Callable[[Any], Mapping[str, int | None]]
    start: Callable[[Any, Mapping[str, SX]], tuple[Any, ...]]


BASES: dict[type, Basis] = {}
"""The basis of each kind of model; catalogues enter it."""


def basis_of(model: Any) -> Basis:
    """Return what the forms of a model are built on."""
    return of_kind(BASES, model)


def of_kind(known: Mapping[type, Known], model: Any) -> Known:
    """Return what is known of the kind of a model, or of a kind that it is one of."""
    for kind in type(model).__mro__:
        if kind in known:
            return known[kind]
    raise ArgumentError(f"{shown(model)} has no forms; expected the model of a robot")
