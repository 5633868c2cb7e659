"""A simulated motion: states and torques over time, energy, and what happened on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..chart import chart
from ..display import card, span_table, text_block
from ..guests import called, in_words, is_lazy
from ..lazy import cached_property
from ..robot import Robot


class Transition(NamedTuple):
    """A joint that "sticks", "slips", "turns" or "stops" (meets a stop and stays) at a time.

    `run` counts the runs of a batch from 0, in the order of its entries.
    """

    time: float
    joint: str
    what: str
    run: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A motion: times t (n + 1,), q (..., n + 1, nq), qd and tau (..., n + 1, nv), and events.

    `tau` are the joint forces at the times, without friction and stops; those of a sampled law act until
    the next. `events` has the times of each event asked for, `transitions` what friction and stops did.
    `energy` is kinetic and potential energy together. `states` has those of a law that has some, by name,
    (..., n + 1, size) each. Runs of a batch that diverged are NaN from there on. The arrays of a motion from
    dask arrays are lazy, and so are its transitions, run by run; `dask.compute(motion)` computes them.
    """

    robot: Robot
    t: Array
    q: Array
    qd: Array
    events: tuple[list[float], ...] = ()
    transitions: tuple[Transition, ...] = ()
    method: str = "rk4"
    torques: Callable[[Array, Array, Array, dict[str, Array]], Array] | None = field(default=None)
    """The joint forces of times and states; zero if there is none."""
    states: dict[str, Array] = field(default_factory=dict)
    springs: bool = False
    """Whether springs took part, whose energy then counts."""
    phi: Array | None = None
    """The inertial parameters of the runs, (..., 10 bodies), if they are not the robot's."""

    def __post_init__(self) -> None:
        """Put transitions that were computed run by run, (...,) of tuples, one after the other."""
        given: Any = self.transitions
        if isinstance(given, np.ndarray):
            runs = enumerate(given.ravel())
            ordered = tuple(sorted(each._replace(run=run) for run, own in runs for each in own))
            object.__setattr__(self, "transitions", ordered)

    @cached_property
    def tau(self) -> Array:
        """The joint forces at the times, (..., n + 1, nv)."""
        if self.torques is None:
            return 0 * self.qd
        return self.torques(self.t, self.q, self.qd, self.states)

    @cached_property
    def kinetic_energy(self) -> Array:
        """Kinetic energy at the times, (..., n + 1)."""
        if self.phi is None:
            energy: Array = self.robot.kinetic_energy(self.q, self.qd)
        else:
            kernel = self.robot.kernel("kinetic_energy", phi=True)
            energy = called(kernel, (self.q, self.qd, self.phi[..., None, :]))
        return energy

    @cached_property
    def potential_energy(self) -> Array:
        """Potential energy at the times, (..., n + 1), with that of springs if they took part."""
        if self.phi is None:
            energy: Array = self.robot.potential_energy(self.q, springs=self.springs)
        else:
            kernel = self.robot.kernel("potential_energy", phi=True, springs=self.springs)
            energy = called(kernel, (self.q, self.phi[..., None, :]))
        return energy

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy at the times, (..., n + 1)."""
        return self.kinetic_energy + self.potential_energy

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        batch = self.q.shape[:-2]
        runs = f", batch {batch}" if batch else ""
        if is_lazy(self.q):
            changes = ", still to be computed: say dask.compute(motion)"
        else:
            changes = f", {len(self.transitions)} transitions" if self.transitions else ""
        events = f", {sum(map(len, self.events))} events" if self.events else ""
        return (
            f"<motion of {self.robot.name!r}: {self.t[-1]:g} s in {len(self.t) - 1} steps, "
            f"{self.method}{runs}{changes}{events}>"
        )

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the coordinates over time; where they start, end and go."""
        if is_lazy(self.q):
            return text_block(repr(self))
        names = [
            " ".join([body.joint_name, *([part] if part else []), f"[{unit}]"])
            for body in self.robot.model.independent
            for part, unit in body.joint.coordinate_entries
        ]
        drawn = "" if self.q.ndim > 2 else chart(self.t, self.q, names, "t [s]", "q")
        return card(self.robot.name, repr(self)[1:-1], drawn, span_table(names, self.q))
