"""`closedform simulate`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .outcome import Outcome
from .shared import CsvFile, FloatingBase, Gravity, MotionFile, Source, Start, loaded_robot, progress_bar
from .tables import coordinate_names, neutral_within_limits, numbers, torques, written_table
from .tables import motion as read_motion

if TYPE_CHECKING:
    from ..control import Law
    from ..robot import Robot
    from ..simulation import Motion

LAWS = ("none", "gravity", "computed-torque")
"""Laws of `--law`: free motion, weightless joints, and along a motion."""


def simulate(
    robot: Source,
    output: CsvFile = None,
    start: Start = None,
    velocity: Annotated[
        str | None, typer.Option(help="Velocities to start with, as 0,0.5,1.", show_default="at rest")
    ] = None,
    duration: Annotated[
        float | None, typer.Option(help="Duration in seconds.", show_default="1, or that of the motion")
    ] = None,
    step: Annotated[float, typer.Option(help="Step of the integration in seconds.")] = 1e-3,
    torque: Annotated[
        Path | None, typer.Option(help="The torques: a CSV file of the time and a column per joint.")
    ] = None,
    law: Annotated[
        str, typer.Option(help="none, gravity (compensated) or computed-torque (along --motion).")
    ] = "none",
    motion: MotionFile = None,
    gain: Annotated[float, typer.Option(help="Of computed-torque, 1/s^2.", min=0.0)] = 400.0,
    friction: Annotated[bool, typer.Option("--friction", help="With the robot's friction.")] = False,
    stops: Annotated[bool, typer.Option("--stops", help="Joint limits are stops.")] = False,
    effort_limits: Annotated[bool, typer.Option("--effort-limits", help="Clip the torques.")] = False,
    method: Annotated[
        str | None,
        typer.Option(help="rk4, rk6, rk8, rosenbrock, variational, DOP853, ...", show_default="rk6 or rk4"),
    ] = None,
    floating_base: FloatingBase = False,
    gravity: Gravity = None,
) -> Outcome:
    """Let a robot move from a state: freely, under torques, without weight, or along a motion."""
    import numpy as np

    from ..checks import known_name
    from ..files import check_writable, whole_file

    known_name("--law", law, LAWS)
    loaded, notes = loaded_robot(robot, floating_base=floating_base, gravity=gravity)
    if torque is not None and law != "none":
        raise ArgumentError(f"--torque and --law {law} are given; expected one of them")
    if (motion is not None) != (law == "computed-torque"):
        raise ArgumentError("--motion is what --law computed-torque follows; give both or none of them")
    reference = read_motion(motion, loaded)
    q0 = neutral_within_limits(loaded) if start is None else np.atleast_1d(numbers("--start", start))
    qd0 = None if velocity is None else np.atleast_1d(numbers("--velocity", velocity))
    if reference is not None and start is None:
        q0, qd0 = reference(0.0), reference(0.0, order=1)
    seconds = duration if duration is not None else 1.0 if reference is None else reference.duration
    forces = torques(torque, loaded.nv, seconds, step) if torque is not None else _law(law, loaded, gain)
    if output is not None:
        check_writable(output)
    with progress_bar(1.0, "simulating") as show:
        run = loaded.simulate(
            q0,
            qd0,
            forces,
            seconds,
            step,
            reference=reference,
            friction=friction,
            stops=stops,
            effort_limits=effort_limits,
            method=method,
            progress=lambda done: show(done, "simulating"),
        )
    if output is not None:
        with whole_file(output) as file:
            file.write(written_table(loaded, run.t, position=run.q, velocity=run.qd, effort=run.tau))
    return _outcome(run, notes, output)


def _law(name: str, robot: Robot, gain: float) -> Law | None:
    """Return a law of `LAWS`."""
    from ..control import ComputedTorque, GravityCompensation

    if name == "none":
        return None
    return GravityCompensation(robot) if name == "gravity" else ComputedTorque(robot, gain)


def _outcome(run: Motion, notes: tuple[str, ...], output: Path | None) -> Outcome:
    facts = {
        "robot": run.robot.name,
        "method": run.method,
        "duration": run.t[-1],
        "steps": len(run.t) - 1,
        "joints": run.robot.joint_names,
        "q": run.q[-1],
        "qd": run.qd[-1],
        "energy": [run.energy[0], run.energy[-1]],
        "transitions": [each._asdict() for each in run.transitions],
        "warnings": notes,
        "motion": output,
    }
    names = coordinate_names(run.robot, "q")
    ends = "  ".join(
        f"{name} {value + 0.0:.6g}" for name, value in zip(names, run.q[-1].round(12), strict=True)
    )
    shown = [
        f"{run.robot.name}: {run.t[-1]:g} s in {len(run.t) - 1} steps of {run.method}",
        f"at the end: {ends}",
        f"energy: {run.energy[0]:.9g} J at the start, {run.energy[-1]:.9g} J at the end",
        *(f"{each.time:.6g} s: {each.joint} {each.what}" for each in run.transitions),
    ]
    return Outcome(facts, [*shown, *([str(output)] if output is not None else [])])
