"""The robustness condition of decoupling: whether the split errors of the model are small enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import MOST_ENTRIES, finite, instance, real_array, whole_number
from ..errors import ArgumentError
from ..guests import in_kind
from ..kernels import Kernel, compiled
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .catalogue import STATE
from .decoupling import decoupling, link_derivatives
from .laws import Decoupling
from .plant import state_rate
from .robot import ElasticJointRobot

FREQUENCIES = np.geomspace(1e-4, 1e2, 601)
"""Frequencies, relative to the fastest poles, at which gains are computed; the largest is found to 1e-3."""

POWERS = (0.5, 0.75, 1.0)
"""Powers of the mass matrix that weigh the joints: errors of inertias are small in the norm of the first,
those of stiffness in that of the last, which measures torques."""

MOST_INSTANTS = 10_000
"""Instants of a motion at which the condition is evaluated."""


@dataclass(frozen=True)
class Condition:
    """What the robustness condition says of a decoupled loop, plant by plant.

    `gains` (w, 4, 3) are the largest amplifications of the chain of integrators over all frequencies, from
    the three split errors to the errors of (q, q', a, j), in each of w norms; `sizes` (runs, m, w, 3, 4)
    how much the split errors of a plant depend on these at the instants t (m,). `growth` (runs, m) is the
    largest real part of the poles of the loop, in rad/s, if it is linearised and held at that instant.
    """

    t: Array
    gains: Array
    sizes: Array
    growth: Array

    @property
    @in_kind
    def margins(self) -> Array:
        """Gain around the loop, (runs,): the spectral radius of the worst sizes times the gains.

        In the norm in which it is least, since one that suffices is enough.
        """
        loops = np.linalg.eigvals(self.sizes.max(axis=1) @ self.gains)
        return np.asarray(np.abs(loops).max(axis=-1).min(axis=-1))

    @property
    @in_kind
    def holds(self) -> Array:
        """Whether the gain around the loop is below one, (runs,): then the loop is stable."""
        return np.asarray(self.margins < 1)

    @property
    @in_kind
    def stable(self) -> Array:
        """Whether all poles of the linearised loop are on the left at every instant, (runs,)."""
        return np.asarray((self.growth < 0).all(axis=-1))


@in_kind
def robustness_condition(
    control: Decoupling, trajectory: Trajectory, parameters: ArrayLike, *, instants: int = 11
) -> Condition:
    """Return whether decoupling stays stable on plants unlike its model, by a sufficient condition.

    The law reconstructs acceleration a and jerk j of the links with its model. On another plant

        q'' = a + eta_1,    a' = j + eta_2,    j' = s + eta_3,

    where the errors eta enter between the integrators, exactly where they arise, and are functions of the
    state and of s: no error is differentiated, as in the transformation of [Grimm1990, Sec. I]. With error
    feedback this is a linear system from eta to the errors of (q, q', a, j), closed by how eta depends on
    those. With the largest gains gamma_ij of the first and sizes delta_ji of the second along the
    trajectory (norms over the joints, weighted by powers of the mass matrix) the condition is that the
    spectral radius of delta gamma is below one: the small-gain theorem [Zames1966], channel by channel,
    for the loop linearised along the trajectory. The condition of the paper itself is
    beyond the page at hand; this one is ours, on the transformation that the page describes.

    `parameters` (runs, 2 nv + 10 bodies) are those of `Spread.draw` or of `Robustness`: stiffness, motor
    inertia, phi. It is for the law in continuous time; sampling takes some of the margin. Needs
    springs without damping.

    >>> import numpy as np, closedform as cf
    >>> from closedform.elastic import Decoupling, Spread, robustness_condition
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=0.5, degree=7)
    >>> plants = Spread(stiffness=0.05).draw(arm, 20, np.random.default_rng(0))
    >>> fast, slow = (robustness_condition(Decoupling(arm, [-w] * 4), move, plants) for w in (200, 20))
    >>> int(fast.holds.sum()), int(slow.holds.sum()), bool(fast.stable.all())
    (20, 13, True)
    """
    instance("robustness_condition: control", control, Decoupling)
    robot = control.robot
    robot.require("inverse_dynamics")
    if robot.variable:
        raise ArgumentError("robustness_condition: the stiffness is variable; it takes constant ones")
    require_trajectory("robustness_condition", trajectory, robot.joint_names)
    n, size = robot.nv, 2 * robot.nv + robot.links.phi.size
    plants = finite(
        "robustness_condition: parameters", real_array("robustness_condition: parameters", parameters)
    )
    if plants.ndim != 2 or plants.shape[-1] != size or not len(plants):
        raise ArgumentError(
            f"robustness_condition: parameters has shape {plants.shape}; expected (runs, {size}): stiffness "
            "and motor inertia of each joint, phi of all links"
        )
    if not (plants[:, : 2 * n] > 0).all():
        low = plants[:, : 2 * n].min()
        raise ArgumentError(
            f"robustness_condition: parameters has a stiffness or motor inertia of {low:g}; expected "
            "positive ones"
        )
    count = whole_number("robustness_condition: instants", instants, 2, MOST_INSTANTS)
    if len(plants) * count * 20 * n * n > MOST_ENTRIES:
        raise ArgumentError(
            f"robustness_condition: {len(plants)} plants at {count} instants are too many numbers; take fewer"
        )
    t = np.linspace(0.0, trajectory.duration, count)
    sizes, growth = np.empty((len(plants), count, len(POWERS), 3, 4)), np.empty((len(plants), count))
    weights = _powers(robot.links.mass_matrix(trajectory(trajectory.duration / 2)))
    for k, at in enumerate(t):
        slope = _slopes(control, trajectory.derivatives(at, 4), plants)
        growth[:, k] = np.linalg.eigvals(_chain(control) + slope).real.max(axis=-1)
        sizes[:, k] = np.stack([_block_norms(slope[:, n:], weight) for weight in weights], axis=1)
    return Condition(t, np.stack([_gains(control, weight) for weight in weights]), sizes, growth)


def _powers(M: Array) -> list[Array]:
    """Return powers of a mass matrix, as weights of the joints."""
    values, vectors = np.linalg.eigh(M)
    return [np.asarray((vectors * values**power) @ vectors.T) for power in POWERS]


def _block_norms(matrix: Array, weight: Array) -> Array:
    """Return the norms of the blocks over the joints of matrices (..., r nv, c nv), (..., r, c)."""
    n = len(weight)
    rows, columns = matrix.shape[-2] // n, matrix.shape[-1] // n
    blocks = np.moveaxis(matrix.reshape(*matrix.shape[:-2], rows, n, columns, n), -2, -3)
    return np.asarray(np.linalg.norm(weight @ blocks @ np.linalg.inv(weight), 2, axis=(-2, -1)))


def _chain(control: Decoupling) -> Array:
    """Return the system matrix of four integrators per joint with error feedback, (4 nv, 4 nv)."""
    n = control.robot.nv
    A = np.eye(4 * n, k=n)
    for i, gains in enumerate(control.gains):
        A[3 * n :, i * n : (i + 1) * n] = -np.diag(gains)
    return A


def _gains(control: Decoupling, weight: Array) -> Array:
    """Return the largest gains over all frequencies from the split errors to the errors, (4, 3)."""
    n, A = control.robot.nv, _chain(control)
    fastest = np.abs(np.linalg.eigvals(A)).max()
    s = 1j * fastest * FREQUENCIES[:, None, None]
    response = np.linalg.inv(s * np.eye(4 * n) - A)[..., n:]
    return np.asarray(_block_norms(response, weight).max(axis=0))


def _slopes(control: Decoupling, motion: tuple[Array, ...], plants: Array) -> Array:
    """Return the derivatives of (0, eta_1, eta_2, eta_3) by (q, q', a, j), (runs, 4 nv, 4 nv)."""
    robot = control.robot
    n = robot.nv
    theta, thetad, _ = robot.motor_motion(*motion)
    y = np.concatenate([*motion[:2], theta, thetad])
    units = np.eye(5 * n)
    of_eta, of_chain = _kernel(robot, control.torque_sensors)(
        y, motion[4], plants[:, None], units[:, : 4 * n], units[:, 4 * n :]
    )
    by_state, by_command = np.split(np.swapaxes(of_eta, -1, -2), [4 * n], axis=-1)
    by_chain = by_state @ np.linalg.inv(of_chain[0, : 4 * n].T)
    feedback = np.concatenate([np.diag(each) for each in control.gains], axis=-1)
    slope = np.zeros((len(plants), 4 * n, 4 * n))
    slope[:, n:] = by_chain - by_command @ feedback
    return slope


@lru_cache(maxsize=16)
def _kernel(robot: ElasticJointRobot, torque_sensors: bool) -> Kernel:
    """Return the kernel (y, s, parameters, dy, ds) -> derivatives of eta and of (q, q', a, j) along (dy, ds).

    y is the state that the law sees; the true one differs from it with torque sensors.
    """
    n, sizes = robot.nv, (robot.nv, robot.nv, robot.links.phi.size)
    state, s, p = [SX.sym(name, n) for name in STATE], SX.sym("s", n), SX.sym("p", sum(sizes))
    K, B, phi = ca.vertsplit(p, [0, n, 2 * n, sum(sizes)])
    model, true = robot.plant(), robot.plant([K], motor_inertia=B, phi=phi)
    ratio = K / model.K if torque_sensors else SX.ones(n)
    q, qd, theta, thetad = state
    actual = (
        q,
        qd,
        q / model.N + (theta - q / model.N) / ratio,
        qd / model.N + (thetad - qd / model.N) / ratio,
    )
    (u,) = decoupling(model, q, qd, theta, thetad, s)
    _, qdd, true_thetad, thetadd = ca.vertsplit(state_rate(true, *[*actual, u]), n)
    seen = [qd, qdd]
    seen += [x / model.N + ratio * (y - x / model.N) for x, y in ((qd, true_thetad), (qdd, thetadd))]
    a, j = link_derivatives(model, q, qd, theta, thetad)
    y, dy, ds = ca.vertcat(*state), SX.sym("dy", 4 * n), SX.sym("ds", n)
    onward = ca.jtimes(ca.vertcat(a, j), y, ca.vertcat(*seen))
    eta = ca.vertcat(qdd - a, onward[:n] - j, onward[n:] - s)
    of_eta = ca.jtimes(eta, ca.vertcat(y, s), ca.vertcat(dy, ds))
    of_chain = ca.jtimes(ca.vertcat(q, qd, a, j), y, dy)
    name = "split_errors_of_sensors" if torque_sensors else "split_errors"
    return compiled(
        name,
        [("y", y), ("s", s), ("parameters", p), ("dy", dy), ("ds", ds)],
        [("of_eta", of_eta), ("of_chain", of_chain)],
        "Return how split errors of the model depend on what the law sees.",
        f"elastic {robot.robot.name!r}",
    )
