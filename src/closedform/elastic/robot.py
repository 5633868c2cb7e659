"""The robot with elastic joints that users hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, known_name
from ..errors import ArgumentError, ClosedFormError, UnknownNameError, shown
from ..integration import System
from ..kernels import Kernel, compiled
from ..model.idle import refuse_still
from ..robot import Robot
from .drives import VARIABLE, Drives, drives
from .forms import FORMS, STATE, STIFFNESS, ElasticForm
from .friction import Friction, per_joint
from .plant import Plant, state_rate
from .source import elastic_export


class ElasticJointRobot:
    """A robot whose motors drive its joints through springs.

    With the motor angle theta and the wind-up dq = theta - N^-1 q of the spring at the shaft,

        M_G theta'' + K dq + D dq' + f_m(theta') = u
        M(q) q'' + C q' + g + f_l(q') = N^-1 (K dq + D dq')

    [Grimm1990, Eqs. (1)-(2)], [Spong1987]. As there, stiffness K (N m/rad), damping D and motor
    inertia M_G are those seen at the motor shaft, and the gear ratio N counts turns of the joint
    per turn of the motor, at most 1. Data sheets often give the spring as seen at the joint,
    which is N^-2 times more: say `spring_at="link"` and stiffness and damping are taken so.
    Each is one number or one per joint; `stiffness="variable"` makes the stiffness an input,
    the last of every method (with its first two derivatives where a law needs them).

    The state is (q, qd, theta, thetad): link and motor angles and velocities. A rotor inertia
    that `robot` carries as armature would count the motor twice: it is left out of the links
    (`links` is the robot without it). Methods broadcast over batches and take `out=`.

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
        gear_ratio: ArrayLike,
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
        self._kernels: dict[str, Kernel] = {}
        self._systems: dict[bool, System] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.robot, self.drives)

    def __repr__(self) -> str:
        stiffness = "variable stiffness" if self.variable else f"stiffness {_span(self.drives.stiffness)}"
        return f"<ElasticJointRobot {self.robot.name!r}: {self.nv} joints, {stiffness} N m/rad at the shaft>"

    @property
    def nv(self) -> int:
        """Number of joints; the state has four times as many numbers."""
        return self.robot.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, one per entry of q."""
        return _joint_names(self.robot)

    @property
    def variable(self) -> bool:
        """Whether the stiffness is an input."""
        return self.drives.stiffness is None

    @property
    def integrators(self) -> int:
        """Length of the chain that decoupling makes of every joint: 4, or 3 with damped springs."""
        return 3 if self.drives.damped else 4

    def changed(self, **options: Any) -> ElasticJointRobot:
        """Return the robot with some of the drives' numbers, or its `robot`, replaced.

        Options are those of the constructor; what is not given stays as it is at the shaft. For a
        plant that differs from the model its controller knows:

        >>> import closedform as cf
        >>> model = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> model.changed(stiffness=800.0).drives.stiffness.tolist()
        [800.0, 800.0]
        """
        now = self.drives
        known = ("robot", "spring_at", *vars(now))
        for name in options:
            if name not in known:
                raise UnknownNameError("option of changed", name, known)
        names = _joint_names(options.get("robot", self.robot))
        gear = per_joint("changed: gear_ratio", options.get("gear_ratio", now.gear_ratio), names)
        seen = gear**2 if options.get("spring_at") == "link" else 1.0
        values: dict[str, Any] = {
            "stiffness": VARIABLE if now.stiffness is None else now.stiffness / seen,
            "motor_inertia": now.motor_inertia,
            "gear_ratio": now.gear_ratio,
            "damping": now.damping / seen,
            "link_friction": now.link_friction,
            "motor_friction": now.motor_friction,
        }
        return ElasticJointRobot(options.pop("robot", self.robot), **{**values, **options})

    def kernel(self, name: str) -> Kernel:
        """Return a compiled quantity itself, with its operation counts and `bind` for control loops.

        Names are those of the methods below.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> state, s, u = np.zeros((4, 2)), np.zeros(2), np.empty(2)
        >>> control = arm.kernel("decoupling").bind(*state, s, out=u)
        >>> control()
        """
        known_name("quantity of an elastic-joint robot", name, tuple(FORMS))
        if name not in self._kernels:
            self._kernels[name] = self._compiled(FORMS[name])
        return self._kernels[name]

    def export(
        self, name: str, language: str, path: str | os.PathLike[str], *, precision: str = "double"
    ) -> tuple[Path, ...]:
        """Write a quantity as source code ("c", "cuda", "matlab", "numpy") and return the paths.

        The decoupling law, for one, as C that a real-time controller can take as it is.

        >>> import tempfile, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> [path.name for path in arm.export("decoupling", "c", tempfile.mkdtemp())]
        ['elastic_2r_decoupling.h', 'elastic_2r_decoupling.c']
        """
        kernel = self.kernel(name)
        given = (kernel.program, self.robot.name, FORMS[name].doc, self.joint_names)
        return elastic_export(*given, language, path, precision)

    def _compiled(self, form: ElasticForm) -> Kernel:
        self.require(form.name)
        symbols = [ca.SX.sym(name, self.nv) for name in self._inputs(form)]
        own = len(form.inputs)
        outputs = form.build(self.plant(tuple(symbols[own:])), *symbols[:own])
        inputs = list(zip(self._inputs(form), symbols, strict=True))
        results = [
            (name, () if name == "energy" else (self.nv,), each)
            for name, each in zip(form.outputs, outputs, strict=True)
        ]
        return compiled(form.name, inputs, results, form.doc, f"elastic {self.robot.name!r}")

    def system(self, *, uncertain: bool = False) -> System:
        """Return the plant as a system to simulate: state (q, qd, theta, thetad), inputs u.

        Where the stiffness is variable it follows the torques as a second input. An `uncertain`
        plant has the parameters (stiffness, motor inertia, phi of all links), so that one
        compiled system serves every run of a study.

        >>> import numpy as np, closedform as cf
        >>> from closedform.integration import simulate
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> simulate(arm.system(), np.zeros((5, 8)), None, duration=0.1, step=1e-3).x.shape
        (5, 101, 8)
        """
        flag("system: uncertain", uncertain)
        if uncertain not in self._systems:
            self._systems[uncertain] = self._system(uncertain)
        return self._systems[uncertain]

    def _system(self, uncertain: bool) -> System:
        n, name = self.nv, f"elastic_{self.robot.name}"
        state, u, K = [ca.SX.sym(each, n) for each in STATE], ca.SX.sym("u", n), ca.SX.sym("K", n)
        x = ca.vertcat(*state)
        if uncertain:
            B, phi = ca.SX.sym("B", n), ca.SX.sym("phi", self.links.phi.size)
            rate = state_rate(self.plant([K], motor_inertia=B, phi=phi), state, u)
            return System(name, x, rate, u, ca.vertcat(K, B, phi))
        if self.variable:
            return System(name, x, state_rate(self.plant([K]), state, u), ca.vertcat(u, K))
        return System(name, x, state_rate(self.plant(), state, u), u)

    def plant(self, stiffness: Sequence[ca.SX] = (), **symbols: ca.SX) -> Plant:
        """Return the model as expressions; `stiffness` are symbols of K, K', K'' where it is variable.

        `motor_inertia` and `phi` may be symbols too.
        """
        return Plant(self.links.model, self.drives, stiffness=tuple(stiffness), **symbols)

    def _inputs(self, form: ElasticForm) -> tuple[str, ...]:
        return (*form.inputs, *(STIFFNESS[: form.rates] if self.variable else ()))

    def require(self, name: str) -> None:
        """Raise where the springs' damping does not allow a quantity."""
        form = FORMS[known_name("quantity of an elastic-joint robot", name, tuple(FORMS))]
        damped = self.drives.damping > 0
        if form.undamped and damped.any():
            joint = self.joint_names[int(np.argmax(damped))]
            raise ClosedFormError(
                f"{form.name}: the spring of joint {joint!r} is damped, so the link motion does "
                "not determine the motor motion; use changed(damping=0) for the "
                "undamped model (an approximation), or decoupling, which is exact"
            )
        if form.name == "decoupling" and damped.any() and not damped.all():
            raise ClosedFormError(
                "decoupling: some springs are damped and some are not; the joints would need chains of "
                "different lengths. Give every joint damping, or none"
            )

    def forward_dynamics(self, *state_and_torque: ArrayLike, out: Any = None) -> Any:
        """Return (qdd, thetadd) of q, qd, theta, thetad, u[, stiffness].

        theta'' = M_G^-1 (u - K dq - D dq' - f_m), q'' = M^-1 (N^-1 (K dq + D dq') - C q' - g - f_l)
        [Grimm1990, Eqs. (1)-(2)].
        """
        return self.kernel("forward_dynamics")(*state_and_torque, out=out)

    def inverse_dynamics(self, *motion: ArrayLike, out: Any = None) -> Any:
        """Return the motor torques of a link motion q, qd, qdd, qddd, q4[, stiffness and two rates].

        u = M_G K^-1 N tau'' + N tau + M_G N^-1 q'' [BuondonnoDeLuca2015], plus friction.
        """
        return self.kernel("inverse_dynamics")(*motion, out=out)

    def motor_motion(self, *motion: ArrayLike, out: Any = None) -> Any:
        """Return (theta, thetad, thetadd) of a motion q, qd, qdd, qddd, q4[, stiffness and two rates]."""
        return self.kernel("motor_motion")(*motion, out=out)

    def link_derivatives(self, *state: ArrayLike, out: Any = None) -> Any:
        """Return (qdd, qddd) of a state q, qd, theta, thetad[, stiffness and its rate]."""
        return self.kernel("link_derivatives")(*state, out=out)

    def decoupling(self, *state_and_command: ArrayLike, out: Any = None) -> Any:
        """Return the motor torques for which q'''' = s, from q, qd, theta, thetad, s[, stiffness, two rates].

        [Grimm1990, Eq. (3)]; q''' = s where the springs are damped.
        """
        return self.kernel("decoupling")(*state_and_command, out=out)

    def energy(self, *state: ArrayLike, out: Any = None) -> Any:
        """Return the energy of links, motors and springs in a state q, qd, theta, thetad[, stiffness]."""
        return self.kernel("energy")(*state, out=out)


