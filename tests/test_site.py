"""The site of the documents, as far as it can be checked unbuilt: tree, links, pictures, tables."""

from __future__ import annotations

import csv
import re

import pytest

from tools.site import tree
from tools.site.api import as_rst
from tools.site.drawings import PICTURES
from tools.site.offline import foreign
from tools.site.pages import CODE, relocated
from tools.site.written import written

FILES = [tree.DOCS / f"{name}.md" for name in tree.page_names()]
SHOWN = re.compile(r"!\[([^\]]*)\]\(((?:\.\./)*(?:docs/)?pictures/([\w-]+)\.svg)\)")

pages = pytest.mark.parametrize("page", FILES, ids=lambda page: page.relative_to(tree.DOCS).as_posix())


def prose(text: str) -> str:
    """Return a text without its code."""
    return "".join(CODE.split(text)[::2])


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as git hosts and the site make them."""
    titles = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


def test_every_page_stands_in_the_tree_once():
    placed = [page for each in (tree.chapters(), tree.below()) for names in each.values() for page in names]
    assert sorted([*placed, "index"]) == tree.page_names()


@pages
def test_links_lead_to_pages_and_to_headings_that_exist(page):
    for target, anchor in re.findall(
        r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose(page.read_text(encoding="utf-8"))
    ):
        if ":" in target:
            continue
        path = page if not target else (page.parent / target).resolve()
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{target}#{anchor}"


@pages
def test_pages_need_no_network(page):
    """Neither pictures nor scripts come from elsewhere."""
    text = prose(page.read_text(encoding="utf-8"))
    assert not re.findall(r"!\[[^\]]*\]\(\w+:[^)]*\)|<(?:script|img|link|iframe)\b", text)


def test_what_a_built_page_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "page.html").write_text(
        '<a href="https://a.org">a link</a><script src="here.js"></script><script src="https://b.org/c.js">'
    )
    (tmp_path / "style.css").write_text("@font-face { src: url(//d.org/e.woff) } a { content: url(f.png) }")
    assert foreign(tmp_path) == ["page.html: https://b.org/c.js", "style.css: //d.org/e.woff"]


def test_links_of_files_outside_lead_to_their_pages():
    text = "see [changes](CHANGELOG.md#new), [forms](docs/forms.md) and `[code](x.md)`"
    moved = relocated(text, tree.REPOSITORY / "README.md", tree.DOCS / "papers" / "chang.md")
    assert moved == "see [changes](../changelog.md#new), [forms](../forms.md) and `[code](x.md)`"


def test_a_picture_named_after_a_page_stands_there_and_in_the_gallery():
    gallery = {name for _, _, name in SHOWN.findall((tree.DOCS / "gallery.md").read_text(encoding="utf-8"))}
    for page in FILES:
        name = page.relative_to(tree.DOCS).with_suffix("").as_posix()
        if name in PICTURES:
            shown = {each for _, _, each in SHOWN.findall(page.read_text(encoding="utf-8"))}
            assert name in shown, page.name
            assert name in gallery, name


def test_pictures_of_the_repository_are_those_that_the_site_draws():
    files = {path.stem: path for path in (tree.DOCS / "pictures").glob("*.svg")}
    assert set(files) == set(PICTURES)
    for name in ("flow", "reports", "scale", "gpu", "speed"):  # those that compute nothing
        assert files[name].read_text(encoding="utf-8") == PICTURES[name](), f"{name}: run make pictures"


def test_every_picture_that_is_shown_is_drawn_and_says_the_same_in_words():
    for page in [*FILES, tree.REPOSITORY / "CONTRIBUTING.md"]:
        for words, target, name in SHOWN.findall(page.read_text(encoding="utf-8")):
            path = page.parent / target
            assert path.is_file(), f"{page.name} shows {target}"
            assert f'aria-label="{words}"' in path.read_text(encoding="utf-8"), f"{page.name}: {name}"


def test_written_parts_follow_the_code_and_the_figures(update):
    for path, text in written().items():
        if update:
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale; run with --update"


def test_the_readme_states_the_stored_figures():
    readme = (tree.REPOSITORY / "README.md").read_text(encoding="utf-8")
    with (tree.DOCS / "benchmarks" / "cpu.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            each = float(row["nanoseconds"])
            time = f"{each:g} ns" if each < 1000 else f"{each / 1000:g} us"
            if row["batch"] != "1":
                times = row["times_pinocchio"]
                assert (f"{time}, {times}x" if times else time) in readme, row


def test_code_in_docstrings_ends_before_a_letter():
    """reStructuredText needs a break where the plural of a name is written."""
    assert as_rst(["`TorqueColumn`s and `x`, a*b", ">>> `as it is`"]) == [
        "``TorqueColumn``\\ s and ``x``, a\\*b",
        ">>> `as it is`",
    ]
