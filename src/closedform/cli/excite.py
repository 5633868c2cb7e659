"""`closedform excite`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from .outcome import Outcome
from .shared import CsvFile, ExtraPage, Seed, Source, loaded_robot, progress_bar

if TYPE_CHECKING:
    from rich.table import Table

    from ..identification import Excitation


def excite(
    robot: Source,
    output: CsvFile = None,
    page: ExtraPage = None,
    period: Annotated[float, typer.Option(help="Period of the motion in seconds.")] = 10.0,
    terms: Annotated[int, typer.Option(help="Terms of the Fourier series.", min=2, max=50)] = 5,
    rate: Annotated[float, typer.Option(help="Samples per second of the CSV.", min=0.001)] = 1000.0,
    acceleration: Annotated[
        float, typer.Option(help="Acceleration limit of every joint.", show_default="none")
    ] = float("inf"),
    margin: Annotated[
        float, typer.Option(help="Part of every limit that stays free, such as 0.1.", min=0.0, max=0.9)
    ] = 0.0,
    floor: Annotated[
        float | None, typer.Option(help="Keep the last moving frame's origin above this height, in metres.")
    ] = None,
    starts: Annotated[int, typer.Option(help="Random motions to start from.", min=1)] = 4,
    iterations: Annotated[int, typer.Option(help="Iterations per start.", min=1)] = 400,
    seed: Seed = 0,
) -> Outcome:
    """Find a motion that tells a robot's parameters apart, within its limits."""
    from ..files import check_writable, whole_file
    from ..identification import excitation
    from ..report import ExcitationStudy, write_report

    loaded, _ = loaded_robot(robot)
    inf = float("inf")
    workspace = {}
    if floor is not None:
        workspace = {loaded.model.default_frame.name: ((-inf, -inf, floor), (inf, inf, inf))}
    if page is not None:
        check_writable(page)
    target = whole_file(output) if output is not None else nullcontext()
    with target as file, progress_bar(starts * iterations, "base parameters") as show:

        def report(start: int, iteration: int, condition: float) -> None:
            show(start * iterations + iteration, f"start {start + 1} of {starts}: condition {condition:.4g}")

        found = excitation(
            loaded,
            period=period,
            terms=terms,
            acceleration=acceleration,
            workspace=workspace,
            starts=starts,
            iterations=iterations,
            seed=seed,
            margin=margin,
            progress=report,
        )
        if file is not None:
            file.write(found.csv(rate))
    if page is not None:
        write_report(ExcitationStudy(found), page)
    said = (
        f"condition number {found.condition:.4g} of {found.count} base parameters "
        f"(the random motion it started from: {found.start_condition:.4g})"
    )
    facts = {
        "robot": loaded.name,
        "condition": found.condition,
        "start_condition": found.start_condition,
        "parameters": found.count,
        "joints": loaded.joint_names,
        "used": {name: used for name, (used, _) in found.table().items()},
        "limits": {name: limit for name, (_, limit) in found.table().items()},
        "motion": output,
        "page": page,
    }
    written = [str(path) for path in (output, page) if path is not None]
    return Outcome(facts, [_table(found), said, *written], page)


def _table(found: Excitation) -> Table:
    """Return what every joint uses of its limits."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("joint", no_wrap=True)
    facts = found.table()
    for name in ("range", *(name for name in facts if name not in ("lowest", "highest"))):
        table.add_column(name, justify="right")
    for i, joint in enumerate(found.robot.joint_names):
        low, high = facts["lowest"], facts["highest"]
        cells = [f"{low[0][i]:.2f} .. {high[0][i]:.2f} of {low[1][i]:.2f} .. {high[1][i]:.2f}"]
        for name, (used, limit) in facts.items():
            if name not in ("lowest", "highest"):
                cells.append(f"{used[i]:.3g}" + (f" of {limit[i]:.3g}" if limit[i] < float("inf") else ""))
        table.add_row(Text(joint), *cells)
    return table
