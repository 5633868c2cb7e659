"""What is asked for: forms by name, with choices that some or all of them take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ..checks import known_name
from ..errors import ArgumentError, shown
from ..forms import PLAIN, Catalogue, Form, Variant

MOST_FORMS = 200
"""Forms of one library."""

CHOOSABLE = tuple(each.name for each in fields(Variant))
"""Names of what may be chosen."""

Request = str | tuple[str, Mapping[str, Any]]
"""A form by name, or its name and what is chosen of it alone, such as ("jacobian", {"frame": "tool"})."""


def requested(forms: Catalogue, names: Sequence[Request], common: Mapping[str, Any]) -> list[Form]:
    """Return the forms that are asked for, as variants.

    What is chosen in `common` goes to every form that takes it, unless it has a choice of its own; at least
    one must take it.
    """
    if not isinstance(names, list | tuple) or not 0 < len(names) <= MOST_FORMS:
        raise ArgumentError(
            f"export: forms are {shown(names)}; expected the name of a form, or a list of 1 to {MOST_FORMS}"
        )
    asked = chosen(common)
    pairs = [_pair(each) for each in names]
    unused = set(asked)
    found = []
    for name, own in pairs:
        form = forms.form(name)
        taken = {each: value for each, value in asked.items() if _takes(form, each)}
        unused -= set(taken)
        found.append(forms.form(name, Variant(**{**taken, **own})))
    for each in sorted(unused):
        listed = ", ".join(name for name, _ in pairs[:5])
        raise ArgumentError(f"export: none of {listed} takes {each}; {shown(asked[each])} given")
    return found


def chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices that differ from the default, by name; names that nothing has are refused."""
    for each in given:
        known_name("choice", each, CHOOSABLE)
    return {name: value for name, value in given.items() if value is not getattr(PLAIN, name)}


def _pair(request: Request) -> tuple[str, dict[str, Any]]:
    """Return the name and the choices of a request."""
    if isinstance(request, str):
        return request, {}
    if not isinstance(request, tuple | list) or len(request) != 2 or not isinstance(request[1], Mapping):
        raise ArgumentError(
            f"export: form is {shown(request)}; expected a name, or a pair such as "
            '("jacobian", {"frame": "tool"})'
        )
    return request[0], chosen(request[1])


def _takes(form: Form, choice: str) -> bool:
    """Whether a form has something to choose."""
    known = {"frame": form.framed, "order": form.ordered}
    return known.get(choice, choice in form.choices or form.may_take(choice))
