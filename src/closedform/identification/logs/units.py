"""Units of a log's columns, and what they are in SI."""

from __future__ import annotations

import re

import numpy as np

from ...errors import ArgumentError, shown, similar

UNITS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "position": {
        "rad": 1.0,
        "deg": np.pi / 180,
        "degrees": np.pi / 180,
        "m": 1.0,
        "mm": 1e-3,
        "rev": 2 * np.pi,
    },
    "velocity": {"rad/s": 1.0, "deg/s": np.pi / 180, "m/s": 1.0, "mm/s": 1e-3, "rpm": np.pi / 30},
    "effort": {"nm": 1.0, "n": 1.0, "mnm": 1e-3, "nmm": 1e-3, "knm": 1e3, "a": 1.0, "ma": 1e-3},
}
"""Units by quantity, that of SI first, and their factors to SI; amperes need a drive gain besides."""

AMPERES = {"a", "ma"}
"""Units of efforts that are currents, not torques."""


def split_unit(name: str) -> tuple[str, str | None]:
    """Return a column name without its unit, and the unit in brackets at its end.

    >>> split_unit("elbow position [deg]"), split_unit("q[3]")
    (('elbow position', 'deg'), ('q[3]', None))
    """
    text = name.rstrip()
    if not text.endswith(("]", ")")):
        return name, None
    start = max(text.rfind("["), text.rfind("("))
    inside = text[start + 1 : -1]
    if start < 0 or not inside or inside.isdigit() or "]" in inside or ")" in inside:
        return name, None
    return text[:start].rstrip(), inside.strip()


def factor(quantity: str, unit: str | None) -> float:
    """Return the factor of a unit to SI; one for None."""
    if unit is None:
        return 1.0
    known = UNITS[quantity]
    if not isinstance(unit, str):
        raise ArgumentError(f"unit of {quantity} is {shown(unit)}; expected one of {', '.join(known)}")
    key = re.sub(r"[\s·.*-]", "", unit.lower().replace("°", "deg"))
    if key not in known:
        raise ArgumentError(
            f"unit {unit!r} of {quantity} is unknown{similar(unit, known)}; known: {', '.join(known)}"
        )
    return known[key]
