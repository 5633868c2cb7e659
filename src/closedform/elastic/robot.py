"""The robot with elastic joints that users hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Never

import casadi as ca
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, instance
from ..display import card, html_table
from ..errors import ArgumentError, ClosedFormError, UnknownNameError
from ..integration import System
from ..model.idle import refuse_still
from ..robot import Robot
from .catalogue import STATE, ElasticModel, joint_names
from .drives import VARIABLE, Drives, drives
from .friction import Friction, per_joint
from .methods import ElasticForms
from .plant import Plant, state_rate


class ElasticJointRobot(ElasticForms):
    """A robot whose motors drive its joints through springs.

    With the motor angle theta and the wind-up dq = theta - N^-1 q of the spring at the shaft,

        M_G theta'' + K dq + D dq' + f_m(theta') = u
        M(q) q'' + C q' + g + f_l(q') = N^-1 (K dq + D dq')

    [Grimm1990, Eqs. (1)-(2)], [Spong1987]. As there, stiffness K (N m/rad), damping D and motor
    inertia M_G are those seen at the motor shaft, and the gear ratio N counts turns of the joint
    per turn of the motor, at most 1. Data sheets often give the spring as seen at the joint,
    which is N^-2 times more: with `spring_at="link"` stiffness and damping are those at the joint.
    Each is one number or one per joint; `stiffness="variable"` makes the stiffness an input,
    the last of every method (with its first two derivatives if a law needs them).

    The state is (q, qd, theta, thetad): link and motor angles and velocities. A rotor inertia
    that `robot` carries as armature would count the motor twice: it is left out of the links
    (`links` is the robot without it). Methods broadcast over batches, take arrays in order or by
    name, and `out=`.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> q, qd, qdd, qddd, q4 = np.zeros((5, 2))
    >>> u = arm.inverse_dynamics(q, qd, qdd, qddd, q4)
    >>> theta, thetad, thetadd = arm.motor_motion(q, qd, qdd, qddd, q4)
    >>> bool(np.allclose(arm.forward_dynamics(q, qd, theta, thetad, u), 0, atol=1e-12))
    True
    """

    def __init__(
        self,
        robot: Robot,
        stiffness: ArrayLike | str,
        motor_inertia: ArrayLike,
        gear_ratio: ArrayLike = 1.0,
        damping: ArrayLike = 0.0,
        *,
        spring_at: str = "motor",
        link_friction: Friction | None = None,
        motor_friction: Friction | None = None,
    ) -> None:
        names = _joint_names(robot)
        given = (stiffness, motor_inertia, gear_ratio, damping, spring_at, link_friction, motor_friction)
        self._set(robot, drives(names, *given))

    def _set(self, robot: Robot, the_drives: Drives) -> None:
        bodies = tuple(replace(body, armature=0.0) for body in robot.model.bodies)
        self.robot, self.drives = robot, the_drives
        self.links = Robot(replace(robot.model, bodies=bodies)) if robot.armature.any() else robot
        super().__init__(ElasticModel(self.links.model, the_drives))
        self._systems: dict[tuple[bool, bool], System] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.robot, self.drives)

    def __repr__(self) -> str:
        stiffness = "variable stiffness" if self.variable else f"stiffness {_span(self.drives.stiffness)}"
        return f"<ElasticJointRobot {self.robot.name!r}: {self.nv} joints, {stiffness} N m/rad at the shaft>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the robot, and the drives of its joints as seen at the shafts."""
        drives, stiffness = self.drives, self.drives.stiffness
        springs = ["variable"] * self.nv if stiffness is None else stiffness
        header = ["joint", "stiffness [N m/rad]", "damping", "motor inertia [kg m²]", "gear ratio"]
        columns = (self.joint_names, springs, drives.damping, drives.motor_inertia, drives.gear_ratio)
        facts = f"on elastic joints, {self.nv} motors; numbers at the motor shafts"
        table = html_table(header, list(zip(*columns, strict=True)))
        return card(self.robot.name, facts, self.robot._portrait(), table)

    @property
    def nv(self) -> int:
        """Number of joints; the state has four times as many numbers."""
        return self.robot.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, one per entry of q."""
        return joint_names(self.robot.model)

    @property
    def variable(self) -> bool:
        """Whether the stiffness is an input."""
        return self.drives.stiffness is None

    @property
    def integrators(self) -> int:
        """Length of the chain that decoupling makes of every joint: 4, or 3 with damped springs."""
        return 3 if self.drives.damped else 4

    def changed(
        self,
        *,
        robot: Robot | None = None,
        stiffness: ArrayLike | str | None = None,
        motor_inertia: ArrayLike | None = None,
        gear_ratio: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        spring_at: str = "motor",
        link_friction: Friction | Literal["unchanged"] | None = "unchanged",
        motor_friction: Friction | Literal["unchanged"] | None = "unchanged",
        **unknown: Never,
    ) -> ElasticJointRobot:
        """Return the robot with some of the drives' numbers, or its `robot`, replaced.

        Options are those of the constructor; what is not given stays as it is at the shaft. A friction
        of None is none. For a plant that differs from the model its controller knows:

        >>> import closedform as cf
        >>> model = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> model.changed(stiffness=800.0).drives.stiffness.tolist()
        [800.0, 800.0]
        """
        now, robot = self.drives, self.robot if robot is None else robot
        for name in unknown:
            raise UnknownNameError("option of changed", name, ("robot", "spring_at", *vars(now)))
        names = _joint_names(robot)
        gear_ratio = now.gear_ratio if gear_ratio is None else gear_ratio
        seen = per_joint("changed: gear_ratio", gear_ratio, names) ** 2 if spring_at == "link" else 1.0
        kept = VARIABLE if now.stiffness is None else now.stiffness / seen
        return ElasticJointRobot(
            robot,
            kept if stiffness is None else stiffness,
            now.motor_inertia if motor_inertia is None else motor_inertia,
            gear_ratio,
            now.damping / seen if damping is None else damping,
            spring_at=spring_at,
            link_friction=_chosen(link_friction, now.link_friction),
            motor_friction=_chosen(motor_friction, now.motor_friction),
        )

    def system(self, *, uncertain: bool = False, external: bool = False) -> System:
        """Return the plant as a system to simulate: state (q, qd, theta, thetad), inputs u.

        If the stiffness is variable, it follows the torques as a second input; `external` torques at the
        links are the last. An `uncertain` plant has the parameters (stiffness, motor inertia, phi of all
        links), so that one compiled system serves every run of a study.

        >>> import numpy as np, closedform as cf
        >>> from closedform.integration import simulate
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> simulate(arm.system(), np.zeros((5, 8)), None, duration=0.1, step=1e-3).x.shape
        (5, 101, 8)
        """
        key = flag("system: uncertain", uncertain), flag("system: external", external)
        if key not in self._systems:
            self._systems[key] = self._system(*key)
        return self._systems[key]

    def _system(self, uncertain: bool, external: bool) -> System:
        n, name = self.nv, f"elastic_{self.robot.name}"
        state, u, K, d = [ca.SX.sym(each, n) for each in STATE], *(ca.SX.sym(each, n) for each in "uKd")
        inputs, load = [u], d if external else None
        parameters = None
        if uncertain:
            B, phi = ca.SX.sym("B", n), ca.SX.sym("phi", self.links.phi.size)
            plant, parameters = self.plant([K], motor_inertia=B, phi=phi), ca.vertcat(K, B, phi)
        elif self.variable:
            plant = self.plant([K])
            inputs.append(K)
        else:
            plant = self.plant()
        if load is not None:
            inputs.append(load)
        rate = state_rate(plant, state[0], state[1], state[2], state[3], u, load)
        return System(name, ca.vertcat(*state), rate, ca.vertcat(*inputs), parameters)

    def plant(
        self,
        stiffness: Sequence[ca.SX] = (),
        *,
        motor_inertia: ca.SX | None = None,
        phi: ca.SX | None = None,
    ) -> Plant:
        """Return the model as expressions; `stiffness` are symbols of K, K', K'' if it is variable.

        `motor_inertia` and `phi` may be symbols too.
        """
        return Plant(
            self.links.model, self.drives, stiffness=tuple(stiffness), motor_inertia=motor_inertia, phi=phi
        )

    def require(self, name: str) -> None:
        """Raise an error if the springs' damping does not allow a form."""
        self.FORMS.form(name).check(self.model)


def _restored(robot: Robot, the_drives: Drives) -> ElasticJointRobot:
    elastic = ElasticJointRobot.__new__(ElasticJointRobot)
    elastic._set(robot, the_drives)
    return elastic


def _chosen(given: Friction | Literal["unchanged"] | None, now: Friction) -> Friction | None:
    return now if isinstance(given, str) and given == "unchanged" else given


def _joint_names(robot: Robot) -> tuple[str, ...]:
    """Return a name per degree of freedom; a joint that no motor shaft can drive is refused."""
    instance("ElasticJointRobot: robot", robot, Robot)
    refuse_still(robot.model, "ElasticJointRobot")
    if not robot.model.has_inertia:
        raise ClosedFormError(f"ElasticJointRobot: robot {robot.name!r} has no inertias (geometry only)")
    for body in robot.model.bodies:
        if body.joint.quaternion is not None:
            raise ArgumentError(
                f"ElasticJointRobot: joint {body.joint_name!r} is a {body.joint.kind} joint; "
                "every degree of freedom needs a motor of its own, so load without a floating base"
            )
    return joint_names(robot.model)


def _span(values: Array | None) -> str:
    low, high = (0.0, 0.0) if values is None else (values.min(), values.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
