"""Which rows of a log are fitted, which are held out, and which fold of cross validation they are in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import positive
from ...errors import ArgumentError, shown

HELD_OUT, UNUSED = -1, -2
"""Labels of rows that are not fitted; fitted rows carry their fold, 0 or more."""

FOLDS = 10


@dataclass(frozen=True)
class Split:
    """A division of the log's time: none held out, alternating blocks, or the second half.

    Fitted rows nearer than `margin` to the others are not used, since the filters mix them.
    Folds are stretches of `stretch` seconds, dealt in turn.
    """

    start: float
    stop: float
    hold_out: float | str | None
    margin: float
    stretch: float = 1.0

    def __post_init__(self) -> None:
        given = self.hold_out
        if given is None or (isinstance(given, str) and given == "half"):
            return
        try:
            block = positive("hold_out", given)
        except ArgumentError:
            raise ArgumentError(
                f'hold_out is {shown(given)}; expected None, "half" or the seconds of alternating blocks'
            ) from None
        if block > (self.stop - self.start) / 2:
            raise ArgumentError(
                f"hold_out: blocks of {block:g} s do not alternate in a log of {self.stop - self.start:.3g} s"
            )
        if block <= 2 * self.margin:
            raise ArgumentError(
                f"hold_out: no rows are left to fit between blocks of {block:g} s, of which the filters mix "
                f"{2 * self.margin:.3g} s; hold out longer blocks, or raise cutoff"
            )

    def held_out(self, time: Array) -> NDArray[np.bool_]:
        """Return which times are held out."""
        since = time - self.start
        if self.hold_out is None:
            return np.zeros(len(time), dtype=bool)
        if self.hold_out == "half":
            return np.asarray(since >= (self.stop - self.start) / 2)
        return np.asarray((since // float(self.hold_out)).astype(int) % 2 == 1)

    def labels(self, time: Array) -> NDArray[np.int_]:
        """Return the fold of fitted rows, `HELD_OUT` or `UNUSED`."""
        held = self.held_out(time)
        near = (self.held_out(time - self.margin) | self.held_out(time + self.margin)) & ~held
        near &= (time - self.margin >= self.start) & (time + self.margin <= self.stop)
        pair = 2 * self.hold_out if isinstance(self.hold_out, float | int) else 0.0
        # one fitted block per fold, unless blocks are so long that folds must part them
        stretch = max(self.stretch, pair) if FOLDS * pair <= self.stop - self.start else self.stretch
        folds = ((time - self.start) // stretch).astype(int) % FOLDS
        return np.where(held, HELD_OUT, np.where(near, UNUSED, folds))
