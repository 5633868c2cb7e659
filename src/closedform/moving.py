"""The door of a robot to its motion; the rooms behind it are entered when it is called."""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .integration import Event
    from .simulation import Motion


class RobotMoving:
    """Methods that let a robot move by itself."""

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        law: Any = None,
        duration: float = 1.0,
        step: float = 1e-3,
        *,
        reference: Any = None,
        rate: float | None = None,
        friction: bool = False,
        springs: bool = False,
        stops: bool = False,
        restitution: float = 0.0,
        effort_limits: bool = False,
        wrenches: Any = None,
        wrench_reference: str = "body",
        phi: ArrayLike | None = None,
        method: str | None = None,
        events: Sequence[Event] = (),
        progress: Callable[[float], None] | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-12,
    ) -> Motion:
        """Return the motion from q0 (..., nq) and qd0 (..., nv), over equal steps of at most `step` seconds.

        `law` gives the joint forces: a law of `cf.control` with its `reference` (a joint trajectory, an
        array or a function of time, or a mapping of names to these), a function law(t, q, qd), torques (nv,)
        or over the steps (..., n, nv), or None. A law of `cf.control` acts in continuous time, as part of
        the machine code; with a `rate` it is sampled and held, as a function always is, by default once a
        step.

        `friction=True` adds all that `drive_torque` has of friction, offsets and what gears lose by load; dry
        friction holds a joint at rest exactly as long as it can. `springs=True` adds `robot.stiffness`;
        `stops=True` makes the joint limits stops, with a `restitution`; `effort_limits=True` clips the joint
        forces. `wrenches` are (bodies, 6) or a mapping
        of frames to (6,), constant, over the steps or functions of time; their `wrench_reference` is "body",
        "world_aligned" or "world", as that of `inverse_dynamics`. `phi` (..., 10 bodies) are inertial
        parameters in place of `robot.phi`, those of each run if there are as many: a law knows the robot's.

        `method` is "rk4", "rk6" or "rk8" (Runge-Kutta on the configuration manifold), "rosenbrock" (order 2,
        for gains that are high on light links) or "variational" (order 2, no drift of energy), with joints
        that stick and stop at their own instants, or one of SciPy's adaptive ones ("DOP853", "Radau",
        ...) within `rtol` and `atol`. By default it is "rk6" for smooth motions of up to 20 velocities, else
        "rk4": what sticks, stops or is sampled has kinks that no higher order sees.
        `events` are `cf.integration.Event`s of (t, x), x = (q, qd, states of the law); `progress` is called
        with the part done.

        Arrays may be of any kind. On a GPU, and if gradients are asked for, the steps run on the arrays
        themselves; gradients are by q0, qd0, torques, references, wrenches, phi and whatever a function
        that is the law depends on. Friction that holds joints, stops, events and SciPy's methods are
        computed on the CPU, and have no gradients.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.load("2r").with_friction([2.0, 1.0])
        >>> law = cf.control.PDGravity(arm, kp=[200, 100], kd=[60, 20])
        >>> run = arm.simulate([0, 0], law=law, duration=4.0, reference=[1.0, 0.5], friction=True)
        >>> run.q.shape, bool((run.qd[-1] == 0).all())
        ((4001, 2), True)
        """
        from .simulation import simulate

        return simulate(
            self,  # type: ignore[arg-type]  # a robot
            q0,
            qd0,
            law,
            duration,
            step,
            reference=reference,
            rate=rate,
            friction=friction,
            springs=springs,
            stops=stops,
            restitution=restitution,
            effort_limits=effort_limits,
            wrenches=wrenches,
            wrench_reference=wrench_reference,
            phi=phi,
            method=method,
            events=events,
            progress=progress,
            rtol=rtol,
            atol=atol,
        )
