"""A real browser for tests: errors in a page and requests to a network are failures."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from tools.chromium import FLAGS, chromium

LOCAL = ("file", "data", "blob", "about")
"""Addresses that need no network."""

PATIENCE = 60_000
"""Milliseconds after which something that does not appear is missing: much more than a page takes."""


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Give a running browser, or skip where there is none.

    Playwright's event loop runs in the thread that starts it, where asyncio can have no other: tests of
    another file need it gone.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = chromium()
    if path is None:
        pytest.skip("needs Chromium on the PATH, or CLOSEDFORM_CHROMIUM with its path")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield Browser(running)
        running.close()


class Browser:
    """One Chromium; every page is opened in a profile of its own."""

    def __init__(self, running: Any) -> None:
        self.running = running

    @contextlib.contextmanager
    def open(
        self,
        address: str | os.PathLike[str],
        width: int = 1280,
        scheme: str = "light",
        height: int = 900,
        before: str = "",
        **options: Any,
    ) -> Iterator[Sheet]:
        """Give an open page, of a file or an http address; check at the end that nothing went wrong in it.

        `scheme` is light or dark; `before` is a script that runs before those of the page; `options` are
        those of a browser context, such as `java_script_enabled`.
        """
        if urlsplit(str(address)).scheme not in ("http", "https"):
            address = Path(address).resolve().as_uri()
        context = self.running.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        context.set_default_timeout(PATIENCE)
        try:
            sheet = Sheet(context.new_page(), urlsplit(str(address)).netloc)
            if before:
                sheet.page.add_init_script(before)
            sheet.page.goto(str(address))
            yield sheet
            assert not sheet.errors, sheet.errors
            assert not sheet.strangers, sheet.strangers
        finally:
            context.close()


class Sheet:
    """An open page: `page` is Playwright's, `errors` what went wrong in it, `strangers` whom it asked.

    Warnings are left out: those of WebGL are about the speed of a computer without a graphics card. `host`
    is where the page came from; a file has none, and may ask for nothing.
    """

    def __init__(self, page: Any, host: str) -> None:
        self.page = page
        self.errors: list[str] = []
        self.strangers: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        page.on("request", lambda request: self._asked(request.url, host))
        page.on("websocket", lambda socket: self._asked(socket.url, host))

    def _dialog(self, dialog: Any) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, url: str, host: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in LOCAL and not (host and parts.netloc == host):
            self.strangers.append(url)

    def picture(self, selector: str | None = None, full: bool = False) -> np.ndarray:
        """Return what is seen, (height, width, 3): of the first element, the window, or the full page."""
        from PIL import Image  # noqa: PLC0415 (only where there is a browser)

        if selector is None:
            png = self.page.screenshot(full_page=full)
        else:
            png = self.page.locator(selector).first.screenshot()
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))

    def click(self, name: str) -> None:
        """Click the first button of that name."""
        self.page.get_by_role("button", name=name).first.click()

    def until(self, expression: str, argument: Any = None) -> None:
        """Wait until JavaScript says true; Playwright's own way needs a page that allows eval.

        The expression may be a function of the argument, which may be the handle of an element.
        """
        for _ in range(PATIENCE // 30):
            if self.page.evaluate(expression, argument):
                return
            self.page.wait_for_timeout(30)
        raise AssertionError(f"never true: {expression}")

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def drawn(picture: np.ndarray) -> float:
    """Return the part of the pixels that differ from the commonest colour: zero where nothing is drawn."""
    pixels = picture.reshape(-1, 3).astype(np.int32) @ (65536, 256, 1)
    return 1 - float(np.unique(pixels, return_counts=True)[1].max()) / pixels.size


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """Return the part of the pixels that differ between two pictures; 1 if their sizes do."""
    return float((before != after).any(axis=-1).mean()) if before.shape == after.shape else 1.0
