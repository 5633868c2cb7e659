"""The numbers of a posture as small pieces of HTML: tables, matrices and bars, all names escaped.

Colours are translucent, so that they suit a light and a dark page, and no meaning is in a colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array
from ..errors import shorten
from .coordinates import Coordinate
from .numbers import Load, Numbers

if TYPE_CHECKING:
    from .bending import BendingState

WIDEST = 8
"""Columns of a matrix whose entries are written; a larger one is a picture."""

MOST_BARS = 60
"""Joints that have a row of their own."""

NAME = 22
"""Characters of a name."""

BLUE, GREEN, AMBER, RED = "59,125,216", "47,158,110", "217,150,43", "217,60,60"

SMALL = "font-size:11px;line-height:1.35;font-variant-numeric:tabular-nums"
CELL = "padding:1px 5px;text-align:right;white-space:nowrap"
ENTRY = "padding:1px 2px;text-align:right;white-space:nowrap;font-size:10px"
FIRST = "padding:1px 5px 1px 0;text-align:left;white-space:nowrap"


def number(value: float) -> str:
    """Return a number with four figures at most, or a dash if there is none.

    >>> number(12.34567), number(1e-17), number(float("inf"))
    ('12.35', '0', '–')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) < 5e-13:
        return "0"
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.1e}"


def block(inner: str) -> str:
    """Return a piece of the panel in its small type."""
    return f'<div style="{SMALL};overflow-x:auto;padding:2px 8px">{inner}</div>'


def status(notes: Iterable[str]) -> str:
    """Return sentences that need attention, or nothing."""
    lines = "".join(f"<div>{escape(shorten(note, 300))}</div>" for note in notes if note)
    if not lines:
        return ""
    edge = f"border-left:3px solid rgb({AMBER});padding-left:6px;margin:2px 0 6px"
    return block(f'<div role="status" style="{edge}">{lines}</div>')


def posture(coordinates: Sequence[Coordinate], q: Array) -> str:
    """Return the coordinates in degrees or metres, with rad beside, and how far they are in their range."""
    rows = []
    for each in coordinates[:MOST_BARS]:
        value = each.value(q)
        other = f"{number(value / each.factor)} rad" if each.unit == "°" else ""
        part = (value - each.lower) / (each.upper - each.lower)
        beyond = not -1e-6 <= part <= 1 + 1e-6
        mark = " beyond its limit" if beyond else ""
        rows.append(
            f'<tr><td style="{FIRST}">{_name(each.name)}</td><td style="{CELL}">{value:.1f}{each.unit}</td>'
            if each.unit == "°"
            else f'<tr><td style="{FIRST}">{_name(each.name)}</td><td style="{CELL}">{number(value)} '
            f"{escape(each.unit)}</td>"
        )
        rows.append(
            f'<td style="{CELL}">{other}</td><td style="width:30%">{_place(part)}</td><td>{mark}</td></tr>'
        )
    more = _more(len(coordinates))
    return block(f'<table style="width:100%;border-spacing:0">{"".join(rows)}</table>{more}')


def loads(given: Numbers) -> str:
    """Return the torques that hold the robot, each as a bar against the limit of its drive."""
    if given.loads is None:
        return block("The file has no inertias: no torques.")
    rows = "".join(_load_row(load) for load in given.loads[:MOST_BARS])
    head = '<div style="margin:4px 0 2px"><b>Torques against gravity</b></div>'
    return block(f'{head}<table style="width:100%;border-spacing:0">{rows}</table>{_more(len(given.loads))}')


def _load_row(load: Load) -> str:
    use = load.use
    if use is None:
        bar, words = "", "no limit"
    else:
        colour = GREEN if use < 0.6 else AMBER if use <= 1 else RED
        bar = _bar(use, colour)
        words = f"{100 * use:.0f} % of {number(load.limit)}" + (" : too much" if use > 1 else "")
    return (
        f'<tr><td style="{FIRST}">{_name(load.name)}</td>'
        f'<td style="{CELL}">{number(load.torque)} {load.unit}</td>'
        f'<td style="width:30%">{bar}</td><td style="{CELL}">{words}</td></tr>'
    )


def compared(names: Sequence[str], computed: Array | None, measured: Array | None) -> str:
    """Return the torques of one instant of a motion: computed, and measured beside them if it is a log."""
    if computed is None:
        return block("The file has no inertias: no torques.")
    header = f'<tr><td style="{FIRST}">torque, SI units</td><td style="{CELL}">computed</td>'
    header += (
        "" if measured is None else f'<td style="{CELL}">measured</td><td style="{CELL}">difference</td>'
    )
    rows = []
    for k, name in enumerate(names[:MOST_BARS]):
        cells = [computed[k]] if measured is None else [computed[k], measured[k], computed[k] - measured[k]]
        texts = "".join(f'<td style="{CELL}">{number(float(each))}</td>' for each in cells)
        rows.append(f'<tr><td style="{FIRST}">{_name(name)}</td>{texts}</tr>')
    table = f'<table style="width:100%;border-spacing:0">{header}</tr>{"".join(rows)}</table>'
    return block(table + _more(len(names)))


