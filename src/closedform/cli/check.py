"""`closedform check`."""

from __future__ import annotations

from .outcome import Outcome
from .shared import FloatingBase, Source, loaded_robot


def check(robot: Source, floating_base: FloatingBase = False) -> Outcome:
    """Read a robot and list its joints and frames, and what is doubtful about its description."""
    loaded, notes = loaded_robot(robot, quiet=True, floating_base=floating_base)
    notes += loaded.shapes().warnings
    joints = [
        {"name": body.joint_name, "kind": body.joint.kind, "nq": body.joint.nq, "nv": body.joint.nv}
        for body in loaded.model.independent
    ]
    facts = {
        "robot": loaded.name,
        "nq": loaded.nq,
        "nv": loaded.nv,
        "mass": loaded.mass if loaded.model.has_inertia else None,
        "joints": joints,
        "lower_limits": loaded.lower_limits,
        "upper_limits": loaded.upper_limits,
        "velocity_limits": loaded.velocity_limits,
        "effort_limits": loaded.effort_limits,
        "frames": loaded.frame_names,
        "warnings": notes,
    }
    doubts = [f"warning: {note}" for note in notes] or ["nothing is doubtful"]
    return Outcome(facts, [str(loaded), *doubts])
