"""Curves and bars over axes, and robots as sticks, on a canvas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import closedform as cf
from closedform.sticks import AXES, stick_figure

from .canvas import INK, LINE, PALETTE, QUIET, Canvas


class Axes:
    """A rectangle of a canvas with numbers along its sides."""

    def __init__(
        self,
        canvas: Canvas,
        place: tuple[float, float, float, float],
        x: tuple[float, float],
        y: tuple[float, float],
        labels: tuple[str, str] = ("", ""),
        log: tuple[bool, bool] = (False, False),
        marks: Sequence[float] | None = None,
        levels: bool = True,
    ) -> None:
        """Draw the numbers; `marks` are those along x, `levels` whether y has any."""
        self.canvas, self.place, self.log = canvas, place, log
        self.x, self.y = (
            np.log10(each) if k else np.array(each) for each, k in zip((x, y), log, strict=True)
        )
        left, top, width, height = place
        for value in ticks(*self.y, whole=log[1]) if levels else ():
            level = float(self.at(x[0], 10**value if log[1] else value)[1])
            canvas.line([(left, level), (left + width, level)], LINE, 1)
            canvas.text(left - 6, level + 4, self._number(value, log[1]), QUIET, "end", font_size=11)
        for value in ticks(*self.x, whole=log[0]) if marks is None else marks:
            across = float(self.at(10**value if log[0] else value, y[0])[0])
            canvas.text(across, top + height + 16, self._number(value, log[0]), QUIET, "middle", font_size=11)
        canvas.text(left + width, top + height + 32, labels[0], QUIET, "end", font_size=12)
        canvas.text(left, top - 8, labels[1], QUIET, font_size=12)

    @staticmethod
    def _number(value: float, log: bool) -> str:
        return f"1e{value:g}" if log else f"{value:.6g}"

    def at(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Return places (..., 2) on the canvas."""
        left, top, width, height = self.place
        x, y = (
            np.log10(each) if k else np.asarray(each, dtype=float)
            for each, k in zip((x, y), self.log, strict=True)
        )
        across = left + width * (x - self.x[0]) / (self.x[1] - self.x[0])
        return np.stack(
            np.broadcast_arrays(across, top + height * (self.y[1] - y) / (self.y[1] - self.y[0])), -1
        )

    def curve(self, x: ArrayLike, y: ArrayLike, colour: str, width: float = 2, **more: Any) -> None:
        """Draw a curve, of at most two hundred points."""
        points = self.at(x, y)
        self.canvas.line(points[:: max(1, len(points) // 200)], colour, width, **more)

    def dots(self, x: ArrayLike, y: ArrayLike, colour: str, radius: float = 3) -> None:
        """Draw points."""
        for across, level in self.at(x, y).reshape(-1, 2):
            self.canvas.dot(across, level, radius, colour)

    def bar(self, x: float, y: float, colour: str, width: float) -> None:
        """Draw a bar from zero to y; `width` is in pixels and x its middle."""
        across, level = self.at(x, y)
        base = float(self.at(x, max(self.y[0], 0.0) if not self.log[1] else 10 ** self.y[0])[1])
        self.canvas.rectangle(across - width / 2, min(level, base), width, abs(base - level), colour, rx=1)


def ticks(low: float, high: float, whole: bool = False) -> list[float]:
    """Return some round numbers between two."""
    span = float(high - low)
    rough = 10.0 ** np.floor(np.log10(span / 4))
    step = next(rough * k for k in (1, 2, 5, 10) if span / (rough * k) <= 5)
    step = max(step, 1.0) if whole else step
    return [
        round(k * step, 10) + 0.0 for k in range(int(np.ceil(low / step - 1e-9)), int(high / step + 1e-9) + 1)
    ]


def legend(canvas: Canvas, x: float, y: float, entries: Sequence[tuple[str, str]], step: float = 0) -> None:
    """Write names beside their colours, in a row or, with a `step`, one below the other."""
    for words, colour in entries:
        canvas.rectangle(x, y - 9, 14, 9, colour, rx=2)
        canvas.text(x + 20, y, words, INK, font_size=12)
        x, y = (x, y + step) if step else (x + 34 + 6.6 * len(words), y)


def sticks(robot: cf.Robot, states: ArrayLike) -> tuple[np.ndarray, tuple[tuple[int, int], ...]]:
    """Return points (states, points, 2) as the robot's picture shows them, in metres, and its sticks."""
    poses = robot.body_poses(np.atleast_2d(states))
    figure = stick_figure(robot.model, poses)
    return figure.points @ view(figure).T, figure.sticks


def view(figure: Any) -> np.ndarray:
    """Return the directions to the right and downwards in the picture, (2, 3)."""
    forward = -figure.eye / np.linalg.norm(figure.eye)
    right = np.cross(forward, figure.up)
    right /= np.linalg.norm(right)
    return np.stack([right, -np.cross(right, forward)])


class Stage:
    """A rectangle of a canvas in which robots stand, all in one scale."""

    def __init__(self, canvas: Canvas, place: tuple[float, float, float, float], points: np.ndarray) -> None:
        cloud = points.reshape(-1, 2)
        left, top, width, height = place
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        self.canvas = canvas
        self.scale = float(min(np.array([width, height]) / np.maximum(high - low, 1e-9)))
        self.shift = np.array([left + width / 2, top + height / 2]) - self.scale * (low + high) / 2

    def at(self, points: ArrayLike) -> np.ndarray:
        """Return places on the canvas."""
        return self.shift + self.scale * np.asarray(points)

    def robot(self, points: np.ndarray, between: Sequence[tuple[int, int]], colour: str = PALETTE[0], *,
              width: float = 6, opacity: float = 1, joints: bool = True) -> None:  # fmt: skip
        """Draw one robot."""
        places = self.at(points)
        gap = np.full(2, np.nan)
        pieces = np.concatenate([[places[a], places[b], gap] for a, b in between])
        more = {"opacity": f"{opacity:.2g}"} if opacity < 1 else {}
        self.canvas.line(pieces, colour, width, stroke_linecap="round", **more)
        if joints:
            for x, y in places[np.unique(between)]:
                self.canvas.dot(x, y, width / 2 + 0.5, PALETTE[1])

    def triad(self, origin: np.ndarray, tips: np.ndarray) -> None:
        """Draw the axes of a frame, of which the origin (2,) and the tips (3, 2) are seen."""
        for tip, colour in zip(tips, AXES, strict=True):
            self.canvas.line(self.at([origin, tip]), colour, 2)
