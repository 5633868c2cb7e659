"""Public models with loops: which load, here and in a peer, and how well their loops are closed.

CLOSEDFORM_LOOPS is a folder with clones of example-parallel-robots and of the MuJoCo menagerie. Every URDF
with a robot.yaml beside it and every MJCF file with <equality>, its own or included, is loaded, but for
scenes, which are those files with a floor. The peer of a URDF is Pinocchio, that of an MJCF file MuJoCo.

`residual` is the largest of the independent rows at some random reachable postures, per metre of the
mechanism's size; `left` is that of redundant rows, which the digits of a file may not satisfy; `peer's` is
the largest residual that the peer computes for the constraints of the file at these postures, all rows.
`dynamics` is the relative difference of accelerations: to Pinocchio's constraint dynamics of the URDF, and of
an MJCF file, at rest, to those of MuJoCo's mass matrix and bias on the null space of its equalities.

A model whose loops cannot be closed is refused. If a least-squares search in Pinocchio, from many postures,
does not close them either, the row shows how near it comes, and the peer does not count as loading it.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import closedform as cf
from closedform.description.mjcf_compile import compile_document
from closedform.description.mjcf_document import read_document
from closedform.description.xml import read_xml
from closedform.programs import evaluate
from oracles.parallel_robots import ParallelRobot, turned

SAMPLES = 5
APART = 1e-6
"""Residual of a least-squares search, in m and rad, above which loops cannot be closed."""

DIGITS = 1e-4
"""Singular value of equalities of unit length that the digits of a file explain."""


@dataclass
class Numbers:
    """What is measured of a model: residuals, and the difference of forward dynamics."""

    residual: float
    left: float
    theirs: float
    dynamics: float


def run(quick: bool = False) -> None:
    """Print a row for every model of the folder CLOSEDFORM_LOOPS, and how many a peer loads but we do not."""
    folder = os.environ.get("CLOSEDFORM_LOOPS", "")
    if not Path(folder).is_dir() or not folder:
        print("loop models: set CLOSEDFORM_LOOPS to a folder with clones of robots")
        return
    heads = ("dofs", "rank", "residual", "left", "peer's", "dynamics", "seconds")
    print(f"{'model':58} {'':7}" + " ".join(f"{head:>8}" for head in heads))
    counts, missed = {"closed": 0, "trees": 0, "refused": 0}, 0
    for path, constraints in models(Path(folder)):
        what, row, lost = _row(path, constraints, 1 if quick else SAMPLES)
        counts[what] += 1
        missed += lost
        print(f"{str(path.relative_to(folder))[-58:]:58} {what:7} {row}", flush=True)
    print(
        ", ".join(f"{what} {count}" for what, count in counts.items())
        + f"; loaded by a peer but not here: {missed}  target 0 {'MISSED' if missed else 'met'}"
    )


def _row(path: Path, constraints: Path | None, samples: int) -> tuple[str, str, bool]:
    """Return what became of a model, its row, and whether only the peer loads it."""
    peer, problem = _peer(path, constraints)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            robot: Any = cf.load(path, constraints=constraints)
        except cf.ClosedFormError as error:
            sentence = " ".join(str(error).split())[:160]
            apart = peer.closest() if isinstance(peer, ParallelRobot) else 0.0
            if apart > APART:
                return "refused", f"open in the peer too, least squares {apart:.3g}: {sentence}", False
            return "refused", f"peer {problem or 'loads it'}: {sentence}", peer is not None
        seconds = time.perf_counter() - start
        also = f"; peer: {problem}" if problem else ""
        if isinstance(robot, cf.Robot):
            return "trees", f"{robot.nv:8} all its equalities are mimic joints, {seconds:.1f} s{also}", False
        found = _measured(robot, path, constraints, samples)
    numbers = (found.residual, found.left, found.theirs, found.dynamics)
    row = f"{robot.nv:8} {len(robot.row_names):8} " + " ".join(f"{each:8.0e}" for each in numbers)
    return "closed", f"{row} {seconds:8.1f}{also}", False


def models(folder: Path) -> Iterator[tuple[Path, Path | None]]:
    """Yield the files of robots with loops, with their lists of constraints."""
    for constraints in sorted(folder.rglob("robot.yaml")):
        for path in sorted(constraints.parent.glob("*.urdf")):
            yield path, constraints
    for path in sorted(folder.rglob("*.xml")):
        text = path.read_text(errors="replace")
        if path.stem.endswith("scene") or path.name.startswith("scene") or "<mujoco model" not in text:
            continue
        included = [path.parent / name for name in re.findall(r'<include\s+file="([^"]+)"', text)]
        whole = "".join([text, *(each.read_text(errors="replace") for each in included if each.is_file())])
        if "<equality>" in whole and "<worldbody" in whole:
            yield path, None


def _peer(path: Path, constraints: Path | None) -> tuple[Any, str]:
    """Return the model of the peer, and why it has none or has it in part only."""
    try:
        if constraints is not None:
            return ParallelRobot(path, constraints), ""
        return mujoco.MjModel.from_xml_path(str(path)), ""
    except Exception as error:  # whatever a peer raises
        return None, f"does not load it ({' '.join(str(error).split())[-60:]})"


def _measured(robot: Any, path: Path, constraints: Path | None, samples: int) -> Numbers:
    """Return the residuals and the difference of forward dynamics at random postures."""
    (q,) = robot.random_state(0, batch=(samples,), order=0)
    x = robot.assemble(q)
    every = np.abs([robot._numbers.residual(each) for each in x]) / robot._numbers.size
    kept = np.zeros(every.shape[1], dtype=bool)
    kept[list(robot.model.rows)] = True
    if constraints is None:
        theirs, dynamics = _by_mujoco(robot, path, x)
    else:
        theirs, dynamics = _by_pinocchio(robot, path, constraints)
    return Numbers(every[:, kept].max(), every[:, ~kept].max(initial=0.0), theirs, dynamics)


def _moving(robot: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield some states of all joints: coordinates, velocities, torques of usual size, accelerations."""
    q, qd, qdd = robot.random_state(1, batch=(2,))
    x = robot.assemble(q)
    place = q if robot.model.explicit else x
    drawn = np.random.default_rng(2).normal(size=(len(q), len(robot.model.av)))
    torques = drawn * np.abs(evaluate(robot.program("generalized_force"), place, qd, qdd)).max()
    qdd = evaluate(robot.program("forward_dynamics"), place, qd, torques)
    v = evaluate(robot.program("joint_velocities"), place, qd)
    vd = evaluate(robot.program("joint_accelerations"), place, qd, qdd)
    yield from zip(x, v, torques, vd, strict=True)


