"""Formulas on the page: LaTeX as MathML, which browsers draw without a script."""

from __future__ import annotations

from latex2mathml.converter import convert
from markupsafe import Markup


def mathml(latex: str, display: bool = False) -> Markup:
    """Return a formula in LaTeX as MathML, in the line or on one of its own."""
    return Markup(convert(latex, display="block" if display else "inline"))


def prose(text: str) -> Markup:
    """Return a text in which `code` and $formulas$ are shown as such; the rest is escaped."""
    parts = []
    for k, part in enumerate(text.split("$")):
        if k % 2:
            parts.append(mathml(part))
        else:
            parts += [_word(word, code=i % 2 == 1) for i, word in enumerate(part.split("`"))]
    return Markup("").join(parts)


def _word(text: str, code: bool) -> Markup:
    return Markup("<code>{}</code>").format(text) if code else Markup.escape(text)
