"""`closedform check`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .outcome import Outcome
from .shared import Constraints, FloatingBase, Source, loaded_mechanism

if TYPE_CHECKING:
    from ..loops import ClosedRobot
    from ..robot import Robot


def check(robot: Source, floating_base: FloatingBase = False, constraints: Constraints = None) -> Outcome:
    """Read a robot and list its joints, frames and loops, and what is doubtful about its description."""
    from ..robot import Robot

    loaded, notes = loaded_mechanism(robot, quiet=True, floating_base=floating_base, constraints=constraints)
    tree = loaded if isinstance(loaded, Robot) else loaded.tree
    notes += tree.shapes().warnings
    joints = [
        {"name": body.joint_name, "kind": body.joint.kind, "nq": body.joint.nq, "nv": body.joint.nv}
        for body in tree.model.independent
    ]
    facts = {
        "robot": loaded.name,
        "nq": loaded.nq,
        "nv": loaded.nv,
        "mass": loaded.mass if tree.model.has_inertia else None,
        "joints": joints,
        "lower_limits": tree.lower_limits,
        "upper_limits": tree.upper_limits,
        "velocity_limits": tree.velocity_limits,
        "effort_limits": tree.effort_limits,
        "frames": loaded.frame_names,
        "loops": _loops(loaded),
        "warnings": notes,
    }
    doubts = [f"warning: {note}" for note in notes] or ["nothing is doubtful"]
    return Outcome(facts, [str(tree), *_lines(facts["loops"]), *doubts])


def _loops(robot: Robot | ClosedRobot) -> dict[str, Any] | None:
    """Return what closes a robot: its loops, their rank, and the joints that describe and drive it."""
    from ..robot import Robot

    if isinstance(robot, Robot):
        return None
    return {
        "closures": [each.name for each in robot.loops],
        "rank": len(robot.row_names),
        "independent": robot.joint_names,
        "actuated": robot.actuated_names,
        "explicit": robot.model.explicit,
        "residual": float(robot.closure_residual(robot.model.near)),
    }


def _lines(loops: Any) -> list[str]:
    if loops is None:
        return []
    how = "in closed form" if loops["explicit"] else "by Newton's method"
    return [
        f"loops: {', '.join(loops['closures'])}; rank {loops['rank']}, assembled {how}, closed to "
        f"{loops['residual']:.1e}",
        f"independent: {', '.join(loops['independent'])}",
        f"actuated: {', '.join(loops['actuated'])}",
    ]
