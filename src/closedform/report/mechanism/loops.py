"""What closes the mechanism: its loops, their rank, and the joints that describe and drive it."""

from __future__ import annotations

from dataclasses import dataclass

from ...description.loop import Loop
from ...loops.cut_joints import row_count
from ..section import Section
from .mechanism_study import MechanismStudy


@dataclass(frozen=True)
class LoopFacts:
    """Loops as (name, kind, rows, rows that are used), and the joints of the mechanism."""

    loops: tuple[tuple[str, str, int, int], ...]
    velocities: int
    rank: int
    independent: tuple[str, ...]
    actuated: tuple[str, ...]
    explicit: bool
    notes: tuple[str, ...]


def gather(study: MechanismStudy) -> LoopFacts:
    """Return what closes the mechanism."""
    robot, model = study.robot, study.robot.model
    loops, first = [], 0
    for each in model.closures:
        rows = row_count(each)
        used = sum(first <= k < first + rows for k in model.rows)
        loops.append((each.name, each.kind if isinstance(each, Loop) else "coupling", rows, used))
        first += rows
    return LoopFacts(
        tuple(loops),
        model.tree.nv,
        len(model.rows),
        robot.joint_names,
        robot.actuated_names,
        model.explicit,
        study.notes,
    )


SECTION = Section("mechanism_loops", "Loops", gather)