def _by_pinocchio(robot: Any, path: Path, constraints: Path) -> tuple[float, float]:
    """Return the residual that Pinocchio computes, and the difference to its constraint dynamics.

    Pinocchio's reader leaves mimic joints free: they are locked on both sides.
    """
    tree = robot.model.tree
    drivers = {tree.bodies[each.coupling.body].joint_name for each in tree.bodies if each.coupling}
    mimics = {each.joint_name for each in tree.bodies if each.coupling}
    if mimics:
        robot = cf.load(path, constraints=constraints, locked=sorted(drivers))
    peer = ParallelRobot(path, constraints, sorted(drivers | mimics))
    peer.model.gravity.linear = np.asarray(robot.gravity)
    residual = dynamics = 0.0
    for x, v, tau, vd in _moving(robot):
        forces = np.zeros(robot.model.tree.nv)
        forces[list(robot.model.av)] = tau
        *state, same = peer.state(robot, x, v, forces)
        a = peer.constraint_dynamics(*state)[list(same.values())]
        residual = max(residual, float(np.abs(peer.slope(state[0])[0]).max()))
        dynamics = max(dynamics, float(np.abs(vd[list(same)] - a).max() / np.abs(a).max()))
    return residual, dynamics


class MujocoFile:
    """The model of an MJCF file in MuJoCo, without what has no mass, at coordinates of our joints."""

    def __init__(self, path: Path, robot: Any) -> None:
        content = path.read_bytes()
        self.model = compile_document(read_document(path, read_xml(str(path), content), len(content)))
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.data, self.tree = mujoco.MjData(self.model), robot.model.tree
        self.joints = {str(self.model.joint(j).name) or f"joint#{j}": j for j in range(self.model.njnt)}
        self.places = {  # joints of one velocity that both have, by our velocity
            body.iv: int(self.model.jnt_dofadr[self.joints[body.joint_name]])
            for body in self.tree.independent
            if body.joint_name in self.joints and body.joint.nv == 1
        }

    def placed(self, x: np.ndarray) -> None:
        """Bring MuJoCo to a posture at rest."""
        mujoco.mj_resetData(self.model, self.data)
        rods: dict[str, list[Any]] = {}
        for body in self.tree.bodies:
            c, value = body.coupling, x[body.iq : body.iq + body.joint.nq]
            if body.joint_name not in self.joints:  # a ball joint that is three hinges here
                rods.setdefault(body.joint_name.rpartition("/")[0], []).append(body)
                continue
            if c is not None:
                value = [c.multiplier * x[self.tree.bodies[c.body].iq] + c.offset]
            self._set(body.joint_name, np.r_[value[:-4], np.roll(value[-4:], 1)] if len(value) > 1 else value)
        for name, hinges in rods.items():
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, turned(hinges, x, np.zeros(self.tree.nv))[0].ravel())
            self._set(name, quaternion)
        mujoco.mj_forward(self.model, self.data)

    def _set(self, name: str, value: Any) -> None:
        place = int(self.model.jnt_qposadr[self.joints[name]])
        self.data.qpos[place : place + len(value)] = value

    @property
    def held(self) -> Any:
        """Which rows of MuJoCo's constraints are equalities."""
        return self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY

    @property
    def residual(self) -> float:
        """The largest residual of the equalities that MuJoCo computes."""
        return float(np.abs(self.data.efc_pos[self.held]).max(initial=0.0))

    def accelerations(self, torques: np.ndarray) -> np.ndarray:
        """Return accelerations at rest on the null space of MuJoCo's equalities, which hold exactly there."""
        n = self.model.nv
        M, J = np.zeros((n, n)), self.data.efc_J.reshape(-1, n)[self.held]
        mujoco.mj_fullM(self.model, self.data, M)
        norms = np.linalg.norm(J, axis=1, keepdims=True)
        _, s, V = np.linalg.svd(J / np.where(norms > DIGITS, norms, 1.0))
        N = V[int(np.sum(s > DIGITS)) :].T
        return N @ np.linalg.solve(N.T @ M @ N, N.T @ (torques - self.data.qfrc_bias))


