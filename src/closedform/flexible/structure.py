"""An arm at rest: its links with their modes, its constant matrices, and its closed forms as one system."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, rows_array, sized_array, whole_number
from ..guests import called, in_kind
from ..integration import System
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from . import dynamics
from .boundary import boundary_modes
from .coefficients import Coefficients
from .following import FollowingModes, following_modes
from .link import FlexibleLink
from .methods import ArmForms
from .model import LINEAR, ArmModel, NamedConstant
from .modes import Modes

MOST_STATIONS = 1000
"""Points per link that `points` compiles."""


class ArmStructure(ArmForms):
    """What is known of an arm before it moves."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.model)

    @property
    def name(self) -> str:
        """Name of the arm."""
        return self.model.name

    @property
    def links(self) -> tuple[FlexibleLink, ...]:
        """The links from base to tip."""
        return self.model.links

    @property
    def modes(self) -> tuple[Modes, ...]:
        """The modes of each link: `arm.modes[i][j]` has beta, tip, tip_slope, v, w and is a function of x."""
        return self.model.modes

    @property
    def payload(self) -> tuple[float, float]:
        """Mass of what the tip carries, and its inertia about its centre of mass."""
        return self.model.payload.mass, self.model.payload.inertia

    @property
    def payload_offset(self) -> tuple[float, float]:
        """Where the payload's centre of mass is: ahead of the tip along the last link, and beside it."""
        return self.model.payload.ahead, self.model.payload.beside

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the plane."""
        return np.array(self.model.gravity)

    @property
    def joints(self) -> int:
        """Number of joints, n."""
        return self.model.joints

    @property
    def size(self) -> int:
        """Number of coordinates, N."""
        return self.model.size

    @property
    def frequencies(self) -> list[Array]:
        """Natural frequencies of each clamped link in Hz."""
        return [modes.stacked("frequency") for modes in self.modes]

    def modes_at(self, angles: ArrayLike) -> tuple[Modes, ...]:
        """Return the modes that the links have in a posture of the undeformed arm: joint angles (n,).

        What is beyond a link's end turns with the joints, so its modes follow the posture
        [DeLucaSiciliano1991, Eq. (28)]; those of the equations stay what `boundary` made them.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano()
        >>> [round(arm.modes_at([0, angle])[0][0].frequency, 3) for angle in (0, np.pi / 2, np.pi)]
        [0.441, 0.48, 0.531]
        """
        return boundary_modes(self.links, self.model.payload, sized_array("angles", angles, (self.joints,)))

    @in_kind
    def following_modes(self, q: ArrayLike) -> FollowingModes:
        """Return the bending in the modes that follow the posture, and their frequencies; q (..., N).

        Another set of coordinates of the same motion: the links' modes as they are with all that is
        beyond turned as it is at q, and unbent.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano()
        >>> run = arm.simulate([0, 0, 0, 0, 0.1, 0.002], None, None, 0.1)
        >>> followed = arm.following_modes(run.q)
        >>> followed.delta.shape, followed.frequencies[0].round(3).tolist()
        ((101, 4), [0.441, 1.986, 2.178, 15.915])
        """
        given, n = rows_array("q", q, self.size), self.joints
        unbent = np.where(np.arange(self.size) < n, given, 0.0)
        return following_modes(self.model, np.asarray(self.mass_matrix(unbent)), given)

    @in_kind
    def natural_frequencies(self, angles: ArrayLike, *, held: bool = False) -> Array:
        """Return the frequencies (..., N - n) in Hz of the straight-linked arm in postures (..., n).

        The square roots of the pencil (K, B): links that swing together, with the joints free to turn
        or `held`. Gravity is left out.

        >>> import closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano()
        >>> arm.natural_frequencies([[0, 0], [0, 1.57]], held=True).shape
        (2, 4)
        """
        posture, n = rows_array("angles", angles, self.joints), self.joints
        B = self.mass_matrix(np.concatenate([posture, np.zeros((*posture.shape[:-1], self.size - n))], -1))
        swinging = B[..., n:, n:]
        if not flag("held", held):
            swinging = swinging - B[..., n:, :n] @ np.linalg.solve(B[..., :n, :n], B[..., :n, n:])
        root = np.sqrt(np.diag(self.stiffness)[n:])
        squares = np.linalg.eigvalsh(np.linalg.inv(swinging) * root * root[:, None])
        return np.asarray(np.sqrt(squares) / (2 * np.pi))

    @cached_property
    def stiffness(self) -> Array:
        """The matrix K: zero for the joints, omega^2 m for the modes [DeLucaSiciliano1991, Eq. (35)]."""
        k = [np.zeros(self.joints), *(np.diag(modes.k) for modes in self.modes)]
        return _fixed(np.diag(np.concatenate(k)))

    @cached_property
    def damping(self) -> Array:
        """The matrix D: friction of the joints, structural damping of the modes."""
        return _fixed(np.diag(self.model.damping))

    @cached_property
    def input_matrix(self) -> Array:
        """The matrix Q = [I 0]^T from joint torques to generalised forces."""
        return _fixed(np.eye(self.size, self.joints))

    @cached_property
    def _linear(self) -> list[NamedConstant]:
        return self.model.symbols(LINEAR)[1]

    @property
    def parameters(self) -> Array:
        """The constants p the equations are linear in: `inverse_dynamics` is `regressor` times these."""
        return np.array([each.value for each in self._linear])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of `parameters`, such as m1, v12, z112, k21, mp, D3."""
        return tuple(each.name for each in self._linear)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates: theta1, ..., then delta11, ... by link and mode."""
        return self.model.coordinate_names

    def coefficients(self) -> Coefficients:
        """Return the named coefficients b, h, t of the paper, for two links with two modes each.

        [DeLucaSiciliano1991, Eqs. (32)-(34)]: numbers by name, letters, and what the paper prints.

        >>> import closedform as cf
        >>> named = cf.FlexibleArm.deluca_siciliano().coefficients()
        >>> round(named["b342"], 7), named.expression("t11")
        (0.0027895, -dphi11*l1 + phi11)
        """
        return Coefficients(self.model)

    def points(self, q: ArrayLike, stations: int = 21) -> Array:
        """Return points (..., n stations, 2) along the bending arm, from joint to tip of each link."""
        count = whole_number("points: stations", stations, 2, MOST_STATIONS)

        def make() -> Kernel:
            symbol = ca.SX.sym("q", self.size)
            expression = dynamics.points(self.model, self.model.numbers(), symbol, count)
            doc = "Return points along the arm."
            return compiled("points", [("q", symbol)], [("p", expression)], doc, repr(self.name))

        found: Array = called(self._kernels.beside(("points", count), make), (q,))
        return found

    @cached_property
    def system(self) -> System:
        """The arm as x' = f(x, u) with x = (q, qd) and u the joint torques."""
        q, qd, u = (ca.SX.sym(s, n) for s, n in (("q", self.size), ("qd", self.size), ("u", self.joints)))
        rate = ca.vertcat(qd, dynamics.forward_dynamics(self.model, self.model.numbers(), q, qd, u))
        return System(self.name, ca.vertcat(q, qd), rate, u)


def _restored(kind: type[ArmStructure], model: ArmModel) -> ArmStructure:
    """Return an arm from its model, without computing its modes again."""
    arm = kind.__new__(kind)
    ArmForms.__init__(arm, model)
    return arm


def _fixed(matrix: Array) -> Array:
    """Return a matrix that cannot be written to: the compiled forms would not follow."""
    matrix.flags.writeable = False
    return matrix
