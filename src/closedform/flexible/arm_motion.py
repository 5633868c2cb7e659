"""Simulated motions of an arm: states over time, energies, deflections, strains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import cumulative_simpson

from ..arrays import Array
from ..chart import chart
from ..checks import common_batch, finite, number, real_array, small_number, whole_number
from ..display import card, span_table, text_block
from ..errors import ArgumentError, ClosedFormError, shown, warn
from ..guests import in_kind, in_words, is_lazy, kind_of, own, sized
from ..integration import DivergenceError, Event, simulate
from ..integration.lazy_runs import LazyRuns
from ..integration.simulate import SECONDS
from ..lazy import cached_property
from .structure import ArmStructure

if TYPE_CHECKING:
    from ..scene import Scene

Torque = ArrayLike | Callable[[float], ArrayLike] | None

SMALL = 0.2
"""Deflection over length up to which it is small: the arc then differs from its chord by 2 %."""


class DeflectionWarning(UserWarning):
    """Deflections beyond the range in which the model holds."""


class DefinitenessError(ClosedFormError):
    """The linearised inertia matrix of an arm is not positive definite; `time` says when."""

    def __init__(self, message: str, time: float) -> None:
        super().__init__(message)
        self.time = time

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (str(self), self.time)


@dataclass(frozen=True)
class Energy:
    """Energies along a motion: kinetic and potential, work of the torques, loss to damping.

    `balance` is what the total has changed beyond work and loss: the error of the integration.
    """

    kinetic: Array
    potential: Array
    work: Array
    dissipated: Array

    @property
    def total(self) -> Array:
        """Kinetic plus potential energy."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> Array:
        """Total less its start, less work, plus dissipation."""
        return self.total - self.total[..., :1] - self.work + self.dissipated


