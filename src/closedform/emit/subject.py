"""What a written function computes, of whom, and what the entries of its arrays stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..forms import Form
from ..model import Body, Model
from ..programs import Program
from .names import LONGEST, identifier, label
from .quantities import Quantity

FRAME = 16
"""Most characters of a frame's name within a function's."""

Index = Callable[[str, tuple[int, ...]], str]
"""How a language writes an entry: (array, indices from zero) -> text."""


def _nothing(_: Index) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Subject:
    """A function's `name` (mass_matrix), `owner` (the robot's name) and documentation.

    `layout` tells what the entries of its arrays are, `facts` what its constants rest on.
    `quantities` explains arrays that are not a robot's.
    """

    name: str
    owner: str
    doc: str
    layout: Callable[[Index], Iterable[str]] = _nothing
    facts: tuple[str, ...] = ()
    quantities: dict[str, Quantity] = field(default_factory=dict)
    frame: str | None = None

    @property
    def function(self) -> str:
        """The name of the function unless the user chooses one: owner, then what it computes."""
        return f"{identifier(self.owner, LONGEST - len(self.name) - 1)}_{self.name}"


def form_subject(form: Form, model: Model, program: Program, frame: str | None = None) -> Subject:
    """Return the subject of a form of a robot."""
    name = form.name if form.order is None else f"{form.name}_{form.order}"
    if "phi" in form.inputs:
        name += "_phi"
    if form.framed and frame is not None:
        name += f"_{identifier(frame, FRAME)}"
    shown = model.frame(frame).name if form.framed else None
    facts: tuple[str, ...] = ()
    if form.dynamic:
        gravity = ", ".join(f"{float(value) + 0.0:g}" for value in model.gravity)
        facts = (f"Gravity ({gravity}) m/s^2 in the base frame.",)

    def layout(index: Index) -> Iterator[str]:
        yield from _joints(model, index)
        if _runs_over_bodies(model, program):
            yield from ("", "Bodies, in order:", *(f"  {label(body.name)}" for body in model.bodies))

    return Subject(name, model.name, form.doc, layout, facts, frame=shown)


def _runs_over_bodies(model: Model, program: Program) -> bool:
    """Whether an array has a row per body (wrenches) or ten entries per body (phi)."""
    count = len(model.bodies)
    shapes = [shape for _, shape in (*program.inputs, *program.outputs)]
    return any(shape == (count, 6) for _, shape in program.inputs) or any(10 * count in s for s in shapes)


def _joints(model: Model, index: Index) -> Iterator[str]:
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
