"""Modes of flexible links: the paper's numbers, 50-digit roots, beams with known answers."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import iv, jv

from closedform import ArgumentError, ClosedFormError
from closedform.flexible import FlexibleArm, FlexibleLink, Tip
from closedform.flexible.uniform import Frequencies, uniform_modes
from oracles.flexible_beam import rigid_rod, ritz_frequencies
from tolerances import ITERATED, PROMISED, ROUNDING, worst

TIPS = {
    "free": (0.0, 0.0, 0.0),
    "light": (0.01, 1e-6, 0.0),
    "equal": (1.0, 0.05, 0.0),
    "first link of the paper": (12.0, 5.4, 0.0),
    "ahead": (12.0, 5.4, 7.9),
    "behind": (1.0, 0.6, -0.7),
    "heavy": (1e5, 1e4, 0.0),
}
"""M_L, J_L, MD in units of the link's mass and length."""


def test_the_papers_numbers_to_all_printed_digits():
    arm = FlexibleArm.deluca_siciliano()
    flat = [mode for modes in arm.modes for mode in modes]
    assert [f"{mode.frequency:.2f}" for mode in flat] == ["0.48", "1.80", "2.18", "15.91"]
    assert [f"{mode.frequency:.5f}" for mode in flat] == ["0.47969", "1.79659", "2.17833", "15.91451"]
    assert [f"{mode.tip:.3f}" for mode in flat] == ["0.186", "0.215", "0.883", "-0.069"]
    assert [f"{mode.tip:.5f}" for mode in flat] == ["0.18588", "0.21512", "0.88333", "-0.06926"]
    assert [f"{mode.tip_slope:.3f}" for mode in flat] == ["0.657", "-0.560", "2.641", "-10.853"]
    assert [f"{mode.tip_slope:.5f}" for mode in flat] == ["0.65713", "-0.56042", "2.64134", "-10.85257"]
    assert [f"{mode.v:.3f}" for mode in flat] == ["0.007", "0.013", "0.033", "0.054"]
    assert [f"{mode.w:.3f}" for mode in flat] == ["0.002", "0.004", "0.012", "0.016"]
    assert [f.shape for f in arm.frequencies] == [(2,), (2,)]


def fifty_digit_matrix(b, M, J, D):
    """Tip conditions on sin - sinh and cos - cosh, in 50 digits, without any scaling."""
    s, c, sh, ch = mp.sin(b), mp.cos(b), mp.sinh(b), mp.cosh(b)
    one = (s - sh, b * (c - ch), b**2 * (-s - sh), b**3 * (-c - ch))
    two = (c - ch, b * (-s - sh), b**2 * (-c - ch), b**3 * (s - sh))
    rows = [[f[2] - b**4 * (J * f[1] + D * f[0]) for f in (one, two)]]
    rows.append([f[3] + b**4 * (M * f[0] + D * f[1]) for f in (one, two)])
    return rows


@pytest.mark.parametrize("name", TIPS)
def test_twenty_modes_agree_with_fifty_digit_roots(name):
    M, J, D = TIPS[name]
    roots = Frequencies(M, J, D).roots(20)
    assert (np.diff(roots) > 0).all()
    with mp.workdps(50):

        def determinant(b):
            (p, q), (r, s) = fifty_digit_matrix(b, M, J, D)
            return (p * s - q * r) / mp.cosh(b) / (1 + b**4) ** 2

        for b in map(mp.mpf, roots):  # a change of sign proves a root this near
            assert determinant(b * (1 - mp.mpf("1e-11"))) * determinant(b * (1 + mp.mpf("1e-11"))) < 0


