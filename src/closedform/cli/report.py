"""`closedform report`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from .outcome import Outcome
from .shared import (
    Constraints,
    FloatingBase,
    Gravity,
    MotionFile,
    PageFile,
    Source,
    loaded_mechanism,
    warning,
    write_study,
)
from .tables import motion as read_motion

MOST_ASSEMBLED = 400
"""Samples of the motion of a robot with loops, each of which is assembled."""


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
    constraints: Constraints = None,
) -> Outcome:
    """Write one self-contained HTML page about a robot: motion, torques, energy, matrices, speed."""
    from ..errors import ClosedFormError
    from ..report import MechanismStudy, Study
    from ..robot import Robot

    loaded, notes = loaded_mechanism(
        robot, floating_base=floating_base, gravity=gravity, constraints=constraints
    )
    if not isinstance(loaded, Robot):
        if motion is not None:
            raise ClosedFormError(
                f"--motion is for robots without loops; {loaded.name!r} has some: leave it out"
            )
        mechanism = MechanismStudy(loaded, duration, min(samples, MOST_ASSEMBLED), notes)
        page = write_study(mechanism, output, "report")
        return Outcome({"robot": loaded.name, "warnings": notes, "page": page}, [str(page)], page)
    undrawn = loaded.shapes().warnings
    for line in undrawn:
        warning(line)
    trajectory = read_motion(motion, loaded)
    study = Study(loaded, duration, samples, pinocchio, notes=notes, trajectory=trajectory)
    page = write_study(study, output, "report")
    return Outcome({"robot": loaded.name, "warnings": notes + undrawn, "page": page}, [str(page)], page)
