"""The model of a robot with loops: its spanning tree, what closes it, and its coordinates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..description.loop import Closure, JointCoupling, Loop
from ..lazy import cached_property
from ..model import Model
from ..model.on_tree import OnTree
from .cut_joints import row_count
from .dyads import Formula


@dataclass(frozen=True, eq=False)
class ClosedModel(OnTree):
    """A spanning tree whose loops are closed by cut joints.

    `rows` are those of all closures that are independent of each other, in order. `independent` are the
    bodies whose joints' coordinates describe the mechanism, `actuated` those whose joints carry torque,
    both as indices into the tree's bodies. `near` are coordinates of all joints in which the loops are
    closed; they choose the assembly mode. `dyads` give the other coordinates in closed form, one after the
    other; if there are none, forms take the coordinates of all joints, which `assemble` finds. `slack` is the
    residual that redundant rows keep if the figures of a file do not satisfy them exactly. `driving` are
    places among the actuated velocities that move the mechanism independently of each other, `undriven` those
    among the independent velocities that nobody drives (`closedform.loops.actuation`).
    """

    tree: Model
    closures: tuple[Closure, ...]
    rows: tuple[int, ...]
    independent: tuple[int, ...]
    actuated: tuple[int, ...]
    near: Array
    dyads: tuple[Formula, ...] = ()
    slack: float = 0.0
    driving: tuple[int, ...] = ()
    undriven: tuple[int, ...] = ()

    @property
    def explicit(self) -> bool:
        """Whether all coordinates follow from the independent ones in closed form."""
        return bool(self.dyads)

    @cached_property
    def iv(self) -> tuple[int, ...]:
        """Where the independent velocities are among those of all joints."""
        return velocities(self.tree, self.independent)

    @cached_property
    def dv(self) -> tuple[int, ...]:
        """Where the dependent velocities are among those of all joints."""
        chosen = set(self.iv)
        return tuple(k for k in range(self.tree.nv) if k not in chosen)

    @cached_property
    def av(self) -> tuple[int, ...]:
        """Where the velocities of the actuated joints are among those of all joints."""
        return velocities(self.tree, self.actuated)

    @cached_property
    def iq(self) -> tuple[int, ...]:
        """Where the independent coordinates are among those of all joints."""
        return coordinates(self.tree, self.independent)

    @property
    def nv(self) -> int:
        """Number of independent velocities: the degrees of freedom."""
        return len(self.iv)

    @property
    def nq(self) -> int:
        """Number of independent coordinates."""
        return len(self.iq)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints."""
        return tuple(self.tree.bodies[k].joint_name for k in self.independent)

    @cached_property
    def actuated_names(self) -> tuple[str, ...]:
        """Names of the actuated joints."""
        return tuple(self.tree.bodies[k].joint_name for k in self.actuated)

    @cached_property
    def undriven_names(self) -> tuple[str, ...]:
        """Names of the independent joints that nobody drives: they can move while actuators stand still."""
        own = {place: k for k in self.independent for place in velocities(self.tree, [k])}
        bodies = dict.fromkeys(own[self.iv[k]] for k in self.undriven)
        return tuple(self.tree.bodies[k].joint_name for k in bodies)

    @property
    def direct(self) -> bool:
        """Whether the actuated joints are the independent ones."""
        return self.av == self.iv

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows that are used: their closure and place in it."""
        every = [f"{each.name}[{k}]" for each in self.closures for k in range(row_count(each))]
        return tuple(every[k] for k in self.rows)

    @cached_property
    def digest(self) -> str:
        """A hash of every number that the equations depend on."""
        h = hashlib.sha256(self.tree.digest.encode())
        h.update(repr((self.rows, self.independent, self.actuated, self.driving, self.dyads)).encode())
        for each in self.closures:
            if isinstance(each, Loop):
                h.update(repr((each.kind, each.length)).encode())
                for name in (each.frame_a, each.frame_b):
                    frame = self.tree.frame(name)
                    h.update(repr(frame.body).encode() + np.ascontiguousarray(frame.placement).tobytes())
            else:
                joints = [self.tree.joint_names.index(name) for name in (each.joint, *each.drivers)]
                h.update(repr((joints, each.coefficients)).encode())
        return h.hexdigest()


def velocities(tree: Model, bodies: Sequence[int]) -> tuple[int, ...]:
    """Return where the velocities of the joints of some bodies are."""
    return tuple(k for i in bodies for k in range(*tree.bodies[i].velocities.indices(tree.nv)))


def coordinates(tree: Model, bodies: Sequence[int]) -> tuple[int, ...]:
    """Return where the coordinates of the joints of some bodies are."""
    return tuple(
        k for i in bodies for k in range(tree.bodies[i].iq, tree.bodies[i].iq + tree.bodies[i].joint.nq)
    )


__all__ = ["ClosedModel", "Closure", "JointCoupling", "Loop", "coordinates", "velocities"]
