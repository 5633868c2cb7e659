"""Equations: SymPy results equal the robot's numbers, the papers' formulas and their own derivatives."""

from __future__ import annotations

import math
import re
from functools import partial
from itertools import count
from types import SimpleNamespace
from xml.etree import ElementTree

import casadi as ca
import numpy as np
import pytest
import sympy as sp

import closedform as cf
from basic_forms import EVERYWHERE
from closedform.equations import Equations, EquationsWarning, program_equations
from closedform.equations import equations as written
from closedform.programs import Program, program
from conftest import make
from tolerances import DIFFERENCE, ROUNDING, worst

equations = partial(written, seconds=math.inf)
"""Without a limit of time, so that no busy machine decides what is tested."""


def inertial(m: float, c: float, Izz: float = 0.0) -> cf.Inertial:
    """Return a slender link along x with its centre at c."""
    return cf.Inertial(m, np.array([c, 0.0, 0.0]), np.diag([0.0, Izz, Izz]))


PLANAR = cf.Robot.from_mdh(
    [(0, 0, 0, 0, 0), (0, 0, 0.5, 0, 0), (0, 0, 0.4, 0, 0)],
    inertials=[inertial(3, 0.2, 0.1), inertial(2, 0.1, 0.2), inertial(1, 0.3, 0.3)],
    gravity=(0, -9.81, 0),
    name="planar",
)


def state(robot: cf.Robot, result: Equations, seed: int = 0) -> list[np.ndarray]:
    """Return random arrays for the inputs of equations, a batch of two."""
    rng = np.random.default_rng(seed)
    motion = robot.random_state(rng, batch=2, order=6)
    return [
        motion[each.quantity.order] if each.base.symbols[0] == "q1" else rng.normal(size=(2, *each.shape))
        for each in result.inputs
    ]


def zero(expression: sp.Expr) -> bool:
    """Whether an expression vanishes, by writing out every sine and cosine of sums."""
    written = sp.expand(sp.expand_trig(sp.expand(expression)))
    return written == 0 or sp.simplify(written) == 0


SMALL = ["pendulum", "cartpole", "2r", "chang3r", "scara", "screw_lift", "spherical_pendulum"]
OPTIONS = [
    {},
    {"symbolic": True},
    {"symbolic": True, "parameters": "gautier-khalil"},
    {"symbolic": "geometry", "rational": True},
]


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equations_equal_the_robot(name, options):
    robot = make(name)
    for form in ("mass_matrix", "inverse_dynamics", "coriolis_matrix", "pose", "jacobian", "center_of_mass"):
        result = equations(robot.model, form, **options)
        arrays = state(robot, result)
        assert worst(result.evaluate(*arrays), getattr(robot, form)(*arrays)) < ROUNDING, form


@pytest.mark.parametrize(
    "form", [cf.FORMS[name] for name in EVERYWHERE if not cf.FORMS[name].ordered], ids=lambda form: form.name
)
def test_every_form_has_equations(form):
    robot = make("2r")
    found = equations(robot.model, form.name, symbolic=True)
    results = found if isinstance(found, tuple) else (found,)
    arrays = state(robot, results[0])
    symbols, expressions = form.expression(robot.model)
    for result, shape, expression in zip(results, form.output_shapes(robot.model), expressions, strict=True):
        for k in range(2):
            reference = value_of(symbols, expression, [array[k] for array in arrays]).reshape(shape)
            value = result.evaluate(*(array[k] for array in arrays))
            assert worst(value, reference, 1e-3) < ROUNDING
        assert str(result)
        assert balanced(result.latex())


def value_of(symbols, expression, arrays) -> np.ndarray:
    """Return the numbers of a CasADi expression."""
    return np.array(ca.Function("f", symbols, [expression])(*arrays))


@pytest.mark.parametrize("tree", ["tree0", "tree3"])
@pytest.mark.parametrize("symbolic", [False, True])
def test_equations_as_they_stand_equal_the_robot(tree, symbolic):
    robot = make(tree)
    for form in ("mass_matrix", "inverse_dynamics"):
        with pytest.warns(EquationsWarning, match="operations could not be multiplied out"):
            result = equations(robot.model, form, symbolic=symbolic, seconds=0)
        assert result.definitions
        arrays = state(robot, result)
        assert worst(result.evaluate(*arrays), getattr(robot, form)(*arrays)) < ROUNDING


@pytest.mark.parametrize("tree", ["tree2", "tree4"])
def test_oblique_axes_and_mimics_are_multiplied_out(tree):
    robot = make(tree)
    result = equations(robot.model, "mass_matrix", symbolic="inertia", parameters="gautier-khalil")
    assert not result.definitions
    arrays = state(robot, result)
    assert worst(result.evaluate(*arrays), robot.mass_matrix(*arrays)) < ROUNDING