@pytest.mark.parametrize("name", ["free", "first link of the paper", "behind"])
def test_no_mode_is_missed_and_elements_bound_from_above(name):
    M, J, D = TIPS[name]
    exact = Frequencies(M, J, D).roots(20)
    link = FlexibleLink(1.0, 1.0, 1.0, modes=20, elements=120)
    arm = FlexibleArm([link], boundary=[Tip(M, J, D)])
    betas = arm.modes[0].stacked("beta")
    assert worst(betas, exact) < 2e-4
    assert (betas > exact * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", TIPS)
def test_shapes_satisfy_the_conditions_at_both_ends(name):
    M, J, D = TIPS[name]
    link = FlexibleLink(0.8, 0.3, 2.5, modes=20)
    m, length, EI = link.mass, link.length, 2.5
    tip = Tip(M * m, J * m * length**2, D * m * length)
    for mode in uniform_modes(link, tip):
        scale = abs(mode(np.linspace(0, length, 50))).max()
        assert abs(mode(0.0)) < PROMISED * scale
        assert abs(mode(0.0, 1)) < PROMISED * scale * mode.beta
        w2 = mode.omega**2
        moment, force = EI * mode(length, 2), EI * mode(length, 3)
        # the tip of a heavy body hardly moves: what it moves is rounding times its inertia
        rounding = 1e-14 * scale * w2 * (tip.mass + tip.inertia * mode.beta + abs(tip.moment))
        sizes = [1e-9 * EI * scale * mode.beta**k + rounding * mode.beta ** (k - 2) for k in (2, 3)]
        assert abs(moment - w2 * (tip.inertia * mode.tip_slope + tip.moment * mode.tip)) < sizes[0]
        assert abs(force + w2 * (tip.mass * mode.tip + tip.moment * mode.tip_slope)) < sizes[1]


def test_the_twentieth_shape_agrees_with_fifty_digits():
    M, J, D = TIPS["equal"]
    link = FlexibleLink(1.0, 1.0, 1.0, modes=20)
    mode = uniform_modes(link, Tip(M, J, D))[19]
    x = np.linspace(0, 1, 41)
    with mp.workdps(50):
        (p, q), _ = fifty_digit_matrix(mp.mpf(mode.beta), M, J, D)
        shape = [
            q * (mp.sin(mode.beta * s) - mp.sinh(mode.beta * s))
            - p * (mp.cos(mode.beta * s) - mp.cosh(mode.beta * s))
            for s in map(mp.mpf, x)
        ]
        exact = np.array([float(y / shape[20]) for y in shape])
    assert worst(mode(x) / mode(x[20]), exact) < PROMISED


def test_modes_are_orthonormal_with_the_tip_and_moments_are_integrals():
    link = FlexibleLink(0.5, 0.2, 1.0, modes=5)
    tip = Tip(0.3, 0.01, 0.02)
    modes = uniform_modes(link, tip)
    for j, one in enumerate(modes):
        assert quad(lambda x, f=one: 0.2 * float(f(x)), 0, 0.5)[0] == pytest.approx(one.v, rel=PROMISED)
        assert quad(lambda x, f=one: 0.2 * float(f(x)) * x, 0, 0.5)[0] == pytest.approx(one.w, rel=PROMISED)
        for k, two in enumerate(modes):
            z = quad(lambda x, f=one, g=two: 0.2 * float(f(x)) * float(g(x)), 0, 0.5)[0]
            bending = quad(lambda x, f=one, g=two: float(f(x, 2)) * float(g(x, 2)), 0, 0.5)[0]
            ends = [np.array([mode.tip, mode.tip_slope]) for mode in (one, two)]
            assert z + ends[0] @ tip.matrix @ ends[1] == pytest.approx(0.1 * (j == k), abs=ITERATED)
            assert bending == pytest.approx(0.1 * one.omega**2 * (j == k), abs=1e-7 * one.omega * two.omega)
            assert modes.z[j, k] == pytest.approx(z, abs=ROUNDING)
            assert modes.k[j, k] == pytest.approx(bending, abs=1e-7 * one.omega * two.omega)


def test_finite_elements_find_the_modes_of_a_wedge():
    """Thickness to zero at the tip: the shapes are Bessel functions of sqrt(x)."""

    def condition(z):
        return jv(1, z) * iv(2, z) + iv(1, z) * jv(2, z)

    # (EI y'')'' = w^2 rho y with rho = s, EI = s^3 (s from the point) and y finite at the point gives
    # y = (A J1(z) + B I1(z)) / sqrt(s), z = 2 sqrt(w s); clamped at s = 1.
    expected = [(brentq(condition, *bracket) / 2) ** 2 for bracket in ((4.0, 5.5), (7.0, 9.0))]
    link = FlexibleLink(1.0, lambda x: 1 - x, lambda x: (1 - x) ** 3, modes=2, elements=200)
    found = FlexibleArm([link]).modes[0].stacked("omega")
    assert expected[0] == pytest.approx(5.315, abs=1e-3)
    assert worst(found, expected) < 2e-3


def test_a_uniform_link_by_elements_has_the_exact_modes():
    arm = FlexibleArm.deluca_siciliano()
    numeric = FlexibleArm(
        [FlexibleLink(0.5, 0.2, 1.0, hub_mass=1.0, hub_inertia=0.1, modes=2, elements=60)] * 2, (0.1, 0.0005)
    )
    for one, two in zip(arm.modes, numeric.modes, strict=True):
        for name in ("beta", "omega", "tip", "tip_slope", "v", "w"):
            assert worst(two.stacked(name), one.stacked(name)) < 1e-6
        x = np.linspace(0, 0.5, 33)
        assert worst(two.shapes(x), one.shapes(x)) < 1e-6
        assert worst(two.shapes(x, 2), one.shapes(x, 2)) < 1e-2
    q = np.array([0.3, 0.8, 0.02, 0.01, 0.03, 0.001])
    assert worst(numeric.mass_matrix(q), arm.mass_matrix(q)) < 1e-6


def test_payload_moves_the_node_of_the_second_mode_until_it_vanishes():
    def node(payload):
        x = np.linspace(0.05, 0.5, 2000)
        y = FlexibleArm.deluca_siciliano(payload).modes[1][1](x)
        return x[np.flatnonzero(np.diff(np.sign(y)))]

    empty, nominal, double = node((0.0, 0.0)), node((0.1, 0.0005)), node((0.2, 0.001))
    assert empty.size == nominal.size == 1
    assert nominal[0] > empty[0]
    assert double.size == 0


@pytest.mark.parametrize("elbow", [0.0, 0.7, np.pi / 2, -2.0, np.pi])
def test_modes_in_a_posture_are_those_of_a_beam_that_carries_the_rest_of_the_arm(elbow):
    arm = FlexibleArm.deluca_siciliano()
    bodies = [(1.0, 0.1, 0.0, 0.0), *rigid_rod(0.5, 0.2, elbow)]
    bodies.append((0.1, 0.0005, 0.5 * np.cos(elbow), 0.5 * np.sin(elbow)))
    wanted = ritz_frequencies(0.5, 0.2, 1.0, bodies, 2)
    assert worst(arm.modes_at([0.3, elbow])[0].stacked("frequency"), wanted) < PROMISED
    assert worst(arm.modes_at([0.3, elbow])[1].stacked("frequency"), arm.frequencies[1]) == 0
    # two constant modes follow the posture through B: the paper's coefficients b332 to b443
    held = FlexibleArm.deluca_siciliano(boundary=[0.0, elbow])
    p = arm.model.parts[0]
    B = arm.mass_matrix([0, elbow, 0, 0, 0, 0])[p, p]
    followed = np.sqrt(eigh(arm.stiffness[p, p], B, eigvals_only=True)) / (2 * np.pi)
    assert worst(followed, held.frequencies[0]) < 2e-6


def test_modes_that_follow_the_posture_are_those_of_the_posture_and_have_all_the_energy():
    arm = FlexibleArm.deluca_siciliano()
    rng = np.random.default_rng(4)
    q = rng.normal(size=(3, 2, 6)) * [1, 1, 0.05, 0.05, 0.05, 0.05]
    delta, frequencies = arm.following_modes(q)
    assert delta.shape == frequencies.shape == (3, 2, 4)
    elastic = np.einsum("...i,ij,...j->...", q, arm.stiffness, q) / 2
    assert worst((0.1 * (2 * np.pi * frequencies * delta) ** 2).sum(-1) / 2, elastic) < ROUNDING
    exact = [arm.modes_at(angles) for angles in q[0, :, :2]]
    wanted = [np.concatenate([modes.stacked("frequency") for modes in each]) for each in exact]
    assert worst(frequencies[0], wanted) < 2e-6
    # the same deflection of link 1, in the shapes of the posture
    x = np.linspace(0, 0.5, 21)
    for k, modes in enumerate(exact):
        bent = arm.modes[0].shapes(x) @ q[0, k, 2:4]
        assert worst(modes[0].shapes(x) @ delta[0, k, :2], bent) < 1e-3
    right = arm.following_modes([0.4, np.pi / 2, 0.1, 0.002, 0.03, 0.001])  # there they are the constant ones
    assert worst(right.delta, [0.1, 0.002, 0.03, 0.001]) < ROUNDING


def test_the_papers_first_frequencies_are_those_of_the_right_angle():
    right, straight = (FlexibleArm.deluca_siciliano(boundary=name) for name in ("right-angle", "stretched"))
    assert [f"{f:.3f}" for f in right.frequencies[0]] == ["0.480", "1.797"]
    assert [f"{f:.3f}" for f in straight.frequencies[0]] == ["0.441", "1.986"]
    assert right.modes[0].tip.moment == 0
    assert straight.modes[0].tip.moment == pytest.approx(0.1 * 0.25 + 0.1 * 0.5)
    q = np.array([0.2, -0.7])
    assert worst(right.natural_frequencies(q, held=True), straight.natural_frequencies(q, held=True)) < 2e-6


def test_frequencies_of_postures_are_those_of_the_linearised_arm():
    arm = FlexibleArm([FlexibleLink(0.5, 0.2, 1.0, 1.0, 0.1, 2), FlexibleLink(0.4, 0.3, 2.0, 0.7, 0.05, 1)])
    postures = np.array([[0.0, 0.4], [1.0, -2.0]])
    for angles, free in zip(postures, arm.natural_frequencies(postures), strict=True):
        A = arm.linearise([*angles, 0, 0, 0]).A
        squares = np.sort(np.linalg.eigvals(-A[5:, :5]).real)[2:]
        assert worst(free, np.sqrt(squares) / (2 * np.pi)) < PROMISED
    for angles, held in zip(postures, arm.natural_frequencies(postures, held=True), strict=True):
        B = arm.mass_matrix([*angles, 0, 0, 0])
        squares = eigh(arm.stiffness[2:, 2:], B[2:, 2:], eigvals_only=True)
        assert worst(held, np.sqrt(squares) / (2 * np.pi)) < PROMISED
    with pytest.raises(ArgumentError, match=r"angles has shape \(3,\)"):
        arm.natural_frequencies(np.zeros(3))


def test_boundary_inertias_of_a_right_angle_and_of_a_posture():
    links = [
        FlexibleLink(0.5, 0.2, 1.0, 1.0, 0.1, 2),
        FlexibleLink(0.4, 0.3, 2.0, 0.7, 0.05, 1),
        FlexibleLink(0.6, 0.15, 0.8, 0.4, 0.02, 3),
    ]
    across = FlexibleArm(links, (0.2, 0.001), boundary="right-angle").modes[0].tip
    # sums over what lies beyond the first link, about its end
    masses = [0.12, 0.7, 0.09, 0.4, 0.2]
    assert across.mass == pytest.approx(sum(masses))
    own = 0.12 * 0.4**2 / 3 + 0.05 + 0.02 + 0.001
    forearm = 0.09 * (0.7**2 + 0.6**2 / 12)
    assert across.inertia == pytest.approx(own + 0.4 * 0.4**2 + forearm + 0.2 * 1.0**2)
    assert across.moment == 0
    turned = FlexibleArm(links, (0.2, 0.001), boundary=[0.0, np.pi / 2, 0.0]).modes[0].tip
    assert turned.inertia == pytest.approx(across.inertia)
    assert turned.moment == pytest.approx(0, abs=ROUNDING)
    straight = FlexibleArm(links, (0.2, 0.001), boundary="stretched").modes[0].tip
    assert straight == FlexibleArm(links, (0.2, 0.001), boundary=np.zeros(3)).modes[0].tip
    assert straight.moment == pytest.approx(0.12 * 0.2 + 0.4 * 0.4 + 0.09 * 0.7 + 0.2 * 1.0)
    bent = FlexibleArm(links, (0.2, 0.001), boundary=[0.0, 0.0, np.pi]).modes[0].tip
    assert bent.inertia < across.inertia
    free = FlexibleArm(links, (0.2, 0.001), boundary="free").modes[0].tip
    assert free == Tip()
    custom = FlexibleArm(links, boundary=[Tip(1, 0.1), Tip(), Tip(0.2, 0.01, 0.03)])
    assert custom.modes[2].tip.moment == 0.03


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"length": 0.0}, "length is 0"),
        ({"length": -1.0}, "length is -1"),
        ({"density": 0.0}, "density is 0"),
        ({"density": -0.2}, "density"),
        ({"rigidity": 0.0}, "rigidity is 0"),
        ({"rigidity": float("nan")}, "rigidity"),
        ({"rigidity": lambda x: x - 1.0}, "rigidity is -"),
        ({"density": lambda x: "heavy"}, "density is not a function"),
        ({"hub_mass": -1.0}, "hub_mass"),
        ({"hub_inertia": -0.1}, "hub_inertia"),
        ({"modes": 0}, "modes is 0"),
        ({"modes": 1.5}, "modes is 1.5"),
        ({"modes": 1000}, "1000 modes cannot be resolved"),
        ({"modes": 5, "elements": 4}, "5 modes cannot be resolved by 4"),
    ],
)
def test_bad_links_are_refused(change, words):
    good = {"length": 0.5, "density": 0.2, "rigidity": 1.0}
    with pytest.raises(ArgumentError, match=words):
        FlexibleLink(**{**good, **change})


def test_bad_tips_and_boundaries_are_refused():
    link = FlexibleLink(0.5, 0.2, 1.0)
    with pytest.raises(ArgumentError, match="moment"):
        Tip(1.0, 0.1, 2.0)
    with pytest.raises(ClosedFormError, match="boundary"):
        FlexibleArm([link], boundary="clamped")
    with pytest.raises(ArgumentError, match="Tip for each"):
        FlexibleArm([link, link], boundary=[Tip()])
    with pytest.raises(ClosedFormError, match="too heavy"):
        FlexibleArm([link], boundary=[Tip(1e14, 1e14)])
    with pytest.raises(ArgumentError, match=r"link 0\.5 m"):
        FlexibleArm([link]).modes[0][0](0.6)


def test_more_modes_change_nothing_below():
    few, many = (FlexibleArm([FlexibleLink(0.5, 0.2, 1.0, modes=m)], (0.1, 0.0005)) for m in (3, 60))
    assert worst(many.modes[0].stacked("tip")[:3], few.modes[0].stacked("tip")) < ROUNDING
    assert np.isfinite(many.modes[0].z).all()
