"""Pinocchio as the oracle of a URDF with a list of loops (robot.yaml): the file is read here, not by us.

Joints are those of Pinocchio's URDF reader; the list makes some of them spherical, universal or fixed, and
gives pairs of frames that coincide (6d) or whose origins do (3d). Nothing is shared with the library but the
names of joints: `state` takes its coordinates and velocities of all joints to Pinocchio's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import yaml

AXES = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}

STARTS = 40
"""Postures from which the least-squares search starts, the first without any turn."""


class ParallelRobot:
    """A URDF and its list of loops in Pinocchio."""

    def __init__(self, path: Path, constraints: Path, locked: Sequence[str] = ()) -> None:
        """Read both files; joints that are `locked` stay at zero."""
        table = yaml.safe_load(Path(constraints).read_text())
        self.model, fixed = _retyped(pin.buildModelFromUrdf(str(path)), table)
        fixed += [self.model.getJointId(name) for name in locked]
        if fixed:
            self.model = pin.buildReducedModel(self.model, fixed, pin.neutral(self.model))
        self.data = self.model.createData()
        self.pairs = [[self._frame(name) for name in pair] for pair in table["closed_loop"]]
        kinds = table.get("type", ["6d"] * len(self.pairs))
        self.counts = [3 if kind.lower() == "3d" else 6 for kind in kinds]

    def _frame(self, name: str) -> int:
        assert self.model.existFrame(name), name
        return int(self.model.getFrameId(name))

    def slope(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual of all loops, in m and rad, and its derivative by velocities."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        residual, slopes = [], []
        for (a, b), count in zip(self.pairs, self.counts, strict=True):
            M = self.data.oMf[a].actInv(self.data.oMf[b])
            J_a, J_b = (pin.getFrameJacobian(self.model, self.data, each, pin.LOCAL) for each in (a, b))
            J = J_b - M.inverse().action @ J_a
            residual += [M.translation, pin.log3(M.rotation)][: count // 3]
            slopes += [M.rotation @ J[:3], pin.Jlog3(M.rotation) @ J[3:]][: count // 3]
        return np.concatenate(residual), np.vstack(slopes)

    def closest(self, starts: int = STARTS) -> float:
        """Return the least norm of the residual that Levenberg and Marquardt's method finds."""
        rng, found, home = np.random.default_rng(0), np.inf, pin.neutral(self.model)
        for k in range(starts):
            turn = np.pi * k / starts * rng.uniform(-1, 1, self.model.nv)
            found = min(found, self._descended(pin.integrate(self.model, home, turn)))
            if found < 1e-12:
                break
        return found

    def _descended(self, q: np.ndarray) -> float:
        (c, J), damping = self.slope(q), 1e-3
        for _ in range(400):
            step = -np.linalg.solve(J.T @ J + damping * np.eye(self.model.nv), J.T @ c)
            ahead = pin.integrate(self.model, q, step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-300)))
            c_ahead, J_ahead = self.slope(ahead)
            gain = c @ c - c_ahead @ c_ahead
            if gain > 0:
                q, c, J, damping = ahead, c_ahead, J_ahead, max(damping / 5, 1e-12)
                if gain < 1e-12 * (c @ c):
                    break
            else:
                damping *= 4
            if damping > 1e10 or c @ c < 1e-28:
                break
        return float(np.linalg.norm(c))

    def state(
        self, robot: Any, x: np.ndarray, v: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, int]]:
        """Return q, v and tau of our coordinates, velocities and torques of all joints.

        And where those velocities are that are the same on both sides. A universal joint is two hinges on
        both sides; a ball may be three hinges on ours, with torques J^-T tau of the angular velocity J v.
        """
        q_out, v_out, tau_out = pin.neutral(self.model), *np.zeros((2, self.model.nv))
        same, hinges = dict[int, int](), dict[str, list[Any]]()
        for body in robot.model.tree.bodies:
            whole, _, part = body.joint_name.rpartition("/")
            if self.model.existJointName(body.joint_name) or not part.isdigit():
                joint = self._joint(body.joint_name)
            elif self.model.existJointName(whole):
                hinges.setdefault(whole, []).append(body)
                continue
            else:
                names = [name for name in self.model.names if name[:-2] == whole and name[-2] == "_"]
                joint = self._joint(names[int(part) - 1])
            own = slice(joint.idx_v, joint.idx_v + joint.nv)
            q = x[body.iq : body.iq + body.joint.nq]
            if joint.nq > len(q):  # a joint without limits has cosine and sine there
                q = np.array([np.cos(q[0]), np.sin(q[0])])
            q_out[joint.idx_q : joint.idx_q + joint.nq] = q
            v_out[own], tau_out[own] = v[body.velocities], tau[body.velocities]
            same |= {body.iv + k: joint.idx_v + k for k in range(joint.nv)}
        for name, bodies in hinges.items():
            joint, places = self._joint(name), [body.iv for body in bodies]
            J = np.column_stack([turned(bodies, x, np.eye(len(v))[k])[1] for k in places])
            own = slice(joint.idx_v, joint.idx_v + 3)
            q_out[joint.idx_q : joint.idx_q + 4] = pin.Quaternion(turned(bodies, x, v)[0]).coeffs()
            v_out[own], tau_out[own] = J @ v[places], np.linalg.solve(J.T, tau[places])
        return q_out, v_out, tau_out, same

    def _joint(self, name: str) -> Any:
        return self.model.joints[self.model.getJointId(name)]

    def constraint_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return the accelerations of Pinocchio's constraint dynamics."""
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for (a, b), count in zip(self.pairs, self.counts, strict=True):
            frames = [self.model.frames[k] for k in (a, b)]
            ends = [part for frame in frames for part in (frame.parentJoint, frame.placement)]
            kind = pin.ContactType.CONTACT_3D if count == 3 else pin.ContactType.CONTACT_6D
            models.append(pin.RigidConstraintModel(kind, self.model, *ends, pin.ReferenceFrame.LOCAL))
            datas.append(models[-1].createData())
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, models, datas)
        settings = pin.ProximalSettings(1e-14, 1e-10, 100)
        return pin.constraintDynamics(self.model, data, q, v, tau, models, datas, settings).copy()


