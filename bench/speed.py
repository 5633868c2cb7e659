"""Per-sample time of each form in a batch, against Pinocchio in C++ and Python and CasADi's C code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

from oracles.timed_robots import Contest, humanoid, panda, ur5

from .casadi_loop import casadi_loop
from .pinocchio_loop import PinocchioLoop
from .timing import interleaved

TARGETS = {
    ("Panda", "inverse_dynamics"): 25,
    ("Panda", "mass_matrix"): 5,
    ("Panda", "coriolis_matrix"): 8,
    ("Panda", "forward_dynamics"): 5,
    ("Talos (floating)", "inverse_dynamics"): 15,
    ("Talos (floating)", "mass_matrix"): 3,
    ("Talos (floating)", "coriolis_matrix"): 5,
}
"""Ratios to Pinocchio's C++ loop that the project promises."""

CPP = {
    "inverse_dynamics": "rnea",
    "mass_matrix": "crba",
    "coriolis_matrix": "coriolis",
    "forward_dynamics": "aba",
    "gravity_torque": "gravity",
    "center_of_mass": "com",
    "com_jacobian": "com_jacobian",
    "kinetic_energy": "kinetic_energy",
    "potential_energy": "potential_energy",
}
PYTHON: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": pin.rnea,
    "mass_matrix": pin.crba,
    "coriolis_matrix": pin.computeCoriolisMatrix,
    "forward_dynamics": pin.aba,
    "gravity_torque": pin.computeGeneralizedGravity,
    "center_of_mass": pin.centerOfMass,
    "com_jacobian": pin.jacobianCenterOfMass,
    "kinetic_energy": pin.computeKineticEnergy,
    "potential_energy": pin.computePotentialEnergy,
}
PYTHON_SAMPLES = 2000


def run(batch: int, quick: bool = False) -> list[dict[str, Any]]:
    """Return one row per robot and form; times are medians, in nanoseconds per sample."""
    rows = []
    for contest in (panda(), ur5(), humanoid()):
        rows += _rows(contest, batch, 0.3 if quick else 1.5)
    return rows


def _rows(contest: Contest, batch: int, seconds: float) -> list[dict[str, Any]]:
    robot, peer = contest.robot, contest.peer
    q, qd, qdd = robot.random_state(0, batch=batch)
    inputs = {"q": q, "qd": qd, "qdd": qdd, "tau": 10 * qdd}
    theirs = {
        "q": np.array([peer.q(row) for row in q]),
        **{name: np.ascontiguousarray(inputs[name] @ peer.G.T) for name in ("qd", "qdd", "tau")},
    }
    try:
        loop = PinocchioLoop(contest.model)
    except RuntimeError as error:
        print(f"no C++ loop: {error}")
        loop = None
    rows = []
    for name, algorithm in CPP.items():
        kernel = robot.kernel(name)
        ours = [inputs[each] for each in kernel.input_names]
        mirrored = [theirs[each] for each in kernel.input_names]
        out = np.empty((batch, *kernel.output_shape))
        contestants: dict[str, Callable[[], object]] = {"closedform": partial(kernel, *ours, out=out)}
        if loop is not None:
            run_loop = getattr(loop, algorithm)
            contestants["pinocchio C++"] = partial(run_loop, *mirrored, run_loop(*mirrored))
        generated = casadi_loop(robot, name)
        if generated is not None:
            contestants["casadi C"] = partial(generated, *ours, out)
        samples = [array[:PYTHON_SAMPLES] for array in mirrored]
        contestants["pinocchio Python"] = partial(_python_loop, name, contest.model, samples)
        times = interleaved(contestants, seconds=seconds)
        row: dict[str, Any] = {"robot": contest.title, "form": name, "operations": kernel.counts.total}
        for who, value in times.items():
            row[who] = value / (PYTHON_SAMPLES if who == "pinocchio Python" else batch) * 1e9
        rows.append(row)
        print(_line(row), flush=True)
    return rows


def _python_loop(name: str, model: pin.Model, samples: list[np.ndarray]) -> None:
    call, data = PYTHON[name], model.createData()
    for sample in zip(*samples, strict=True):
        call(model, data, *sample)


def _line(row: dict[str, Any]) -> str:
    text = f"{row['robot']:17s} {row['form']:17s} {row['operations']:6d} ops  "
    for who in ("closedform", "pinocchio C++", "casadi C", "pinocchio Python"):
        if who in row:
            ratio = "" if who == "closedform" else f" ({row[who] / row['closedform']:5.1f}x)"
            text += f"{who} {row[who]:8.1f} ns{ratio}  "
    target = TARGETS.get((row["robot"], row["form"]))
    if target and "pinocchio C++" in row:
        met = row["pinocchio C++"] / row["closedform"] >= target
        text += f"target {target}x {'met' if met else 'MISSED'}"
    return text
