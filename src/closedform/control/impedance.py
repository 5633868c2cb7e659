"""Impedance control in task space: a frame of the arm behaves like a body on springs and dampers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np
import scipy.linalg
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, finite_array, positive, rows_array
from ..errors import ArgumentError, ClosedFormError, shown
from ..forms import Quantity
from ..forms.algebra import cross
from ..forms.elimination import Factors
from ..forms.forward import factors
from ..forms.gravity import gravity_torque
from ..forms.kinematics import jacobian, jacobian_dot, pose
from ..forms.manifold import difference, rotation_difference
from ..forms.newton_euler import inverse_dynamics
from ..forms.quantities import POSE
from ..forms.rows import ROWS, task_rows
from ..forms.tree import Tree
from ..guests import in_kind
from ..robot import Robot
from .joint_laws import DAMPING, STIFFNESS, joint_gains
from .law import Law
from .parts import Input

REFERENCES = ("body", "world_aligned")
"""What stiffness and errors are expressed in: the axes of the frame itself, or those of the base."""

TWIST = Quantity("twist_d", r"V_\mathrm{d}", "rad/s, m/s", "wanted twist (omega; v), in the law's reference")
WANTED_POSE = Quantity(
    "pose_d", r"T_\mathrm{d}", POSE.base_unit, "wanted pose of the frame in the base frame"
)
SPRING = Quantity("K", "K", "N m/rad, N/m", "stiffness of the task")
DAMPER = Quantity("D", "D", "N m s/rad, N s/m", "damping of the task")
MOBILITY = Quantity("A", r"\Lambda_\mathrm{d}^{-1}", "1/(kg m^2), 1/kg", "inverse of the wanted inertia")
POSTURE = Quantity("q_n", r"q_\mathrm{n}", "rad or m", "posture that the null space is drawn to")

DEFINITE = 1e-12
"""Least eigenvalue of a stiffness, damping or inertia, relative to its largest, that counts as negative."""


class Impedance(Law):
    """Impedance control: the frame is held at pose_d by the wrench F = K e + D (twist_d - V).

    tau = J^T F + g(q) [Hogan1985]. The error e has the rotation 2 sin(angle / 2) axis first, then the
    position; the `reference` is the frame itself ("body") or has the base's axes ("world_aligned").
    `stiffness` and
    `damping` are six numbers or 6x6; instead of the damping, `damping_ratio` with the posture `at` in
    which it holds (`task_damping`). With a wanted `inertia` (6x6) the whole dynamics is shaped:
    tau = C qd + g + J^T Lambda (inertia^-1 F - J' qd), Lambda = (J M^-1 J^T)^-1 [Khatib1987].

    `rows` takes some rows of the task ("position", "xy", ("x", "rz")). A redundant
    arm is drawn to `posture` by springs and dampers of its joints, in the null space that does
    not accelerate the frame: (I - J^T Lambda J M^-1) (kp (posture - q) - kd qd) [Khatib1987]. Lambda does
    not exist in singular postures: without null space term and inertia it is not used.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("panda")
    >>> q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> law = cf.control.Impedance(arm, [30, 30, 30, 500, 500, 500], damping_ratio=1.0, at=q)
    >>> tau = law(q, np.zeros(7), arm.pose(q), np.zeros(6))
    >>> bool(np.allclose(tau, arm.gravity_torque(q)))
    True
    """

    name = "impedance"

    def __init__(
        self,
        robot: Robot,
        stiffness: ArrayLike,
        damping: ArrayLike | None = None,
        *,
        damping_ratio: float | None = None,
        at: ArrayLike | None = None,
        frame: str | None = None,
        reference: str = "body",
        rows: str | Sequence[str] = "pose",
        inertia: ArrayLike | None = None,
        posture: ArrayLike | None = None,
        posture_stiffness: ArrayLike = 0.0,
        posture_damping: ArrayLike = 0.0,
    ) -> None:
        if not isinstance(robot, Robot):
            raise ArgumentError(f"Impedance: robot is {shown(robot)}; expected a Robot")
        self.frame = robot.model.frame(frame).name
        self.task_reference = choice("Impedance: reference", reference, REFERENCES)
        self.rows = task_rows("Impedance: rows", rows)
        size = len(self.rows)
        K = task_matrix("Impedance: stiffness", stiffness, size)
        if (damping is None) == (damping_ratio is None):
            raise ArgumentError("Impedance: give either damping, or damping_ratio with the posture at")
        if damping is not None:
            D = task_matrix("Impedance: damping", damping, size)
        elif at is None:
            raise ArgumentError("Impedance: damping_ratio holds in one posture; give it as at=q")
        else:
            D = task_damping(robot, K, damping_ratio or 0.0, at, frame=frame, reference=reference, rows=rows)
        gains: dict[str, tuple[Array, Quantity]] = {"stiffness": (K, SPRING), "damping": (D, DAMPER)}
        self.shaped, self.posed = inertia is not None, posture is not None
        if inertia is not None:
            wanted = task_matrix("Impedance: inertia", inertia, size)
            if np.linalg.eigvalsh(wanted)[0] <= DEFINITE * np.abs(wanted).max():
                raise ArgumentError("Impedance: inertia is singular; expected a positive definite matrix")
            inverse = np.linalg.inv(wanted)
            gains["mobility"] = (np.asarray(inverse, dtype=np.float64), MOBILITY)
        springs = joint_gains("Impedance: posture_stiffness", posture_stiffness, robot)
        dampers = joint_gains("Impedance: posture_damping", posture_damping, robot)
        if posture is not None:
            q_n = rows_array("Impedance: posture", posture, robot.nq)
            if q_n.ndim != 1:
                raise ArgumentError(f"Impedance: posture has shape {q_n.shape}; expected ({robot.nq},)")
            gains["posture"] = (q_n, POSTURE)
            gains |= {"posture_stiffness": (springs, STIFFNESS), "posture_damping": (dampers, DAMPING)}
        elif springs.any() or dampers.any():
            raise ArgumentError("Impedance: posture_stiffness and posture_damping need a posture")
        if robot.nv < size and (self.shaped or self.posed):
            raise ArgumentError(
                f"Impedance: {robot.nv} joints cannot move {size} rows of a task freely; choose fewer rows, "
                "such as rows='position'"
            )
        references = [Input("pose_d", (4, 4), WANTED_POSE), Input("twist_d", (size,), TWIST)]
        super().__init__(robot, references, **gains)

    @property
    def options(self) -> tuple[str, ...]:
        """Choices that change the expression."""
        frame = self.robot.model.frame(self.frame)
        place = f"{frame.body}:{frame.placement.tobytes().hex()}"
        return place, self.task_reference, repr(self.rows), repr(self.shaped), repr(self.posed)

    def torque(self, tree: Tree, q: SX, qd: SX, references: Sequence[SX], gains: Mapping[str, SX]) -> SX:
        """Return J^T F + g, with the dynamics shaped and the null space drawn to a posture if asked for."""
        T_d, V_d = references
        J, e, drift = _task(tree, q, qd, self.frame, T_d, self.task_reference)
        pick = [ROWS.index(row) for row in self.rows]
        J, e, drift = J[pick, :], e[pick], drift[pick]
        F = gains["stiffness"] @ e + gains["damping"] @ (V_d - J @ qd)
        if not (self.shaped or self.posed):
            return J.T @ F + gravity_torque(tree, q)
        M = factors(tree, q)
        Lambda = Factors(M.congruence(J.T))
        if self.shaped:
            tau = inverse_dynamics(tree, q, qd, SX.zeros(tree.nv))
            tau = tau + J.T @ Lambda.solve(gains["mobility"] @ F - drift)
        else:
            tau = J.T @ F + gravity_torque(tree, q)
        if self.posed:
            pull = gains["posture_stiffness"] * difference(tree.model, q, gains["posture"])
            pull = pull - gains["posture_damping"] * qd
            tau = tau + pull - J.T @ Lambda.solve(J @ M.solve(pull))
        return tau


def _task(tree: Tree, q: SX, qd: SX, frame: str | None, T_d: SX, reference: str) -> tuple[SX, SX, SX]:
    """Return J, the error and J' qd of a frame, in its own axes or those of the base."""
    T, J = pose(tree, q, frame), jacobian(tree, q, frame)
    R, V, drift = T[:3, :3], J @ qd, jacobian_dot(tree, q, qd, frame) @ qd
    turn, way = rotation_difference(R, T_d[:3, :3]), T_d[:3, 3] - T[:3, 3]
    if reference == "body":
        return J, ca.vertcat(turn, R.T @ way), drift
    linear = drift[3:] + cross(V[:3], V[3:])  # the axes do not turn with the frame
    return (
        ca.vertcat(R @ J[:3, :], R @ J[3:, :]),
        ca.vertcat(R @ turn, way),
        ca.vertcat(R @ drift[:3], R @ linear),
    )


@in_kind
def task_damping(
    robot: Robot,
    stiffness: ArrayLike,
    damping_ratio: float,
    at: ArrayLike,
    *,
    frame: str | None = None,
    reference: str = "body",
    rows: str | Sequence[str] = "pose",
) -> Array:
    """Return the damping that gives every mode of the task the same damping ratio in a posture.

    Double diagonalisation [AlbuSchaeffer2003]: with the task inertia Lambda = Q Q^T and the stiffness
    K = Q diag(k) Q^T, D = 2 ratio Q diag(sqrt(k)) Q^T.

    >>> import closedform as cf
    >>> arm = cf.load("panda")
    >>> D = cf.control.task_damping(arm, [300.0] * 6, 0.7, [0, -0.5, 0, -2, 0, 1.6, 0.8])
    >>> D.shape
    (6, 6)
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"task_damping: robot is {shown(robot)}; expected a Robot")
    pick = [ROWS.index(row) for row in task_rows("task_damping: rows", rows)]
    K = task_matrix("task_damping: stiffness", stiffness, len(pick))
    ratio = positive("task_damping: damping_ratio", damping_ratio)
    q = rows_array("task_damping: at", at, robot.nq)
    if q.ndim != 1:
        raise ArgumentError(f"task_damping: at has shape {q.shape}; expected ({robot.nq},)")
    J = np.asarray(robot.jacobian(q, frame=frame))
    if choice("task_damping: reference", reference, REFERENCES) == "world_aligned":
        R = np.asarray(robot.pose(q, frame=frame))[:3, :3]
        J = np.concatenate([R @ J[:3], R @ J[3:]])
    J = J[pick]
    mobility = J @ np.linalg.solve(np.asarray(robot.mass_matrix(q)), J.T)
    least, most = np.linalg.eigvalsh(mobility)[[0, -1]]
    if not least > DEFINITE * most:
        raise ClosedFormError(
            "task_damping: the posture is singular, the frame cannot move in every direction of the task; "
            "choose another posture, or fewer rows"
        )
    Lambda = np.linalg.inv((mobility + mobility.T) / 2)
    k, modes = scipy.linalg.eigh(K, (Lambda + Lambda.T) / 2)
    Q = Lambda @ modes
    D = 2 * ratio * (Q * np.sqrt(np.maximum(k, 0.0))) @ Q.T
    return np.asarray((D + D.T) / 2)


def task_matrix(name: str, given: ArrayLike, size: int) -> Array:
    """Return a symmetric matrix without negative eigenvalues, from a diagonal or the whole."""
    array = finite_array(name, given)
    if array.shape not in ((), (size,), (size, size)):
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected a number, ({size},) or ({size}, {size})"
        )
    matrix = array if array.ndim == 2 else np.diag(np.broadcast_to(array, (size,)))
    scale = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > DEFINITE * scale:
        raise ArgumentError(f"{name} is not symmetric; expected a symmetric matrix")
    matrix = (matrix + matrix.T) / 2
    least = np.linalg.eigvalsh(matrix)[0]
    if least < -DEFINITE * scale:
        raise ArgumentError(f"{name} has the eigenvalue {least:g}; expected none below 0")
    return matrix
