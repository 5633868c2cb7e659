"""Laws in joint space: gravity compensation, PD control plus gravity, computed torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import LARGEST, one_each
from ..errors import ArgumentError
from ..forms import Quantity
from ..forms.gravity import gravity_torque
from ..forms.manifold import difference
from ..forms.newton_euler import inverse_dynamics
from ..forms.tree import Tree
from ..robot import Robot
from .estimates import PARAMETERS, Estimates
from .law import Law
from .parts import Input

WANTED = Quantity(
    "q_d", r"q_\mathrm{d}", "rad or m", "wanted coordinates", ("wanted velocities", "wanted accelerations")
)
STIFFNESS = Quantity("kp", r"k_\mathrm{p}", "N m/rad or N/m", "gains of the position error")
DAMPING = Quantity("kd", r"k_\mathrm{d}", "N m s/rad or N s/m", "gains of the velocity error")
SQUARED = Quantity("kp", r"k_\mathrm{p}", "1/s^2", "gains of the position error")
DECAY = Quantity("kd", r"k_\mathrm{d}", "1/s", "gains of the velocity error")


def wanted(robot: Robot, order: int) -> list[Input]:
    """Return the references q_d, qd_d, ... up to a derivative."""
    sizes = (robot.nq, *[robot.nv] * order)
    return [Input(f"q{'d' * k}_d", (size,), WANTED.rate(k)) for k, size in enumerate(sizes)]


class GravityCompensation(Law):
    """Gravity compensation: the torques g(q) that hold the arm in any posture.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> law = cf.control.GravityCompensation(arm)
    >>> bool((law([0.3, 0.5], [0.0, 0.0]) == arm.gravity_torque([0.3, 0.5])).all())
    True
    """

    name = "gravity_compensation"

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return g(q)."""
        return gravity_torque(tree, q)


class PDGravity(Law):
    """PD control plus gravity: tau = kp (q_d - q) + kd (qd_d - qd) + g(q).

    Globally asymptotically stable at a constant q_d for any positive gains [TakegakiArimoto1981]. Gains
    are numbers for all joints or one each. Errors of rotations are 2 sin(angle / 2) axis, in body axes.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> law = cf.control.PDGravity(arm, kp=100.0, kd=[60.0, 20.0])
    >>> run = arm.simulate([0.0, 0.0], law=law, reference=[1.0, 0.5], duration=5.0)
    >>> run.q[-1].round(3).tolist()
    [1.0, 0.5]
    """

    name = "pd_gravity"

    def __init__(self, robot: Robot, kp: ArrayLike, kd: ArrayLike) -> None:
        super().__init__(
            robot,
            wanted(robot, 1) if isinstance(robot, Robot) else (),
            kp=(joint_gains("PDGravity: kp", kp, robot), STIFFNESS),
            kd=(joint_gains("PDGravity: kd", kd, robot), DAMPING),
        )

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return kp (q_d - q) + kd (qd_d - qd) + g(q)."""
        q_d, qd_d = references
        error = gains["kp"] * difference(tree.model, q, q_d) + gains["kd"] * (qd_d - qd)
        return error + gravity_torque(tree, q)


class ComputedTorque(Law):
    """Computed torque (inverse dynamics control): tau = M a + C qd + g.

    a = qdd_d + kd (qd_d - qd) + kp (q_d - q), so that every joint's error obeys e'' + kd e' + kp e = 0
    [LuhWalkerPaul1980]. Gains are numbers for all joints or one each, in 1/s^2 and 1/s; kd defaults to
    2 sqrt(kp), which is critical damping.

    With `parameters`, a mapping of names to values, M, C and g follow from these alone, which become a
    gain of the law: base parameters as `base_parameters` or `identify` give them are enough, and the fewest
    operations [GautierKhalil1990, section VI]. Rotor inertias are the robot's own.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=1.0)
    >>> run = arm.simulate([0.0, 0.0], law=cf.control.ComputedTorque(arm, kp=400.0), reference=move)
    >>> bool(abs(run.q - move(run.t)).max() < 1e-9)
    True
    >>> base = cf.base_parameters(arm)
    >>> law = cf.control.ComputedTorque(arm, kp=400.0, parameters=dict(zip(base.names, base.values)))
    >>> law.gains["parameters"].shape
    (6,)
    """

    name = "computed_torque"

    def __init__(
        self,
        robot: Robot,
        kp: ArrayLike,
        kd: ArrayLike | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        gain = joint_gains("ComputedTorque: kp", kp, robot)
        decay = 2 * np.sqrt(gain) if kd is None else joint_gains("ComputedTorque: kd", kd, robot)
        gains = {"kp": (gain, SQUARED), "kd": (decay, DECAY)}
        self.estimates: Estimates | None = None
        if parameters is not None:
            self.weighs = False  # the numbers are all given
            self.estimates = Estimates.of_parameters("ComputedTorque: parameters", robot.model, parameters)
            gains["parameters"] = (self.estimates.values, PARAMETERS)
        super().__init__(robot, wanted(robot, 2), **gains)

    @property
    def options(self) -> tuple[str, ...]:
        """Choices that change the expression."""
        return () if self.estimates is None else (repr(self.estimates.places),)

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return the inverse dynamics of the commanded acceleration."""
        q_d, qd_d, qdd_d = references
        a = qdd_d + gains["kd"] * (qd_d - qd) + gains["kp"] * difference(tree.model, q, q_d)
        own = tree if self.estimates is None else self.estimates.tree(gains["parameters"])
        return inverse_dynamics(own, q, qd, a)


def joint_gains(name: str, given: ArrayLike, robot: Robot) -> Array:
    """Return one gain per velocity, each zero or more."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"{name.partition(':')[0]}: robot is no Robot; load one with closedform.load")
    values = one_each(name, given, robot.nv)
    fine = (values >= 0) & (values <= LARGEST)
    if not fine.all():
        k = int(np.argmin(fine))
        raise ArgumentError(f"{name}[{k}] is {values[k]:g}; expected a number from 0 to {LARGEST:g}")
    return values
