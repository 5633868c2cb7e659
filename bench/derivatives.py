"""What derivatives cost: against the forms they derive from, and against Pinocchio in C++."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

import closedform as cf
from oracles.pinocchio_peer import robot_data
from oracles.timed_robots import Contest, humanoid, panda

from .pinocchio_loop import PinocchioLoop
from .timing import interleaved

Array = np.ndarray
Call = Callable[[], object]

BYTES = 100_000_000
"""Size that one batch of results may take."""
HUMANOID_BATCH = 4000
FIXED = ("gripper", "head", "_7_joint", "torso_2")
"""Parts of the names of Talos' joints that are fixed, to leave the 25 of a humanoid like TORO."""


def run(batch: int, quick: bool = False) -> list[dict[str, Any]]:
    """Return one row per figure: time per sample in nanoseconds, ratio and target."""
    seconds = 0.3 if quick else 1.5
    rows = _second_order(batch, seconds) + _matrices(seconds)
    rows += _against_pinocchio(panda(), "inverse_dynamics_derivatives", "rnea_derivatives", batch, 7, seconds)
    rows += _against_pinocchio(
        humanoid(), "inverse_dynamics_derivatives", "rnea_derivatives", HUMANOID_BATCH, 5, seconds
    )
    rows += _against_pinocchio(panda(), "regressor", "regressor", batch, 3, seconds)
    rows += _against_pinocchio(panda(), "forward_dynamics_derivatives", "aba_derivatives", batch, 4, seconds)
    return rows


def _second_order(batch: int, seconds: float) -> list[dict[str, Any]]:
    """Time tau, tau', tau'' of the Panda against tau alone."""
    robot = panda().robot
    state = robot.random_state(0, batch=batch, order=4)
    times = interleaved(
        {
            "plain": _ready(robot.kernel("inverse_dynamics"), state[:3]),
            "second order": _ready(robot.kernel("inverse_dynamics_rates", order=2), state),
        },
        seconds=seconds,
    )
    ns = times["second order"] / batch * 1e9
    what = "Panda, second-order inverse dynamics"
    return [
        _row(f"{what} / plain", ns, times["second order"] / times["plain"], "x", at_most=5),
        _row(f"{what}, ns per sample", ns, ns, "ns", at_most=250),
    ]


def _matrices(seconds: float) -> list[dict[str, Any]]:
    """Time M, C, g with their rates against M, C, g, together and one by one, and against differences."""
    robot = humanoid_of_31_dofs()
    state = robot.random_state(0, batch=HUMANOID_BATCH)
    alone = [
        _ready(robot.kernel(name), state[:count])
        for name, count in (("mass_matrix", 1), ("coriolis_matrix", 2), ("gravity_torque", 1))
    ]
    times = interleaved(
        {
            "with rates": _ready(robot.kernel("dynamic_matrices_dot"), state),
            "together": _ready(robot.kernel("dynamic_matrices"), state[:2]),
            "one by one": lambda: [call() for call in alone],
            "difference": _forward_difference(robot, state),
        },
        seconds=seconds,
    )
    ns = times["with rates"] / HUMANOID_BATCH * 1e9
    what = f"humanoid of {robot.nv} dofs, M C g and rates"
    return [
        _row(f"{what} / M C g together", ns, times["with rates"] / times["together"], "x", at_most=2),
        _row(f"{what} / M, C, g one by one", ns, times["with rates"] / times["one by one"], "x", at_most=2),
        _row(
            f"{what} / a forward difference of M C g together",
            ns,
            times["with rates"] / times["difference"],
            "x",
            at_most=1,
        ),
        _row(f"{what}, us per sample", ns, ns / 1e3, "us", at_most=20),
    ]


def _forward_difference(robot: cf.Robot, state: tuple[Array, ...], step: float = 1e-6) -> Call:
    """Return a call that finds the rates of M, C, g from two evaluations, in arrays of its own."""
    kernel = robot.kernel("dynamic_matrices")
    q, qd, qdd = state
    now, ahead = (
        tuple(np.empty((len(q), *shape)) for shape in kernel.output_shapes) for _ in ("now", "ahead")
    )

    def difference() -> None:
        kernel(q, qd, out=now)
        kernel(robot.integrate(q, step * qd), qd + step * qdd, out=ahead)
        for before, after in zip(now, ahead, strict=True):
            np.subtract(after, before, out=after)
            np.divide(after, step, out=after)

    return difference


def _against_pinocchio(
    contest: Contest, name: str, algorithm: str, batch: int, target: float, seconds: float
) -> list[dict[str, Any]]:
    """Time a form against Pinocchio's algorithm in a C++ loop."""
    robot, peer = contest.robot, contest.peer
    kernel = robot.kernel(name)
    sizes = [8 * int(np.prod(shape)) for shape in kernel.output_shapes]
    batch = min(batch, BYTES // max(sizes))
    state = robot.random_state(0, batch=batch)
    try:
        loop = getattr(PinocchioLoop(contest.model), algorithm)
    except RuntimeError as error:
        print(f"no C++ loop: {error}")
        return []
    theirs = [np.array([peer.q(row) for row in state[0]])]
    theirs += [np.ascontiguousarray(each @ peer.G.T) for each in state[1:]]
    contestants = {
        "closedform": _ready(kernel, state),
        "pinocchio C++": partial(loop, *theirs, loop(*theirs)),
    }
    times = interleaved(contestants, seconds=seconds)
    ns = times["closedform"] / batch * 1e9
    ratio = times["pinocchio C++"] / times["closedform"]
    return [_row(f"{contest.title}, {name}, Pinocchio C++ / ours", ns, ratio, "x", at_least=target)]


def humanoid_of_31_dofs() -> cf.Robot:
    """Return Talos with 25 of its joints (legs, waist, arms to the wrist) on a free base."""
    tree = etree.parse(str(robot_data() / "talos_data/robots/talos_reduced.urdf"))
    for joint in tree.getroot().findall("joint"):
        if any(part in joint.get("name") for part in FIXED):
            joint.set("type", "fixed")
    with tempfile.TemporaryDirectory(prefix="closedform-bench-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        path = Path(folder) / "talos_25.urdf"
        tree.write(str(path))
        return cf.load(path, floating_base=True)


def _ready(kernel: cf.Kernel, state: tuple[Array, ...]) -> Call:
    """Return a call of a kernel into arrays of its own."""
    outs = tuple(np.empty((len(state[0]), *shape)) for shape in kernel.output_shapes)
    return partial(kernel, *state, out=outs if len(outs) > 1 else outs[0])


def _row(
    what: str, ns: float, value: float, unit: str, at_least: float | None = None, at_most: float | None = None
) -> dict[str, Any]:
    """Print and return a figure with its target."""
    met = value <= at_most if at_most is not None else at_least is None or value >= at_least
    target = f"at most {at_most:g}" if at_most is not None else f"at least {at_least:g}"
    print(
        f"{what:70s} {ns:9.1f} ns  {value:7.2f} {unit:2s}  target {target} {'met' if met else 'MISSED'}",
        flush=True,
    )
    return {"what": what, "ns": ns, "value": value, "unit": unit, "target": target, "met": met}
