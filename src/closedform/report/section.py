"""A section of the report: facts, the figures made of them, and a template that shows both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .figure import Figure

Facts = TypeVar("Facts")


def no_figures(_: object) -> Mapping[str, Figure]:
    """Return no figures: for sections that are tables only."""
    return {}


@dataclass(frozen=True)
class Section(Generic[Facts]):
    """One section; its template is `templates/sections/<anchor>.html.j2`.

    `gather` returns the facts of the page's subject, or None if the section has nothing to
    say about it (dynamics of a robot without inertias). `draw` sees nothing but the facts.
    """

    anchor: str
    title: str
    gather: Callable[[Any], Facts | None]
    draw: Callable[[Facts], Mapping[str, Figure]] = no_figures

    @property
    def template(self) -> str:
        """Name of the template."""
        return f"sections/{self.anchor}.html.j2"
