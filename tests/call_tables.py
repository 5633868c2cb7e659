"""Tables of documents whose rows are code on both sides: another library's call, ours, and a converter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace


class Row(NamedTuple):
    """A row of a page's table: code on both sides, and how the first becomes the second."""

    theirs: str
    ours: str
    converter: str
    differs: str


def rows(page: Path) -> list[Row]:
    """Return the rows whose first three cells are code."""
    code = r"`([^`]+)`"
    pattern = re.compile(rf"^\| {code} \| {code} \| {code} \| (.*)\|$", re.MULTILINE)
    return [Row(*found) for found in pattern.findall(page.read_text(encoding="utf-8"))]


def begun(page: Path) -> int:
    """Return how many rows of tables begin with code before the section on what is not here."""
    text = page.read_text(encoding="utf-8").partition("## Not here")[0]
    return len(re.findall(r"^\| `", text, re.MULTILINE))


class Traced:
    """A robot whose forms are computed by their programs, which takes no compilation."""

    def __init__(self, robot: cf.Robot) -> None:
        self.robot = robot

    def __getattr__(self, name):
        if name == "with_armature":
            return lambda values: Traced(self.robot.with_armature(values))
        if name not in cf.FORMS:
            return getattr(self.robot, name)
        return lambda *given, **choices: self._value(name, given, choices)

    def _value(self, name, given, choices):
        form, more = cf.FORMS[name], []
        count = len(form.inputs)
        given, names = given[:count], given[count:]
        if "wrenches" in choices:
            more = [choices["wrenches"]]
            choices = choices | {"wrenches": self.robot.body_names}
        if names:
            choices = choices | dict(zip(("frame", "relative_to"), names, strict=False))
        return evaluate(trace(self.robot.model, name, Variant(**choices), closed=False), *given, *more)


def run(code: str, names: dict[str, object]) -> object:
    """Return the value of the last of several statements on one line."""
    *before, last = code.split("; ")
    for statement in before:
        exec(statement, names)
    return eval(last, names)
