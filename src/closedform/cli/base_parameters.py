"""`closedform base-parameters`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from ..errors import ModelWarning


def base_parameters(
    robot: Annotated[str, typer.Argument(help="A bundled robot, a URDF file or an MJCF file.")],
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Letters for lengths and angles in the regroupings.")
    ] = False,
    numeric: Annotated[
        bool, typer.Option("--numeric", help="By the rank of sampled regressors, not in closed form.")
    ] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the regroupings body by body, from the last to the first.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Put a free joint under the root.")
    ] = False,
    gravity: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Gravity in the base frame, in place of the file's."),
    ] = None,
) -> None:
    """List the minimum inertial parameters of a robot: without effect, eliminated, regrouped, kept."""
    from rich.console import Console

    from ..identification import base_parameters as found
    from ..identification.base.table import DIGITS, stepwise
    from ..robot import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # base parameters do not depend on the inertias
        loaded = load(robot, floating_base=floating_base, gravity=gravity)
    with Console(stderr=True).status("regrouping ..."):
        base = found(loaded, "numeric" if numeric else "closed", symbolic=symbolic)
        text = base.latex() if latex else str(base)
        if steps:
            text = f"{stepwise(base.steps(DIGITS))}\n{text}"
    typer.echo(text)
    if latex:
        return
    with Console(stderr=True).status("sampling regressors ..."):
        reached = "reaches" if base.minimal else f"gives {base.closed_count}, beyond"
        typer.echo(f"the closed form {reached} the rank of sampled regressors, {base.rank}")
    if loaded.model.has_inertia:
        typer.echo(str(base.savings()))
