"""The forms of a flexible arm as methods. Written by `make stubs`; do not edit."""

from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..owner import FormsOwner
from .model import ArmModel

class StateMatrices(NamedTuple):
    A: Array
    B: Array

class ArmForms(FormsOwner):
    model: ArmModel
    def __init__(self, model: ArmModel) -> None: ...
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the inertia matrix B(q), of first order in the deflections unless the arm is exact.

        From the kinetic energy (8)-(11) with the kinematics (1)-(7) of [DeLucaSiciliano1991]; for two
        links of two modes these are the coefficients (32). Input q (N); returns (N, N).
        """
    def coriolis_torque(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the Coriolis and centrifugal forces h(q, qd), by the Christoffel symbols of B.

        h = Bdot qd - grad_q (qd^T B qd / 2) [DeLucaSiciliano1991, Eqs. (23), (26)]. Of the printed
        coefficients (34), five are misprinted: h107, h117, h118, h412, h413. Returns (N).
        """
    def coriolis_matrix(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the Christoffel matrix C with C qd = h and Bdot - 2 C skew-symmetric.

        C = (Bdot + G - G^T) / 2 with G = d(B qd)/dq. Returns (N, N).
        """
    def gravity_torque(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the forces g(q) that hold the arm against gravity, the gradient of its potential.

        The positions are of first order in the deflections unless the arm is exact. Returns (N).
        """
    def kinetic_energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the kinetic energy T = qd^T B qd / 2, without products of deflections unless exact.

        The sum (8)-(11) of [DeLucaSiciliano1991] over hubs, links and payload. To first order it is
        sum_k T_k + sum_{k<l} (P_l N_k cos + (Q_l N_k - P_l R_k) sin) of the angle from link k to link
        l, with the amplitudes above and T_k a constant form of the rates of link k.
        """
    def potential_energy(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the energy of bending q^T K q / 2 and of gravity, zero at the base's height.

        The integrals of [DeLucaSiciliano1991, Eq. (13)] over the modes; gravity is added.
        """
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the generalised forces B qdd + h + D qd + K q + g that a motion takes.

        The last entries, those of the modes, are zero along any motion that torques at the joints
        can make. Returns (N).
        """
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        u: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return qdd = B^-1 (Q u - h - D qd - K q - g) for joint torques u, Q = [I 0]^T.

        By the Cholesky factors of B: a sample whose B is not positive definite gives NaN in its own
        row, which happens to the linearised B at large deflections. Inputs q, qd (N), u (n);
        returns (N).
        """
    def state_matrices(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        u: ArrayLike,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> StateMatrices:
        """Return the matrices A (2N, 2N) and B (2N, n) of x' = A x + B u about a state, x = (q, qd)."""
    def tip_position(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the position (x, y) of the arm's tip in the base frame, r_{n+1} of (2)."""
    def tip_angle(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the direction of the arm's tip: joint angles plus tip slopes, as (4) has their rates."""
    def tip_jacobian(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the matrix (2, N) that maps qd to the velocity of the tip."""
    def tip_jacobian_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the rate (2, N) of the tip's Jacobian: the tip's acceleration is J qdd + Jdot qd."""
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Y(q, qd, qdd) with B qdd + h + D qd + K q + g = Y p, p the arm's `parameters`.

        The equations are linear in link masses, moments v, w, z, hubs, payload, stiffnesses and
        damping once lengths and mode shapes are known [DeLucaSiciliano1991, section VIII].
        """
