"""Chromium for tests, benches and pictures: where it is, and how it draws without a graphics card."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def chromium() -> str | None:
    """Return the path of a Chromium: that of CLOSEDFORM_CHROMIUM, or the first one found."""
    return os.environ.get("CLOSEDFORM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
