"""`closedform elastic`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from .outcome import Outcome
from .shared import MotionFile, PageFile, Source, loaded_robot, write_study
from .springs import GEAR_RATIO, MOTOR_INERTIA, STIFFNESS
from .tables import motion as read_motion
from .tables import numbers


def elastic(
    robot: Source = "iiwa14",
    output: PageFile = None,
    motion: MotionFile = None,
    stiffness: Annotated[str, STIFFNESS] = "10000",
    motor_inertia: Annotated[str, MOTOR_INERTIA] = "1",
    gear_ratio: Annotated[str, GEAR_RATIO] = "0.01",
    tool: Annotated[float, typer.Option(help="Mass of the tool that the last body carries, kg.")] = 3.0,
    runs: Annotated[int, typer.Option(help="Runs of each Monte-Carlo study.", min=1, max=100_000)] = 1000,
) -> Outcome:
    """Write one page about a robot on elastic joints: torque rates, laws, tracking, robustness."""
    from ..report import ElasticStudy

    loaded, _ = loaded_robot(robot)
    study = ElasticStudy(
        loaded,
        numbers("--stiffness", stiffness),
        numbers("--motor-inertia", motor_inertia),
        numbers("--gear-ratio", gear_ratio),
        tool,
        runs,
        trajectory=read_motion(motion, loaded),
    )
    page = write_study(study, output, "elastic")
    return Outcome({"robot": loaded.name, "page": page}, [str(page)], page)
