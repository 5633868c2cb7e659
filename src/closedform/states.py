"""States of a robot as arrays: at home, at random, by joint names, and against the joint limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .checks import (
    batch_array,
    choice,
    common_batch,
    finite_array,
    generator,
    not_negative,
    real_array,
    shape,
    whole_number,
)
from .errors import ArgumentError, shown
from .guests import Kind, in_kind, kind_of, sized
from .model import Model, difference, integrate, random_state
from .model.body import Body
from .model.changes import require_joint
from .model.limits import limit_distance

MAX_NUMBERS = 10**8
"""Numbers of one array of states."""

MAX_RATES = 20
"""Time derivatives of q that random states have at most."""

ARRAYS = ("q", "qd")
"""Arrays with an entry or several for each joint: coordinates, and velocities (or torques)."""


class RobotStates:
    """Methods that make arrays q and qd, and tell what is in them."""

    model: Model

    def neutral(self) -> Array:
        """Return the home coordinates: zeros, and unit quaternions."""
        return self.model.neutral()

    def random_state(
        self,
        rng: np.random.Generator | int | None = None,
        *,
        batch: int | tuple[int, ...] = (),
        order: int = 2,
    ) -> tuple[Array, ...]:
        """Return random (q, qd, qdd, ...) up to the `order`-th derivative, q within the joint limits."""
        order = whole_number("random_state: order", order, 0, MAX_RATES)
        size = shape("random_state: batch", batch)
        _check_size("random_state", size, self.model.nq)
        return random_state(self.model, generator("random_state: rng", rng), size, order)

    def integrate(self, q: ArrayLike, step: ArrayLike) -> Array:
        """Return q moved by the body-fixed displacement `step` = qd dt (nv entries), on the manifold."""
        kind, model = kind_of("integrate", q, step), self.model
        if kind is None or any(body.joint.nv > 1 for body in model.independent):
            return self._integrate(q, step)
        now, by = sized(kind, "integrate: q", q, model.nq), sized(kind, "integrate: step", step, model.nv)
        common_batch("integrate", q=tuple(now.shape[:-1]), step=tuple(by.shape[:-1]))
        moved: Array = now + by
        return moved

    @in_kind
    def _integrate(self, q: ArrayLike, step: ArrayLike) -> Array:
        model = self.model
        q, step = batch_array("integrate: q", q, model.nq), batch_array("integrate: step", step, model.nv)
        common_batch("integrate", q=q.shape[:-1], step=step.shape[:-1])
        return integrate(model, q, step)

    def difference(self, q: ArrayLike, target: ArrayLike) -> Array:
        """Return the body-fixed displacement (nv entries) that `integrate` needs to move q to a target.

        Of one-dof joints it is target - q. Ball and free joints turn the shorter way; a planar joint turns as
        its angles say, by less than a whole turn.

        >>> import closedform as cf
        >>> body = cf.load("spherical_pendulum")
        >>> q, target = body.neutral(), body.from_euler_angles([0.0, 0.0, 0.5])
        >>> body.difference(q, target).round(12).tolist()
        [0.0, 0.0, 0.5]
        """
        kind, model = kind_of("difference", q, target), self.model
        if kind is None or any(body.joint.nv > 1 for body in model.independent):
            return self._difference(q, target)
        here, there = (
            sized(kind, f"difference: {n}", x, model.nq) for n, x in (("q", q), ("target", target))
        )
        common_batch("difference", q=tuple(here.shape[:-1]), target=tuple(there.shape[:-1]))
        step: Array = there - here
        return step

    @in_kind
    def _difference(self, q: ArrayLike, target: ArrayLike) -> Array:
        nq = self.model.nq
        q, target = batch_array("difference: q", q, nq), batch_array("difference: target", target, nq)
        common_batch("difference", q=q.shape[:-1], target=target.shape[:-1])
        return difference(self.model, q, target)

    def interpolate(self, q: ArrayLike, target: ArrayLike, share: ArrayLike) -> Array:
        """Return the coordinates that are a `share` of the way from q to a target, on the manifold.

        It is q moved by that share of `difference`: quaternions turn evenly about one axis, the shorter way.
        Several shares have a batch axis each, which broadcasts with those of q and the target.

        >>> import numpy as np, closedform as cf
        >>> body = cf.load("spherical_pendulum")
        >>> target = body.from_euler_angles([0.0, 0.0, 0.5])
        >>> q = body.interpolate(body.neutral(), target, [0.0, 0.4, 1.0])
        >>> body.euler_angles(q)[:, 2].round(12).tolist()
        [0.0, 0.2, 0.5]
        """
        kind, step = kind_of("interpolate", q, target, share), self.difference(q, target)
        if kind is None:
            part: Any = finite_array("interpolate: share", share)
        else:
            part = sized(kind, "interpolate: share", share, None)
        common_batch("interpolate", share=tuple(part.shape), difference=tuple(step.shape[:-1]))
        return self.integrate(q, part[..., None] * step)

    def q(
        self,
        values: Mapping[str, ArrayLike] | None = None,
        /,
        *,
        q0: ArrayLike | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Return coordinates with some joints given by name, the others at home (or as in `q0`).

        A value may be an array: q then has its batch shape. Joints of several coordinates (a free joint
        has position and quaternion) take them on the last axis. Names that Python cannot take as
        keywords come in a mapping.

        >>> import closedform as cf
        >>> arm = cf.load("iiwa14")
        >>> arm.q(joint4=-1.5).tolist()
        [0.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0]
        >>> arm.q({"joint2": [0.1, 0.2, 0.3]}, joint4=1.0).shape
        (3, 7)
        """
        return self._by_name("q", q0, values, named)

    def qd(
        self,
        values: Mapping[str, ArrayLike] | None = None,
        /,
        *,
        qd0: ArrayLike | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Return velocities (or accelerations, or torques) of joints by name, the others zero or as in `qd0`.

        >>> import closedform as cf
        >>> cf.load("2r").qd(joint2=0.5).tolist()
        [0.0, 0.5]
        """
        return self._by_name("qd", qd0, values, named)

    def joint_index(self, name: str, array: str = "qd") -> int | slice:
        """Return where a joint is in qd (or in q, with `array="q"`): an index, or a slice if it has several.

        >>> import closedform as cf
        >>> cf.load("iiwa14").joint_index("joint4")
        3
        >>> robot = cf.load("quadruped")
        >>> robot.joint_index(robot.joint_names[0]), robot.joint_index(robot.joint_names[0], "q")
        (slice(0, 6, None), slice(0, 7, None))
        """
        choice("joint_index: array", array, ARRAYS)
        part = _part(require_joint(self.model, "joint_index", name), array)
        return part.start if part.stop - part.start == 1 else part

    def joint_values(self, q: ArrayLike, array: str = "q") -> dict[str, Any]:
        """Return the coordinates of each joint by name (with `array="qd"`, velocities): the reverse of `q`.

        A joint of one dof has a number, or an array of the batch shape.

        >>> import closedform as cf
        >>> cf.load("2r").joint_values([0.1, 0.2])
        {'joint1': 0.1, 'joint2': 0.2}
        """
        choice("joint_values: array", array, ARRAYS)
        size, name = self.model.nq if array == "q" else self.model.nv, f"joint_values: {array}"
        kind = kind_of("joint_values", q)
        given: Any = batch_array(name, q, size) if kind is None else sized(kind, name, q, size)
        found: dict[str, Any] = {}
        for body in self.model.independent:
            own = given[..., _part(body, array)]
            own = own[..., 0] if own.shape[-1] == 1 else own
            found[body.joint_name] = own if kind is not None else own.copy() if own.ndim else own.item()
        return found

    def limit_distance(self, q: ArrayLike) -> Array:
        """Return how far each joint is from the nearer of its limits, negative beyond it.

        The shape is (..., nv), in rad or m; joints without limits, and free and ball joints, are
        infinitely far. Limits of joints that follow others count for those.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.load("2r").with_joint_limits(-1.0, 2.0)
        >>> arm.limit_distance([0.5, 2.5]).tolist()
        [1.5, -0.5]
        """
        found: Array = self._distance("limit_distance: q", q)
        return found

    def within_limits(self, q: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
        """Return whether all joints are within their limits, `margin` (rad or m) away from them at least.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_joint_limits(-1.0, 2.0)
        >>> arm.within_limits([[0.5, 1.0], [0.5, 2.5]]).tolist()
        [True, False]
        """
        margin = not_negative("within_limits: margin", margin)
        within = (self._distance("within_limits: q", q) >= margin).all(axis=-1)
        return np.asarray(within) if isinstance(within, np.bool_) else within

    def _distance(self, name: str, q: Any) -> Any:
        kind, size = kind_of(name, q), self.model.nq
        if kind is None:
            return limit_distance(self.model, batch_array(name, q, size))
        return limit_distance(self.model, sized(kind, name, q, size), kind)

    def _by_name(
        self, array: str, given: Any, values: Mapping[str, ArrayLike] | None, named: Mapping[str, ArrayLike]
    ) -> Array:
        """Return an array with the entries of some joints replaced."""
        if values is not None and not isinstance(values, Mapping):
            raise ArgumentError(f"{array}: {shown(values)}; expected a mapping of joint names to values")
        twice = [name for name in values or () if name in named]
        if twice:
            raise ArgumentError(f"{array}: joint {shown(twice[0])} is given twice")
        every = {**(values or {}), **named}
        kind = kind_of(array, given, *every.values())
        default = self.model.neutral() if array == "q" else np.zeros(self.model.nv)
        size = len(default)
        start = _rows(kind, f"{array}: {array}0", default if given is None else given, size)
        parts: dict[str, tuple[slice, Any]] = {}
        for name, value in every.items():
            part = _part(require_joint(self.model, array, name), array)
            count = part.stop - part.start
            what = f"{array}: joint {name!r}"
            if count == 1:
                single = real_array(what, value) if kind is None else sized(kind, what, value, None)
                parts[name] = part, single[..., None]
            else:
                parts[name] = part, _rows(kind, what, value, count)
        batches = {name: tuple(value.shape[:-1]) for name, (_, value) in parts.items()}
        batch = common_batch(array, start=tuple(start.shape[:-1]), values=common_batch(array, **batches))
        _check_size(array, batch, size)
        if kind is not None:
            found: Array = _assembled(kind.xp, start, batch, list(parts.values()))
            return found
        result = np.empty((*batch, size))
        result[...] = start
        for part, value in parts.values():
            result[..., part] = value
        return result


def _rows(kind: Kind | None, name: str, given: Any, size: int) -> Any:
    return batch_array(name, given, size) if kind is None else sized(kind, name, given, size)


def _assembled(xp: Any, start: Any, batch: tuple[int, ...], parts: list[tuple[slice, Any]]) -> Any:
    """Return an array of another kind with parts of its last axis replaced."""
    pieces, at = [], 0
    for part, value in sorted(parts, key=lambda each: each[0].start):
        pieces += [start[..., at : part.start], value]
        at = part.stop
    pieces.append(start[..., at:])
    return xp.concatenate([xp.broadcast_to(each, (*batch, each.shape[-1])) for each in pieces], axis=-1)


def _part(body: Body, array: str) -> slice:
    """Return where the joint of a body is in q or qd."""
    return body.velocities if array == "qd" else slice(body.iq, body.iq + body.joint.nq)


def _check_size(caller: str, batch: tuple[int, ...], count: int) -> None:
    if math.prod(batch) * max(1, count) > MAX_NUMBERS:
        raise ArgumentError(f"{caller}: batch {batch} of {count} exceeds {MAX_NUMBERS} numbers")
