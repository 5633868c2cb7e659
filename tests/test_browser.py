"""Pages in a real browser: no errors, no network, no empty figure, readable at any width, light and dark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html

import closedform as cf
from browser import Sheet, drawn
from closedform.identification import excitation, identify
from closedform.papers import write_paper
from closedform.report import (
    ElasticStudy,
    ExcitationStudy,
    FlexibleStudy,
    IdentificationStudy,
    RedundancyStudy,
    Study,
    write_page,
    write_report,
)
from closedform.report.robot import base_parameters, coordinates, counts, description
from closedform.report.section import Section
from identification_logs import fourier_motion
from oracles.redundant_arms import planar

LARGEST = 6_000_000
"""Bytes of a page."""

CONTRAST = 4.5
"""Of text, as the guidelines for accessible pages (WCAG 2.1, level AA) ask for."""

CALM = {"device_scale_factor": 0.5, "reduced_motion": "reduce"}
"""A screen that costs less: few pixels, no gliding from place to place."""

NASTY = '<img src=x onerror=alert(1)></script><script>alert("x")</script> & %{x}'


def robot_study(robot: cf.Robot) -> Study:
    return Study(robot, samples=40, patience=1e-4, batch=20, pinocchio=False)


def elastic_study() -> ElasticStudy:
    motion = cf.trajectory.polynomial([0.0, 0.5], [0.4, 0.0], 0.5, degree=9)
    return ElasticStudy(cf.load("2r"), [2e4, 1e4], [1.0, 0.5], runs=2, patience=1e-3, trajectory=motion)


def flexible_study() -> FlexibleStudy:
    link = cf.FlexibleLink(1.0, 0.3, 8.0, hub_inertia=0.2, modes=2)
    return FlexibleStudy(cf.FlexibleArm([link], (0.05, 0.0001)), [0.2, 0.01, 0.0], [0.1], duration=0.2)


def identification_study() -> IdentificationStudy:
    robot = cf.load("2r")
    motion = fourier_motion(robot, 1, 10, 100)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.1 * np.sign(motion.qd)
    return IdentificationStudy(identify(robot, {"t": motion.t, "q": motion.q, "tau": tau}))


STUDIES: dict[str, Callable[[], Any]] = {
    "robot": lambda: robot_study(cf.load("2r")),
    "flexible": flexible_study,
    "elastic": elastic_study,
    "redundancy": lambda: RedundancyStudy(
        planar(3, 0.5), np.linspace([0.446, 0.09], [0.446, 0.05], 20), "xy"
    ),
    "identification": identification_study,
    "excitation": lambda: ExcitationStudy(excitation(cf.load("2r"), velocity=2.0, starts=1, iterations=5)),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Callable[[str], Path]:
    """Return a function that writes the page of a kind, once."""
    folder = tmp_path_factory.mktemp("pages")

    def write(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if path.exists():
            return path
        if kind == "paper":
            write_paper("mueller-kumar", path)
        elif kind in SHORT:
            write_short(cf.load("2r"), path, SHORT[kind])
        else:
            write_report(STUDIES[kind](), path)
        return path

    return write


SHORT = {
    "short": (description.SECTION, coordinates.SECTION, base_parameters.SECTION),
    "tables": (description.SECTION, base_parameters.SECTION, counts.SECTION),
}
"""Pages that open fast: with one figure, and with none."""


def write_short(robot: cf.Robot, path: Path, sections: Sequence[Section[Any]]) -> None:
    write_page(path, subject=robot_study(robot), sections=sections, name=robot.name, title="A short page")


def draw(sheet: Sheet, figures: Sequence[Any]) -> None:
    """Scroll to figures, and wait until they are drawn."""
    for figure in figures:
        figure.scroll_into_view_if_needed()
        sheet.until("figure => Boolean(figure.dataset.state)", figure.element_handle())


BOXES = """[...document.querySelectorAll("figure.plot[data-state=drawn] .canvas")].map((canvas) => {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return { left, top: top + scrollY, width, height, words: canvas.getAttribute("aria-label") };
})"""


FAINT = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = rgb.map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length === 3) return colour;
    }
    return null;
  };
  const seen = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = [21, ""];
  while (seen.nextNode()) {
    const element = seen.currentNode.parentElement;
    if (!seen.currentNode.data.trim() || element.closest("script, style, canvas, .canvas")) continue;
    const [a, b] = [parts(getComputedStyle(element).color), ground(element)].map(light).sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least[0]) least = [ratio, seen.currentNode.data];
  }
  return least;
}"""
"""The least contrast of a text to what is behind it, by the formula of WCAG 2.1, and that text."""


