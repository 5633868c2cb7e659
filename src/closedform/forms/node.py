"""A body of a tree whose frame is on its joint, and how the joint places it.

Generalised matrices and forces do not depend on the choice of body frames, so each frame is
placed where its joint costs least: origin on the axis, axis along a coordinate axis. What the
user sees (poses, wrenches, parameters) stays in the user's frames; `Node.T_frame` maps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from casadi import SX

from ..arrays import Array
from ..joints import JointType
from ..model import Coupling
from .algebra import (
    Rotation,
    Turn,
    constant,
    constant_turns,
    matrix_of,
    outer_symmetric,
    second_moments,
    symmetric,
)
from .joint_motion import joint_rotation, joint_translation


@dataclass(frozen=True)
class Node:
    """A body of the tree with its joint at the origin of its frame.

    `T_frame` is the pose of this frame in the user's body frame; `R0`, `p0` place the frame in
    the parent's at q = 0; `joint` has its screws in this frame; m, ms, S are mass, first and second moments.
    Lengths are in `unit` metres, and masses so that moments of inertia stay in kg m^2. Placements,
    inertias and the armature may be symbols. `ratio` is 1, or a mimic joint's velocity divided by that
    of the joint that drives it.
    """

    parent: int
    joint: JointType
    iq: int
    iv: int
    T_frame: Array
    R0: Array | SX
    p0: Array | SX
    m: float | SX
    ms: Array | SX
    S: Array | SX
    armature: float | SX
    coupling: Coupling | None
    ratio: float = 1.0
    unit: float = 1.0

    @property
    def X(self) -> Array:
        """The screws of the joint."""
        return self.joint.X

    @property
    def nv(self) -> int:
        """Number of velocities of the joint."""
        return self.joint.nv

    @property
    def velocities(self) -> slice:
        """Where the joint's velocities are in qd."""
        return slice(self.iv, self.iv + self.nv)

    @property
    def screws(self) -> tuple[SX, SX]:
        """The screws of the joint as columns, angular and linear part."""
        return self.Xw, self.Xv

    @property
    def has_armature(self) -> bool:
        """Whether the joint has an armature; a symbol counts as one."""
        return isinstance(self.armature, SX) or self.armature != 0

    @property
    def Xw(self) -> SX:
        """Angular part of the screws."""
        return constant(self.X[:3])

    @property
    def Xv(self) -> SX:
        """Linear part of the screws."""
        return constant(self.X[3:])

    def coordinates(self, q: SX) -> SX:
        """Return the joint's own coordinates out of q."""
        own = q[self.iq : self.iq + self.joint.nq]
        return own if self.coupling is None else self.ratio * own + self.coupling.offset

    def rates(self, qd: SX) -> SX:
        """Return the joint's own velocities (or accelerations, ...) out of qd."""
        own = qd[self.velocities]
        return own if self.coupling is None else self.ratio * own

    def twist(self, qd: SX) -> tuple[SX, SX]:
        """Return the twist (w, v) of the joint, or its derivative, out of qd, qdd, ..."""
        own = self.rates(qd)
        return self.Xw @ own, self.Xv @ own

    def placement(self, q: SX) -> tuple[Rotation, SX]:
        """Return the rotation to the parent frame and the origin's position in it, at q."""
        own = self.coordinates(q)
        turn, p = joint_rotation(self.joint, own), joint_translation(self.joint, own)
        const = constant_turns(self.R0)
        origin = constant(self.p0)
        if p is not None:
            origin = origin + constant(self.R0) @ p
        dense = any(not isinstance(f, Turn) and f.nnz() > 5 for f in const)
        if dense and turn is not None:
            return Rotation([constant(self.R0) @ matrix_of(turn)]), origin
        return Rotation([*const, turn] if turn is not None else const), origin

    def with_phi(self, phi: SX) -> Node:
        """Return the node with the inertia of ten symbols about the user's body frame."""
        xx, xy, xz, yy, yz, zz = (phi[k] for k in range(6))
        R, c = constant(self.T_frame[:3, :3]), constant(self.T_frame[:3, 3])
        m, ms = phi[9], phi[6:9]
        S = second_moments(symmetric(xx, xy, xz, yy, yz, zz))
        # r_user = R r + c, so r = R^T (r_user - c): shift first, then turn.
        shifted = S - outer_symmetric(c, ms - (0.5 * m) * c)
        return replace(self, m=m, ms=R.T @ (ms - m * c), S=R.T @ shifted @ R)
