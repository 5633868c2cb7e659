"""Numbers as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

NONE = "–"
THIN = "\u202f"


def fixed(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed number of decimals, so that columns align; a dash for none."""
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:,.{digits}f}".replace(",", THIN).replace("-", "−")


def count(value: int) -> str:
    """Return a whole number in groups of three."""
    return f"{value:,}".replace(",", THIN)


def scientific(value: float | None) -> str | Markup:
    """Return a small or large number with two digits and a power of ten."""
    if value is None or not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    power, shown = int(exponent), mantissa.replace("-", "−")
    if power == 0:
        return shown
    return Markup("{}{}×{}10<sup>{}</sup>").format(shown, THIN, THIN, str(power).replace("-", "−"))


def per_second(value: float) -> str:
    """Return a rate with three digits and a prefix."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{THIN}{letter}"
    return f"{value:.3g}"


def breakable(name: str) -> Markup:
    """Return a name of code that a narrow column may break after an underscore."""
    return Markup("_<wbr>").join(name.split("_"))


FILTERS: dict[str, Callable[..., Any]] = {
    "degrees": math.degrees,
    "fixed": fixed,
    "count": count,
    "scientific": scientific,
    "per_second": per_second,
    "breakable": breakable,
}