def paper() -> dict[str, list[sp.Expr]]:
    """Return tau and tau' of [MuellerKumar2021, section 6.1], corrected in one term of tau1'."""
    L1, L2, m1, m2, g = sp.symbols("L1 L2 m1 m2 g")
    q1, q2, v1, v2, a1, a2, j1, j2 = sp.symbols("q1 q2 qd1 qd2 qdd1 qdd2 qddd1 qddd2")
    c1, s1, c2, s2 = sp.cos(q1), sp.sin(q1), sp.cos(q2), sp.sin(q2)
    c12, s12 = sp.cos(q1 + q2), sp.sin(q1 + q2)
    tau1 = (
        L1**2 * a1 * m1 + L1**2 * a1 * m2 + L2**2 * a1 * m2 + L2**2 * a2 * m2 + L2 * g * m2 * c12
        + L1 * g * m1 * c1 + L1 * g * m2 * c1 - L1 * L2 * v2**2 * m2 * s2
        + 2 * L1 * L2 * a1 * m2 * c2 + L1 * L2 * a2 * m2 * c2 - 2 * L1 * L2 * v1 * v2 * m2 * s2
    )  # fmt: skip
    tau2 = L2 * m2 * (L1 * s2 * v1**2 + L2 * a1 + L2 * a2 + g * c12 + L1 * a1 * c2)
    rate1 = (
        L1**2 * j1 * m1 + L1**2 * j1 * m2 + L2**2 * j1 * m2 + L2**2 * j2 * m2 - L2 * v1 * g * m2 * s12
        - L2 * v2 * g * m2 * s12 + 2 * L1 * L2 * j1 * m2 * c2 + L1 * L2 * j2 * m2 * c2
        - L1 * v1 * g * m1 * s1 - L1 * v1 * g * m2 * s1 - L1 * L2 * v2**3 * m2 * c2
        - 4 * L1 * L2 * a1 * v2 * m2 * s2 - 2 * L1 * L2 * a2 * v1 * m2 * s2
        - 3 * L1 * L2 * a2 * v2 * m2 * s2 - 2 * L1 * L2 * v1 * v2**2 * m2 * c2
    )  # fmt: skip
    rate2 = L2 * m2 * (
        L2 * j1 + L2 * j2 - v1 * g * s12 - v2 * g * s12 + L1 * j1 * c2 + 2 * L1 * a1 * v1 * s2
        - L1 * a1 * v2 * s2 + L1 * v1**2 * v2 * c2
    )  # fmt: skip
    return {"tau": [tau1, tau2], "rate": [rate1, rate2]}


def test_planar_2r_prints_the_paper():
    tau = equations(make("2r").model, "inverse_dynamics", symbolic=True)
    assert {symbol.name for symbol in tau.values} == {"L1", "L2", "m1", "m2", "g"}
    assert [sp.expand(a - b) for a, b in zip(tau.entries, paper()["tau"], strict=True)] == [0, 0]
    assert sp.Mul.make_args(tau.entries[1])[:2] == sp.symbols("L2 m2")
    assert [sp.expand(a - b) for a, b in zip(tau.dot().entries, paper()["rate"], strict=True)] == [0, 0]


def test_rates_of_the_2r_are_derivatives_of_its_torques():
    robot, t = make("2r"), sp.Symbol("t")
    tau = equations(robot.model, "inverse_dynamics", symbolic=True)
    orders = equations(robot.model, "inverse_dynamics_rates", order=2, symbolic=True)
    assert [each.entries for each in orders] == [tau.entries, tau.dot().entries, tau.dot().dot().entries]
    differentiated = sp.diff(tau.of_time(t), t, 2) - orders[2].of_time(t)
    assert all(sp.expand(each) == 0 for each in differentiated)


@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
def test_angle_sums_of_a_planar_arm_are_merged(options):
    M = equations(PLANAR.model, "mass_matrix", **options)
    q2, q3 = sp.symbols("q2 q3")
    assert M.matrix.atoms(sp.cos) == {sp.cos(q2), sp.cos(q3), sp.cos(q2 + q3)}
    assert not M.matrix.atoms(sp.sin)
    assert M.matrix.is_symmetric()


def test_angles_add_up_across_a_prismatic_joint():
    pose = equations(make("scara").model, "pose", symbolic=True).matrix
    angles = {each.args[0] for each in pose[:2, :2].atoms(sp.cos, sp.sin)}
    assert len(angles) == 1
    assert len(angles.pop().free_symbols) == 3