def _by_mujoco(robot: Any, path: Path, postures: np.ndarray) -> tuple[float, float]:
    """Return the residual that MuJoCo computes, and the difference to accelerations of its equations."""
    peer, model = MujocoFile(path, robot), robot.model
    residual = dynamics = 0.0
    place = postures[:, list(model.iq)] if model.explicit else postures
    rest = np.zeros((len(postures), model.nv))
    drawn = np.random.default_rng(2).normal(size=(len(postures), len(model.av)))
    drawn[:, [k not in peer.places for k in model.av]] = 0.0
    tau = drawn * np.abs(evaluate(robot.program("generalized_force"), place, rest, rest)).max()
    qdd = evaluate(robot.program("forward_dynamics"), place, rest, tau)
    vd = evaluate(robot.program("joint_accelerations"), place, rest, qdd)
    ours, theirs = list(peer.places), list(peer.places.values())
    for x, torques, found in zip(postures, tau, vd, strict=True):
        peer.placed(x)
        residual = max(residual, peer.residual)
        full = np.zeros(peer.model.nv)
        for k, value in zip(model.av, torques, strict=True):
            if value:
                full[peer.places[k]] = value
        a = peer.accelerations(full)[theirs]
        dynamics = max(dynamics, float(np.abs(found[ours] - a).max() / np.abs(a).max()))
    return residual, dynamics
