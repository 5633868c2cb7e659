"""The closed forms of flexible arms against Lagrangians, printed coefficients and sampled points."""

import ctypes
import pickle
import runpy
import shutil
import subprocess

import numpy as np
import pytest
from scipy import signal

from closedform import ClosedFormError
from closedform.flexible import Damping, FlexibleArm, FlexibleLink
from closedform.flexible.catalogue import FORMS
from oracles.flexible_lagrangian import Lagrangian
from oracles.flexible_printed import printed_coriolis, printed_inertia
from tolerances import DIFFERENCE, ITERATED, PROMISED, ROUNDING, SOLVE, worst

LINKS = [
    FlexibleLink(0.5, 0.2, 1.0, hub_mass=1.0, hub_inertia=0.1, modes=2),
    FlexibleLink(0.4, 0.3, 2.0, hub_mass=0.7, hub_inertia=0.05, modes=1),
    FlexibleLink(0.6, 0.15, 0.8, hub_mass=0.4, hub_inertia=0.02, modes=3),
]


@pytest.fixture(scope="module")
def two():
    return FlexibleArm.deluca_siciliano()


@pytest.fixture(scope="module")
def three():
    return FlexibleArm(LINKS, payload=(0.2, 0.001))


def states(arm, count, seed=0):
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, count, arm.size))
    q[:, arm.joints :] *= 0.05
    return q, qd


@pytest.mark.parametrize("which", ["two", "three"])
def test_b_and_h_agree_with_a_symbolic_lagrangian(which, request):
    arm = request.getfixturevalue(which)
    lagrangian = Lagrangian(arm)
    h = lagrangian.coriolis()
    flat = [entry for row in lagrangian.B for entry in row]
    for q, qd in zip(*states(arm, 5), strict=True):
        B = lagrangian.values(flat, q, qd).reshape(arm.size, arm.size)
        assert worst(arm.mass_matrix(q), B) < ROUNDING
        assert worst(arm.coriolis_torque(q, qd), lagrangian.values(h, q, qd)) < ROUNDING


def test_two_links_have_the_printed_coefficients(two):
    for q, qd in zip(*states(two, 20, seed=1), strict=True):
        assert worst(two.mass_matrix(q), printed_inertia(two, q)) < ROUNDING
        assert worst(two.coriolis_torque(q, qd), printed_coriolis(two, q, qd)) < ROUNDING
    K = [0, 0] + [mode.omega**2 * 0.1 for modes in two.modes for mode in modes]
    assert worst(two.stiffness, np.diag(K)) < ROUNDING


def points_of(arm, q, x):
    """Positions of points at abscissas x (points,) of each link, by the matrices of the paper."""
    r, W = np.zeros(2, dtype=complex), np.eye(2, dtype=complex)
    found = []
    first = arm.joints
    for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
        c, s = np.cos(q[i]), np.sin(q[i])
        W = W @ np.array([[c, -s], [s, c]])
        delta = q[first : first + len(modes)]
        first += len(modes)
        s = link.length * x
        found.append(r + np.stack([s + 0j, modes.shapes(s) @ delta], axis=-1) @ W.T)
        r = r + W @ np.array([link.length, modes.stacked("tip") @ delta])
        slope = modes.stacked("tip_slope") @ delta
        W = W @ np.array([[1, -slope], [slope, 1]])
    return found, r


def sampled_inertia(arm, q):
    """B by complex-step Jacobians of points, weighted along the links."""
    points, weights = np.polynomial.legendre.leggauss(40)
    x = (points + 1) / 2
    N, n = arm.size, arm.joints
    columns = [points_of(arm, q + 1e-30j * np.eye(N)[k], x) for k in range(N)]
    B = np.zeros((N, N))
    rate = np.zeros(N)
    for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
        J = np.stack([found[i].imag * 1e30 for found, _ in columns], axis=-1)
        mass = link.mass * weights / 2
        B += np.einsum("pia,pib,p->ab", J, J, mass)
        base = np.stack(
            [points_of(arm, q + 1e-30j * np.eye(N)[k], np.zeros(1))[0][i][0] for k in range(N)], axis=-1
        )
        B += link.hub_mass * (base.imag.T @ base.imag) * 1e60
        rate[i] = 1
        B += link.hub_inertia * np.outer(rate, rate)
        first = n + sum(len(each) for each in arm.modes[:i])
        rate[first : first + len(modes)] = modes.stacked("tip_slope")
    J = np.stack([r.imag * 1e30 for _, r in columns], axis=-1)
    return B + arm.payload[0] * J.T @ J + arm.payload[1] * np.outer(rate, rate)


