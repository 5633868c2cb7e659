"""The typed stub of the robot's methods, written from the catalogue: `python -m closedform.stub`."""

from __future__ import annotations

from pathlib import Path

from .forms import FORMS, Form

HEAD = '''"""The forms as methods of a robot. Written by `python -m closedform.stub`; do not edit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .kernels import Kernel
from .model import Model

class FormMethods:
    model: Model
    def __init__(self, model: Model) -> None: ...
    def kernel(
        self,
        name: str,
        frame: str | None = None,
        dtype: DTypeLike = ...,
        order: int | None = None,
        phi: bool = False,
    ) -> Kernel:
        """Return the compiled form itself, with its program, operation counts and `bind`."""
'''


def stub() -> str:
    """Return the text of methods.pyi."""
    return HEAD + "".join(_method(form) for form in FORMS.values())


def _method(form: Form) -> str:
    arguments = ["self", *(f"{name}: ArrayLike" for name in form.inputs)]
    if form.framed:
        arguments.append("frame: str | None = None")
    if form.ordered:
        arguments.append("*derivatives: ArrayLike")
    several = form.ordered or len(form.outputs) > 1
    out = "tuple[NDArray[Any], ...]" if several else "NDArray[Any]"
    arguments += [*(() if form.ordered else ("*",)), f"out: {out} | None = None", "threads: int = 1"]
    result = "tuple[Array, ...]" if several else "Array" if form.outputs[0][1] else "Any"
    return (
        f"    def {form.name}(\n"
        + "".join(f"        {argument},\n" for argument in arguments)
        + f"    ) -> {result}:\n"
        + _docstring(form.doc)
    )


def _docstring(doc: str) -> str:
    first, *rest = (line.strip() for line in doc.splitlines())
    if not rest:
        return f'        """{first}"""\n'
    body = "".join(f"        {line}\n" if line else "\n" for line in rest)
    return f'        """{first}\n{body}        """\n'


if __name__ == "__main__":
    Path(__file__).with_name("methods.pyi").write_text(stub(), encoding="utf-8")
