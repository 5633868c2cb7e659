"""Equal steps in machine code, mended one by one where a joint sticks, gives way or meets a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ..arrays import Array
from ..errors import warn
from ..integration.inputs import Levels
from ..kernels import Kernel
from ..kernels.march import March, Moving, Repeated
from .contact import PATIENCE, Contact, Modes
from .drive import SampledLaw
from .step_symbols import quadratic

NARROW = 1e-12
"""Part of a step to which the time of a change is found."""

SHORTEST = 1e-9
"""Part of what is left of a step that is taken at least, so that a motion always goes on."""

OFTEN = 250
"""Steps per run that are mended within twice as many steps before a warning is given."""

MOST_CHANGES = 200
"""Changes within one step; the rest of the step is then taken as it is."""


class Change(NamedTuple):
    """A joint that begins to stick, slips or meets a stop: the time, its velocity's index, what, the run."""

    time: float
    velocity: int
    what: str
    run: int = 0


@dataclass
class Marching:
    """Runs of equal steps: q (steps + 1, runs, nq) and qd are filled from their first entries on.

    `levels` are the inputs u at the steps, `constants` the numbers of a run in the kernel's order. Without
    `contact` every step is one call of `step`. With it, the modes of the joints are inputs of the step, and a
    step in which a mode does not hold is taken again up to the time of the change. A `law` that is sampled
    fills the inputs ahead of each step; only if the inputs are `continuous` may a step be taken again
    after the next has begun.
    """

    step: Kernel
    forces: Callable[[], Kernel]
    times: Array
    q: Array
    qd: Array
    levels: Levels
    constants: list[Array]
    contact: Contact | None = None
    law: SampledLaw | None = None
    continuous: bool = True
    changes: list[Change] = field(default_factory=list)
    mended: int = 0
    since: int = 0
    warned: bool = False

    def __post_init__(self) -> None:
        runs, h = self.q.shape[1], np.array(self.times[1] - self.times[0])
        self.h = float(h)
        single = runs == 1
        self.tables = self._tables(runs)
        operands = [Moving(_runs(self.q[:-1], single)), Moving(_runs(self.qd[:-1], single)), fixed(h)]
        for table in self.tables:
            steady = not table.strides[0]
            own = _runs(table, single)
            operands.append(fixed(own[0]) if steady else Moving(own))
        operands += [fixed(each) for each in self.constants]
        margins: Array | None = None
        outputs = [Moving(_runs(self.q[1:], single)), Moving(_runs(self.qd[1:], single))]
        if self.contact is not None:
            nv = self.qd.shape[-1]
            self.modes = np.ones((runs, nv)), np.zeros((runs, nv)), np.zeros((runs, nv))
            self.margins = margins = np.zeros(runs)
            mode, least, most = (fixed(each[0] if single else each) for each in self.modes)
            same = {name: fixed(values) for name, values in self.contact.constants.items()}
            operands += [mode, same["coulomb"], least, most, same["lower"], same["upper"]]
            outputs.append(fixed(margins.reshape(()) if single else margins))
            self.last = np.full(runs, -1)
            self._bind()
        samples = None if single else runs
        before = None if self.law is None else self._sampled(self.law, single, samples)
        self.march = March(Repeated(self.step, [*operands, *outputs], samples), margins, before)

    def _sampled(self, law: SampledLaw, single: bool, samples: int | None) -> Repeated:
        """Return the law as it is called ahead of each step, into the table of torques."""
        given = [Moving(_runs(each[:-1], single)) for each in (self.q, self.qd)]
        given += [Moving(each) if each.strides[0] else fixed(each[0]) for each in law.references]
        given += [fixed(each) for each in law.gains]
        return Repeated(law.kernel, [*given, Moving(_runs(self.tables[0], single))], samples)

    def _tables(self, runs: int) -> list[Array]:
        """Return the inputs of all steps, (steps, runs, nu) each; those that never change take no memory."""
        tables = [self.levels.start] if self.levels.held else list(self.levels.tables)
        if not self.levels.start.shape[-1]:
            return []
        found = []
        for table in tables:
            rows = table if table.strides[0] else table[:1]
            flat = rows.reshape(len(rows), -1, table.shape[-1])
            whole = np.array(np.broadcast_to(flat, (len(flat), runs, flat.shape[-1])), order="C")
            found.append(
                np.broadcast_to(whole, (len(table), *whole.shape[1:])) if rows is not table else whole
            )
        return found

    # ------------------------------------------------------------------ one run, one step

    def _bind(self) -> None:
        """Bind a step and the forces to arrays of a single state, for steps that are mended."""
        nq, nv = self.q.shape[-1], self.qd.shape[-1]
        assert self.contact is not None
        self._q, self._qd, self._length = np.zeros(nq), np.zeros(nv), np.zeros(())
        self._u = [np.zeros(table.shape[-1]) for table in self.tables]
        self._now = -1, -1
        self._mode, self._least, self._most = np.ones(nv), np.zeros(nv), np.zeros(nv)
        self._end = np.zeros(nq), np.zeros(nv), np.zeros(())
        numbers = self.contact.constants
        contact = (
            self._mode,
            numbers["coulomb"],
            self._least,
            self._most,
            numbers["lower"],
            numbers["upper"],
        )
        arrays = (self._length, *self._u, *self.constants, *contact)
        self._step = self.step.bind(self._q, self._qd, *arrays, out=self._end)
        self._beyond = np.zeros(nq), np.zeros(nv), np.zeros(())
        self._look = self.step.bind(*self._end[:2], np.zeros(()), *arrays[1:], out=self._beyond)

    def _inputs(self, k: int, run: int, part: float, length: float) -> None:
        """Set the inputs of a piece of step k: from a part of it on, over a length, also a part."""
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
        assert self.contact is not None
        self._inputs(k, run, part, 0.0)
        u = self._u[:1]
        dull = np.zeros(len(self._qd), dtype=bool) if dull is None else dull
        M, p, _ = self.forces()(self._q, self._qd, *u, *self.constants)
        after = self.contact.after_impact(self._q, self._qd, M, dull)
        if after is not self._qd:
            self._qd[:] = after
            M, p, _ = self.forces()(self._q, self._qd, *u, *self.constants)
        self._set_modes(self.contact.decided(self._q, self._qd, M, p, dull))

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

    def _mended(self, k: int, run: int) -> None:
        """Take step k of a run again, from one change of a mode to the next."""
        assert self.contact is not None
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
        for whole, own in zip(self.modes, (self._mode, self._least, self._most), strict=True):
            whole[run] = own
        self.last[run] = k

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
        assert self.contact is not None
        time = float(self.times[k] + part * self.h)
        below, above = self.contact.distances(self._q)
        for i in changed:
            if self._mode[i]:
                what = "slips" if not before[i] else "turns"
            else:
                what = "stops" if below[i] <= 0 or above[i] <= 0 else "sticks"
            self.changes.append(Change(time, int(i), what, run))

    # ------------------------------------------------------------------ all runs

    def begin(self) -> None:
        """Decide the modes in which the runs begin."""
        if self.contact is None:
            return
        for run in range(self.q.shape[1]):
            self._q[:], self._qd[:] = self.q[0, run], self.qd[0, run]
            self._decide(0, run, 0.0)
            self.qd[0, run] = self._qd
            for whole, own in zip(self.modes, (self._mode, self._least, self._most), strict=True):
                whole[run] = own

    def advance(self, first: int, last: int) -> None:
        """Take the steps first, ..., last - 1 of all runs."""
        k = first
        while k < last:
            k = self.march(k, last)
            if k < last:
                for run in np.flatnonzero(self.margins < 0):
                    self._mend(k, int(run))
                    self._watch(k)
                k += 1

    def _watch(self, k: int) -> None:
        """Warn, once, if joints change their modes in most of the steps."""
        self.mended += 1
        if self.mended % (OFTEN * self.q.shape[1]):
            return
        if k - self.since < 2 * OFTEN and not self.warned:
            self.warned = True
            warn(
                f"simulate: joints turn back, stick or slip in most steps around t = {self.times[k]:.4g} s. "
                "Is the step too long for the damping gains and the inertias? Take shorter steps, lower "
                "gains or method='rosenbrock', or give the joints their rotor inertia (with_armature)",
                RuntimeWarning,
            )
        self.since = k

    def _mend(self, k: int, run: int) -> None:
        """Mend step k of a run, and the one before if a held joint should have given way within it."""
        back = self.continuous and k > 0 and self.last[run] < k - 1
        if back and not self.modes[0][run].all():
            self._q[:], self._qd[:] = self.q[k - 1, run], self.qd[k - 1, run]
            self._set_modes(Modes(*(each[run] for each in self.modes)))
            if self._margin(k - 1, run, 0.0, 1.0) < 0:
                self._mended(k - 1, run)
        self._mended(k, run)


def fixed(array: Array) -> Moving:
    """Return an array that is the same in every step."""
    return Moving(array, steps=False)


def _runs(array: Array, single: bool) -> Array:
    """Return an array (steps, runs, ...) as one of single samples if there is one run."""
    return array[:, 0] if single else array
