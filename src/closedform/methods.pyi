"""The forms of a robot as methods. Written by `make stubs`; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .model import Model
from .owner import FormsOwner

class DynamicMatrices(NamedTuple):
    mass_matrix: Array
    coriolis_matrix: Array
    gravity_torque: Array

class DynamicMatricesDot(NamedTuple):
    mass_matrix: Array
    coriolis_matrix: Array
    gravity_torque: Array
    mass_matrix_dot: Array
    coriolis_matrix_dot: Array
    gravity_torque_dot: Array

class InverseDynamicsDerivatives(NamedTuple):
    inverse_dynamics_dq: Array
    inverse_dynamics_dqd: Array

class ForwardDynamicsDerivatives(NamedTuple):
    forward_dynamics_dq: Array
    forward_dynamics_dqd: Array
    forward_dynamics_dtau: Array

class RobotForms(FormsOwner):
    model: Model
    def __init__(self, model: Model) -> None: ...
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
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 6 x nv Jacobian J with V = J qd, the twist (omega; v) of a frame.

        Its columns are Ad^-1 X_j for the joints that carry the frame [MuellerKumar2021, Eqs. (8)-(10)]. The
        twist is expressed in the `reference`: "body", in the frame itself; "world_aligned", v the velocity
        of the frame's origin, both in base axes; "world", the spatial twist, in base axes about the base
        origin (v is the velocity of the point of the body that is there).
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
        """Return the time derivative of the frame's Jacobian.

        A column changes with the motion of the `reference` relative to the body of its joint,
        Jd_j = -ad_V J_j with V the relative twist [Garofalo2013, Eq. (28)]. It is the derivative of the
        components in the reference. Returns (6, nv).
        """
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
        """Return the second time derivative of the frame's Jacobian.

        Jdd_j = -ad_Vd J_j - ad_V Jd_j with the relative twist V and its rate [Garofalo2013, Eq. (29)], the
        second derivative of the components in the `reference`. Returns (6, nv).
        """
    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the centre of mass of all moving bodies in the base frame, (3,).

        What is fixed to the base does not count, unless nothing moves: then it is all there is.
        """
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
        """Return the twist V = (omega; v) of a frame, J qd, without forming J.

        The `reference` is that of `jacobian`: "body", "world" or "world_aligned". One sweep along the joints
        that carry the frame, V_i = Ad^-1 V_(i-1) + X_i qd_i [MuellerKumar2021, Eq. (8)]. Returns (6,).
        """
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
        """Return the time derivative of the components of a frame's twist, V' = J qdd + J' qd.

        In the references "body" and "world" it is the spatial acceleration, whose linear part is not the
        acceleration of a point; in "world_aligned" it is: p'' of the frame's origin, under omega'. See
        `frame_classical_acceleration`. Returns (6,).
        """
    def frame_classical_acceleration(
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
        """Return (omega'; a) of a frame, a the acceleration in space of a point of its body.

        a = v' + omega x v with the twist and its rate in the reference "body" or "world", where V' is the
        spatial acceleration [Featherstone2008, section 2.11]; a = v' in "world_aligned". The point is the
        frame's origin, in "world" the one at the base origin. An accelerometer in the frame measures a less
        gravity. Returns (6,).
        """
    def bias_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J' qd, the acceleration of a frame while the joints do not accelerate.

        V' = J qdd + J' qd with V' of `frame_acceleration` in the same `reference`. Returns (6,).
        """
    def relative_pose(
        self,
        q: ArrayLike,
        frame: str | None = None,
        relative_to: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 4x4 pose of a frame in another one, inverse(pose(relative_to)) pose(frame).

        Joints that carry both frames take no part. Without `relative_to` the other is the base frame.
        """
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str | None = None,
        relative_to: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 6 x nv Jacobian of a frame's twist (omega; v) as another frame sees it.

        J qd = vee(T^-1 T') with T the `relative_pose`, for the reference "body": the twist of `frame` against
        `relative_to`, in `frame`. In the other references, axes and origin of `relative_to` are what those of
        the base are for `jacobian`. Only the joints between the two frames have columns.
        """
    def relative_jacobian_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        relative_to: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the relative Jacobian of two frames.

        It is that of the components in the `reference`, as for `jacobian_dot`. Returns (6, nv).
        """
    def velocity_map(
        self,
        q: ArrayLike,
        *,
        coordinates: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Gamma with qd = Gamma(q) u for other velocities u, such as rates of Euler angles.

        `coordinates` says what u is: "quaternion_rates", the rates of q itself; "euler_rpy", those of roll,
        pitch and yaw of URDF, or of any sequence such as "euler_zyz"; "world_aligned", angular velocity and
        rate of the position in axes at rest; "mujoco" or "pinocchio", what v is there. In u the equations of
        motion have M* = Gamma^T M Gamma, C* = Gamma^T (C Gamma + M Gamma'), g* = Gamma^T g and
        tau* = Gamma^T tau, and a derivative by Euler angles is that by q times Gamma
        [Garofalo2013, Eq. (33)]. Where Euler angles are singular, the column of the second angle is NaN.
        Returns (nv, nq) of quaternion rates, else (nv, nv).
        """
    def velocity_map_inverse(
        self,
        q: ArrayLike,
        *,
        coordinates: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the map from qd to other velocities u, the left inverse of `velocity_map`.

        u = Gamma^+ qd, Gamma(q) of the paper's remark 7 [Garofalo2013, Eq. (33)]: there w is our qd and the
        rates of Euler angles are its q'. Of quaternion rates it is the matrix E with q' = E(q) qd, and
        Gamma E = 1; of the others it is the inverse. `coordinates` as in `velocity_map`. Returns (nq, nv) of
        quaternion rates, else (nv, nv).
        """
    def velocity_map_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        coordinates: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of Gamma of `velocity_map`, as accelerations need it.

        qdd = Gamma u' + Gamma' u. The derivative along the motion qd. Returns the shape of `velocity_map`.
        """
    def frame_poses(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the poses of all frames in the base frame, in the order of `frame_names`.

        What frames have in common is computed once. Returns (frames, 4, 4).
        """
    def body_poses(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the poses of all moving bodies in the base frame, in the order of `body_names`.

        Each follows from that of the body before it [MuellerKumar2021, Eq. (3)]. Returns (bodies, 4, 4).
        """
    def com_velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the velocity of the centre of mass in the base frame, c' = J_c qd, without forming J_c.

        First moments and their rates are gathered from the leaves to the base. Returns (3,).
        """
    def com_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the acceleration of the centre of mass in the base frame, c'' = J_c qdd + J_c' qd.

        Mass times c'' is the sum of all forces on the robot, gravity and those on its base included.
        Returns (3,).
        """
    def body_center_of_mass(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the centre of mass, in the base frame, of the body that a frame is fixed to.

        What is fixed to the base is one body here. Returns (3,).
        """
    def subtree_center_of_mass(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the centre of mass, in the base frame, of the body of a frame with all it carries.

        Of a frame that is fixed to the base it is that of all moving bodies, as in `center_of_mass`.
        Returns (3,).
        """
    def centroidal_momentum(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the momentum h = (angular; linear) of all moving bodies about their centre of mass.

        The sum of I_i V_i, moved to the centre of mass, in base axes [OrinGoswamiLee2013]; the
        linear part is mass times the velocity of the centre of mass. Equals the centroidal momentum matrix
        times qd, without forming it. Returns (6,).
        """
    def centroidal_momentum_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the rate of the centroidal momentum, h' = A qdd + A' qd.

        It is the wrench of all external forces about the centre of mass, that on the base included
        [OrinGoswamiLee2013]: the sum of what the bodies need by Newton and Euler, in base axes. Returns (6,).
        """
    def centroidal_momentum_matrix(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the 6 x nv matrix A with h = A qd, the centroidal momentum per unit of joint velocity.

        Column j is the momentum I_j X_j of all that joint j carries, moved to the centre of mass
        [OrinGoswamiLee2013]; its last three rows are mass times the Jacobian of the centre of mass.
        """
    def centroidal_momentum_matrix_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative A' of the centroidal momentum matrix: h' = A qdd + A' qd.

        Column j is F_j' + V~ F_j moved to the centre of mass, F_j = I_j X_j with its derivative as body j
        sees it, and V the twist of body j against axes that move with the centre of mass without turning
        [OrinGoswamiLee2013]. Returns (6, nv).
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
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the joint forces tau = M qdd + C qd + g of a motion.

        With U = dw~ + w~ w~ and the acceleration a of its origin, a body needs the force
        f = m a + U ms and the moment n = ms x a + axial(U S), where S = int r r^T dm: the
        Newton-Euler equations about the frame origin, written on second moments. Gravity enters
        as an upward acceleration of the base. Inputs q (nq), qd, qdd (nv); returns (nv). The
        recursive Newton-Euler algorithm (RNEA), O(n).

        `wrenches` W of the environment, each (moment; force), take their part: tau - J^T W. They are
        (bodies, 6), or {frame: (6)}. `reference` is "body" (the frame's axes and origin, default),
        "world_aligned" (the base's axes, the frame's origin) or "world" (the base's axes and origin).
        `friction=True` adds `friction_torque`, `springs=True` `spring_torque`.
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
        """Return qdd = M^-1 (tau - C qd - g).

        M is factored as L^T D L from the leaves to the root, which fills in no entry between
        branches [Featherstone2008, section 6.5]. A sample whose M is singular gives NaN or inf in
        its own row. Inputs q (nq), qd, tau (nv); returns (nv).

        `wrenches` of the environment push: M^-1 (tau + J^T W - C qd - g), `friction=True` takes
        `friction_torque` from tau and `springs=True` `spring_torque`; see `inverse_dynamics`.
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
        """Return the joint forces that the drives apply in a motion: dynamics and all that the joints take.

        M qdd + C qd + g + damping qd + friction sign(qd) + drive_offset + stiffness (q - rest): what a log of
        the robot shows, and the feedforward for a motion. Rotor inertias (`armature`) are part of M.
        `inverse_dynamics` with `friction=True` and `springs=True`, and with the part of the links' torques
        that gears lose (`robot.load_friction`); `wrenches` as there. Returns (nv).
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
        """Return C qd + g, the joint forces of a motion without accelerations.

        What forward dynamics takes from tau. `wrenches`, `friction` and `springs` as in `inverse_dynamics`.
        Returns (nv).
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
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

        C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
        C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
        With i an ancestor of j, I the inertia of body j and all it carries, and derivatives as body i
        sees them,

            C_ij = X_i . G_j,   C_ji = X_i . (F_j' - G_j),   F = I X,
            G = int (r x; 1) d/dt (X at r) dm,

        since C + C^T = M' and M'_ij = X_i . F_j'.

        That is the `factorisation` "christoffel". "mueller-kumar" is J^T (-MAa - b^T M + M b) J
        [MuellerKumar2021, Eq. (54)], and "garofalo" the same matrix [Garofalo2013, Eq. (6b)]: another skew
        part. "mueller-kumar-22" is J^T (-MAa - b^T M) J [MuellerKumar2021, Eq. (22)], whose Mdot - 2 C is not
        skew. C qd is the same for all. Inputs q (nq), qd (nv); returns (nv, nv).
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
        g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Equals
        J^T M U G [MuellerKumar2021, Eq. (25)]. Returns (nv).
        """
    def mass_matrix_inverse(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return M^-1, symmetric: the accelerations that unit joint forces give.

        From the factors of `forward_dynamics`. A sample whose M is singular gives NaN or inf in its own
        row. Returns (nv, nv).
        """
    def friction_torque(
        self,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return damping qd + friction sign(qd) + drive_offset, what drives apply against the joints' losses.

        Per velocity, with `robot.damping`, `robot.friction` and `robot.drive_offset`, and what
        `with_friction_curve` adds: smooth friction tanh(qd / speed), Stribeck friction and |qd| by direction.
        Of a ball or free joint each of its velocities has all. sign(0) is 0: a joint at rest has no dry
        friction here. Returns (nv).
        """
    def spring_torque(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return stiffness (q - rest), the joint forces that hold the joints' springs at q.

        Of joints of one degree of freedom, with `robot.stiffness` and `robot.spring_rest`; others have no
        springs. Returns (nv).
        """
    def external_torque(
        self,
        q: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

        The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
        (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
        the opposite sign]. Returns (nv).

        Or {frame: (6)}. `reference` is "body" (the frame's axes and origin, default), "world_aligned"
        (the base's axes, the frame's origin) or "world" (the base's axes and origin).
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
        springs: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return U = -sum m gravity . c, zero where the centre of mass is at the base origin's height.

        `springs=True` adds the energy of the joints' springs, stiffness (q - rest)^2 / 2.
        """
    def task_inertia(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        rows: str | Sequence[str] | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Lambda = (J M^-1 J^T)^-1, the inertia that a frame shows to wrenches at it.

        [Khatib1987] for robots of any number of joints; `reference` and `rows` as in
        `task_inertia_inverse`. A robot that cannot move its frame in all rows is refused; at a
        singularity of J the entries are huge, inf or NaN in that sample. Symmetric (t, t).
        """
    def task_inertia_inverse(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        rows: str | Sequence[str] | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J M^-1 J^T, the accelerations of a frame that unit wrenches at it give.

        J is the `jacobian` of the same frame and `reference`, its rows (omega; v); `rows` selects some
        of them: "position", "orientation", or names such as ("x", "z", "ry"). It exists in every posture
        of every robot, and is singular if J is. Symmetric (t, t), t = 6 or the number of rows.
        """
    def dynamically_consistent_inverse(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        rows: str | Sequence[str] | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return Jbar = M^-1 J^T Lambda, the inverse of J whose motion has the least kinetic energy.

        J Jbar = 1, and torques with Jbar^T tau = 0 do not accelerate the frame [Khatib1987]. `reference`
        and `rows` as in `task_inertia`, which says when it exists. Returns (nv, t).
        """
    def nullspace_projector(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        rows: str | Sequence[str] | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return N = 1 - Jbar J, which takes from joint velocities all that moves the frame.

        J N = 0. For joint torques take its transpose: N^T tau does not accelerate the frame, since
        J M^-1 N^T = 0 [Khatib1987]. `reference` and `rows` as in `task_inertia`, which says when it
        exists. Returns (nv, nv).
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
        """Return (tau, tau', tau'', ...), the joint forces of a motion and their time derivatives.

        From q, qd, qdd, qddd, ...: as many derivatives of tau as the motion has beyond qdd. The
        Newton-Euler recursion runs on series of derivatives as each body sees them.
        tau' = M qddd + (M' + C) qdd + C' qd + g' [MuellerKumar2021, Eq. (28)], and so on
        to any order. Each is (nv).

        Wrenches, as in `inverse_dynamics`, come with their derivatives `wrenches_dot`, `wrenches_ddot`,
        `wrenches_3`, ... in the axes of `reference`. Dry friction has no derivative.
        """
    def mass_matrix_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the mass matrix.

        M'_ij = X_i . F_j' as body i sees it; see `mass_matrix_rates`. Equals J^T M1 J
        [MuellerKumar2021, Eq. (29)] and C + C^T. Returns (nv, nv).
        """
    def mass_matrix_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the mass matrix.

        M''_ij = X_i . F_j'' as body i sees it; equals J^T M2 J [MuellerKumar2021, Eq. (40)].
        Returns (nv, nv).
        """
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
        """Return the time derivative of the Coriolis matrix.

        C'_ij = X_i . G_j' and C'_ji = X_i . (F_j'' - G_j') as body i sees them.
        Equals J^T C1 J [MuellerKumar2021, Eqs. (31)-(34)] for the block matrix of the
        `factorisation`, as in `coriolis_matrix`. Returns (nv, nv).
        """
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
        """Return the second time derivative of the Coriolis matrix.

        C''_ij = X_i . G_j'' and C''_ji = X_i . (F_j''' - G_j'') as body i sees them; equals J^T C2 J
        [MuellerKumar2021, Eqs. (45)-(50)] for the block matrix of the `factorisation`, as in
        `coriolis_matrix`. Returns (nv, nv).
        """
    def gravity_torque_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of the gravity torques.

        g_i' = X_i . (ms' x a + ms x a'; m a') with derivatives as body i sees them: a' = a x w.
        Equals J^T M1 U G [MuellerKumar2021, Eq. (36)]. Returns (nv).
        """
    def gravity_torque_ddot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the second time derivative of the gravity torques.

        Leibniz' rule on X_i . (ms x a; m a); equals J^T M2 U G [MuellerKumar2021]. Returns (nv).
        """
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
        """Return the time derivative of J^T W for wrenches W and their rates in the body frames.

        Wrenches change as their bodies see them; seen from across a joint of twist v, F' gains v x F.
        Equals J^T (W' - (Aa)^T W) [MuellerKumar2021, Eq. (37)]. Returns (nv).

        Wrenches of frames and in other axes as in `external_torque`; rates are in the same axes.
        """
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
        """Return the second time derivative of J^T W for wrenches and their rates in the body frames.

        The rule of the first derivative twice [MuellerKumar2021, Eq. (53)]. Returns (nv). Wrenches of
        frames and in other axes as in `external_torque_dot`.
        """
    def dynamic_matrices(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> DynamicMatrices:
        """Return M, C and g of the equations of motion in one evaluation.

        M' comes on the way to C, whose wrenches hold those of M. Returns (nv, nv), (nv, nv), (nv).
        """
    def dynamic_matrices_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> DynamicMatricesDot:
        """Return M, C, g and their time derivatives in one evaluation.

        C' adds one derivative of what each body carries and of two wrenches. Returns M, C, g, M', C', g'.
        """
    def mass_matrix_rates(
        self,
        q: ArrayLike,
        *derivatives: ArrayLike,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (M, M', M'', ...), the mass matrix of a motion and its time derivatives.

        From q, qd, qdd, ...: as many derivatives of M as of q. M_ij^(k) = X_i . F_j^(k) with F = I X,
        derivatives being those that body i sees: X_i is at rest in its frame. Each is (nv, nv).
        """
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
        """Return (C, C', C'', ...), the Coriolis matrix of a motion and its time derivatives.

        From q, qd, qdd, ...: as many derivatives of C as the motion has beyond qd.
        C_ij^(k) = X_i . G_j^(k) and C_ji^(k) = X_i . (F_j^(k + 1) - G_j^(k)) for i an ancestor of j, with
        F and G of `coriolis_matrix` as body i sees them; `factorisation` as there. Each is (nv, nv).
        """
    def gravity_torque_rates(
        self,
        q: ArrayLike,
        *derivatives: ArrayLike,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (g, g', g'', ...), the gravity torques of a motion and their time derivatives.

        From q, qd, qdd, ...: as many derivatives of g as of q. Leibniz' rule on
        g_i = X_i . (ms x a; m a) as body i sees it, where a' = a x w. Each is (nv).
        """
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
        """Return J^T W with its time derivatives, W being the wrenches of the bodies in their frames.

        From q, qd, ... and then W, W', ...: as many derivatives of the wrenches as of q. The rule of
        `external_torque_dot`, applied once per order. Each is (nv). Wrenches of frames and in other axes
        as in `external_torque_dot`.
        """
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

        From q, qd, qdd, ...: as many derivatives of J as of q. Column j changes with the twist V of the
        reference relative to the body of joint j, J_j' = -ad_V J_j [Garofalo2013, Eq. (28)]; J_j^(k + 1)
        follows by Leibniz' rule, and V is a sum of J qd over the joints between. Each is (6, nv).
        """
    def mass_matrix_dq(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dM / dq, entry [i, j, h] the derivative of M_ij along joint velocity h.

        That is the derivative for a body-frame (right) perturbation of joint h, T -> T exp(X_h s), by s
        at 0 [Garofalo2013, Eq. (24)]. Returns (nv, nv, nv).
        """
    def coriolis_matrix_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dq, entry [i, j, h] the derivative of C_ij along joint velocity h.

        The perturbation of joint h is a body-frame (right) one, T -> T exp(X_h s). With the `factorisation`
        "garofalo" it is [Garofalo2013, Eq. (24b)]. Returns (nv, nv, nv).
        """
    def coriolis_matrix_dqd(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dqd, constant in qd: for one-dof joints the Christoffel symbols.

        Entry [i, j, h] = (dM_ij/dq_h + dM_ih/dq_j - dM_jh/dq_i) / 2 there; for joints of several
        dofs, and for another `factorisation`, C is still linear in qd and is differentiated: for "garofalo"
        [Garofalo2013, Eq. (24c)]. Returns (nv, nv, nv).
        """
    def gravity_torque_dq(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dg / dq, symmetric for one-dof joints: the Hessian of the potential energy.

        The derivatives of inverse dynamics at rest. Returns (nv, nv).
        """
    def external_torque_dq(
        self,
        q: ArrayLike,
        wrenches: ArrayLike | Mapping[str, ArrayLike],
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return d (J^T W) / dq for constant wrenches, by body-frame (right) perturbations of the joints.

        Wrenches and their axes, in which they are constant, as in `external_torque`: a force in the
        base's axes does not turn with its body. Returns (nv, nv).
        """
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
        """Return d tau / dq of inverse dynamics, by body-frame (right) perturbations of the joints.

        Column h is the derivative by s of tau after T -> T exp(X_h s), along a unit velocity h; see
        `inverse_dynamics_derivatives`. Returns (nv, nv).
        """
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
        """Return d tau / dqd of inverse dynamics; see `inverse_dynamics_derivatives`. Returns (nv, nv)."""
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
        """Return d qdd / dq of forward dynamics, by body-frame (right) perturbations of the joints.

        Column h is the derivative by s of qdd after T -> T exp(X_h s). Returns (nv, nv).
        """
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
        """Return d qdd / dtau of forward dynamics, the inverse of the mass matrix. Returns (nv, nv)."""
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

        With the screws P' = ad_{V_p} X and P'' = ad_{A_p} X + ad_{V_p} P' of a joint (V_p, A_p: twist
        and acceleration of its parent, gravity included), the inertia I, flow B and wrench F of a
        subtree, and i an ancestor of j,

            d tau_i / dq_j = X_i . (I_j P''_j + 2 B_j P'_j + X_j x F_j),
            d tau_j / dq_i = P''_i . I_j X_j + 2 P'_i . B_j^T X_j,
            d tau_i / dqd_j = X_i . (I_j (P'_j + X_j') + 2 B_j X_j),
            d tau_j / dqd_i = (P'_i + X_i') . I_j X_j + 2 X_i . B_j^T X_j

        [SinghRussellWensing2022]. Column h of d / dq is the derivative for a body-frame (right) perturbation
        of joint h, T -> T exp(X_h s), by s at 0; for one-dof joints that is d / dq_h. Returns (nv, nv) twice.

        `wrenches` (constant in the axes of their `reference`), `friction` (damping, in d / dqd) and
        `springs` (in d / dq) are as in `inverse_dynamics`. Dry friction adds nothing, at qd = 0 neither.
        """
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
        """Return d qdd / dq, d qdd / dqd and d qdd / dtau = M^-1 in one evaluation.

        d qdd = -M^-1 (d tau / dq dq + d tau / dqd dqd) at the accelerations of forward dynamics
        [CarpentierMansard2018]. Returns (nv, nv) three times.

        `wrenches`, `friction` and `springs` as in `inverse_dynamics_derivatives`.
        """
    def jacobian_dq(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dJ / dq, entry [i, j, h] the derivative of J_ij along joint velocity h.

        dJ_j / dq_h = -ad_(V_h) J_j with V_h what a unit velocity h adds to the twist of the `reference`
        against the body of joint j [Garofalo2013, Eqs. (18), (31)]: J_h in "body" if joint h is nearer to
        the frame than j, -J_h in "world" if it is not. The same array is the derivative of J' by qd
        [Garofalo2013, Eq. (30)]. Returns (6, nv, nv).
        """
    def jacobian_dot_dq(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | None = None,
        *,
        reference: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dJ' / dq at constant qd, entry [i, j, h] the derivative of J'_ij along joint velocity h.

        It is the rate of dJ_j / dq_h, -ad_(V_h') J_j - ad_(V_h) J_j' [Garofalo2013, Eqs. (20), (32)]. For a
        joint of several dofs, derivatives along its velocities do not commute: V_h' there is what the parent
        of the joint sees. The components are those in the `reference`. Returns (6, nv, nv).
        """
    def com_jacobian_dq(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the derivative by q of the Jacobian of the centre of mass, entry [i, j, h] along velocity h.

        If joint h carries joint j, dJ_j / dq_h = w_h x J_j: the column turns with h. dJ_h / dq_j is the same
        vector, since what j moves is at a lever of h. w_h is the angular velocity per unit of velocity h, in
        base axes, and J_j a column [Garofalo2013, Eqs. (7), (31)]. Returns (3, nv, nv).
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
        """Return Y with tau = Y phi for inverse dynamics without rotor inertias.

        Y = J^T (A(V' + G) - ad_V^T A(V)) over all bodies [Garofalo2013, Eqs. (8), (16)] with the
        parameters about the body frame origins, `robot.phi`. Returns (nv, 10 bodies).
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
        """Return Y with M qddr + C qdr + g = Y phi for a reference motion, without rotor inertias.

        C is that of `coriolis_matrix` with the same `factorisation`; passivity-based adaptive control needs
        one with Mdot - 2 C skew-symmetric. With "garofalo" it is that of [Garofalo2013, Eqs. (15), (16)].
        Returns (nv, 10 bodies).
        """
    def mass_matrix_dphi(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dM / dphi, entry [i, j, h] = J_i . A(J_j) column h [Garofalo2013, Eq. (13a)].

        Returns (nv, nv, 10 bodies).
        """
    def coriolis_matrix_dphi(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dC / dphi for the Christoffel or another `factorisation` of `coriolis_matrix`.

        Entry [i, j, h] = J_i . (A(Jd_j) + c(V) J_j) column h. For "garofalo" that is
        [Garofalo2013, Eq. (13b)], corrected: its second Jacobian is a rate. Returns (nv, nv, 10 bodies).
        """
    def gravity_torque_dphi(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return dg / dphi: g = (dg / dphi) phi [Garofalo2013, Eq. (13c)]. Returns (nv, 10 bodies)."""
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
    def block_X(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return X, the screws of all joints in their body frames, which do not depend on q.

        Block-diagonal for a serial arm [MuellerKumar2021, Eqs. (4), (10)]; a joint of k dofs has k columns, a
        mimic joint's screw is in the column of the joint that drives it. Returns (6 bodies, nv).
        """
    def block_D(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return D(q), which takes each body's twist from its parent's: V = D V + X qd.

        Blocks Ad_C(i, p), p the parent of body i [MuellerKumar2021, Eqs. (11), (17)]. Returns (6 bodies,
        6 bodies).
        """
    def block_A(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return A(q) = (1 - D)^-1, block-triangular with blocks Ad_C(i, j) for j that carry i.

        [MuellerKumar2021, Eqs. (10), (16)]. Returns (6 bodies, 6 bodies).
        """
    def block_J(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J(q) = A X, the Jacobians of all bodies one below the other: V = J qd.

        [MuellerKumar2021, Eq. (9)]. Returns (6 bodies, nv).
        """
    def block_U(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return U(q), which takes a twist of the base frame to all bodies: Ad of the inverse of each pose.

        [MuellerKumar2021, Eq. (26)]. Returns (6 bodies, 6).
        """
    def block_a(
        self,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return a(qd) = diag(qd_i ad_Xi), the joints' own twists as matrices.

        Of qdd and qddd it gives a' and a'' [MuellerKumar2021, Eqs. (13), (14)]. Returns (6 bodies, 6 bodies).
        """
    def block_V(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return V = J qd, the twists of all bodies in their own frames.

        [MuellerKumar2021, Eq. (8)]. Returns (6 bodies).
        """
    def block_V_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return V' = J qdd - A a V, the time derivatives of the twists of all bodies.

        [MuellerKumar2021, Eq. (15)]; a V = a D V for every joint, since a X qd = 0. Returns (6 bodies).
        """
    def block_b(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return b(V) = diag(ad_V1, ad_V2, ...) of the twists V of all bodies.

        [MuellerKumar2021, Eq. (23)]. Returns (6 bodies, 6 bodies).
        """
    def block_A_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return A' = A a - A a A [MuellerKumar2021, Eqs. (18), (19), corrected: the print lacks the dot].

        Returns (6 bodies, 6 bodies).
        """
    def block_J_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return J' = -A a J, for joints of several dofs A a X - A a J.

        [MuellerKumar2021, Eq. (12), corrected: the print lacks the dot]. Returns (6 bodies, nv).
        """
    def block_M(
        self,
        q: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return M = diag(M_1, M_2, ...), the inertia matrices of all bodies, which do not depend on q.

        Each about the origin of its body frame [MuellerKumar2021, Eqs. (21), (24)]. Returns (6 bodies,
        6 bodies).
        """
    def block_M1(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return M1 with M' = J^T M1 J: -MAa - (MAa)^T for one-dof joints.

        [MuellerKumar2021, Eqs. (29), (30)]. Returns (6 bodies, 6 bodies).
        """
    def block_M2(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return M2 with M'' = J^T M2 J.

        For one-dof joints -MAa' - (.)^T + 2 MAaAa + 2 (.)^T + 2 (Aa)^T MAa - MAaa - (.)^T
        [MuellerKumar2021, Eqs. (39)-(44), corrected: (43) begins with M1(q, qdd)]. Returns (6 bodies,
        6 bodies).
        """
    def block_C(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the block matrix C with J^T C J the Coriolis matrix.

        -MAa + c for one-dof joints, with c of the `factorisation`: -b^T M for "mueller-kumar-22"
        [MuellerKumar2021, Eq. (22)], M b - b^T M for "mueller-kumar" [MuellerKumar2021, Eq. (54)]; see
        `coriolis_matrix`. Returns (6 bodies, 6 bodies).
        """
    def block_C_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the time derivative of `block_C`: C(q, qdd, V') + MAaAa - MAaa for one-dof joints.

        [MuellerKumar2021, Eq. (33), corrected: MAaAa - MAaa - MAa' - b'^T M]. Returns (6 bodies, 6 bodies).
        """
    def block_C_ddot(
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
        """Return the second time derivative of `block_C`.

        For one-dof joints C(q, qddd, V'') + MAa'Aa + 2 MAaAa' - 2 MAaAaAa + 2 MAaAaa - 3 MAaa' - MAaaa
        + MAaaAa [MuellerKumar2021, Eqs. (48), (49), corrected]. Returns (6 bodies, 6 bodies).
        """
    def block_C1(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        factorisation: str = "christoffel",
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return C1 with C' = J^T C1 J: C' - C A a - (A a)^T C in block matrices, for one-dof joints.

        [MuellerKumar2021, Eqs. (32)-(35), corrected: (35) ends with -MAaa]. Returns (6 bodies, 6 bodies).
        """
    def block_C2(
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
        """Return C2 with C'' = J^T C2 J.

        For one-dof joints C'' - 2 C1 Aa - 2 (Aa)^T C1 - 2 (Aa)^T C Aa - C Aa' - (Aa')^T C - C Aaa - (Aaa)^T C
        [MuellerKumar2021, Eqs. (46), (47), (50), (51), corrected]. Returns (6 bodies, 6 bodies).
        """
