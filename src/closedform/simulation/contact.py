"""Joints that stick and stops that hold: the modes of the joints and when they change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..model import Model
from .complementarity import give_way
from .step_symbols import FAR, stopped_coordinates

SLACK = 1e-9
"""How far a reaction may be beyond its bound before the joint gives way, relative to the reactions: so
that a joint that has just been held is not let go because of round-off."""

PATIENCE = 3
"""Changes of one joint within a step after which it is held, or does not rebound, until the step's end."""


@dataclass(frozen=True)
class Modes:
    """The modes of the joints: sliding with the sign `mode`, or held (0) with reactions within bounds."""

    mode: Array
    least: Array
    most: Array


@dataclass(frozen=True)
class Contact:
    """Coulomb friction and stops of a robot: one number per velocity each; no stop is at infinity.

    Joints stick, slip and rest at stops by complementarity of accelerations and reactions, and impacts
    by that of velocities and impulses, with Newton's restitution [PfeifferGlocker1996].
    """

    coulomb: Array
    lower: Array
    upper: Array
    restitution: float
    places: NDArray[np.intp]
    """For each velocity its coordinate, or any other if the joint can have no stop."""

    @classmethod
    def of(cls, model: Model, coulomb: Array, stops: bool, restitution: float) -> Contact:
        """Return the contact of a robot with its own limits as stops, or none."""
        places = np.zeros(model.nv, dtype=np.intp)
        lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
        ends = model.limit_array("lower"), model.limit_array("upper")
        for iv, iq in stopped_coordinates(model):
            places[iv] = iq
            if stops:
                lower[iv], upper[iv] = ends[0][iv], ends[1][iv]
        return cls(coulomb, lower, upper, restitution, places)

    @property
    def acts(self) -> bool:
        """Whether there is any friction or stop."""
        return bool(self.coulomb.any() or np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def constants(self) -> dict[str, Array]:
        """The numbers that a step needs, infinity being a large number."""
        return {
            "coulomb": self.coulomb,
            "lower": np.maximum(self.lower, -FAR),
            "upper": np.minimum(self.upper, FAR),
        }

    def distances(self, q: Array) -> tuple[Array, Array]:
        """Return how far every joint is from its lower and upper stop."""
        own = q[self.places]
        return own - self.lower, self.upper - own

    def stopped(self, q: Array, qd: Array, mode: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return the state at which a step must end, and which joints ended it.

        Joints that have turned back are at rest; joints beyond a stop are at it.
        """
        back = mode * qd * self.coulomb < 0
        below, above = self.distances(q)
        qd, q = np.where(back, 0.0, qd), q.copy()
        for beyond, stop in ((below < 0, self.lower), (above < 0, self.upper)):
            q[self.places[beyond]] = stop[beyond]
        return q, qd, back | (below < 0) | (above < 0)

    def after_impact(self, q: Array, qd: Array, M: Array, dull: NDArray[np.bool_]) -> Array:
        """Return the velocities after joints have run into their stops: Newton's law, `dull` ones at rest.

        The impulses of all touching stops push away from them, none pulls, and none is left with a
        velocity into it.
        """
        below, above = self.distances(q)
        low, high = below <= 0, above <= 0
        into = (low & (qd < 0)) | (high & (qd > 0))
        if not into.any():
            return qd
        rebound = np.where(into & ~dull, -self.restitution * qd, 0.0)
        least, most = np.where(high, -np.inf, 0.0), np.where(low, np.inf, 0.0)
        touching = low | high
        moves, away, _ = give_way(M, M @ (qd - rebound), touching, least, most)
        return np.where(touching & (moves == 0), rebound, away + rebound)

    def decided(
        self, q: Array, qd: Array, M: Array, p: Array, stuck: NDArray[np.bool_] | None = None
    ) -> Modes:
        """Return the modes of the joints in a state, given M qdd = p + friction and stops.

        A joint in motion slides. Joints at rest are held if friction and stops can do it, all of them
        together; otherwise they begin to slide the way they are pushed. Joints of `stuck` are held.
        """
        below, above = self.distances(q)
        low, high = below <= 0, above <= 0
        rest = (qd == 0) & ((self.coulomb > 0) | low | high)
        least, most = np.where(high, -np.inf, -self.coulomb), np.where(low, np.inf, self.coulomb)
        if stuck is not None:
            least, most = np.where(rest & stuck, -np.inf, least), np.where(rest & stuck, np.inf, most)
        mode = np.where(qd < 0, -1.0, 1.0)
        if not rest.any():
            return Modes(mode, np.full(len(qd), -FAR), np.full(len(qd), FAR))
        f = p - np.where(rest, 0.0, mode * self.coulomb)
        moves, _, reactions = give_way(M, f, rest, least, most)
        mode = np.where(rest, moves, mode).astype(float)
        slack = SLACK * (self.coulomb + np.abs(reactions) + np.abs(reactions).max())
        return Modes(mode, np.maximum(least - slack, -FAR), np.minimum(most + slack, FAR))
