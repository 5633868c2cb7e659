"""Arrays of Pinocchio, whose model tells their order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, real_array
from ..errors import ArgumentError, shown
from ..guests import in_kind
from ..model.body import Body
from ..model.inertia import from_order, in_order
from ..robot import Robot
from .joint_order import JointOrder, Place
from .swaps import swap_halves

REMEDY = (
    "build both from one file, with a free-flyer if floating_base=True; robot.locked and "
    "pin.buildReducedModel leave joints out"
)


class Pinocchio(JointOrder):
    """Converts arrays of a Pinocchio model to those of a robot; methods that start with `to_` go back.

    `model` is a `pinocchio.Model` of the same robot, with joints of the same names in any order; a
    free-flyer may have any name. Joints that mimic others may be joints of their own there. Pinocchio is
    not imported: whatever has the model's `names`, `joints` and `inertias` will do. Arrays may have batch
    axes in front.

    >>> import tempfile
    >>> import closedform as cf
    >>> import pinocchio as pin
    >>> robot = cf.load("2r")
    >>> model = pin.buildModelFromUrdf(str(robot.to_urdf(tempfile.mkdtemp() + "/arm.urdf")))
    >>> there = cf.convert.Pinocchio(robot, model)
    >>> q = robot.random_state(0)[0]
    >>> M = there.matrix(pin.crba(model, model.createData(), there.to_q(q)))
    >>> bool(abs(M - robot.mass_matrix(q)).max() < 1e-12)
    True
    """

    def __init__(self, robot: Robot, model: Any) -> None:
        super().__init__(robot, _places(model), REMEDY)
        self.model = model
        self._numbers = np.array([place.number for place, _ in self._joints], dtype=int)

    def _problem(self, place: Place, body: Body) -> str | None:
        follows = body.coupling is not None and place.nq == place.nv == 0
        angles = place.nv == body.joint.nv and place.nq == body.joint.nq + 1  # cosine and sine of one
        return None if follows or angles else super()._problem(place, body)

    def _velocities(self, body: Body) -> tuple[int, ...]:
        return body.joint.pinocchio_order

    @in_kind
    def q(self, q: ArrayLike) -> Array:
        """Return our coordinates from Pinocchio's, which has the cosine and sine of unbounded angles."""
        given = batch_array("Pinocchio.q: q", q, self._nq)
        found = np.empty((*given.shape[:-1], self.robot.nq))
        for place, body in self._joints:
            if body.coupling is None:
                values = given[..., place.q]
                if values.shape[-1] > body.joint.nq:
                    angle = np.arctan2(values[..., -1:], values[..., -2:-1])
                    values = np.concatenate([values[..., :-2], angle], axis=-1)
                found[..., body.iq : body.iq + body.joint.nq] = values
        return found

    @in_kind
    def to_q(self, q: ArrayLike) -> Array:
        """Return Pinocchio's coordinates from ours."""
        given = batch_array("Pinocchio.to_q: q", q, self.robot.nq)
        found = np.empty((*given.shape[:-1], self._nq))
        for place, body in self._joints:
            if place.nq == 0:  # it mimics another joint there too
                continue
            values = given[..., body.iq : body.iq + body.joint.nq]
            if body.coupling is not None:
                values = body.coupling.multiplier * values + body.coupling.offset
            if place.nq > body.joint.nq:
                angle = values[..., -1:]
                values = np.concatenate([values[..., :-1], np.cos(angle), np.sin(angle)], axis=-1)
            found[..., place.q] = values
        return found

    @in_kind
    def qd(self, v: ArrayLike) -> Array:
        """Return our velocities (accelerations, limits of effort) from Pinocchio's."""
        return batch_array("Pinocchio.qd: v", v, self._nv)[..., self._place]

    @in_kind
    def to_v(self, qd: ArrayLike) -> Array:
        """Return Pinocchio's velocities (or accelerations) from ours; mimic joints have their own."""
        return self._ratio * batch_array("Pinocchio.to_v: qd", qd, self.robot.nv)[..., self._source]

    @in_kind
    def tau(self, tau: ArrayLike) -> Array:
        """Return our torques from Pinocchio's, of the same power: those of mimic joints go to drivers."""
        return self._gathered(batch_array("Pinocchio.tau: tau", tau, self._nv))

    @in_kind
    def to_tau(self, tau: ArrayLike) -> Array:
        """Return Pinocchio's torques from ours, of the same power: mimic joints have none."""
        given = batch_array("Pinocchio.to_tau: tau", tau, self.robot.nv)
        found = np.zeros((*given.shape[:-1], self._nv))
        found[..., self._place] = given
        return found

    @in_kind
    def matrix(self, A: ArrayLike) -> Array:
        """Return a matrix that maps velocities to torques (M, C, derivatives of torques) from Pinocchio's.

        Without mimic joints, also those that map to accelerations, such as the inverse of M.
        """
        given = self._rows("Pinocchio.matrix: A", A, self._nv)
        return self._gathered(self._gathered(given).swapaxes(-1, -2)).swapaxes(-1, -2)

    @in_kind
    def jacobian(self, J: ArrayLike) -> Array:
        """Return a Jacobian from Pinocchio's: of a twist (six rows), or of a point (three rows)."""
        given = real_array("Pinocchio.jacobian: J", J)
        if given.ndim < 2 or given.shape[-2] not in (3, 6) or given.shape[-1] != self._nv:
            raise ArgumentError(
                f"Pinocchio.jacobian: J has shape {given.shape}; expected (..., 6, {self._nv}) or "
                f"(..., 3, {self._nv})"
            )
        columns = self._gathered(given)
        return columns if given.shape[-2] == 3 else swap_halves(columns, -2)

    def phi(self) -> Array:
        """Return the model's inertias as `robot.phi` has them."""
        return self.parameters(_inertias(self.model, len(self._joints)).ravel())

    @in_kind
    def to_phi(self, phi: ArrayLike) -> Array:
        """Return inertial parameters as Pinocchio's dynamic parameters: (..., njoints, 10).

        The row of joint 0, what is fixed to the base, is zero.
        """
        count = len(self._joints)
        given = in_order(batch_array("Pinocchio.to_phi: phi", phi, 10 * count), "pinocchio")
        rows = given.reshape(*given.shape[:-1], count, 10)
        return self._by_joint(rows)

    @in_kind
    def parameters(self, values: ArrayLike) -> Array:
        """Return an array by our inertial parameters, ten per body on the last axis, from Pinocchio's."""
        count = len(self._joints)
        given = batch_array("Pinocchio.parameters: values", values, 10 * count)
        blocks = given.reshape(*given.shape[:-1], count, 10)[..., self._numbers - 1, :]
        return from_order(blocks.reshape(given.shape), "pinocchio")

    @in_kind
    def regressor(self, Y: ArrayLike) -> Array:
        """Return our regressor, tau = Y phi, from Pinocchio's."""
        given = self._rows("Pinocchio.regressor: Y", Y, 10 * len(self._joints))
        return self.parameters(self._gathered(given.swapaxes(-1, -2)).swapaxes(-1, -2))

    @in_kind
    def to_wrenches(self, wrenches: ArrayLike) -> Array:
        """Return wrenches on our bodies (..., bodies, 6) as Pinocchio's forces: (..., njoints, 6).

        Both are in axes of the body, about its origin. The row of joint 0, the base, is zero.
        """
        given = real_array("Pinocchio.to_wrenches: wrenches", wrenches)
        if given.shape[-2:] != (len(self._joints), 6):
            expected = f"(..., {len(self._joints)}, 6), one for each body"
            raise ArgumentError(
                f"Pinocchio.to_wrenches: wrenches have shape {given.shape}; expected {expected}"
            )
        return self._by_joint(swap_halves(given))

    def _by_joint(self, rows: Array) -> Array:
        """Return rows of our bodies as rows of joints."""
        found = np.zeros((*rows.shape[:-2], rows.shape[-2] + 1, rows.shape[-1]))
        found[..., self._numbers, :] = rows
        return found

    def _rows(self, name: str, given: ArrayLike, columns: int) -> Array:
        array = real_array(name, given)
        if array.shape[-2:] != (self._nv, columns):
            raise ArgumentError(f"{name} has shape {array.shape}; expected (..., {self._nv}, {columns})")
        return array


def _places(model: Any) -> dict[str, Place]:
    """Return number and places in q and v of the model's joints by name, without the universe."""
    try:
        found = {}
        for number, (name, joint) in enumerate(zip(list(model.names), list(model.joints), strict=True)):
            q, v = int(joint.idx_q), int(joint.idx_v)
            found[str(name)] = Place(number, slice(q, q + int(joint.nq)), slice(v, v + int(joint.nv)))
        return {name: place for name, place in found.items() if place.number > 0}
    except (AttributeError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"Pinocchio: model is {shown(model)} ({error}); expected a pinocchio.Model"
        ) from None


def _inertias(model: Any, count: int) -> Array:
    """Return Pinocchio's dynamic parameters, a row for each joint but the universe."""
    try:
        rows = [model.inertias[number].toDynamicParameters() for number in range(1, count + 1)]
    except (AttributeError, TypeError, LookupError) as error:
        raise ArgumentError(
            f"Pinocchio: the model has no inertias ({error}); expected a pinocchio.Model"
        ) from None
    return np.array(rows, dtype=float).reshape(count, 10)
