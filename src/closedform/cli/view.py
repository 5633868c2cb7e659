"""`closedform view`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .outcome import json_text
from .shared import FloatingBase, FrameName, MotionFile, loaded_robot
from .tables import motion as read_motion

if TYPE_CHECKING:
    from ..flexible import FlexibleArm
    from ..robot import Robot

FLEXIBLE = "flexible"
"""What stands for an arm with flexible links in place of a robot."""


def view(
    robot: Annotated[
        str,
        typer.Argument(
            help="A catalogue name (see `closedform robots`), a URDF, an MJCF or a TOML file; or `flexible`, "
            "an arm whose links bend."
        ),
    ],
    motion: MotionFile = None,
    recorded: Annotated[
        Path | None,
        typer.Option("--log", help="A log to play, as `closedform identify` reads it.", show_default="none"),
    ] = None,
    arm: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file that describes the flexible arm.", show_default="De Luca and Siciliano's"
        ),
    ] = None,
    frame: FrameName = None,
    floating_base: FloatingBase = False,
    host: Annotated[
        str, typer.Option(help="The address to serve at; others than your machine see 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port, or the next one that is free; 0 for any.", min=0, max=65535)
    ] = 8080,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    in_json: Annotated[bool, typer.Option("--json", help="Print the address in a JSON object.")] = False,
) -> None:
    """Show a robot in the browser until Ctrl-C: move it, drag its tool, see its numbers, play a motion."""
    from ..viewer import view as open_view
    from ..viewer.open import open_browser

    subject: Robot | FlexibleArm
    trajectory = None
    if robot == FLEXIBLE:
        from .. import flexible

        subject = (
            flexible.FlexibleArm.deluca_siciliano(damped=True) if arm is None else flexible.load_arm(arm)
        )
    else:
        if arm is not None:
            raise ArgumentError(
                f"--arm is {str(arm)!r}; it describes the arm of `closedform view {FLEXIBLE}`"
            )
        loaded, _ = loaded_robot(robot, floating_base=floating_base)
        trajectory = read_motion(motion, loaded)
        subject = loaded
    with open_view(
        subject,
        frame=frame,
        trajectory=trajectory,
        log=recorded,
        host=host,
        port=port,
    ) as page:
        typer.echo(json_text({"robot": robot, "url": page.url}) if in_json else page.url)
        if browser and not open_browser(page.url):
            typer.echo("no browser was found; open the address above in one", err=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
