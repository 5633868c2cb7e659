"""What is refused of a model in which nothing moves, or some joints move no inertia."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ClosedFormError, listed
from .model import Model


def refuse_idle_joints(model: Model, what: str) -> None:
    """Raise an error that names the joints, if any, for which M is singular at every q."""
    if model.idle_joints:
        raise ClosedFormError(
            f"{what}: {idle_sentence(model.idle_joints)}, so that the mass matrix of {model.name!r} has no "
            "inverse; give their links an inertia or the joints an armature, or fix the joints"
        )


def refuse_still(model: Model, what: str) -> None:
    """Raise an error if no joint moves."""
    if model.nv == 0:
        raise ClosedFormError(
            f"{what}: no joint of {model.name!r} moves (nv 0), so that it has only kinematics; "
            "load it with floating_base=True to let it move as a body"
        )


def idle_sentence(joints: Sequence[str]) -> str:
    """Return a sentence that names joints that move no inertia, alone or by a motion of several."""
    names = listed([repr(joint) for joint in joints], 8)
    if len(joints) == 1:
        return f"joint {names} moves no inertia"
    return f"joints {names} can move together without moving any inertia"
