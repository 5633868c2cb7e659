"""Calls of every shape that machine code takes, for the tests of their patterns and lifetimes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import closedform as cf

Call = tuple[tuple[Any, ...], dict[str, Any]]


class PythonError(Exception):
    """A call went through Python."""


@cache
def arm() -> cf.Robot:
    return cf.load("2r")


def states(seed: int = 0, dtype: str = "f8") -> list[np.ndarray]:
    return [x.astype(dtype) for x in arm().random_state(seed, order=3)]


def spelled(name: str) -> str:
    """Return an equal text that is another object."""
    return "".join(list(name))


SHAPES: dict[str, Callable[[list[np.ndarray]], tuple[str, Call]]] = {
    "plain": lambda s: ("inverse_dynamics", (tuple(s[:3]), {})),
    "out": lambda s: ("inverse_dynamics", (tuple(s[:3]), {"out": np.zeros(2)})),
    "no out": lambda s: ("inverse_dynamics", (tuple(s[:3]), {"out": None})),
    "keyword": lambda s: ("gravity_torque", ((), {"q": s[0]})),
    "keywords": lambda s: ("inverse_dynamics", ((), dict(zip(("q", "qd", "qdd"), s, strict=False)))),
    "mixed": lambda s: ("inverse_dynamics", ((s[0],), {"qdd": s[2], "out": np.zeros(2), "qd": s[1]})),
    "frame": lambda s: ("jacobian", ((s[0], "link1"), {})),
    "frame by name": lambda s: ("pose", ((s[0],), {"frame": "tool"})),
    "no frame": lambda s: ("pose", ((s[0], None), {})),
    "frame out": lambda s: ("jacobian_dot", ((s[0], s[1], "tool"), {"out": np.zeros((6, 2))})),
    "spelled frame": lambda s: ("pose", ((s[0], spelled("link2")), {})),
    "family": lambda s: ("inverse_dynamics_rates", (tuple(s[:4]), {})),
    "family of none": lambda s: ("inverse_dynamics_rates", (tuple(s[:3]), {})),
    "family by name": lambda s: ("inverse_dynamics_rates", (tuple(s[:3]), {"qddd": s[3]})),
    "family out": lambda s: ("inverse_dynamics_rates", (tuple(s[:4]), {"out": (np.zeros(2), np.zeros(2))})),
    "framed family": lambda s: ("jacobian_rates", ((s[0], s[1], "tool"), {})),
    "several": lambda s: ("inverse_dynamics_derivatives", (tuple(s[:3]), {})),
    "several out": lambda s: (
        "inverse_dynamics_derivatives",
        (tuple(s[:3]), {"out": (np.zeros((2, 2)), np.zeros((2, 2)))}),
    ),
    "number": lambda s: ("kinetic_energy", (tuple(s[:2]), {})),
    "number out": lambda s: ("kinetic_energy", (tuple(s[:2]), {"out": np.zeros(())})),
    "reference": lambda s: ("jacobian", ((s[0],), {"frame": "tool", "reference": "world"})),
    "relative": lambda s: ("relative_pose", ((s[0], "tool", "link1"), {})),
    "wrenches by name": lambda s: (
        "inverse_dynamics",
        (tuple(s[:3]), {"wrenches": np.tile(s[1], 6).reshape(2, 6), "reference": "world_aligned"}),
    ),
    "friction": lambda s: ("forward_dynamics", (tuple(s[:3]), {"friction": True, "wrenches": None})),
    "rows": lambda s: ("task_inertia_inverse", ((s[0], "tool"), {"rows": "x"})),
    "factorisation": lambda s: ("coriolis_matrix", (tuple(s[:2]), {"factorisation": "mueller-kumar-22"})),
    "wrenches": lambda s: ("external_torque", ((s[0], np.tile(s[1], 6).reshape(2, 6)), {})),
}
"""Calls of every shape that machine code takes."""


def same(one: Any, other: Any) -> None:
    """Fail unless two results are equal, of the same types."""
    assert type(one) is type(other)
    if isinstance(one, tuple):
        assert one._fields == other._fields
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)


def copied(result: Any) -> Any:
    """Return a copy of a result, arrays and all."""
    if isinstance(result, tuple):
        return type(result)(*(each.copy() for each in result))
    return result.copy()