def turned(hinges: list[Any], x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the turn of hinges in a row about one point, and its angular velocity in body axes."""
    R, w = np.eye(3), np.zeros(3)
    for body in hinges:
        e = body.joint.X[:3, 0]
        turn = pin.exp3(e * x[body.iq])
        R, w = R @ turn, turn.T @ w + e * v[body.iv]
    return R, w


def _retyped(plain: pin.Model, table: dict[str, Any]) -> tuple[pin.Model, list[int]]:
    """Return a model with joints of the kinds that the list says, and those that are to be fixed."""
    kinds = dict(zip(table.get("joint_name", []), table.get("joint_type", []), strict=True))
    model, new, fixed = pin.Model(), {0: 0}, []
    for j in range(1, plain.njoints):
        name, kind = plain.names[j], kinds.get(plain.names[j], "")
        parent, place, joint = new[plain.parents[j]], plain.jointPlacements[j], plain.joints[j]
        if kind == "SPHERICAL":
            joint = pin.JointModelSpherical()
        elif kind.startswith("UJOINT"):
            first, second = kind[-2:]
            parent = model.addJoint(parent, AXES[first](), place, f"{name}_{first}")
            name, place, joint = f"{name}_{second}", pin.SE3.Identity(), AXES[second]()
        new[j] = model.addJoint(parent, joint, place, name)
        model.appendBodyToJoint(new[j], plain.inertias[j], pin.SE3.Identity())
        fixed += [new[j]] if kind == "FIXED" else []
    for frame in plain.frames[1:]:
        model.addFrame(pin.Frame(frame.name, new[frame.parentJoint], frame.placement, frame.type), False)
    return model, fixed
