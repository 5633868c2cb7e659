"""Payloads whose centre of mass is off the tip: modes, inertia, gravity, energy, the rigid arm."""

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform import ArgumentError
from closedform.description import Inertial
from closedform.flexible import Damping, FlexibleArm, FlexibleLink
from oracles.flexible_beam import ritz_frequencies
from oracles.flexible_lagrangian import Lagrangian
from tolerances import DIFFERENCE, PROMISED, ROUNDING, worst

UPPER = FlexibleLink(0.5, 0.2, 4.0, hub_mass=1.0, hub_inertia=0.1, modes=2)
FORE = FlexibleLink(0.4, 0.3, 3.0, hub_mass=0.7, hub_inertia=0.05, modes=2)
LOAD, OFFSET = (0.4, 0.003), (0.07, 0.04)


@pytest.fixture(scope="module")
def arm():
    return FlexibleArm([UPPER, FORE], LOAD, (0.4, -9.81), payload_offset=OFFSET)


def states(arm, count, seed=0):
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, count, arm.size))
    q[:, arm.joints :] *= 0.05
    return q, qd


def test_b_and_h_agree_with_a_symbolic_lagrangian(arm):
    lagrangian = Lagrangian(arm)
    h, flat = lagrangian.coriolis(), [entry for row in lagrangian.B for entry in row]
    for q, qd in zip(*states(arm, 3), strict=True):
        assert worst(arm.mass_matrix(q), lagrangian.values(flat, q, qd).reshape(6, 6)) < ROUNDING
        assert worst(arm.coriolis_torque(q, qd), lagrangian.values(h, q, qd)) < ROUNDING


def places(arm, q):
    """Tip and centre of mass of the payload by the matrices of the paper, for complex q."""
    r, W, first = np.zeros(2, dtype=complex), np.eye(2, dtype=complex), arm.joints
    for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
        c, s = np.cos(q[i]), np.sin(q[i])
        delta = q[first : first + len(modes)]
        first += len(modes)
        slope = modes.stacked("tip_slope") @ delta
        W = W @ np.array([[c, -s], [s, c]])
        r = r + W @ np.array([link.length, modes.stacked("tip") @ delta])
        W = W @ np.array([[1, -slope], [slope, 1]])
    return r, r + W @ np.array(arm.payload_offset)


def test_exact_kinematics_and_gravity_add_what_the_offset_moves():
    """The difference to a balanced payload of the same inertia about the tip, by complex steps."""
    g, mass = np.array([0.4, -9.81]), LOAD[0]
    arm = FlexibleArm([UPPER, FORE], LOAD, g, payload_offset=OFFSET, exact=True)
    about_tip = LOAD[1] + mass * (OFFSET[0] ** 2 + OFFSET[1] ** 2)
    tips = [modes.tip for modes in arm.modes]
    balanced = FlexibleArm([UPPER, FORE], (mass, about_tip), g, boundary=tips, exact=True)
    for q in states(arm, 2, seed=1)[0]:
        steps = [places(arm, q + 1e-30j * e) for e in np.eye(6)]
        J, far = (np.stack([each[k].imag * 1e30 for each in steps], axis=-1) for k in (0, 1))
        cross = mass * J.T @ (far - J)
        assert worst(arm.mass_matrix(q) - balanced.mass_matrix(q), cross + cross.T) < ROUNDING
        more = arm.gravity_torque(q) - balanced.gravity_torque(q)
        assert worst(more, -mass * g @ (far - J)) < ROUNDING
        height = arm.potential_energy(q) - balanced.potential_energy(q)
        tip, centre = places(arm, q)
        assert height == pytest.approx(-mass * g @ (centre - tip).real, rel=1e-9)


def test_the_first_order_model_is_the_exact_one_without_products_of_deflections(arm):
    exact = FlexibleArm([UPPER, FORE], LOAD, (0.4, -9.81), payload_offset=OFFSET, exact=True)
    q = states(arm, 1, seed=2)[0][0]
    straight, h = q * [1, 1, 0, 0, 0, 0], 1e-4
    for form in ("mass_matrix", "gravity_torque"):
        value, bent = getattr(exact, form), h * (q - straight)
        slope = (value(straight + bent) - value(straight - bent)) / (2 * h)
        if form == "mass_matrix":
            assert worst(arm.mass_matrix(q), value(straight) + slope) < DIFFERENCE
        else:  # its potential has no products of deflections: the modes' rows do not depend on them
            assert worst(arm.gravity_torque(q)[:2], (value(straight) + slope)[:2]) < DIFFERENCE
            assert worst(arm.gravity_torque(q)[2:], value(straight)[2:]) < ROUNDING


def test_modes_are_those_of_a_beam_with_the_body_ahead_of_its_end():
    for offset in (0.15, (0.15, -0.1), (-0.05, 0.0)):
        arm = FlexibleArm([UPPER], (0.3, 0.002), payload_offset=offset)
        body = (0.3, 0.002, *arm.payload_offset)
        assert worst(arm.frequencies[0], ritz_frequencies(0.5, 0.2, 4.0, [body], 2)) < PROMISED
        assert arm.modes[0].tip.moment == pytest.approx(0.3 * arm.payload_offset[0])
    ahead, behind = (FlexibleArm([UPPER], (0.3, 0.002), payload_offset=x).frequencies[0] for x in (0.1, -0.1))
    assert ahead[0] < behind[0]


