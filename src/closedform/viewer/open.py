"""A view of anything that can be viewed."""
# ruff: noqa: PLC0415 (views import viser, which is an extra)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..checks import flag
from ..errors import ArgumentError, shown
from ..robot import Robot
from .recording import from_log, from_trajectory
from .server import HOST, PORT, require_viser

if TYPE_CHECKING:
    from ..flexible import FlexibleArm
    from ..trajectory import Trajectory
    from .bending_view import BendingView
    from .robot_view import RobotView


def view(
    subject: Robot | FlexibleArm,
    q: ArrayLike | None = None,
    *,
    frame: str | None = None,
    trajectory: Trajectory | None = None,
    log: Any = None,
    host: str = HOST,
    port: int = PORT,
    browser: bool = False,
) -> RobotView | BendingView:
    """Show a robot or a flexible arm in the browser, and return at once: `view.url` says where.

    The robot is at `q` (by default at home, or bent if it is singular there), and `frame` is the tool that
    can be dragged (by default the last that moves). A `trajectory`, or a `log` as `identify` reads it, can
    be played. `browser` opens the page. Only this machine sees it, unless `host` is another address; if
    `port` is in use, the next free one is taken. `view.q` reads and sets the posture, `view.stop()` ends it.

        robot = cf.load("iiwa14")
        shown = cf.view(robot, browser=True)
        shown.q = robot.q(joint4=-1.5)
    """
    require_viser()
    opens = flag("view: browser", browser)
    found: RobotView | BendingView
    if isinstance(subject, Robot):
        if trajectory is not None and log is not None:
            raise ArgumentError("view: a trajectory and a log are given; expected one of them")
        recording = None
        if trajectory is not None:
            recording = from_trajectory(subject, trajectory)
        elif log is not None:
            recording = from_log(subject, log)
        from .robot_view import RobotView

        found = RobotView(subject, q, frame=frame, recording=recording, host=host, port=port)
    else:
        given = {"frame": frame, "trajectory": trajectory, "log": log}
        found = _flexible(subject, q, given, host, port)
    if opens:
        open_browser(found.url)
    return found


def _flexible(arm: Any, q: ArrayLike | None, given: dict[str, Any], host: str, port: int) -> BendingView:
    """Return a view of a flexible arm."""
    from ..flexible import FlexibleArm  # takes as long to import as a robot

    if not isinstance(arm, FlexibleArm):
        raise ArgumentError(f"view: {shown(arm)}; expected a Robot or a FlexibleArm")
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(f"view: {name} is {shown(value)}; a flexible arm takes none")
    from .bending_view import BendingView

    return BendingView(arm, q, host=host, port=port)


def open_browser(url: str) -> bool:
    """Open a page in the browser, if there is one; return whether it was."""
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
