"""`closedform excite`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from . import reading, tables
from .clearing import corners, frame_box, read_spheres
from .outcome import Outcome
from .shared import CsvFile, ExtraPage, Seed, Source, loaded_robot, progress_bar

if TYPE_CHECKING:
    from rich.table import Table

    from ..identification import Excitation


ONE_EACH = "one number or one per joint, as 1,2,3"


def excite(
    robot: Source,
    output: CsvFile = None,
    page: ExtraPage = None,
    ros: Annotated[
        Path | None,
        typer.Option(help="Where to write a ROS 2 JointTrajectory as YAML.", show_default="no file"),
    ] = None,
    urscript: Annotated[
        Path | None, typer.Option(help="Where to write a URScript program.", show_default="no file")
    ] = None,
    period: Annotated[float, typer.Option(help="Period of the motion in seconds.")] = 10.0,
    terms: Annotated[int, typer.Option(help="Terms of the Fourier series.", min=2, max=50)] = 5,
    rate: Annotated[float, typer.Option(help="Samples per second of the CSV.", min=0.001)] = 1000.0,
    controller_rate: Annotated[
        float | None,
        typer.Option(help="Samples per second of --ros and --urscript.", show_default="100 and 500"),
    ] = None,
    lower: Annotated[str | None, typer.Option(help=f"Lowest positions, {ONE_EACH}.")] = None,
    upper: Annotated[str | None, typer.Option(help=f"Highest positions, {ONE_EACH}.")] = None,
    velocity: Annotated[str | None, typer.Option(help=f"Velocity limits, {ONE_EACH}.")] = None,
    acceleration: Annotated[
        str | None, typer.Option(help=f"Acceleration limits, {ONE_EACH}.", show_default="none")
    ] = None,
    torque: Annotated[str | None, typer.Option(help=f"Torque limits, {ONE_EACH}.")] = None,
    margin: Annotated[
        float, typer.Option(help="Part of every limit that stays free, such as 0.1.", min=0.0, max=0.9)
    ] = 0.05,
    box: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep a frame's origin in a box: frame=x,y,z,x,y,z, lower corner first; repeatable."
        ),
    ] = None,
    keep_out: Annotated[
        list[str] | None,
        typer.Option(help="Stay out of a box: x,y,z,x,y,z, lower corner first; repeatable."),
    ] = None,
    floor: Annotated[
        float | None, typer.Option(help="Stay above this height of the base frame, in metres.")
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(
            help="Cover the robot with spheres of this radius, in metres; also sees self-collision."
        ),
    ] = None,
    spheres: Annotated[
        Path | None, typer.Option(help="Spheres of the robot, instead: CSV of frame, x, y, z, radius.")
    ] = None,
    clearance: Annotated[float, typer.Option(help="Least gap of spheres, in metres.", min=0.0)] = 0.0,
    start: Annotated[
        str | None,
        typer.Option(help="Posture to start and end in, as 0,0.5,1.", show_default="chosen by the search"),
    ] = None,
    torque_noise: Annotated[
        str, typer.Option(help=f"Noise of the torques, for the expected errors, {ONE_EACH}.")
    ] = "1",
    starts: Annotated[int, typer.Option(help="Random motions to start from.", min=1)] = 4,
    iterations: Annotated[int, typer.Option(help="Iterations per start.", min=1)] = 400,
    seed: Seed = 0,
) -> Outcome:
    """Find a motion that tells a robot's parameters apart, within its limits and clear of obstacles."""
    from ..files import check_writable, whole_file
    from ..identification import excitation
    from ..report import ExcitationStudy, write_report

    loaded, _ = loaded_robot(robot)
    limits = {
        name: tables.numbers(f"--{name}", given)
        for name, given in (
            ("lower", lower),
            ("upper", upper),
            ("velocity", velocity),
            ("acceleration", acceleration),
            ("torque", torque),
        )
        if given is not None
    }
    noise = tables.numbers("--torque-noise", torque_noise)
    home = None if start is None else reading.numbers("--start", start)
    for each in (page, ros, urscript):
        if each is not None:  # refused before the work, not after it
            check_writable(each)
    if radius is not None and spheres is not None:
        raise ArgumentError("--radius and --spheres are both given; expected one of them")
    balls = radius if spheres is None else read_spheres(spheres)
    target = whole_file(output) if output is not None else nullcontext()
    with target as file, progress_bar(starts * iterations, "base parameters", 10) as show:

        def report(trial: int, iteration: int, condition: float) -> None:
            show(trial * iterations + iteration, f"start {trial + 1} of {starts}: condition {condition:.4g}")

        found = excitation(
            loaded,
            period=period,
            terms=terms,
            workspace=dict(frame_box(each) for each in box or ()),
            obstacles=[corners("--keep-out", each) for each in keep_out or ()],
            floor=floor,
            spheres=balls,
            clearance=clearance,
            start=home,
            starts=starts,
            iterations=iterations,
            seed=seed,
            margin=margin,
            progress=report,
            **limits,
        )
        expected = found.expected_errors(noise, rate)  # refuses bad noise before the files
        if file is not None:
            file.write(found.csv(rate))
    if ros is not None:
        found.write_ros_trajectory(ros, controller_rate or 100.0)
    if urscript is not None:
        found.write_urscript(urscript, controller_rate or 500.0)
    if page is not None:
        write_report(ExcitationStudy(found, expected), page)
    said = (
        f"condition number {found.condition:.4g} of {found.count} base parameters "
        f"(the random motion it started from: {found.start_condition:.4g})"
    )
    gaps = found.gaps()
    nearest = [f"least gap {gap:.3f} m, between {words}" for words, gap in list(gaps.items())[:1]]
    facts = {
        "robot": loaded.name,
        "condition": found.condition,
        "start_condition": found.start_condition,
        "parameters": found.count,
        "joints": loaded.joint_names,
        "used": {name: used for name, (used, _) in found.table().items()},
        "limits": {name: limit for name, (_, limit) in found.table().items()},
        "gaps": gaps,
        "expected_errors": dict(zip(expected.names, expected.errors.tolist(), strict=True)),
        "notes": found.notes,
        "motion": output,
        "ros": ros,
        "urscript": urscript,
        "page": page,
    }
    written = [str(path) for path in (output, ros, urscript, page) if path is not None]
    notes = [f"note: {note}" for note in found.notes]
    return Outcome(facts, [_table(found), said, *nearest, *notes, *written], page)


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
                bounded = (
                    f" of {limit[i]:.3g}, {100 * used[i] / limit[i]:.0f} %" if limit[i] < float("inf") else ""
                )
                cells.append(f"{used[i]:.3g}{bounded}")
        table.add_row(Text(joint), *cells)
    return table
