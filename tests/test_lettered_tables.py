"""Tables with letters: base parameters and equations in them, numbers only where they are given."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import closedform as cf
from closedform.identification import base_parameters
from closedform.papers.gautier_khalil import LENGTHS, STEPS, TABLE_I, lines
from closedform.rotations import pose, rotation_rpy
from test_base_parameters import same
from tolerances import ROUNDING

QUARTER = np.pi / 2
BODY = cf.Inertial.of(1.3, (0.1, 0.2, -0.1), [0.3, 0.01, 0.02, 0.25, 0.03, 0.2])


@pytest.fixture(scope="module")
def puma() -> cf.Robot:
    return cf.Robot.from_mdh(TABLE_I, name="puma")


def test_the_printed_table_gives_the_printed_regroupings(puma):
    base = base_parameters(puma, symbolic=True)
    assert base.count == 36
    assert base.minimal
    last = {name: each for link in STEPS for name, each in lines(link).items()}
    for name, each in base.regrouped.items():
        assert same(each, last[name]), name
    assert base.reasons["M4"].neighbours["XX3"] == sp.Symbol("R4") ** 2


def test_numbers_of_letters_are_those_of_the_robot_with_them(puma):
    valued = puma.with_letters(LENGTHS)
    rows = [[LENGTHS.get(entry, entry) for entry in row] for row in TABLE_I]
    plain = cf.Robot.from_mdh(rows)
    assert valued.model.digest == plain.model.digest
    assert valued.letters == LENGTHS
    lettered, numeric = base_parameters(valued, symbolic=True), base_parameters(plain)
    assert lettered.names == numeric.names
    assert np.abs(lettered.matrix - numeric.matrix).max() < ROUNDING
    assert not np.isfinite(base_parameters(puma, symbolic=True).matrix).all()


TREES = {
    "angles": ([(0, "a1", 0.1, "t1", 0.2), (1, "a2", "d2", "t2", "-r2"), (0, 0.3, "d2", 0, "r3")], {}),
    "lengths": ([(1, 0, "u", 0, 0), (0, QUARTER, "v", 0.4, "-u"), (0, -QUARTER, 0, 0, "w")], {}),
    "tree": (
        [(0, 0, 0, 0, "h", 0, 0), (0, 0.4, "L", 0.1, 0.2, "g2", "b2"), (1, -0.3, "-L", 0.2, 0, 0.2, 0)],
        {"parents": [-1, 0, 0], "base": pose(rotation_rpy((0.1, 0.2, 0.3)), (1, 2, 3))},
    ),
}


def robots(name: str) -> tuple[cf.Robot, cf.Robot, dict[str, float]]:
    """Return the robot of a table with letters, that of the numbers, and these."""
    rows, options = TREES[name]
    names = dict.fromkeys(e.lstrip("-") for row in rows for e in row if isinstance(e, str))
    values = dict(zip(names, np.random.default_rng(0).uniform(-0.8, 0.8, len(names)), strict=True))
    numbers = {**values, **{f"-{key}": -value for key, value in values.items()}}
    options = {**options, "inertials": [BODY] * len(rows), "gravity": (1.0, 2.0, -9.0)}
    plain = cf.Robot.from_mdh([[numbers.get(entry, entry) for entry in row] for row in rows], **options)
    return cf.Robot.from_mdh(rows, **options), plain, values


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("form", ["pose", "mass_matrix"])
def test_equations_keep_the_letters(name, form):
    robot, plain, values = robots(name)
    equations = robot.equations(form)
    assert {str(symbol) for symbol in equations.values} == set(values)
    state = plain.random_state(1)[: len(equations.inputs)]
    expected = getattr(plain, form)(*state)
    assert np.abs(equations.evaluate(*state, **values) - expected).max() < ROUNDING * np.abs(expected).max()
    valued = robot.with_letters(values)
    assert np.array_equal(getattr(valued, form)(*state), expected)
    assert not valued.equations(form).values
    in_letters = valued.equations(form, symbolic="geometry")
    assert {str(symbol): value for symbol, value in in_letters.values.items()} == pytest.approx(values)


@pytest.mark.parametrize("name", ["lengths", "tree"])
def test_base_parameters_in_letters_are_those_of_the_numbers(name):
    robot, plain, values = robots(name)
    lettered, numeric = base_parameters(robot, symbolic=True), base_parameters(plain)
    assert lettered.names == numeric.names
    symbols = set().union(*(each.free_symbols for each in lettered.regrouped.values()))
    assert set(map(str, symbols)) & set(values)
    found = base_parameters(robot.with_letters(values), symbolic=True).matrix
    assert np.abs(found - numeric.matrix).max() < ROUNDING


def test_angles_on_which_the_elimination_depends_are_refused():
    rows = [(0, 0, 0, 0, 0), (1, "a2", 0.2, 0.3, 0), (0, 0.9, 0.1, 0, 0.2)]
    with pytest.raises(cf.ArgumentError, match=r"what joint 2 eliminates depends on a2; write numbers"):
        base_parameters(cf.Robot.from_mdh(rows), symbolic=True)


def test_a_letter_without_a_number_is_named_where_one_is_needed(puma, tmp_path):
    zero = np.zeros(6)
    attempts = [
        lambda: puma.pose(zero),
        lambda: puma.kernel("jacobian"),
        lambda: puma.program("regressor"),
        lambda: puma.export("pose", "c", tmp_path),
        lambda: puma.geometry,
        lambda: puma.to_urdf(tmp_path / "puma.urdf"),
        lambda: puma.save(tmp_path / "puma.toml"),
        puma.to_mdh,
        lambda: puma.locked(["joint3"]),
        lambda: puma.subtree("link2"),
        lambda: puma.attached(cf.load("2r")),
        lambda: base_parameters(puma),
        lambda: base_parameters(puma, "numeric"),
        lambda: base_parameters(puma, symbolic=True).regressor(zero, zero, zero),
        lambda: puma.with_letters({"D3": 0.4}).pose(zero),
    ]
    for attempt in attempts:
        with pytest.raises(
            cf.ClosedFormError, match=r"letters .*'R3'.* have no numbers; give them, robot.with_l"
        ):
            attempt()
    with pytest.raises(cf.ArgumentError, match=r"letter 'D3' has no number; give it by name, evaluate"):
        puma.equations("pose").evaluate(zero)
    assert not any(tmp_path.iterdir())


def test_what_needs_no_number_works_without(puma):
    assert puma.nv == 6
    assert pickle.loads(pickle.dumps(puma)).letters == puma.letters
    valued = puma.with_letters(LENGTHS)
    (q,) = valued.random_state(0, order=0)
    sized = puma.kernel("pose", geometry=True)
    assert np.abs(sized(q, valued.geometry) - valued.pose(q)).max() < ROUNDING
    raised = puma.with_base((0, 0, 0.5)).with_letters(LENGTHS)
    assert np.abs(raised.pose(q)[:3, 3] - valued.pose(q)[:3, 3] - [0, 0, 0.5]).max() < ROUNDING


def test_a_changed_placement_has_no_letters(puma):
    valued = puma.with_letters(LENGTHS)
    longer = valued.with_geometry(valued.geometry * 2)
    assert longer.letters == {}
    locked = valued.locked({"joint2": 0.3})
    (q,) = locked.random_state(0, order=0)
    assert np.abs(locked.equations("pose", symbolic="geometry").evaluate(q) - locked.pose(q)).max() < ROUNDING


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0, 0, "q1", 0, 0), "letter 'q1' means something else"),
        ((0, 0, "MX3", 0, 0), "letter 'MX3' means something else"),
        ((0, 0, "2a", 0, 0), "'2a' is no letter; expected a number or a name such as 'D3'"),
        ((0, 0, "a+b", 0, 0), "is no letter"),
        ((0, 0, "", 0, 0), "is no letter"),
        ((0, 0, "x" * 41, 0, 0), "is no letter"),
        ((0, "a", "a", 0, 0), "letter 'a' is a length and an angle"),
    ],
)
def test_a_bad_letter_is_named(row, words):
    with pytest.raises(cf.DescriptionError, match=words):
        cf.Robot.from_mdh([(0, 0, 0, 0, 0), row])


def test_a_bad_letter_is_named_before_numbers_for_the_others():
    rows = [(0, 0, 0, 0, 0), (0, "-pi/2", "D2", 0, 0)]
    with pytest.raises(cf.DescriptionError, match="row 2: '-pi/2' is no letter"):
        cf.Robot.from_mdh(rows, letters={"D2": 1.0})


def test_bad_numbers_of_letters_are_named():
    rows = [(0, 0, "D1", 0, 0)]
    with pytest.raises(cf.UnknownNameError, match=r"unknown letter of the table 'D2'; known: D1"):
        cf.Robot.from_mdh(rows, letters={"D2": 1.0})
    with pytest.raises(cf.DescriptionError, match="letters: D1 is nan"):
        cf.Robot.from_mdh(rows, letters={"D1": np.nan})
    with pytest.raises(cf.DescriptionError, match="expected numbers by name"):
        cf.Robot.from_mdh(rows, letters=[1.0])
    with pytest.raises(cf.DescriptionError, match="sigma, alpha, d, theta, r"):
        cf.Robot.from_mdh([("s", 0, 0, 0, 0)])
