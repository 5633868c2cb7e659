"""The forms as methods of a robot. Written by `python -m closedform.stub`; do not edit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .kernels import Kernel
from .model import Model

Array = NDArray[np.float64]

class FormMethods:
    model: Model
    def __init__(self, model: Model) -> None: ...
    def kernel(
        self,
        name: str,
        frame: str | None = None,
        dtype: DTypeLike = ...,
        order: int | None = None,
    ) -> Kernel:
        """Return the compiled form itself, with its program, operation counts and `bind`."""
    def pose(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 4x4 pose of a frame in the base frame, a product of exponentials.

        C(q) = B_1 exp(X_1 q_1) ... B_i exp(X_i q_i) T_frame [MuellerKumar2021, Eq. (3)].
        """
    def jacobian(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 6 x nv Jacobian J with V = J qd, the body twist (omega; v) of a frame in itself.

        Its columns are Ad^-1 X_j for the joints that carry the frame [MuellerKumar2021, Eqs. (8)-(10)].
        """
    def jacobian_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the frame's Jacobian.

        A column turns with the motion of the frame relative to the body of its joint,
        Jd_j = -ad_V J_j with V the relative twist [Garofalo2013, Eq. (28)]. Returns (6, nv).
        """
    def jacobian_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the frame's Jacobian.

        Jdd_j = -ad_Vd J_j - ad_V Jd_j with the relative twist V and its rate [Garofalo2013, Eq. (29)].
        Returns (6, nv).
        """
    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the centre of mass of all moving bodies in the base frame, (3,)."""
    def com_jacobian(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 3 x nv Jacobian of the centre of mass in the base frame.

        A joint moves the mass it carries with the linear momentum of I_j X_j per unit velocity, so
        column j is R_j f_j / m with f_j the force part of that wrench [Garofalo2013, Eq. (7)].
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
        """Return the joint forces tau = M qdd + C qd + g of a motion.

        With U = dw~ + w~ w~ and the acceleration a of its origin, a body needs the force
        f = m a + U ms and the moment n = ms x a + axial(U S), where S = int r r^T dm: the
        Newton-Euler equations about the frame origin, written on second moments. Gravity enters
        as an upward acceleration of the base. Inputs q (nq), qd, qdd (nv); returns (nv). The
        recursive Newton-Euler algorithm (RNEA), O(n).
        """
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return qdd = M^-1 (tau - C qd - g).

        M is factored as L^T D L from the leaves to the root, which fills in no entry between
        branches [Featherstone2008, section 6.5]. A sample whose M is singular gives NaN or inf in
        its own row. Inputs q (nq), qd, tau (nv); returns (nv).
        """
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the mass matrix M(q), symmetric and positive definite.

        M_ij = X_i . I_j X_j, where I_j is the inertia of body j with all it carries and the wrench
        I_j X_j is moved to the frames of the ancestors i of j; entries of bodies on different
        branches vanish. Equals J^T M J [MuellerKumar2021, Eq. (20)]. Returns (nv, nv). The
        composite-rigid-body algorithm (CRBA).
        """
    def coriolis_matrix(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

        C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
        C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
        On a subtree j with inertia I, flow A = int r' r^T, P = int r' (about the frame of j) and
        for i an ancestor of j,

        C_ij = X_i . (I dX_j + B X_j),   C_ji = dX_i . I X_j + X_i . B^T X_j,
        B (w; v) = ((tr A) w - A w; w x P),   dX = ad_V X.

        The papers' factorisation -MAa - b^T M + M b [MuellerKumar2021] and Eq. (6b) of
        [Garofalo2013] has the same symmetric part and C qd, and another skew part.
        Inputs q (nq), qd (nv); returns (nv, nv).
        """
    def gravity_torque(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return g(q), the joint forces that hold the robot still.

        The first moments of each subtree turn gravity into a moment about its joint:
        g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Returns (nv).
        """
    def external_torque(
        self,
        q: ArrayLike,
        wrenches: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

        The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
        (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
        the opposite sign]. Returns (nv).
        """
    def kinetic_energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return T = qd^T M qd / 2, summed over the bodies from their twists."""
    def potential_energy(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return U = -sum m gravity . c, zero where the centre of mass is at the base origin's height."""
