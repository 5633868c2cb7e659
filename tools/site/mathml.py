"""Formulas as MathML, which browsers draw without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils.nodes import Element, SkipNode

from closedform.report.formulas import mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def connect(app: Sphinx) -> None:
    """Register the renderer that conf.py chooses."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))


def _inline(writer: Any, node: Element) -> None:
    writer.body.append(mathml(node.astext()))
    raise SkipNode


def _block(writer: Any, node: Element) -> None:
    writer.body.append(f'<div class="math">{mathml(node.astext(), display=True)}</div>')
    raise SkipNode
