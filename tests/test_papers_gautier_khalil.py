"""The PUMA of [GautierKhalil1990] as the papers' room has it: its table, its lines, its bound."""

from __future__ import annotations

import numpy as np
import sympy as sp

import closedform as cf
from closedform.identification import base_parameters
from closedform.papers import gautier_khalil
from conftest import make
from oracles.serial_robots import serial_robot


def test_the_table_and_the_figure_are_the_catalogue_s_robot():
    robot = cf.Robot.from_mdh(gautier_khalil.TABLE_I, letters=gautier_khalil.LENGTHS)
    for one, other in zip(robot.model.bodies, make("puma560").model.bodies, strict=True):
        assert np.abs(one.placement[:3, :3] - other.placement[:3, :3]).max() < 1e-12
    assert list(robot.letters) == ["D3", "R3", "D4", "R4"]


def test_every_printed_line_is_ours():
    steps = dict(gautier_khalil.puma().steps())
    for link in gautier_khalil.STEPS:
        printed = gautier_khalil.lines(link)
        assert list(steps[link]) == list(printed)
        assert all(sp.expand(steps[link][name] - each) == 0 for name, each in printed.items())
    base = gautier_khalil.puma()
    assert {k: " ".join(v) for k, v in base.lists.links.items()} == gautier_khalil.MINIMUM
    assert set(gautier_khalil.GONE.split()) == {*base.no_effect, *base.eliminated}


def test_the_bound_holds():
    for seed in range(20):
        robot = serial_robot(seed)
        assert base_parameters(robot).count <= gautier_khalil.bound_of(robot)
    assert (
        gautier_khalil.bound_of(make("puma560"))
        == base_parameters(make("puma560").with_gravity((1.0, 2.0, -3.0))).count
    )
