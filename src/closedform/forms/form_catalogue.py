"""A catalogue: the forms of one kind of owner by name, to which forms are added and taken away again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from casadi import SX

from ..display import card, html_table
from ..errors import ArgumentError, UnknownNameError, listed, shown
from .basis import BASES, Basis, of_kind
from .form import Builder, Form
from .need import Need
from .quantity import FormArray
from .variant import PLAIN, Variant

CLAIM = 120
"""Characters of what is said of a form in a notebook."""


class Catalogue(dict[str, Form]):
    """The forms of one kind of owner by name, and what they are built on: `Basis` says what.

    If `digest(model)` tells any two models apart, machine code of the library's own forms is found
    without building them.
    """

    def __init__(
        self,
        kind: type,
        title: str,
        sizes: Callable[[Any], Mapping[str, int | None]],
        basis: Callable[[Any, Mapping[str, SX]], tuple[Any, ...]],
        digest: Callable[[Any], str] | None = None,
    ) -> None:
        super().__init__()
        self.title, self.digest = title, digest
        self._watchers: list[Callable[[str, Form | None], None]] = []
        BASES[kind], _CATALOGUES[kind] = Basis(sizes, basis), self

    def __repr__(self) -> str:
        return f"<catalogue of {len(self)} forms: {listed(list(self), 8)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the forms group by group, with what they take and claim."""
        groups: dict[str, list[tuple[str, str, str]]] = {}
        for name, form in self.items():
            takes = ", ".join(each.name for each in form.takes)
            groups.setdefault(form.group, []).append((name, takes, form.doc.partition("\n")[0]))
        tables = [html_table([group, "takes", ""], rows, CLAIM) for group, rows in groups.items()]
        return card(f"{self.title}s", f"{len(self)}, in {len(groups)} groups", *tables)

    def add(
        self,
        build: Builder,
        takes: Sequence[FormArray],
        gives: FormArray | Sequence[FormArray],
        *,
        group: str = "dynamics",
        closed: Builder | None = None,
        needs: tuple[Need, ...] = (),
        constants: tuple[FormArray, ...] = (),
        optional: tuple[FormArray, ...] = (),
        framed: bool = False,
        ordered: bool = False,
        choices: tuple[str, ...] = (),
        loaded: FormArray | None = None,
        frictional: bool = False,
        sprung: bool = False,
    ) -> Form:
        """Add a form, named as the function that builds it; a single output has that name too."""
        name = build.__name__
        outputs = (replace(gives, name=name),) if isinstance(gives, FormArray) else tuple(gives)
        if name in self:
            raise ArgumentError(f"{self.title} {name!r} is in the catalogue already; choose another name")
        if not build.__doc__:
            raise ArgumentError(f"{self.title} {name!r} has no docstring; say what it returns")
        for each in (*takes, *outputs, *constants, *optional):
            if not isinstance(each, FormArray):
                raise ArgumentError(f"{name}: {shown(each)} is no array of a quantity; use Quantity.array")
        self[name] = form = Form(
            name,
            group,
            tuple(takes),
            outputs,
            build,
            closed,
            needs,
            constants,
            optional,
            framed,
            ordered,
            choices,
            loaded,
            frictional,
            sprung,
        )
        for install in self._watchers:
            install(name, form)
        return form

    def remove(self, name: str) -> None:
        """Take a form out again, and its method from the owners."""
        del self[name]
        for install in self._watchers:
            install(name, None)

    def watch(self, install: Callable[[str, Form | None], None]) -> None:
        """Call install(name, form) for every form, now and when one is added; for a removed one with None."""
        self._watchers.append(install)
        for name, form in self.items():
            install(name, form)

    def form(self, name: str, variant: Variant = PLAIN) -> Form:
        """Return the form of that name, as a variant of it."""
        if not isinstance(name, str) or name not in self:
            raise UnknownNameError(self.title, name, tuple(self))
        return self[name].at(variant)


_CATALOGUES: dict[type, Catalogue] = {}


def catalogue(model: Any) -> Catalogue:
    """Return the catalogue of the forms that a model has."""
    return of_kind(_CATALOGUES, model)
