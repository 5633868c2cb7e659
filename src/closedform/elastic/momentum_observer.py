"""The residual of momentum: external torques of a robot whose state is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import common_batch, instance, rows_array
from ..errors import ArgumentError, ClosedFormError
from ..guests import called, in_kind
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from .catalogue import STATE
from .gains import pole_gains
from .observer_forms import momentum_balance
from .plant import Plant
from .robot import ElasticJointRobot
from .tracking import checked_rate


class MomentumObserver:
    """External torques of a robot whose links and springs are measured, from the balance of momentum.

    r' = k (d - r): each component of the residual r follows the external torque d of its joint by a first
    order lag with the given pole, whatever the motion, and needs no acceleration
    [HaddadinDeLucaAlbuSchaeffer2017]. The state may come from encoders on both sides of the springs.
    Sampled `rate` times a second; the trapezoidal rule joins the samples.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.MomentumObserver(arm, [-50.0])
    >>> rest = np.zeros((4, 2))
    >>> memory = observer.begin(*rest)
    >>> for _ in range(200):  # the springs are slack, so something else must be holding the arm
    ...     r, memory = observer.step(memory, *rest)
    >>> bool(np.allclose(r, arm.links.gravity_torque([0, 0]), rtol=1e-3))
    True
    """

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, rate: float = 1000.0) -> None:
        self.robot = instance("MomentumObserver: robot", robot, ElasticJointRobot)
        if robot.variable:
            raise ClosedFormError(
                "MomentumObserver: the stiffness is variable; use changed(stiffness=...) for a constant one"
            )
        self.rate = checked_rate("MomentumObserver", rate)
        self.gains = pole_gains(poles, robot.joint_names)
        if len(self.gains) != 1:
            raise ArgumentError(f"MomentumObserver: {len(self.gains)} poles per joint; expected 1")

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled step (memory, q, qd, theta, thetad, gains, h) -> (r, memory), to bind in a loop.

        The memory (3, nv) holds r, the impulse so far, and its rate at the last sample.
        """
        n = self.robot.nv
        memory, gains, h = SX.sym("memory", 3, n), SX.sym("gains", n), SX.sym("h")
        state = [SX.sym(name, n) for name in STATE]
        onward = momentum_step(self.robot.plant(), state, [memory[k, :].T for k in range(3)], gains, h)
        inputs: list[Any] = [
            ("memory", memory),
            *zip(STATE, state, strict=True),
            ("gains", gains),
            ("h", (), h),
        ]
        outputs: list[Any] = [("r", onward[0]), ("memory", ca.horzcat(*onward).T)]
        doc, subject = type(self).__doc__ or "", f"elastic {self.robot.robot.name!r}"
        return compiled("momentum_observer", inputs, outputs, doc, subject)

    @in_kind
    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory (..., 3, nv) at the first sample, for which the residual is zero."""
        p, known = self.robot.momentum_balance(*state_parts("begin", self.robot, q, qd, theta, thetad))
        return np.stack([np.zeros_like(p), p, known], axis=-2)

    def step(
        self, memory: ArrayLike, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike
    ) -> tuple[Array, Array]:
        """Return the external torques (..., nv) and the memory at the next sample."""
        period = np.array(1 / self.rate)
        r, onward = called(self.kernel, (memory, q, qd, theta, thetad), (self.gains[0], period))
        return r, onward


def momentum_step(
    plant: Plant, state: Sequence[SX], memory: Sequence[SX], gains: SX, h: SX
) -> tuple[SX, SX, SX]:
    """Return the residual r of momentum, the impulse so far and its rate, one sample later.

    r = k (p - integral of (pd + r)) by the trapezoidal rule, solved for the r on both sides.
    """
    p, known = momentum_balance(plant, *state)
    _, impulse, before = memory
    so_far = impulse + h / 2 * (before + known)
    r = gains * (p - so_far) / (1 + gains * h / 2)
    return r, so_far + h / 2 * r, known + r


def state_parts(where: str, robot: ElasticJointRobot, *given: ArrayLike) -> list[Array]:
    """Return a state's parts with one batch shape."""
    parts = [rows_array(f"{where}: {name}", each, robot.nv) for name, each in zip(STATE, given, strict=True)]
    common_batch(where, **{name: each.shape[:-1] for name, each in zip(STATE, parts, strict=True)})
    return list(np.broadcast_arrays(*parts))
