"""The named coefficients of two links: the paper's, its misprints, and B and h made of them."""

import numpy as np
import pytest

from closedform import ArgumentError, ClosedFormError
from closedform.flexible import FlexibleArm, FlexibleLink
from oracles.flexible_printed import named_coefficients
from tolerances import ROUNDING, worst

UPPER = FlexibleLink(0.6, 0.25, 1.5, hub_mass=0.8, hub_inertia=0.07)
TAPERED = FlexibleLink(0.4, lambda x: 0.4 - 0.3 * x, lambda x: 2.0 - 3.0 * x, hub_mass=0.5, hub_inertia=0.03)
ARMS = {
    "the paper's": FlexibleArm.deluca_siciliano(),
    "other links": FlexibleArm([UPPER, TAPERED], (0.15, 0.002), gravity=(0, -9.81), damping=0.01),
    "modes of free ends": FlexibleArm([UPPER, UPPER], (0.3, 0.004), boundary="free"),
}


@pytest.fixture(params=ARMS)
def arm(request):
    return ARMS[request.param]


def test_every_name_has_the_value_of_the_printed_formula():
    arm = ARMS["the paper's"]
    named, wanted = arm.coefficients(), named_coefficients(arm)
    assert set(named) == set(wanted)
    assert len(named) == 57 + 6 + 98
    for name, value in wanted.items():
        assert named[name] == pytest.approx(value, rel=ROUNDING, abs=1e-15), name


def test_b_and_h_are_made_of_the_coefficients(arm):
    rng = np.random.default_rng(3)
    q, qd = rng.normal(size=(2, 4, 2, 6)) * [1, 1, 0.05, 0.05, 0.05, 0.05]
    named = arm.coefficients()
    assert worst(named.mass_matrix(q), arm.mass_matrix(q)) < ROUNDING
    assert worst(named.coriolis_torque(q, qd[:1]), arm.coriolis_torque(q, qd[:1])) < ROUNDING


def test_letters_and_numbers_agree():
    named = ARMS["other links"].coefficients()
    for name, value in named.items():
        found = float(named.expression(name).subs(named.letters))
        assert found == pytest.approx(value, rel=ROUNDING, abs=1e-15), name
    assert named.latex("b332") == (r"2 {\phi'_{11,e}} \phi_{11,e} \left(d_{2} m_{2} + \ell_{2} m_{p}\right)")


def test_the_paper_prints_five_of_them_wrong():
    arm = ARMS["the paper's"]
    named, wrong = arm.coefficients(), named_coefficients(arm, wrong=True)
    assert named.corrected == ("h107", "h117", "h118", "h412", "h413")
    for name, value in named.items():
        printed = float(named.printed(name).subs(named.letters))
        assert printed == pytest.approx(wrong[name], rel=ROUNDING, abs=1e-15), name
        right = printed == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert right == (name not in named.corrected), name


def test_with_the_printed_h_the_power_of_a_free_motion_is_not_zero():
    """Along any motion qd . (Bdot qd / 2 - h) vanishes; with the misprints it does not."""
    arm = ARMS["the paper's"]
    named, rng = arm.coefficients(), np.random.default_rng(5)
    q, qd = rng.normal(size=(2, 6)) * [1, 1, 0.05, 0.05, 0.05, 0.05]
    step = 1e-6
    rate = (named.mass_matrix(q + step * qd) - named.mass_matrix(q - step * qd)) / (2 * step)
    power = qd @ rate @ qd / 2
    assert power == pytest.approx(qd @ named.coriolis_torque(q, qd), rel=1e-6)
    assert abs(power - qd @ named.coriolis_torque(q, qd, printed=True)) > 1e-2 * abs(power)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FlexibleArm([UPPER]).coefficients(), r"1 link\(s\) of 2 mode.*two links of two modes"),
        (lambda: FlexibleArm.deluca_siciliano(modes=3).coefficients(), "of 3, 3 mode"),
        (lambda: FlexibleArm.deluca_siciliano(exact=True).coefficients(), "with products of deflections"),
        (lambda: ARMS["the paper's"].coefficients()["h125"], "unknown coefficient 'h125'"),
        (lambda: ARMS["the paper's"].coefficients().mass_matrix(np.zeros(5)), "q has shape"),
    ],
)
def test_bad_requests_are_refused(call, words):
    with pytest.raises(ClosedFormError, match=words):
        call()


def test_an_unknown_name_has_the_default_of_a_mapping():
    named = ARMS["the paper's"].coefficients()
    assert named.get("h125") is None
    assert named.get("b221") == named["b221"]
    assert "h125" not in named
    with pytest.raises(ArgumentError, match="do not broadcast"):
        named.coriolis_torque(np.zeros((2, 6)), np.zeros((3, 6)))


def test_the_cross_term_of_the_first_link_has_the_whole_moment():
    """(27b): B34 of the stretched arm is the share of (MD), whole and not half of it."""
    arm = ARMS["the paper's"]
    one, two = arm.modes[0]
    moment = FlexibleArm.deluca_siciliano(boundary="stretched").modes[0].tip.moment
    share = moment * (one.tip * two.tip_slope + two.tip * one.tip_slope)
    assert arm.mass_matrix(np.zeros(6))[2, 3] == pytest.approx(share, rel=1e-9)
    assert round(arm.coefficients()["b342"], 7) == 0.0027895