def _restored(robot: Robot, the_drives: Drives) -> ElasticJointRobot:
    elastic = ElasticJointRobot.__new__(ElasticJointRobot)
    elastic._set(robot, the_drives)
    return elastic


def _joint_names(robot: Robot) -> tuple[str, ...]:
    """Return a name per degree of freedom; a joint that no motor shaft can drive is refused."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"ElasticJointRobot: robot is {shown(robot)}; expected a Robot")
    refuse_still(robot.model, "ElasticJointRobot")
    if not robot.model.has_inertia:
        raise ClosedFormError(f"ElasticJointRobot: robot {robot.name!r} has no inertias (geometry only)")
    names: list[str] = []
    for body in robot.model.bodies:
        if body.joint.kind in ("ball", "free"):
            raise ArgumentError(
                f"ElasticJointRobot: joint {body.joint_name!r} is a {body.joint.kind} joint; "
                "every degree of freedom needs a motor of its own, so load without a floating base"
            )
        if body.coupling is None:
            dofs = body.joint.nv
            names += [body.joint_name] if dofs == 1 else [f"{body.joint_name} {k + 1}" for k in range(dofs)]
    return tuple(names)


def _span(values: Array | None) -> str:
    low, high = (0.0, 0.0) if values is None else (values.min(), values.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
