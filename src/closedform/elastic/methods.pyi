"""The forms of an elastic-joint robot as methods. Written by `make stubs`; do not edit."""

from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..owner import FormsOwner
from .catalogue import ElasticModel

class ForwardDynamics(NamedTuple):
    qdd: Array
    thetadd: Array

class MotorMotion(NamedTuple):
    theta: Array
    thetad: Array
    thetadd: Array

class LinkDerivatives(NamedTuple):
    qdd: Array
    qddd: Array

class SpringLinks(NamedTuple):
    q: Array
    qd: Array

class LoadedLinkDerivatives(NamedTuple):
    qdd: Array
    qddd: Array

class MomentumBalance(NamedTuple):
    p: Array
    pd: Array

class ElasticForms(FormsOwner):
    model: ElasticModel
    def __init__(self, model: ElasticModel) -> None: ...
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        u: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> ForwardDynamics:
        """Return (qdd, thetadd), the accelerations of links and motors under motor torques u.

        theta'' = M_G^-1 (u - K dq - D dq' - f_m), q'' = M^-1 (N^-1 (K dq + D dq') - C q' - g - f_l)
        [Grimm1990, Eqs. (1)-(2)].
        """
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        q4: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques of a link motion.

        u = M_G theta'' + N tau + f_m, which is M_G K^-1 N tau'' + N tau + M_G N^-1 q'' for constant
        stiffness and no friction [BuondonnoDeLuca2015]. Needs springs without damping.
        """
    def motor_motion(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        q4: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> MotorMotion:
        """Return (theta, thetad, thetadd), the motor motion that makes the links move as given.

        The spring carries the link torque, K dq = N tau, so with tau, tau', tau'' by second-order
        inverse dynamics dq = K^-1 N tau, K dq' = N tau' - K' dq, K dq'' = N tau'' - 2 K' dq' - K'' dq,
        and theta = N^-1 q + dq. Each is (nv). Needs springs without damping.
        """
    def link_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> LinkDerivatives:
        """Return (qdd, qddd), acceleration and jerk of the links, which the state determines.

        q'' = M^-1 (N^-1 K dq - C q' - g), q''' = M^-1 (N^-1 (K dq' + K' dq) - M' q'' - (C q')' - g').
        Needs springs without damping, or u would enter the jerk.
        """
    def energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the energy of links, motors and springs.

        E = (q'^T M q' + theta'^T M_G theta' + dq^T K dq) / 2 + U(q).
        """
    def state_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        u: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the rate of the state (q, qd, theta, thetad) as one column, (4 nv).

        x' = (q', q'', theta', theta'') by `forward_dynamics` [Grimm1990, Eqs. (1)-(2)].
        """
    def spring_torque(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return K dq + D dq', the torques of the springs at the shafts; N^-1 times as much moves the links.

        dq = theta - N^-1 q [Grimm1990, Eqs. (1)-(2)].
        """
    def decoupling(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        s: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques under which the links move with q'''' = s, or q''' = s if damped.

        Without damping of the springs u = M_G K^-1 N (M s + n) + K dq + M_G N^-1 q'' [Grimm1990, Eq. (3)],
        with n = M'' q'' + 2 M' q''' + (C q')'' + g'': M s + n is the second-order inverse dynamics
        at q'''' = s, one recursion. With damping D the torque enters the jerk already, and
        u = M_G (D^-1 (N tau' - K dq') + N^-1 q'') + K dq + D dq' with tau' at q''' = s leaves the
        wind-up dq' to die out with the rate K/D by itself. Friction of links and motors is
        compensated, and so are known rates of the stiffness.
        """
    def decoupling_matrix(
        self,
        q: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the matrix H of nonlinear decoupling u = H s + h.

        H = M_G K^-1 N M [Grimm1990, Eq. (4)]. Returns (nv, nv). Needs springs without damping.
        """
    def decoupling_bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the vector h of nonlinear decoupling u = H s + h.

        h = -H Psi - P (c + g) + (P N^-1 + I) K dq [Grimm1990, Eq. (5)], with Psi = -M^-1 n and
        P = M_G N^-1 M^-1, which the print does not define; n is that of `decoupling`. It is the motor
        torque at s = 0 and is computed so. Needs springs without damping.
        """
    def decoupling_law(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        q_d: ArrayLike,
        qd_d: ArrayLike,
        qdd_d: ArrayLike,
        qddd_d: ArrayLike,
        q4_d: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques of decoupling with error feedback along a wanted motion.

        u = H s + h with s = q_d'''' + k_4 (q_d''' - q''') + ... + k_1 (q_d - q) [Grimm1990, Eq. (3)];
        acceleration and jerk of the links follow from the state. `gains` are k_1 to k_4 as rows. With damped
        springs s = q_d''' + k_3 (q_d'' - q'') + k_2 (q_d' - q') + k_1 (q_d - q), see `decoupling`; neither
        q_d'''' nor k_4 counts.
        """
    def staged_law(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        q_d: ArrayLike,
        qd_d: ArrayLike,
        qdd_d: ArrayLike,
        qddd_d: ArrayLike,
        q4_d: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques of decoupling in stages: links first, then the torques of their springs.

        The outer loop asks for the acceleration a = q_d'' + k_2 (q_d' - q') + k_1 (q_d - q) and thus for the
        spring torque z_d = N (M a + C q' + g); the inner loop lets the error of z = K dq obey
        e'' + k_4 e' + k_3 e = 0 with u = M_G (K^-1 w + N^-1 q'') + z and
        w = z_d'' + k_4 (z_d' - z') + k_3 (z_d - z). Nonlinearities are compensated where they act, as in the
        stages of [Grimm1990, Sec. I]. `gains` are k_1 to k_4 as rows. With damped springs the motor torque
        enters z' already and the inner loop is of first order, e' + k_3 e = 0; neither q_d'''' nor k_4
        counts.
        """
    def feedforward_law(
        self,
        theta: ArrayLike,
        thetad: ArrayLike,
        q_d: ArrayLike,
        qd_d: ArrayLike,
        qdd_d: ArrayLike,
        qddd_d: ArrayLike,
        q4_d: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques of the wanted link motion with PD feedback of the motors.

        u = M_G K^-1 N tau'' + N tau + M_G N^-1 q_d'' + M_G (k_2 (theta_d' - theta') + k_1 (theta_d - theta)),
        tau'' by second-order inverse dynamics of the wanted motion [BuondonnoDeLuca2015]. `gains` are k_1 and
        k_2 as rows. Needs springs without damping.
        """
    def static_feedforward_law(
        self,
        theta: ArrayLike,
        thetad: ArrayLike,
        q_d: ArrayLike,
        qd_d: ArrayLike,
        qdd_d: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the motor torques of feedforward that knows tau, but neither tau' nor tau''.

        u = N tau + M_G N^-1 q_d'' + M_G (k_2 (N^-1 q_d' - theta') + k_1 (theta_d - theta)) with the wind-up
        K^-1 N tau in theta_d: `feedforward_law` as if the torque did not change. `gains` are k_1 and k_2 as
        rows.
        """
    def rigid_law(
        self,
        theta: ArrayLike,
        thetad: ArrayLike,
        q_d: ArrayLike,
        qd_d: ArrayLike,
        qdd_d: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        stiffness_ddot: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the computed torque of a rigid robot, which takes N theta for the link angles.

        u = N (M a + C q' + g + f_l) + M_G N^-1 a + f_m with a = q_d'' + k_2 (q_d' - q') + k_1 (q_d - q), the
        law without springs that others are compared with. `gains` are k_1 and k_2 as rows.
        """
    def motor_observer_rate(
        self,
        theta: ArrayLike,
        thetad: ArrayLike,
        z: ArrayLike,
        zd: ArrayLike,
        zdd: ArrayLike,
        theta_m: ArrayLike,
        u: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the rate of estimates of a motor and of the spring torque z that it drives.

        M_G theta'' = u - z - f_m with a z of which nothing is known but that it is smooth: z''' = 0 between
        the corrections by e = theta_m - theta, the measured motor angle less the estimated one. The
        corrections k_5 e, k_4 e, -M_G k_3 e, -M_G k_2 e and -M_G k_1 e give the errors the poles of
        s^5 + k_5 s^4 + ... + k_1, joint by joint, whatever the links do [Luenberger1971], [KhalilPraly2014].
        `gains` are k_1 to k_5 as rows. Returns the rate of (theta, thetad, z, zd, zdd), (5 nv).
        """
    def spring_links(
        self,
        theta: ArrayLike,
        thetad: ArrayLike,
        z: ArrayLike,
        zd: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> SpringLinks:
        """Return (q, qd), where the links are if the springs between them and the motors carry the torques z.

        q = N (theta - K^-1 z), q' = N (theta' - K^-1 z'). Needs springs without damping.
        """
    def plant_observer_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        d: ArrayLike,
        theta_m: ArrayLike,
        u: ArrayLike,
        gains: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Array:
        """Return the rate of estimates of the state and of external torques d, from motor angles and torques.

        A copy of the plant with a constant torque d at the links, driven by e = theta_m - theta, the measured
        motor angle less the estimated one. From theta_m the estimates are a chain of five, (theta, theta', q,
        q', d), with the stiffness Omega^2 = M^-1 N^-2 K as the only feedback within it. With c = M_G N K^-1
        and W = c^-1 Omega^2 c the corrections k_5 e, (k_4 - W) e, c (k_3 - W k_5) e,
        c (k_2 - W (k_4 - W)) e and M c k_1 e let the errors have the poles of s^5 + k_5 s^4 + ... + k_1 in
        every posture, whatever the stiffness; what the velocities and gravity add is small against fast
        poles [Luenberger1971], [KhalilPraly2014]. `gains` are k_1 to k_5 as rows. Returns the rate of
        (q, qd, theta, thetad, d), (5 nv). Needs springs without damping.
        """
    def loaded_link_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        d: ArrayLike,
        stiffness: ArrayLike = ...,
        stiffness_dot: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> LoadedLinkDerivatives:
        """Return (qdd, qddd), acceleration and jerk of links under constant external torques d.

        A constant d acts on the links like the wind-up K^-1 N d of the springs: `link_derivatives` at
        theta + K^-1 N d. Needs springs without damping.
        """
    def momentum_balance(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        theta: ArrayLike,
        thetad: ArrayLike,
        stiffness: ArrayLike = ...,
        *,
        out: tuple[NDArray[Any], ...] | None = None,
        threads: int = 1,
    ) -> MomentumBalance:
        """Return (p, pd), the momenta of the links and their rates if no external torque acts.

        p = M q', p' = N^-1 (K dq + D dq') + C^T q' - g - f_l + d, since M' = C + C^T; what the momentum gains
        beyond pd is the impulse of the external torque d [HaddadinDeLucaAlbuSchaeffer2017].
        """
