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
