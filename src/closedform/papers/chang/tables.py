"""Tables I to III of Chang's paper as printed."""

from __future__ import annotations

from dataclasses import dataclass

Row = tuple[str, str, str, str, str]
"""x and y of the tip in mm, and the three joint angles in degrees."""

COLUMNS = ("$x$, mm", "$y$, mm", r"$\theta_1$, deg", r"$\theta_2$, deg", r"$\theta_3$, deg")


@dataclass(frozen=True)
class Visit:
    """One passage through a vertex of the square: the vertex (from 0), and what is printed of it."""

    vertex: int
    command: tuple[str, str]
    proposed: Row
    resolved: Row


PROPOSED: tuple[Row, ...] = (
    ("446.00", "91.514", "-25.5116", "134.4894", "100.8165"),
    ("446.00", "-8.4866", "-13.4927", "135.1801", "101.6627"),
    ("546.00", "-8.4863", "-7.1232", "128.0020", "92.1837"),
    ("546.00", "91.514", "-17.0753", "127.4846", "91.4484"),
)
"""The proposed method at the four vertices, the same in all tables."""

COMMANDS = (("446.00", "91.514"), ("446.00", "-8.4866"), ("546.00", "-8.4866"), ("546.00", "91.514"))


def _visits(*resolved: tuple[int, Row]) -> tuple[Visit, ...]:
    return tuple(Visit(k, COMMANDS[k], PROPOSED[k], row) for k, row in resolved)


TABLES: dict[str, tuple[Visit, ...]] = {
    "Table I": _visits(
        (0, ("446.00", "91.514", "-40.5006", "141.6408", "78.4169")),
        (1, ("445.74", "-6.5824", "-14.0445", "135.3160", "101.2448")),
        (2, ("545.52", "-6.8216", "-7.1924", "127.9635", "92.4919")),
        (3, ("545.73", "92.947", "-17.0519", "127.3890", "91.7938")),
        (0, ("445.97", "93.167", "-25.7427", "134.4867", "100.7127")),
    ),
    "Table II": _visits(
        (0, ("445.89", "93.140", "-25.7472", "134.4929", "100.7206")),
        (1, ("445.63", "-6.6244", "-14.0476", "135.3249", "101.2557")),
        (0, ("445.60", "92.912", "-25.4178", "134.3821", "101.2799")),
        (1, ("445.57", "-6.6184", "-14.0526", "135.3293", "101.2610")),
    ),
    "Table III": _visits(
        (0, ("446.00", "91.514", "-25.5115", "134.4894", "100.8164")),
        (1, ("446.00", "-8.4868", "-13.4927", "135.1801", "101.6626")),
        (2, ("546.00", "-8.4863", "-7.1232", "128.0020", "92.1837")),
        (3, ("546.00", "91.514", "-17.0752", "127.4846", "91.4484")),
    ),
}
"""The tables: the first cycle, the left side to and fro after two cycles, and the tip at rest."""
