"""Joints that stick and stops that hold: the modes of the joints and when they change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..model import Model
from .complementarity import give_way
from .gear_losses import GearLosses
from .step_symbols import FAR, stopped_coordinates

SLACK = 1e-9
"""How far a reaction may be beyond its bound before the joint gives way, relative to the reactions: so
that a joint that has just been held is not let go because of round-off."""

MOST_PASSES = 20
"""Looks at the signs of what gears transmit as joints break away; two are usual."""

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
    """Dry friction and stops of a robot: one number per velocity each; no stop is at infinity.

    Joints stick, slip and rest at stops by complementarity of accelerations and reactions, and impacts
    by that of velocities and impulses, with Newton's restitution [PfeifferGlocker1996].
    """

    coulomb: Array
    lower: Array
    upper: Array
    restitution: float
    places: NDArray[np.intp]
    """For each velocity its coordinate, or any other if the joint can have no stop."""
    gears: GearLosses

    @classmethod
    def of(cls, model: Model, friction: bool, stops: bool, restitution: float) -> Contact:
        """Return the contact of a robot with its own dry friction and its limits as stops, or without."""
        coulomb = model.joint_array("friction") if friction else np.zeros(model.nv)
        places = np.zeros(model.nv, dtype=np.intp)
        lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
        ends = model.limit_array("lower"), model.limit_array("upper")
        for iv, iq in stopped_coordinates(model):
            places[iv] = iq
            if stops:
                lower[iv], upper[iv] = ends[0][iv], ends[1][iv]
        return cls(coulomb, lower, upper, restitution, places, GearLosses.of(model, friction))

    @property
    def acts(self) -> bool:
        """Whether there is any friction or stop."""
        return bool(self.dry.any() or np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def dry(self) -> Array:
        """Numbers that are positive for joints that friction can hold."""
        return self.coulomb + self.gears.part

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
        back = mode * qd * self.dry < 0
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
        self, q: Array, qd: Array, M: Array, p: Array, t: Array, stuck: NDArray[np.bool_] | None = None
    ) -> Modes:
        """Return the modes of the joints in a state, given M qdd = p + friction and stops, and t of drives.

        A joint in motion slides. Joints at rest are held if friction and stops can do it, all of them
        together; otherwise they begin to slide the way they are pushed. Joints of `stuck` are held. The
        bounds of reactions are those without what gears lose by load, which changes with t along a step.
        """
        below, above = self.distances(q)
        low, high = below <= 0, above <= 0
        rest = (qd == 0) & ((self.dry > 0) | low | high)
        least, most = np.where(high, -np.inf, -self.coulomb), np.where(low, np.inf, self.coulomb)
        if stuck is not None:
            least, most = np.where(rest & stuck, -np.inf, least), np.where(rest & stuck, np.inf, most)
        mode = np.where(qd < 0, -1.0, 1.0)
        if not rest.any():
            return Modes(mode, np.full(len(qd), -FAR), np.full(len(qd), FAR))
        moves, reactions = self._broken_away(M, p, t, np.where(rest, 0.0, mode), least, most)
        mode = np.where(rest, moves, mode).astype(float)
        slack = SLACK * (self.coulomb + np.abs(reactions) + np.abs(reactions).max())
        return Modes(mode, np.maximum(least - slack, -FAR), np.minimum(most + slack, FAR))

    def _broken_away(
        self, M: Array, p: Array, t: Array, s: Array, least: Array, most: Array
    ) -> tuple[Array, Array]:
        """Return how joints at rest (s = 0) begin to move, beside others of the signs s, and reactions.

        What gears lose depends on the sign of what they transmit, and that on the accelerations of the
        rotors: both are found in turn until the signs stay.
        """
        gears, f = self.gears, p - s * self.coulomb
        if not gears.any:
            moves, _, reactions = give_way(M, f, s == 0, least, most)
            return moves, reactions
        drives = [t - sign * self.coulomb for sign in (1.0, -1.0, s)]
        a = np.zeros(len(p))
        excess: list[Array] = []
        for _ in range(MOST_PASSES):
            signs = zip((1.0, -1.0, s), drives, strict=True)
            last, excess = excess, [gears.excess(sign, own - gears.rotors * a) for sign, own in signs]
            if last and np.array_equal(last, excess):
                break
            forth, back, sliding = (each * own for each, own in zip(excess, drives, strict=True))
            heavier = [gears.rotors * each for each in excess]
            moves, a, reactions = give_way(
                M + np.diag(heavier[2]),
                f + sliding,
                s == 0,
                least + forth,
                most + back,
                (heavier[0], heavier[1]),
            )
        return moves, reactions
