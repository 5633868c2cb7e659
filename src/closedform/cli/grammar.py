"""What all verbs have in common: --json, --quiet and --debug, and --open for those that write a page."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from ..errors import ArgumentError
from .outcome import Outcome
from .shared import QUIET, ExtraPage, PageFile

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for other programs.")]

Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No warnings and no progress.")]

Debug = Annotated[bool, typer.Option("--debug", help="Show where in the code an error comes from.")]


def as_verb(verb: Callable[..., Outcome | None]) -> Callable[..., None]:
    """Return a verb with the common options, which prints the outcome of the function.

    A function that returns an `Outcome` has --json, one with a `PageFile` or an `ExtraPage` has --open.
    """
    hints = get_type_hints(verb, include_extras=True)
    results = hints.pop("return") is Outcome
    extra = hints.get("page") == ExtraPage
    pages = extra or PageFile in hints.values()
    common = {"as_json": AsJson} if results else {}
    common |= {"open_page": Open} if pages else {}
    common |= {"quiet": Quiet, "debug": Debug}

    @functools.wraps(verb)
    def run(
        *, as_json: bool = False, open_page: bool = False, quiet: bool, debug: bool, **given: Any
    ) -> None:
        QUIET.set(quiet)
        try:
            if open_page and extra and given["page"] is None:
                raise ArgumentError("--open opens the page that --page names; add --page NAME.html")
            outcome = verb(**given)
            if outcome is not None:
                outcome.tell(as_json)
                if open_page:
                    outcome.open()
        except Exception:
            if debug:
                traceback.print_exc()
            raise

    own = [each.replace(annotation=hints[name]) for name, each in inspect.signature(verb).parameters.items()]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in common.items()
    ]
    run.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = hints | common
    return run