KINDS = [*STUDIES, "paper"]

NO_SCENES = """addEventListener("DOMContentLoaded", () => {
  for (const scene of document.querySelectorAll("figure.scene")) scene.dataset.state = "left out";
});"""
"""Scenes take seconds without a graphics card, and have tests of their own."""

SOME = [(kind, ("light", "dark")[k % 2], 1280) for k, kind in enumerate(KINDS)] + [
    ("redundancy", "light", 400)
]
ALL = [(kind, scheme, width) for kind in KINDS for scheme in ("light", "dark") for width in (1280, 400)]
OPENED = ALL if os.environ.get("CLOSEDFORM_BROWSER") == "all" else SOME
"""Drawing takes its time: half of the kinds are light and half dark, and one is narrow as well, where panels
beside one another are drawn below one another. `make test-browser` draws all."""


@pytest.mark.parametrize(("kind", "scheme", "width"), OPENED)
def test_every_figure_is_drawn_in_its_place(browser, written, kind, scheme, width):
    path = written(kind)
    assert path.stat().st_size < LARGEST
    with browser.open(path, width, scheme, before=NO_SCENES, **CALM) as sheet:
        page = sheet.page
        height = page.evaluate("document.documentElement.scrollHeight")
        draw(sheet, page.locator("figure.plot").all())
        assert not page.locator("figure.plot:not([data-state=drawn])").count()
        assert page.evaluate("document.documentElement.scrollHeight") == height, "nothing jumps"
        assert sheet.overflow() <= 0
        stills = page.locator(".scene-still svg").evaluate_all("all => all.map(svg => svg.clientWidth)")
        assert min(stills, default=300) > 100, "where there is no scene there is a picture"
        picture = sheet.picture(full=True)
        assert (picture[0, 0].mean() > 128) == (scheme == "light")
        for box in page.evaluate(BOXES):
            top, left, tall, wide = (round(box[k] / 2) for k in ("top", "left", "height", "width"))
            assert drawn(picture[top : top + tall, left : left + wide]) > 0.005, box["words"]


UNSEEN = "window.IntersectionObserver = class { observe() {} unobserve() {} };"
"""Nothing comes near, so that no figure is drawn."""


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_tables_are_readable_at_any_width_light_and_dark(browser, written, kind):
    with browser.open(written(kind), 1280, "light", before=UNSEEN, **CALM) as sheet:
        for width in (1280, 400):
            sheet.page.set_viewport_size({"width": width, "height": 900})
            for name in ("dark", "light"):
                sheet.click(f"Switch to {name} colours")
                assert sheet.page.evaluate(FAINT) >= [CONTRAST]
            assert sheet.overflow() <= 0


def test_figures_take_the_colours_of_the_page(browser, written):
    with browser.open(written("short"), scheme="dark") as sheet:
        draw(sheet, sheet.page.locator("figure.plot").all())
        pictures = [sheet.picture("figure.plot .canvas")]
        sheet.click("Switch to light colours")
        pictures.append(sheet.picture("figure.plot .canvas"))
        assert pictures[0].mean() < 64
        assert pictures[1].mean() > 192
        ink = [int(each.reshape(-1, 3).sum(axis=1).min()) for each in (255 - pictures[0], pictures[1])]
        assert max(ink) < 400, "letters stand out from the paper in both"


@pytest.mark.parametrize("kind", KINDS)
def test_figures_say_what_they_show_and_contents_lead_to_all_sections(written, kind):
    page = html.parse(str(written(kind))).getroot()
    figures = page.xpath("//figure[@class='plot']")
    assert figures
    for figure in figures:
        assert len(figure.xpath("string(.//*[@role='img']/@aria-label)").split()) > 2
        caption = figure.xpath("string(figcaption)").strip()
        assert caption.endswith("."), caption
        assert len(caption.split()) > 5, caption
    targets = page.xpath("//nav//a/@href")
    assert targets == [f"#{anchor}" for anchor in page.xpath("//main/section/@id")]


def test_contents_show_where_the_reader_is(browser, written):
    with browser.open(written("tables")) as sheet:
        assert not sheet.page.locator("#plotly").count()
        sheet.page.locator("nav a").last.focus()
        sheet.page.keyboard.press("Enter")
        sheet.until("document.querySelector('nav [aria-current]')?.hash === '#counts'")


