"""What a verb ends in: facts for other programs, the same for people to read, and a page."""
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 160
"""Characters of a line of a table where no terminal says how many there are."""


@dataclass(frozen=True)
class Outcome:
    """The result of a verb: `facts` are printed with --json, `shown` without; `page` is what --open opens.

    Facts that take time are a function without arguments. Texts of `shown` are printed as they are; in tables
    of rich, names of the user belong in a `rich.text.Text`, so that "[red]" stays a name.
    """

    facts: Mapping[str, object] | Callable[[], Mapping[str, object]]
    shown: Sequence[str | RenderableType]
    page: Path | None = None

    def tell(self, as_json: bool) -> None:
        """Print the result on stdout."""
        if as_json:
            typer.echo(json_text(self.facts() if callable(self.facts) else self.facts))
            return
        for each in self.shown:
            if isinstance(each, str):
                typer.echo(each)
            else:
                from rich.console import Console

                Console(width=None if sys.stdout.isatty() else WIDTH).print(each)

    def open(self) -> None:
        """Open the page in the browser; if there is none, say where the page is."""
        if self.page is None:
            return
        import webbrowser

        path = self.page.resolve()
        if not webbrowser.open(path.as_uri()):
            typer.echo(f"no browser was found; the page is {path}", err=True)


def json_text(facts: Mapping[str, object]) -> str:
    """Return facts as one JSON object in ASCII, whatever the terminal can show.

    >>> print(json_text({"condition": float("inf"), "file": Path("a.c")}))
    {
      "condition": null,
      "file": "a.c"
    }
    """
    return json.dumps(_plain(facts), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: arrays as lists, numbers that are not finite as null, others as text."""
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value)
