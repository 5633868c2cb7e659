"""The robot with everything that acts on it, as expressions: law or torques, friction, wrenches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..control import Law
from ..forms.armature import add_rotor_coriolis, free_rotors
from ..forms.elimination import Factors
from ..forms.friction import CURVE, friction_curve
from ..forms.loads import NO_LOADS, Loads
from ..forms.mass import mass_matrix
from ..forms.newton_euler import inverse_dynamics
from ..forms.tree import Tree
from ..lazy import cached_property
from ..model import Model
from .gear_losses import GearLosses

Slot = tuple[str, int]
"""Name and length of a part of a column of inputs."""


class Forces(NamedTuple):
    """All forces but inertia and dry friction, M qdd = p + friction and stops; the part t of drives; z'.

    t is what reaches the gears of joints at rest: the joint forces less viscous and smooth friction, offsets.
    """

    p: SX
    t: SX
    rate: SX


class Reactions(NamedTuple):
    """Reactions of held joints, less what gears that lose by load add to their least, and to their most."""

    over_least: SX
    over_most: SX


NO_REACTIONS = Reactions(SX(0, 1), SX(0, 1))
"""No joint is held."""


@dataclass(frozen=True, eq=False)
class Plant:
    """What the machine code of a motion depends on, besides the method.

    Joint forces come from a compiled `law`, or are an input (`driven`), or are zero. `frames` are those
    at which wrenches act, in a `reference`; with `bodies` every body has one. `limited` clips the joint
    forces at the efforts, `damped` adds viscous friction, `offset` the offsets of the drives, `contact`
    Coulomb friction and stops. The numbers of all these are inputs of the code; `sprung` adds the model's
    own springs, `curved` its friction that is a smooth function of the speed, and `geared`, of `contact`, its
    friction by load. With `variable` the inertial parameters phi are an input too, instead of the model's.
    The states of the law, z, move along with the robot's.
    """

    model: Model
    law: Law | None = None
    driven: bool = False
    frames: tuple[str, ...] = ()
    reference: str = "body"
    bodies: bool = False
    limited: bool = False
    damped: bool = False
    offset: bool = False
    curved: bool = False
    geared: bool = False
    sprung: bool = False
    contact: bool = False
    variable: bool = False

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.model.nv

    @property
    def nz(self) -> int:
        """Number of states of the law."""
        return 0 if self.law is None else sum(each.size for each in self.law.states.values())

    @property
    def start(self) -> Array:
        """The states of the law as they are now, one after the other."""
        return np.concatenate([np.zeros(0), *(self.law.states.values() if self.law is not None else ())])

    def states(self, z: Array) -> dict[str, Array]:
        """Return the states of the law, (..., n) one after the other, by name."""
        if self.law is None:
            return {}
        sizes = [each.size for each in self.law.states.values()]
        parts = np.split(z, np.cumsum(sizes)[:-1], axis=-1)
        return dict(zip(self.law.states, parts, strict=False))

    @cached_property
    def key(self) -> tuple[str, ...] | None:
        """Everything that the expressions follow from, None if no text can tell it."""
        law: tuple[str, ...] | None = () if self.law is None else self.law.key
        if law is None:
            return None
        places = []
        for name in self.frames:
            frame = self.model.frame(name)
            places.append(f"{frame.body}:{frame.placement.tobytes().hex()}")
        flags = (self.driven, self.reference, self.bodies, self.limited, self.damped, self.contact)
        options = (*flags, self.variable, self.offset)
        geared = self.gears.part.tolist() if self.geared else []
        springs = repr([(each.stiffness, each.spring_rest) for each in self.model.bodies if self.sprung])
        losses = [self.model.joint_array(name).tolist() for name in CURVE if self.curved]
        return (*law, repr(places), repr(options), springs, repr(losses), repr(geared), self.model.digest)

    @property
    def slots(self) -> list[Slot]:
        """The parts of the inputs u, which vary with time."""
        found = [("tau", self.nv)] if self.driven else []
        if self.law is not None:
            found += [(each.name, math.prod(each.shape)) for each in self.law.references]
        if self.frames:
            found.append(("wrenches", 6 * len(self.frames)))
        if self.bodies:
            found.append(("wrenches", 6 * len(self.model.bodies)))
        return found

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return sum(size for _, size in self.slots)

    @property
    def constants(self) -> list[tuple[str, tuple[int, ...]]]:
        """The arrays that stay the same in a run: names and shapes."""
        found: list[tuple[str, tuple[int, ...]]] = [("effort", (self.nv,))] if self.limited else []
        found += [("viscous", (self.nv,))] if self.damped else []
        found += [("offset", (self.nv,))] if self.offset else []
        if self.law is not None:
            found += [(f"gain_{name}", values.shape) for name, values in self.law.gains.items()]
        if self.variable:
            found.append(("phi", (10 * len(self.model.bodies),)))
        return found

    @cached_property
    def phi(self) -> SX | None:
        """The symbols of the inertial parameters, if they are an input."""
        return SX.sym("phi", 10 * len(self.model.bodies)) if self.variable else None

    @cached_property
    def tree(self) -> Tree:
        """The tree of the model."""
        return Tree.of(self.model, phi=self.phi)

    @cached_property
    def gears(self) -> GearLosses:
        """What gears lose by load."""
        return GearLosses.of(self.model, self.geared)

    def joint_forces(self, q: SX, qd: SX, z: SX, u: SX, constants: dict[str, SX]) -> tuple[SX, SX]:
        """Return tau of the law or the inputs, within the efforts, and the rates of the law's states."""
        parts = _parts(u, self.slots)
        tau, rate = parts.get("tau", SX(self.nv, 1)), SX(0, 1)
        if self.law is not None:
            given = [_shaped(parts[each.name], each.shape) for each in self.law.references]
            gains = {name: constants[f"gain_{name}"] for name in self.law.gains}
            states = _parts(z, [(name, each.size) for name, each in self.law.states.items()])
            found = self.law.response(self.law.tree, q, qd, given, gains, states)
            tau, rate = found.tau, ca.vertcat(SX(0, 1), *(found.rates[name] for name in states))
        if self.limited:
            tau = ca.fmax(ca.fmin(tau, constants["effort"]), -constants["effort"])
        return tau, rate

    def forces(self, q: SX, qd: SX, z: SX, u: SX, constants: dict[str, SX]) -> Forces:
        """Return all forces but inertia and dry friction, and the rates of the law's states."""
        wrenches = _parts(u, self.slots).get("wrenches")
        loads = NO_LOADS
        if wrenches is not None:
            loads = Loads((ca.reshape(wrenches, 6, -1).T,), self.frames or None, self.reference)
        loads = replace(loads, springs=self.sprung)
        bias = inverse_dynamics(self.tree, q, qd, SX.zeros(self.nv), loads=loads)
        tau, rate = self.joint_forces(q, qd, z, u, constants)
        p, t = tau - bias, tau
        losses = [constants["viscous"] * qd] if self.damped else []
        losses += [constants["offset"]] if self.offset else []
        losses += [friction_curve(self.tree, qd)] if self.curved else []
        for each in losses:
            p, t = p - each, t - each
        rotors = free_rotors(self.tree.own)
        if self.geared and rotors:  # their forces of velocity act ahead of the gears too
            t = t - add_rotor_coriolis(SX(self.nv, self.nv), rotors, qd) @ qd
        return Forces(p, t, rate)

    def mass_matrix(self, q: SX) -> SX:
        """Return M(q)."""
        return mass_matrix(self.tree, q)

    def acceleration(
        self,
        q: SX,
        qd: SX,
        z: SX,
        u: SX,
        constants: dict[str, SX],
        mode: SX | None = None,
        coulomb: SX | None = None,
    ) -> tuple[SX, Reactions, SX]:
        """Return qdd, the reactions of the joints that are held, and the rates of the law's states.

        Joint i slides with the sign mode_i, or is held if mode_i is 0: its acceleration is exactly zero,
        since its row and column of M are those of the identity, and its reaction is what that takes.
        """
        M, (p, t, rate) = self.mass_matrix(q), self.forces(q, qd, z, u, constants)
        if mode is None or coulomb is None:
            return Factors(M, from_leaves=True).solve(p), NO_REACTIONS, rate
        free = mode * mode
        M_s, push = self.sliding(M, p, t, mode, coulomb)
        a = Factors(masked(M_s, free), from_leaves=True).solve(free * push)
        r = (1 - free) * (M @ a - p)
        if not self.geared:
            return a, Reactions(r, r), rate
        least, most = self.gears.widened(t, coulomb)
        return a, Reactions(r - least, r - most), rate

    def sliding(self, M: SX, p: SX, t: SX, mode: SX, coulomb: SX) -> tuple[SX, SX]:
        """Return M and p of M qdd = p with the dry friction of sliding joints.

        With l = k (t - A qdd - s fc) in place of t - A qdd, M gains (k - 1) A and p gains
        (k - 1) (t - s fc) - s fc. The sign in k needs qdd if there are rotors: Newton's method on an equation
        that is linear in pieces, from qdd = 0.
        """
        push = p - mode * coulomb
        if not self.geared:
            return M, push
        drive, A, free = t - mode * coulomb, self.gears.symbols[1], mode * mode
        excess = self.gears.excess(mode, drive)
        for _ in range(self.gears.passes - 1):
            M_s = M + ca.diag(A * excess)
            a = Factors(masked(M_s, free), from_leaves=True).solve(free * (push + excess * drive))
            excess = self.gears.excess(mode, drive - A * a)
        return M + ca.diag(A * excess), push + excess * drive


def masked(M: SX, free: SX) -> SX:
    """Return M with the rows and columns of the identity for joints that are not free (1 or 0 each)."""
    found = SX(M)
    for i in range(M.size1()):
        for j in range(M.size1()):
            if i != j and not M[i, j].is_zero():
                found[i, j] = M[i, j] * (free[i] * free[j])
        found[i, i] = M[i, i] * free[i] + (1 - free[i])
    return found


def _parts(column: SX, slots: list[Slot]) -> dict[str, SX]:
    """Return the parts of a column by name."""
    found, start = {}, 0
    for name, size in slots:
        found[name] = column[start : start + size]
        start += size
    return found


def _shaped(column: SX, shape: Sequence[int]) -> SX:
    """Return a column of entries, row by row, as the array that it is."""
    return ca.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column