def test_mass_matrix_is_hessian_of_kinetic_energy():
    T = equations(PLANAR.model, "kinetic_energy", symbolic=True).entries[0]
    M = equations(PLANAR.model, "mass_matrix", symbolic=True).matrix
    rates = sp.symbols("qd1 qd2 qd3")
    assert all(sp.expand(each) == 0 for each in sp.hessian(T, rates) - M)


def test_mdot_minus_2c_is_skew():
    M = equations(PLANAR.model, "mass_matrix", symbolic=True)
    C = equations(PLANAR.model, "coriolis_matrix", symbolic=True).matrix
    S = M.dot().matrix - 2 * C
    assert all(sp.expand(each) == 0 for each in S + S.T)


@pytest.mark.parametrize("name", ["2r", "cartpole", "scara"])
def test_torques_follow_from_the_lagrangian(name):
    robot, t = make(name), sp.Symbol("t")
    T = equations(robot.model, "kinetic_energy", symbolic=True)
    U = equations(robot.model, "potential_energy", symbolic=True)
    tau = equations(robot.model, "inverse_dynamics", symbolic=True).of_time(t)
    L = T.of_time(t)[0] - U.of_time(t)[0]
    for k in range(robot.nv):
        q = sp.Function(f"q{k + 1}")(t)
        assert zero(sp.diff(L, sp.diff(q, t), t) - sp.diff(L, q) - tau[k])


def test_forward_dynamics_of_the_cartpole_is_one_fraction():
    robot = make("cartpole")
    result = equations(robot.model, "forward_dynamics", symbolic=True)
    below = {sp.denom(each) for each in result.entries}
    assert len(below) == 1
    assert not any(
        sp.denom(each).atoms(sp.Pow) & {sp.Pow(symbol, -1) for symbol in result.symbols} for each in below
    )
    tau = equations(robot.model, "inverse_dynamics", symbolic=True).matrix
    closed = tau.subs({sp.Symbol(f"qdd{k + 1}"): each for k, each in enumerate(result.entries)})
    assert all(zero(sp.together(each - sp.Symbol(f"tau{k + 1}"))) for k, each in enumerate(closed))


@pytest.mark.parametrize(
    "options", [{}, {"symbolic": True}, {"symbolic": "inertia", "parameters": "gautier-khalil"}]
)
def test_puma_mass_matrix_is_multiplied_out(options):
    robot = make("puma560")
    M = equations(robot.model, "mass_matrix", **options)
    assert not M.definitions
    q2, q3 = sp.symbols("q2 q3")
    assert {sp.cos(q2 + q3), sp.sin(q2 + q3)} <= M.matrix.atoms(sp.cos, sp.sin)
    assert sp.Symbol("q1") not in M.matrix.free_symbols
    arrays = state(robot, M)
    assert worst(M.evaluate(*arrays), robot.mass_matrix(*arrays)) < ROUNDING


def test_khalils_names_of_the_puma():
    tau = equations(make("puma560").model, "gravity_torque", symbolic=True, parameters="gautier-khalil")
    assert {"d3", "d4", "r4", "g", "MX2", "MY3", "M6"} <= {symbol.name for symbol in tau.symbols}
    values = {symbol.name: value for symbol, value in tau.values.items()}
    assert (values["d3"], values["d4"], values["r3"], values["r4"]) == (0.4318, 0.0203, 0.1501, 0.4331)


def test_letters_stand_for_the_numbers_they_name():
    lengths, masses = {"L1": 0.7, "L2": 0.3}, {"m2": 5.0}
    other = cf.Robot.from_mdh(
        [(0, 0, 0, 0, 0), (0, 0, 0.7, 0, 0)],
        inertials=[inertial(2, 0.7), inertial(5, 0.3)],
        gravity=(0, -1.6, 0),
    )
    tau = equations(make("2r").model, "inverse_dynamics", symbolic=True)
    arrays = state(other, tau)
    value = tau.evaluate(*arrays, **lengths, **masses, g=1.6)
    assert worst(value, other.inverse_dynamics(*arrays)) < ROUNDING


def test_khalils_parameters_are_phi():
    robot = make("puma560")
    M = equations(robot.model, "mass_matrix", symbolic="inertia", parameters="gautier-khalil")
    names = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
    rng, phi = np.random.default_rng(1), robot.phi.copy()
    phi[phi != 0] *= rng.uniform(0.9, 1.1, size=np.count_nonzero(phi))
    values = {f"{name}{body + 1}": phi[10 * body + k] for body in range(6) for k, name in enumerate(names)}
    used = {symbol.name for symbol in M.values}
    arrays = state(robot, M)
    value = M.evaluate(*arrays, **{name: value for name, value in values.items() if name in used})
    assert worst(value, robot.with_phi(phi).mass_matrix(*arrays)) < ROUNDING


