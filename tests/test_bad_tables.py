"""Modified DH tables and screws that do not fit are refused; geometry alone gives kinematics."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.forms.catalogue import INERTIAS
from urdf_texts import Load, joint, link, urdf

ROW = (0, 0, 0, 0, 0)
BODY = cf.Inertial.of(1.0, (0.1, 0, 0), 0.1 * np.eye(3))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        None,
        3,
        "x",
        [()],
        [1, 2, 3],
        [[1, 2, 3]],
        [[0] * 6],
        np.zeros((2, 5, 1)),
        [["a"] * 5],
        [[0, 0, 0, 0, 0], [0]],
        [[0, 1j, 0, 0, 0]],
        [[None] * 5],
        {},
    ],
)
def test_a_table_that_is_not_n_by_5_is_refused(rows: object) -> None:
    with pytest.raises(cf.DescriptionError, match="sigma, alpha, d, theta, r"):
        cf.Robot.from_mdh(rows)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", range(5))
def test_a_table_entry_that_is_not_finite_names_its_row(column: int, value: float) -> None:
    rows = np.zeros((3, 5))
    rows[1, column] = value
    with pytest.raises(cf.DescriptionError, match=r"row 2.*finite"):
        cf.Robot.from_mdh(rows)


@pytest.mark.parametrize("sigma", [2, -1, 0.5])
def test_sigma_is_zero_or_one(sigma: float) -> None:
    with pytest.raises(cf.DescriptionError, match=r"row 2: sigma"):
        cf.Robot.from_mdh([ROW, (sigma, 0, 0, 0, 0)])


@pytest.mark.parametrize(
    "parents",
    [
        [-1],
        [-1, 0, 1],
        [0, 0],
        [-1, 1],
        [-1, 5],
        [-2, 0],
        [-1, 0.5],
        [-1, np.nan],
        [-1, None],
        [-1, "a"],
        [-1, False],
        [-1, -0.9],
        count(),
        "ab",
        3,
    ],
)
def test_parents_are_earlier_rows(parents: object) -> None:
    with pytest.raises(cf.DescriptionError, match=r"antecedent|parents"):
        cf.Robot.from_mdh([ROW, ROW], parents=parents)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("inertials", [BODY]),
        ("inertials", BODY),
        ("inertials", [1, 2]),
        ("inertials", [BODY, (1, 2, 3)]),
        ("armature", [1]),
        ("armature", [np.nan, 1]),
        ("armature", [-1, 1]),
        ("armature", ["a", 1]),
        ("armature", [True, 1]),
        ("joint_names", ["a"]),
        ("joint_names", ["a", "a"]),
        ("joint_names", ["a", ""]),
        ("joint_names", [1, 2]),
        ("tool", np.eye(3)),
        ("tool", np.full((4, 4), np.nan)),
        ("tool", 2 * np.eye(4)),
        ("tool", np.diag([1.0, 1, -1, 1])),
        ("tool", "x"),
    ],
)
def test_options_of_a_table_that_do_not_fit_are_named(option: str, value: object) -> None:
    part = {"inertials": "inertial|link", "armature": "armature", "joint_names": "joint", "tool": "tool"}[
        option
    ]
    with pytest.raises(cf.DescriptionError, match=part):
        cf.Robot.from_mdh([ROW, ROW], **{option: value})


@pytest.mark.parametrize(
    "arguments",
    [
        (np.nan,),
        (np.inf,),
        (-1.0,),
        ("a",),
        ([1, 2],),
        (1j,),
        (None,),
        (1.0, (1, 2)),
        (1.0, "abc"),
        (1.0, (0, np.nan, 0)),
        (1.0, (0, 0, 0), np.eye(2)),
        (1.0, (0, 0, 0), np.ones(9)),
        (1.0, (0, 0, 0), np.full(6, np.inf)),
        (1.0, (0, 0, 0), -np.eye(3)),
        (1.0, (0, 0, 0), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
    ],
)
def test_an_inertial_that_is_none_is_a_closed_form_error(arguments: tuple[object, ...]) -> None:
    with pytest.raises(cf.ClosedFormError):
        cf.Robot.from_mdh([ROW], inertials=[cf.Inertial.of(*arguments)])


def test_a_table_of_too_many_rows_is_refused() -> None:
    with pytest.raises(cf.DescriptionError, match="10000 moving bodies"):
        cf.Robot.from_mdh(np.zeros((10_000, 5)))
    with pytest.raises(cf.DescriptionError, match="n <= 30000"):
        cf.Robot.from_mdh(np.broadcast_to(np.zeros(5), (10**6, 5)))


# ------------------------------------------------------------------ screws


HOME = np.eye(4)
TURN = (0, 0, 1, 0, 0, 0)


def columns(*screws: tuple[float, ...]) -> np.ndarray:
    return np.array(screws, dtype=float).T


@pytest.mark.parametrize(
    "screw",
    [
        "x",
        None,
        3,
        (0, 0, 1),
        (0,) * 7,
        [1, 2, [3]],
        np.zeros((2, 6)),
        np.zeros((6, 0)),
        np.ones((6, 7)),
        np.zeros((1, 6, 1)),
        (0, 0, 0, 0, 0, 0),
        np.full(6, np.nan),
        (0, 0, np.inf, 0, 0, 0),
        (0, 0, 1j, 0, 0, 0),
        (0, 0, 2, 0, 0, 0),
        (0, 0, 1.001, 0, 0, 0),
        (0, 0, 0, 0, 0, 3),
        (1, 1, 0, 0, 0, 0),
        columns(TURN, TURN),
        columns(TURN, (0, 0, 2, 0, 0, 0)),
        columns(TURN, (0, 0, 0, 0, 0, 0)),
        columns(TURN, (0, 1, 0, 0, 0, 0)),
        columns(TURN, (0, 0, 0, 1, 0, 0)),
        columns((0, 0, 2, 0, 0, 0), (0, 0, 0, 0, 0, 1)),
        2 * np.eye(6),
        2 * np.eye(6)[:, :3],
        np.eye(6)[:, :4],
    ],
)
def test_a_screw_that_is_none_names_the_joint(screw: object) -> None:
    with pytest.raises(cf.DescriptionError, match="joint 'shoulder'"):
        cf.Robot.from_screws([HOME], [screw], joint_names=["shoulder"])


@pytest.mark.parametrize(
    "placement",
    [
        "x",
        None,
        np.eye(3),
        np.zeros((4, 4)),
        2 * np.eye(4),
        -np.eye(4),
        np.diag([1.0, 1, -1, 1]),
        np.full((4, 4), np.nan),
        np.eye(4) + np.triu(np.full((4, 4), 1e-3), 1) * np.array([1, 1, 1, 0]),
        np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1.0]]),
        np.diag([1.0, 1, 1, 2]),
    ],
)
def test_a_placement_that_is_no_pose_names_the_joint(placement: object) -> None:
    with pytest.raises(cf.DescriptionError, match="joint 'shoulder'"):
        cf.Robot.from_screws([placement], [TURN], joint_names=["shoulder"])


@pytest.mark.parametrize(
    ("placements", "screws"),
    [([], []), (None, None), ([HOME], []), ([HOME], [TURN, TURN]), (3, [TURN]), (HOME, TURN)],
)
def test_as_many_screws_as_placements(placements: object, screws: object) -> None:
    with pytest.raises(cf.DescriptionError, match=r"placement|screw"):
        cf.Robot.from_screws(placements, screws)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("parents", [0, 0]),
        ("parents", [-1, 1]),
        ("parents", [-1, 0.5]),
        ("parents", [-1, "a"]),
        ("inertials", [BODY]),
        ("inertials", [1, 2]),
        ("limits", [cf.Limits()]),
        ("limits", [(0, 1), (0, 1)]),
        ("limits", [None, None]),
        ("armature", [1, np.inf]),
        ("body_names", ["a", "a"]),
        ("body_names", ["base", "b"]),
        ("body_names", [1, 2]),
        ("joint_names", ["a", "a"]),
        ("spatial", "false"),
        ("spatial", 1),
        ("limits", [cf.Limits(velocity=-1.0), cf.Limits()]),
    ],
)
def test_options_of_screws_that_do_not_fit_are_named(option: str, value: object) -> None:
    part = {
        "parents": "parent",
        "body_names": "link|body_names",
        "joint_names": "joint",
        "inertials": "inertial|link",
    }
    with pytest.raises(cf.DescriptionError, match=part.get(option, option)):
        cf.Robot.from_screws([HOME, HOME], [TURN, TURN], **{option: value})


# ------------------------------------------------------------------ geometry without inertias


@pytest.mark.parametrize(
    "robot",
    [
        cf.Robot.from_mdh([ROW, (1, 0.3, 1.0, 0, 0)]),
        cf.Robot.from_screws([HOME, HOME], [TURN, (0, 0, 1, 0, -1, 0)]),
    ],
    ids=["mdh", "screws"],
)
@pytest.mark.parametrize("form", BASIC)
def test_geometry_alone_gives_kinematics_and_asks_for_inertias_by_name(robot: cf.Robot, form: str) -> None:
    it = BASIC[form]
    arrays = [np.full(shape, 0.3) for shape in it.input_shapes(robot.model)]
    if INERTIAS in it.needs:
        with pytest.raises(cf.ClosedFormError, match=rf"{form}.*inertia"):
            getattr(robot, form)(*arrays)
    else:
        assert np.isfinite(getattr(robot, form)(*arrays)).all()


def test_geometry_from_a_file_without_inertials(load: Load) -> None:
    robot = load(urdf(link("a", ""), link("b", ""), joint("j", "a", "b")))
    assert robot.pose([0.1]).shape == (4, 4)
    with pytest.raises(cf.ClosedFormError, match="inertia"):
        robot.mass_matrix([0.1])


def test_geometry_with_parameters_added_has_dynamics() -> None:
    robot = cf.Robot.from_mdh([ROW])
    heavy = robot.with_phi([2.5, 0, 0, 2.5, 0, 2.5, 0, 0, 0, 1])
    np.testing.assert_allclose(heavy.mass_matrix([0.1]), [[2.5]])


def test_a_missing_file_is_said_once(tmp_path):
    with pytest.raises(cf.DescriptionError) as caught:
        cf.load(tmp_path / "missing.urdf")
    assert caught.value.problems == ("no such file",)


def test_a_ball_joint_of_one_screw_is_refused(tmp_path):
    joint = (
        '{ name = "j", type = "ball", parent = "a", child = "b", subspace = [[1], [0], [0], [0], [0], [0]] }'
    )
    path = tmp_path / "robot.toml"
    path.write_text(
        f'name = "r"\ncitation = "c"\nlink = [{{ name = "a" }}, {{ name = "b" }}]\njoint = [{joint}]\n'
    )
    with pytest.raises(cf.ClosedFormError, match=r"'j'.*three screws"):
        cf.load(path)
