"""Public models with loops: which load, their degrees of freedom, and how well their loops are closed.

CLOSEDFORM_LOOPS is a folder with clones of example-parallel-robots and of the MuJoCo menagerie. Every URDF
with a robot.yaml beside it and every MJCF file with <equality> is loaded. The residual is the largest of some
random reachable postures; `MuJoCo` is the largest residual that MuJoCo itself computes for the constraints of
the file at these postures.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import closedform as cf
from closedform.description.mjcf_compile import compile_document
from closedform.description.mjcf_document import read_document
from closedform.description.xml import read_xml

SAMPLES = 5


def run(quick: bool = False) -> None:
    """Print a row for every model of the folder CLOSEDFORM_LOOPS."""
    folder = os.environ.get("CLOSEDFORM_LOOPS", "")
    if not Path(folder).is_dir() or not folder:
        print("loop models: set CLOSEDFORM_LOOPS to a folder with clones of robots")
        return
    print(f"{'model':58} {'dofs':>5} {'rank':>5} {'residual':>9} {'MuJoCo':>9} {'seconds':>8}")
    counts = {"closed": 0, "tree": 0, "refused": 0}
    for path, constraints in models(Path(folder)):
        name = str(path.relative_to(folder))[-58:]
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                robot: Any = cf.load(path, constraints=constraints)
            except cf.ClosedFormError as error:
                counts["refused"] += 1
                print(f"{name:58} refused: {' '.join(str(error).split())[:200]}", flush=True)
                continue
            seconds = time.perf_counter() - start
            if isinstance(robot, cf.Robot):
                counts["tree"] += 1
                print(f"{name:58} {robot.nv:5} tree: all its equalities are mimic joints", flush=True)
                continue
            counts["closed"] += 1
            count = 1 if quick else SAMPLES
            (q,) = robot.random_state(0, batch=(count,), order=0)
            x = robot.assemble(q)
            gap = float(np.max(robot.closure_residual(x)))
            theirs = f"{mujoco_residual(path, robot, x):9.1e}" if path.suffix == ".xml" else f"{'':9}"
        print(
            f"{name:58} {robot.nv:5} {len(robot.row_names):5} {gap:9.1e} {theirs} {seconds:8.1f}", flush=True
        )
    print(", ".join(f"{count} {what}" for what, count in counts.items()))


def models(folder: Path) -> Iterator[tuple[Path, Path | None]]:
    """Yield the files of robots with loops, with their lists of constraints."""
    for constraints in sorted(folder.rglob("robot.yaml")):
        for path in sorted(constraints.parent.glob("*.urdf")):
            yield path, constraints
    for path in sorted(folder.rglob("*.xml")):
        text = path.read_text(errors="replace")
        if "<equality>" in text and "<worldbody>" in text:
            yield path, None


def mujoco_residual(path: Path, robot: Any, postures: Any) -> float:
    """Return the largest residual of equalities that MuJoCo computes, NaN for joints of other names."""
    import mujoco  # noqa: PLC0415

    content = path.read_bytes()
    model = compile_document(read_document(path, read_xml(str(path), content), len(content)))
    data, worst = mujoco.MjData(model), 0.0
    tree = robot.model.tree
    for x in postures:
        mujoco.mj_resetData(model, data)
        for body in tree.bodies:
            c = body.coupling
            own = x[body.iq : body.iq + body.joint.nq] if c is None else None
            value = own if c is None else c.multiplier * x[tree.bodies[c.body].iq] + c.offset
            try:
                joint = data.joint(body.joint_name)
            except KeyError:
                return float("nan")  # a rod whose ball joint is three hinges here, or a joint without a name
            joint.qpos = np.r_[value[:-4], np.roll(value[-4:], 1)] if np.size(value) > 1 else value
        mujoco.mj_forward(model, data)
        rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        worst = max(worst, float(np.abs(data.efc_pos[rows]).max(initial=0.0)))
    return worst
