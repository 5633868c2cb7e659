"""The API reference: every public name of a package with its docstring, read by autodoc."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
NAME = re.compile(r"`(closedform(?:\.\w+)+)`")


def connect(app: Sphinx) -> None:
    """Complete the pages of the reference when they are read."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-docstring", _as_rst)
    app.connect("autodoc-process-signature", _signature)


def _complete(app: Sphinx, name: str, source: list[str]) -> None:
    if name == "api":
        source[0] = NAME.sub(r"{py:obj}`\1`", source[0])
    elif name.startswith("api/closedform"):
        source[0] += entries(name.removeprefix("api/"))


def entries(package: str) -> str:
    """Return the directives of a package's public names; one that is at the top too stands there only."""
    top = import_module("closedform")
    module = import_module(package)
    lines = []
    for name in module.__all__:
        found = getattr(module, name)
        if inspect.ismodule(found) or (module is not top and name in top.__all__):
            continue
        lines += [f"## {name}\n", "```{eval-rst}", *_directive(f"{package}.{name}", found), "```", ""]
    return "\n\n" + "\n".join(lines)


def _directive(name: str, found: Any) -> list[str]:
    if not inspect.isclass(found):
        kind = "autofunction" if inspect.isroutine(found) or callable(found) else "autodata"
        return [f".. {kind}:: {name}", *(["   :no-value:"] if kind == "autodata" else [])]
    lines = [f".. autoclass:: {name}", "   :members:"]
    if not issubclass(found, BaseException):
        lines.append("   :inherited-members: tuple, str, ndarray, dict, object")
    return lines


def _signature(
    app: Sphinx, what: str, name: str, found: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Write aliases of types as they are named; Sphinx shows the object that stands for one in a union."""
    return ALIAS.sub(r"\1", signature or "") or None, ALIAS.sub(r"\1", returns or "") or None


def _as_rst(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Write a docstring as reStructuredText: `code` is code, and no other mark means anything."""
    example = False
    for k, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            lines[k] = _prose(line)


def _prose(line: str) -> str:
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return re.sub(r"([*|_`\\])", r"\\\1", line)
    return "".join(
        f"``{part}``" if k % 2 else re.sub(r"([*|_\\])", r"\\\1", part) for k, part in enumerate(parts)
    )