def test_exact_kinematics_agree_with_sampled_points():
    arm = FlexibleArm(LINKS, payload=(0.2, 0.001), exact=True)
    for q in states(arm, 3, seed=2)[0] * 3:
        assert worst(arm.mass_matrix(q), sampled_inertia(arm, q)) < ROUNDING


def test_the_first_order_model_is_the_exact_one_without_products_of_deflections(three):
    exact = FlexibleArm(LINKS, payload=(0.2, 0.001), exact=True)
    q = states(three, 1, seed=3)[0][0]
    n = three.joints
    straight = np.concatenate([q[:n], np.zeros(three.size - n)])
    h = 1e-4
    bent = h * (q - straight)
    slope = (exact.mass_matrix(straight + bent) - exact.mass_matrix(straight - bent)) / (2 * h)
    assert worst(three.mass_matrix(q), exact.mass_matrix(straight) + slope) < DIFFERENCE
    assert worst(exact.mass_matrix(straight), three.mass_matrix(straight)) < ROUNDING
    assert worst(exact.mass_matrix(q), three.mass_matrix(q)) > 1e-4


@pytest.mark.parametrize("exact", [False, True])
def test_gravity_is_the_gradient_of_the_height_of_all_points(exact):
    g = np.array([0.4, -9.81])
    arm = FlexibleArm(LINKS, payload=(0.2, 0.001), gravity=g, exact=exact)
    points, weights = np.polynomial.legendre.leggauss(40)

    def energy(q):
        found, tip = points_of(arm, q, (points + 1) / 2)
        total = -arm.payload[0] * tip @ g
        for link, p in zip(arm.links, found, strict=True):
            total -= link.mass * (weights / 2) @ p @ g
        bases, _ = points_of(arm, q, np.zeros(1))
        return total - sum(link.hub_mass * p[0] @ g for link, p in zip(arm.links, bases, strict=True))

    q = states(arm, 1, seed=4)[0][0]
    if not exact:
        q = np.concatenate([q[:3], np.zeros(6)])  # there the two gradients agree
    gradient = [(energy(q + 1e-30j * e)).imag * 1e30 for e in np.eye(arm.size)]
    assert worst(arm.gravity_torque(q), gradient) < ROUNDING
    elastic = q @ arm.stiffness @ q / 2
    assert arm.potential_energy(q) == pytest.approx(energy(q).real + elastic, rel=ROUNDING)
    tip = points_of(arm, q, np.zeros(1))[1].real
    assert worst(arm.tip_position(q), tip) < ROUNDING


def test_christoffel_matrix_is_skew_consistent(three):
    q, qd = (each[0] for each in states(three, 1, seed=5))
    C, h = three.coriolis_matrix(q, qd), 1e-6
    Bdot = (three.mass_matrix(q + h * qd) - three.mass_matrix(q - h * qd)) / (2 * h)
    assert worst(C @ qd, three.coriolis_torque(q, qd)) < ROUNDING
    S = Bdot - 2 * C
    assert worst(S, -S.T) < DIFFERENCE


@pytest.mark.parametrize("exact", [False, True])
def test_forward_inverts_inverse_dynamics_with_every_force(exact):
    links = LINKS[1:] if exact else LINKS
    damping = Damping(np.arange(1, len(links) + 1) / 10, 0.02)
    arm = FlexibleArm(links, (0.2, 0.001), gravity=(0, -9.81), damping=damping, exact=exact)
    q, qd = states(arm, 8, seed=6)
    q[:, arm.joints :] *= 0.2
    u = np.random.default_rng(7).normal(size=(8, arm.joints))
    qdd = arm.forward_dynamics(q, qd, u)
    forces = arm.inverse_dynamics(q, qd, qdd)
    assert worst(forces, u @ arm.input_matrix.T) < SOLVE
    B, h, g = arm.mass_matrix(q), arm.coriolis_torque(q, qd), arm.gravity_torque(q)
    by_parts = np.einsum("kij,kj->ki", B, qdd) + h + g + qd @ arm.damping + q @ arm.stiffness
    assert worst(forces, by_parts) < SOLVE
    T = 0.5 * np.einsum("ki,kij,kj->k", qd, B, qd)
    assert worst(arm.kinetic_energy(q, qd), T) < ROUNDING


