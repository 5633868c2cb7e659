"""What the documents name exists: files, code, make targets, words; the version is in one place."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import closedform as cf

REPOSITORY = Path(__file__).parents[1]
DOCS = REPOSITORY / "docs"
PLACES = (REPOSITORY, REPOSITORY / "src" / "closedform", REPOSITORY / "src", DOCS)
PAGES = sorted([*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")])
CODE = re.compile(r"```.*?```", re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def quoted(page: Path) -> list[str]:
    """Return what a page's prose has between backticks."""
    return QUOTED.findall(CODE.sub("", page.read_text(encoding="utf-8")))


@pages
def test_files_exist(page):
    for name in quoted(page):
        path = name.split()[-1] if name.startswith("python -m pytest ") else name
        if re.fullmatch(r"[\w.*-]+(/[\w.*-]+)*(/|/[\w*-]+\.(py|pyi|md|bib|cpp))", path):
            assert any(any(place.glob(path.rstrip("/"))) for place in PLACES), f"{page.name} names {path}"


@pages
def test_code_exists(page):
    for name in quoted(page):
        if re.fullmatch(r"closedform(\.\w+)+", name):
            assert resolved(name) is not None, f"{page.name} names {name}"


def resolved(name: str) -> object:
    """Return the module, or the attribute of the longest module, of a dotted name."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for part in parts[size:]:
            found = getattr(found, part, None)
        return found
    return None


@pages
def test_make_targets_exist(page):
    targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^    )make ([\w-]+)", text, re.MULTILINE):
        assert target in targets, f"{page.name} names make {target}"


@pages
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", CODE.sub("", page.read_text(encoding="utf-8"))):
        elsewhere = target.startswith("https://")
        assert elsewhere or (page.parent / target).exists(), f"{page.name} links to {target}"


def glossary() -> list[str]:
    """Return the words of the glossary in order."""
    rows = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
    return [row.split("|")[1].strip() for row in rows if row.startswith("| ")][1:]


def test_the_glossary_is_in_order_and_has_each_word_once():
    words = glossary()
    assert words == sorted(set(words), key=str.lower)


NO_FOOTER = ("glossary.md", "forms.md", "index.md", "gallery.md")
"""Pages without the line of words: the words themselves, tables, and what only leads to other pages."""

FOOTER = "Words with a fixed meaning ([glossary](glossary.md)): "


EVERYDAY = {
    "batch",
    "body",
    "form",
    "frame",
    "joint",
    "kernel",
    "limit",
    "model",
    "order",
    "parameter",
    "rate",
}
"""Words that most pages use."""


def footer(text: str) -> str:
    """Return the line that names the words of the glossary that a page uses."""
    found = [
        word
        for word in glossary()
        if word not in EVERYDAY and re.search(rf"\b{re.escape(word)}(s|es)?\b", text, re.IGNORECASE)
    ]
    return f"{FOOTER}{', '.join(found)}.\n" if found else ""


def test_pages_name_the_words_of_the_glossary_that_they_use(update):
    written = [page for page in DOCS.glob("*.md") if page.name not in NO_FOOTER]
    for page in written:
        text = page.read_text(encoding="utf-8").partition(FOOTER)[0].rstrip() + "\n"
        line = footer(text)
        whole = f"{text}\n{line}" if line else text
        if update:
            page.write_text(whole, encoding="utf-8")
        assert page.read_text(encoding="utf-8") == whole, f"{page.name} is stale; run with --update"


def test_the_version_is_in_one_place():
    """In the package; the changelog has its heading, and no other document repeats it."""
    assert f"\n## {cf.__version__}" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    for path in (REPOSITORY / "CITATION.cff", *(page for page in PAGES if page.name != "CHANGELOG.md")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(rf"(?<![\d.]){re.escape(cf.__version__)}(?![\d.])", text), path.name
