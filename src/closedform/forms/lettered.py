"""Models some of whose numbers are letters, for equations that people read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from ..checks import some_of
from .form import Form


@dataclass(frozen=True)
class Lettered:
    """A model with symbols for its numbers.

    `basis` is what builders take first, None if that is what the model's own numbers give.
    `parameters` are the symbols with their values; of the kinds in `kinds` they are printed as
    letters, of others as numbers. `groups` hold the coordinates that are angles about parallel
    axes. In a `trajectory` qd is the time derivative of q, which quaternions are not. Programs of
    more than `most` operations are refused, if there is such a limit.
    """

    basis: tuple[Any, ...] | None = None
    parameters: Sequence[Any] = ()
    kinds: tuple[str, ...] = ()
    groups: Sequence[Sequence[int]] = ()
    trajectory: bool = True
    most: int | None = None


@singledispatch
def lettered(model: Any, form: Form, symbolic: bool | str | Collection[str], convention: str) -> Lettered:
    """Return a model with letters of the kinds asked for; every kind of model may register its own.

    A model that registers nothing has numbers only.
    """
    some_of("symbolic", symbolic, ())
    return Lettered()
