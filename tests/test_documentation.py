"""Written documents follow the catalogue: method stubs and the table of forms."""

from __future__ import annotations

from pathlib import Path

import closedform as cf
from closedform.stub import stub

ROOT = Path(cf.__file__).parent
DOCS = ROOT.parents[1] / "docs"


def forms_table() -> str:
    """Return docs/forms.md from the catalogue."""
    lines = [
        "# Forms",
        "",
        "Every form is a method of `Robot`, broadcasts over leading batch axes and takes `out=`.",
        "q has nq entries, v (qd, qdd, tau) nv, b counts moving bodies. Written by",
        "`python -m pytest tests/test_documentation.py --update`.",
    ]
    for group in dict.fromkeys(form.group for form in cf.FORMS.values()):
        lines += ["", f"## {group.capitalize()}", "", "| form | takes | gives | |", "|---|---|---|---|"]
        for form in cf.FORMS.values():
            if form.group == group:
                takes = ", ".join([*form.inputs, *(["frame"] if form.framed else [])])
                gives = ", ".join("(" + ", ".join(map(str, shape)) + ")" for _, shape in form.outputs)
                lines.append(f"| `{form.name}` | {takes} | {gives} | {form.summary} |")
    return "\n".join(lines) + "\n"


def check(path: Path, text: str, update: bool) -> None:
    if update:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale; run with --update"


def test_method_stubs_follow_the_catalogue(update):
    check(ROOT / "methods.pyi", stub(), update)


def test_table_of_forms_follows_the_catalogue(update):
    check(DOCS / "forms.md", forms_table(), update)
