"""What the papers print of time and operations, beside ours in this run: `python -m bench papers`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from casadi import SX

import closedform as cf
from closedform.forms.kinematics import jacobian, pose
from closedform.forms.tree import Tree
from closedform.identification import base_parameters
from closedform.kernels import traced
from closedform.model.inertia import NAMES

from .timing import interleaved

Array = np.ndarray

EVALUATIONS = 10_000
"""Evaluations of second-order inverse dynamics that Mueller and Kumar timed."""

HEAD = ("neck_yaw", "neck_pitch", "head_pitch", "head_roll")
WRISTS = ("left_wrist_pitch", "right_wrist_pitch")
"""Joints of the bundled humanoid that TORO does not have: without them both have 25."""


class Row(NamedTuple):
    """A figure of a paper, the machine it was measured on, and ours."""

    paper: str
    what: str
    printed: str
    machine: str
    ours: str


def run(quick: bool = False) -> list[dict[str, str]]:
    """Print the table and return its rows."""
    seconds = 0.3 if quick else 2.0
    rows = [*_mueller_kumar(seconds), *_garofalo(seconds), *_gautier_khalil(), *_chang(), *_flexible(seconds)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(Row._fields))]
    for row in rows:
        print("  ".join(f"{each:{width}s}" for each, width in zip(row, widths, strict=True)).rstrip())
    print("Times on different machines: only their orders of magnitude tell something.")
    return [row._asdict() for row in rows]


def _bound(robot: cf.Robot, name: str, arrays: list[Array], **choices: Any) -> Callable[[], None]:
    """Return a bound call of a form on one sample."""
    kernel = robot.kernel(name, **choices)
    out = tuple(np.empty(shape) for shape in kernel.output_shapes)
    given = [np.ascontiguousarray(each) for each in arrays]
    return kernel.bind(*given, out=out if len(out) > 1 else out[0])


def _mueller_kumar(seconds: float) -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        arm = cf.load("iiwa14")
    motion = np.random.default_rng(0).normal(size=(5, EVALUATIONS, 7))
    single = _bound(arm, "inverse_dynamics_rates", list(motion[:, 0]), order=2)
    rates = arm.kernel("inverse_dynamics_rates", order=2)
    found = interleaved({"single": single, "batch": lambda: rates(*motion)}, seconds=seconds)
    what = f"second-order inverse dynamics of the iiwa, {EVALUATIONS} times"
    printed, machine = "16.34 s", "Core i9-7960X, 2.8 GHz"
    one, all_at_once = found["single"] * EVALUATIONS, found["batch"]
    return [
        Row("Mueller-Kumar", what, printed, machine, f"{1e3 * one:.2f} ms one by one ({16.34 / one:.0f} x)"),
        Row("", "", "", "", f"{1e3 * all_at_once:.2f} ms in one call ({16.34 / all_at_once:.0f} x)"),
    ]


def _garofalo(seconds: float) -> list[Row]:
    robot = cf.load("humanoid").subtree("pelvis").locked([*HEAD, *WRISTS])
    q, qd, qdd = robot.random_state(0)
    steps = 1e-3
    matrices = _bound(robot, "dynamic_matrices", [q, qd])
    later = _bound(robot, "dynamic_matrices", [q + steps * qd, qd + steps * qdd])
    rates = _bound(robot, "dynamic_matrices_dot", [q, qd, qdd])

    def twice() -> None:
        matrices()
        later()

    found = interleaved({"once": matrices, "twice": twice, "rates": rates}, seconds=seconds)
    ratio = found["rates"] / found["twice"]
    machine, joints = "Xeon W3530, 2.8 GHz", f"humanoid of {robot.nv} joints"
    once = found["once"]
    return [
        Row(
            "Garofalo",
            f"M, C, g of a {joints}",
            "0.244 ms",
            machine,
            f"{1e6 * once:.1f} us ({2.44e-4 / once:.0f} x)",
        ),
        Row("", "with M', C', g', over M, C, g at two instants", "0.71", "", f"{ratio:.2f}"),
    ]


def _gautier_khalil() -> list[Row]:
    puma = cf.load("puma560")
    base = base_parameters(puma)
    every = {f"{name}{k + 1}": 0.0 for k in range(len(puma.model.bodies)) for name in NAMES}
    few = dict.fromkeys(base.names, 0.0)
    law = cf.control.ComputedTorque
    counts = [law(puma, 100.0, parameters=given).program("input").counts for given in (every, few)]
    written = law(puma, 100.0).program().counts
    told = [f"{each.additions} + {each.multiplications}" for each in (*counts, written)]
    return [
        Row("Gautier-Khalil", "parameters of the PUMA 560", "36 of 60", "", f"{base.count} of {len(every)}"),
        Row("", "computed torque, additions + multiplications", "not printed", "", f"{told[0]} with 60"),
        Row("", "", "", "", f"{told[1]} with 36; {told[2]} with 36 constants"),
    ]


def _chang() -> list[Row]:
    """Count the operations of a general arm of seven revolute joints: no angle or length is special."""
    rng = np.random.default_rng(0)
    rows = [(0, alpha, d, 0.0, r) for alpha, d, r in rng.uniform(0.3, 1.2, size=(7, 3))]
    arm = cf.Robot.from_mdh(rows)
    tree, q = Tree.of(arm.model), SX.sym("q", arm.nq)
    T, J = pose(tree, q, None), jacobian(tree, q, None)
    position = traced("pose", [("q", q)], [("T", T[:3, :])]).counts
    both = traced("pose_and_jacobian", [("q", q)], [("T", T[:3, :]), ("J", J)]).counts
    first, second = (each.additions + each.multiplications for each in (position, both))
    return [
        Row("Chang", "forward kinematics of a general arm, n = 7, operations", "318", "(15)", f"{first}"),
        Row("", "the same with its Jacobian", "540", "(15), (16)", f"{second}"),
    ]


def _flexible(seconds: float) -> list[Row]:
    arm = cf.FlexibleArm.deluca_siciliano()
    start = np.array([0, np.pi / 2, 0.1, 0.002, 0, 0])
    time = interleaved({"": lambda: arm.simulate(start, None, None, 2.0, 1e-3)}, seconds=seconds)[""]
    what = "2 s of two flexible links, Runge-Kutta of order 4, 1 ms"
    return [Row("De Luca-Siciliano", what, "not printed", "", f"{1e3 * time:.1f} ms")]
