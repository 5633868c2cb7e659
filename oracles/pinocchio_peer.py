"""Pinocchio as the oracle: our states and results in its coordinates, from the URDF alone.

Mimic joints are read from the URDF and projected here, q_full = G q + offset, so that the
comparison shares nothing with the library but the conventions of the README.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree

from closedform.model.inertia import PINOCCHIO_ORDER

FREE = "floating_base"
EPS = float(np.finfo(float).eps)


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

    def shaken(self, seed: int = 0) -> Peer:
        """Return the peer with masses, centres of mass and placements moved by one rounding."""
        peer, rng = copy(self), np.random.default_rng(seed)
        peer.model = self.model.copy()
        for body in peer.model.inertias:
            body.mass *= 1 + EPS * rng.choice((-1, 1))
            turned = EPS * np.linalg.norm(body.lever)  # by fixed joints too: a file's pi is rounded
            body.lever = body.lever + turned * rng.choice((-1, 1), 3)
        for placement in peer.model.jointPlacements:
            placement.rotation = placement.rotation + EPS * rng.choice((-1, 1), (3, 3))
        peer.data = peer.model.createData()
        return peer

    def _id(self, name: str) -> int:
        added = name == FREE and not self.model.existJointName(FREE)  # by Pinocchio, under a name of its own
        return self.model.getJointId("root_joint" if added else name)

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

    def pushes(self, q, wrenches, reference="body"):
        """Return wrenches {frame: (moment; force)} as Pinocchio takes them: one per joint, in its axes."""
        found = [pin.Force.Zero() for _ in self.model.joints]
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        for name, wrench in wrenches.items():
            frame = self.model.frames[self._frame(name)]
            T, force = self.data.oMf[self._frame(name)], pin.Force(wrench[3:], wrench[:3])
            if reference == "world":
                force = T.actInv(force)
            elif reference == "world_aligned":
                force = pin.SE3(T.rotation, np.zeros(3)).actInv(force)
            found[frame.parentJoint] += frame.placement.act(force)
        return found

    def inverse_dynamics(self, q, qd, qdd, pushes=()):
        more = [pushes] if pushes else []
        return self.G.T @ pin.rnea(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd, *more)

    def bias_force(self, q, qd):
        return self.G.T @ pin.nonLinearEffects(self.model, self.data, self.q(q), self.G @ qd)

    def mass_matrix_inverse(self, q):
        if self.mimics:
            return np.linalg.inv(self.mass_matrix(q))
        upper = np.triu(pin.computeMinverse(self.model, self.data, self.q(q)))
        return self.G.T @ (upper + np.triu(upper, 1).T) @ self.G

    def friction_torque(self, qd):
        """Return damping and dry friction of the joints that have coordinates of their own."""
        own = [each.joint_name for each in self.robot.model.independent]
        joints = [self.model.joints[self._id(name)] for name in own]
        picked = np.concatenate([np.arange(each.idx_v, each.idx_v + each.nv) for each in joints])
        v = (self.G @ qd)[picked]
        force = np.zeros(self.model.nv)
        force[picked] = self.model.damping[picked] * v + self.model.friction[picked] * np.sign(v)
        return self.G.T @ force

    def spring_torque(self, q):
        """Return zero: Pinocchio's models have no springs, nor have the URDF files that both read."""
        return np.zeros(self.robot.nv)

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

    def forward_dynamics(self, q, qd, tau, pushes=()):
        if self.mimics:
            bias = self.inverse_dynamics(q, qd, np.zeros_like(qd), pushes)
            return np.linalg.solve(self.mass_matrix(q), tau - bias)
        v, more = self.G @ qd, [pushes] if pushes else []
        return self.G.T @ pin.aba(self.model, self.data, self.q(q), v, self.G @ tau, *more)

    def inverse_dynamics_derivatives(self, q, qd, qdd, pushes=()):
        """Return d tau / dq and d tau / dqd; both tangents are body twists of the free joint."""
        v, a, more = self.G @ qd, self.G @ qdd, [pushes] if pushes else []
        full = pin.computeRNEADerivatives(self.model, self.data, self.q(q), v, a, *more)
        return tuple(self.G.T @ each @ self.G for each in full[:2])

    def inverse_dynamics_dq(self, q, qd, qdd):
        return self.inverse_dynamics_derivatives(q, qd, qdd)[0]

    def inverse_dynamics_dqd(self, q, qd, qdd):
        return self.inverse_dynamics_derivatives(q, qd, qdd)[1]

    def inverse_dynamics_rates(self, q, qd, qdd, qddd):
        """Return tau and tau' by the chain rule."""
        dq, dqd = self.inverse_dynamics_derivatives(q, qd, qdd)
        return self.inverse_dynamics(q, qd, qdd), dq @ qd + dqd @ qdd + self.mass_matrix(q) @ qddd

    def gravity_torque_dq(self, q):
        full = pin.computeGeneralizedGravityDerivatives(self.model, self.data, self.q(q))
        return self.G.T @ full @ self.G

    def gravity_torque_dot(self, q, qd):
        return self.gravity_torque_dq(q) @ qd

    def mass_matrix_dot(self, q, qd):
        """Return M' = C + C^T, which holds for Pinocchio's C too."""
        C = pin.computeCoriolisMatrix(self.model, self.data, self.q(q), self.G @ qd)
        return self.G.T @ (C + C.T) @ self.G

    def mass_matrix_dq(self, q):
        """Return dM/dq: derivatives of the torques of unit accelerations, less those of gravity."""
        rest = np.zeros(self.robot.nv)
        gravity = self.inverse_dynamics_dq(q, rest, rest)
        units = np.eye(self.robot.nv)
        return np.stack([self.inverse_dynamics_dq(q, rest, unit) - gravity for unit in units], axis=1)

    def forward_dynamics_derivatives(self, q, qd, tau):
        """Return d qdd / dq, d qdd / dqd and M^-1; if joints mimic others, from the projected M."""
        if self.mimics:
            M = self.mass_matrix(q)
            return tuple(np.linalg.solve(M, force) for force in self.forward_forces(q, qd, tau))
        full = pin.computeABADerivatives(self.model, self.data, self.q(q), self.G @ qd, self.G @ tau)
        return tuple(self.G.T @ each @ self.G for each in full)

    def forward_forces(self, q, qd, tau):
        """Return M d qdd of forward dynamics: -d tau / dq, -d tau / dqd and the identity."""
        by = self.inverse_dynamics_derivatives(q, qd, self.forward_dynamics(q, qd, tau))
        return -by[0], -by[1], np.eye(self.robot.nv)

    def forward_dynamics_dq(self, q, qd, tau):
        return self.forward_dynamics_derivatives(q, qd, tau)[0]

    def forward_dynamics_dqd(self, q, qd, tau):
        return self.forward_dynamics_derivatives(q, qd, tau)[1]

    def forward_dynamics_dtau(self, q, qd, tau):
        return self.forward_dynamics_derivatives(q, qd, tau)[2]

    def _by_our_parameters(self, full: np.ndarray) -> np.ndarray:
        """Return the last axis, ten of Pinocchio's parameters per joint, in our bodies' and our order."""
        blocks = full.reshape(*full.shape[:-1], -1, 10)
        ours = np.empty((*full.shape[:-1], len(self.robot.model.bodies), 10))
        for k, body in enumerate(self.robot.model.bodies):
            ours[..., k, PINOCCHIO_ORDER] = blocks[..., self._id(body.joint_name) - 1, :]
        return ours.reshape(*full.shape[:-1], -1)

    def regressor(self, q, qd, qdd):
        v, a = self.G @ qd, self.G @ qdd
        Y = pin.computeJointTorqueRegressor(self.model, self.data, self.q(q), v, a)
        return self._by_our_parameters(self.G.T @ Y)

    def gravity_torque_dphi(self, q):
        rest = np.zeros(self.robot.nv)
        return self.regressor(q, rest, rest)

    def kinetic_energy_regressor(self, q, qd):
        y = pin.computeKineticEnergyRegressor(self.model, self.data, self.q(q), self.G @ qd)
        return self._by_our_parameters(y)

    def potential_energy_regressor(self, q):
        return self._by_our_parameters(pin.computePotentialEnergyRegressor(self.model, self.data, self.q(q)))

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

    def jacobian_dq(self, q, frame):
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        return self.hessian(frame, pin.ReferenceFrame.LOCAL)

    def hessian(self, frame, reference):
        """Return the kinematic Hessian of a body, whose frame is that of its joint, from its Jacobians."""
        pin.computeJointKinematicHessians(self.model, self.data)
        joint = self.model.frames[self._frame(frame)].parentJoint
        full = pin.getJointKinematicHessian(self.model, self.data, joint, reference)
        full = full.ravel().reshape(full.shape, order="F")  # its memory is read in the wrong order
        return np.einsum(
            "iab,aj,bh->ijh", np.concatenate([full[3:], full[:3]]), self.G, self.G, optimize=True
        )

    def jacobian_dot(self, q, qd, frame):
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.G @ qd)
        pin.updateFramePlacements(self.model, self.data)
        Jd = pin.getFrameJacobianTimeVariation(
            self.model, self.data, self._frame(frame), pin.ReferenceFrame.LOCAL
        )
        return np.vstack([Jd[3:], Jd[:3]]) @ self.G


def _mimics(path: Path) -> dict[str, tuple[str, float, float]]:
    mimics = {}
    for joint in etree.parse(str(path), etree.XMLParser(recover=True)).getroot().findall("{*}joint"):
        mimic = joint.find("{*}mimic")
        if mimic is not None and joint.get("type") != "fixed":
            mimics[joint.get("name")] = (
                mimic.get("joint"),
                float(mimic.get("multiplier", 1)),
                float(mimic.get("offset", 0)),
            )
    return mimics
