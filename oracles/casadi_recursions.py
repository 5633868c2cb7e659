"""The Newton-Euler recursion in CasADi from the numbers of a Pinocchio model, as textbooks write it."""

from __future__ import annotations

import casadi as ca
import pinocchio as pin
from casadi import SX, Function

AXES = {"RX": 0, "RY": 1, "RZ": 2}
"""Turning joints by the last letters of Pinocchio's name."""


def turn(axis: int, angle: SX) -> SX:
    """Return the rotation about a coordinate axis, from the turned frame."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = SX.eye(3)
    R[i, i] = R[j, j] = ca.cos(angle)
    R[j, i] = ca.sin(angle)
    R[i, j] = -ca.sin(angle)
    return ca.densify(R)


def compact(model: pin.Model) -> Function:
    """Return inverse dynamics with rotations, vectors and inertias about the centres of mass."""
    q, qd, qdd = (SX.sym(name, model.nv) for name in ("q", "qd", "qdd"))
    zero = SX.zeros(3)
    w, v, dw, dv = [zero], [zero], [zero], [ca.densify(SX(-model.gravity.linear))]
    force: list[SX] = [zero]
    moment: list[SX] = [zero]
    turns, shifts = [SX.eye(3)], [zero]
    for i in range(1, model.njoints):
        parent, axis = model.parents[i], AXES[model.joints[i].shortname()[-2:]]
        k = model.joints[i].idx_v
        place, body = model.jointPlacements[i], model.inertias[i]
        R, p = ca.mtimes(SX(place.rotation), turn(axis, q[k])), SX(place.translation)
        e = SX.zeros(3)
        e[axis] = 1
        wi = ca.mtimes(R.T, w[parent]) + e * qd[k]
        vi = ca.mtimes(R.T, v[parent] - ca.cross(p, w[parent]))
        dwi = ca.mtimes(R.T, dw[parent]) + e * qdd[k] + ca.cross(wi, e * qd[k])
        dvi = ca.mtimes(R.T, dv[parent] - ca.cross(p, dw[parent])) + ca.cross(vi, e * qd[k])
        m, c, inertia = body.mass, SX(body.lever), SX(body.inertia)
        momentum = m * (vi - ca.cross(c, wi))
        spin = ca.mtimes(inertia, wi) + ca.cross(c, momentum)
        f = m * (dvi - ca.cross(c, dwi))
        n = ca.mtimes(inertia, dwi) + ca.cross(c, f)
        force.append(f + ca.cross(wi, momentum))
        moment.append(n + ca.cross(wi, spin) + ca.cross(vi, momentum))
        for chain, each in zip((w, v, dw, dv, turns, shifts), (wi, vi, dwi, dvi, R, p), strict=True):
            chain.append(each)
    tau = SX.zeros(model.nv)
    for i in range(model.njoints - 1, 0, -1):
        parent = model.parents[i]
        tau[model.joints[i].idx_v] = moment[i][AXES[model.joints[i].shortname()[-2:]]]
        f = ca.mtimes(turns[i], force[i])
        force[parent] += f
        moment[parent] += ca.mtimes(turns[i], moment[i]) + ca.cross(shifts[i], f)
    return Function("compact", [q, qd, qdd], [tau + model.armature * qdd], ["q", "qd", "qdd"], ["tau"])