def test_dot_agrees_with_differences():
    robot = PLANAR
    tau = equations(robot.model, "inverse_dynamics")
    q, qd, qdd, qddd = robot.random_state(1, order=3)
    h = 1e-5

    def at(t):
        return robot.inverse_dynamics(
            q + qd * t + qdd * t**2 / 2 + qddd * t**3 / 6, qd + qdd * t + qddd * t**2 / 2, qdd + qddd * t
        )

    difference = (at(h) - at(-h)) / (2 * h)
    assert worst(tau.dot().evaluate(q, qd, qdd, qddd), difference) < DIFFERENCE


def test_dot_of_definitions_agrees():
    with pytest.warns(EquationsWarning):
        rough = equations(make("2r").model, "inverse_dynamics", seconds=0)
    exact = equations(make("2r").model, "inverse_dynamics")
    for a, b in ((rough.dot(), exact.dot()), (rough.dot().dot(), exact.dot().dot())):
        arrays = state(make("2r"), a)
        assert worst(a.evaluate(*arrays), b.evaluate(*arrays)) < ROUNDING


def test_the_budget_is_respected(monkeypatch):
    robot, looks = make("panda"), count()
    # a clock that goes on by a millisecond at every look, however fast the machine is
    clock = SimpleNamespace(monotonic=lambda: 1e-3 * next(looks))
    monkeypatch.setattr("closedform.equations.trig_sums.time", clock)
    with pytest.warns(EquationsWarning, match="in 1 s"):
        tau = equations(robot.model, "inverse_dynamics", symbolic=True, seconds=1)
    assert 1000 <= next(looks) < 1010
    arrays = state(robot, tau)
    assert worst(tau.evaluate(*arrays), robot.inverse_dynamics(*arrays)) < ROUNDING


def power_program(squarings: int) -> Program:
    """Return the program of x^(2^squarings) + y."""
    x = ca.SX.sym("x", 2)
    power = x[0]
    for _ in range(squarings):
        power = power * power
    return program("power", [("x", (2,), x)], [("power", (1,), power + x[1])])


def test_large_exponents_are_multiplied_out_or_left_as_computed():
    x1, x2 = sp.symbols("x1 x2")
    assert program_equations(power_program(6), seconds=math.inf).entries == (x1**64 + x2,)
    for squarings in (7, 8, 9):  # x1^256 in bytes would be x2
        with pytest.warns(EquationsWarning, match="with exponents up to 63"):
            result = program_equations(power_program(squarings), seconds=math.inf)
        assert worst(result.evaluate([0.99, 0.5]), [0.99**2**squarings + 0.5]) < ROUNDING


def test_large_negative_exponents_are_left_as_computed():
    x = ca.SX.sym("x", 2)
    power = 1 / x[0] ** 60 / x[0] ** 60 / x[0] ** 60
    traced = program("power", [("x", (2,), x)], [("power", (1,), power + x[1])])
    with pytest.warns(EquationsWarning, match="with exponents up to 63"):
        result = program_equations(traced, seconds=math.inf)
    assert worst(result.evaluate([0.99, 0.5]), [0.99**-180 + 0.5]) < ROUNDING


def test_inputs_named_like_definitions_keep_their_names():
    x = ca.SX.sym("x", 2)
    traced = program("wave", [("x", (2,), x)], [("wave", (1,), ca.sin(x[0]) * ca.cos(x[1]) * x[1])])
    result = program_equations(traced, groups=[[0], [1]], seconds=math.inf)
    assert worst(result.evaluate([0.3, 0.5]), [np.sin(0.3) * np.cos(0.5) * 0.5]) < ROUNDING


def test_a_sum_of_too_many_terms_is_left_as_computed(monkeypatch):
    monkeypatch.setattr("closedform.equations.trig_sums.MAX_TERMS", 10)
    with pytest.warns(EquationsWarning, match="could not be multiplied out in 10 terms"):
        assert equations(PLANAR.model, "inverse_dynamics", symbolic=True).definitions


