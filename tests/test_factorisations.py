"""Factorisations of the Coriolis forces: one force, several matrices, each with its own derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.forms.factorisation import CHRISTOFFEL, FACTORISATIONS, SKEW_CONSISTENT
from closedform.forms.tree import Tree
from closedform.kernels import FormRecipe
from closedform.programs import evaluate, trace
from conftest import ROBOTS, make
from oracles.casadi_rates import Traced
from oracles.random_trees import random_tree
from tolerances import ROUNDING, SHORT_CHAIN, worst

DYNAMIC = [name for name in ROBOTS if make(name).model.has_inertia and make(name).nv <= 12]
PAPERS = [name for name in FACTORISATIONS if name != CHRISTOFFEL]
DISTINCT = ["mueller-kumar", "mueller-kumar-22"]
SEVERAL_DOFS = random_tree(3, bodies=4, kinds=("free", "revolute", "ball", "helical"))
SLIDING = random_tree(1, bodies=3, kinds=("planar", "prismatic", "cylindrical"))
TREES = {"free and ball joints, and a mimic": SEVERAL_DOFS, "planar and sliding joints": SLIDING}
FORMS = ("coriolis_matrix", "coriolis_matrix_dot")


def value(robot, name, factorisation, *state, closed=False, **chosen):
    """Return a form of a factorisation, through its program."""
    variant = Variant(factorisation=factorisation, **chosen)
    return evaluate(trace(robot.model, name, variant, closed=closed), *state)


@pytest.mark.parametrize("name", DYNAMIC)
def test_the_force_is_one_and_the_papers_c_is_skew_consistent(name):
    """C qd is that of Christoffel's C; Mdot - 2 C is skew for (54), and for (22) in no robot that turns."""
    robot = make(name)
    q, qd, _ = robot.random_state(1)
    ours = value(robot, "coriolis_matrix", CHRISTOFFEL, q, qd)
    Mdot = evaluate(trace(robot.model, "mass_matrix_dot"), q, qd)
    for factorisation in DISTINCT:
        C = value(robot, "coriolis_matrix", factorisation, q, qd)
        assert worst(C @ qd, ours @ qd, np.abs(C).max()) < SHORT_CHAIN, factorisation
        off = worst(C + C.T, Mdot, np.abs(C).max())
        assert off < ROUNDING if SKEW_CONSISTENT[factorisation] else off > 1e-3 or not C.any()


@pytest.mark.parametrize("factorisation", DISTINCT)
def test_recursions_equal_block_matrices(factorisation):
    """With armatures, that of a free joint too; `test_block_matrices.py` has the block matrices."""
    robot = SEVERAL_DOFS.with_armature(0.3)
    state = robot.random_state(2)
    for count, name in enumerate(FORMS, start=2):
        recursive, block = (
            value(robot, name, factorisation, *state[:count], closed=route) for route in (False, True)
        )
        assert worst(recursive, block) < ROUNDING, name


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("factorisation", DISTINCT)
def test_rates_are_those_of_casadi(tree, factorisation):
    robot = TREES[tree]
    q, qd, qdd = robot.random_state(3)
    T = Traced(robot)
    C = T.form("coriolis_matrix", T.q, T.v, factorisation=factorisation)
    expected = T(T.rate(C), q, qd, qdd)
    together = value(robot, "coriolis_matrix_rates", factorisation, q, qd, qdd, order=1)
    assert worst(together[1], expected) < ROUNDING
    assert worst(value(robot, "coriolis_matrix_dot", factorisation, q, qd, qdd), expected) < ROUNDING


@pytest.mark.parametrize("factorisation", DISTINCT)
def test_state_and_parameter_derivatives_are_those_of_the_same_matrix(factorisation):
    """C' = (dC/dq) qd + (dC/dqd) qdd, (dC/dqd) qd = C and (dC/dphi) phi = C."""
    for robot in (cf.load("scara"), SLIDING):
        q, qd, qdd = robot.random_state(4)
        C = value(robot, "coriolis_matrix", factorisation, q, qd)
        by_q, by_qd, by_phi = (
            value(robot, f"coriolis_matrix_{each}", factorisation, q, qd) for each in ("dq", "dqd", "dphi")
        )
        rate = value(robot, "coriolis_matrix_dot", factorisation, q, qd, qdd)
        assert worst(by_q @ qd + by_qd @ qdd, rate) < ROUNDING
        assert worst(by_qd @ qd, C) < ROUNDING
        bare = robot.with_armature(0.0)
        assert worst(by_phi @ robot.phi, value(bare, "coriolis_matrix", factorisation, q, qd)) < ROUNDING


def test_two_papers_found_one_matrix():
    robot = SLIDING
    state = robot.random_state(5)
    for count, name in enumerate(FORMS, start=2):
        one, other = (value(robot, name, each, *state[:count]) for each in ("garofalo", "mueller-kumar"))
        assert np.array_equal(one, other)


