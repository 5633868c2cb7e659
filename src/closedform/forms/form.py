"""What a form is: its inputs, outputs and the function that builds its expression, of any owner."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from casadi import SX

from ..checks import flag, known_name, whole_number
from ..errors import ArgumentError, ClosedFormError, shown
from .basis import basis_of
from .loads import REFERENCES, Loads, wrench_array
from .need import Need
from .quantity import FormArray
from .reference import BODY
from .variant import INPUTS, PLAIN, Variant
from .velocity_coordinates import velocity_arrays

Builder = Callable[..., SX | tuple[SX, ...]]

MAX_ORDER = 12
"""Highest order of a form that exists for any order."""

DEFAULT_ORDER = 2
"""Order of such a form if none is asked for."""


@dataclass(frozen=True, repr=False)
class Form:
    """One quantity (or several computed together): what it takes, what it gives, what defines it.

    `build(*basis, *inputs[, frame])` is the route kernels use; `closed` is the papers' block
    matrix route, if there is one. The basis is what the owner's expressions are built on. Two kinds of
    its numbers can be inputs, after the others: `constants` if the owner gives them a size, `optional`
    if a variant asks for them. An `ordered` form is a family: its member of order k gives k time
    derivatives, and takes k more derivatives of each quantity. `choices` names what else a call may
    choose, `loaded` the array of wrenches that one of them adds. A `frictional` form depends on the
    joints' damping and friction, a `sprung` one on their springs. `variant` says what was chosen.
    """

    name: str
    group: str
    takes: tuple[FormArray, ...]
    gives: tuple[FormArray, ...]
    build: Builder
    closed: Builder | None = None
    needs: tuple[Need, ...] = ()
    constants: tuple[FormArray, ...] = ()
    optional: tuple[FormArray, ...] = ()
    framed: bool = False
    ordered: bool = False
    choices: tuple[str, ...] = ()
    loaded: FormArray | None = None
    frictional: bool = False
    sprung: bool = False
    variant: Variant = PLAIN

    def __repr__(self) -> str:
        takes, gives = (", ".join(each.name for each in every) for every in (self.takes, self.gives))
        return f"<form {self.name}({takes}) -> {gives}>"

    @property
    def doc(self) -> str:
        """The documentation of the form: a claim, its equation and its source."""
        doc = inspect.cleandoc(self.build.__doc__ or "")
        if not self.variant.inputs:
            return doc
        given = self._asked(self.variant)
        names = [f"{each.quantity.meaning.partition(', ')[0]} `{each.name}`" for each in given]
        last = "the last input" if len(names) == 1 else "the last inputs"
        return f"{doc}\n\nThe {' and the '.join(names)} are {last}."

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.doc.splitlines()[0]

    @property
    def citation(self) -> str | None:
        """The first source that the documentation cites, such as [Garofalo2013, Eq. (24)]."""
        found = re.search(r"\[[A-Z][A-Za-z]+\d{4}\b[^\]]*\]", self.doc)
        return found and found[0]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays it takes, without constants of the owner."""
        return tuple(each.name for each in self.takes)

    @property
    def highest(self) -> tuple[FormArray, ...]:
        """The highest derivative of each quantity it takes; a family takes one more of each per order."""
        last = {replace(each.quantity, order=0): each for each in self.takes}
        return tuple(last.values())

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the arrays it gives."""
        return tuple(each.name for each in self.gives)

    @property
    def shipped(self) -> bool:
        """Whether the library's own source defines it, which the cache of machine code knows."""
        return self.build.__module__.partition(".")[0] == __name__.partition(".")[0]

    def at(self, variant: Variant) -> Form:
        """Return the form of a frame, of an order, with phi or geometry as inputs: as the variant says."""
        for name in INPUTS:
            if flag(f"{self.name}: {name}", getattr(variant, name)) and not self.may_take(name):
                may = " and ".join(each.name for each in self.optional) or "none of the owner's numbers"
                raise ArgumentError(f"{self.name} does not take {name} as an input; it takes {may}")
        if variant.frame is not None and not self.framed:
            hint = "" if isinstance(variant.frame, str) else "; give a precision as dtype=..."
            raise ArgumentError(f"{self.name} is not a form of a frame; {shown(variant.frame)} given{hint}")
        found = self._of_order(variant.order)._with_choices(variant)
        if variant.inputs:
            needs = tuple(need for need in self.needs if not need.values)
            given = (*self.constants, *self._asked(variant))
            found = replace(found, constants=given, needs=needs, closed=None)
        return replace(found, variant=replace(variant, order=found.variant.order))

    def _asked(self, variant: Variant) -> tuple[FormArray, ...]:
        """Return the numbers of the owner that are inputs; what an owner has besides them comes with phi."""
        return tuple(
            each for each in self.optional if (each.name if each.name in INPUTS else "phi") in variant.inputs
        )

    def may_take(self, name: str) -> bool:
        """Return whether numbers of the owner, phi or geometry, can be an input."""
        return any(each.name == name for each in self.optional)

    def _with_choices(self, variant: Variant) -> Form:
        """Return the form with the inputs that the choices of a variant add."""
        for name, value in variant.chosen.items():
            if name not in self.choices:
                offered = f"; it takes {', '.join(self.choices)}" if self.choices else ""
                raise ArgumentError(f"{self.name} does not take {name}; {shown(value)} given{offered}")
        if variant.reference is not None:
            known_name("reference", variant.reference, REFERENCES)
        flag(f"{self.name}: friction", variant.friction)
        flag(f"{self.name}: springs", variant.springs)
        frictional, sprung = self.frictional or variant.friction, self.sprung or variant.springs
        found = replace(self, frictional=frictional, sprung=sprung) if variant.chosen else self
        if variant.chosen.keys() - {"factorisation"}:  # block matrices know no other choice
            found = replace(found, closed=None)
        if variant.rows is not None:
            sized = (_sized(each, "t", len(variant.rows)) for each in found.gives)
            found = replace(found, gives=tuple(sized))
        found = replace(found, gives=velocity_arrays(found.gives, variant.coordinates))
        if self.loaded is None:
            return replace(found, takes=tuple(wrench_array(each, variant) for each in found.takes))
        if not variant.wrenches:
            if variant.reference is not None:
                raise ArgumentError(f"{self.name}: reference is that of wrenches; none are given")
            return found
        array = wrench_array(self.loaded, variant)
        wrenches = [array, *(array.rate(k + 1) for k in range(found.variant.order or 0))]
        return replace(found, takes=(*found.takes, *wrenches))

    def _of_order(self, order: int | None) -> Form:
        """Return the member of an ordered family that gives derivatives up to `order`."""
        if not self.ordered:
            if order is not None:
                raise ArgumentError(f"{self.name} exists for one order only; order={shown(order)} given")
            return self
        order = DEFAULT_ORDER if order is None else whole_number(f"{self.name}: order", order, 0)
        if order > MAX_ORDER:
            raise ArgumentError(f"{self.name}: order {order} is too high; expected 0 to {MAX_ORDER}")
        takes = []
        for each in self.takes:
            takes.append(each)
            if each in self.highest:
                takes += [each.rate(k + 1) for k in range(order)]
        (given,) = self.gives
        rates = [
            given.quantity.rate(k).array(*given.shape, name=f"{given.name}_{k}") for k in range(1, order + 1)
        ]
        return replace(self, takes=tuple(takes), gives=(given, *rates), variant=Variant(order=order))

    def arrays(self, model: Any) -> tuple[FormArray, ...]:
        """Return its inputs for an owner: what it takes, and constants that are inputs there."""
        sizes = basis_of(model).sizes(model)
        absent = {letter for letter, size in sizes.items() if size is None}
        return (*self.takes, *(each for each in self.constants if absent.isdisjoint(each.shape)))

    def input_shapes(self, model: Any) -> list[tuple[int, ...]]:
        """Return the core shape of each input."""
        return _resolved(self.arrays(model), model)

    def output_shapes(self, model: Any) -> list[tuple[int, ...]]:
        """Return the core shape of each output."""
        return _resolved(self.gives, model)

    def expression(
        self, model: Any, *, closed: bool = False, basis: tuple[Any, ...] | None = None
    ) -> tuple[list[SX], list[SX]]:
        """Return the symbols of the inputs and the expressions of the outputs.

        `basis` replaces what the model's own numbers give. An output with three axes is a matrix
        whose rows run over the first two.
        """
        self.check(model)
        builder = self.closed if closed else self.build
        if builder is None:
            raise ClosedFormError(f"{self.name}: has no block-matrix route")
        arrays = self.arrays(model)
        symbols = [
            SX.sym(each.name, *shape) for each, shape in zip(arrays, self.input_shapes(model), strict=True)
        ]
        count = len(self.takes)
        if basis is None:
            names = (each.name for each in arrays[count:])
            basis = basis_of(model).start(model, dict(zip(names, symbols[count:], strict=True)))
        extra = (self.variant.frame,) if self.framed else ()
        given, chosen = self._chosen(symbols[:count])
        built = builder(*basis, *given, *extra, **chosen)
        return symbols, list(built) if isinstance(built, tuple) else [built]

    def _chosen(self, symbols: list[SX]) -> tuple[list[SX], dict[str, Any]]:
        """Return the arrays and the choices that the builder takes; wrenches are one of the latter."""
        chosen, variant = self.variant.chosen, self.variant
        frames = variant.wrench_frames
        if self.loaded is None:
            chosen.pop("wrenches", None)
            return symbols, chosen if frames is None else {"frames": frames, **chosen}
        if not chosen:
            return symbols, {}
        count = 1 + (variant.order or 0) if variant.wrenches else 0
        plain, wrenches = symbols[: len(symbols) - count], symbols[len(symbols) - count :]
        reference = variant.reference or BODY
        loads = Loads(tuple(wrenches), frames, reference, variant.friction, variant.springs)
        return plain, {"loads": loads}

    def check(self, model: Any) -> None:
        """Refuse a model that lacks what the form needs."""
        for need in self.needs:
            need.check(model, self.name)


def _sized(array: FormArray, letter: str, size: int) -> FormArray:
    """Return an array with a number in place of a letter of its shape."""
    return replace(array, shape=tuple(size if each == letter else each for each in array.shape))


def _resolved(arrays: Sequence[FormArray], model: Any) -> list[tuple[int, ...]]:
    """Return shapes of letters as numbers."""
    sizes = basis_of(model).sizes(model)
    return [tuple(sizes[size] if isinstance(size, str) else size for size in each.shape) for each in arrays]  # type: ignore[misc]
