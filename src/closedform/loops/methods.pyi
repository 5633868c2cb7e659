"""The forms of a robot with loops as methods. Written by `make stubs`; do not edit."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..owner import FormsOwner
from .model import ClosedModel

class LeastSquaresTorque(NamedTuple):
    torques: Array
    residual: Array

class InverseDynamicsDerivatives(NamedTuple):
    inverse_dynamics_dq: Array
    inverse_dynamics_dqd: Array

class GeneralizedForceDerivatives(NamedTuple):
    generalized_force_dq: Array
    generalized_force_dqd: Array

class ForwardDynamicsDerivatives(NamedTuple):
    forward_dynamics_dq: Array
    forward_dynamics_dqd: Array
    forward_dynamics_dtau: Array

class ClosedForms(FormsOwner):
    model: ClosedModel
    def __init__(self, model: ClosedModel) -> None: ...
    def joint_velocities(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the velocities v = G qd of all joints from the independent ones.

        G follows from the loops, B_d G_d = -B_i [JainEmbedding2012]. Returns (all velocities).
        """
    def joint_accelerations(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the accelerations v' = G qdd + G' qd of all joints. Returns (all velocities)."""
    def embedding_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return G with v = G qd: the velocities of all joints per independent velocity.

        Rows of independent joints are those of the identity; the others solve B_d G_d = -B_i
        [JainEmbedding2012]. Returns (all velocities, nv).
        """
    def actuation_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return A, the velocities of the actuated joints per independent velocity.

        Torques of the actuated joints give the generalised forces A^T tau. Returns (actuated, nv).
        """
    def pose(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 4x4 pose of a frame in the base frame."""
    def relative_pose(
        self,
        q: ArrayLike,
        frame: str | None = None,
        relative_to: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 4x4 pose of a frame in another one, or in the base frame."""
    def frame_poses(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the poses of all frames in the base frame, as `frame_names`: (frames, 4, 4)."""
    def body_poses(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the poses of all moving bodies in the base frame, as `body_names`: (bodies, 4, 4)."""
    def jacobian(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 6 x nv Jacobian J with V = J qd, the twist (omega; v) of a frame.

        J = J_tree G: that of the tree over all joints, which the loops move by G. The `reference` is "body",
        "world_aligned" or "world", as for robots without loops.
        """
    def jacobian_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative J_tree' G + J_tree G' of the frame's Jacobian. Returns (6, nv)."""
    def jacobian_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the frame's Jacobian. Returns (6, nv)."""
    def frame_velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the twist V = (omega; v) of a frame, in a `reference` as for trees. Returns (6,)."""
    def frame_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative V' = J qdd + J' qd of a frame's twist. Returns (6,)."""
    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the centre of mass of all moving bodies in the base frame. Returns (3,)."""
    def com_jacobian(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the map from qd to the velocity of the centre of mass, J_tree G. Returns (3, nv)."""
    def com_velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the velocity of the centre of mass in the base frame. Returns (3,)."""
    def com_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the acceleration of the centre of mass in the base frame. Returns (3,)."""
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
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the torques of the actuated joints in a motion.

        The forces tau of all joints of the tree, as if each were driven, do the virtual work of G^T tau along
        the independent coordinates [JainEmbedding2012]. The actuated joints, moving with A qd, do the same
        with A^T tau_a = G^T tau. If there are more of them than degrees of freedom, tau_a is the one of least
        norm, and `actuation_nullspace` gives the others. If nobody drives some degrees of freedom, no torques
        give every motion: see `generalized_force`. Returns (actuated).

        `wrenches`, `reference`, `friction` and `springs` as for trees; joints that are not driven have
        friction and springs too.
        """
    def generalized_force(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the generalised forces M qdd + C qd + g of a motion, as if all independent joints drove.

        G^T tau with the forces tau of all joints of the tree [JainEmbedding2012], whoever drives: torques of
        the actuated joints give the motion if A^T tau_a is equal to them. `wrenches`, `reference`, `friction`
        and `springs` as in `inverse_dynamics`. Returns (nv).
        """
    def least_squares_torque(
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
    ) -> LeastSquaresTorque:
        """Return torques of the actuated joints that come nearest to a motion, and what they leave.

        f = A^T tau + residual with the least |residual| and, of these, the least |tau|, for any set of
        actuated joints. The residual, generalised forces that nobody gives, vanishes if the motion is
        possible: then torques are those of the motion. If the actuated joints are some of the independent
        ones, torques are their generalised forces, and the residual those of the others. Returns (actuated)
        and (nv).
        """
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
        """Return the accelerations of the independent coordinates under torques of the actuated joints.

        G^T M G qdd = A^T tau - h with the bias h = G^T (M G' qd + C v + g) [JainEmbedding2012]: no constraint
        force is needed. `wrenches`, `friction` and `springs` as in `inverse_dynamics`. Returns (nv).
        """
    def drive_torque(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the torques of the actuated joints in a motion, friction and springs of all joints included.

        `inverse_dynamics` with `friction=True` and `springs=True`. Returns (actuated).
        """
    def bias_force(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return C qd + g, the generalised forces of a motion without accelerations. Returns (nv)."""
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the mass matrix G^T M G of the independent coordinates, symmetric and positive definite.

        Returns (nv, nv).
        """
    def mass_matrix_inverse(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the inverse of the mass matrix. Returns (nv, nv)."""
    def coriolis_matrix(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the Coriolis matrix G^T (M G' + C_tree G), for which Mdot - 2 C is skew-symmetric.

        Mdot - 2 C = G'^T M G - G^T M G' + G^T (M_tree' - 2 C_tree) G, and both parts are skew if the
        `factorisation` of the tree's is. Returns (nv, nv).
        """
    def gravity_torque(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the generalised forces G^T g that hold the mechanism still. Returns (nv)."""
    def external_torque(
        self,
        q: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the generalised forces G^T J^T W of wrenches that the environment applies to the bodies.

        Wrenches as for robots without loops. Returns (nv).
        """
    def kinetic_energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the kinetic energy of all bodies."""
    def potential_energy(
        self,
        q: ArrayLike,
        *,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the potential energy of all bodies, with `springs=True` that of all joints' springs too."""
    def constraint_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the forces lambda that the loops transmit in a motion, one per independent row.

        M v' + C v + g = tau + B^T lambda over all joints of the tree; the dependent rows of it give lambda.
        Row by row they are forces and moments on frame B from frame A, in the axes of A; the rows are
        `robot.row_names`. If nobody drives some degrees of freedom, a motion that torques give has these
        torques; what else a motion needs acts at the independent joints. Returns (rows).
        """
    def actuation_nullspace(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return an orthonormal basis N of torques of the actuated joints that move nothing, A^T N = 0.

        inverse_dynamics(...) + N s for any s drives the same motion: preload of redundant actuators.
        Returns (actuated, actuators beyond the degrees of freedom that they move).
        """
    def inverse_dynamics_rates(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *derivatives: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike | Mapping[str, ArrayLike],
    ) -> tuple[Array, ...]:
        """Return (tau, tau', tau'', ...), the torques of the actuated joints and their time derivatives.

        From q, qd, qdd, qddd, ... of the independent joints: as many derivatives of tau as the motion has
        beyond qdd. All joints' rates follow from the loops, those of the tree's joint forces from the
        Newton-Euler recursion on series [MuellerKumar2021, Eqs. (28), (38)], and A^T tau_a = G^T tau is
        differentiated by Leibniz' rule. The second derivative is the feedforward of elastic drives. Each is
        (actuated).
        """
    def generalized_force_rates(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *derivatives: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike | Mapping[str, ArrayLike],
    ) -> tuple[Array, ...]:
        """Return `generalized_force` and its time derivatives, as many as the motion has beyond qdd.

        Each is (nv).
        """
    def mass_matrix_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the mass matrix. Returns (nv, nv)."""
    def mass_matrix_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the mass matrix. Returns (nv, nv)."""
    def coriolis_matrix_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the Coriolis matrix. Returns (nv, nv)."""
    def coriolis_matrix_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the Coriolis matrix. Returns (nv, nv)."""
    def gravity_torque_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the gravity forces. Returns (nv)."""
    def gravity_torque_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the gravity forces. Returns (nv)."""
    def external_torque_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        wrenches_dot: ArrayLike | Mapping[str, ArrayLike],
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of G^T J^T W for wrenches and their rates. Returns (nv)."""
    def external_torque_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        wrenches_dot: ArrayLike | Mapping[str, ArrayLike],
        wrenches_ddot: ArrayLike | Mapping[str, ArrayLike],
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of G^T J^T W for wrenches and their rates. Returns (nv)."""
    def mass_matrix_rates(
        self,
        q: ArrayLike,
        *derivatives: ArrayLike,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (M, M', M'', ...) of G^T M_tree G, as many derivatives as of q. Each is (nv, nv)."""
    def coriolis_matrix_rates(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *derivatives: ArrayLike,
        factorisation: str = "christoffel",
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (C, C', C'', ...) of G^T (M G' + C_tree G), as many derivatives as the motion has beyond qd.

        Each is (nv, nv).
        """
    def gravity_torque_rates(
        self,
        q: ArrayLike,
        *derivatives: ArrayLike,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (g, g', g'', ...) of G^T g_tree, as many derivatives as of q. Each is (nv)."""
    def external_torque_rates(
        self,
        q: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        *derivatives: ArrayLike | Mapping[str, ArrayLike],
        reference: str | None = None,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike | Mapping[str, ArrayLike],
    ) -> tuple[Array, ...]:
        """Return G^T J^T W with its time derivatives, from q, qd, ... and then W, W', ... Each is (nv)."""
    def jacobian_rates(
        self,
        q: ArrayLike,
        *derivatives: ArrayLike | str | None,
        frame: str | None = None,
        reference: str | None = None,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (J, J', J'', ...), the Jacobian of a frame along a motion and its time derivatives.

        From q, qd, qdd, ...: as many derivatives of J = J_tree G as of q, by Leibniz' rule. Each is (6, nv).
        """
    def mass_matrix_dq(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dM / dq, entry [i, j, h] = dM_ij / dq_h. Returns (nv, nv, nv)."""
    def coriolis_matrix_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dq, entry [i, j, h] = dC_ij / dq_h. Returns (nv, nv, nv)."""
    def coriolis_matrix_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dqd, entry [i, j, h] = dC_ij / dqd_h. Returns (nv, nv, nv)."""
    def gravity_torque_dq(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dg / dq, the Hessian of the potential energy for one-dof joints. Returns (nv, nv)."""
    def inverse_dynamics_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d tau / dq of inverse dynamics. Returns (actuated, nv)."""
    def inverse_dynamics_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d tau / dqd of inverse dynamics. Returns (actuated, nv)."""
    def generalized_force_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative of `generalized_force` by q. Returns (nv, nv)."""
    def generalized_force_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrenches: ArrayLike | Mapping[str, ArrayLike] | None = None,
        reference: str | None = None,
        friction: bool = False,
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative of `generalized_force` by qd. Returns (nv, nv)."""
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
        """Return d qdd / dq of forward dynamics. Returns (nv, nv)."""
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
        """Return d qdd / dqd of forward dynamics. Returns (nv, nv)."""
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
        """Return d qdd / dtau of forward dynamics, M^-1 A^T. Returns (nv, actuated)."""
    def inverse_dynamics_derivatives(
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
    ) -> InverseDynamicsDerivatives:
        """Return d tau / dq and d tau / dqd of inverse dynamics in one evaluation.

        Column h is the derivative along a unit velocity h, all joints moving as the loops say; for one-dof
        joints that is d / dq_h. Returns (actuated, nv) twice.
        """
    def generalized_force_derivatives(
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
    ) -> GeneralizedForceDerivatives:
        """Return the derivatives of `generalized_force` by q and qd together. Returns (nv, nv) twice."""
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
        """Return d qdd / dq, d qdd / dqd and d qdd / dtau in one evaluation.

        With the generalised forces f(q, qd, qdd) of a motion, M d qdd = A^T d tau + d(A^T tau - f), the last
        at constant qdd and tau [CarpentierMansard2018]. Returns (nv, nv) twice and (nv, actuated).
        """
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Y with tau = Y phi for inverse dynamics of the actuated joints, without rotor inertias.

        `generalized_force_regressor`, turned into torques of the actuated joints as in `inverse_dynamics`.
        Returns (actuated, 10 bodies).
        """
    def generalized_force_regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Y with A^T tau = Y phi, the generalised forces of a motion, without rotor inertias.

        G^T Y_tree over all bodies of the tree [Garofalo2013, Eq. (16)]. Returns (nv, 10 bodies).
        """
    def slotine_li_regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdr: ArrayLike,
        qddr: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Y with M qddr + C qdr + g = Y phi for a reference motion, in generalised forces.

        C is that of `coriolis_matrix` with the same `factorisation`. Returns (nv, 10 bodies).
        """
    def mass_matrix_dphi(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dM / dphi, entry [i, j, h] = dM_ij / dphi_h. Returns (nv, nv, 10 bodies)."""
    def coriolis_matrix_dphi(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dphi, entry [i, j, h] = dC_ij / dphi_h. Returns (nv, nv, 10 bodies)."""
    def gravity_torque_dphi(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dg / dphi. Returns (nv, 10 bodies)."""
    def kinetic_energy_regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the row y with kinetic energy = y . phi, without rotor inertias. Returns (10 bodies)."""
    def potential_energy_regressor(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the row y with potential energy = y . phi. Returns (10 bodies)."""