@dataclass(frozen=True, repr=False)
class ArmMotion:
    """A motion of an arm: times t (k,), q and qd (..., k, N), torques u (..., k, n) at them."""

    arm: ArmStructure
    t: Array
    q: Array
    qd: Array
    u: Array
    held: bool = False
    events: tuple[list[float], ...] = field(default=())

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the coordinates over time; where they start, end and go."""
        if is_lazy(self.q):
            return text_block(repr(self)[1:-1])
        names, n = self.arm.coordinate_names, self.arm.joints
        charts = []
        if self.q.ndim == 2:
            joints, bending = self.q[:, :n], self.q[:, n:]
            charts.append(chart(self.t, joints, names[:n], "t [s]", "q [rad]", "joints"))
            charts.append(chart(self.t, bending, names[n:], "t [s]", "q", "modes"))
        return card(self.arm.name, self._facts, *charts, span_table(names, self.q))

    def __repr__(self) -> str:
        return f"<motion of {self.arm.name!r}: {self._facts}>"

    @property
    def _facts(self) -> str:
        batch = f", batch {self.q.shape[:-2]}" if self.q.ndim > 2 else ""
        if is_lazy(self.q):
            return f"still to be computed: say dask.compute(motion){batch}"
        return f"{self.t[0]:g} to {self.t[-1]:g} s in {len(self.t) - 1} steps{batch}"

    @property
    def joints(self) -> Array:
        """Joint angles (..., k, n)."""
        return self.q[..., : self.arm.joints]

    @cached_property
    def tip(self) -> Array:
        """Positions of the tip (..., k, 2)."""
        found: Array = self.arm.tip_position(self.q)
        return found

    def deflection(self, link: int, x: float | None = None) -> Array:
        """Return the deflection y (..., k) of a link (from 0) at x, by default at its end."""
        return self._along(link, x, 0)

    def strain(self, link: int, x: float, distance: float) -> Array:
        """Return the bending strain of a link at x, on a fibre at a distance from the neutral axis.

        -distance y''(x), as a strain gauge there would measure it; `distance` is half the
        thickness on the surface towards positive y.
        """
        return -number("strain: distance", distance) * self._along(link, number("strain: x", x), 2)

    def _along(self, link: int, x: float | None, derivative: int) -> Array:
        if whole_number("link", link, 0) >= self.arm.joints:
            raise ArgumentError(f"link is {shown(link)}; the arm has links 0 to {self.arm.joints - 1}")
        place = self.arm.links[link].length if x is None else number("deflection: x", x)
        shapes = self.arm.modes[link].shapes(place, derivative)
        found: Array = self.q[..., self.arm.model.parts[link]] @ own(kind_of("deflection", self.q), shapes)
        return found

    @cached_property
    @in_kind
    def energy(self) -> Energy:
        """Kinetic and potential energy, work of the torques and dissipation, from the start on."""
        arm = self.arm
        power = self.qd**2 @ arm.model.damping
        if power.any():
            dissipated = cumulative_simpson(power, x=self.t, axis=-1, initial=0.0)
        else:
            dissipated = np.zeros_like(power)
        kinetic, potential = arm.kinetic_energy(self.q, self.qd), arm.potential_energy(self.q)
        return Energy(np.asarray(kinetic), np.asarray(potential), self._work(), dissipated)

    def scene(self, magnify: float | None = None) -> Scene:
        """Return the bending arm in 3D along the motion, beside one that does not bend.

        Deflections are drawn `magnify` times as large, by default so that the largest is seen well.

        >>> import closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano()
        >>> arm.simulate([0, 0, 0, 0, 0.1, 0.002], duration=1.0, step=1e-3).scene(magnify=1.0)
        <Scene: deluca_siciliano, 241 instants from 0 to 1 s>
        """
        from .bending import bending  # noqa: PLC0415 (templates take a while to import)

        if np.ndim(self.q) != 2:
            raise ArgumentError(f"scene: q has shape {np.shape(self.q)}, many motions; expected one of them")
        factor = None if magnify is None else small_number("scene: magnify", magnify, 1e9)
        return bending(self.arm, self.t, finite("scene: q", self.q), self.u, factor).scene()

    def _work(self) -> Array:
        """Return the work of the torques: exact if they are held, else of cubics between samples."""
        n = self.arm.joints
        angle, rate = self.q[..., :n], self.qd[..., :n]
        steps = np.diff(angle, axis=-2)
        work = self.u[..., :-1, :] * steps
        if not self.held:
            h = np.diff(self.t)[:, None]
            mean = (angle[..., :-1, :] + angle[..., 1:, :]) / 2 - h * np.diff(rate, axis=-2) / 12
            work = work + np.diff(self.u, axis=-2) * (angle[..., 1:, :] - mean)
        total = np.cumsum(work.sum(-1), axis=-1)
        return np.concatenate([np.zeros_like(total[..., :1]), total], axis=-1)


def arm_motion(
    arm: ArmStructure,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    torque: Torque,
    duration: float,
    step: float,
    *,
    method: str,
    events: Sequence[Event],
    rtol: float,
    atol: float,
) -> ArmMotion:
    """Return the motion of an arm; see `FlexibleArm.simulate`."""
    given = dict(locals())  # before anything else has a name here
    lazy = LazyRuns(arm_motion, {"q0": 1, "qd0": 1, "torque": 2}, ("q0", "qd0"))
    if lazy.asked(given):
        motion: ArmMotion = lazy.run(arm.name, given, SECONDS * 2 * arm.size)[0]
        return motion
    kind = kind_of("simulate", q0, qd0, torque)
    options = {"method": method, "events": events, "rtol": rtol, "atol": atol}
    if kind is None or method != "rk4" or events or (kind.plain and not callable(torque)):
        return _numbers(arm, q0, qd0, torque, duration, step, **options)
    xp, N = kind.xp, arm.size
    start = [
        sized(kind, name, np.zeros(N) if given is None else given, N)
        for name, given in (("q0", q0), ("qd0", qd0))
    ]
    batch = common_batch(arm.name, q0=tuple(start[0].shape[:-1]), qd0=tuple(start[1].shape[:-1]))
    x0 = xp.concatenate([xp.broadcast_to(each, (*batch, N)) for each in start], axis=-1)
    run = simulate(arm.system, x0, torque, duration, step)
    return ArmMotion(arm, run.t, run.x[..., :N], run.x[..., N:], run.u, run.held)  # type: ignore[arg-type]


@in_kind
def _numbers(
    arm: ArmStructure,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    torque: Torque,
    duration: float,
    step: float,
    **options: Any,
) -> ArmMotion:
    """Return the motion from NumPy's arrays, with a warning if the model does not hold."""
    N = arm.size
    start = [_state(name, given, N) for name, given in (("q0", q0), ("qd0", qd0))]
    warn_of_deflections(arm, start[0])
    common_batch(arm.name, q0=start[0].shape[:-1], qd0=start[1].shape[:-1])
    x0 = np.concatenate(np.broadcast_arrays(*start), axis=-1)
    try:
        run = simulate(arm.system, x0, torque, duration, step, **options)
    except DivergenceError as error:
        if arm.model.exact:
            raise
        raise lost_definiteness(arm, error.time, error.state[:N]) from None
    _warn_of_lost_runs(arm, run.t, run.x)
    u = np.zeros((len(run.t), arm.joints)) if run.u is None else run.u
    return ArmMotion(arm, run.t, run.x[..., :N], run.x[..., N:], u, run.held, run.events)


