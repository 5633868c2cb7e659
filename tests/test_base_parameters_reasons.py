"""The reasons of base parameters are true: each statement follows from numbers of another route."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.identification import BaseParameters, base_parameters
from closedform.identification.base.reasons import KEPT, NO_EFFECT, REGROUPED
from closedform.identification.base.rules import rules_of
from closedform.identification.base.scale import scaled_model
from closedform.identification.base.transfer import parameter_name, transfer_matrix
from conftest import make
from oracles.random_trees import random_tree
from oracles.serial_robots import energy_rows, serial_robot
from tolerances import HALF_DIGITS, ROUNDING

MDH = ["puma560", "stanford", "scara", "2r"]


def regressor_rows(robot: cf.Robot, samples: int) -> np.ndarray:
    """Return rows of the regressor at random states."""
    symbols, (Y,) = cf.FORMS["regressor"].expression(robot.model)
    rows = ca.Function("Y", symbols, [Y])
    return np.vstack([np.asarray(rows(*robot.random_state(seed))) for seed in range(samples)])


def check_reasons(base: BaseParameters, Y: np.ndarray, tolerance: float = ROUNDING) -> None:
    """Assert that rows y with energy or torque = y phi say of every parameter what its reason says."""
    index = {parameter_name(k): k for k in range(Y.shape[1])}
    index |= dict(zip(base.names, base.kept, strict=True))
    scale = np.abs(Y).max()
    for name, reason in base.reasons.items():
        column = Y[:, index[name]]
        into = sum((float(c) * Y[:, index[other]] for other, c in reason.into.items()), np.zeros(len(Y)))
        assert np.abs(column - into).max() < tolerance * scale, name
        assert (reason.kind == NO_EFFECT) == (np.abs(column).max() < tolerance * scale), name
        assert (reason.kind == KEPT) == (index[name] in base.kept), name
        if reason.neighbours:
            acts = sum(float(c) * Y[:, index[other]] for other, c in reason.neighbours.items())
            assert np.abs(column - acts).max() < tolerance * scale, name
        else:
            assert reason.kind != REGROUPED or name in base.completion, name


def check_rules(robot: cf.Robot, Y: np.ndarray) -> None:
    """Assert that every rule of a link holds: no effect, or that of the link before."""
    bodies = robot.model.bodies
    for k, rules in enumerate(rules_of(robot.model)):
        own, parent = Y[:, 10 * k : 10 * k + 10], bodies[k].parent
        for rule in rules:
            difference = own @ rule.space
            if not rule.drops:
                T = transfer_matrix(bodies[k].placement)
                difference = difference - Y[:, 10 * parent : 10 * parent + 10] @ T @ rule.space
            assert np.abs(difference).max() < ROUNDING * np.abs(Y).max(), (k, rule.says)


@pytest.mark.parametrize("block", range(2))
def test_reasons_and_rules_hold_for_the_energies_of_random_chains(block):
    for seed in range(14 * block, 14 * (block + 1)):
        robot = serial_robot(seed)
        Y = energy_rows(robot, 60, seed)
        check_reasons(base_parameters(robot), Y)
        unit = cf.Robot(scaled_model(robot.model)[0])
        check_rules(unit, energy_rows(unit, 60, seed))


@pytest.mark.parametrize("name", MDH)
def test_reasons_hold_for_robots_of_the_catalogue(name):
    base = base_parameters(make(name))
    check_reasons(base, regressor_rows(base.robot, 12))
    assert not any(reason.beyond for reason in base.reasons.values())
    lettered = base_parameters(make(name), symbolic=True)
    for reason, other in zip(base.reasons.values(), lettered.reasons.values(), strict=True):
        assert (reason.name, reason.kind, reason.rule) == (other.name, other.kind, other.rule)
        for numbers, letters in ((reason.into, other.into), (reason.neighbours, other.neighbours)):
            assert list(numbers) == list(letters)
            for n, s in zip(numbers.values(), letters.values(), strict=True):
                assert abs(float(n) - float(s.subs(lettered.geometry))) < ROUNDING


@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_reasons_and_rules_hold_for_random_trees(seed):
    robot = random_tree(seed, bodies=5)
    base = base_parameters(robot)
    check_reasons(base, regressor_rows(robot, 16), HALF_DIGITS if base.completion else ROUNDING)
    if not robot.model.coupled:
        unit = cf.Robot(scaled_model(robot.model)[0])
        check_rules(unit, regressor_rows(unit, 16))


def test_the_paper_s_rules_explain_most_chains_and_the_rest_is_marked():
    found = [base_parameters(serial_robot(seed)).reasons for seed in range(30)]
    beyond = [any(each.beyond for each in reasons.values()) for reasons in found]
    assert 3 < sum(beyond) < 12
    for reasons in found:
        for each in reasons.values():
            assert each.beyond == ("beyond the rules of [GautierKhalil1990]" in each.rule)
            assert each.beyond != ("[GautierKhalil1990, " in each.rule)


def test_an_oblique_slide_after_the_first_axis_is_beyond_the_paper():
    rows = [(0, 0, 0, 0, 0), (1, 0.6, 0.2, 0.3, 0), (0, 0.9, 0.1, 0, 0.2)]
    reasons = base_parameters(cf.Robot.from_mdh(rows)).reasons
    (moment,) = (name for name in ("MX2", "MY2", "MZ2") if reasons[name].kind != KEPT)
    assert reasons[moment].beyond
    assert "link 2 turns about the axis of joint 1 only" in reasons[moment].rule


def test_coincident_upright_axes_are_beyond_the_paper():
    reasons = base_parameters(cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 0, 0, 0.3)])).reasons
    assert reasons["MX2"].kind == NO_EFFECT
    assert reasons["MX2"].beyond
    assert not reasons["MZ2"].beyond


def test_without_gravity_along_the_first_axis_rule_2_keeps_first_moments():
    # the paper's "or r1 = 1" alone would drop them
    reasons = base_parameters(make("puma560").with_gravity((1.0, 2.0, -3.0))).reasons
    assert [reasons[name].kind for name in ("MX1", "MY1", "M1")] == [KEPT, KEPT, NO_EFFECT]


def test_the_numeric_method_knows_no_rule():
    reasons = base_parameters(make("2r"), "numeric").reasons
    assert all(each.beyond for each in reasons.values())
    assert reasons["M2"].into
