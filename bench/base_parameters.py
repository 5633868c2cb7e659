"""Base parameters: how often the closed form reaches the numeric rank, how exact it is, how long it takes."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

import closedform as cf
from closedform.identification import base_parameters
from closedform.identification.base.numeric import null_space, sampled_regressor
from oracles.pinocchio_peer import robot_data
from oracles.random_trees import random_tree
from oracles.serial_robots import serial_robot
from oracles.timed_robots import humanoid, panda

LARGEST = 50
"""Bodies of a URDF model up to which its regressor is sampled."""


def run(quick: bool = False) -> dict[str, Any]:
    """Print and return the figures with their targets."""
    rows = [_row("PUMA 560, parameters", base_parameters(cf.load("puma560")).count, "36", lambda n: n == 36)]
    rows += _serial(60 if quick else 1000)
    rows.append(_trees(10 if quick else 100))
    rows.append(_urdf(12 if quick else None))
    robot = humanoid().robot
    seconds = min(_seconds(robot) for _ in range(5))
    rows.append(_row(f"{robot.nv}-dof humanoid, closed form, s", seconds, "under 1", lambda value: value < 1))
    share = 100 * base_parameters(panda().robot).savings().share
    rows.append(
        _row("Panda, operations of inverse dynamics saved, %", share, "at least 12", lambda x: x >= 12)
    )
    return {"figures": rows}


def _serial(count: int) -> list[dict[str, Any]]:
    """Compare with the rank and the torques of sampled regressors of random chains."""
    minimal, error = 0, 0.0
    for seed in range(count):
        robot = serial_robot(seed)
        base = base_parameters(robot)
        size = base.matrix.shape[1]
        W = sampled_regressor(robot.model.with_phi(np.zeros(size)))
        minimal += base.count == size - null_space(W).shape[1]
        phi = np.random.default_rng(seed).normal(size=size)
        tau = W @ phi
        error = max(
            error, float(np.abs(W[:, base.kept] @ (base.matrix @ phi) - tau).max() / np.abs(tau).max())
        )
    return [
        _row(f"{count} random chains, minimal, %", 100 * minimal / count, "at least 99", lambda x: x >= 99),
        _row(f"{count} random chains, torque error", error, "at most 1e-12", lambda x: x <= 1e-12),
    ]


def _trees(count: int) -> dict[str, Any]:
    """Compare counts on random trees with every kind of joint, floating bases among them."""
    equal = 0
    for seed in range(count):
        robot = random_tree(seed, bodies=6)
        equal += base_parameters(robot).count == base_parameters(robot, "numeric").count
    return _row(f"{count} random trees, equal counts", equal, str(count), lambda n: n == count)


def _urdf(most: int | None) -> dict[str, Any]:
    """Compare counts on the models of example-robot-data, on the ground and floating."""
    equal = total = 0
    for path in sorted(robot_data().rglob("*.urdf"))[:most]:
        for floating in (False, True):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", cf.ModelWarning)
                    robot = cf.load(path, floating_base=floating)
            except cf.ClosedFormError:
                continue  # a file that is refused, with its reasons
            if len(robot.model.bodies) > LARGEST:
                continue
            total += 1
            closed, numeric = base_parameters(robot), base_parameters(robot, "numeric")
            equal += closed.count == numeric.count
            if closed.count != numeric.count:
                print(f"{path.name}: closed {closed.count}, numeric {numeric.count}", flush=True)
    return _row(f"{total} URDF models, equal counts", equal, str(total), lambda n: n == total)


def _seconds(robot: cf.Robot) -> float:
    start = time.perf_counter()
    base_parameters(robot)
    return time.perf_counter() - start


def _row(what: str, value: float, target: str, met: Any) -> dict[str, Any]:
    """Print and return a figure with its target."""
    print(f"{what:55s} {value:12.4g}  target {target:14s} {'met' if met(value) else 'MISSED'}", flush=True)
    return {"what": what, "value": float(value), "target": target, "met": bool(met(value))}


if __name__ == "__main__":
    run()
