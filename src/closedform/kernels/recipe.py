"""Where a kernel's program comes from: a form of a robot, or expressions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..errors import ArgumentError
from ..forms import Form, form
from ..lazy import cached_property
from ..model import Model
from ..programs import Program, trace

Named = Sequence[tuple[str, tuple[int, ...]]]


class Recipe(Protocol):
    """What a kernel needs to know before its program is traced; recipes pickle.

    `identity` tells programs apart in the cache without tracing them.
    """

    @property
    def name(self) -> str:
        """Name of the function."""

    @property
    def doc(self) -> str:
        """What it returns."""

    @property
    def subject(self) -> str:
        """Whose function it is, for people."""

    @property
    def inputs(self) -> Named:
        """Names and core shapes of the inputs."""

    @property
    def outputs(self) -> Named:
        """Names and core shapes of the outputs."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Texts that differ wherever programs differ."""

    def program(self) -> Program:
        """Return the program."""


@dataclass(frozen=True)
class FormRecipe:
    """A form of a model, for a frame where the form has one."""

    model: Model
    name: str
    frame: str | None = None
    order: int | None = None
    phi: bool = False

    def __post_init__(self) -> None:
        if self.frame is not None and not self.form.framed:
            raise ArgumentError(f"{self.name} is not a form of a frame; {self.frame!r} given")
        if self.form.framed:
            object.__setattr__(self, "frame", self.model.frame(self.frame).name)

    @cached_property
    def form(self) -> Form:
        """The form."""
        return form(self.name, self.order, phi=self.phi)

    @property
    def doc(self) -> str:
        """Documentation of the form."""
        return self.form.doc

    @property
    def subject(self) -> str:
        """The robot, and the frame."""
        return repr(self.model.name) + (f", frame={self.frame!r}" if self.frame else "")

    @property
    def inputs(self) -> Named:
        """Names and core shapes of the inputs."""
        return list(zip(self.form.inputs, self.form.input_shapes(self.model), strict=True))

    @property
    def outputs(self) -> Named:
        """Names and core shapes of the outputs."""
        names = [name for name, _ in self.form.outputs]
        return list(zip(names, self.form.output_shapes(self.model), strict=True))

    @property
    def identity(self) -> tuple[str, ...]:
        """Form, order, phi, placement of the frame, and the model's digest."""
        placement = ""
        if self.frame is not None:
            frame = self.model.frame(self.frame)
            placement = f"{frame.body}:{frame.placement.tobytes().hex()}"
        return (self.name, str(self.order), str(self.phi), placement, self.model.digest)

    def program(self) -> Program:
        """Return the program by the route that costs fewer operations."""
        return trace(self.model, self.name, self.frame, order=self.order, phi=self.phi)


@dataclass(frozen=True)
class ProgramRecipe:
    """A program as it stands."""

    traced: Program
    doc: str
    subject: str

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.traced.name

    @property
    def inputs(self) -> Named:
        """Names and core shapes of the inputs."""
        return self.traced.inputs

    @property
    def outputs(self) -> Named:
        """Names and core shapes of the outputs."""
        return self.traced.outputs

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """A hash of the operations and of what becomes of them."""
        it = self.traced
        text = repr((it.inputs, it.outputs, it.operations, it.results))
        return ("program", it.name, hashlib.sha256(text.encode()).hexdigest())

    def program(self) -> Program:
        """Return the program."""
        return self.traced
