"""The command line: `closedform <verb>`, one module per verb.

Verbs import what they need when they run, so that help is quick.
"""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any

import typer

from ..errors import ClosedFormError
from .base_parameters import base_parameters
from .elastic import elastic
from .equations import equations
from .excite import excite
from .export import export
from .flexible import flexible
from .identify import identify
from .ik import ik
from .papers import papers
from .report import report
from .robots import robots
from .wording import as_options

app = typer.Typer(
    name="closedform",
    help="Robot dynamics in closed form.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for verb in (
    report,
    robots,
    equations,
    export,
    base_parameters,
    excite,
    identify,
    elastic,
    flexible,
    ik,
    papers,
):
    app.command()(verb)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__  # noqa: PLC0415 (the package is not yet whole when this module loads)

        typer.echo(f"closedform {__version__}")
        raise typer.Exit


@app.callback()
def closedform(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Robot dynamics in closed form."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a mistake of the user is one line on stderr and exit code 2."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # the package's own are of this kind
        warnings.showwarning = _tell
        try:
            app(arguments)
        except ClosedFormError as error:
            typer.echo(f"error: {as_options(str(error))}", err=True)
            sys.exit(2)


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one plain line, without the place in the source that Python adds."""
    typer.echo(f"warning: {' '.join(str(message).split())}", err=True)
