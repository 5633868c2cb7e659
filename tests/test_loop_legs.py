"""Loops in space that close by a formula: spherical linkages, rods, legs of platforms, and sliders.

Each is compared with Newton's method on the same loops, and with what a hand derives: the quadratic equation
of the tangent of half an angle, or a length.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.loops.legs import Leg
from closedform.programs import evaluate
from oracles.loop_mechanisms import Bodies, X, Y, Z, at, axes, rod
from tolerances import ITERATED, ROUNDING, worst

ARCS = (0.5, 1.1, 0.9, 1.2)
"""Arcs of crank, coupler, rocker and ground of the spherical four-bar, in rad."""


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return a rotation about a unit axis by its series (exponential of a skew matrix)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def half_angle(a: float, b: float, c: float) -> np.ndarray:
    """Return both angles with a cos + b sin = c: (a + c) t^2 - 2 b t + (c - a) = 0, t = tan(angle / 2)."""
    return 2 * np.arctan(np.roots([a + c, -2 * b, c - a]).real)


def angle_between(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(np.angle(np.exp(1j * (np.asarray(x) - np.asarray(y))))).max())


def rocker_angles(crank: float) -> np.ndarray:
    """Return the angles of the rocker of a spherical four-bar: its end is one coupler's arc from the crank's.

    The rocker turns about g, at the ground's arc from the crank's axis; at zero both lie in the xz plane.
    """
    r, k, s, g = ARCS
    end = turn(Z, crank) @ turn(Y, r) @ Z
    axis, start = turn(Y, g) @ Z, turn(Y, g + s) @ Z
    across, off = start - axis * (axis @ start), end @ axis * (axis @ start)
    return half_angle(end @ across, end @ np.cross(axis, start), np.cos(k) - off)


@cache
def spherical_four_bar(kind: str = "hinge", cut: str = "coupler") -> cf.ClosedRobot:
    """Return a linkage of four turns whose axes meet at the origin, cut between coupler and rocker."""
    r, _, s, g = ARCS
    crank, rocker = 0.8, float(rocker_angles(0.8)[0])
    made = Bodies()
    small = cf.Inertial.of(0.5, (0.1, 0.05, 0.3), 0.02 * np.eye(3))
    e1, e4 = Z, turn(Y, g) @ Z
    e2 = turn(Z, crank) @ turn(Y, r) @ Z
    e3 = turn(e4, rocker) @ turn(Y, g + s) @ Z
    first = made.add("crank", -1, at((0, 0, 0)), small, turn=e1)
    second = made.add("coupler", first, at((0, 0, 0)), small, turn=e2)
    third = made.add("rocker", -1, at((0, 0, 0)), small, turn=e4)
    ends = [made.frame(n, b, at(0.4 * e3, axes(e3))) for n, b in (("a", second), ("b", third))]
    ends = ends if cut == "coupler" else ends[::-1]
    return made.robot("spherical_four_bar").with_loops([cf.Loop(*ends, kind)], ["crank"])


def searched(closed: cf.ClosedRobot) -> cf.ClosedRobot:
    """Return a mechanism whose formulas are not used."""
    return cf.ClosedRobot(replace(closed.model, dyads=()))


def spherical_five_bar() -> cf.ClosedRobot:
    """Return five turns whose axes meet away from the origin: two degrees of freedom, all axes general."""
    made, rng = Bodies(), np.random.default_rng(3)
    centre = np.array([0.3, -0.2, 0.5])
    e = rng.normal(size=(5, 3))
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    small = cf.Inertial.of(0.5, (0.1, 0.05, 0.3), 0.02 * np.eye(3))
    points = [centre + 0.1 * k * e[k] for k in range(5)]
    one = made.add("1", -1, at(points[0]), small, turn=e[0])
    two = made.add("2", one, at(points[1]), small, turn=e[1])
    three = made.add("3", -1, at(points[2]), small, turn=e[2])
    four = made.add("4", three, at(points[3]), small, turn=e[3])
    place = at(centre + 0.3 * e[4], axes(e[4]))
    loop = cf.Loop(made.frame("a", two, place), made.frame("b", four, place), "cylindrical")
    return made.robot("spherical_five_bar").with_loops([loop], ["1", "3"])


def rods(kind: str) -> cf.ClosedRobot:
    """Return a crank and a lever, or a slider, held at a distance by a rod: RSSR and RSSP."""
    made = Bodies()
    crank = made.add("crank", -1, at((0, 0, 0)), rod(1.0, 0.3), turn=Z)
    if kind == "lever":
        other = made.add("lever", -1, at((0.6, 0.2, 0.4)), rod(1.0, 0.5, Y), turn=X)
        end = at((0.6, 0.7, 0.4))
    else:
        other = made.add(
            "slider", -1, at((0.6, 0.2, 0.4)), rod(1.0, 0.1), slide=(X + 0.2 * Y) / np.sqrt(1.04)
        )
        end = at((0.6, 0.2, 0.4))
    loop = cf.Loop(made.frame("a", crank, at((0.3, 0, 0))), made.frame("b", other, end), "distance")
    return made.robot(f"{kind}").with_loops([loop], ["crank"])


def slider_crank(swapped: bool = False) -> cf.ClosedRobot:
    """Return a crank of 0.3, a connecting rod of 0.8 and a piston along x."""
    made = Bodies()
    crank = made.add("crank", -1, at((0, 0, 0)), rod(1.0, 0.3), turn=Z)
    link = made.add("link", crank, at((0.3, 0, 0)), rod(1.0, 0.8), turn=Z)
    piston = made.add(
        "piston", -1, at((1.1, 0, 0)), cf.Inertial.of(0.5, (0, 0, 0), 0.01 * np.eye(3)), slide=X
    )
    ends = made.frame("a", link, at((1.1, 0, 0))), made.frame("b", piston, at((1.1, 0, 0)))
    near = np.array([0.4, -np.arcsin(0.3 / 0.8 * np.sin(0.4)) - 0.4, 0.0])
    near[2] = 0.3 * np.cos(0.4) + np.sqrt(0.64 - (0.3 * np.sin(0.4)) ** 2) - 1.1
    loop = cf.Loop(*(ends[::-1] if swapped else ends))
    return made.robot("slider_crank", gravity=(0, -9.81, 0)).with_loops([loop], ["crank"], near=near)


def by_platform(name: str, independent: list[str]) -> cf.ClosedRobot:
    """Return a mechanism of the catalogue in the coordinates of what its legs carry, driven as ever."""
    closed = cf.load(name)
    drives = list(closed.actuated_names)
    return closed.tree.with_loops(closed.loops, independent, drives, closed.model.near)


SLIDES = ["platform_x", "platform_y", "platform_z"]
ANKLE = ["hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll"]
MECHANISMS = {
    "spherical four-bar of hinges": spherical_four_bar,
    "spherical four-bar, frames exchanged": lambda: spherical_four_bar("hinge", "rocker"),
    "spherical four-bar of a ball": lambda: spherical_four_bar("ball"),
    "spherical five-bar": spherical_five_bar,
    "crank, rod and lever": lambda: rods("lever"),
    "crank, rod and slider": lambda: rods("slider"),
    "slider-crank": slider_crank,
    "slider-crank, frames exchanged": lambda: slider_crank(swapped=True),
    "Delta by its platform": lambda: by_platform("delta", SLIDES),
    "Gough-Stewart by its platform": lambda: by_platform("gough_stewart", ["platform_motion"]),
    "ankle by the foot": lambda: by_platform("parallel_ankle", ANKLE),
}
LEAST = ["spherical five-bar", "crank, rod and lever", "slider-crank", "Delta by its platform"]


@cache
def mechanism(name: str) -> cf.ClosedRobot:
    return MECHANISMS[name]()


def nearby(closed: cf.ClosedRobot, count: int, size: float = 0.1) -> np.ndarray:
    """Return independent coordinates around the closed posture."""
    rng, tree = np.random.default_rng(5), closed.tree
    step = np.zeros((count, tree.nv))
    step[:, list(closed.model.iv)] = size * rng.uniform(-1, 1, size=(count, closed.nv))
    return tree.integrate(closed.model.near, step)[:, list(closed.model.iq)]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_formula_closes_loops_where_newton_does(name):
    closed = mechanism(name)
    assert closed.model.explicit
    assert all(isinstance(each, Leg) for each in closed.model.dyads)
    q = nearby(closed, 8)
    x = closed.assemble(q)
    assert (closed.closure_residual(x) < ROUNDING).all()
    assert worst(x, searched(closed).assemble(q)) < ROUNDING


@pytest.mark.parametrize("name", LEAST)
def test_motion_and_its_derivatives_are_those_of_the_searched_mechanism(name):
    closed, other = mechanism(name), searched(mechanism(name))
    q = nearby(closed, 2)
    qd, qdd = np.random.default_rng(6).normal(size=(2, 2, closed.nv))
    x = other.assemble(q)
    for form, given in (("inverse_dynamics", qdd), ("forward_dynamics", np.ones((2, len(closed.model.av))))):
        for each in (form, f"{form}_derivatives"):
            ours, theirs = (
                evaluate(mech.program(each), place, qd, given) for mech, place in ((closed, q), (other, x))
            )
            ours, theirs = (value if isinstance(value, tuple) else (value,) for value in (ours, theirs))
            for a, b in zip(ours, theirs, strict=True):
                assert worst(a, b) < ITERATED, each


def test_the_spherical_four_bar_is_the_one_derived_by_hand():
    closed = spherical_four_bar()
    assert closed.model.dyads[0].centre is not None
    q = np.linspace(-3, 3, 13)[:, None]
    x = closed.assemble(q)
    start = rocker_angles(0.8)[0]  # angles count from home, at which the crank is turned by 0.8
    for crank, rocker in zip(q[:, 0], x[:, 2], strict=True):
        by_hand = rocker_angles(0.8 + crank) - start
        assert min(angle_between(rocker, each) for each in by_hand) < ROUNDING
    modes = closed.assembly_modes([0.4])
    assert len(modes) == 2
    found = np.sort(np.angle(np.exp(1j * modes[:, 2])))
    assert angle_between(found, np.sort(np.angle(np.exp(1j * (rocker_angles(1.2) - start))))) < ROUNDING


def test_rods_reach_as_derived_by_hand():
    closed = rods("lever")
    (length,) = (each.length for each in closed.loops)
    for crank in (-0.5, 0.2, 0.9):
        lever = closed.assemble([crank])[1]
        end = 0.3 * np.array([np.cos(crank), np.sin(crank), 0]) - np.array([0.6, 0.2, 0.4])
        # 0.5 (0, cos, sin) is one length from the crank's end
        roots = half_angle(end[1], end[2], (end @ end + 0.25 - length**2) / (2 * 0.5))
        assert min(abs(lever - roots)) < ROUNDING
    slider = rods("slider")
    (length,) = (each.length for each in slider.loops)
    for crank in (-0.5, 0.2, 0.9):
        slide = slider.assemble([crank])[1]
        end = 0.3 * np.array([np.cos(crank), np.sin(crank), 0])
        place = np.array([0.6, 0.2, 0.4]) + slide * np.array([1, 0.2, 0]) / np.sqrt(1.04)
        assert abs(np.linalg.norm(place - end) - length) < ROUNDING


def test_a_piston_follows_its_crank():
    closed = slider_crank()
    q = np.linspace(-3, 3, 9)
    x = closed.assemble(q[:, None])
    assert worst(x[:, 2] + 1.1, 0.3 * np.cos(q) + np.sqrt(0.64 - (0.3 * np.sin(q)) ** 2)) < ROUNDING


def test_legs_of_a_platform_are_as_long_as_its_corners_are_away():
    closed = mechanism("Gough-Stewart by its platform")
    q = nearby(closed, 3)
    x = closed.assemble(q)
    for k in range(1, 7):
        corner = closed.tree.pose(x, f"corner{k}")[:, :3, 3]
        foot = closed.tree.pose(x, f"cylinder{k}")[:, :3, 3]
        start = closed.tree.pose(closed.model.near, f"corner{k}")[:3, 3]
        change = np.linalg.norm(corner - foot, axis=1) - np.linalg.norm(start - foot[0])
        leg = closed.tree.joint_names.index(f"leg{k}")
        assert worst(x[:, leg] - closed.model.near[leg], change, 1.0) < ROUNDING


def test_arms_of_a_delta_are_as_derived_by_hand():
    closed = mechanism("Delta by its platform")
    tree, q = closed.tree, nearby(closed, 3)
    x = closed.assemble(q)
    for k in range(1, 4):
        motor = tree.joint_names.index(f"motor{k}")
        flat = x.copy()
        flat[:, motor] = 0.0
        pivot = tree.pose(x, f"arm{k}")[0, :3, 3]
        zero = tree.pose(flat, f"rods{k}")[0, :3, 3] - pivot  # the elbow while the motor is at zero
        axis = tree.jacobian(flat[0], f"arm{k}", reference="world_aligned")[:3, motor]
        corners = tree.pose(x, f"corner{k}")[:, :3, 3] - pivot
        length = np.linalg.norm(tree.pose(x, f"foot{k}")[0, :3, 3] - tree.pose(x, f"rods{k}")[0, :3, 3])
        for corner, angle in zip(corners, x[:, motor], strict=True):
            c = (corner @ corner + zero @ zero - length**2) / 2
            roots = half_angle(corner @ zero, corner @ np.cross(axis, zero), c)
            assert min(angle_between(angle, each) for each in roots) < ROUNDING


def test_what_no_formula_closes_is_still_searched():
    assert not cf.load("gough_stewart").model.explicit
    assert not cf.load("planar_3rrr").model.explicit
    # two axes that meet only in one posture are no pair: a known joint between them moves them apart
    made = Bodies()
    base = made.add("base", -1, at((0, 0, 0)), rod(1.0, 0.3), slide=X)
    one = made.add("one", -1, at((0, 0, 0)), rod(1.0, 0.3), turn=Z)
    middle = made.add("middle", one, at((0, 0, 0)), rod(1.0, 0.3), slide=X)
    two = made.add("two", middle, at((0, 0, 0)), rod(1.0, 0.3), turn=Y)
    three = made.add("three", two, at((0.5, 0, 0)), rod(1.0, 0.3), turn=Y)
    place = at((0.6, 0.1, 0.4))
    loop = cf.Loop(made.frame("a", three, place), made.frame("b", base, place), "ball")
    closed = made.robot("offset").with_loops([loop], ["base", "middle"])
    assert not closed.model.explicit
