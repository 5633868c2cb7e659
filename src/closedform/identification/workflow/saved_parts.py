"""Parts of a saved identification: its robot as text, and columns that a file cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

from ...description.catalogue import read_toml
from ...errors import ClosedFormError
from ...loops import ClosedRobot
from ...loops.reading import closed_robot
from ...loops.saving import closed_toml
from ...model.writing import model_toml
from ...robot import Robot
from ..regression.torque_column import TorqueColumn


def robot_toml(robot: Robot | ClosedRobot) -> str:
    """Return a robot as the text of a TOML file."""
    return model_toml(robot.model) if isinstance(robot, Robot) else closed_toml(robot.model)


def robot_of(text: str, path: str) -> Robot | ClosedRobot:
    """Return the robot in the text of a TOML file."""
    description = read_toml(text.encode(), path)
    if description.mechanism is None:
        return Robot.from_description(description)
    return closed_robot(description, floating_base=False, gravity=None, locked=())


def check_extra(saved: Sequence[str], given: Sequence[TorqueColumn]) -> None:
    """Refuse other extra columns than a file has."""
    if list(saved) != [getattr(column, "name", None) for column in given]:
        raise ClosedFormError(
            f"its extra columns are {', '.join(saved) or 'none'}; say load(path, extra=[...])"
        )
