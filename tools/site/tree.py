"""Which pages the site has, in order, and which files outside docs/ are pages of it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"

CHAPTERS: dict[str, tuple[str, ...]] = {
    "Start": ("first-ten-minutes", "how-do-i", "coming-from-*", "examples", "notebooks", "gallery"),
    "Capabilities": (
        "robots",
        "frames",
        "forces",
        "equations",
        "export",
        "trajectory",
        "simulation",
        "inverse-kinematics",
        "redundancy",
        "base-parameters",
        "identification",
        "floating-identification",
        "excitation",
        "flexible",
        "elastic",
        "arrays",
        "gpu",
        "casadi",
        "scale",
        "reports",
        "shapes",
        "scenes",
        "viewer",
        "command-line",
    ),
    "Papers": ("papers/README",),
    "Reference": ("forms", "conventions", "api", "api/README", "glossary", "limits"),
    "Inside": ("how-it-works", "benchmarks", "not-planned"),
    "Project": ("contributing", "add-a-form", "add-a-joint", "changelog", "citation"),
}
"""Chapters of the side bar, and their pages."""

BELOW: dict[str, tuple[str, ...]] = {
    "notebooks": ("notebooks/*",),
    "papers/README": (
        "papers/mueller-kumar",
        "papers/garofalo",
        "papers/gautier-khalil",
        "papers/de-luca-siciliano",
        "papers/chang",
        "papers/grimm",
    ),
    "api/README": ("api/closedform", "api/*"),
}
"""Pages that stand below another one."""

STANDS_FOR = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "citation": "CITATION.cff",
    "examples": "examples/README.md",
    "index": "README.md",
}
"""Pages to which links lead that lead to a file outside docs/; all but the index show its text."""


def page_names() -> list[str]:
    """Return the names of all pages, such as "papers/chang"."""
    return sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))


def chapters() -> dict[str, list[str]]:
    """Return the pages of each chapter; a page that no chapter names is the last capability."""
    pages = page_names()
    found = {title: _expanded(names, pages) for title, names in CHAPTERS.items()}
    placed = {"index", *(page for each in (*found.values(), *below().values()) for page in each)}
    found["Capabilities"] += [page for page in pages if page not in placed]
    return found


def below() -> dict[str, list[str]]:
    """Return the pages that stand below another one, by its name."""
    pages = page_names()
    return {page: [each for each in _expanded(names, pages) if each != page] for page, names in BELOW.items()}


def _expanded(patterns: tuple[str, ...], pages: list[str]) -> list[str]:
    """Return the pages that match patterns, in the order of the patterns, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(page for page in pages if fnmatchcase(page, pattern)))
    return list(found)