def balanced(text: str) -> bool:
    """Whether braces, environments and \\left ... \\right of LaTeX are balanced."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    opened, closed = re.findall(r"\\begin\{(\w+)\}", text), re.findall(r"\\end\{(\w+)\}", text)
    return depth == 0 and sorted(opened) == sorted(closed) and text.count(r"\left") == text.count(r"\right")


@pytest.mark.parametrize(
    "form", ["mass_matrix", "inverse_dynamics", "kinetic_energy", "mass_matrix_dq", "pose"]
)
@pytest.mark.parametrize("seconds", [0, math.inf])
@pytest.mark.filterwarnings("ignore::closedform.equations.EquationsWarning")
def test_latex_and_mathml_are_well_formed(form, seconds):
    result = equations(PLANAR.model, form, symbolic=True, seconds=seconds)
    assert balanced(result.latex())
    assert result._repr_latex_().startswith("$")
    assert ElementTree.fromstring(result.mathml()).tag.endswith("math")
    assert result.pretty()
    assert str(result)


def test_rates_have_dots():
    tau = equations(make("2r").model, "inverse_dynamics", symbolic=True)
    assert r"\ddot{q}_{1}" in tau.latex()
    assert r"\tau_{2} &= L_{2} m_{2}" in tau.latex()
    assert r"\dddot{q}_{1}" in tau.dot().latex()
    assert r"\dot{\tau}_{1}" in tau.dot().latex()
    assert "q̈₁" in tau.pretty()
    assert "q&#776;" in tau.mathml()


def test_numbers_are_exact_or_rounded_on_request():
    model = make("2r").model
    assert str(equations(model, "mass_matrix", rational=True).entries[0]) == "9*cos(q2)/4 + 139/32"
    assert str(equations(model, "mass_matrix", digits=3)) == (
        "M[1,1] = 2.25*cos(q2) + 4.34\nM[1,2] = M[2,1] = 1.13*cos(q2) + 0.844\nM[2,2] = 0.844"
    )


def test_symbols_do_not_come_from_the_description():
    hostile = cf.Robot.from_mdh(
        [(0, 0, 0, 0, 0), (0, 0, 1, 0, 0)],
        inertials=[inertial(1, 1, 1)] * 2,
        joint_names=["__import__('os')", "q1); \\input{x}"],
        name="$}\\end{document}",
    )
    result = equations(hostile.model, "inverse_dynamics", symbolic=True)
    assert all(re.fullmatch(r"[A-Za-z]+\d*[a-z]*", symbol.name) for symbol in result.symbols)
    assert "input" not in result.latex() + str(result) + repr(result)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"name": "mass"}, cf.UnknownNameError, "unknown form"),
        ({"symbolic": "mass"}, cf.UnknownNameError, "inertia, geometry, gravity"),
        ({"symbolic": 3}, cf.ArgumentError, "symbolic is 3"),
        ({"parameters": "khalil"}, cf.UnknownNameError, "gautier-khalil"),
        ({"digits": 0}, cf.ArgumentError, "from 1 to 15"),
        ({"digits": 2.5}, cf.ArgumentError, "whole number"),
        ({"seconds": -1}, cf.ArgumentError, "seconds is -1"),
        ({"seconds": float("nan")}, cf.ArgumentError, "seconds is nan"),
        ({"frame": "tool"}, cf.ArgumentError, "not a form of a frame"),
        ({"name": "pose", "frame": "hand"}, cf.UnknownNameError, "unknown frame"),
        ({"order": 2}, cf.ClosedFormError, "order"),
        ({"phi": True}, cf.ArgumentError, "for letters in equations take symbolic='inertia'"),
        ({"geometry": True}, cf.ArgumentError, "symbolic='geometry'"),
    ],
    ids=str,
)
def test_bad_arguments_are_named(arguments, error, match):
    given = {"name": "mass_matrix", **arguments}
    with pytest.raises(error, match=match):
        equations(make("2r").model, **given)


def test_a_robot_too_large_to_print_is_refused_with_its_count():
    with pytest.raises(cf.ProgramSizeError, match=r"takes \d+ operations; equations are printed up to"):
        equations(make("humanoid").model, "coriolis_matrix")


def test_wrong_states_and_constants_are_named():
    M = equations(make("2r").model, "mass_matrix", symbolic=True)
    with pytest.raises(cf.ArgumentError, match="takes 1 arrays"):
        M.evaluate()
    with pytest.raises(cf.ArgumentError, match=r"got shape \(3,\)"):
        M.evaluate([0, 0, 0])
    with pytest.raises(cf.UnknownNameError, match="unknown constant 'm3'"):
        M.evaluate([0, 0], m3=1.0)


def test_quaternions_have_no_dot():
    with pytest.raises(cf.ArgumentError, match="quaternions"):
        equations(make("spherical_pendulum").model, "potential_energy").dot()
