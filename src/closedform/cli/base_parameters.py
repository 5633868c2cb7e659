"""`closedform base-parameters`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ClosedFormError
from .outcome import Outcome
from .shared import ExtraPage, FloatingBase, Gravity, Source, loaded_robot, progress_bar, working

if TYPE_CHECKING:
    from ..identification import BaseParameters
    from ..robot import Robot


def base_parameters(
    robot: Source,
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Letters for lengths and angles in the regroupings.")
    ] = False,
    numeric: Annotated[
        bool, typer.Option("--numeric", help="By the rank of sampled regressors, not in closed form.")
    ] = False,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show the regroupings body by body, and what each parameter acts as.",
        ),
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    page: ExtraPage = None,
    floating_base: FloatingBase = False,
    gravity: Gravity = None,
) -> Outcome:
    """List the minimum inertial parameters of a robot, without effect, eliminated, kept, and why."""
    from ..identification import base_parameters as found
    from ..identification.base.reasons import acting
    from ..identification.base.table import DIGITS, stepwise

    loaded, notes = loaded_robot(robot, quiet=True, floating_base=floating_base, gravity=gravity)
    if page is not None:
        _write_page(loaded, notes, page)
    with working("regrouping ..."):
        base = found(loaded, "numeric" if numeric else "closed", symbolic=symbolic)
        text = base.latex() if latex else str(base)
        if steps:
            text = f"{stepwise(base.steps(DIGITS))}\n{text}\n{acting(base.reasons, DIGITS)}"
    shown = [text]
    if not latex:
        with working("sampling regressors ..."):
            reached = "reaches" if base.minimal else f"gives {base.closed_count}, beyond"
            shown.append(f"the closed form {reached} the rank of sampled regressors, {base.rank}")
        if loaded.model.has_inertia:
            shown.append(str(base.savings()))
    if page is not None:
        shown.append(str(page))
    return Outcome(lambda: _facts(base, page), shown, page)


def _facts(base: BaseParameters, page: Path | None) -> dict[str, object]:
    values = None
    with contextlib.suppress(ClosedFormError):  # no inertias, or letters
        values = base.values
    return {
        "robot": base.robot.name,
        "count": base.count,
        "rank": base.rank,
        "names": base.names,
        "values": values,
        "no_effect": base.no_effect,
        "eliminated": base.eliminated,
        "regrouped": base.regrouped,
        "page": page,
    }


def _write_page(robot: Robot, notes: tuple[str, ...], path: Path) -> None:
    from ..files import whole_file
    from ..report import Study
    from ..report.robot import BASE_PARAMETERS_PAGE

    with whole_file(path) as file, progress_bar(len(BASE_PARAMETERS_PAGE.sections)) as begin:
        file.write(BASE_PARAMETERS_PAGE.render(Study(robot, notes=notes), robot.name, begin))
