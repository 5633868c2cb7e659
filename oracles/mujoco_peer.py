"""MuJoCo as the oracle: our states and results in its coordinates, from the MJCF file alone.

Linear couplings of joints are read from MuJoCo's model and projected here, q_full = G q + offset. The
free joint of MuJoCo moves by (v in the world frame; omega in the body frame), ours by (omega; v).
"""

from __future__ import annotations

import mujoco
import numpy as np

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
SIZES = {FREE: (7, 6), BALL: (4, 3)}


class MujocoPeer:
    """A MuJoCo model driven by our coordinates (our order, our quaternions, our twists)."""

    def __init__(self, model: mujoco.MjModel, robot) -> None:
        self.model = model
        self.couplings = _couplings(model)
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= (
            int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_ACTUATION) | int(off.mjDSBL_CONTACT)
        )
        self.data = mujoco.MjData(model)
        self.starts, iq, iv = {}, 0, 0
        for j in range(model.njnt):
            if j not in self.couplings:
                nq, nv = SIZES.get(int(model.jnt_type[j]), (1, 1))
                self.starts[j] = iq, iv
                iq, iv = iq + nq, iv + nv
        if (iq, iv) != (robot.nq, robot.nv):
            raise ArithmeticError(f"MuJoCo has (nq, nv) = ({iq}, {iv}), closedform ({robot.nq}, {robot.nv})")
        self.nv = iv

    def frames(self) -> dict[str, tuple[str, int]]:
        """Return the named bodies and sites by name; a site gives way to a body of its name."""
        model = self.model
        sites = {model.site(k).name: ("site", k) for k in range(model.nsite)}
        bodies = {model.body(i).name: ("body", i) for i in range(1, model.nbody)}
        return {name: place for name, place in {**sites, **bodies}.items() if name}

    def move(self, q: np.ndarray, qd: np.ndarray | None = None) -> np.ndarray:
        """Bring MuJoCo to our state; return S with qvel = S qd."""
        model, data = self.model, self.data
        S = np.zeros((model.nv, self.nv))
        for j in range(model.njnt):
            at, dof, kind = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), int(model.jnt_type[j])
            driver, multiplier, offset = self._driver(j)
            iq, iv = self.starts[driver]
            if kind == FREE:
                data.qpos[at : at + 3] = q[iq : iq + 3]
            if kind in (FREE, BALL):
                nq = SIZES[kind][0]
                data.qpos[at + nq - 4 : at + nq] = np.roll(q[iq + nq - 4 : iq + nq], 1)
                S[dof : dof + 3, iv : iv + 3] = np.eye(3)
            else:
                data.qpos[at] = multiplier * q[iq] + offset
                S[dof, iv] = multiplier
        mujoco.mj_kinematics(model, data)
        for j in np.flatnonzero(np.array(model.jnt_type) == FREE):
            dof, iv = int(model.jnt_dofadr[j]), self.starts[int(j)][1]
            S[dof : dof + 6, iv : iv + 6] = 0
            S[dof + 3 : dof + 6, iv : iv + 3] = np.eye(3)
            S[dof : dof + 3, iv + 3 : iv + 6] = data.xmat[model.jnt_bodyid[j]].reshape(3, 3)
        data.qvel[:] = 0 if qd is None else S @ qd
        return S

    def dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return M and M qdd + bias in our coordinates."""
        model, data = self.model, self.data
        S = self.move(q, qd)
        mujoco.mj_forward(model, data)
        qacc = S @ qdd
        for j in np.flatnonzero(np.array(model.jnt_type) == FREE):
            dof, iv = int(model.jnt_dofadr[j]), self.starts[int(j)][1]
            R = data.xmat[model.jnt_bodyid[j]].reshape(3, 3)
            # d/dt (R v) = R (vd + omega cross v)
            qacc[dof : dof + 3] += R @ np.cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
        M = np.zeros((model.nv, model.nv))
        for row, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, row, unit)
        return S.T @ M @ S, S.T @ (M @ qacc + data.qfrc_bias)

    def poses(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Return the pose of every named body and site."""
        self.move(q)
        data, found = self.data, {}
        for name, (kind, i) in self.frames().items():
            x, R = (data.xpos, data.xmat) if kind == "body" else (data.site_xpos, data.site_xmat)
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = R[i].reshape(3, 3), x[i]
            found[name] = T
        return found

    def _driver(self, j: int) -> tuple[int, float, float]:
        """Return (driving joint, multiplier, offset) of a joint, following chains of couplings."""
        multiplier, offset = 1.0, 0.0
        while j in self.couplings:
            j, m, o = self.couplings[j]
            multiplier, offset = multiplier * m, offset + multiplier * o
        return j, multiplier, offset


def neglected(model: mujoco.MjModel) -> float:
    """Return the largest offset of a centre of mass that MuJoCo takes for zero."""
    same = np.array(model.body_sameframe) == int(mujoco.mjtSameFrame.mjSAMEFRAME_BODY)
    return float(np.abs(np.array(model.body_ipos)[same]).max(initial=0.0))


def _couplings(model) -> dict[int, tuple[int, float, float]]:
    """Return the active linear couplings: follower to (driver, multiplier, offset)."""
    off = mujoco.mjtDisableBit
    if int(model.opt.disableflags) & (int(off.mjDSBL_EQUALITY) | int(off.mjDSBL_CONSTRAINT)):
        return {}
    found: dict[int, tuple[int, float, float]] = {}
    for k in range(model.neq):
        follower, driver, a = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k][:5]
        joint = int(model.eq_type[k]) == int(mujoco.mjtEq.mjEQ_JOINT)
        if not joint or driver < 0 or a[2:].any() or not model.eq_active0[k] or follower in found:
            continue
        end = driver
        while end in found:
            end = found[end][0]
        if end != follower:
            y0, x0 = (model.qpos0[model.jnt_qposadr[j]] for j in (follower, driver))
            found[follower] = driver, float(a[1]), float(y0 + a[0] - a[1] * x0)
    return found
