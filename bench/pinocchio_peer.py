"""Pinocchio as the oracle: our states and results in its coordinates, from the URDF alone.

Mimic joints are read from the URDF and projected here, q_full = G q + offset, so that the
comparison shares nothing with the library but the conventions of the README.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree

FREE = "floating_base"


def robot_data() -> Path:
    """Return the folder of example-robot-data's robots."""
    return Path(pin.__file__).resolve().parents[4] / "share" / "example-robot-data" / "robots"


class Peer:
    """A Pinocchio model driven by our coordinates (our joint names, our order, our twists)."""

    def __init__(self, path: Path, robot, floating_base: bool) -> None:
        root = pin.JointModelFreeFlyer() if floating_base else None
        arguments = (str(path), root) if floating_base else (str(path),)
        self.model = pin.buildModelFromUrdf(*arguments)
        self.model.gravity.linear = np.asarray(robot.gravity)
        self.data = self.model.createData()
        self.robot = robot
        self.mimics = _mimics(path)
        self.names = list(self.model.names)
        starts_q, starts_v, iq, iv = {}, {}, 0, 0
        for name in robot.joint_names:
            starts_q[name], starts_v[name] = iq, iv
            joint = self.model.joints[self._id(name)]
            nv = joint.nv
            ours = {6: 7, 3: 3 if "Planar" in joint.shortname() else 4}.get(nv, nv)
            iq, iv = iq + ours, iv + nv
        assert (iq, iv) == (robot.nq, robot.nv)
        self.starts_q, self.starts_v = starts_q, starts_v
        self.G = self._projection()

    def _id(self, name: str) -> int:
        return self.model.getJointId("root_joint" if name == FREE else name)

    def _driver(self, name: str) -> tuple[str, float, float]:
        """Return (driving joint, multiplier, offset) of a joint, following chains of mimics."""
        multiplier, offset = 1.0, 0.0
        while name in self.mimics:
            name, m, o = self.mimics[name]
            offset += multiplier * o
            multiplier *= m
        return name, multiplier, offset

    def _projection(self) -> np.ndarray:
        """Return G with v_pinocchio = G qd."""
        G = np.zeros((self.model.nv, self.robot.nv))
        for name in self.names[1:]:
            joint = self.model.joints[self.model.getJointId(name)]
            ours = FREE if name == "root_joint" else name
            driver, multiplier, _ = self._driver(ours)
            start = self.starts_v[driver]
            if joint.nv == 6:
                for k in range(3):
                    G[joint.idx_v + k, start + 3 + k] = 1.0
                    G[joint.idx_v + 3 + k, start + k] = 1.0
            else:
                for k in range(joint.nv):
                    G[joint.idx_v + k, start + k] = multiplier
        return G

    def q(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's configuration of ours."""
        result = np.empty(self.model.nq)
        for name in self.names[1:]:
            joint = self.model.joints[self.model.getJointId(name)]
            ours = FREE if name == "root_joint" else name
            driver, multiplier, offset = self._driver(ours)
            start = self.starts_q[driver]
            if joint.nq == 7:
                result[joint.idx_q : joint.idx_q + 7] = q[start : start + 7]
            elif joint.nv == 3:
                x, y, angle = q[start : start + 3]
                result[joint.idx_q : joint.idx_q + 4] = x, y, np.cos(angle), np.sin(angle)
            else:
                angle = multiplier * q[start] + offset
                values = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
                result[joint.idx_q : joint.idx_q + joint.nq] = values
        return result

    def inverse_dynamics(self, q, qd, qdd):
        return self.G.T @ pin.rnea(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd)

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.G.T @ M @ self.G

    def coriolis_force(self, q, qd):
        """Return C qd: Pinocchio's C is another valid factorisation."""
        C = pin.computeCoriolisMatrix(self.model, self.data, self.q(q), self.G @ qd)
        return self.G.T @ C @ self.G @ qd

    def gravity_torque(self, q):
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def forward_dynamics(self, q, qd, tau):
        if self.mimics:
            bias = self.inverse_dynamics(q, qd, np.zeros_like(qd))
            return np.linalg.solve(self.mass_matrix(q), tau - bias)
        v = self.G @ qd
        return self.G.T @ pin.aba(self.model, self.data, self.q(q), v, self.G @ tau)

    def kinetic_energy(self, q, qd):
        return pin.computeKineticEnergy(self.model, self.data, self.q(q), self.G @ qd)

    def potential_energy(self, q):
        return pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def center_of_mass(self, q):
        return pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    def com_jacobian(self, q):
        return pin.jacobianCenterOfMass(self.model, self.data, self.q(q)) @ self.G

    def external_torque(self, q, wrenches):
        full = np.zeros(self.model.nv)
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        for body, wrench in zip(self.robot.model.bodies, wrenches, strict=True):
            J = pin.getJointJacobian(
                self.model, self.data, self._id(body.joint_name), pin.ReferenceFrame.LOCAL
            )
            full += J.T @ np.concatenate([wrench[3:], wrench[:3]])
        return self.G.T @ full

    def _frame(self, frame: str) -> int:
        return self.model.getFrameId(frame, pin.FrameType.BODY)

    def pose(self, q, frame):
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self._frame(frame)].homogeneous.copy()

    def jacobian(self, q, frame):
        J = pin.computeFrameJacobian(
            self.model, self.data, self.q(q), self._frame(frame), pin.ReferenceFrame.LOCAL
        )
        return np.vstack([J[3:], J[:3]]) @ self.G

    def jacobian_dot(self, q, qd, frame):
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.G @ qd)
        pin.updateFramePlacements(self.model, self.data)
        Jd = pin.getFrameJacobianTimeVariation(
            self.model, self.data, self._frame(frame), pin.ReferenceFrame.LOCAL
        )
        return np.vstack([Jd[3:], Jd[:3]]) @ self.G


def _mimics(path: Path) -> dict[str, tuple[str, float, float]]:
    mimics = {}
    for joint in etree.parse(str(path)).getroot().findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            mimics[joint.get("name")] = (
                mimic.get("joint"),
                float(mimic.get("multiplier", 1)),
                float(mimic.get("offset", 0)),
            )
    return mimics
