"""The README's first screen, its picture and its commands are there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from bench.__main__ import SECTIONS
from tools import picture

README = Path(__file__).parents[1] / "README.md"
NUMBER = re.compile(r"-?\d+\.?\d*")


def test_the_picture_is_what_its_command_draws():
    """Apart from the last tenth of a pixel, which round-off may turn."""
    kept, drawn = picture.PICTURE.read_text(encoding="utf-8"), picture.picture()
    assert len(kept) < 200_000
    assert NUMBER.sub("#", kept) == NUMBER.sub("#", drawn), "stale; run python -m tools.picture"
    values = [np.array(NUMBER.findall(text), dtype=float) for text in (kept, drawn)]
    assert np.abs(values[0] - values[1]).max() < 0.15


def test_the_pictures_colours_are_seen_on_its_card():
    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    for colour in (*picture.COLOURS, "#eef2fb", "#a9b6d3"):
        assert (luminance(colour) + 0.05) / (luminance("#1b2640") + 0.05) > 4.5, colour


def test_one_screen_has_the_picture_the_commands_and_the_ten_lines():
    first = README.read_text(encoding="utf-8").partition("\n## ")[0]
    assert len(first.splitlines()) < 40
    for part in (picture.PICTURE.name, "pip install .", "make demo", "make test", "docs/how-do-i.md"):
        assert part in first, part
    assert 8 <= len(re.findall(r"^>>> ", first, re.MULTILINE)) <= 12


def cell(text: str, row: str, column: str) -> str:
    """Return the cell of a table of a page, by the beginning of its row and by its column."""
    lines = [[each.strip() for each in line.split("|")] for line in text.splitlines()]
    at = next(k for k, cells in enumerate(lines) if len(cells) > 2 and cells[1] == row)
    head = next(lines[k - 1] for k in range(at, 0, -1) if lines[k][1:2] == ["---"])
    return lines[at][head.index(column)]


def test_figures_are_those_of_the_pages_that_they_come_from():
    """Of one GPU run and of one run of the cluster: a new run changes both places."""
    readme = README.read_text(encoding="utf-8")
    gpu, scale = (
        (README.parent / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("gpu", "scale")
    )
    small = [cell(gpu, "iiwa14 ID, N = 1024", column) for column in ("graph", "GRiD graph", "frax jitted")]
    assert "{} us; GRiD {} us, frax {} us".format(*small) in readme
    rate = cell(gpu, "iiwa14 ID in double, N = 4 M", "measured").replace("e+", "e").replace(" per s", " /s")
    assert f"| {rate} |" in readme
    assert re.search(r"1e8 samples \| (\S+) /s", scale)[1] + " /s;" in readme
    assert re.search(r"against one: .*? \| (\S+) times", scale)[1] + "x |" in readme


def test_every_bench_command_of_the_readme_exists():
    named = re.findall(r"`python -m bench ([\w -]+?)(?: --full)?`", README.read_text(encoding="utf-8"))
    assert len(named) > 8
    assert {word for each in named for word in each.split()} <= set(SECTIONS)