LOADED = """
let library;
Object.defineProperty(window, "Plotly", { get: () => library, set: (given) => {
  library = given;
  window.loaded = performance.now();
} });
"""


def test_the_library_is_loaded_after_the_first_paint(browser, written):
    with browser.open(written("short"), before=LOADED) as sheet:
        sheet.until("window.loaded > 0")
        paints = sheet.page.evaluate("performance.getEntriesByType('paint').map(each => each.startTime)")
        assert max(paints) < sheet.page.evaluate("loaded")


def test_tables_sort_by_keyboard_and_copy(browser, written):
    with browser.open(
        written("tables"), before="navigator.clipboard.writeText = async (text) => { window.copied = text; };"
    ) as sheet:
        page = sheet.page
        table = page.locator("#counts table")
        column = "rows => rows.map(row => row.cells[6]?.innerText ?? '')"
        original = table.locator("tbody tr").evaluate_all(column)
        page.locator("#counts .sort", has_text="total").focus()
        page.keyboard.press("Enter")
        numbers = [int(text) for text in table.locator("tbody tr").evaluate_all(column) if text]
        assert numbers == sorted(numbers)
        assert len(set(numbers)) > 5
        page.keyboard.press("Enter")
        assert page.locator("#counts [aria-sort=descending]").inner_text().startswith("total")
        falling = table.locator("tbody tr").evaluate_all(column)
        assert [int(text) for text in falling if text] == numbers[::-1]
        assert falling[-1] == "", "rows without a number are last"
        page.keyboard.press("Enter")
        assert table.locator("tbody tr").evaluate_all(column) == original
        page.locator("#counts button", has_text="Copy as CSV").click()
        header, *rows = page.evaluate("copied").splitlines()
        assert header.startswith("form,additions,")
        number = r"[\d.e+-]+"
        assert sum(bool(re.fullmatch(rf"[a-z_]+(,{number}){{6}},", row)) for row in rows) == len(numbers)


def test_names_with_markup_are_text_everywhere(browser, tmp_path):
    name = escape(NASTY)
    (tmp_path / "robot.urdf").write_text(f"""<robot name="{name}"><link name="base"/>
        <link name="{name}"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="{name}" type="continuous"><parent link="base"/><child link="{name}"/>
        <axis xyz="0 1 0"/></joint>
        </robot>""")
    write_short(cf.load(tmp_path / "robot.urdf"), tmp_path / "page.html", SHORT["short"])
    with browser.open(tmp_path / "page.html", 400) as sheet:
        draw(sheet, sheet.page.locator("figure.plot").all())
        assert sheet.overflow() <= 0
        assert sheet.page.locator("h1").inner_text() == NASTY
        assert sheet.page.locator("img").count() == 0
        assert sheet.page.locator("#motion .legendtext").first.text_content() == NASTY


@pytest.mark.parametrize("missing", ["JavaScript", "DecompressionStream"])
def test_what_is_missing_is_said(browser, written, missing):
    options = (
        {"java_script_enabled": False}
        if missing == "JavaScript"
        else {"before": "delete window.DecompressionStream;"}
    )
    with browser.open(written("short"), **options) as sheet:
        sheet.page.locator("main p, main .canvas", has_text=missing).first.wait_for()
        assert sheet.page.locator("#robot table").first.is_visible()


def test_figures_nobody_scrolled_to_are_printed(browser, written):
    with browser.open(written("short"), before=UNSEEN) as sheet:
        sheet.until("window.Plotly !== undefined")
        assert not sheet.page.locator("figure.plot[data-state=drawn]").count()
        sheet.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert not sheet.page.locator("figure.plot:not([data-state=drawn])").count()


def test_paper_is_light_and_shows_what_is_folded_away(browser, written):
    with browser.open(written("short"), scheme="dark") as sheet:
        draw(sheet, sheet.page.locator("figure.plot").all())
        assert sheet.page.locator("details:not([open])").count() > 0
        sheet.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        sheet.page.emulate_media(media="print", color_scheme="dark")
        assert sheet.page.locator("details:not([open])").count() == 0
        assert sheet.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not sheet.page.locator("nav").is_visible()
        assert sheet.page.evaluate(FAINT) >= [CONTRAST]
