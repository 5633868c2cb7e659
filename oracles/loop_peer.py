"""Pinocchio and MuJoCo as oracles of closed loops: the spanning tree is theirs, the loops are held here.

Three routes. `kkt` solves M vd + h = tau + B^T lambda, B vd = -B' v in NumPy, with Pinocchio's M, h and
frame Jacobians and the rows of the cut joints written from relative motion. `constraint_dynamics` is
Pinocchio's own solver (balls and welds). `MujocoLoops` is MuJoCo's soft constraint, as stiff as it goes.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from lxml import etree

import closedform as cf
from closedform.model import Model
from closedform.model.body import numbered
from closedform.report.robot.pinocchio_model import peer_of

HELD = {
    "ball": ((0, 1, 2), ()),
    "hinge": ((0, 1, 2), (0, 1)),
    "universal": ((0, 1, 2), ()),
    "cylindrical": ((0, 1), (0, 1)),
    "prismatic": ((0, 1), (0, 1, 2)),
    "planar": ((2,), (0, 1)),
    "fixed": ((0, 1, 2), (0, 1, 2)),
    "distance": ((), ()),
}
"""Components of position and turn of frame B in frame A that a cut joint holds."""


class TreePeer:
    """A tree in Pinocchio, whose algorithms need joints depth first: x_theirs = x[coordinates], v[order]."""

    def __init__(self, tree: Model) -> None:
        self.places: list[int] = []  # our bodies in their order
        self._visit(tree, -1)
        new = {old: k for k, old in enumerate(self.places)} | {-1: -1}
        bodies = [replace(tree.bodies[k], parent=new[tree.bodies[k].parent]) for k in self.places]
        sorted_tree = replace(
            tree,
            bodies=numbered(bodies),
            frames=tuple(replace(each, body=new[each.body]) for each in tree.frames),
        )
        found = peer_of(sorted_tree)
        if isinstance(found, str):
            raise NotImplementedError(found)
        self.model, self.data, self.sorted_tree = found.model, found.data, sorted_tree
        ours = [tree.bodies[k] for k in self.places]
        self.coordinates = np.concatenate([np.arange(b.iq, b.iq + b.joint.nq) for b in ours])
        velocities = np.concatenate([np.arange(b.iv, b.iv + b.joint.nv) for b in ours])
        self.order = velocities[found.order]
        self.back = np.argsort(self.order)

    def _visit(self, tree: Model, parent: int) -> None:
        for k, body in enumerate(tree.bodies):
            if body.parent == parent:
                self.places.append(k)
                self._visit(tree, k)

    def frame(self, name: str) -> tuple[int, pin.SE3]:
        """Return Pinocchio's joint of a frame, and its placement there."""
        frame = self.sorted_tree.frame(name)
        T = frame.placement.copy()
        if frame.body >= 0:
            T[:3, 3] = T[:3, 3] - self.sorted_tree.bodies[frame.body].joint.centre
        return frame.body + 1, pin.SE3(T[:3, :3], T[:3, 3])


