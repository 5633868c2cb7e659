"""Pinocchio's model of a robot, if it is installed: another library's figures and times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...model import Model
from ...model.inertia import inertial_from_phi, transform_phi

FUNCTIONS = {
    "inverse_dynamics": "rnea",
    "forward_dynamics": "aba",
    "mass_matrix": "crba",
    "coriolis_matrix": "computeCoriolisMatrix",
    "gravity_torque": "computeGeneralizedGravity",
    "kinetic_energy": "computeKineticEnergy",
    "potential_energy": "computePotentialEnergy",
}
"""Pinocchio's function for a form."""


@dataclass(frozen=True)
class Peer:
    """A Pinocchio model in our coordinates: v_pinocchio = v[order]; q is the same."""

    version: str
    library: Any
    model: Any
    data: Any
    order: NDArray[np.intp]

    def call(self, form: str, inputs: Sequence[Array]) -> Callable[[], Any]:
        """Return a call of Pinocchio's function on one state, given in our coordinates."""
        function = getattr(self.library, FUNCTIONS[form])
        model, data = self.model, self.data
        q, *rates = (np.array(each) for each in inputs)
        arguments = (q, *(rate[self.order] for rate in rates))
        return lambda: function(model, data, *arguments)

    def value(self, form: str, inputs: Sequence[Array]) -> Array:
        """Return Pinocchio's result in our coordinates; C is given as C qd, which is unique.

        The kinetic energy is qd . M qd / 2 with its M: its own function (4.1) leaves the rotor
        inertias out if a joint's axis is not a coordinate axis.
        """
        if form == "kinetic_energy":
            q, qd = inputs
            return np.asarray(0.5 * qd @ self.value("mass_matrix", [q]) @ qd)
        result = np.array(self.call(form, inputs)(), dtype=float)
        if form == "mass_matrix":
            result = np.triu(result) + np.triu(result, 1).T
        if form == "coriolis_matrix":
            result = result @ np.asarray(inputs[1])[self.order]
        back = np.argsort(self.order)
        for axis in range(result.ndim):
            result = np.take(result, back, axis=axis)
        return result


def peer_of(model: Model) -> Peer | str:
    """Return Pinocchio's model of the same robot, or why there is none."""
    try:
        import pinocchio as pin  # noqa: PLC0415 (optional, and slow to import)
    except ImportError:
        return "Pinocchio is not installed (pip install pin)."
    joints = [body.joint.pinocchio(pin) for body in model.bodies]
    odd = [
        body.joint_name
        for body, joint in zip(model.bodies, joints, strict=True)
        if body.coupling or joint is None
    ]
    if odd:
        return f"Pinocchio has no plain joint for {odd[0]!r} (coupled or of several translations)."
    if any(body.joint.floats and body.armature for body in model.bodies):
        return "Pinocchio lets the armature of a free joint act on another acceleration."
    theirs = pin.Model()
    theirs.gravity.linear = np.array(model.gravity)
    ids: list[int] = []
    offsets: list[Array] = []
    order: list[int] = []
    armature: list[float] = []
    for body, joint in zip(model.bodies, joints, strict=True):
        before = offsets[body.parent] if body.parent >= 0 else np.eye(4)
        after = np.eye(4)
        after[:3, 3] = -body.joint.centre
        placement = before @ body.placement @ np.linalg.inv(after)
        parent = ids[body.parent] if body.parent >= 0 else 0
        ids.append(
            theirs.addJoint(parent, joint, pin.SE3(placement[:3, :3], placement[:3, 3]), body.joint_name)
        )
        offsets.append(after)
        inertial = inertial_from_phi(transform_phi(body.phi, after))
        theirs.appendBodyToJoint(
            ids[-1], pin.Inertia(inertial.mass, inertial.com, inertial.inertia), pin.SE3.Identity()
        )
        order += [body.iv + k for k in body.joint.pinocchio_order]
        armature += [body.armature] * body.joint.nv
    theirs.armature = np.array(armature)
    return Peer(pin.__version__, pin, theirs, theirs.createData(), np.array(order, dtype=np.intp))
