"""The rules by which Gautier and Khalil drop and regroup parameters, as spaces of parameters of a link.

A rule says that some parameters of a link have no effect, or that its joint does not feel them, so that
they act like parameters of the link before. The paper writes them for axes along z through the origin;
here the axis may have any direction, and may pass the origin by. The spans of `attainable` decide what
is eliminated, and reach the numeric rank; rules are the reasons that people give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...model import Body, Model
from ...rotations import pose
from .attainable import Attained, attained_by, span
from .transfer import PAIRS, SIZE, transfer_matrix

PARALLEL = 1e-9
"""Sine of an angle below which directions count as parallel, cosine below which as perpendicular."""


@dataclass(frozen=True)
class Rule:
    """A rule about a link: why its joint does not feel the parameters that `space` (10, .) spans.

    They have no effect if the rule `drops` them; otherwise they act like parameters of the link before.
    `source` is where [GautierKhalil1990] prints the rule, empty if it goes beyond the paper. Lengths are in
    the unit of the model that the rule is about.
    """

    says: str
    source: str
    space: Array
    drops: bool

    @property
    def beyond(self) -> bool:
        """Whether the paper does not have this rule."""
        return not self.source

    @property
    def text(self) -> str:
        """The rule as a sentence, with its source."""
        if self.beyond:
            return f"{self.says} (beyond the rules of [GautierKhalil1990])"
        return f"{self.says} [GautierKhalil1990, {self.source}]"


def rules_of(model: Model) -> list[tuple[Rule, ...]]:
    """Return the rules that apply to each body, in the order of the paper.

    [GautierKhalil1990, section III-B, rules 1-3], then its Eqs. (15), (16), (19) and (20). Rule 2 needs
    gravity along the first axis also if r1 = 1, which the paper does not say.
    """
    attained = [each for each, _ in attained_by(model)]
    return [tuple(_rules(model, k, attained)) for k in range(len(model.bodies))]


def together(rules: Sequence[Rule]) -> Rule:
    """Return several rules as one."""
    printed = all(not each.beyond for each in rules)
    return Rule(
        "; ".join(each.says for each in rules),
        ", ".join(each.source for each in rules) if printed else "",
        np.hstack([each.space for each in rules]),
        all(each.drops for each in rules),
    )


def covered(space: Array, parameters: Array) -> bool:
    """Return whether parameters (10,) are in the span of the columns of a space."""
    Q = span(space)
    left = parameters - Q @ (Q.T @ parameters)
    return bool(np.linalg.norm(left) < PARALLEL * np.linalg.norm(parameters))


def turning_directions(attained: Attained) -> Array:
    """Return the directions (3, .) about which a body turns, in its frame: none, one, or all three."""
    return span(attained.twists[:3])


def _rules(model: Model, k: int, attained: list[Attained]) -> Iterator[Rule]:
    body, link = model.bodies[k], k + 1
    axis = _axis(body)
    about = turning_directions(attained[k])
    if about.shape[1] == 0:
        yield Rule(
            f"link {link} does not turn: the joints up to it are translational",
            "section III-B, rule 1",
            np.eye(SIZE)[:, :9],
            drops=True,
        )
    elif about.shape[1] == 1:
        yield from _one_axis(model, k, attained, about[:, 0])
    if body.joint.turns_about_axis and axis is not None:
        yield Rule(
            f"joint {link} turns about its axis and does not feel mass on it",
            "Eq. (15)",
            _about_centre(body) @ _line(axis),
            drops=body.parent < 0,
        )
    if body.joint.slides_along_axis:
        yield Rule(
            f"joint {link} is translational: link {link} turns as the link before it",
            "Eq. (16)",
            np.eye(SIZE)[:, :6],
            drops=body.parent < 0,
        )
        if axis is not None and about.shape[1] == 1 and _parallel(axis, about[:, 0]):
            yield _slide_along(model, k, axis)


def _one_axis(model: Model, k: int, attained: list[Attained], e: Array) -> Iterator[Rule]:
    """Yield the rules of a link that turns about one direction e only: r1 <= link < r2."""
    body, link = model.bodies[k], k + 1
    first = next(i for i in reversed(model.ancestors(k)) if attained[i].twists[:3].any())
    axis = _axis(body)
    if first == k and body.joint.turns_about_axis:
        gravity = attained[k].gravity
        upright = gravity.shape[1] == 0 or (gravity.shape[1] == 1 and _parallel(gravity[:, 0], e))
        if upright and _slides_along(model, body, e):
            yield Rule(
                f"the axis of joint {link}, the first that turns, is parallel to gravity"
                + (f" and to the slides before joint {link}" if body.parent >= 0 else ""),
                "section III-B, rule 2",
                _about_centre(body) @ np.vstack([np.zeros((6, 2)), _across(e), np.zeros((1, 2))]),
                drops=True,
            )
        if body.parent < 0:
            yield Rule(
                f"the origin of link {link} rests, since joint {link} is the first and turns",
                "section III-B, rule 2",
                _about_centre(body)[:, 9:],
                drops=True,
            )
    one_dof = body.joint.turns_about_axis or body.joint.slides_along_axis
    along = one_dof and axis is not None and _parallel(axis, e)
    yield Rule(
        f"link {link} turns about the axis of joint {first + 1} only"
        + ("" if along else f", to which its joint {link} is not parallel"),
        "section III-B, rule 3" if along else "",
        _no_spin(e),
        drops=True,
    )


def _slide_along(model: Model, k: int, axis: Array) -> Rule:
    """Return the rule of a slide along the only axis about which its link turns."""
    body, link = model.bodies[k], k + 1
    before = model.bodies[body.parent]
    other = _axis(before)
    source = ""
    if other is not None:
        cosine = abs(float(axis @ body.placement[:3, :3].T @ other))
        if abs(cosine - 1) < PARALLEL:
            source = "Eq. (19)"
        elif cosine < PARALLEL:
            source = "Eq. (20)"
    return Rule(
        f"joint {link} slides along the only axis about which link {link} turns",
        source,
        np.eye(SIZE)[:, 6:9],
        drops=False,
    )


def _slides_along(model: Model, body: Body, e: Array) -> bool:
    """Return whether all joints before that of a body are slides along e, in the body's frame."""
    while body.parent >= 0:
        e = body.placement[:3, :3] @ e
        body = model.bodies[body.parent]
        axis = _axis(body)
        if not body.joint.slides_along_axis or axis is None or not _parallel(axis, e):
            return False
    return True