def measures(given: Numbers, frame: str) -> str:
    """Return where the tool and the centre of mass are, and how far the tool is from a singularity."""
    rows = [
        ("tool", f"{_name(frame)} at ({_vector(given.position)}) m"),
        ("manipulability", number(given.manipulability)),
        ("condition of J", "singular" if math.isinf(given.condition) else number(given.condition)),
    ]
    if given.center_of_mass is not None:
        rows.append(("centre of mass", f"({_vector(given.center_of_mass)}) m"))
    cells = "".join(
        f'<tr><td style="{FIRST}">{what}</td><td style="{CELL}">{value}</td></tr>' for what, value in rows
    )
    return block(f'<table style="width:100%;border-spacing:0">{cells}</table>')


def arm(state: BendingState) -> str:
    """Return the time, the coordinates and the energies of a flexible arm."""
    names, q, qd = state.arm.coordinate_names, state.q, state.qd
    kinetic = float(state.arm.kinetic_energy(q, qd))
    potential = float(state.arm.potential_energy(q))
    rows = [
        ("time", f"{state.time:.2f} s", ""),
        *(
            (
                _name(name),
                f"{number(float(q[k]))}",
                f"{math.degrees(q[k]):.1f}°" if k < state.arm.joints else "",
            )
            for k, name in enumerate(names[:MOST_BARS])
        ),
        ("largest deflection", f"{100 * state.deflection():.1f} % of a link", ""),
        ("kinetic energy", f"{number(kinetic)} J", ""),
        ("potential energy", f"{number(potential)} J", ""),
    ]
    cells = "".join(
        f'<tr><td style="{FIRST}">{what}</td><td style="{CELL}">{value}</td>'
        f'<td style="{CELL}">{more}</td></tr>'
        for what, value, more in rows
    )
    return block(f'<table style="width:100%;border-spacing:0">{cells}</table>')


def matrix(title: str, values: Array | None, rows: Sequence[str] = ()) -> str:
    """Return a matrix whose entries are shaded by their size; one that is too wide is only described."""
    if values is None:
        return block(f"{title}: none, as the file has no inertias.")
    shape = " × ".join(map(str, values.shape))
    if not values.size or values.shape[1] > WIDEST:
        return block(f"<b>{title}</b> ({shape}), shaded by the logarithm of its entries")
    with np.errstate(invalid="ignore"):
        shades = np.nan_to_num(np.abs(values) / max(float(np.abs(values).max()), 1e-300))
    decimals = _decimals(values)
    none = np.abs(values) < 1e-12 * max(float(np.abs(values).max()), 1e-300)
    whole = np.round(values, decimals) + 0.0  # no minus before nothing
    texts = np.where(none, "0", [[f"{x:.{decimals}f}" for x in row] for row in whole.tolist()])
    lines = []
    for i, (row, shade) in enumerate(zip(texts.tolist(), shades.tolist(), strict=True)):
        head = f'<td style="{FIRST};opacity:0.7">{escape(rows[i])}</td>' if rows else ""
        cells = "".join(
            f'<td style="{ENTRY};background:rgba({BLUE},{0.5 * s:.2f})">{x}</td>'
            for x, s in zip(row, shade, strict=True)
        )
        lines.append(f"<tr>{head}{cells}</tr>")
    table = f'<table style="border-spacing:1px;width:100%">{"".join(lines)}</table>'
    return block(f'<div style="margin:4px 0 2px"><b>{title}</b> ({shape})</div>{table}')


def _decimals(values: Array) -> int:
    """Return the decimals that leave four figures of the largest entry of a matrix."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return int(np.clip(3 - math.floor(math.log10(largest)), 0, 8)) if 0 < largest < math.inf else 3


def heat(values: Array, width: int = 300) -> Array:
    """Return a matrix as a picture (height, width, 3) of bytes: white for zero, dark blue for the largest.

    Entries are shaded by their logarithm over four decades, since those of M differ by as much.
    """
    sizes = np.abs(np.nan_to_num(values))
    largest = max(float(sizes.max(initial=0.0)), 1e-300)
    shade = np.clip(1 + np.log10(np.maximum(sizes / largest, 1e-12)) / 4, 0.0, 1.0)
    colours = 255 + shade[..., None] * (np.array([23.0, 52.0, 120.0]) - 255)
    height = max(60, width * values.shape[0] // max(1, values.shape[1]))
    sides = zip((height, width), values.shape, strict=True)
    rows, columns = (np.arange(side) * n // side for side, n in sides)
    return np.ascontiguousarray(colours[rows][:, columns].astype(np.uint8))


def _vector(values: Array) -> str:
    return ", ".join(f"{x:.3f}" for x in values.tolist())


def _name(text: str) -> str:
    short = escape(shorten(text, NAME))
    return short if len(text) <= NAME else f'<span title="{escape(text)}">{short}</span>'


def _bar(part: float, colour: str) -> str:
    width = min(100.0, 100 * part)
    return (
        '<div style="background:rgba(128,128,128,0.2);height:8px;border-radius:2px">'
        f'<div style="background:rgb({colour});width:{width:.1f}%;height:8px;border-radius:2px"></div></div>'
    )


def _place(part: float) -> str:
    """Return where a coordinate is between its ends, as a mark on a line."""
    left = min(97.0, max(0.0, 97 * part))
    return (
        '<div style="background:rgba(128,128,128,0.2);height:8px;border-radius:2px">'
        f'<div style="background:rgb({BLUE});margin-left:{left:.1f}%;width:3%;height:8px"></div></div>'
    )


def _more(count: int) -> str:
    return f"<div>and {count - MOST_BARS} more</div>" if count > MOST_BARS else ""
