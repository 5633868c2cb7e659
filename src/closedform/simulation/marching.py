"""Equal steps in machine code, mended one by one where a joint sticks, gives way or meets a stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import warn
from ..integration.inputs import Levels
from ..kernels import Kernel
from ..kernels.march import March, Moving, Repeated
from ..robot import Robot
from .contact import Contact
from .drive import Clock, Drive, SampledLaw
from .mending import Change, Mending

CHUNK = 4096
"""Steps of all runs between two looks at the state and for a key that interrupts."""

REPORTS = 100
"""How often `progress` is called."""

OFTEN = 250
"""Steps per run that are mended within twice as many steps before a warning is given."""


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
    mended: int = 0
    since: int = 0
    warned: bool = False

    def __post_init__(self) -> None:
        runs, h = self.q.shape[1], np.array(self.times[1] - self.times[0])
        single = runs == 1
        self.tables = self._tables(runs)
        operands = [Moving(_runs(self.q[:-1], single)), Moving(_runs(self.qd[:-1], single)), fixed(h)]
        for table in self.tables:
            steady = not table.strides[0]
            own = _runs(table, single)
            operands.append(fixed(own[0]) if steady else Moving(own))
        operands += [fixed(each) for each in self.constants]
        self.mending: Mending | None = None
        margins: Array | None = None
        outputs = [Moving(_runs(self.q[1:], single)), Moving(_runs(self.qd[1:], single))]
        if self.contact is not None:
            self.mending = Mending(
                self.step,
                self.forces,
                self.times,
                self.q,
                self.qd,
                self.tables,
                self.constants,
                self.contact,
                self.continuous,
            )
            self.margins = margins = np.zeros(runs)
            mode, least, most = (fixed(each[0] if single else each) for each in self.mending.modes)
            same = {name: fixed(values) for name, values in self.contact.constants.items()}
            operands += [mode, same["coulomb"], least, most, same["lower"], same["upper"]]
            outputs.append(fixed(margins.reshape(()) if single else margins))
        samples = None if single else runs
        before = None if self.law is None else self._sampled(self.law, single, samples)
        self.march = March(Repeated(self.step, [*operands, *outputs], samples), margins, before)

    def _sampled(self, law: SampledLaw, single: bool, samples: int | None) -> Repeated:
        """Return the law as it is called ahead of each step, into the table of torques."""
        given = [Moving(_runs(each[:-1], single)) for each in (self.q, self.qd)]
        given += [Moving(each) if each.strides[0] else fixed(each[0]) for each in law.references]
        given += [Moving(_runs(each[:-1], single)) for each in law.states]
        given += [fixed(each) for each in law.numbers]
        following = [Moving(_runs(each[1:], single)) for each in law.states]
        return Repeated(law.kernel, [*given, Moving(_runs(self.tables[0], single)), *following], samples)

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

    @property
    def changes(self) -> list[Change]:
        """What friction and stops did."""
        return [] if self.mending is None else self.mending.changes

    def begin(self) -> None:
        """Decide the modes in which the runs begin."""
        if self.mending is not None:
            self.mending.begin()

    def advance(self, first: int, last: int) -> None:
        """Take the steps first, ..., last - 1 of all runs."""
        k = first
        while k < last:
            k = self.march(k, last)
            if k < last and self.mending is not None:
                for run in np.flatnonzero(self.margins < 0):
                    self.mending.mend(k, int(run))
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


def fixed(array: Array) -> Moving:
    """Return an array that is the same in every step."""
    return Moving(array, steps=False)


def _runs(array: Array, single: bool) -> Array:
    """Return an array (steps, runs, ...) as one of single samples if there is one run."""
    return array[:, 0] if single else array


def take_steps(
    robot: Robot,
    marching: Marching,
    found: Drive,
    run_clock: Clock,
    batch: tuple[int, ...],
    progress: Callable[[float], None] | None,
) -> None:
    """Take all steps, and sample the law where it is due and not part of the machine code."""
    steps = run_clock.steps
    if not math.prod(batch):
        return
    sample = None if marching.law is not None else found.sample
    chunk = max(1, CHUNK // math.prod(batch)) if progress is None else max(1, -(-steps // REPORTS))
    between = chunk if sample is None else run_clock.substeps
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # the states show it
        if found.sample is not None:
            _sample(robot, marching, found.sample, 0, between, batch)
        marching.begin()
        looked = 0
        for k in range(0, steps, between):
            last = min(k + between, steps)
            if sample is not None and k:
                _sample(robot, marching, sample, k, last, batch)
            marching.advance(k, last)
            if last - looked < chunk and last < steps:
                continue
            looked = last
            if not batch and not np.isfinite(marching.qd[last]).all():
                marching.q[last + 1 :], marching.qd[last + 1 :] = np.nan, np.nan
                return
            if progress is not None:
                progress(last / steps)


def _sample(
    robot: Robot,
    marching: Marching,
    sample: Callable[[float, Array, Array], Array],
    k: int,
    last: int,
    batch: tuple[int, ...],
) -> None:
    """Write the torques of a law at step k into the inputs up to the next sample."""
    q, qd = marching.q[k].copy(), marching.qd[k].copy()
    tau = sample(float(marching.times[k]), q.reshape(*batch, robot.nq), qd.reshape(*batch, robot.nv))
    if batch:
        tau = np.broadcast_to(tau, (*batch, robot.nv)).reshape(-1, robot.nv)
    for table in marching.tables:
        table[k:last, :, : robot.nv] = tau
