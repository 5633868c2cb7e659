"""The flexible arm that users hold: made of links, moved by torques, planned and linearised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import flag, known_name, sized_array, text
from ..display import card, html_table
from ..guests import in_kind
from ..integration import Event
from .arguments import Damping, read_arm
from .arm_motion import ArmMotion, Torque, arm_motion
from .boundary import Boundary
from .inversion import tip_inverse_dynamics
from .joint_space import joint_inverse_dynamics
from .link import FlexibleLink
from .payload import Payload
from .portrait import portrait
from .structure import ArmStructure

OUTPUTS = ("joints", "tip", "tip_angle", "state")
"""What a linearised arm may show: joint angles, tip position, tip direction, or (q, qd)."""


class StateSpace(NamedTuple):
    """The matrices of x' = A x + B u, y = C x + D u, for small changes of x = (q, qd) and u."""

    A: Array
    B: Array
    C: Array
    D: Array


class FlexibleArm(ArmStructure):
    """A planar arm of links that bend, B(q) qdd + h(q, qd) + D qd + K q + g(q) = Q u.

    q holds the joint angles, then the modes link by link [DeLucaSiciliano1991, Eq. (25)].
    `payload` is (mass, inertia about its centre of mass) at the tip, or with that centre off the tip by
    `payload_offset`: a distance ahead, or (x, y) along and across the link's end. `gravity` is a vector
    (x, y) in the plane. `damping` is a modal damping ratio, a `Damping`, or the diagonal of D (N
    entries). `boundary` says for which inertias at the links' ends the modes are computed: those of an
    arm bent at a "right-angle", as in the paper, of the "stretched" arm, of a posture (joint angles),
    of "free" ends, or a `Tip` per link.
    `exact` keeps the products of deflections in the kinematics (1)-(7), at several times the cost; the
    paper's inertia matrix is of first order in the deflections.

    Forms are methods; all take arrays with any leading batch shape:

    >>> import numpy as np, closedform as cf
    >>> arm = cf.FlexibleArm.deluca_siciliano()
    >>> [f.round(2).tolist() for f in arm.frequencies]
    [[0.48, 1.8], [2.18, 15.91]]
    >>> arm.mass_matrix(np.zeros((1000, 6))).shape
    (1000, 6, 6)
    >>> run = arm.simulate([0, 0, 0, 0, 0.1, 0.002], np.zeros(6), None, 2.0, 1e-3)
    >>> bool(np.ptp(run.energy.total) < 1e-6 * run.energy.total[0])
    True
    """

    def __init__(
        self,
        links: Sequence[FlexibleLink],
        payload: tuple[float, float] | None = None,
        gravity: ArrayLike | None = None,
        damping: float | ArrayLike | Damping | None = None,
        *,
        payload_offset: float | ArrayLike = 0.0,
        boundary: Boundary = "right-angle",
        exact: bool = False,
        name: str = "flexible_arm",
    ) -> None:
        text("flexible arm: name", name)
        model = read_arm(links, Payload.read(payload, payload_offset), gravity, damping, boundary, exact)
        super().__init__(replace(model, name=name))

    @classmethod
    def deluca_siciliano(
        cls,
        payload: tuple[float, float] = (0.1, 0.0005),
        *,
        damped: bool = False,
        modes: int = 2,
        exact: bool = False,
        boundary: Boundary = "right-angle",
        payload_offset: float | ArrayLike = 0.0,
    ) -> FlexibleArm:
        """Return the two-link arm of [DeLucaSiciliano1991, section VII], with its nominal payload.

        `damped` adds the paper's structural damping D_i = 0.1 sqrt(K_i). The paper's frequencies are
        those of an arm bent at a right angle; stretched, its first link is slower:

        >>> import closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano(boundary="stretched")
        >>> arm.frequencies[0].round(3).tolist()
        [0.441, 1.986]

        `payload_offset`, `exact` and `boundary` as for any arm.
        """
        flag("deluca_siciliano: damped", damped)
        link = FlexibleLink(0.5, 0.2, 1.0, hub_mass=1.0, hub_inertia=0.1, modes=modes)
        make = partial(
            cls, [link, link], payload, payload_offset=payload_offset, exact=exact, name="deluca_siciliano"
        )
        arm = make(boundary=boundary)
        if not damped:
            return arm
        D = 0.1 * np.sqrt(np.diag(arm.stiffness))
        tips = [modes.tip for modes in arm.modes]
        return make(damping=D, boundary=tips)

    def __repr__(self) -> str:
        modes = ", ".join(str(len(each)) for each in self.modes)
        return f"<FlexibleArm {self.name!r}: {self.joints} link(s) of {modes} mode(s)>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the links, bent in their modes, with their frequencies."""
        header = ["link", "length [m]", "mass [kg]", "hub [kg]", "hub [kg m²]", "frequencies [Hz]"]
        rows = [
            (k, link.length, link.mass, link.hub_mass, link.hub_inertia, _listed(frequencies))
            for k, (link, frequencies) in enumerate(zip(self.links, self.frequencies, strict=True), start=1)
        ]
        mass, inertia = self.payload
        facts = f"{self.joints} link(s), {self.size} coordinates, payload {mass:g} kg and {inertia:g} kg m²"
        return card(self.name, facts, portrait(self.links, self.modes), html_table(header, rows))

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        torque: Torque = None,
        duration: float = 2.0,
        step: float = 1e-3,
        *,
        method: str = "rk4",
        events: Sequence[Event] = (),
        rtol: float = 1e-9,
        atol: float = 1e-12,
    ) -> ArmMotion:
        """Return the motion from q0, qd0 (rest) under joint torques.

        `torque`: None, (n,) all the time, (steps, n) held over each step, (steps + 1, n) at the
        nodes and linear between, or a function of time. Classical Runge-Kutta steps by default,
        a batch of initial states as one; otherwise a method of SciPy within `rtol`, `atol`.
        Raises an error when the linearised inertia matrix stops being positive definite; in a batch such
        runs are NaN from there on, with a warning. States and torques may be dask arrays; those of the
        motion are lazy then.
        """
        return arm_motion(
            self, q0, qd0, torque, duration, step, method=method, events=events, rtol=rtol, atol=atol
        )

    @in_kind
    def joint_inverse_dynamics(
        self,
        path: Any,
        step: float = 1e-3,
        *,
        duration: float | None = None,
        delta0: ArrayLike | None = None,
    ) -> ArmMotion:
        """Return the motion, with its torques `u`, whose joint angles follow a path while the links swing.

        `path` is a trajectory of the joints, or a function t -> (angles, rates, accelerations) with
        a `duration`. The links start straight, or with the mode coordinates `delta0`. Raises an error if
        the linearised inertia matrix is not positive definite along the motion.
        """
        return joint_inverse_dynamics(self, path, step, duration, delta0)

    @in_kind
    def tip_inverse_dynamics(
        self,
        path: Any,
        step: float = 1e-3,
        *,
        duration: float | None = None,
        elbow: str = "positive",
    ) -> ArmMotion:
        """Return the motion, with its torques `u`, whose tip follows a path: stable inversion.

        `path` gives the tip's angle theta + y_e / l of one link, or the tip's position (x, y) of two, as
        a trajectory or a function t -> (position, velocity, acceleration) with a `duration`. `elbow` is
        the sign of the second joint angle. The path starts and ends at rest, with a continuous
        acceleration. The motion begins before t = 0, at rest and sagging under gravity, and ends after
        the path: with these torques the tip follows without feedback.

        >>> import numpy as np, closedform as cf
        >>> link = cf.FlexibleLink(0.5, 1.0, 60.0, hub_inertia=0.05, modes=1)
        >>> arm = cf.FlexibleArm([link, link], gravity=(0, -9.81), damping=0.01)
        >>> plan = arm.tip_inverse_dynamics(cf.trajectory.polynomial([0.4, -0.5], [0.5, -0.4], duration=0.5))
        >>> bool(plan.t[0] < 0), bool(np.abs(plan.tip[-1] - [0.5, -0.4]).max() < 1e-12)
        (True, True)
        """
        return tip_inverse_dynamics(self, path, step, duration, elbow)

    @in_kind
    def linearise(
        self, q: ArrayLike, qd: ArrayLike | None = None, u: ArrayLike | None = None, output: str = OUTPUTS[0]
    ) -> StateSpace:
        """Return (A, B, C, D) about a state, for `scipy.signal.StateSpace(*...)` or `control.ss(*...)`.

        `output` is "joints" (angles), "tip" (position), "tip_angle" or "state". At rest by default.
        """
        n, N = self.joints, self.size
        here = sized_array("linearise: q", q, (N,))
        rates = sized_array("linearise: qd", np.zeros(N) if qd is None else qd, (N,))
        torque = sized_array("linearise: u", np.zeros(n) if u is None else u, (n,))
        known_name("output", output, OUTPUTS)
        A, B = self.state_matrices(here, rates, torque)
        if output == "state":
            C = np.eye(2 * N)
        else:
            slopes = np.concatenate([np.ones(n), *(modes.stacked("tip_slope") for modes in self.modes)])
            rows = {"joints": np.eye(n, N), "tip": self.tip_jacobian(here), "tip_angle": slopes[None]}[output]
            C = np.hstack([rows, np.zeros_like(rows)])
        return StateSpace(A, B, C, np.zeros((len(C), n)))


def _listed(values: Array) -> str:
    return ", ".join(f"{value:.4g}" for value in values)
