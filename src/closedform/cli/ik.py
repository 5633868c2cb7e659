"""`closedform ik`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from .outcome import Outcome
from .shared import PageFile, Source, loaded_robot, write_study
from .tables import numbers
from .tables import target as one_target
from .tables import targets as read_targets

PAPER = "chang3r"


def ik(
    robot: Source = PAPER,
    output: PageFile = None,
    path: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of targets, one per row: a place, x y z and a quaternion, or a 4x4 pose.",
            show_default="a square that suits the robot",
        ),
    ] = None,
    target: Annotated[str | None, typer.Option(help="One target in place of a path, as 0.5,0,0.4.")] = None,
    task: Annotated[
        str | None,
        typer.Option(help="pose, position, orientation, planar, or xy.", show_default="as the targets are"),
    ] = None,
    frame: Annotated[
        str | None, typer.Option(help="The frame that meets the targets.", show_default="the last that moves")
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help="manipulability, condition_number, joint_limits, joint_centering or gravity_load.",
            show_default="manipulability",
        ),
    ] = None,
    start: Annotated[str | None, typer.Option(help="Joint coordinates to start from, as 0,0.5,1.")] = None,
    limits: Annotated[
        bool | None,
        typer.Option("--limits/--no-limits", help="Keep joint limits.", show_default="for given targets"),
    ] = None,
) -> Outcome:
    """Solve redundant inverse kinematics for targets, or round a square, and write a page.

    Without anything given, the example of Chang's paper.
    """
    import numpy as np

    from ..report import RedundancyStudy

    if path is not None and target is not None:
        raise ArgumentError("--path and --target are given; expected one of them")
    given = None
    if path is not None:
        given = read_targets(path)
    elif target is not None:
        given = one_target("--target", np.atleast_1d(numbers("--target", target)))
    plain = given is None and task is None and frame is None and start is None
    if robot == PAPER and plain:
        study = RedundancyStudy(criterion=criterion, limits=limits)
    else:
        if task is None and given is not None:
            task = {1: "x", 2: "xy", 3: "position"}.get(given.shape[-1], "pose")
        rows = task if frame is None else (task or "position", frame)
        q0 = None if start is None else np.atleast_1d(numbers("--start", start))
        study = RedundancyStudy(loaded_robot(robot)[0], given, rows, criterion, q0, limits)
    page = write_study(study, output, "ik")
    shown = [str(page)]
    if study.comparison is not None:
        shown.append(str(study.comparison))
    elif len(study.path.q) == 1:
        found = zip(study.arm.joint_names, study.path.q[0], strict=True)
        shown.append("  ".join(f"{joint} {round(value, 6) + 0.0:g}" for joint, value in found))
    facts = {
        "robot": study.arm.name,
        "joints": study.arm.joint_names,
        "q": study.path.q,
        "converged": study.path.converged,
        "page": page,
    }
    return Outcome(facts, shown, page)
