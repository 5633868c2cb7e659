"""A paper and its map: every numbered equation, table and figure, with what holds it in this library."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from typing import Any

from ..errors import ClosedFormError, UnknownNameError
from .exhibit import Exhibit
from .printed import Printed

KEYS = ("mueller-kumar", "garofalo", "gautier-khalil", "de-luca-siciliano", "chang", "grimm")
"""The papers by the names that commands and pages give them."""

EXACT, CORRECTED, NOT_APPLICABLE = STATES = ("exact", "corrected", "not applicable")
"""What can be said of a printed item: it holds as printed, it holds as corrected, or it has no place here."""


@dataclass(frozen=True)
class Item:
    """One numbered item of a paper.

    `label` is its number, such as Eq. (12), Table I or Fig. 3; `says` tells what it is; `formula` is its
    correct form in LaTeX; `note` what the print has otherwise, or why the item does not apply. `code` names
    what computes it, `tests` what holds it, `shown` the pages and commands that show it.
    """

    label: str
    says: str
    state: str
    formula: str = ""
    note: str = ""
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ClosedFormError(
                f"{self.label}: state is {self.state!r}; expected one of {', '.join(STATES)}"
            )
        if self.state != EXACT and not self.note:
            raise ClosedFormError(f"{self.label}: is {self.state} without a note that says why")
        if self.state != NOT_APPLICABLE and not (self.code and self.tests):
            raise ClosedFormError(f"{self.label}: names no code or no test")


@dataclass(frozen=True)
class Paper:
    """A paper that the library implements: its map, its printed numbers, its figures and tables made again.

    >>> from closedform.papers import paper
    >>> paper("chang").year
    1987
    """

    key: str
    reference: str
    authors: str
    title: str
    year: int
    items: tuple[Item, ...]

    @cached_property
    def labels(self) -> dict[str, Item]:
        """The items by their labels."""
        return {each.label: each for each in self.items}

    @property
    def name(self) -> str:
        """Authors, year and title in a line."""
        return f"{self.authors} ({self.year}): {self.title}"

    def count(self, state: str) -> int:
        """Return how many items are in a state."""
        return sum(each.state == state for each in self.items)

    def printed(self) -> list[Printed]:
        """Return the numbers that the paper prints, each beside the one that the library computes now."""
        found: list[Printed] = self._made_again("printed")()
        return found

    def exhibits(self) -> list[Exhibit]:
        """Return the paper's figures and tables, made again by the library."""
        found: list[Exhibit] = self._made_again("exhibits")()
        return found

    def _made_again(self, what: str) -> Callable[[], Any]:
        module = import_module(f".{self.key.replace('-', '_')}", __package__)
        found: Callable[[], Any] = getattr(module, what)
        return found


def paper(key: str) -> Paper:
    """Return a paper by its key, such as "mueller-kumar".

    >>> from closedform.papers import paper
    >>> paper("mueller-kumar").labels["Eq. (12)"].says
    'rate of the system Jacobian'
    """
    if not isinstance(key, str) or key not in KEYS:
        raise UnknownNameError("paper", key, KEYS)
    text = files(__package__).joinpath("maps", f"{key}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    items = tuple(_item(each) for each in content.pop("item"))
    return Paper(key, items=items, **content)


def _item(fields: Mapping[str, Any]) -> Item:
    """Return the item of a table of the map."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }
    return Item(**given)
