"""What a robot with loops tells of its postures: singular ones, and all ways to assemble one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, finite_array, sized_array, whole_number
from ..guests import in_kind
from .assembly import Assembler
from .model import ClosedModel
from .modes import by_search, by_sides, distinct
from .numbers import ClosureNumbers
from .singularities import OUTPUTS, Probe, Singularities, measured


class ClosedPostures:
    """Methods of a robot with loops that ask about its postures."""

    model: ClosedModel
    _numbers: ClosureNumbers
    _assembler: Assembler

    def all_coordinates(self, q: Any) -> Any:
        """Return the coordinates of all joints."""
        raise NotImplementedError

    @property
    def size(self) -> float:
        """Length of the mechanism (m), by which residuals of its loops are judged."""
        return self._assembler.size

    def reached(self, q: Array) -> Array:
        """Return the coordinates of all joints (..., n) as `assemble` does, NaN where there are none."""
        return self._assembler.found(q, None)

    def why_open(self, q: Array) -> str:
        """Return in words why independent coordinates q (nq,) are not assembled: which loop stays open.

        A q that can be closed lies beyond a posture where assembly modes meet.
        """
        start = self.model.near.copy()
        start[list(self.model.iq)] = q
        best, _ = self._numbers.closed(start, held=self.model.iv)
        loop, distance = self._numbers.worst(best)
        shown_q = np.array2string(q, precision=4, threshold=8)
        if distance <= self._numbers.tolerance:
            return (
                f"q = {shown_q} can be closed, but a singular posture, where assembly modes meet, is on the "
                "way to it, and nothing says which mode follows"
            )
        return (
            f"q = {shown_q} cannot be assembled: loop {loop.name!r} stays {distance:.3g} (m, or "
            "2 sin(angle / 2)) apart"
        )

    def singularities(self, q: ArrayLike, frame: str | None = None, output: str = "twist") -> Singularities:
        """Return how far postures are from singular ones, by measures that vanish there.

        `independent`: the independent joints do not describe the mechanism; `actuators`: locked actuators
        do not hold it (second kind); `output`: actuators move and the `frame` (default: the last that
        moves) does not (first kind) [GosselinAngeles1990]; `loops`: assembly modes meet. Each has a `value`
        without unit and a `distance` in joint space, an estimate to first order. `output` is "twist",
        "position" or "rotation" of the frame; one of fewer components than the robot has degrees of freedom
        has the value 0. q as that of forms.
        """
        x = np.asarray(self.all_coordinates(finite_array("singularities: q", q)), dtype=float)
        choice("singularities: output", output, tuple(OUTPUTS))
        return measured(Probe(self.model, self._numbers, self.model.frame(frame).name, output), x)

    @in_kind
    def assembly_modes(self, q: ArrayLike, starts: int = 100) -> Array:
        """Return the coordinates of all joints (modes, n) in every way to assemble q (nq,).

        Loops that close by formulas have all sides tried, and none is missed.
        Other mechanisms are closed by Newton's method from `starts` random postures, the same in every
        call: what is returned is closed and distinct, but a search may miss some. Modes that differ by full
        turns of joints are one. If q cannot be assembled, there are none.
        """
        wanted = sized_array("assembly_modes: q", q, (self.model.nq,))
        count = whole_number("assembly_modes: starts", starts, 1, 100_000)
        found = by_sides(self.model, self._numbers, wanted)
        if found is None:
            found = by_search(self.model, self._numbers, wanted, count)
        return distinct(self.model, self._numbers, found)
