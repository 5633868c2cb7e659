"""Repairs of a log in memory: its faults taken out, each counted in a note.

A fault of more than `FEW` of the rows is left as it is, but for rows that were written more than once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .errors import LogError
from .faults import FEW, repeats, saturated, spikes, stale, unwrapped
from .log import LEAST_ROWS, STILL, Log

CHECKED_ROWS = 1_000_000
"""Rows looked at together when a log in memory is checked."""


def without_missing(log: Log, missing: str) -> Log:
    """Return a log in memory without the rows that are not finite, if they are few or all may go."""
    fine = np.ones(len(log), dtype=bool)
    for values in log.raw(slice(None)).values():
        fine &= np.isfinite(values).all(axis=1)
    lost = int(np.count_nonzero(~fine))
    if not lost:
        return log
    if missing == "error" or (missing == "few" and lost > FEW * len(log)):
        for start in range(0, len(log), CHECKED_ROWS):
            log.samples(start, start + CHECKED_ROWS)  # raises an error about the first gap
    if len(log) - lost < LEAST_ROWS:
        raise LogError(
            f"{log.source}: {len(log) - lost} usable row(s), {lost} have numbers that are not finite; repair "
            "the log, or record for longer"
        )
    return _kept(log, fine, f"{lost} row(s) with numbers that are not finite are left out")


def repaired(log: Log) -> Log:
    """Return a log in memory with its angles unwrapped, without dropouts, and with saturation marked."""
    if len(log) < LEAST_ROWS:
        return log
    angles = np.asarray(log.position, dtype=float) * log.scales["position"]
    angles, jumps = unwrapped(angles, log.turning)
    if jumps.any():
        names = ", ".join(f"{log.joints[j]} ({jumps[j]})" for j in np.flatnonzero(jumps))
        note = f"angles that jump by a turn are unwrapped, jumps by joint: {names}"
        log = replace(log, position=angles / log.scales["position"], notes=(*log.notes, note))
    log = replace(log, turning=())
    columns = np.concatenate([log.position, log.effort], axis=1)
    for find, words, most in (
        (stale, "repeat the row before in every column", 1.0),
        (lambda rows, _: spikes(rows), "stand out of their neighbours (dropouts)", FEW),
        (lambda rows, _: repeats(rows), "repeat the row before in every column", FEW),
    ):
        wrong = find(columns, log.time)
        if wrong.any() and np.count_nonzero(wrong) <= most * len(log):
            columns = columns[~wrong]
            log = _kept(log, ~wrong, f"{np.count_nonzero(wrong)} row(s) that {words} are left out")
            if len(columns) < LEAST_ROWS:
                return log
    moving = log.ranges(len(log)) >= STILL
    full = saturated(np.asarray(log.effort, dtype=float), moving.tolist())
    return replace(log, saturated=full) if full.any() else log


def _kept(log: Log, keep: NDArray[np.bool_], note: str) -> Log:
    """Return a log in memory of some of its rows."""
    parts = {name: values[keep] for name, values in log.raw(slice(None)).items()}
    return replace(log, time=log.time[keep], notes=(*log.notes, note), **parts)
