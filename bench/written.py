"""Robots written as URDF and MJCF: Pinocchio and MuJoCo read the torques that the robot has.

Every catalogue robot and every public robot of example-robot-data, or those of the files below
`--folder`. A file that says more than the format has (a ball joint in a URDF) is refused with the reason.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import closedform as cf
from closedform.programs import evaluate, trace
from oracles.collections import is_model, rows_of
from oracles.mujoco_peer import MujocoPeer, neglected
from oracles.pinocchio_peer import Peer, robot_data

STATES = 5
TARGET = 1e-9
"""Largest difference of torques, relative to the largest one: files hold inertias about centres of mass."""

FORMATS = ("urdf", "mjcf")


def run(folder: str | None = None, jobs: int = 1) -> list[dict[str, Any]]:
    """Return one row per robot: for each format the difference, or why it is not written."""
    rows = [judge_robot(name, cf.load(name)) for name in cf.catalogue(loops=False)] if folder is None else []
    root = robot_data() if folder is None else Path(folder).resolve()
    files = [path for path in sorted(root.rglob("*")) if is_model(path)]
    for row in rows_of(files, jobs, judge):
        row["file"] = str(Path(row["file"]).relative_to(root))
        rows.append(row)
    summary(rows)
    return rows


def summary(rows: Iterable[dict[str, Any]]) -> None:
    """Print how many robots were equal, and the others one by one."""
    for each in FORMATS:
        own = [row | row[each] for row in rows if each in row]
        counts = Counter(row["cause"] for row in own)
        print(f"{each}: {len(own)} robots: " + ", ".join(f"{n} {cause}" for cause, n in counts.most_common()))
        equal = [row for row in own if row["cause"] == "equal"]
        worst = max(equal, key=lambda row: row["error"], default=None)
        if worst:
            print(f"  largest difference {worst['error']:.1e} ({worst['file']})  target {TARGET:.0e} met")
        for row in own:
            if row["cause"] in ("different", "peer refuses"):
                print(f"  {row['cause']}: {row['error']:.1e} {row['file']}: {row['reason'][:150]}")
        reasons = Counter(row["reason"].partition(": ")[2][:60] for row in own if row["cause"] == "refused")
        for reason, count in reasons.most_common(12):
            print(f"  refused {count:4d}: ... {reason}")
    unread = Counter(row["cause"] for row in rows if "cause" in row)
    print(f"not compared: {', '.join(f'{n} {cause}' for cause, n in unread.items()) or 'none'}")
    for row in rows:
        if row.get("cause") == "crashed":
            print(f"  crashed: {row['file']}: {row['reason'][:150]}")


def judge(path: Path) -> dict[str, Any]:
    """Return the row of one file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        try:
            robot = cf.load(path)
        except cf.ClosedFormError as error:
            return {"file": str(path), "cause": "not read", "reason": str(error)[:200]}
        return judge_robot(str(path), robot)


def judge_robot(name: str, robot: cf.Robot) -> dict[str, Any]:
    """Return the row of one robot."""
    if not robot.nv or not robot.model.has_inertia:
        return {"file": name, "cause": "without torques"}
    return {"file": name, "nv": robot.nv, "urdf": _urdf(robot), "mjcf": _mjcf(robot)}


def _urdf(robot: cf.Robot) -> dict[str, Any]:
    model = robot.model  # without rotors, for which a URDF has no place, on joints that follow others too
    bare = cf.Robot(replace(model, bodies=tuple(replace(body, armature=0.0) for body in model.bodies)))

    def torques(path: Path) -> Callable[..., np.ndarray]:
        peer = Peer(path, cf.load(path, gravity=robot.gravity), False)
        return peer.inverse_dynamics

    return _compared(bare, bare.to_urdf, "robot.urdf", torques)


def _mjcf(robot: cf.Robot) -> dict[str, Any]:
    found: dict[str, float] = {}

    def torques(path: Path) -> Callable[..., np.ndarray]:
        model = mujoco.MjModel.from_xml_path(str(path))
        found["neglected"] = neglected(model)
        peer = MujocoPeer(model, robot)
        return lambda *state: peer.dynamics(*state)[1]

    row = _compared(robot, robot.to_mjcf, "robot.xml", torques)
    if row["cause"] == "different" and found["neglected"]:
        reason = f"MuJoCo takes a centre of mass {found['neglected']:.1e} m off for none"
        row |= {"cause": "peer rounds", "reason": reason}
    return row


def _compared(
    robot: cf.Robot,
    write: Callable[[Path], Path],
    name: str,
    torques: Callable[[Path], Callable[..., np.ndarray]],
) -> dict[str, Any]:
    """Return how the torques of a written robot differ from its own."""
    row: dict[str, Any] = {"error": 0.0, "reason": ""}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            path = write(Path(folder) / name)
        except cf.ClosedFormError as error:
            return row | {"cause": "refused", "reason": str(error)[:200]}
        try:
            theirs = torques(path)
        except Exception as error:  # the peers raise many kinds
            return row | {"cause": "peer refuses", "reason": f"{type(error).__name__}: {str(error)[:200]}"}
    states = robot.random_state(0, batch=STATES)
    ours = np.asarray(evaluate(trace(robot.model, "inverse_dynamics", closed=False), *states))
    expected = np.array([theirs(*state) for state in zip(*states, strict=True)])
    error = float(np.abs(ours - expected).max() / max(np.abs(expected).max(), 1e-9))
    return row | {"cause": "equal" if error < TARGET else "different", "error": error}
