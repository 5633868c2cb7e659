"""`python -m tools.example_pictures`: the pictures of examples/README.md anew, as Chromium shows them.

Runs the examples in an empty folder, opens the pages that they write, and keeps what is seen. It needs
`pip install playwright` and a Chromium on the PATH, or CLOSEDFORM_CHROMIUM with its path.
"""

from __future__ import annotations

import contextlib
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from .chromium import FLAGS, chromium

EXAMPLES = Path(__file__).parents[1] / "examples"
PAGES = {"01": 0.0, "02": 0.0, "06": 0.75, "07": 0.0, "08": 0.0, "11": 1.0, "12": 0.0}
"""Examples that end in a picture, and where the slider of a motion is to stand, from 0 to 1."""
WINDOW = {"width": 720, "height": 480}


def main() -> None:
    """Run the examples and photograph their pages."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (of this tool only)

    path = chromium() or sys.exit("no Chromium found")
    target = EXAMPLES / "pictures"
    target.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        for number, place in PAGES.items():
            (script,) = EXAMPLES.glob(f"{number}_*.py")
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                runpy.run_path(str(script))
                (page,) = Path(folder).glob("*.html")
                photograph(browser, page, target / script.stem, place)
        browser.close()


def photograph(browser: Any, page: Path, picture: Path, place: float) -> None:
    """Write what a browser shows of a page, with the slider of a motion at some place."""
    sheet = browser.new_page(viewport=WINDOW)
    sheet.goto(page.as_uri())
    sheet.wait_for_timeout(3000)
    slider = sheet.locator("input[type=range]")
    if slider.count() and place:
        slider.first.evaluate(
            "(it, at) => {it.value = at * it.max; it.dispatchEvent(new Event('input', {bubbles: true}))}",
            place,
        )
        sheet.wait_for_timeout(1000)
    if sheet.locator("canvas:visible").count():
        sheet.locator("canvas").first.screenshot(path=picture.with_suffix(".jpg"), type="jpeg", quality=80)
    else:
        sheet.screenshot(path=picture.with_suffix(".png"))
    sheet.close()


if __name__ == "__main__":
    main()
