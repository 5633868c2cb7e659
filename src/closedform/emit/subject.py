"""What a written function computes, of whom, and what the entries of its arrays stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, singledispatch
from typing import Any

from ..forms import Form, Quantity
from ..forms.catalogue import INERTIAS
from ..forms.reference import TWIST_REFERENCES
from ..model import Body, Model
from .names import LONGEST, identifier, label

FRAME = 16
"""Most characters of a frame's name within a function's."""

Index = Callable[[str, tuple[int, ...]], str]
"""How a language writes an entry: (array, indices from zero) -> text."""


def _nothing(_: Index) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Subject:
    """A function's `name` (mass_matrix), `owner` (the robot's name) and documentation.

    `layout` says what the entries of its arrays are, `facts` which data its constants come from,
    `quantities` what its arrays are, by name; `words` stand in their meanings, such as the frame's name.
    """

    name: str
    owner: str
    doc: str
    layout: Callable[[Index], Iterable[str]] = _nothing
    facts: tuple[str, ...] = ()
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def function(self) -> str:
        """The name of the function unless the user chooses one: owner, then what it computes."""
        return f"{identifier(self.owner, LONGEST - len(self.name) - 1)}_{self.name}"


def form_subject(form: Form, model: Any) -> Subject:
    """Return the subject of a form of a model; a frame is part of the name if it was asked for."""
    variant = form.variant
    name = form.name if variant.order is None else f"{form.name}_{variant.order}"
    if variant.phi:
        name += "_phi"
    wrenches = variant.wrenches if isinstance(variant.wrenches, tuple) else ()
    for each in (variant.frame, variant.relative_to, variant.reference, *wrenches):
        if each is not None:
            name += f"_{identifier(each, FRAME)}"
    if variant.wrenches is True:
        name += "_wrenches"
    if variant.friction:
        name += "_friction"
    quantities = {each.name: each.quantity for each in (*form.arrays(model), *form.gives)}
    return Subject(
        name,
        model.name,
        form.doc,
        partial(layout, model, form),
        tuple(facts(model, form)),
        quantities,
        _words(form, model) if form.framed else {},
    )


def _words(form: Form, model: Any) -> dict[str, str]:
    """Return the words for what a form of a frame was asked for: those of a twist hold the others."""
    variant = form.variant
    twist = TWIST_REFERENCES[variant.reference or "body"]
    observer = "the base frame" if variant.relative_to is None else f"frame {label(variant.relative_to)}"
    frame = label(model.frame(variant.frame).name)
    return {"twist": twist.twist, "where": twist.where, "observer": observer, "frame": frame}


@singledispatch
def layout(model: Any, form: Form, index: Index) -> Iterator[str]:
    """Yield lines on what the entries of the arrays are; every kind of model registers its own."""
    yield from ()


@singledispatch
def facts(model: Any, form: Form) -> Iterator[str]:
    """Yield sentences on the data in the constants; every kind of model may register its own."""
    yield from ()


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
        yield f"  {'  '.join(places)}  {label(body.joint_name)}: {_motion(body)}"
    axes = {letter for each in (*form.arrays(model), *form.gives) for letter in each.shape}
    if axes & {"b", "p"}:
        yield from ("", "Bodies, in order:", *(f"  {label(body.name)}" for body in model.bodies))


def _range(index: Index, name: str, first: int, count: int) -> str:
    start = index(name, (first,))
    return start if count == 1 else f"{start} to {index(name, (first + count - 1,))}"


def _motion(body: Body) -> str:
    """Return what the coordinates of a joint are."""
    joint = body.joint
    if joint.kind == "free":
        return "free; q = position (m), quaternion x y z w; qd = body twist omega (rad/s), v (m/s)"
    if joint.kind == "ball":
        return "ball; q = quaternion x y z w; qd = body angular velocity (rad/s)"
    units = ["rad" if joint.X[:3, k].any() else "m" for k in range(joint.nv)]
    kind = joint.kind if joint.nv == 1 else "along its screws"
    return f"{kind} ({', '.join(units)})"
