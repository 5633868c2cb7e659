"""Formulas on the page: LaTeX as MathML, which browsers draw without a script."""

from __future__ import annotations

import re

from latex2mathml.converter import convert
from markupsafe import Markup

ROWS = {"aligned": "rl", "gathered": "l"}
"""Environments of several lines that the converter does not know, and their columns."""

ALIGNED = re.compile(r'columnalign="(left|right)"')
"""How the converter aligns a cell; browsers follow the style."""


def mathml(latex: str, display: bool = False) -> Markup:
    """Return a formula in LaTeX as MathML, in the line or on one of its own."""
    for name, columns in ROWS.items():
        latex = latex.replace(f"\\begin{{{name}}}", f"\\begin{{array}}{{{columns}}}")
        latex = latex.replace(f"\\end{{{name}}}", "\\end{array}")
    found = convert(latex, display="block" if display else "inline")
    if "\\begin{array}" in latex:
        found = found.replace(
            "<mtable", '<mtable displaystyle="true"', 1
        )  # fractions as on a line of their own
    return Markup(ALIGNED.sub(r'\g<0> style="text-align:\1"', found))


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
