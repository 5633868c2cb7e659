"""Simulated logs of mechanisms with loops, and their torques by Pinocchio's tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import closedform as cf
from closedform.loops.closing import driven_model
from identification_logs import Array, Losses
from oracles.loop_peer import LoopPeer

REACH = {"five_bar": 0.11, "planar_3rrr": 0.15, "delta": 0.6, "gough_stewart": 0.09}
"""How far the motors of mechanisms of the catalogue move, in rad or m."""


@dataclass(frozen=True)
class Run:
    """A motion of the motors with the torques behind it: `truth` has the inertias, `losses` the friction."""

    described: Any
    truth: Any
    losses: Losses
    t: Array
    q: Array
    qd: Array
    qdd: Array
    x: Array
    exact: Array
    tau: Array

    @property
    def log(self) -> dict[str, Array]:
        """The log of the motors."""
        return {"t": self.t, "q": self.q, "tau": self.tau}


def motors_first(closed: Any) -> Any:
    """Return the mechanism in the coordinates of its motors."""
    return cf.ClosedRobot(driven_model(closed.model))


def swung(closed: Any, reach: float, seed: int, duration: float = 20.0, rate: float = 100.0) -> list[Array]:
    """Return t, q, qd, qdd of sums of five sines around the closed posture, up to 1.1 Hz."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(duration * rate)) / rate
    w = 2 * np.pi * 0.2 * (np.arange(1, 6)[:, None] + 0.3 * rng.uniform(-1, 1, (5, closed.nv)))
    a = rng.uniform(0.5, 1, w.shape) / np.arange(1, 6)[:, None]
    phase = t[:, None, None] * w + rng.uniform(0, 2 * np.pi, w.shape)
    q = (a * np.sin(phase)).sum(axis=1)
    scale = reach / np.abs(q).max(axis=0)
    qd, qdd = (a * w * np.cos(phase)).sum(axis=1), -(a * w**2 * np.sin(phase)).sum(axis=1)
    return [t, closed.neutral() + scale * q, scale * qd, scale * qdd]


def perturbed(closed: Any, seed: int) -> Any:
    """Return the mechanism with other inertias: each body up to a quarter heavier or a fifth lighter."""
    rng = np.random.default_rng(seed)
    tree = closed.model.tree
    phi = tree.phi.reshape(-1, 10) * rng.uniform(0.8, 1.25, (len(tree.bodies), 1))
    return cf.ClosedRobot(replace(closed.model, tree=tree.with_phi(phi.ravel())))


def peer_torques(closed: Any, x: Array, qd: Array, qdd: Array) -> Array:
    """Return the torques of the actuated joints by Pinocchio and rows of the loops in NumPy, one by one."""
    peer, own = LoopPeer(closed), list(closed.model.iv)
    found = []
    for xk, u, ud in zip(x, qd, qdd, strict=True):
        G = peer.embedding(xk)
        v = G @ u
        B, drift = peer.rows(xk, v)
        rest = [k for k in range(G.shape[0]) if k not in own]
        vd = np.zeros(len(v))
        vd[own] = ud
        vd[rest] = np.linalg.lstsq(B[:, rest], -drift - B[:, own] @ ud, rcond=1e-12)[0]
        found.append(peer.inverse_dynamics(xk, v, vd)[0])
    return np.array(found)


def simulated(described: Any, reach: float, seed: int, noise: float = 0.01, duration: float = 20.0) -> Run:
    """Return a run of a mechanism: other inertias than described, friction on its motors, noisy torques."""
    rng = np.random.default_rng(seed + 100)
    truth = perturbed(described, seed)
    motors = motors_first(truth)
    t, q, qd, qdd = swung(motors, reach, seed, duration)
    x = motors.assemble(q)
    tau = motors.inverse_dynamics(q, qd, qdd)
    size, speed = np.sqrt(np.mean(tau**2, axis=0)), np.sqrt(np.mean(qd**2, axis=0))
    unit = Losses.random(len(size), seed)
    losses = Losses(0.5 * unit.viscous * size / speed, 0.3 * unit.coulomb * size, 0.3 * unit.offset * size)
    exact = tau + losses.torque(qd)
    logged = exact + noise * np.sqrt(np.mean(exact**2, axis=0)) * rng.normal(size=tau.shape)
    return Run(described, truth, losses, t, q, qd, qdd, x, exact, logged)


@cache
def catalogue_run(name: str) -> Run:
    """Return a run of a mechanism of the catalogue."""
    return simulated(cf.load(name), REACH[name], 1)
