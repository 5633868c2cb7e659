"""Minimum inertial parameters: the paper line by line, its general formulas, and what the result promises."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
import sympy as sp

import closedform as cf
from closedform.forms.tree import Tree
from closedform.identification import BaseParameters, base_parameters
from closedform.identification.base.savings import base_program
from closedform.model.inertia import NAMES
from closedform.papers import gautier_khalil
from closedform.programs import evaluate, trace
from conftest import make
from oracles.random_trees import random_tree
from tolerances import PROMISED, ROUNDING, worst

REVOLUTE = """
XXR2 = XX2 + YY3 + 2*r3*MZ3 + r3**2*M3
XYR2 = XY2 + d3*S*MZ3 + d3*r3*S*M3
XZR2 = XZ2 - d3*C*MZ3 - d3*r3*C*M3
YYR2 = YY2 + C**2*YY3 + 2*r3*C**2*MZ3 + (d3**2 + r3**2*C**2)*M3
YZR2 = YZ2 + C*S*YY3 + 2*r3*C*S*MZ3 + r3**2*C*S*M3
ZZR2 = ZZ2 + S**2*YY3 + 2*r3*S**2*MZ3 + (d3**2 + r3**2*S**2)*M3
MXR2 = MX2 + d3*M3
MYR2 = MY2 - S*MZ3 - r3*S*M3
MZR2 = MZ2 + C*MZ3 + r3*C*M3
MR2 = M2 + M3
"""
"""[GautierKhalil1990, Eq. (15)] for j = 3; C, S are the cosine and sine of alpha3."""

PRISMATIC = """
XXR2 = XX2 + c**2*XX3 - 2*c*s*XY3 + s**2*YY3
XYR2 = XY2 + c*s*C*XX3 + (c**2 - s**2)*C*XY3 - c*S*XZ3 - c*s*C*YY3 + s*S*YZ3
XZR2 = XZ2 + c*s*S*XX3 + (c**2 - s**2)*S*XY3 + c*C*XZ3 - c*s*S*YY3 - s*C*YZ3
YYR2 = YY2 + s**2*C**2*XX3 + 2*c*s*C**2*XY3 - 2*s*C*S*XZ3 + c**2*C**2*YY3 - 2*c*C*S*YZ3 + S**2*ZZ3
YZR2 = YZ2 + s**2*C*S*XX3 + 2*c*s*C*S*XY3 + s*(C**2 - S**2)*XZ3 + c**2*C*S*YY3 + c*(C**2 - S**2)*YZ3 - C*S*ZZ3
ZZR2 = ZZ2 + s**2*S**2*XX3 + 2*c*s*S**2*XY3 + 2*s*C*S*XZ3 + c**2*S**2*YY3 + 2*c*C*S*YZ3 + C**2*ZZ3
"""
"""[GautierKhalil1990, Eq. (16)] for j = 3 with -2 Stheta Calpha Salpha XZ in YY; c, s are of theta3."""


def parsed(text: str) -> dict[str, sp.Expr]:
    """Return printed lines "name = expression" as SymPy expressions."""
    letters = {"C": sp.cos(sp.Symbol("alpha3")), "S": sp.sin(sp.Symbol("alpha3"))}
    letters |= {"c": sp.cos(sp.Symbol("theta3")), "s": sp.sin(sp.Symbol("theta3"))}
    pairs = (line.split(" = ") for line in text.strip().splitlines())
    return {name: sp.sympify(right, locals=letters) for name, right in pairs}


def same(found: sp.Expr, printed: sp.Expr) -> bool:
    """Return whether two expressions are equal, by sin^2 = 1 - cos^2 alone."""
    difference = sp.expand(found - printed)
    for sine in difference.atoms(sp.sin):
        difference = sp.expand(difference.subs(sine**2, 1 - sp.cos(sine.args[0]) ** 2))
    return difference == 0


@pytest.fixture(scope="module")
def puma() -> BaseParameters:
    return base_parameters(cf.load("puma560"), symbolic=True)


def printed_steps() -> dict[int, dict[str, sp.Expr]]:
    """Return the printed lines of section V by link, in the catalogue robot's letters: d3 for D3."""
    own = {sp.Symbol(name): sp.Symbol(name.lower()) for name in gautier_khalil.LENGTHS}
    return {
        link: {name: each.subs(own) for name, each in gautier_khalil.lines(link).items()}
        for link in gautier_khalil.STEPS
    }


