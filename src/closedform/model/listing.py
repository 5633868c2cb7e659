"""A model as text for people: its joints with their places in q and qd, kinds and limits, and its frames."""

from __future__ import annotations

import math

from ..errors import SHOWN, listed, shorten
from .body import Body
from .model import Model

WIDEST = 40
"""Characters of a name in the table."""


def listing(model: Model) -> str:
    """Return a table of the joints, and the names of the frames."""
    rows = joint_rows(model)[: SHOWN + 1]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head = ": ".join(heading(model))
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    more = [f"and {len(model.bodies) - SHOWN} more"] if model.bodies[SHOWN:] else []
    frames = f"frames: {listed([shorten(name, WIDEST) for name in model.frame_names], SHOWN)}"
    return "\n".join([head, *(lines if model.bodies else []), *more, frames])


def heading(model: Model) -> tuple[str, str]:
    """Return the name of a model, and in words how large it is."""
    count = f"nq {model.nq}, nv {model.nv}, {len(model.bodies)} moving bodies"
    return shorten(model.name, WIDEST), f"{count}, {model.mass:.6g} kg"


def joint_rows(model: Model) -> list[tuple[str, ...]]:
    """Return the table of the joints, its header first, a row per body."""
    rows: list[tuple[str, ...]] = [("joint", "kind", "q", "qd", "lower", "upper")]
    return rows + [_row(model, body) for body in model.bodies]


def _row(model: Model, body: Body) -> tuple[str, ...]:
    name = shorten(body.joint_name, WIDEST)
    if body.coupling is not None:
        driver = shorten(model.bodies[body.coupling.body].joint_name, WIDEST)
        return name, f"follows {driver}", "", "", "", ""
    places = [_span(body.iq, body.joint.nq), _span(body.iv, body.joint.nv)]
    ends = (body.limits.lower, body.limits.upper)
    limits = [f"{each:.4g}" if math.isfinite(each) else "" for each in ends]
    return name, body.joint.kind, *places, *limits


def _span(start: int, count: int) -> str:
    """Return "3" or "0:6", as an index or a slice is written."""
    return str(start) if count == 1 else f"{start}:{start + count}"