def _axis(body: Body) -> Array | None:
    """Return the unit direction of a joint of one dof in the body's frame; None for other joints."""
    if body.joint.nv != 1:
        return None
    X = body.joint.X[:, 0]
    e = X[:3] if X[:3].any() else X[3:]
    return np.asarray(e / np.linalg.norm(e))


def _parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL


def _about_centre(body: Body) -> Array:
    """Return the map from parameters about a point of the joint's axis to those about the origin."""
    return np.asarray(transfer_matrix(pose(None, body.joint.centre)))


def _line(e: Array) -> Array:
    """Return the parameters (10, 3) of masses on a line through the origin along e."""
    J = np.eye(3) - np.outer(e, e)
    line = np.zeros((SIZE, 3))
    line[:6, 0] = [J[i, j] for i, j in PAIRS]
    line[6:9, 1] = e
    line[9, 2] = 1
    return line


def _no_spin(e: Array) -> Array:
    """Return the parameters (10, 6) without energy when turning about e: e J e = 0, first moment along e."""
    energy = np.array([e[i] * e[j] * (1 if i == j else 2) for i, j in PAIRS])
    _, _, Vt = np.linalg.svd(energy[None])
    found = np.zeros((SIZE, 6))
    found[:6, :5] = Vt[1:].T
    found[6:9, 5] = e
    return found


def _across(e: Array) -> Array:
    """Return two directions (3, 2) perpendicular to e."""
    return np.asarray(np.linalg.svd(e[None])[2][1:].T)
