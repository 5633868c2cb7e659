"""Options that put a robot on elastic joints."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .tables import numbers

if TYPE_CHECKING:
    from ..elastic import ElasticJointRobot
    from ..loops import ClosedRobot
    from ..robot import Robot

STIFFNESS = typer.Option(help="Stiffness seen at the joints, N m/rad: one number, or one per joint (1,2).")

MOTOR_INERTIA = typer.Option(help="Rotor inertia seen at the joints, kg m^2: one number, or one per joint.")

GEAR_RATIO = typer.Option(
    "--gear-ratio", "--gear", help="Turns of the joint per turn of the motor: one, or one per joint."
)

DAMPING = typer.Option(help="Damping of the springs seen at the joints, N m s/rad: one, or one per joint.")


def on_springs(
    robot: Robot | ClosedRobot, stiffness: str | None, motor_inertia: str, gear_ratio: str, damping: str
) -> Robot | ClosedRobot | ElasticJointRobot:
    """Return the robot, on elastic joints if a stiffness is given; `variable` makes it an input."""
    if stiffness is None:
        return robot
    from ..checks import one_each
    from ..elastic import ElasticJointRobot
    from ..errors import ClosedFormError
    from ..robot import Robot

    if not isinstance(robot, Robot):
        raise ClosedFormError(
            f"{robot.name!r} has closed loops, which --stiffness does not take; leave it out"
        )
    ratio = one_each("--gear-ratio", numbers("--gear-ratio", gear_ratio), robot.nv)
    inertia = one_each("--motor-inertia", numbers("--motor-inertia", motor_inertia), robot.nv)
    return ElasticJointRobot(
        robot,
        stiffness if stiffness == "variable" else numbers("--stiffness", stiffness),
        inertia * ratio**2,
        ratio,
        numbers("--damping", damping),
        spring_at="link",
    )
