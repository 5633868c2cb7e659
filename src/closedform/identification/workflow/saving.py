"""Saved identifications: what a file holds of them, and their fields from that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...checks import number, positive
from ...description.catalogue import read_toml
from ...errors import ClosedFormError
from ...loops import ClosedRobot
from ...loops.reading import closed_robot
from ...loops.saving import closed_toml
from ...model.writing import model_toml
from ...robot import Robot
from ..base.parameters import base_parameters
from ..joints import driven_robot
from ..logs.signals import Filters
from ..logs.transmission import Axis
from ..regression.friction import FrictionTerms, Term
from ..regression.torque_column import TorqueColumn, checked_columns
from .evidence import Evidence
from .inertias import with_zeros
from .joint_payload import IdentifiedPayload
from .log_results import LogResult
from .prediction import Errors

FORMAT = "closedform identification 2"

ARRAYS = ("values", "covariance", "described", "known", "scatter")
ERRORS = ("fitted", "cross_validation", "held_out")
"""Fields of an identification that are arrays, and those that are errors."""


def saved_fields(content: Mapping[str, Any], path: str, extra: Sequence[TorqueColumn]) -> dict[str, Any]:
    """Return the fields of the identification that a file holds; `extra` are its columns, given again."""
    if content["format"] != FORMAT:
        raise ValueError(f"format is {content['format']!r}, not {FORMAT!r}: identify again")
    robot = _robot_of(content["robot"], path)
    _check_extra(content.get("extra", []), extra)
    zeros = tuple(content.get("zeros", ()))
    shift = content["values"][len(content["values"]) - len(zeros) :]
    described = driven_robot(robot)
    if isinstance(described, Robot):
        moved = dict(zip(zeros, np.negative(shift), strict=True))
        described = Robot(with_zeros(described.model, moved))
    base = base_parameters(described, method=content["base_method"])
    fields: dict[str, Any] = {name: np.array(content[name]) for name in ARRAYS}
    for key, given in content["errors"].items():
        fields[key] = None if given is None else Errors.from_table(given)
    return dict(
        robot=robot,
        base=base,
        axes=tuple(Axis(**{**axis, "direction": np.array(axis["direction"])}) for axis in content["axes"]),
        drive=tuple(Term(*term) for term in content["drive"]),
        friction=FrictionTerms(**content["friction"]),
        condition=content["condition"],
        filters=Filters(
            positive("rate", content["rate"]),
            positive("cutoff", content["cutoff"]),
            number("lag", content.get("lag", 0.0)),
            None if (delay := content.get("delay")) is None else number("delay", delay),
        ),
        method=content["method"],
        notes=tuple(content["notes"]),
        doubts=tuple(content.get("doubts", ())),
        diagnosis=tuple(content.get("diagnosis", ())),
        payloads=tuple(IdentifiedPayload.from_table(each) for each in content.get("payloads", ())),
        logs=tuple(LogResult.from_table(log) for log in content.get("logs", ())),
        evidence=None if (rest := content.get("evidence")) is None else Evidence.from_table(rest),
        about=content.get("about"),
        extra=checked_columns("load", extra, robot),
        zeros=zeros,
        band=None if (band := content.get("band")) is None else positive("band", band),
        **fields,
    )


def robot_toml(robot: Robot | ClosedRobot) -> str:
    """Return a robot as the text of a TOML file."""
    return model_toml(robot.model) if isinstance(robot, Robot) else closed_toml(robot.model)


def _robot_of(text: str, path: str) -> Robot | ClosedRobot:
    """Return the robot in the text of a TOML file."""
    description = read_toml(text.encode(), path)
    if description.mechanism is None:
        return Robot.from_description(description)
    return closed_robot(description, floating_base=False, gravity=None, locked=())


def _check_extra(saved: Sequence[str], given: Sequence[TorqueColumn]) -> None:
    """Refuse other extra columns than a file has."""
    if list(saved) != [getattr(column, "name", None) for column in given]:
        raise ClosedFormError(
            f"its extra columns are {', '.join(saved) or 'none'}; say load(path, extra=[...])"
        )