def test_parameters_as_an_input_give_the_same_matrix():
    robot = cf.load("2r")
    q, qd, _ = robot.random_state(6)
    for factorisation in PAPERS:
        C = value(robot, "coriolis_matrix", factorisation, q, qd)
        given = value(robot, "coriolis_matrix", factorisation, q, qd, robot.phi, phi=True)
        assert worst(given, C) < ROUNDING


def test_the_default_is_the_same_program_and_the_same_machine_code():
    model, given = cf.load("2r").model, "".join(["christ", "offel"])
    plain, named = (
        FormRecipe(model, "coriolis_matrix"),
        FormRecipe(model, "coriolis_matrix", Variant(factorisation=given)),
    )
    assert named.identity == plain.identity
    assert named.program().operations == plain.program().operations
    keys = {
        FormRecipe(model, "coriolis_matrix", Variant(factorisation=each)).identity for each in FACTORISATIONS
    }
    assert len(keys) == len(FACTORISATIONS)


def test_a_factorisation_of_the_planar_arm_in_letters():
    """C_ij = X_i . h_j' by hand, with the tip r = p + l beyond the elbow p.

    C_11 = 2 m2 r.r', C_12 = m2 (r.l)', C_21 = m2 (r.r' + l.r'), C_22 = m2 l.r', where r.r' = -qd2 p x l,
    l.r' = qd1 p x l and p x l = L1 L2 sin(q2).
    """
    robot = cf.load("2r")
    C = robot.equations("coriolis_matrix", symbolic=True, factorisation="mueller-kumar-22")
    assert str(C).splitlines() == [
        "C[1,1] = -2*L1*L2*m2*qd2*sin(q2)",
        "C[1,2] = -L1*L2*m2*qd2*sin(q2)",
        "C[2,1] = L1*L2*m2*(qd1 - qd2)*sin(q2)",
        "C[2,2] = L1*L2*m2*qd1*sin(q2)",
    ]


def test_methods_kernels_and_code_take_a_factorisation(tmp_path):
    robot = cf.load("2r")
    q, qd, qdd = robot.random_state(7, batch=3)
    C = robot.coriolis_matrix(q, qd, factorisation="mueller-kumar-22")
    assert np.array_equal(robot.kernel("coriolis_matrix", factorisation="mueller-kumar-22")(q, qd), C)
    expected = [value(robot, "coriolis_matrix", "mueller-kumar-22", a, b) for a, b in zip(q, qd, strict=True)]
    assert worst(C, expected) < ROUNDING
    assert len(robot.coriolis_matrix_rates(q, qd, qdd, factorisation="garofalo")) == 2
    paths = robot.export("coriolis_matrix", "numpy", tmp_path, factorisation="mueller-kumar-22")
    assert [path.name for path in paths] == ["robot_2r_coriolis_matrix_mueller_kumar_22.py"]
    assert "Chosen: factorisation mueller-kumar-22." in paths[0].read_text()


def test_wrong_factorisations_are_refused_with_the_list(tmp_path):
    robot, zero = cf.load("2r"), np.zeros(2)
    every = "known: christoffel, mueller-kumar, mueller-kumar-22, garofalo"
    calls = (
        lambda given: robot.coriolis_matrix(zero, zero, factorisation=given),
        lambda given: robot.coriolis_matrix_rates(zero, zero, factorisation=given),
        lambda given: robot.kernel("coriolis_matrix", factorisation=given),
        lambda given: robot.equations("coriolis_matrix", factorisation=given),
        lambda given: robot.export("coriolis_matrix", "c", tmp_path, factorisation=given),
    )
    for call in calls:
        with pytest.raises(cf.ClosedFormError, match=f"did you mean 'garofalo'.*{every}"):
            call("Garofolo")
        with pytest.raises(cf.ClosedFormError, match=every):
            call(22)
    with pytest.raises(cf.ArgumentError, match="mass_matrix does not take factorisation"):
        robot.kernel("mass_matrix", factorisation="garofalo")


def test_an_inertia_that_no_joint_feels_counts_in_the_papers_skew_part():
    """Mass on a joint's axis may be counted to either body: M and Christoffel's C agree, theirs do not."""
    robot = make("puma560")
    q, qd, _ = robot.random_state(8)
    for factorisation, agree in ((CHRISTOFFEL, True), ("mueller-kumar", False)):
        own = form("coriolis_matrix", factorisation=factorisation)
        tree = Tree.of(robot.model)
        moved = Tree(tree.model, tree.nodes, tree.gravity, regroups=False)
        values = [
            evaluate(trace(robot.model, own.name, own.variant, closed=False, basis=(each,)), q, qd)
            for each in (tree, moved)
        ]
        assert (worst(*values) < ROUNDING) == agree