def test_puma_has_the_paper_s_36_parameters(puma):
    assert puma.count == 36
    assert " ".join(puma.no_effect) == "XX1 XY1 XZ1 YY1 YZ1 MX1 MY1 MZ1 M1 MZ2 M2"
    assert " ".join(puma.eliminated) == "YY2 YY3 MZ3 M3 YY4 MZ4 M4 YY5 MZ5 M5 YY6 MZ6 M6"
    assert puma.minimal


def test_puma_regroupings_are_those_printed(puma):
    last = {name: each for lines in printed_steps().values() for name, each in lines.items()}
    names = " ".join(gautier_khalil.MINIMUM.values()).split()
    assert list(puma.regrouped) == [name for name in names if "R" in name]
    for name, each in puma.regrouped.items():
        assert same(each, last[name]), name


def test_puma_is_reproduced_line_by_line(puma):
    steps = dict(puma.steps())
    assert list(steps) == [6, 5, 4, 3, 2, 1]
    for link, printed in printed_steps().items():
        assert list(steps[link]) == list(printed), link
        for name, each in printed.items():
            assert same(steps[link][name], each), (link, name)


def general(sigma: int) -> BaseParameters:
    """Return a chain whose third joint has every letter, far enough from the base to be general."""
    rows = [(0, 0.3, 0.1, 0, 0.2), (0, 0.7, 0.2, 0, 0.3), (sigma, 0.4, 0.5, 0.6, 0.7)]
    return base_parameters(cf.Robot.from_mdh(rows, gravity=(1.0, 2.0, 3.0)), symbolic=True)


@pytest.mark.parametrize(("sigma", "text"), [(0, REVOLUTE), (1, PRISMATIC)])
def test_a_joint_in_general_position_regroups_by_the_paper_s_formulas(sigma, text):
    step = dict(general(sigma).steps())[3]
    printed = parsed(text)
    assert [name for name in step if name.endswith("2")] == list(printed)
    for name, each in printed.items():
        assert same(step[name], each), name
    if sigma == 0:
        assert same(step["XXR3"], sp.sympify("XX3 - YY3"))


@pytest.mark.parametrize("alpha", [0.0, np.pi / 2])
def test_a_slide_along_the_only_axis_regroups_first_moments(alpha):
    # a revolute joint, a prismatic one across or along it, then one along: Eqs. (19) and (20)
    rows = [(0, 0, 0, 0, 0), (1, alpha, 0.3, 0, 0.1), (1, -alpha, 0.2, 0.6, 0.0), (0, 0.8, 0.3, 0, 0)]
    base = base_parameters(cf.Robot.from_mdh(rows, gravity=(0.0, 4.0, -9.0)), symbolic=True)
    assert {"MX3", "MY3"} <= set(base.eliminated)
    assert base.minimal
    d, c, s = sp.Symbol("d3"), sp.cos(sp.Symbol("theta3")), sp.sin(sp.Symbol("theta3"))
    MX, MY = sp.symbols("MX3 MY3")
    step = dict(base.steps())[3]
    inertia = "ZZR2" if alpha == 0 else "YYR2"
    part = step[inertia].expand()
    assert same(part.coeff(MX), 2 * d * c)
    assert same(part.coeff(MY), -2 * d * s)
    sign = 1 if alpha == 0 else -1  # C alpha of joint 3 in (19), its S alpha in (20)
    other = "MYR2" if alpha == 0 else "MZR2"
    for name, of_x, of_y in (("MXR2", c, -s), (other, sign * s, sign * c)):
        assert same(step[name].expand().coeff(MX), of_x), name
        assert same(step[name].expand().coeff(MY), of_y), name


