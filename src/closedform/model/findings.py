"""What is wrong or doubtful about the joints and inertias of a model, once its tree is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import collected, sized_array
from ..description.description import Description
from ..errors import listed
from ..rotations import inverse, pose
from .idle import idle_sentence
from .inertia import moments_seen_from, pseudo_inertia_deficit, transform_phi
from .model import Model

NEGATIVE_TOLERANCE = 1e-6
TRIANGLE_TOLERANCE = 1e-6
"""Relative violations of physical inertias that printed figures may have from round-off."""

DIGITS_TOLERANCE = 1e-11
"""Relative error of torques by round-off from which there is a warning."""


def problems_of(model: Model) -> list[str]:
    """Return why a model cannot be used: products of mimic chains, inertias that are not positive."""
    problems: list[str] = []
    for body in model.bodies:
        if body.coupling is not None:
            with collected(problems):
                numbers = (body.coupling.multiplier, body.coupling.offset)
                sized_array(f"joint {body.joint_name!r}: the product of its mimic chain", numbers, (2,))
        negative, _ = pseudo_inertia_deficit(body.phi)
        if negative > NEGATIVE_TOLERANCE:
            problems.append(
                f"link {body.name!r}: its inertia about the centre of mass is not positive "
                f"(smallest eigenvalue is {-negative:.2g} of the largest); correct the inertia"
            )
    return problems


def doubts_about(model: Model, description: Description) -> list[str]:
    """Return what is suspicious but usable, one line for all that have the same trouble."""
    doubts = [
        f"joint {body.joint_name!r}: its lower limit {body.limits.lower:g} is above its upper "
        f"limit {body.limits.upper:g}"
        for body in model.bodies
        if body.limits.lower > body.limits.upper
    ]
    if not model.has_inertia:
        return doubts
    violations = {body.name: pseudo_inertia_deficit(body.phi)[1] for body in model.bodies}
    worst = max(violations, key=lambda name: violations[name], default="")
    beyond = [name for name, triangle in violations.items() if triangle > TRIANGLE_TOLERANCE]
    if beyond and not description.as_printed:
        doubts.append(
            f"{_named('link', beyond)}: principal inertias violate the triangle inequality by up to "
            f"{violations[worst]:.2g} of the largest (link {worst!r}); no rigid body has them"
        )
    if model.idle_joints:
        doubts.append(
            f"{idle_sentence(model.idle_joints)}: the mass matrix has no inverse, and forward dynamics is "
            "refused; the rest works"
        )
    else:
        joint, loss = lost_digits(model)
        if loss > DIGITS_TOLERANCE:
            doubts.append(
                f"joint {joint!r} moves so little inertia, beside the numbers it is computed from, that "
                f"its torques may be wrong by up to {loss:.1g} of their size"
            )
    return doubts


def _named(kind: str, names: Sequence[str]) -> str:
    """Return "link 'a'" or "links 'a', 'b' and 3 more"."""
    return f"{kind}{'s' if len(names) > 1 else ''} {listed([repr(name) for name in names], 5)}"


def lost_digits(model: Model) -> tuple[str, float]:
    """Return the joint whose torques are least exact, and an estimate of their relative error.

    The inertia that a joint moves is computed from inertias about the frames of the bodies. If these
    are much larger (a needle, a centre of mass far from the frame but near the axis), so is the
    round-off: eps times the inertias about the frames, relative to the inertia about the axis at q = 0.
    """
    rounded = np.zeros(len(model.bodies))
    total = [body.phi for body in model.bodies]
    worst, loss = "", 0.0
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        rounded[i] += np.abs(body.phi[:6]).max()
        if body.parent >= 0:
            seen = transform_phi(total[i], body.placement)
            total[body.parent] = total[body.parent] + seen
            rounded[body.parent] += rounded[i] + np.abs(seen[:6]).max()
        if not body.joint.turns_about_axis:
            continue
        _, _, S = moments_seen_from(total[i], inverse(pose(None, body.joint.centre)))
        e = body.joint.X[:3, 0]
        moved = float(np.trace(S) - e @ S @ e) + body.armature
        error = float(np.finfo(float).eps * rounded[i] / moved) if moved > 0 else 0.0
        if error > loss:
            worst, loss = body.joint_name, error
    return worst, loss
