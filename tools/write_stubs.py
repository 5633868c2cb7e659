"""Writes the typed stubs of the methods of every owner of forms: `make stubs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import closedform as cf
from closedform.forms import Catalogue, Form, FormArray

ROOT = Path(cf.__file__).parent

HEAD = '''"""The forms of {owner} as methods. Written by `make stubs`; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

{imports}

{tuples}class {kind}(FormsOwner):
    model: {model}
    def __init__(self, model: {model}) -> None: ...
{methods}'''


BY_FRAME = "ArrayLike | Mapping[str, ArrayLike]"
"""Wrenches: of all bodies, or of some frames by name."""

CHOICES = {
    "reference": "str | None = None",
    "wrenches": f"{BY_FRAME} | None = None",
    "friction": "bool = False",
    "springs": "bool = False",
    "rows": "str | Sequence[str] | None = None",
    "factorisation": 'str = "christoffel"',
    "coordinates": "str | None = None",
}
"""What a call may choose by name; `relative_to` may follow the frame in order too."""


def stubs() -> dict[Path, str]:
    """Return the texts of the stubs by path."""
    from closedform.contacts.catalogue import FORMS as CONTACTS  # noqa: PLC0415 (imported on demand)
    from closedform.elastic.catalogue import FORMS as ELASTIC  # noqa: PLC0415
    from closedform.flexible.catalogue import FORMS as FLEXIBLE  # noqa: PLC0415
    from closedform.loops.catalogue import FORMS as LOOPS  # noqa: PLC0415

    return {
        ROOT / "methods.pyi": _stub(cf.FORMS, "RobotForms", "a robot", ".", ".model", "Model"),
        ROOT / "flexible/methods.pyi": _stub(
            FLEXIBLE, "ArmForms", "a flexible arm", "..", ".model", "ArmModel"
        ),
        ROOT / "elastic/methods.pyi": _stub(
            ELASTIC, "ElasticForms", "an elastic-joint robot", "..", ".catalogue", "ElasticModel"
        ),
        ROOT / "loops/methods.pyi": _stub(
            LOOPS, "ClosedForms", "a robot with loops", "..", ".model", "ClosedModel"
        ),
        ROOT / "contacts/methods.pyi": _stub(
            CONTACTS, "ContactForms", "a robot with contacts", "..", ".model", "ContactModel"
        ),
    }


def _stub(forms: Catalogue, kind: str, owner: str, up: str, module: str, model: str) -> str:
    imports = [
        f"from {up}arrays import Array",
        f"from {module} import {model}",
        f"from {up}owner import FormsOwner",
    ]
    loaded = any(form.loaded for form in forms.values())
    rows = any("rows" in form.choices for form in forms.values())
    used = (
        "from collections.abc import Mapping, Sequence\n" if rows else "from collections.abc import Mapping\n"
    )
    head = HEAD.replace("from collections.abc import Mapping, Sequence\n", used if loaded else "")
    return head.format(
        owner=owner,
        imports="\n".join(sorted(imports)),
        kind=kind,
        model=model,
        tuples="".join(_tuple(form) for form in forms.values() if len(form.gives) > 1),
        methods="".join("".join(_method(form)) for form in forms.values()),
    )


def _tuple(form: Form) -> str:
    fields = "".join(f"    {each.name}: {_array(each)}\n" for each in form.gives)
    return f"class {_tuple_name(form)}(NamedTuple):\n{fields}\n"


def _tuple_name(form: Form) -> str:
    return "".join(word.capitalize() for word in form.name.split("_"))


def _array(each: FormArray) -> str:
    return "Array" if each.shape else "Any"


def _method(form: Form) -> Iterator[str]:
    """Yield the lines of a method; constants that are inputs of some owners may be left out."""
    by_frame = "wrenches" in form.choices
    wrenches = [name for name in form.inputs if by_frame and name.startswith("wrenches")]
    arguments = [f"{name}: {BY_FRAME if name in wrenches else 'ArrayLike'}" for name in form.inputs]
    arguments += [f"{each.name}: ArrayLike = ..." for each in form.constants]
    if form.framed and not form.ordered:
        arguments.append("frame: str | None = None")
    if "relative_to" in form.choices:
        arguments.append("relative_to: str | None = None")
    several = form.ordered or len(form.gives) > 1
    out = "tuple[NDArray[Any], ...]" if several else "NDArray[Any]"
    more = f"*derivatives: {BY_FRAME if wrenches else 'ArrayLike'}{' | str | None' if form.framed else ''}"
    arguments += [more] if form.ordered else ["*"]
    arguments += ["frame: str | None = None"] if form.framed and form.ordered else []
    chosen = (name for name in form.choices if name in CHOICES and name not in wrenches)
    arguments += [f"{name}: {CHOICES[name]}" for name in chosen]
    arguments += [f"out: {out} | None = None", "threads: int = 1"]
    arguments += [f"**named: {BY_FRAME if by_frame else 'ArrayLike'}"] if form.ordered else []
    result = "tuple[Array, ...]" if form.ordered else _tuple_name(form) if several else _array(form.gives[0])
    yield f"    def {form.name}(\n        self,\n"
    yield from (f"        {argument},\n" for argument in arguments)
    yield f"    ) -> {result}:\n"
    first, *rest = form.doc.splitlines()
    if not rest:
        yield f'        """{first}"""\n'
        return
    yield f'        """{first}\n'
    yield from (f"        {line}\n" if line else "\n" for line in rest)
    yield '        """\n'


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