def test_the_added_rule_drops_the_moment_along_the_first_axis():
    # an oblique slide between the first two axes that are not parallel
    rows = [(0, 0, 0, 0, 0), (1, 0.6, 0.2, 0.3, 0), (0, 0.9, 0.1, 0, 0.2)]
    base = base_parameters(cf.Robot.from_mdh(rows))
    first_moments = {"MX2", "MY2", "MZ2"}
    assert len(first_moments & {*base.no_effect, *base.eliminated}) == 1
    assert base.minimal


COUNTS = {
    "puma560": (36, 38),
    "ur5": (36, 38),
    "stanford": (33, 35),
    "scara": (8, 10),
    "iiwa14": (43, 45),
    "panda": (43, 45),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_known_robots_depend_on_gravity(name):
    along, generic = COUNTS[name]
    assert base_parameters(make(name)).count == along
    assert base_parameters(make(name).with_gravity((1.0, 2.0, -3.0))).count == generic


def test_without_gravity_the_count_is_at_most_that_with_it():
    weightless = base_parameters(make("puma560").with_gravity((0.0, 0.0, 0.0)))
    assert weightless.count == 34  # the first moments MX2, MY2 were felt through gravity only
    assert weightless.minimal


def test_torques_are_those_of_the_base_parameters(robot):
    base = base_parameters(robot)
    assert base.count == len(base.names) == len(base.values) == base.matrix.shape[0]
    symbols, (Y,) = cf.FORMS["regressor"].expression(robot.model)
    rows = ca.Function("Y", symbols, [Y])
    phi = np.random.default_rng(0).normal(size=robot.phi.size)
    for seed in range(3):
        full = np.asarray(rows(*robot.random_state(seed)))
        assert worst(full[:, base.kept] @ (base.matrix @ phi), full @ phi) < ROUNDING


@pytest.mark.parametrize("name", ["2r", "scara", "screw_lift"])
def test_the_reduced_regressor_is_compiled_for_any_batch(name):
    robot = make(name)
    base = base_parameters(robot)
    q, qd, qdd = robot.random_state(3, batch=(2, 10))
    Y = base.regressor(q, qd, qdd)
    assert Y.shape == (2, 10, robot.nv, base.count)
    assert worst(Y, robot.regressor(q, qd, qdd)[..., base.kept]) < ROUNDING
    tau = Y @ base.values + robot.armature * qdd
    assert worst(tau, robot.inverse_dynamics(q, qd, qdd)) < ROUNDING


@pytest.mark.parametrize("name", ["stanford", "spherical_pendulum", "cartpole"])
@pytest.mark.parametrize("form", ["inverse_dynamics", "coriolis_matrix", "mass_matrix_dot"])
def test_forms_take_the_base_parameters_as_inputs(name, form):
    robot = make(name)
    base = base_parameters(robot)
    program = base_program(robot.model, base.kept, form)
    assert program.inputs[-1] == ("base", (base.count,))
    state = robot.random_state(4)[: len(program.inputs) - 1]
    expected = evaluate(trace(robot.model, form), *state)
    assert worst(evaluate(program, *state, base.values), expected, 1e-3) < ROUNDING
    savings = base.savings(form, inputs=True)
    assert savings.after == program.counts
    assert savings.after.total <= savings.before.total


def test_what_base_parameters_do_not_determine_is_refused():
    base = base_parameters(make("2r"))
    for form in ("center_of_mass", "potential_energy", "regressor", "centroidal_momentum"):
        with pytest.raises(cf.ArgumentError, match=f"{form} does not follow from them alone"):
            base.kernel(form)


def test_names_partition_the_parameters(robot):
    base = base_parameters(robot)
    kept = [name.replace("R", "") for name in base.names]
    everything = {*kept, *base.no_effect, *base.eliminated}
    assert len(kept) + len(base.no_effect) + len(base.eliminated) == len(everything) == robot.phi.size
    assert {name for name in base.names if "R" in name} == set(base.regrouped)


def test_expressions_are_the_rows_of_the_matrix():
    phi = np.random.default_rng(1).normal(size=60)
    for symbolic in (False, True):
        base = base_parameters(make("puma560"), symbolic=symbolic)
        names = [f"{letters}{k + 1}" for k in range(6) for letters in NAMES]
        values = base.geometry | {sp.Symbol(name): x for name, x in zip(names, phi, strict=True)}
        for name, each in base.regrouped.items():
            expected = base.matrix[base.names.index(name)] @ phi
            assert abs(float(each.subs(values)) - expected) < ROUNDING * np.abs(phi).sum()


@pytest.mark.parametrize(
    "name", ["puma560", "stanford", "scara", "quadruped", "screw_lift", "spherical_pendulum"]
)
def test_the_numeric_method_finds_the_same_parameters(name):
    closed, numeric = base_parameters(make(name)), base_parameters(make(name), "numeric")
    assert numeric.names == closed.names
    assert numeric.no_effect == closed.no_effect
    assert np.abs(numeric.matrix - closed.matrix).max() < PROMISED
    assert numeric.minimal


def test_base_parameters_need_no_inertias():
    rows = [(0, 0, 0, 0, 0), (0, -np.pi / 2, 0, 0, 0), (0, 0, 0.4318, 0, 0.1501)]
    robot = cf.Robot.from_mdh(rows)
    base = base_parameters(robot)
    assert base.count == 15
    assert base.minimal
    q, qd, qdd = robot.random_state(0, batch=(4, 5))
    assert base.regressor(q, qd, qdd).shape == (4, 5, 3, 15)
    with pytest.raises(cf.ClosedFormError, match="no inertias"):
        _ = base.values


def test_coupled_joints_are_completed_numerically():
    robot = random_tree(0)
    assert robot.model.coupled
    base = base_parameters(robot)
    numeric = base_parameters(robot, "numeric")
    assert not base.minimal
    assert base.completion
    assert base.count == numeric.count == base.closed_count - len(base.completion)
    assert set(base.completion) <= set(base.eliminated)
    assert "eliminated numerically" in str(base)


def test_a_humanoid_has_its_base_parameters():
    assert base_parameters(make("humanoid")).count == 227


@pytest.mark.parametrize("name", ["puma560", "stanford", "cartpole"])
def test_regrouped_inertias_give_the_same_torques(name):
    robot = make(name)
    state = robot.random_state(2, batch=50)
    plain = trace(robot.model, "inverse_dynamics", basis=(Tree.of(robot.model, regroup=False),))
    assert worst(evaluate(plain, *state), robot.inverse_dynamics(*state)) < ROUNDING


@pytest.mark.parametrize("name", [form.name for form in cf.FORMS.values() if form.group == "parameters"])
def test_regressors_need_no_inertias(name):
    rows = [(0, 0, 0, 0, 0), (0, 0, 0.5, 0, 0)]
    bare = cf.Robot.from_mdh(rows)
    full = cf.Robot.from_mdh(rows, inertials=[cf.Inertial(1.0, [0.1, 0.2, 0.3], 0.1 * np.eye(3))] * 2)
    arguments = np.random.default_rng(0).normal(size=(len(cf.FORMS[name].inputs), 2))
    assert np.array_equal(getattr(bare, name)(*arguments), getattr(full, name)(*arguments))
    with pytest.raises(cf.ClosedFormError, match="no inertias"):
        bare.mass_matrix(arguments[0])