@pytest.mark.parametrize("damped", [False, True])
def test_the_papers_arm_carries_its_payload_off_the_tip(damped):
    """The second link of section VII, (EI) = 1 N m^2, with its nominal payload."""
    arm = FlexibleArm.deluca_siciliano(payload_offset=OFFSET, damped=damped)
    assert worst(arm.frequencies[1], ritz_frequencies(0.5, 0.2, 1.0, [(0.1, 0.0005, *OFFSET)], 2)) < PROMISED


@pytest.mark.parametrize("exact", [False, True])
def test_motions_keep_their_energy_but_for_work_and_damping(exact):
    """One mode per link, which the exact model takes less long to compile for."""
    links = [replace(link, modes=1) for link in (UPPER, FORE)]
    arm = FlexibleArm(links, LOAD, (0, -9.81), Damping(0.05, 0.01), payload_offset=OFFSET, exact=exact)
    run = arm.simulate([-1.4, 0.6, 0.02, 0.03], None, [0.3, -0.1], 0.5, 5e-4)
    assert run.energy.dissipated[-1] > 1e-3
    assert np.abs(run.energy.balance).max() < 1e-5 * np.ptp(run.energy.potential)


def rigid_arm():
    """The same arm with links that do not bend, as a robot."""
    bodies = []
    for link in (UPPER, FORE):
        mass = link.mass + link.hub_mass
        x = link.first_moment / mass
        inertia = link.inertia + link.hub_inertia - mass * x**2
        bodies.append(Inertial.of(mass, (x, 0, 0), np.diag([1.0, 1.0, inertia])))
    rows = [(0, 0, 0, 0, 0), (0, 0, UPPER.length, 0, 0)]
    tool = np.eye(4)
    tool[0, 3] = FORE.length
    robot = cf.Robot.from_mdh(rows, inertials=bodies, tool=tool, gravity=(0.4, -9.81, 0))
    return robot.with_payload(LOAD[0], (*OFFSET, 0), np.diag([1.0, 1.0, LOAD[1]]), "tool")


@pytest.mark.parametrize("exact", [False, True])
def test_unbent_links_move_like_the_rigid_robot(exact):
    arm = FlexibleArm([UPPER, FORE], LOAD, (0.4, -9.81), payload_offset=OFFSET, exact=exact)
    robot = rigid_arm()
    angles, rates = np.random.default_rng(4).normal(size=(2, 3, 2))
    q, qd = (np.pad(each, ((0, 0), (0, 4))) for each in (angles, rates))
    assert worst(arm.mass_matrix(q)[:, :2, :2], robot.mass_matrix(angles)) < ROUNDING
    h = np.einsum("kij,kj->ki", robot.coriolis_matrix(angles, rates), rates)
    assert worst(arm.coriolis_torque(q, qd)[:, :2], h) < ROUNDING
    assert worst(arm.gravity_torque(q)[:, :2], robot.gravity_torque(angles)) < ROUNDING
    assert worst(arm.tip_position(q), robot.pose(angles, "tool")[:, :2, 3]) < ROUNDING


def test_equations_stay_linear_in_the_parameters(arm):
    q, qd, qdd = np.random.default_rng(8).normal(size=(3, 4, 6)) * 0.3
    assert arm.parameter_names[-10:-6] == ("mp", "Jp", "mxp", "myp")
    assert worst(arm.regressor(q, qd, qdd) @ arm.parameters, arm.inverse_dynamics(q, qd, qdd)) < ROUNDING
    assert "mxp" not in FlexibleArm([UPPER], LOAD).parameter_names


def test_named_coefficients_hold_for_a_payload_ahead_of_the_tip(arm):
    ahead = FlexibleArm([UPPER, FORE], LOAD, payload_offset=0.09, boundary="stretched")
    q, qd = states(ahead, 4, seed=6)
    named = ahead.coefficients()
    assert worst(named.mass_matrix(q), ahead.mass_matrix(q)) < ROUNDING
    assert worst(named.coriolis_torque(q, qd), ahead.coriolis_torque(q, qd)) < ROUNDING
    assert str(named.expression("t21")) == "dphi21*mxp + mp*phi21 + v21"
    with pytest.raises(ArgumentError, match=r"0\.04 m beside the tip"):
        arm.coefficients()


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        ("far", "payload_offset is 'far'"),
        ((1.0, 2.0, 3.0), r"payload_offset: a distance, or \(x, y\) has shape \(3,\)"),
        (float("nan"), "payload_offset is nan"),
    ],
)
def test_bad_offsets_are_refused(offset, words):
    with pytest.raises(ArgumentError, match=words):
        FlexibleArm([UPPER], LOAD, payload_offset=offset)
    with pytest.raises(ArgumentError, match=r"an offset of 0\.1 but no mass"):
        FlexibleArm([UPPER], payload_offset=0.1)


def test_an_offset_comes_from_a_file_and_is_written_in_exported_code(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(
        "payload = [0.4, 0.003]\npayload_offset = [0.07, 0.04]\n"
        "[[links]]\nlength = 0.5\ndensity = 0.2\nrigidity = 4.0\n"
    )
    arm = cf.flexible.load_arm(path)
    assert arm.payload_offset == OFFSET
    assert arm.payload == LOAD
    assert "at (0.07, 0.04) m from the tip" in arm.export("mass_matrix", "c", tmp_path)[0].read_text()
