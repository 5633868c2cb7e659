"""The tree that builders of forms run on, made openly from a model, with symbols where they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

import numpy as np
from casadi import SX

from ..arrays import Array
from ..lazy import cached_property
from ..model import Model
from ..rotations import inverse
from .algebra import Rotation, constant
from .geometry import placed
from .joint_frames import nodes_of
from .node import Node
from .regrouping import in_own_unit, regrouped

Placement = tuple[Rotation, SX]
"""Rotation to the parent frame, and the position of the origin in it."""


class Summable(Protocol):
    """What can be added to its like."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Summable)


@dataclass(frozen=True)
class Posture:
    """Nodes at q: each with its placement in its parent, and minus gravity in the base frame."""

    nodes: tuple[Node, ...]
    placements: list[Placement]
    upward: SX

    def __iter__(self) -> Iterator[tuple[Node, Placement]]:
        return zip(self.nodes, self.placements, strict=True)

    def leaves_first(self) -> Iterator[tuple[int, Node, Placement]]:
        """Yield (i, node, placement), children before their parents."""
        for i in reversed(range(len(self.nodes))):
            yield i, self.nodes[i], self.placements[i]

    def with_all_carried(self, own: Sequence[T], in_parent: Callable[[T, Rotation, SX], T]) -> list[T]:
        """Return a quantity of each body together with that of all it carries, moved from frame to frame."""
        total = list(own)
        for i, node, (R, p) in self.leaves_first():
            if node.parent >= 0:
                total[node.parent] = total[node.parent] + in_parent(total[i], R, p)
        return total

    @cached_property
    def up(self) -> list[SX]:
        """Minus gravity in the frame of every body: in a field of gravity the base seems to rise."""
        found: list[SX] = []
        for node, (R, _) in self:
            found.append(R.back(found[node.parent] if node.parent >= 0 else self.upward))
        return found


@dataclass(frozen=True)
class Tree:
    """The bodies of a model as nodes, with gravity and frames; any of their numbers may be symbols.

    `own` are the bodies with their own inertias, which energies, the centre of mass and parameters
    need; `nodes` give the same M, C, g and torques with fewer operations, since inertia that its own joint
    cannot feel is moved to the parent and lengths are in a unit of their own. `frames` are
    placements of frames that hold symbols, `joints` damping and friction that do.
    """

    model: Model
    own: tuple[Node, ...]
    gravity: Array | SX
    frames: Mapping[str, SX] = field(default_factory=dict)
    joints: Mapping[str, SX] = field(default_factory=dict)
    regroups: bool = True
    symbolic: bool = False

    @classmethod
    def of(
        cls, model: Model, *, phi: SX | None = None, geometry: SX | None = None, regroup: bool = True
    ) -> Tree:
        """Return the tree of a model; `phi` are symbols in place of its inertial parameters.

        `geometry` are symbols in place of the placements, a row x, y, z, roll, pitch, yaw per body.
        Without `regroup` every body keeps its own inertia, in the unit of length that costs least.
        """
        if geometry is None:
            model.require_numbers("numeric call")
        own = nodes_of(model if geometry is None else model.with_geometry(np.zeros((len(model.bodies), 6))))
        if phi is not None:
            own = tuple(node.with_phi(phi[10 * k : 10 * k + 10]) for k, node in enumerate(own))
        if geometry is not None:
            own = placed(own, geometry)
        symbolic = phi is not None or geometry is not None
        return cls(model, own, model.gravity, regroups=regroup, symbolic=symbolic)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.model.nv

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes for forces and matrices; symbols cannot be regrouped."""
        if self.symbolic:
            return self.own
        return in_own_unit(regrouped(self.own) if self.regroups else self.own)

    @property
    def upward(self) -> SX:
        """Minus gravity in the base frame, in the unit of `nodes`: the base seems to rise."""
        return self._upward(self.nodes)

    def at(self, q: SX) -> Posture:
        """Return `nodes` at q."""
        return self._posture(self.nodes, q)

    def own_at(self, q: SX) -> Posture:
        """Return `own` at q."""
        return self._posture(self.own, q)

    def _posture(self, nodes: tuple[Node, ...], q: SX) -> Posture:
        return Posture(nodes, [node.placement(q) for node in nodes], self._upward(nodes))

    def _upward(self, nodes: tuple[Node, ...]) -> SX:
        unit = nodes[0].unit if nodes else 1.0
        return -constant(self.gravity / unit)

    def frame(self, name: str | None) -> tuple[int, SX, SX]:
        """Return the body that a frame is fixed to, and its rotation and origin in that body's node."""
        frame = self.model.frame(name)
        T = self.frames.get(frame.name, frame.placement)
        if frame.body >= 0:
            T = inverse(self.own[frame.body].T_frame) @ T
        return frame.body, constant(T[:3, :3]), constant(T[:3, 3])

    def of_joints(self, name: str) -> Array | SX:
        """Return a number of the joints (damping, friction, ...), over the velocities."""
        return self.joints.get(name, self.model.joint_array(name))