def test_equations_are_linear_in_the_parameters():
    arm = FlexibleArm(LINKS, (0.2, 0.001), gravity=(1.0, -9.81), damping=0.03)
    rng = np.random.default_rng(8)
    q, qd, qdd = rng.normal(size=(3, 4, arm.size)) * 0.3
    Y = arm.regressor(q, qd, qdd)
    assert Y.shape == (4, arm.size, len(arm.parameter_names))
    assert worst(Y @ arm.parameters, arm.inverse_dynamics(q, qd, qdd)) < ROUNDING
    # the payload's column is what a heavier payload adds, with the same modes
    heavier = FlexibleArm(
        LINKS, (0.3, 0.001), gravity=(1.0, -9.81), boundary=[modes.tip for modes in arm.modes], damping=0.03
    )
    more = heavier.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    assert worst(0.1 * Y[..., arm.parameter_names.index("mp")], more) < ITERATED


def test_linearisation_agrees_with_differences_and_suits_control_software(two):
    q, qd = (each[0] * 0.5 for each in states(two, 1, seed=9))
    u = np.array([0.1, -0.2])
    A, B = two.state_matrices(q, qd, u)
    h = 1e-5

    def rate(x, v):
        return np.concatenate([x[6:], two.forward_dynamics(x[:6], x[6:], v)])

    x = np.concatenate([q, qd])
    by_state = np.stack([(rate(x + h * e, u) - rate(x - h * e, u)) / (2 * h) for e in np.eye(12)], axis=-1)
    by_input = np.stack([(rate(x, u + h * e) - rate(x, u - h * e)) / (2 * h) for e in np.eye(2)], axis=-1)
    assert worst(A, by_state) < DIFFERENCE
    assert worst(B, by_input) < DIFFERENCE
    space = two.linearise(q, output="tip")
    step = 1e-6
    J = np.stack(
        [(two.tip_position(q + step * e) - two.tip_position(q - step * e)) / (2 * step) for e in np.eye(6)],
        -1,
    )
    assert worst(space.C, np.hstack([J, 0 * J])) < DIFFERENCE
    poles = np.linalg.eigvals(signal.StateSpace(*two.linearise(np.zeros(6))).A)
    assert np.sort(np.abs(poles))[3] < 1e-3 < np.sort(np.abs(poles))[4]  # two rigid motions, then modes
    angle = two.linearise(np.zeros(6), output="tip_angle").C[0]
    slopes = [mode.tip_slope for modes in two.modes for mode in modes]
    assert worst(angle, [1, 1, *slopes, *np.zeros(6)]) < ROUNDING
    assert two.linearise(np.zeros(6), output="state").C.shape == (12, 12)
    with pytest.raises(ClosedFormError, match="unknown output"):
        two.linearise(np.zeros(6), output="elbow")


def test_python_control_takes_the_matrices(two):
    control = pytest.importorskip("control")
    system = control.ss(*two.linearise([0, 0.5, 0, 0, 0, 0]))
    assert system.nstates == 12
    assert np.isfinite(control.evalfr(system, 1j * 10.0)).all()


@pytest.mark.parametrize("name", FORMS)
def test_every_form_broadcasts_and_keeps_a_bad_sample_to_itself(two, name):
    kernel = two.kernel(name)
    rng = np.random.default_rng(10)
    arrays = [rng.normal(size=(3, 5, *shape)) * 0.1 for shape in kernel.input_shapes]
    whole = kernel(*arrays)
    arrays[0][1, 2] = np.nan
    spoilt = kernel(*arrays)
    for one, other in zip(
        *(each if isinstance(each, tuple) else (each,) for each in (whole, spoilt)), strict=True
    ):
        assert one.shape[:2] == (3, 5)
        clean = np.ones((3, 5), dtype=bool)
        clean[1, 2] = False
        assert np.array_equal(one[clean], other[clean])
    single = kernel(*(each[0, 0] for each in arrays))
    first = whole[0] if isinstance(whole, tuple) else whole
    assert worst(single[0] if isinstance(single, tuple) else single, first[0, 0]) < ROUNDING


