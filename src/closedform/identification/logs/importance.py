"""Importance: which efforts of a log count in a fit, and how much, joint by joint and sample by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import known_name, real_array
from ...errors import ArgumentError
from .log import Log

RANGE = (1e-9, 1e9)
"""Weights other than zero: beyond that sums of squares lose the smaller ones."""

Importances = (
    ArrayLike | Mapping[str, ArrayLike] | Sequence[ArrayLike | Mapping[str, ArrayLike] | None] | None
)
"""A mask or weights, of one log or a list of one (or None) for each of several."""


@dataclass(frozen=True)
class Importance:
    """The mask and the weights of one log, as they were given; None if all efforts count alike."""

    mask: Any = None
    weights: Any = None

    def applied(self, log: Log) -> Log:
        """Return the log with the importance of its efforts, and notes about it; errors name the culprit.

        Saturation of masked efforts is forgotten: it would take the row from the other joints too.
        """
        importance = np.ones((len(log), len(log.joints)))
        if self.mask is not None:
            importance *= _entries("mask", self.mask, log)
        if self.weights is not None:
            importance *= _entries("weights", self.weights, log)
        masked = importance == 0
        if masked.all():
            raise ArgumentError(f"identify: mask or weights leave no effort of {log.source}; let some count")
        counts = masked.sum(axis=0)
        names = ", ".join(f"{log.joints[j]} ({counts[j]})" for j in np.flatnonzero(counts))
        notes = [f"samples of {len(log)} whose efforts are masked and not fitted, by joint: {names}"]
        if self.weights is not None and np.ptp(importance[~masked]) > 0:
            notes.append("samples are weighted as given: errors of torques are weighted too")
        return replace(
            log,
            importance=importance,
            saturated=None if log.saturated is None else log.saturated & ~masked,
            notes=(*log.notes, *notes[0 if names else 1 :]),
        )


def importances(mask: Any, weights: Any, logs: int) -> list[Importance | None]:
    """Return what counts in each of so many logs; None where nothing is said about one."""
    pairs = zip(_each("mask", mask, logs), _each("weights", weights, logs), strict=True)
    return [None if a is None and b is None else Importance(a, b) for a, b in pairs]


def _each(what: str, given: Any, logs: int) -> list[Any]:
    """Return the entry of each log."""
    listed = isinstance(given, list | tuple)
    if given is None or (listed and len(given) == logs):
        return [None] * logs if given is None else list(given)
    if logs == 1:
        return [given]
    words = f"{len(given)} entries" if listed else "one entry"
    raise ArgumentError(f"identify: {what} has {words} for {logs} logs; give a list, one or None for each")


def _entries(what: str, given: Any, log: Log) -> Array:
    """Return a mask or weights as numbers (rows, joints)."""
    if not isinstance(given, Mapping):
        return _checked(f"identify: {what}", what, given, log, len(log.joints))
    found = np.ones((len(log), len(log.joints)))
    for name, own in given.items():
        joint = log.joints.index(known_name(f"joint of {what}", name, log.joints))
        found[:, joint] = _checked(f"identify: {what} of joint {name!r}", what, own, log, 1)[:, 0]
    return found


def _checked(name: str, what: str, given: Any, log: Log, joints: int) -> Array:
    """Return entries (rows, joints) of the right length, each of which can be a mask's or a weight."""
    array = real_array(name, given)
    rows = len(log)
    if array.shape[:1] not in ((), (rows,)):
        repaired = f" ({'; '.join(log.notes)})" if log.notes else ""
        raise ArgumentError(
            f"{name} has {len(array)} rows, but {log.source} has {rows} as it is read{repaired}; make it by "
            "the time of the log that closedform.identification.read_log returns"
        )
    shapes = [
        (rows,),
        *([(rows, joints)] if joints > 1 else []),
        *([()] if (what, joints) == ("weights", 1) else []),
    ]
    if array.shape not in shapes:
        expected = " or ".join("a number" if shape == () else str(shape) for shape in shapes)
        raise ArgumentError(f"{name} has shape {array.shape}; expected {expected}: {rows} rows of the log")
    fine = (array == 0) | ((array >= RANGE[0]) & (array <= RANGE[1]))
    expected = f"0, or numbers from {RANGE[0]:g} to {RANGE[1]:g}"
    if what == "mask":
        fine, expected = (array == 0) | (array == 1), "booleans, True where efforts count"
    if not fine.all():
        at = tuple(np.argwhere(~fine)[0].tolist())
        raise ArgumentError(f"{name}{list(at) if at else ''} is {array[at]:g}; expected {expected}")
    return np.asarray(np.broadcast_to(array if array.ndim == 2 else array[..., None], (rows, joints)))
