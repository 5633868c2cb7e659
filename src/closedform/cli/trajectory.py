"""`closedform trajectory`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import math
from typing import Annotated

import typer

from ..errors import ArgumentError
from .outcome import Outcome
from .shared import CsvFile, Source, Start, loaded_robot
from .tables import neutral_within_limits, numbers, written_table

MOST_ROWS = 1_000_000
"""Most rows of the file."""


def trajectory(
    robot: Source,
    to: Annotated[str, typer.Option(help="Joint coordinates to go to, as 0,0.5,1.")],
    output: CsvFile = None,
    start: Start = None,
    velocity: Annotated[
        str | None,
        typer.Option(help="Velocity limits: one, or one per joint.", show_default="those of the robot"),
    ] = None,
    acceleration: Annotated[str, typer.Option(help="Acceleration limits: one, or one per joint.")] = "10",
    jerk: Annotated[str, typer.Option(help="Jerk limits: one, or one per joint.")] = "200",
    rate: Annotated[float, typer.Option(help="Samples per second of the CSV, at least.", min=0.001)] = 1000.0,
) -> Outcome:
    """Find the fastest motion between two postures within limits of velocity, acceleration and jerk."""
    import numpy as np

    from ..files import check_writable, whole_file
    from ..trajectory import profile

    loaded, _ = loaded_robot(robot, quiet=True)
    if loaded.nq != loaded.nv:
        raise ArgumentError(f"robot {loaded.name!r} has joints of several dofs; expected joints of one")
    ends = [
        neutral_within_limits(loaded) if text is None else np.atleast_1d(numbers(option, text))
        for option, text in (("--start", start), ("--to", to))
    ]
    for option, q in zip(("--start", "--to"), ends, strict=True):
        if q.shape != (loaded.nq,):
            raise ArgumentError(f"{option} has {q.size} number(s); expected {loaded.nq}, one per joint")
        if not loaded.within_limits(q).all():
            worst = loaded.joint_names[int(np.argmin(loaded.limit_distance(q)))]
            raise ArgumentError(f"{option} is beyond the limits of joint {worst!r}")
    speed = loaded.velocity_limits if velocity is None else numbers("--velocity", velocity)
    if not np.isfinite(speed).all():
        raise ArgumentError(f"robot {loaded.name!r} has no velocity limits; give --velocity")
    if output is not None:
        check_writable(output)
    found = profile(
        *ends,
        velocity=speed,
        acceleration=numbers("--acceleration", acceleration),
        jerk=numbers("--jerk", jerk),
    )
    rows = rate * found.duration
    if rows > MOST_ROWS:
        raise ArgumentError(f"--rate is {rate:g}, {rows:.3g} samples in all; expected at most {MOST_ROWS}")
    if output is not None:
        t = np.linspace(0.0, found.duration, math.ceil(rows - 1e-6) + 1)
        q, qd, qdd = found.derivatives(t, 2)
        with whole_file(output) as file:
            file.write(written_table(loaded, t, position=q, velocity=qd, acceleration=qdd))
    fastest = np.abs(found.extremes(order=1)).max(axis=0)
    facts = {
        "robot": loaded.name,
        "duration": found.duration,
        "joints": loaded.joint_names,
        "start": ends[0],
        "end": ends[1],
        "highest_velocity": fastest,
        "motion": output,
    }
    speeds = "  ".join(f"{joint} {v:.4g}" for joint, v in zip(loaded.joint_names, fastest, strict=True))
    shown = [f"{loaded.name}: {found.duration:.6g} s", f"highest velocities: {speeds}"]
    return Outcome(facts, [*shown, *([str(output)] if output is not None else [])])