def test_indefinite_inertia_gives_nan_in_its_own_row(two):
    q = np.zeros((2, 6))
    q[1] = [0, 1.5, -3.0, 0, 0, 0]
    assert np.linalg.eigvalsh(two.mass_matrix(q[1]))[0] < 0
    with np.errstate(invalid="ignore"):
        qdd = two.forward_dynamics(q, np.zeros((2, 6)), np.ones((2, 2)))
    assert np.isfinite(qdd[0]).all()
    assert np.isnan(qdd[1]).all()


@pytest.mark.parametrize("name", ["mass_matrix", "coriolis_torque", "tip_position"])
def test_equations_evaluate_to_the_kernels_numbers(two, name):
    q, qd = (each[0] for each in states(two, 1, seed=11))
    arrays = (q, qd)[: len(FORMS[name].inputs)]
    expected = two.kernel(name)(*arrays)
    for symbolic in (False, True, "inertia"):
        assert worst(two.equations(name, symbolic=symbolic).evaluate(*arrays), expected) < ROUNDING
    with pytest.raises(ClosedFormError, match="unknown symbolic"):
        two.equations(name, symbolic="mass")


def test_symbolic_inertia_reads_like_the_paper(two):
    text = str(two.equations("mass_matrix", symbolic=True))
    assert "B[2,2] = Jh2 + Jo2 + Jp + l2**2*mp" in text
    assert "B[2,5] = B[5,2] = Jp*dphi21 + l2*mp*phi21 + w21" in text


def test_exported_python_computes_the_same(two, tmp_path):
    (path,) = two.export("forward_dynamics", "numpy", tmp_path)
    function = runpy.run_path(str(path))[path.stem]
    q, qd = (each[0] * 0.3 for each in states(two, 1, seed=12))
    u = np.array([0.3, -0.1])
    assert worst(function(q, qd, u), two.forward_dynamics(q, qd, u)) < SOLVE
    text = two.export("mass_matrix", "c", tmp_path)[0].read_text()
    assert "delta22" in text
    assert "2.178" in text


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_exported_c_computes_the_same(two, tmp_path):
    _, source = two.export("forward_dynamics", "c", tmp_path)
    library = tmp_path / "arm.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    q, qd = (np.ascontiguousarray(each[0] * 0.3) for each in states(two, 1, seed=12))
    u, out = np.array([0.3, -0.1]), np.empty(6)
    function = ctypes.CDLL(str(library))[source.stem]
    function(*(ctypes.c_void_p(each.ctypes.data) for each in (q, qd, u, out)))
    assert worst(out, two.forward_dynamics(q, qd, u)) < SOLVE


def test_arms_and_kernels_pickle(two):
    q = states(two, 1, seed=13)[0][0]
    for again in (pickle.loads(pickle.dumps(two)), pickle.loads(pickle.dumps(two.kernel("mass_matrix")))):
        method = again.mass_matrix if isinstance(again, FlexibleArm) else again
        assert np.array_equal(method(q), two.mass_matrix(q))


def test_points_lie_on_the_bending_links(three):
    q = states(three, 1, seed=14)[0][0]
    found = three.points(q, 11)
    assert found.shape == (33, 2)
    assert worst(found[-1], three.tip_position(q)) < ROUNDING
    small = np.concatenate([q[:3], 1e-5 * q[3:]])
    exact, _ = points_of(three, small, np.linspace(0, 1, 11))
    assert worst(three.points(small, 11), np.concatenate(exact).real) < PROMISED


def test_one_link_is_linear_with_constant_inertia():
    arm = FlexibleArm([LINKS[0]], (0.1, 0.0005))
    q, qd = states(arm, 2, seed=15)
    B = arm.mass_matrix(q)
    assert np.array_equal(B[0], B[1])
    assert not arm.coriolis_torque(q, qd).any()
    m, length = 0.1, 0.5
    assert B[0, 0, 0] == pytest.approx(0.1 + m * length**2 / 3 + 0.1 * length**2 + 0.0005)
    assert worst(B[0, 1:, 1:], m * np.eye(2)) < ROUNDING
