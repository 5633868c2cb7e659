"""The arguments of a form: which are arrays, which choose a variant, and how Python shows them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import batch_array, common_batch
from ..errors import ArgumentError, no_such_argument, shown
from ..forms import MAX_ORDER, PLAIN, Form
from ..guests.stacking import stacked

OPTIONS = {"out": None, "threads": 1}
"""What every form takes by name besides arrays and choices, and what it is if it is not given."""


@dataclass(frozen=True)
class Arguments:
    """A call taken apart: arrays in order and by name, and what it chooses.

    `roles` says what the words after the arrays are; wrenches of some frames are still a mapping.
    """

    arrays: tuple[Any, ...]
    named: dict[str, Any]
    chosen: dict[str, Any]
    roles: tuple[str, ...]

    @property
    def given(self) -> list[Any]:
        """All arrays; those of a mapping one by one."""
        found: list[Any] = []
        for each in (*self.arrays, *self.named.values()):
            found += each.values() if isinstance(each, Mapping) else (each,)
        return found


class Parameters:
    """What a form takes: arrays, then words, then what is given by name only.

    Without a model, constants that are inputs of some owners may be left out.
    """

    def __init__(self, form: Form, model: Any = None) -> None:
        self.form = form
        arrays = (*form.takes, *form.constants) if model is None else form.arrays(model)
        self.inputs = tuple(each.name for each in arrays)
        self._needed = len(form.takes if model is None else arrays)
        self.words = (
            *(("frame",) if form.framed else ()),
            *(("relative_to",) if "relative_to" in form.choices else ()),
        )
        self._highest = len(form.highest)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments, without further derivatives of a family."""
        return tuple(dict.fromkeys((*self.inputs, *self.words, *self.form.choices, *OPTIONS)))

    @property
    def signature(self) -> inspect.Signature:
        """The arguments as Python shows them."""
        kinds = inspect.Parameter
        form = self.form
        found = [
            kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if k < self._needed else ...)
            for k, name in enumerate(self.inputs)
        ]
        by_name = [name for name in form.choices if name not in (*self.inputs, *self.words)]
        if form.ordered:
            found.append(kinds("derivatives", kinds.VAR_POSITIONAL))
            by_name = [*self.words, *by_name]
        else:
            found += [kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=None) for name in self.words]
        found += [kinds(name, kinds.KEYWORD_ONLY, default=_default(name)) for name in (*by_name, *OPTIONS)]
        if form.ordered:
            found.append(kinds("named", kinds.VAR_KEYWORD))
        return inspect.Signature(found)

    def taken_apart(self, args: Sequence[Any], named: Mapping[str, Any]) -> Arguments:
        """Return the arguments of a call by what they are."""
        count, form = len(args), self.form
        if form.ordered:
            while count and (args[count - 1] is None or isinstance(args[count - 1], str)):
                count -= 1
        elif self.words:
            count = min(count, len(self.inputs))
        words = args[count:]
        if len(words) > len(self.words) or (not form.ordered and count > len(self.inputs)):
            expected = " and ".join((", ".join(self.inputs), *self.words))
            others = [name for name in form.choices if name not in (*self.inputs, *self.words)]
            by_name = f" and {', '.join(others)} by name" if others else ""
            raise ArgumentError(f"{form.name} takes {expected} in order{by_name}; {len(args)} given")
        chosen = {name: value for name, value in named.items() if name in (*self.words, *form.choices)}
        arrays = {name: value for name, value in named.items() if name not in (*chosen, *OPTIONS)}
        for name, word in zip(self.words, words, strict=False):
            if word is not None and not isinstance(word, str):
                raise ArgumentError(f"{form.name}: {name} is {shown(word)}; expected a name")
            if name in chosen:
                raise ArgumentError(f"{form.name}: {name} is given twice")
            chosen[name] = word
        if not form.ordered:
            self._check_names(arrays)
        call = Arguments(tuple(args[:count]), arrays, chosen, self.words[: len(words)])
        if "wrenches" in form.choices:
            self._take_wrenches(call)
        for name in tuple(chosen):
            if isinstance(chosen[name], str):
                chosen[name] = str.__str__(chosen[name])  # subclasses may compare as they like
            elif isinstance(chosen[name], list):
                chosen[name] = tuple(chosen[name])
            elif chosen[name] is _default(name):
                del chosen[name]
        return call

    def _check_names(self, arrays: Mapping[str, Any]) -> None:
        """Refuse arrays by names that the form does not have."""
        for name in arrays:
            if name not in self.inputs and not (self.form.loaded and name.startswith("wrenches")):
                raise no_such_argument(self.form.name, name, self.names)

    def _take_wrenches(self, call: Arguments) -> None:
        """Let wrenches be arrays of a call, and choose the frames that they act at.

        A mapping gives wrenches of some frames by name, an array those of all bodies.
        """
        form, chosen, named = self.form, call.chosen, call.named
        if "wrenches" in chosen:
            named["wrenches"] = chosen.pop("wrenches")
        for name in tuple(named):
            nothing = isinstance(named[name], Mapping) and not named[name]
            if name.startswith("wrenches") and (named[name] is None or nothing):
                del named[name]
        given = [value for name, value in named.items() if name.startswith("wrenches")]
        mapped = [value for value in (*call.arrays, *given) if isinstance(value, Mapping)]
        frames = {_frames(each) if isinstance(each, Mapping) else True for each in (*mapped, *given)}
        if len(frames) > 1:
            raise ArgumentError(f"{form.name}: wrenches and their rates are not of the same frames")
        if mapped or (frames and form.loaded):
            (chosen["wrenches"],) = frames

    def stacked(self, name: str, given: Any, call: Arguments) -> Any:
        """Return wrenches of frames as one array, a row per frame; other arrays as they are."""
        if not isinstance(given, Mapping) or "wrenches" not in self.form.choices:
            return given
        if not given:
            raise ArgumentError(f"{self.form.name}: {name} names no frame; give {{frame: (moment; force)}}")
        parts = {str(frame): given[frame] for frame in _frames(given)}
        of_guests = stacked(f"{self.form.name}: {name}", parts, 6, call.given)
        if of_guests is not None:
            return of_guests
        rows = {
            frame: batch_array(f"{self.form.name}: {name}[{frame!r}]", part, 6)
            for frame, part in parts.items()
        }
        common_batch(self.form.name, **{frame: row.shape[:-1] for frame, row in rows.items()})
        return np.stack(np.broadcast_arrays(*rows.values()), axis=-2)

    def order(self, call: Arguments) -> int | None:
        """Return the order of the member of a family that takes this many arrays."""
        form, each, least = self.form, self._highest, len(self.inputs)
        if not form.ordered:
            return None
        loads = [name for name in call.named if form.loaded and name.startswith("wrenches")]
        given = len(call.arrays) + len(call.named) - len(loads)
        order, rest = divmod(given - least, each)
        if not 0 <= order <= MAX_ORDER or rest:
            further = "further derivatives" if each == 1 else f"{each} further derivatives per order"
            raise ArgumentError(
                f"{form.name} takes {', '.join(self.inputs)} and {further}, {least} to "
                f"{least + each * MAX_ORDER} arrays; {given} given"
            )
        return order


def _frames(wrenches: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return the frames that have wrenches, in one order whatever order they are given in."""
    return tuple(sorted(wrenches, key=str))


def _default(name: str) -> Any:
    """Return what an argument by name is if it is not given."""
    if name in OPTIONS:
        return OPTIONS[name]
    return None if name == "wrenches" else getattr(PLAIN, name)
