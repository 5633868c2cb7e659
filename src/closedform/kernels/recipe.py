"""Where a kernel's program comes from: a form of a model, or expressions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from casadi import CasadiMeta

from ..forms import PLAIN, Form, Variant, catalogue
from ..forms.friction import LOSSES
from ..forms.reference import BODY
from ..lazy import cached_property
from ..programs import PRODUCTS, Program, trace
from .cache import source_digest

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
    """A form of a model, as a variant of it; of a framed form the frame is the model's default."""

    model: Any
    name: str
    variant: Variant = PLAIN

    def __post_init__(self) -> None:
        if self.form.framed:
            frame = self.model.frame(self.variant.frame).name
            object.__setattr__(self, "variant", replace(self.variant, frame=frame))

    @cached_property
    def form(self) -> Form:
        """The form."""
        return catalogue(self.model).form(self.name, self.variant)

    @property
    def doc(self) -> str:
        """Documentation of the form."""
        return self.form.doc

    @property
    def subject(self) -> str:
        """The owner of the form, the frame and what else was chosen."""
        frame = self.variant.frame
        chosen = {"frame": frame, **self.variant.chosen} if frame else self.variant.chosen
        return ", ".join([repr(self.model.name), *(f"{name}={value!r}" for name, value in chosen.items())])

    @property
    def inputs(self) -> Named:
        """Names and core shapes of the inputs."""
        names = [each.name for each in self.form.arrays(self.model)]
        return list(zip(names, self.form.input_shapes(self.model), strict=True))

    @property
    def outputs(self) -> Named:
        """Names and core shapes of the outputs."""
        return list(zip(self.form.outputs, self.form.output_shapes(self.model), strict=True))

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """What the program follows from (CasADi simplifies on the way), or else a hash of the program."""
        digest = catalogue(self.model).digest
        if digest is None or not self.form.shipped:
            return program_identity(self.program())
        variant, order = self.variant, self.form.variant.order
        every = self.model.frame_names if any("f" in each.shape for each in self.form.gives) else ()
        named = [
            self._place(each)
            for each in (variant.frame, variant.relative_to, *(variant.wrench_frames or ()), *every)
        ]
        loads = [variant.reference or BODY, str(bool(variant.wrenches)), str(variant.rows)]
        loads.append(str(variant.coordinates))
        if self.form.frictional:
            loads += [self.model.joint_array(each).tobytes().hex() for each in LOSSES]
        if self.form.sprung:
            loads += [repr([(each.stiffness, each.spring_rest) for each in self.model.bodies])]
        if variant.factorisation != PLAIN.factorisation:
            loads.append(variant.factorisation)
        chosen = (str(order), " ".join(variant.inputs), *named, *loads)
        return (self.name, *chosen, digest(self.model), CasadiMeta.version())

    def _place(self, name: str | None) -> str:
        """Return where a frame is, which its name need not tell: another model may have it elsewhere."""
        if name is None:
            return ""
        frame = self.model.frame(name)
        fixed = self.model.base_phi.tobytes().hex() if frame.body < 0 else ""  # no part of the digest
        return f"{frame.body}:{frame.placement.tobytes().hex()}:{fixed}"

    def program(self) -> Program:
        """Return the program by the route that costs fewer operations."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        return trace(self.model, self.name, self.variant)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.name, self.variant)


@dataclass(frozen=True)
class ProgramRecipe:
    """A program as it is."""

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
        return program_identity(self.traced)

    def program(self) -> Program:
        """Return the program."""
        return self.traced


@dataclass(frozen=True)
class DeferredRecipe:
    """A program that is traced only if its machine code is not found under its `key`.

    The key names everything that the program follows from, besides the source of the library; without
    one, the program itself is the key. `rooms` are the packages whose source writes the expressions.
    """

    name: str
    doc: str
    subject: str
    inputs: Named
    outputs: Named
    build: Callable[[], Program]
    key: tuple[str, ...] | None
    rooms: tuple[str, ...]

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """The key with a hash of the source behind it, or else a hash of the program."""
        if self.key is None:
            return program_identity(self.program())
        return ("deferred", self.name, *self.key, CasadiMeta.version(), source_digest(self.rooms))

    def program(self) -> Program:
        """Return the program."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        return self.build()


@dataclass(frozen=True)
class ProductRecipe:
    """A vector-Jacobian ("vjp") or Jacobian-vector ("jvp") product of another recipe's program."""

    of: Recipe
    product: str

    @property
    def name(self) -> str:
        """Name of the function and of the product."""
        return f"{self.of.name}_{self.product}"

    @property
    def doc(self) -> str:
        """What it returns."""
        return f"{PRODUCTS[self.product].says} of {self.of.name}.\n\n{self.of.doc}"

    @property
    def subject(self) -> str:
        """Whose function it is."""
        return self.of.subject

    @property
    def inputs(self) -> Named:
        """The inputs, then a cotangent for each output or a tangent for each input."""
        return PRODUCTS[self.product].takes(self.of.inputs, self.of.outputs)

    @property
    def outputs(self) -> Named:
        """A gradient for each input, or a tangent for each output."""
        return PRODUCTS[self.product].gives(self.of.inputs, self.of.outputs)

    @property
    def identity(self) -> tuple[str, ...]:
        """That of the program, which the product follows from."""
        return (self.product, *self.of.identity, CasadiMeta.version())

    def program(self) -> Program:
        """Return the program of the product."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        return PRODUCTS[self.product].of(self.of.program())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.of, self.product)


def program_identity(it: Program) -> tuple[str, ...]:
    """Return the name of a program and a hash of its operations and of what becomes of them."""
    text = repr((it.inputs, it.outputs, it.operations, it.results))
    return ("program", it.name, hashlib.sha256(text.encode()).hexdigest())
