"""The command line: `closedform <verb>`, one module per verb.

Verbs import what they need when they run, so that help is quick.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..errors import ClosedFormError
from .base_parameters import base_parameters
from .cache import cache
from .doctor import doctor
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
from .view import view
from .wording import as_options

app = typer.Typer(
    name="closedform",
    help="Robot dynamics in closed form.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
EXAMPLES: dict[Callable[..., Any], str] = {
    report: "closedform report panda -o panda.html",
    robots: "closedform robots",
    view: "closedform view panda --open",
    equations: "closedform equations 2r mass_matrix --symbolic",
    export: "closedform export panda inverse_dynamics --language c -o panda_id",
    base_parameters: "closedform base-parameters puma560 --symbolic",
    excite: "closedform excite panda --floor 0.1 -o motion.csv",
    identify: "closedform identify log.csv --robot arm.urdf --save arm.toml",
    elastic: "closedform elastic 2r --stiffness 1000",
    flexible: "closedform flexible -o arm.html",
    ik: "closedform ik panda --target 0.5,0,0.4",
    papers: "closedform papers chang",
    doctor: "closedform doctor --json",
    cache: "closedform cache --clear",
}
"""Verbs in the order of the help, each with an example."""

for verb, example in EXAMPLES.items():
    app.command(epilog=f"Example: {example}")(verb)


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
            app(arguments, prog_name="closedform")
        except ClosedFormError as error:
            typer.echo(f"error: {as_options(str(error))}", err=True)
            sys.exit(2)


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one plain line, without the place in the source that Python adds."""
    typer.echo(f"warning: {' '.join(str(message).split())}", err=True)
