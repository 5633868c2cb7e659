"""A scene: a moving picture in 3D that a page holds, with all it needs."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from ..arrays import Array
from ..checks import flag, text
from ..display import AS_IT_IS
from ..errors import listed, shorten
from ..files import whole_file
from .extent import Extent
from .library import environment, library
from .packing import packed, packed_poses, packed_solids
from .parts import Marks, Solid, Tube

LONGEST = 80
"""Characters of a name."""

WARNINGS = 3
"""Warnings about shapes that are listed."""

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")
"""Speeds that a reader can choose."""

SHORTEST = 2.0
"""Seconds that a motion takes at least: a shorter one begins at a lower speed."""

HEIGHT = 660
"""Pixels of a scene in a notebook."""


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A moving picture in 3D: solids on poses (n, rows, 4, 4) over instants t (n,), tubes and marks.

    It turns, plays and shows frames, centres of mass, inertias, torques, manipulability and the path of
    the tool. `save` writes a page of its own, `html` gives the part for another page; notebooks show it.
    `unit` is that of t, `pace` how many of them pass in a second.

    >>> import closedform as cf
    >>> arm = cf.load("iiwa14")
    >>> scene = arm.scene(cf.trajectory.polynomial(arm.neutral(), arm.neutral() + 0.5, 2.0))
    >>> scene
    <Scene: iiwa14, 241 instants from 0 to 2 s>
    """

    name: str
    t: Array
    poses: Array
    solids: tuple[Solid, ...]
    tubes: tuple[Tube, ...]
    marks: Marks
    extent: Extent
    views: dict[str, tuple[float, float]]
    still: str
    warnings: tuple[str, ...] = ()
    unit: str = "s"
    pace: float = 1.0
    plays: bool = True

    def __repr__(self) -> str:
        return f"<Scene: {self._title}, {self._span}>"

    def html(self, caption: str = "", *, whole: bool = True) -> str:
        """Return the part of a page that shows the scene, with a caption below it.

        It brings what all scenes of a page share, three.js and a script; with `whole=False` it does not,
        for the second and later ones of a page.

        >>> import closedform as cf
        >>> "<canvas" in cf.load("2r").scene([0.5, 1.0]).html("The arm at rest.")
        True
        """
        caption = caption if isinstance(caption, Markup) else escape(text("scene: caption", caption))
        layout, numbers = self._numbers
        shown = (
            environment()
            .get_template("scene.html.j2")
            .render(
                scene=self,
                title=self._title,
                span=self._span,
                story=self._story(),
                caption=caption,
                still=Markup(self.still),
                words={**self._words(), "layout": layout},
                numbers=numbers,
                speeds=SPEEDS,
                speed=self._speed,
                bars=[shorten(each.name, LONGEST) for each in self.marks.efforts],
                boxes=self._boxes(),
                warnings=[shorten(each) for each in self.warnings[:WARNINGS]],
                more=max(0, len(self.warnings) - WARNINGS),
            )
        )
        return shown + str(library()) if flag("scene: whole", whole) else shown

    def page(self) -> str:
        """Return a page of its own, which needs no network."""
        template = environment().get_template("page.html.j2")
        return template.render(title=self._title, body=Markup(self.html()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page of its own, which needs no network; the file appears whole or not at all."""
        with whole_file(path) as file:
            file.write(self.page())

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the page in a frame."""
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return (
            f'<iframe{AS_IT_IS} title="{html.escape(self._title)}" style="{style}" '
            f'srcdoc="{html.escape(self.page())}"></iframe>'
        )

    @property
    def _title(self) -> str:
        return shorten(self.name, LONGEST)

    @property
    def _span(self) -> str:
        if len(self.t) == 1:
            return "one posture"
        return f"{len(self.t)} instants from {self.t[0]:g} to {self.t[-1]:g} {self.unit}".rstrip()

    @property
    def _speed(self) -> str:
        """The speed at the beginning: that of the motion, or less for a short one."""
        seconds = float(self.t[-1] - self.t[0]) / self.pace
        slow = [each for each in SPEEDS if float(each) <= 1 and seconds >= SHORTEST * float(each)]
        return slow[-1] if slow else SPEEDS[0]

    def _story(self) -> str:
        """Return the scene in words, for those who do not see it."""
        names = listed(list(dict.fromkeys(shorten(solid.name, 40) for solid in self.solids)), 40)
        told = [f"{self._title} in 3D, {self._span}."]
        told += [f"Its parts: {names}."] if names else []
        path = self.marks.path
        if path is not None:
            ends = [", ".join(f"{x:.3f}" for x in point + 0.0) for point in (path[0], path[-1])]
            where = f"is at ({ends[0]}) m" if len(path) == 1 else f"goes from ({ends[0]}) m to ({ends[1]}) m"
            told.append(f"The frame {shorten(self.marks.tool, 40)} {where}.")
        return " ".join(told)

    def _boxes(self) -> list[tuple[str, str, bool]]:
        """Return the marks that can be shown: name, label, and whether they are shown at the start."""
        marks = self.marks
        relative = "of limits" if marks.limited else "of maxima"
        offered = (
            ("path", "Tool path", len(self.t) > 1 and self._travels, True),
            ("torques", f"Torques, {relative}", bool(marks.efforts), False),
            ("manipulability", "Manipulability", marks.manipulability is not None, False),
            ("centres", "Centres of mass", bool(marks.centres), False),
            ("inertias", "Inertias", bool(marks.ellipsoids), False),
            ("frames", "Frames", bool(marks.frames), False),
        )
        return [(name, label, on) for name, label, there, on in offered if there]

    @property
    def _travels(self) -> bool:
        """Whether the tool moves by more than can be seen."""
        path = self.marks.path
        return path is not None and float(np.ptp(path, axis=0).max()) > 1e-3 * self.extent.size

    @property
    def _numbers(self) -> tuple[dict[str, Any], str]:
        """Where the arrays are, and their bytes as text."""
        marks = self.marks
        arrays: dict[str, Any] = {
            "t": self.t,
            "poses": packed_poses(self.poses),
            "curves": np.concatenate(
                [np.zeros((len(self.t), 0, 3)), *(tube.curve for tube in self.tubes)], axis=1
            ),
            "centre": marks.centre,
            "tool": marks.path,
            "manipulability": marks.manipulability,
            "shares": np.stack([each.shares for each in marks.efforts], axis=1) if marks.efforts else None,
        }
        singles: dict[str, NDArray[Any]] = {
            name: np.asarray(array, np.float32) for name, array in arrays.items() if array is not None
        }
        return packed({**singles, **packed_solids(self.solids)[1]})

    def _words(self) -> dict[str, Any]:
        """Return what the script reads beside the numbers; marks are those that have a box."""
        marks, room = self.marks, self.extent
        words: dict[str, Any] = {
            "count": len(self.t),
            "rows": self.poses.shape[1],
            "stations": sum(tube.curve.shape[1] for tube in self.tubes),
            "unit": self.unit,
            "pace": self.pace,
            "plays": self.plays,
            "turn": room.turn.ravel().tolist(),
            "low": room.low.tolist(),
            "high": room.high.tolist(),
            "cloud": room.cloud.round(6).tolist(),
            "views": self.views,
            "solids": packed_solids(self.solids)[0],
            "tubes": self._tubes(),
        }
        details: dict[str, Any] = {
            "frames": [
                {"row": each.row, "placement": each.placement.ravel().tolist()} for each in marks.frames
            ],
            "centres": [
                {"row": each.row, "centre": each.centre.tolist(), "mass": each.mass} for each in marks.centres
            ],
            "inertias": [
                {"row": each.row, "placement": each.placement.ravel().tolist()} for each in marks.ellipsoids
            ],
            "torques": [
                {
                    "row": each.row,
                    "point": each.point.tolist(),
                    "axis": each.axis.tolist(),
                    "slides": each.slides,
                    "most": each.most,
                    "unit": each.unit,
                }
                for each in marks.efforts
            ],
        }
        return words | {name: details.get(name, True) for name, _, _ in self._boxes()}

    def _tubes(self) -> list[dict[str, Any]]:
        words, first = [], 0
        for tube in self.tubes:
            count = tube.curve.shape[1]
            kind = {
                "colour": list(tube.colour),
                "radius": tube.radius,
                "name": tube.name,
                "ghost": tube.ghost,
            }
            words.append({"first": first, "count": count, **kind})
            first += count
        return words
