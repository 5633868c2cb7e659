"""Objects as notebooks show them: small tables in HTML, without scripts, style sheets or network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import SHOWN, shorten

WIDEST = 40
"""Characters of a text in a cell; the middle of a longer one is left out."""

SENTENCE = 1000
"""Characters of a text above or below a table."""

AS_IT_IS = ' class="tex2jax_ignore mathjax_ignore"'
"""Keeps notebooks from reading dollars in names as formulas."""

LEFT, RIGHT = (f' style="text-align:{side};padding:0.1em 0.6em"' for side in ("left", "right"))


def card(title: str, facts: str, *parts: str, notes: Iterable[str] = ()) -> str:
    """Return a block of HTML: a title, facts in words, parts (in HTML) side by side, and notes below.

    Title, facts and notes are texts, shown as they are.

    >>> card("arm", "2 joints < 3")
    '<div class="tex2jax_ignore mathjax_ignore"><p><b>arm</b> 2 joints &lt; 3</p></div>'
    """
    row = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"
    beside = f'<div style="{row}">{"".join(parts)}</div>' if any(parts) else ""
    below = "".join(f"<p>{_text(note, SENTENCE)}</p>" for note in list(notes)[:SHOWN])
    head = f"<p><b>{_text(title, WIDEST)}</b> {_text(facts, SENTENCE)}</p>"
    return f"<div{AS_IT_IS}>{head}{beside}{below}</div>"


def html_table(header: Sequence[str], rows: Sequence[Sequence[Any]], widest: int = WIDEST) -> str:
    """Return a table in HTML: texts to the left, numbers with six digits to the right, None as nothing.

    Rows beyond those that fit are counted; texts have at most `widest` characters.

    >>> html_table(["name"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    shown = rows[:SHOWN]
    sides = [
        RIGHT if column and all(each is None or isinstance(each, Real) for each in column) else LEFT
        for column in zip(*shown, strict=True)
    ] or [LEFT] * len(header)
    head = "".join(f"<th{side}>{_text(name)}</th>" for name, side in zip(header, sides, strict=True))
    lines = [
        "".join(f"<td{side}>{_text(_cell(each), widest)}</td>" for each, side in zip(row, sides, strict=True))
        for row in shown
    ]
    if rows[SHOWN:]:
        lines.append(f'<td{LEFT} colspan="{len(header)}">and {len(rows) - SHOWN} more</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def span_table(names: Sequence[str], values: ArrayLike) -> str:
    """Return start, end and range over time of values (..., times, names), a row each; NaN does not count.

    Start and end are those of a single run; a batch has its range only.
    """
    array = np.asarray(values, dtype=float)
    flat = array.reshape(-1, array.shape[-1])
    seen = np.isfinite(flat)
    low = np.where(seen, flat, np.inf).min(axis=0, initial=np.inf)
    high = np.where(seen, flat, -np.inf).max(axis=0, initial=-np.inf)
    if array.ndim > 2 or not len(flat):
        return html_table(["", "lowest", "highest"], list(zip(names, low, high, strict=True)))
    rows = list(zip(names, flat[0], flat[-1], low, high, strict=True))
    return html_table(["", "start", "end", "lowest", "highest"], rows)


def text_block(text: str) -> str:
    """Return a text with its lines, as `str` gives it, where an object has no numbers to show yet."""
    return f"<pre{AS_IT_IS}>{_text(text, SENTENCE)}</pre>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Real):
        number = float(value)
        return f"{number:.6g}" if math.isfinite(number) else "–"
    return str(value)


def _text(text: str, longest: int = WIDEST) -> str:
    return escape(shorten(text, longest), quote=False)
