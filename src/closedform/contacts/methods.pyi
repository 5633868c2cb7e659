"""The forms of a robot with contacts as methods. Written by `make stubs`; do not edit."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..owner import FormsOwner
from .model import ContactModel

class Impact(NamedTuple):
    velocities: Array
    impulses: Array

class InverseDynamics(NamedTuple):
    torques: Array
    forces: Array

class ForwardDynamicsDerivatives(NamedTuple):
    forward_dynamics_dq: Array
    forward_dynamics_dqd: Array
    forward_dynamics_dtau: Array

class ContactForcesDerivatives(NamedTuple):
    contact_forces_dq: Array
    contact_forces_dqd: Array
    contact_forces_dtau: Array

class ContactForms(FormsOwner):
    model: ContactModel
    def __init__(self, model: ContactModel) -> None: ...
    def contact_jacobian(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the velocities of the contacts per velocity of the joints, all rows. Returns (rows, nv)."""
    def contact_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J qdd + J' qd, which vanishes while contacts hold, all rows. Returns (rows)."""
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the accelerations under torques while contacts hold, J qdd + J' qd = 0.

        By the Delassus matrix [Featherstone2008, section 8.5]. tau are the forces of all velocities; those of
        a floating base are zero unless something else pushes it. Contacts hold both ways: whether they should
        let go, `contact_forces` tells. `wrenches`, `friction` and `springs` as for trees. Returns (nv).
        """
    def contact_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the forces of the contacts on the robot under torques, row by row as `row_names`.

        Forces in the axes of the contact, z along its normal, then moments. If rows depend on each other
        (four points of one foot), the forces of least norm that give the same motion. Returns (rows).
        """
    def impact(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> Impact:
        """Return the velocities after contacts are made at once, and the impulses of the contacts.

        M (qd_after - qd) = J^T p with J qd_after = -e J qd and the restitution e [Featherstone2008, section
        11.7]. Returns (nv) and (rows).
        """
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> InverseDynamics:
        """Return torques and contact forces of a motion, the contact forces of least norm.

        The contacts give what joints without torque, such as a floating base, cannot:
        (J^T lambda)_u = (M qdd + C qd + g)_u with the least |lambda|; the other joints give the rest. Returns
        (nv), zero for joints without torque, and (rows).
        """
    def delassus_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J M^-1 J^T of the independent rows: accelerations of contacts per force there.

        Symmetric, and positive definite where the rows are independent [Featherstone2008, section 8.5].
        Returns (independent rows, independent rows).
        """
    def forward_dynamics_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d qdd / dq of forward dynamics while contacts hold. Returns (nv, nv)."""
    def forward_dynamics_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d qdd / dqd of forward dynamics while contacts hold. Returns (nv, nv)."""
    def forward_dynamics_dtau(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d qdd / dtau of forward dynamics while contacts hold, symmetric. Returns (nv, nv)."""
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> ForwardDynamicsDerivatives:
        """Return d qdd / dq, d qdd / dqd and d qdd / dtau while contacts hold, in one evaluation.

        Column h by q is the derivative for a body-frame (right) perturbation of joint h. The last is
        symmetric, M^-1 - M^-1 J^T D^-1 J M^-1 [CarpentierMansard2018]. `wrenches`, `friction` and `springs`
        as in `inverse_dynamics_derivatives` of trees. Returns (nv, nv) three times.
        """
    def contact_forces_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative of `contact_forces` by q. Returns (rows, nv)."""
    def contact_forces_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative of `contact_forces` by qd. Returns (rows, nv)."""
    def contact_forces_dtau(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative of `contact_forces` by tau. Returns (rows, nv)."""
    def contact_forces_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> ContactForcesDerivatives:
        """Return the derivatives of `contact_forces` by q, qd and tau, in one evaluation.

        Forces stay in the axes of their contact. If rows depend on each other, the derivatives are those of
        the forces of least norm. Otherwise as `forward_dynamics_derivatives`. Returns (rows, nv) three times.
        """
