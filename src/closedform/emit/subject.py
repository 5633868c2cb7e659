"""What a written function computes, of whom, and what the entries of its arrays stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, singledispatch
from typing import Any

import numpy as np

from ..arrays import Array
from ..forms import CHOICES, PLAIN, Form, Quantity, Variant
from ..forms.catalogue import INERTIAS
from ..forms.reference import TWIST_REFERENCES
from ..forms.variant import INPUTS
from ..model import Model, random_state
from .names import LONGEST, identifier, label

FRAME = 16
"""Most characters of a frame's name within a function's."""

PREFIXES = {"order": "", **{each: each for each in INPUTS}, "frame": "", "relative_to": "relative"}
PREFIXES |= {"wrenches": "wrenches", "reference": "in", "factorisation": ""}
PREFIXES |= {each: each for each in CHOICES if each not in PREFIXES}
"""What may be chosen, in the order in which it is part of a function's name, and the word before it."""

WHAT = 40
"""Most characters of what a function computes within its name; the owner's name has the rest."""

Index = Callable[[str, tuple[int, ...]], str]
"""How a language writes an entry: (array, indices from zero) -> text."""


States = Callable[[np.random.Generator, int], Mapping[str, Array]]
"""Typical inputs: (generator, count) -> arrays of count samples by name."""


def _nothing(_: Index) -> Iterable[str]:
    return ()


def _any(_: np.random.Generator, __: int) -> Mapping[str, Array]:
    return {}


@dataclass(frozen=True)
class Subject:
    """A function's `name` (mass_matrix), `owner` (the robot's name) and documentation.

    `layout` says what the entries of its arrays are, `facts` which data its constants come from,
    `quantities` what its arrays are, by name; `words` stand in their meanings, such as the frame's name.
    `sizes` become constants of a header (NQ, NV). `states` gives typical inputs, at which stored numbers
    are computed; other inputs are then between 1/2 and 3/2.
    """

    name: str
    owner: str
    doc: str
    layout: Callable[[Index], Iterable[str]] = _nothing
    facts: tuple[str, ...] = ()
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    states: States = _any

    @property
    def what(self) -> str:
        """The name of what is computed, as a part of the function's."""
        return identifier(self.name, WHAT)

    @property
    def function(self) -> str:
        """The name of the function unless the user chooses one: owner, then what it computes."""
        return f"{identifier(self.owner, LONGEST - len(self.what) - 1)}_{self.what}"


def form_subject(form: Form, model: Any) -> Subject:
    """Return the subject of a form of a model; what was chosen is part of the name."""
    quantities = {each.name: each.quantity for each in (*form.arrays(model), *form.gives)}
    return Subject(
        _name(form.name, form.variant),
        model.name,
        _documentation(form),
        partial(layout, model, form),
        tuple(facts(model, form)),
        quantities,
        _words(form, model) if form.framed else {},
        sizes(model),
        partial(states, model, form),
    )


def _documentation(form: Form) -> str:
    """Return the documentation of a form, which is that of all choices, and what was chosen."""
    chosen = []
    for name, value in form.variant.chosen.items():
        values = ", ".join(label(str(each)) for each in _values(value))
        chosen.append(f"{name} {values}" if values else name)
    return f"{form.doc}\n\nChosen: {'; '.join(chosen)}." if chosen else form.doc


def _words(form: Form, model: Any) -> dict[str, str]:
    """Return the words for what a form of a frame was asked for: those of a twist hold the others."""
    variant = form.variant
    twist = TWIST_REFERENCES[variant.reference or "body"]
    observer = "the base frame" if variant.relative_to is None else f"frame {label(variant.relative_to)}"
    frame = label(model.frame(variant.frame).name)
    return {"twist": twist.twist, "where": twist.where, "observer": observer, "frame": frame}


def _name(name: str, variant: Variant) -> str:
    """Return the name of a form with its order and what else was chosen: jacobian_tool_in_world."""
    words = [name]
    for choice, prefix in PREFIXES.items():
        value = getattr(variant, choice)
        if value != getattr(PLAIN, choice):
            words += [*filter(None, [prefix]), *map(_word, _values(value))]
    return "_".join(words)


def _values(chosen: Any) -> tuple[Any, ...]:
    """Return what was chosen, one by one; True is said by the name of the choice alone."""
    return chosen if isinstance(chosen, tuple) else () if chosen is True else (chosen,)


def _word(value: str | int) -> str:
    return str(value) if isinstance(value, int) else identifier(value, FRAME)


@singledispatch
def layout(model: Any, form: Form, index: Index) -> Iterator[str]:
    """Yield lines on what the entries of the arrays are; every kind of model registers its own."""
    yield from ()


@singledispatch
def facts(model: Any, form: Form) -> Iterator[str]:
    """Yield sentences on the data in the constants; every kind of model may register its own."""
    yield from ()


@singledispatch
def sizes(model: Any) -> Mapping[str, int]:
    """Return the sizes that a header gives names; every kind of model may register its own."""
    return {}


@singledispatch
def states(model: Any, form: Form, rng: np.random.Generator, count: int) -> Mapping[str, Array]:
    """Return random inputs of a form by name; every kind of model may register its own."""
    return {}


@sizes.register
def _coordinates(model: Model) -> Mapping[str, int]:
    return {"NQ": model.nq, "NV": model.nv}


@states.register
def _moving(model: Model, form: Form, rng: np.random.Generator, count: int) -> Mapping[str, Array]:
    (q,) = random_state(model, rng, (count,), 0)
    around = rng.uniform(0.9, 1.1, (count, 1))
    shapes = zip(form.inputs, form.input_shapes(model), strict=False)
    others = {name: rng.uniform(-1, 1, (count, *shape)) for name, shape in shapes}
    near = rng.uniform(-0.1, 0.1, (count, *model.geometry.shape))
    return {**others, "q": q, "phi": model.phi * around, "geometry": model.geometry + near}


@facts.register
def _gravity(model: Model, form: Form) -> Iterator[str]:
    if INERTIAS in form.needs or form.group == "parameters":
        gravity = ", ".join(f"{float(value) + 0.0:g}" for value in model.gravity)
        yield f"Gravity ({gravity}) m/s^2 in the base frame."


@layout.register
def _joints(model: Model, form: Form, index: Index) -> Iterator[str]:
    yield "Joints, in order:"
    for body in model.bodies:
        if body.coupling is not None:
            driver = label(model.bodies[body.coupling.body].joint_name)
            factor, offset = body.coupling.multiplier, body.coupling.offset
            yield f"  (follows)  {label(body.joint_name)} = {factor!r} * {driver} + {offset!r}"
            continue
        places = [
            _range(index, name, first, count)
            for name, first, count in (("q", body.iq, body.joint.nq), ("qd", body.iv, body.joint.nv))
        ]
        yield f"  {'  '.join(places)}  {label(body.joint_name)}: {body.joint.meaning}"
    axes = {letter for each in (*form.arrays(model), *form.gives) for letter in each.shape}
    if axes & {"b", "p"}:
        yield from ("", "Bodies, in order:", *(f"  {label(body.name)}" for body in model.bodies))
    if "f" in axes:
        yield from ("", "Frames, in order:", *(f"  {label(name)}" for name in model.frame_names))


def _range(index: Index, name: str, first: int, count: int) -> str:
    start = index(name, (first,))
    return start if count == 1 else f"{start} to {index(name, (first + count - 1,))}"
