"""A simulated motion: states and torques over time, energy, and what happened on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..arrays import Array
from ..guests import called
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
    (..., n + 1, size) each. Runs of a batch that diverged are NaN from there on.
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
    """The inertial parameters, (..., 10 bodies), if they were given."""

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
            found: Array = self.robot.kinetic_energy(self.q, self.qd)
            return found
        return self._weighed("kinetic_energy", self.q, self.qd)

    @cached_property
    def potential_energy(self) -> Array:
        """Potential energy at the times, (..., n + 1), with that of springs if they took part."""
        if self.phi is None:
            found: Array = self.robot.potential_energy(self.q, springs=self.springs)
            return found
        return self._weighed("potential_energy", self.q, springs=self.springs)

    def _weighed(self, form: str, *state: Array, **chosen: Any) -> Array:
        """Return an energy with the inertial parameters of the motion."""
        kernel = self.robot.kernel(form, phi=True, **chosen)
        phi = self.phi[..., None, :]  # type: ignore[index]
        found: Array = called(kernel, (*state, phi))
        return found

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy at the times, (..., n + 1)."""
        return self.kinetic_energy + self.potential_energy

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        batch = self.q.shape[:-2]
        runs = f", batch {batch}" if batch else ""
        changes = f", {len(self.transitions)} transitions" if self.transitions else ""
        events = f", {sum(map(len, self.events))} events" if self.events else ""
        return (
            f"<motion of {self.robot.name!r}: {self.t[-1]:g} s in {len(self.t) - 1} steps, "
            f"{self.method}{runs}{changes}{events}>"
        )
