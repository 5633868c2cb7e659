"""Spong's model of a robot with elastic joints, as expressions."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..arrays import Array
from ..forms.elimination import Factors
from ..forms.energy import kinetic_energy, potential_energy
from ..forms.mass import mass_matrix
from ..forms.newton_euler import inverse_dynamics_rates
from ..forms.tree import Tree
from ..model import Model
from ..model.idle import refuse_idle_joints
from .drives import Drives


class Plant:
    """The two sides of every spring: links, and motors that turn about their own axes only.

    With the motor angle theta and the wind-up dq = theta - N^-1 q of the spring at the shaft,

        M_G theta'' + K dq + D dq' + f_m(theta') = u
        M(q) q'' + C q' + g + f_l(q') = N^-1 (K dq + D dq')

    [Grimm1990, Eqs. (1)-(2)]; M holds no motor inertia [Spong1987]. If `stiffness` (K with
    its first two time derivatives), `motor_inertia`, `gear_ratio`, `damping` or `phi` are given, they
    are symbols in place of the numbers; `links` may be a tree whose numbers are symbols.
    """

    def __init__(
        self,
        links: Model | Tree,
        drives: Drives,
        *,
        stiffness: tuple[SX, ...] = (),
        motor_inertia: SX | None = None,
        gear_ratio: SX | None = None,
        damping: SX | None = None,
        phi: SX | None = None,
    ) -> None:
        self.links, self.drives = links if isinstance(links, Tree) else Tree.of(links, phi=phi), drives
        constant = [_column(drives.stiffness)] if drives.stiffness is not None else []
        given = (*(stiffness or constant), *[SX(self.links.nv, 1)] * 2)
        self.K, self.K1, self.K2 = given[:3]
        self.B = _column(drives.motor_inertia) if motor_inertia is None else motor_inertia
        self.N = _column(drives.gear_ratio) if gear_ratio is None else gear_ratio
        self.D = _column(drives.damping) if damping is None else damping

    @property
    def rest(self) -> SX:
        """Zeros over the joints."""
        return SX.zeros(self.links.nv)

    def mass_matrix(self, q: SX) -> SX:
        """Return M of the links."""
        return mass_matrix(self.links, q)

    def link_torques(self, q: SX, *derivatives: SX) -> tuple[SX, ...]:
        """Return what the springs must give the links, friction included: (tau, tau', tau'')."""
        rates = inverse_dynamics_rates(self.links, q, *derivatives)
        friction = self.drives.link_friction.rates(*derivatives[: len(rates)])
        return tuple(rate + f for rate, f in zip(rates, friction, strict=True))

    def factors(self, q: SX) -> Factors:
        """Return the factors of M, to be shared by every acceleration and jerk of one state."""
        if not self.links.symbolic:
            refuse_idle_joints(self.links.model, "elastic joints")
        return Factors(self.mass_matrix(q), from_leaves=True)

    def wind_up(self, q: SX, theta: SX) -> SX:
        """Return dq = theta - N^-1 q; of velocities, its rate."""
        dq: SX = theta - q / self.N
        return dq

    def spring_torque(self, dq: SX, dqd: SX) -> SX:
        """Return K dq + D dq', which the spring takes from the shaft."""
        torque: SX = self.K * dq + self.D * dqd
        return torque

    def motor_friction(self, thetad: SX) -> SX:
        """Return the friction of the motor."""
        return self.drives.motor_friction.rates(thetad)[0]

    def link_acceleration(self, factors: Factors, q: SX, qd: SX, spring: SX) -> SX:
        """Return q'' = M^-1 (N^-1 spring - C q' - g - f_l)."""
        (bias,) = self.link_torques(q, qd, self.rest)
        return factors.solve(spring / self.N - bias)

    def link_jerk(self, factors: Factors, q: SX, qd: SX, qdd: SX, spring_rate: SX) -> SX:
        """Return q''' = M^-1 (N^-1 spring' - tau' at q''' = 0); M is factored once for both."""
        _, bias = self.link_torques(q, qd, qdd, self.rest)
        return factors.solve(spring_rate / self.N - bias)


def _column(values: Array) -> SX:
    return SX(ca.DM(values))


def forward_dynamics(
    plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, u: SX, external: SX | None = None
) -> tuple[SX, SX]:
    """Return (qdd, thetadd), the accelerations of links and motors under motor torques u.

    theta'' = M_G^-1 (u - K dq - D dq' - f_m), q'' = M^-1 (N^-1 (K dq + D dq') - C q' - g - f_l)
    [Grimm1990, Eqs. (1)-(2)].
    """
    spring = plant.spring_torque(plant.wind_up(q, theta), plant.wind_up(qd, thetad))
    loaded = spring if external is None else spring + plant.N * external
    qdd = plant.link_acceleration(plant.factors(q), q, qd, loaded)
    return qdd, (u - spring - plant.motor_friction(thetad)) / plant.B


def energy(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX) -> tuple[SX]:
    """Return the energy of links, motors and springs.

    E = (q'^T M q' + theta'^T M_G theta' + dq^T K dq) / 2 + U(q).
    """
    dq = plant.wind_up(q, theta)
    links = kinetic_energy(plant.links, q, qd) + potential_energy(plant.links, q)
    return (links + (ca.dot(plant.B * thetad, thetad) + ca.dot(plant.K * dq, dq)) / 2,)


def state_rate(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX, u: SX, external: SX | None = None) -> SX:
    """Return the rate of the state (q, qd, theta, thetad) as one column, (4 nv).

    x' = (q', q'', theta', theta'') by `forward_dynamics` [Grimm1990, Eqs. (1)-(2)].
    """
    qdd, thetadd = forward_dynamics(plant, q, qd, theta, thetad, u, external)
    return ca.vertcat(qd, qdd, thetad, thetadd)


def spring_torque(plant: Plant, q: SX, qd: SX, theta: SX, thetad: SX) -> SX:
    """Return K dq + D dq', the torques of the springs at the shafts; N^-1 times as much moves the links.

    dq = theta - N^-1 q [Grimm1990, Eqs. (1)-(2)].
    """
    return plant.spring_torque(plant.wind_up(q, theta), plant.wind_up(qd, thetad))
