"""Pages in a real browser: no errors, no network, no empty figure, at any width."""

from __future__ import annotations

import pytest

import closedform as cf
from browser import changed, drawn
from closedform.report import Study, write_report


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "robot.html"
    write_report(Study(cf.load("2r"), samples=40, patience=1e-4, batch=20, pinocchio=False), path)
    return path


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_drawn_and_nothing_is_cut_off(browser, page, width, scheme):
    with browser.open(page, width, scheme) as sheet:
        assert sheet.overflow() <= 0
        for figure in sheet.page.locator("figure.plot .canvas").all():
            figure.scroll_into_view_if_needed()
        assert drawn(sheet.picture("figure.plot .canvas")) > 0.005


def test_the_motion_plays(browser, page):
    with browser.open(page) as sheet:
        sheet.page.locator("figure.plot svg.main-svg, figure.plot canvas").first.wait_for()
        before = sheet.picture("figure.plot .canvas")
        sheet.click("Play")
        sheet.page.wait_for_timeout(300)
        assert changed(before, sheet.picture("figure.plot .canvas")) > 0.001
