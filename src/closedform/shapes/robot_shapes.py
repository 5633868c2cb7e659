"""The method by which a robot says what it looks like."""

from __future__ import annotations

from ..checks import whole_number
from ..lazy import cached_property
from ..model import Model
from .shape import Shapes

FEWEST, MOST = 500, 2_000_000
"""Triangles that a caller may ask for."""


class RobotShapes:
    """The method that gives the pieces of a robot."""

    model: Model

    def shapes(self, *, triangles: int = 20_000) -> Shapes:
        """Return what the robot looks like: pieces of about so many `triangles` in all, each in a frame.

        They are those of its file; for a robot without any, capsules between its joints. What is read
        is kept, so that a second call takes no time.

        >>> import closedform as cf
        >>> arm = cf.load("ur5")
        >>> piece = arm.shapes().pieces[-1]
        >>> T = arm.pose(arm.neutral(), piece.frame) @ piece.placement      # where it is drawn
        """
        from .drawn import shapes_of  # noqa: PLC0415 (readers and SciPy's graphs are for those who draw)

        count = whole_number("shapes: triangles", triangles, FEWEST, MOST)
        self.model.require_numbers("shapes")
        if count not in self._shapes:
            self._shapes[count] = shapes_of(self.model, count)
        return self._shapes[count]

    @cached_property
    def _shapes(self) -> dict[int, Shapes]:
        """Shapes by the number of triangles that was asked for."""
        return {}