class LoopPeer(TreePeer):
    """The mechanism in Pinocchio, at coordinates and velocities of all joints in our order."""

    def __init__(self, closed: Any) -> None:
        super().__init__(closed.model.tree)
        self.closed = closed

    def mass(self, x: np.ndarray) -> np.ndarray:
        """Return the mass matrix of all joints."""
        M = pin.crba(self.model, self.data, x[self.coordinates])
        M = np.triu(M) + np.triu(M, 1).T
        return M[np.ix_(self.back, self.back)]

    def bias(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return C v + g of all joints."""
        return pin.nonLinearEffects(self.model, self.data, x[self.coordinates], v[self.order])[
            self.back
        ].copy()

    def rows(self, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return all rows B, and B' v."""
        zero = np.zeros(self.model.nv)
        pin.computeJointJacobians(self.model, self.data, x[self.coordinates])
        pin.forwardKinematics(self.model, self.data, x[self.coordinates], v[self.order], zero)
        found = [
            self._loop(each, v) if isinstance(each, cf.Loop) else self._coupling(each, x, v)
            for each in self.closed.loops
        ]
        return np.vstack([each[0] for each in found]), np.concatenate([each[1] for each in found])

    def _twist(self, name: str) -> tuple[pin.SE3, np.ndarray, np.ndarray]:
        """Return the pose of a frame, its body Jacobian (omega; v), and J' v."""
        joint, place = self.frame(name)
        swap = [3, 4, 5, 0, 1, 2]
        if joint == 0:
            return place, np.zeros((6, self.model.nv)), np.zeros(6)
        J = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL)
        J = (place.inverse().action @ J)[swap][:, self.back]
        drift = place.actInv(self.data.a[joint]).vector[swap]
        return self.data.oMi[joint] * place, J, drift

    def _loop(self, loop: cf.Loop, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        T_a, J_a, d_a = self._twist(loop.frame_a)
        T_b, J_b, d_b = self._twist(loop.frame_b)
        T = T_a.actInv(T_b)
        R, p = T.rotation, T.translation
        w_a, V_b = J_a[:3] @ v, J_b @ v
        W = R @ J_b[:3] - J_a[:3]
        P = R @ J_b[3:] - J_a[3:] + pin.skew(p) @ J_a[:3]
        w, u = W @ v, P @ v
        w_drift = np.cross(w, R @ V_b[:3]) + R @ d_b[:3] - d_a[:3]
        p_drift = np.cross(w, R @ V_b[3:]) + R @ d_b[3:] - d_a[3:] - np.cross(d_a[:3], p) - np.cross(w_a, u)
        position, rotation = HELD[loop.kind]
        B = [P[list(position)], W[list(rotation)]]
        drift = [p_drift[list(position)], w_drift[list(rotation)]]
        if loop.kind == "distance":
            B.append((p @ P)[None] / loop.length)
            drift.append(np.array([u @ u + p @ p_drift]) / loop.length)
        if loop.kind == "universal":
            y, x = R[:, 1], np.array([1.0, 0, 0])
            B.append((np.cross(y, x) @ W)[None])
            drift.append(np.array([np.cross(y, x) @ w_drift + x @ np.cross(w, np.cross(w, y))]))
        return np.vstack(B), np.concatenate(drift)

    def _coupling(self, coupling: cf.JointCoupling, x: np.ndarray, v: np.ndarray):
        bodies = {body.joint_name: body for body in self.closed.model.tree.bodies}
        row, drift = np.zeros((1, self.model.nv)), np.zeros(1)
        row[0, bodies[coupling.joint].iv] = 1
        if len(coupling.drivers) > 1:
            for name, c in zip(coupling.drivers, coupling.coefficients[1:], strict=True):
                row[0, bodies[name].iv] = -c
            return row, drift
        P = np.polynomial.Polynomial(coupling.coefficients)
        driver = bodies[coupling.drivers[0]]
        row[0, driver.iv] = -P.deriv()(x[driver.iq])
        return row, np.array([-P.deriv(2)(x[driver.iq]) * v[driver.iv] ** 2])

    def driven(self, tau: np.ndarray) -> np.ndarray:
        """Return torques of the actuated joints as forces of all joints."""
        full = np.zeros(self.model.nv)
        full[list(self.closed.model.av)] = tau
        return full

    def kkt(self, x: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations of all joints, and the joint forces B^T lambda of the loops."""
        M, h = self.mass(x), self.bias(x, v)
        B, drift = self.rows(x, v)
        n, m = B.shape[1], B.shape[0]
        K = np.block([[M, -B.T], [B, np.zeros((m, m))]])
        found = np.linalg.lstsq(K, np.concatenate([self.driven(tau) - h, -drift]), rcond=1e-12)[0]
        return found[:n], B.T @ found[n:]

    def embedding(self, x: np.ndarray) -> np.ndarray:
        """Return all velocities per independent one, from the null space of the rows."""
        B = self.rows(x, np.zeros(self.model.nv))[0]
        N = np.linalg.svd(B)[2][B.shape[1] - self.closed.nv :].T
        return N @ np.linalg.inv(N[list(self.closed.model.iv)])

    def mass_matrix(self, x: np.ndarray) -> np.ndarray:
        """Return the mass matrix of the independent coordinates."""
        G = self.embedding(x)
        return G.T @ self.mass(x) @ G

    def inverse_dynamics(self, x: np.ndarray, v: np.ndarray, vd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the least torques of the actuated joints for a motion, and B^T lambda."""
        wanted = self.mass(x) @ vd + self.bias(x, v)
        B = self.rows(x, v)[0]
        U, s, _ = np.linalg.svd(B.T)
        rank = int(np.sum(s > 1e-10 * s[0]))
        free = U[:, rank:]  # forces of loops do no work along these
        A = free.T[:, list(self.closed.model.av)]
        tau = np.linalg.lstsq(A, free.T @ wanted, rcond=1e-12)[0]
        return tau, wanted - self.driven(tau)

    def constraint_models(self) -> Any:
        """Return Pinocchio's constraints of the loops: balls and welds."""
        models = pin.StdVec_RigidConstraintModel()
        for loop in self.closed.loops:
            kind = {"ball": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}.get(
                getattr(loop, "kind", "")
            )
            if kind is None:
                raise NotImplementedError(f"Pinocchio's dynamics have no constraint like {loop}")
            (i, T_i), (j, T_j) = self.frame(loop.frame_a), self.frame(loop.frame_b)
            models.append(
                pin.RigidConstraintModel(kind, self.model, i, T_i, j, T_j, pin.ReferenceFrame.LOCAL)
            )
        return models

    def constraint_dynamics(self, x: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return accelerations of all joints by Pinocchio's constraint dynamics."""
        models = self.constraint_models()
        datas = pin.StdVec_RigidConstraintData()
        for each in models:
            datas.append(each.createData())
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, models, datas)
        settings = pin.ProximalSettings(1e-14, 1e-10, 100)
        full = self.driven(tau)[self.order]
        q = x[self.coordinates]
        a = pin.constraintDynamics(self.model, data, q, v[self.order], full, models, datas, settings)
        return a[self.back].copy()


class ContactPeer(TreePeer):
    """A robot with contacts in Pinocchio: points and fixed frames held to the world, in world axes."""

    def __init__(self, held: Any) -> None:
        super().__init__(held.model.tree)
        self.models = pin.StdVec_RigidConstraintModel()
        for contact in held.contacts:
            kind = {"point": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}[contact.kind]
            joint, place = self.frame(contact.frame)
            reference = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            self.models.append(pin.RigidConstraintModel(kind, self.model, joint, place, reference))

    def _fresh(self) -> tuple[Any, Any]:
        datas = pin.StdVec_RigidConstraintData()
        for each in self.models:
            datas.append(each.createData())
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, self.models, datas)
        return data, datas

    def forward_dynamics(self, q, qd, tau) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations, and the forces of the contacts."""
        data, datas = self._fresh()
        settings = pin.ProximalSettings(1e-14, 1e-10, 100)
        a = pin.constraintDynamics(
            self.model,
            data,
            q[self.coordinates],
            qd[self.order],
            tau[self.order],
            self.models,
            datas,
            settings,
        )
        return a[self.back].copy(), data.lambda_c.copy()

    def derivatives(self, q, qd, tau) -> list[np.ndarray]:
        """Return the derivatives of accelerations, then of forces, by q, qd and tau; rows are independent."""
        data, datas = self._fresh()
        settings = pin.ProximalSettings(1e-14, 0.0, 1)
        given = q[self.coordinates], qd[self.order], tau[self.order]
        pin.constraintDynamics(self.model, data, *given, self.models, datas, settings)
        found = pin.computeConstraintDynamicsDerivatives(self.model, data, self.models, datas, settings)
        motion = [each[np.ix_(self.back, self.back)].copy() for each in found[:3]]
        return [*motion, *(each[:, self.back].copy() for each in found[3:])]

    def impact(self, q, qd, restitution: float) -> np.ndarray:
        """Return the velocities after an impact."""
        data, datas = self._fresh()
        settings = pin.ProximalSettings(1e-14, 1e-10, 100)
        pin.impulseDynamics(
            self.model, data, q[self.coordinates], qd[self.order], self.models, datas, restitution, settings
        )
        return data.dq_after[self.back].copy()


class MujocoLoops:
    """The mechanism in MuJoCo: its tree as our MJCF file, balls and welds as stiff equalities of sites."""

    def __init__(self, closed: Any) -> None:
        self.closed = closed
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tree.xml"
            closed.tree.to_mjcf(path)
            root = etree.parse(str(path)).getroot()
        equality = etree.SubElement(root, "equality")
        for loop in closed.loops:
            tag = {"ball": "connect", "fixed": "weld"}.get(getattr(loop, "kind", ""))
            if tag is None:
                raise NotImplementedError(f"MuJoCo has no equality like {loop}")
            etree.SubElement(
                equality,
                tag,
                site1=loop.frame_b,
                site2=loop.frame_a,
                solref="-1e4 -100",
                solimp="0.9999 0.9999 0.001 0.5 2",
            )
        self.text = etree.tostring(root).decode()
        self.model = mujoco.MjModel.from_xml_string(self.text)
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self.model.opt.tolerance, self.model.opt.iterations = 0, 200
        self.data = mujoco.MjData(self.model)

    def forward_dynamics(self, x: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return accelerations of all joints at rest: MuJoCo leaves B' v out of its equalities.

        MuJoCo's equalities have a softness (1 - d) / d, d at most 0.9999; results at one, two and four times
        the least are extrapolated to none.
        """
        one, two, four = (self._softened(x, tau, k * 1e-4 / 0.9999) for k in (1, 2, 4))
        return (8 * one - 6 * two + four) / 3

    def _softened(self, x: np.ndarray, tau: np.ndarray, softness: float) -> np.ndarray:
        self.model.eq_solimp[:, :2] = 1 / (1 + softness)
        model, data = self.model, self.data
        names = {model.joint(j).name: j for j in range(model.njnt)}
        force, places = np.zeros(model.nv), np.zeros(model.nv, dtype=int)
        data.qvel[:] = 0
        for body in self.closed.model.tree.bodies:
            j = names[body.joint_name]
            q, own = int(model.jnt_qposadr[j]), x[body.iq : body.iq + body.joint.nq]
            data.qpos[q : q + len(own)] = np.roll(own, 1) if body.joint.quaternion == slice(0, 4) else own
            dof = int(model.jnt_dofadr[j])
            places[body.velocities] = np.arange(dof, dof + body.joint.nv)
        force[places[list(self.closed.model.av)]] = tau
        data.qfrc_applied[:] = force
        mujoco.mj_forward(model, data)
        return data.qacc[places].copy()
