"""`closedform report`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from .outcome import Outcome
from .shared import FloatingBase, Gravity, MotionFile, PageFile, Source, loaded_robot, warning, write_study
from .tables import motion as read_motion


def report(
    robot: Source,
    output: PageFile = None,
    motion: MotionFile = None,
    floating_base: FloatingBase = False,
    gravity: Gravity = None,
    duration: Annotated[
        float, typer.Option(help="Duration of the motion in seconds, if no motion is given.")
    ] = 4.0,
    samples: Annotated[int, typer.Option(help="Samples of the motion.", min=2, max=100_000)] = 1000,
    pinocchio: Annotated[
        bool, typer.Option("--pinocchio/--no-pinocchio", help="Compare with Pinocchio if it is installed.")
    ] = True,
) -> Outcome:
    """Write one self-contained HTML page about a robot: motion, torques, energy, matrices, speed."""
    from ..report import Study

    loaded, notes = loaded_robot(robot, floating_base=floating_base, gravity=gravity)
    undrawn = loaded.shapes().warnings
    for line in undrawn:
        warning(line)
    trajectory = read_motion(motion, loaded)
    study = Study(loaded, duration, samples, pinocchio, notes=notes, trajectory=trajectory)
    page = write_study(study, output, "report")
    return Outcome({"robot": loaded.name, "warnings": notes + undrawn, "page": page}, [str(page)], page)
