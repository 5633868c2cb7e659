"""Single steps taken again where a joint sticks, gives way or meets a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ..arrays import Array
from ..kernels import Kernel
from .contact import PATIENCE, Contact, Modes
from .step_symbols import quadratic

NARROW = 1e-12
"""Part of a step to which the time of a change is found."""

SHORTEST = 1e-9
"""Part of what is left of a step that is taken at least, so that a motion always goes on."""

MOST_CHANGES = 200
"""Changes within one step; the rest of the step is then taken as it is."""


class Change(NamedTuple):
    """A joint that begins to stick, slips or meets a stop: the time, its velocity's index, what, the run."""

    time: float
    velocity: int
    what: str
    run: int = 0


@dataclass
class Mending:
    """The modes of the joints in all runs, and steps that are taken again because a mode does not hold.

    `q` (steps + 1, runs, nq) and `qd` are the paths of the runs, `tables` the inputs of the steps,
    `constants` the other numbers of the kernels, which may have a row per run. Only if the inputs are
    `continuous` may a step be taken again after the next has begun.
    """

    step: Kernel
    forces: Callable[[], Kernel]
    times: Array
    q: Array
    qd: Array
    tables: list[Array]
    constants: list[Array]
    contact: Contact
    continuous: bool
    changes: list[Change] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Bind a step to arrays of a single state: from q, qd to the end, and a look from there on."""
        runs, nq, nv = self.q.shape[1], self.q.shape[-1], self.qd.shape[-1]
        self.h = float(self.times[1] - self.times[0])
        self.modes = np.ones((runs, nv)), np.zeros((runs, nv)), np.zeros((runs, nv))
        self._last = np.full(runs, -1)
        self._now = -1, -1
        self._q, self._qd, self._length = np.zeros(nq), np.zeros(nv), np.zeros(())
        self._u = [np.zeros(table.shape[-1]) for table in self.tables]
        cores = self.step.input_shapes[3 + len(self.tables) :]
        pairs = list(zip(self.constants, cores, strict=False))
        self._numbers = [each if each.shape == core else np.zeros(core) for each, core in pairs]
        self._mode, self._least, self._most = np.ones(nv), np.zeros(nv), np.zeros(nv)
        self._end, self._beyond = ((np.zeros(nq), np.zeros(nv), np.zeros(())) for _ in range(2))
        numbers = self.contact.constants
        stops = (numbers["lower"], numbers["upper"])
        contact = (self._mode, numbers["coulomb"], self._least, self._most, *stops)
        arrays = (*self._u, *self._numbers, *contact)
        self._step = self.step.bind(self._q, self._qd, self._length, *arrays, out=self._end)
        self._look = self.step.bind(*self._end[:2], np.zeros(()), *arrays, out=self._beyond)

    def begin(self) -> None:
        """Decide the modes in which the runs begin."""
        for run in range(self.q.shape[1]):
            self._q[:], self._qd[:] = self.q[0, run], self.qd[0, run]
            self._decide(0, run, 0.0)
            self.qd[0, run] = self._qd
            self._keep(run)

    def mend(self, k: int, run: int) -> None:
        """Mend step k of a run, and the one before if a held joint should have given way within it."""
        back = self.continuous and k > 0 and self._last[run] < k - 1
        if back and not self.modes[0][run].all():
            self._q[:], self._qd[:] = self.q[k - 1, run], self.qd[k - 1, run]
            self._set_modes(Modes(*(each[run] for each in self.modes)))
            if self._margin(k - 1, run, 0.0, 1.0) < 0:
                self._taken_again(k - 1, run)
        self._taken_again(k, run)

    def _keep(self, run: int) -> None:
        for whole, own in zip(self.modes, (self._mode, self._least, self._most), strict=True):
            whole[run] = own

    def _inputs(self, k: int, run: int, part: float, length: float) -> None:
        """Set the inputs of a piece of step k: from a part of it on, over a length, also a part."""
        for each, number in zip(self.constants, self._numbers, strict=True):
            if each is not number:
                number[...] = each[run]
        if not self._u or (len(self._u) == 1 and self._now == (k, run)):
            return
        self._now = k, run
        rows = [table[k, run] for table in self.tables]
        if len(rows) == 1:
            self._u[0][:] = rows[0]
            return
        for buffer, at in zip(self._u, (part, part + length / 2, part + length), strict=True):
            weights = quadratic(at)
            buffer[:] = weights[0] * rows[0] + weights[1] * rows[1] + weights[2] * rows[2]

    def _set_modes(self, modes: Modes) -> None:
        self._mode[:], self._least[:], self._most[:] = modes.mode, modes.least, modes.most
        self._sliding = bool(modes.mode.all())

    def _decide(self, k: int, run: int, part: float, dull: NDArray[np.bool_] | None = None) -> None:
        """Set velocities after impacts and modes of the state, with the inputs at a part of step k."""
        self._inputs(k, run, part, 0.0)
        u = self._u[:1]
        dull = np.zeros(len(self._qd), dtype=bool) if dull is None else dull
        M, p, t = self.forces()(self._q, self._qd, *u, *self._numbers)
        after = self.contact.after_impact(self._q, self._qd, M, dull)
        if after is not self._qd:
            self._qd[:] = after
            M, p, t = self.forces()(self._q, self._qd, *u, *self._numbers)
        self._set_modes(self.contact.decided(self._q, self._qd, M, p, t, dull))

    def _margin(self, k: int, run: int, part: float, length: float) -> float:
        """Take a piece of step k and return its margin; reactions are looked at at both of its ends."""
        self._inputs(k, run, part, length)
        self._length[()] = length * self.h
        self._step()
        margin = float(self._end[2])
        if margin < 0 or self._sliding:
            return margin
        if len(self._u) > 1:
            self._inputs(k, run, part + length, 0.0)
        self._look()
        return min(margin, float(self._beyond[2]))

    def _taken_again(self, k: int, run: int) -> None:
        """Take step k of a run again, from one change of a mode to the next."""
        self._q[:], self._qd[:] = self.q[k, run], self.qd[k, run]
        part, hits = 0.0, np.zeros(len(self._qd), dtype=int)
        before = self.modes[0][run].copy()
        self._set_modes(Modes(*(each[run] for each in self.modes)))
        if self._margin(k, run, 0.0, 0.0) < 0:  # the inputs may have jumped
            self._decide(k, run, 0.0)
        for count in range(MOST_CHANGES + 1):
            self._note(k, run, part, before)
            before = self._mode.copy()
            left = 1.0 - part
            if left <= NARROW:
                break
            if not self._margin(k, run, part, left) < 0 or count == MOST_CHANGES:
                self._q[:], self._qd[:] = self._end[:2]
                break
            length = self._until(k, run, part, left)
            self._margin(k, run, part, length)
            q, qd, ended = self.contact.stopped(self._end[0], self._end[1], self._mode)
            self._q[:], self._qd[:] = q, qd
            part += length
            hits += ended
            self._decide(k, run, min(part, 1.0), hits >= PATIENCE)
        if (hits >= PATIENCE).any():
            self._decide(k, run, 1.0)
        self.q[k + 1, run], self.qd[k + 1, run] = self._q, self._qd
        self._keep(run)
        self._last[run] = k

    def _until(self, k: int, run: int, part: float, left: float) -> float:
        """Return the shortest piece of a step, to round-off, after which a mode no longer holds."""

        def margin(length: float) -> float:
            return self._margin(k, run, part, length)

        least = SHORTEST * left
        if margin(least) < 0:
            return least
        root = found = float(brentq(margin, least, left, xtol=NARROW, rtol=8.9e-16, maxiter=200, disp=False))
        bit = NARROW / 2
        while found < left and not margin(found) < 0:
            found, bit = min(root + bit, left), 2 * bit
        return found

    def _note(self, k: int, run: int, part: float, before: Array) -> None:
        """Record the joints whose mode has changed."""
        changed = np.flatnonzero(self._mode != before)
        if not changed.size:
            return
        time = float(self.times[k] + part * self.h)
        below, above = self.contact.distances(self._q)
        for i in changed:
            if self._mode[i]:
                what = "slips" if not before[i] else "turns"
            else:
                what = "stops" if below[i] <= 0 or above[i] <= 0 else "sticks"
            self.changes.append(Change(time, int(i), what, run))
