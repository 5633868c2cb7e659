"""Tendons of a MuJoCo model: along joints, whose length is linear in coordinates, or between two sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .mjcf_compile import mujoco


@dataclass(frozen=True)
class Linear:
    """A linear function of joints' coordinates, `terms` by the number of the joint."""

    terms: dict[int, float]
    offset: float = 0.0

    def __sub__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for joint, c in other.terms.items():
            terms[joint] = terms.get(joint, 0.0) - c
        return Linear(terms, self.offset - other.offset)

    def times(self, factor: float) -> Linear:
        """Return a multiple of it."""
        return Linear({joint: factor * c for joint, c in self.terms.items()}, factor * self.offset)


def _path(model: Any, tendon: int, kind: str) -> list[int] | None:
    """Return the places of a tendon's path if all of them are of one kind, JOINT or SITE."""
    first = int(model.tendon_adr[tendon])
    path = list(range(first, first + int(model.tendon_num[tendon])))
    wanted = int(getattr(mujoco().mjtWrap, f"mjWRAP_{kind}"))
    return path if all(int(model.wrap_type[w]) == wanted for w in path) else None


def along_joints(model: Any, tendon: int) -> dict[int, float] | None:
    """Return the coefficients, by joint, of a tendon that runs along joints; None of others."""
    path = _path(model, tendon, "JOINT")
    if path is None:
        return None
    terms: dict[int, float] = {}
    for w in path:
        joint = int(model.wrap_objid[w])
        terms[joint] = terms.get(joint, 0.0) + float(model.wrap_prm[w])
    return terms


def between_sites(model: Any, tendon: int) -> tuple[int, int] | None:
    """Return the two sites between which a tendon runs straight; None of others."""
    path = _path(model, tendon, "SITE")
    if path is None or len(path) != 2:
        return None
    return int(model.wrap_objid[path[0]]), int(model.wrap_objid[path[1]])
