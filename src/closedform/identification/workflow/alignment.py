"""Alignment: positions and efforts brought to one clock, and to the band in which one follows the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..logs.plausibility import ROWS
from ..regression.band import best_band
from ..regression.design import Design
from ..regression.friction import FrictionTerms
from ..regression.lag import Lag, best_lag, lag_notes
from .recordings import Recording, Recordings

LAG_ROUNDS = 3
"""How often the lag is looked for, each time with the friction model chosen with the lag before."""

Designed = Callable[[], tuple[FrictionTerms, Design]]
"""Returns the friction model, given or chosen, and the design with it, for the recordings as they are."""


@dataclass(frozen=True)
class Aligned:
    """The main log after lag and band are found, the friction model and design then, and what was done.

    `band` is the frequency in Hz above which positions do not tell the efforts, None if there is none.
    """

    main: Recording
    model: FrictionTerms
    design: Design
    notes: tuple[str, ...]
    band: float | None = None


def aligned(
    recordings: Recordings, designed: Designed, tell: Callable[[], None], find_lag: bool, find_band: bool
) -> Aligned:
    """Return the recordings aligned: the lag of efforts taken out, and the cutoff lowered if that pays.

    Both are judged by the main log. A lag is looked for before the band, since a lower cutoff would make
    up for some of it, and once more in a band that is narrower.
    """
    found = _without_lag(recordings, designed, tell, find_lag)
    main = found.main
    band = None
    if find_band:
        band = best_band(
            found.design, main.log.middle(ROWS), main.filters, main.split, recordings.least_cutoff
        )
    if band is None:
        return found
    recordings.narrow(band.cutoff)
    again = _without_lag(recordings, designed, tell, find_lag)
    return replace(again, band=band.cutoff, notes=(band.note, *again.notes))


def _without_lag(
    recordings: Recordings, designed: Designed, tell: Callable[[], None], find_lag: bool
) -> Aligned:
    """Return the recordings after the lag of efforts is taken out, if it is to be found."""
    main, (model, design) = recordings.main, designed()
    left: Lag | None = None
    for _ in range(LAG_ROUNDS if find_lag else 0):
        tell()
        left = best_lag(design, main.log.middle(ROWS), main.filters, main.split)
        if left is None or not left.gain.clear:
            break
        recordings.shift(left.seconds)
        main, (model, design) = recordings.main, designed()
    return Aligned(main, model, design, lag_notes(main.filters.lag, left) if find_lag else ())