def warn_of_deflections(arm: ArmStructure, q: Array) -> None:
    """Warn if an initial deflection is beyond `SMALL` times the length of its link."""
    for i, (link, modes, part) in enumerate(zip(arm.links, arm.modes, arm.model.parts, strict=True)):
        shapes = modes.shapes(np.linspace(0, link.length, 21))
        deflections = np.abs(q[..., part] @ shapes.T)
        ratio = float(deflections.max(initial=0.0)) / link.length
        if ratio > SMALL:
            warn(
                f"{arm.name}: link {i + 1} starts with a deflection of {ratio:.2g} times its length; the "
                f"model is of small deflections, up to about {SMALL:g}",
                DeflectionWarning,
            )


def _state(name: str, given: ArrayLike | None, size: int) -> Array:
    array = np.zeros(size) if given is None else real_array(name, given)
    if array.shape[-1:] != (size,):
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected (..., {size}): joint angles, then modes link by link"
        )
    return finite(name, array)


def lost_definiteness(arm: ArmStructure, time: float, q: Array) -> DefinitenessError:
    """Return the error to raise when B stops being positive definite, at or right after q."""
    least = float(np.linalg.eigvalsh(arm.mass_matrix(q))[0])
    tips = [
        abs(modes.stacked("tip") @ q[part]) for modes, part in zip(arm.modes, arm.model.parts, strict=True)
    ]
    worst = max(tip / link.length for tip, link in zip(tips, arm.links, strict=True))
    message = (
        f"{arm.name}: the inertia matrix, linearised in the deflections, loses positive definiteness at "
        f"t = {time:.6g} s (smallest eigenvalue near there {least:.3g}, tip deflection {worst:.2g} of a "
        "link's length); move less, take shorter steps, or build the arm with exact=True"
    )
    return DefinitenessError(message, time)


def _warn_of_lost_runs(arm: ArmStructure, t: Array, x: Array) -> None:
    runs = ~np.isfinite(x[..., -1, :]).all(axis=-1)
    if runs.any():
        lost = ~np.isfinite(x[runs]).all(axis=-1)
        first = t[lost.any(axis=0).argmax()]
        warn(
            f"{arm.name}: {int(runs.sum())} of {runs.size} runs lost the positive definiteness of the "
            f"inertia matrix, the first at t = {first:.6g} s; they are NaN from there on",
            DeflectionWarning,
        )
