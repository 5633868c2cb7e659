"""The closed form reaches the numeric rank: random chains and trees, floating bases, URDF models."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.identification import base_parameters
from example_robots import FIXED_BASE, FLOATING_BASE
from oracles.pinocchio_peer import Peer, robot_data
from oracles.random_trees import random_tree
from oracles.serial_robots import energy_rows, serial_robot
from tolerances import HALF_DIGITS, ROUNDING, worst

NEGLIGIBLE = 1e-12
"""Singular values, of the largest, that count as zero: rounding leaves 1e-15, real ones are above 1e-7."""


def rank(rows: np.ndarray) -> int:
    s = np.linalg.svd(rows, compute_uv=False)
    return int((s > NEGLIGIBLE * s[0]).sum())


@pytest.mark.parametrize("block", range(4))
def test_energies_of_random_chains_have_the_count_as_rank(block):
    for seed in range(30 * block, 30 * (block + 1)):
        robot = serial_robot(seed)
        base = base_parameters(robot)
        size = base.matrix.shape[1]
        Y = energy_rows(robot, 2 * size, seed)
        assert base.count == rank(Y), seed
        phi = np.random.default_rng(seed).normal(size=size)
        assert worst(Y[:, base.kept] @ (base.matrix @ phi), Y @ phi) < ROUNDING, seed


@pytest.mark.parametrize("seed", range(100, 110))
def test_random_trees_have_the_count_of_the_numeric_method(seed):
    robot = random_tree(seed, bodies=4)
    base, numeric = base_parameters(robot), base_parameters(robot, "numeric")
    assert base.count == numeric.count
    assert base.names == numeric.names
    assert np.abs(base.matrix - numeric.matrix).max() < HALF_DIGITS
    assert base.minimal or robot.model.coupled


@pytest.mark.parametrize("seed", [1, 5])
def test_a_floating_base_feels_all_ten_parameters_of_its_body(seed):
    robot = random_tree(seed, bodies=3, kinds=("free", "revolute", "prismatic"))
    base = base_parameters(robot)
    slide = 4 if robot.model.bodies[2].parent >= 0 else 1  # on the ground only its mass is felt
    assert base.count == 10 + 7 + slide
    assert {k for k in base.kept if k < 10} == set(range(10))
    assert base.minimal


LARGE = {"talos_data/robots/talos_full_v2.urdf", "centauro_description/urdf/centauro.urdf"}
"""Left to the benchmark, which takes every model: their regressors take seconds."""


@pytest.mark.parametrize("path", sorted((FIXED_BASE | FLOATING_BASE) - LARGE))
def test_pinocchio_s_regressor_has_the_count_as_rank(path):
    floating = path in FLOATING_BASE
    robot = cf.load(robot_data() / path, floating_base=floating)
    peer = Peer(robot_data() / path, robot, floating)
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(5 + 20 * len(robot.model.bodies) // robot.nv):
        q, qd, qdd = robot.random_state(rng)
        q = robot.integrate(q, rng.uniform(-2, 2, robot.nv))  # beyond limits that may be narrow
        Y = pin.computeJointTorqueRegressor(
            peer.model, peer.data, peer.q(q), peer.G @ (3 * qd), peer.G @ (10 * qdd)
        )
        rows.append(peer.G.T @ Y)
    base = base_parameters(robot)
    assert base.count == rank(np.vstack(rows))
    assert (not base.completion) == (not robot.model.coupled)
