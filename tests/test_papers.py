"""The papers' maps are whole and true: every numbered item, code and tests that exist, numbers that agree."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from latex2mathml.converter import convert
from typer.testing import CliRunner

import closedform as cf
from closedform.cli import app
from closedform.papers import KEYS, Printed, paper
from closedform.papers.exhibit import Table
from closedform.papers.paper import Item
from test_documents import resolved

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src" / "closedform"
TESTS = REPOSITORY / "tests"
PAGES = REPOSITORY / "docs" / "papers"

every_paper = pytest.mark.parametrize("key", KEYS)


def equations(first: int, last: int, letters: dict[int, str] | None = None, prefix: str = "") -> list[str]:
    """Return the labels of equations that are numbered from first to last; some numbers have letters."""
    given = letters or {}
    return [
        f"Eq. ({prefix}{number}{letter})"
        for number in range(first, last + 1)
        for letter in given.get(number, " ")
    ]


def labels(*parts: list[str]) -> list[str]:
    return [each.replace(" )", ")") for part in parts for each in part]


NUMBERED = {
    "mueller-kumar": labels(equations(1, 58), ["Table 1"], [f"Fig. {k}" for k in range(1, 5)]),
    "garofalo": labels(
        equations(1, 33, {6: "abc", 13: "abc", 24: "abcd", 25: "abc"}), [f"Fig. {k}" for k in (1, 2)]
    ),
    "gautier-khalil": labels(equations(1, 20), equations(1, 12, prefix="A"), ["Table I", "Fig. 1"]),
    "de-luca-siciliano": labels(
        equations(1, 35, {12: "ab", 24: "abcdefg", 27: "abc", 32: "abcdef", 34: "abcdef"}),
        [f"Fig. {k}" for k in range(1, 11)],
    ),
    "chang": labels(
        equations(1, 46), ["Table I", "Table II", "Table III"], [f"Fig. {k}" for k in range(1, 4)]
    ),
    "grimm": labels(equations(1, 5)),
}
"""What each paper numbers."""


@every_paper
def test_a_map_has_every_numbered_item_once(key):
    found = [each.label for each in paper(key).items]
    assert len(set(found)) == len(found)
    missing = [label for label in NUMBERED[key] if label not in found]
    assert not missing


@every_paper
def test_what_a_map_names_exists(key):
    for item in paper(key).items:
        for name in item.code:
            whole = name if name.startswith("closedform.") else f"closedform.{name}"
            assert resolved(whole) is not None, f"{item.label} names {name}"
        for name in item.tests:
            file, _, function = name.partition("::")
            text = (TESTS / file).read_text(encoding="utf-8")
            assert not function or re.search(rf"^def {function}\(", text, re.MULTILINE), (
                f"{item.label}: {name}"
            )
        assert not item.tests or any("::" in name for name in item.tests), f"{item.label}: which test?"
        for name in item.shown:
            command = name.startswith("closedform ")
            assert (name.split()[1] in verbs()) if command else (REPOSITORY / name).exists(), name
        if item.formula:
            convert(item.formula)


@cache
def verbs() -> list[str]:
    names = (command.name or command.callback.__name__ for command in app.registered_commands)
    return [name.replace("_", "-") for name in names]


CITED = re.compile(r"\[([A-Z][A-Za-z]+\d{4}),\s+([^\]]+)\]")
NUMBER = re.compile(r"\(([A-Z]?)(\d+)([a-h]?)\)(?:\s*-\s*\([A-Z]?(\d+)([a-h]?)\))?")


def cited_labels(text: str) -> list[str]:
    """Return the labels that a citation names: Eqs. (6), (31)-(34), Table I, Fig. 3."""
    found = re.findall(r"(?:Table|Fig\.) [IVX\d]+", text)
    for prefix, first, letter, last, _ in NUMBER.findall(text):
        if last:
            found += [f"Eq. ({prefix}{number})" for number in range(int(first), int(last) + 1)]
        else:
            found.append(f"Eq. ({prefix}{first}{letter})")
    return found


def test_citations_are_read():
    assert cited_labels("Eqs. (8)-(10), (A2), (24b), corrected") == [
        "Eq. (8)",
        "Eq. (9)",
        "Eq. (10)",
        "Eq. (A2)",
        "Eq. (24b)",
    ]
    assert cited_labels("Table I and Fig. 3") == ["Table I", "Fig. 3"]


@every_paper
def test_every_citation_of_the_source_is_in_the_map(key):
    it = paper(key)
    count = 0
    for path in SOURCE.rglob("*.py"):
        for reference, text in CITED.findall(path.read_text(encoding="utf-8")):
            if reference == it.reference:
                for label in cited_labels(text):
                    count += 1
                    lettered = [each for each in it.labels if each.startswith(label[:-1])]
                    assert label in it.labels or lettered, f"{path.name} cites {label} of {reference}"
    assert count


@every_paper
def test_the_reference_is_in_the_bibliography(key):
    text = (REPOSITORY / "docs" / "references.bib").read_text(encoding="utf-8")
    assert f"{{{paper(key).reference}," in text


def test_a_printed_number_that_differs_needs_a_reason():
    assert Printed("Table I", "angle", "12.34", ours=12.3449).agrees
    assert not Printed("Table I", "angle", "12.34", ours=12.3451, note="why").agrees
    with pytest.raises(cf.ClosedFormError, match=r"12\.34 is printed"):
        Printed("Table I", "angle", "12.34", ours=12.3451)


def test_an_item_says_why_it_is_not_exact():
    with pytest.raises(cf.ClosedFormError, match="without a note"):
        Item("Eq. (1)", "something", "corrected", code=("Robot",), tests=("test_papers.py",))
    with pytest.raises(cf.ClosedFormError, match="no code or no test"):
        Item("Eq. (1)", "something", "exact")


def test_columns_of_numbers_are_told_from_columns_of_words():
    table = Table(
        ("law", "error", "cost", "note"), (("a", "7e-17", "191 + 215", ""), ("b", "-0.5", "3 %", "M2"))
    )
    assert table.numeric == (False, True, True, False)


MAP = re.compile(r"(?<=<!-- map -->\n).*(?=<!-- end of map -->)", re.DOTALL)


def map_table(key: str) -> str:
    """Return the map of a paper as a table of Markdown."""
    lines = ["", "| item | what it says | state | code | test | shown |", "|---|---|---|---|---|---|"]
    for each in paper(key).items:
        formula = f"${each.formula}$".replace("|", r"\vert ") if each.formula else ""
        says = "<br>".join(part for part in (each.says, formula, each.note) if part)
        code, tests, shown = (
            "<br>".join(f"`{name}`" for name in names) for names in (each.code, each.tests, each.shown)
        )
        lines.append(f"| {each.label} | {says} | {each.state} | {code} | {tests} | {shown} |")
    return "\n".join([*lines, "", ""])


@every_paper
def test_pages_hold_the_maps(key, update):
    path = PAGES / f"{key}.md"
    text = path.read_text(encoding="utf-8")
    whole = MAP.sub(lambda _: map_table(key), text)
    if update:
        path.write_text(whole, encoding="utf-8")
    assert text == whole or update, f"{path.name} is stale; run with --update"


def test_the_index_leads_to_every_paper():
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    for key in KEYS:
        assert f"| {paper(key).name} |" in text
        assert f"[{key}]({key}.md)" in text


def test_the_command_lists_the_papers():
    result = CliRunner().invoke(app, ["papers"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == list(KEYS)


def test_an_unknown_paper_is_named_with_the_known_ones():
    with pytest.raises(cf.ClosedFormError, match=r"'chung'.*chang"):
        paper("chung")


@every_paper
def test_a_page_shows_the_paper(key, tmp_path):
    """Each printed number agrees or is explained: one that is neither is refused when it is made."""
    target = tmp_path / "page.html"
    result = CliRunner().invoke(app, ["papers", key, "--output", str(target)])
    assert result.exit_code == 0, result.output
    page = target.read_text(encoding="utf-8")
    assert "<math" in page
    for label in NUMBERED[key]:
        assert f">{label}<" in page
    assert '<section id="paper_exhibits"' in page
