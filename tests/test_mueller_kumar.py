"""The examples of Mueller and Kumar: the planar arm in letters, the iiwa, their figures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import closedform as cf
from closedform.papers import mueller_kumar, paper
from tolerances import LAST_DIGITS


@cache
def exhibits():
    return {each.label: each for each in mueller_kumar.exhibits()}


def test_the_planar_arm_has_the_derivatives_of_its_torques():
    """tau as the paper prints it, and its derivatives by SymPy, against the equations of the library."""
    L1, L2, m1, m2, g, t = sp.symbols("L1 L2 m1 m2 g t")
    q1, q2 = (sp.Function(name)(t) for name in ("q1", "q2"))
    v1, v2, a1, a2 = (q.diff(t, k) for k in (1, 2) for q in (q1, q2))
    tau1 = (
        L1**2 * a1 * (m1 + m2) + L2**2 * m2 * (a1 + a2) + L2 * g * m2 * sp.cos(q1 + q2)
        + L1 * g * (m1 + m2) * sp.cos(q1) - L1 * L2 * v2**2 * m2 * sp.sin(q2)
        + 2 * L1 * L2 * a1 * m2 * sp.cos(q2) + L1 * L2 * a2 * m2 * sp.cos(q2)
        - 2 * L1 * L2 * v1 * v2 * m2 * sp.sin(q2)
    )  # fmt: skip
    tau2 = L2 * m2 * (L1 * sp.sin(q2) * v1**2 + L2 * (a1 + a2) + g * sp.cos(q1 + q2) + L1 * a1 * sp.cos(q2))
    ours = cf.load("2r").equations("inverse_dynamics_rates", order=2, symbolic=True)
    names = {
        q.diff(t, k) if k else q: sp.Symbol(f"q{'d' * k}{i}") for k in range(5) for i, q in ((1, q1), (2, q2))
    }
    for order, given in enumerate(ours):
        for entry, tau in zip(given.matrix, (tau1, tau2), strict=True):
            expected = tau.diff(t, order).subs(dict(reversed(names.items())))
            assert sp.expand(entry - expected) == 0, order


def test_the_iiwa_is_that_of_section_6():
    """Joint axes along z, frames of quarter turns about x, r3 and r5 along y, inertias as printed."""
    robot = cf.load("iiwa14")
    assert np.array_equal(robot.block_X(np.zeros(7))[2::6], np.eye(7))
    turns = {2: 1, 5: 1, 6: 1, 3: -1, 4: -1, 7: -1}
    for i, body in enumerate(robot.model.bodies, start=1):
        s = turns.get(i, 0)
        R = np.array([[1, 0, 0], [0, 0, -s], [0, s, 0]]) if s else np.eye(3)
        assert np.abs(body.placement[:3, :3] - R).max() < LAST_DIGITS
        r = {3: [0, 0.42, 0], 5: [0, -0.40, 0]}.get(i, [0, 0, 0])
        assert np.abs(body.placement[:3, 3] - r).max() < LAST_DIGITS
    given = [each for each in mueller_kumar.printed() if each.where == "Table 1"]
    assert len(given) == 70
    assert all(each.agrees for each in given)


def test_inertias_of_no_body_are_kept_with_a_warning():
    """Links 4 and 7 violate the triangle inequality; a table of one's own is loaded all the same."""
    rows = [[0, 0, 0, 0, 0]]
    xx, xy, xz, yy, yz, zz = (float(each) for each in mueller_kumar.TABLE_1[3].split()[4:])
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with pytest.warns(cf.ModelWarning, match="triangle"):
        robot = cf.Robot.from_mdh(rows, inertials=[cf.Inertial(2.61155, np.zeros(3), inertia)])
    assert robot.phi[0] == xx


def test_figures_are_of_the_arm_without_a_load():
    """The peak of tau'' of joint 6 is 3.68 N m/s^2 along these cosines; a tool of 3 kg makes it 21.2."""
    peaks = {row[0]: row[1:] for row in exhibits()["Fig. 4"].table.rows}
    assert peaks["joint6"][2] == "3.68"
    (bare,) = exhibits()["Fig. 3"].figures.values()
    assert "joint7" in bare.json


def test_the_print_differs_where_the_errata_say():
    differing = [each.what for each in paper("mueller-kumar").printed() if not each.agrees]
    assert len(differing) == 4
    assert all("qd1 qd" in each or "row 1, column 1" in each for each in differing)
