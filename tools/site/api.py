"""The API reference: every public name of a package with its docstring, read by autodoc."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK = re.compile(r"([*|_`\\])")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
NAME = re.compile(r"`closedform\.([\w.]+)`")


def connect(app: Sphinx) -> None:
    """Complete the pages of the reference when they are read."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-docstring", _as_rst)
    app.connect("autodoc-process-signature", _signature)


def _complete(app: Sphinx, name: str, source: list[str]) -> None:
    if name == "api":
        source[0] = NAME.sub(r"{py:obj}`\1 <closedform.\1>`", source[0])
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
        if hasattr(found, "FORMS"):
            lines += [
                f"## Forms of {name}\n",
                "```{eval-rst}",
                *_forms(f"{package}.{name}", found),
                "```",
                "",
            ]
    return "\n\n" + "\n".join(lines)


def _directive(name: str, found: Any) -> list[str]:
    if not inspect.isclass(found):
        kind = "autofunction" if inspect.isroutine(found) or callable(found) else "autodata"
        return [f".. {kind}:: {name}", *(["   :no-value:"] if kind == "autodata" else [])]
    lines = [f".. autoclass:: {name}", "   :members:"]
    if not issubclass(found, BaseException):
        lines.append("   :inherited-members: tuple, str, ndarray, dict, object")
    if hasattr(found, "FORMS"):  # documented by their stubs
        lines.append(f"   :exclude-members: {', '.join(found.FORMS)}")
    return lines


def _forms(name: str, owner: Any) -> Iterator[str]:
    """Yield the entries of an owner's forms, with the signatures of its stubs."""
    package, _, kind = name.rpartition(".")
    for form, (signature, text) in _stubs(owner).items():
        gives = "; ".join(
            f"{each.quantity.symbol} ({', '.join(map(str, each.shape))}) [{each.quantity.unit}]"
            for each in owner.FORMS[form].gives
        )
        yield from (f".. py:method:: {kind}.{form}{signature}", f"   :module: {package}", "")
        yield from (f"   {line}" for line in as_rst([*text.splitlines(), "", f"Gives {gives}."]))
        yield ""


def _stubs(owner: Any) -> dict[str, tuple[str, str]]:
    """Return (signature, docstring) of each form of an owner, from the stub beside its methods."""
    kind = next(each for each in owner.__mro__ if "FORMS" in vars(each))
    path = Path(inspect.getfile(kind)).with_suffix(".pyi")
    body = ast.parse(path.read_text(encoding="utf-8")).body
    (methods,) = (each for each in body if isinstance(each, ast.ClassDef) and each.name == kind.__name__)
    found = {}
    for each in methods.body:
        if isinstance(each, ast.FunctionDef) and each.name in owner.FORMS:
            takes = ast.unparse(each.args).removeprefix("self, ")
            gives = ast.unparse(each.returns) if each.returns else "None"
            found[each.name] = f"({takes}) -> {gives}", ast.get_docstring(each) or ""
    return found


def _signature(
    app: Sphinx, what: str, name: str, found: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Write aliases of types as they are named; Sphinx shows the object that stands for one in a union."""
    return ALIAS.sub(r"\1", signature or "") or None, ALIAS.sub(r"\1", returns or "") or None


def _as_rst(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    lines[:] = as_rst(lines)


def as_rst(lines: list[str]) -> list[str]:
    """Return a docstring as reStructuredText: `code` is code, and no other mark means anything."""
    example, written = False, []
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        written.append(line if example else _prose(line))
    return written


def _prose(line: str) -> str:
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return MARK.sub(r"\\\1", line)
    ends = [
        "\\ " if after[:1].isalnum() else "" for after in (*parts[1:], "")
    ]  # `Name`s: a literal ends before s
    return "".join(
        f"``{part}``{end}" if k % 2 else MARK.sub(r"\\\1", part)
        for k, (part, end) in enumerate(zip(parts, ends, strict=True))
    )
