"""The command line: `closedform <verb>`, one module per verb.

Verbs import what they need when they run, so that help is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from .base_parameters import base_parameters
from .cache import cache
from .check import check
from .doctor import doctor
from .elastic import elastic
from .ending import exit_code
from .equations import equations
from .excite import excite
from .export import export
from .flexible import flexible
from .grammar import as_verb
from .identify import identify
from .identify_floating import identify_floating
from .ik import ik
from .papers import papers
from .payload import payload
from .report import report
from .robots import robots
from .simulate import simulate
from .trajectory import trajectory
from .view import view

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
    check: "closedform check panda",
    equations: "closedform equations 2r mass_matrix --symbolic",
    export: "closedform export panda inverse_dynamics --language c -o panda_id",
    base_parameters: "closedform base-parameters puma560 --symbolic",
    trajectory: "closedform trajectory panda --to 0.5,0.2,0,-1.5,0,1.8,0 -o move.csv",
    simulate: "closedform simulate 2r --start 0.5,0 --duration 2 -o swing.csv",
    excite: "closedform excite scara --margin 0.1 -o motion.csv",
    identify: "closedform identify log.csv --robot arm.urdf --save arm.toml",
    identify_floating: "closedform identify-floating walk.npz --robot quadruped --save walker.toml",
    payload: "closedform payload loaded.csv --empty empty.csv --robot puma560",
    elastic: "closedform elastic 2r --stiffness 1000",
    flexible: "closedform flexible -o arm.html",
    ik: "closedform ik panda --target 0.5,0,0.4",
    papers: "closedform papers chang",
    doctor: "closedform doctor --json",
    cache: "closedform cache --clear",
}
"""Verbs in the order of the help, each with an example."""

for verb, example in EXAMPLES.items():
    app.command(epilog=f"Example: {example}")(as_verb(verb))


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
    """Run the command line and exit: see `ending.EXIT_CODES`."""
    sys.exit(exit_code(lambda: app(arguments, prog_name="closedform")))
