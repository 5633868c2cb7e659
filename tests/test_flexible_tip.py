"""The tip of a bending arm follows a path: stable inversion, simulated from rest without feedback."""

import numpy as np
import pytest
from scipy.linalg import eig

from closedform import ArgumentError, ClosedFormError
from closedform.flexible import Damping, FlexibleArm, FlexibleLink
from closedform.trajectory import polynomial
from tolerances import DIFFERENCE, ITERATED, PROMISED, ROUNDING, worst

GRAVITY = (0.0, -9.81)
UPPER = FlexibleLink(0.6, 1.0, 60.0, hub_mass=0.5, hub_inertia=0.05)
FORE = FlexibleLink(0.6, 0.7, 30.0, hub_mass=0.1, hub_inertia=0.005)
LOAD = (0.1, 0.0002)


def short(link):
    return FlexibleLink(link.length, link.density, link.rigidity, link.hub_mass, link.hub_inertia, modes=1)


@pytest.fixture(scope="module")
def arm():
    return FlexibleArm([UPPER, FORE], LOAD, GRAVITY, Damping(0.02, 0.01))


def followed(arm, path, step=5e-4, **options):
    """The plan, the wanted path, and the simulation from rest under the planned torques alone."""
    plan = arm.tip_inverse_dynamics(path, step, **options)
    wanted = path.derivatives(np.clip(plan.t, 0, path.duration), 0)[0]
    return plan, wanted, arm.simulate(plan.q[0], None, plan.u, plan.t[-1] - plan.t[0], step)


def zeros(arm, q, u):
    """Invariant zeros from joint torques to the tip, by the pencil of the linearised arm."""
    A, B, C, D = arm.linearise(q, u=u, output="tip")
    whole = np.block([[A, B], [C, D]])
    found = eig(whole, np.diag([1.0] * len(A) + [0.0] * len(D)), right=False)
    return found[np.abs(found) < 1e5]


def test_two_links_under_gravity_carry_their_tip_along_a_path(arm):
    start, end = np.array([0.3, -0.8]), np.array([0.7, 0.4])
    plan, wanted, run = followed(arm, polynomial(start, end, duration=1.0, degree=7))
    move = np.linalg.norm(end - start)
    assert np.abs(plan.tip - wanted).max() < ROUNDING
    assert np.linalg.norm(run.tip - wanted, axis=-1).max() < 1e-5 * move
    # it begins at rest in the sagging arm, and the torques act before the tip moves
    rest = arm.inverse_dynamics(plan.q[0], np.zeros(6), np.zeros(6))
    assert worst(rest[2:] / np.diag(arm.stiffness)[2:], np.zeros(4), scale=1e-2) < PROMISED
    assert np.abs(plan.q[0, 2:]).max() > 1e-3
    assert worst(plan.u[0], rest[:2]) < HELD
    early = plan.t < 0
    assert np.abs(plan.u[early] - plan.u[0]).max() > 1e-3 * np.ptp(plan.u)
    # as early as the slowest zero in the right half plane asks for
    slowest = min(z.real for z in zeros(arm, plan.q[0], rest[:2]) if z.real > 0)
    assert plan.t[0] == pytest.approx(np.log(1e-9) / slowest, abs=1e-3)
    assert np.abs(plan.q[:, 2:]).max() > 0.02


HELD = 1e-7
"""What is left of the motion at its start, 1e-9 of the internal one, in torques of stiff modes."""


def test_a_payload_off_the_tip_and_exact_kinematics_are_followed_with_the_elbow_either_way():
    links = [short(UPPER), short(FORE)]
    arm = FlexibleArm(links, LOAD, GRAVITY, 0.01, payload_offset=(0.03, 0.01), exact=True)
    path = polynomial([0.5, -0.5], [0.7, -0.2], duration=1.0, degree=9)
    for elbow, sign in (("positive", 1), ("negative", -1)):
        plan, wanted, run = followed(arm, path, 1e-3, elbow=elbow)
        assert (np.sign(plan.q[:, 1]) == sign).all()
        assert np.abs(run.tip - wanted).max() < 1e-4 * 0.36


def test_one_link_under_gravity_follows_an_angle():
    arm = FlexibleArm([UPPER], (0.2, 0.001), GRAVITY, Damping(0.02, 0.01))
    path = polynomial(-0.4, 0.6, duration=0.8, degree=9)
    plan, wanted, run = followed(arm, path)
    tip = run.q @ np.concatenate([[1.0], arm.modes[0].stacked("tip") / 0.6])
    assert np.abs(tip - wanted[:, 0]).max() < 1e-5
    assert np.abs(plan.q[0, 1:]).max() > 1e-3  # it sags


def test_the_torques_are_those_of_the_linear_filter_without_gravity():
    """One link is linear: the bounded response to y'' by its two-sided frequency response."""
    arm = FlexibleArm([short(UPPER)], (0.2, 0.001), damping=Damping(0.0, 0.02))
    path = polynomial(0.0, 0.5, duration=0.8, degree=9)
    plan = arm.tip_inverse_dynamics(path, 1e-3)
    B, c = arm.mass_matrix(np.zeros(2)), arm.modes[0][0].tip / 0.6
    K, D = arm.stiffness[1, 1], arm.damping[1, 1]
    n = 2**14
    t = (np.arange(n) - n // 2) * 1e-3
    inside = (t >= 0) & (t <= 0.8)
    ydd = np.where(inside, path.derivatives(np.clip(t, 0, 0.8), 2)[2][:, 0], 0.0)
    s = 2j * np.pi * np.fft.rfftfreq(n, 1e-3)
    response = -B[0, 1] / ((B[1, 1] - B[0, 1] * c) * s**2 + D * s + K)
    delta = np.fft.irfft(np.fft.rfft(ydd) * response, n)
    assert worst(np.interp(plan.t, t, delta), plan.q[:, 1]) < 1e-5


def test_the_rate_of_the_tips_jacobian_is_its_change(arm):
    q, qd = np.random.default_rng(2).normal(size=(2, 6)) * [1, 1, 0.05, 0.05, 0.05, 0.05]
    h = 1e-5
    change = (arm.tip_jacobian(q + h * qd) - arm.tip_jacobian(q - h * qd)) / (2 * h)
    assert worst(arm.tip_jacobian_dot(q, qd), change) < DIFFERENCE
    assert worst(arm.tip_jacobian_dot(q, 2 * qd), 2 * arm.tip_jacobian_dot(q, qd)) < ITERATED


def near(start, end, duration=0.5):
    return polynomial(start, end, duration=duration, degree=9)


@pytest.mark.parametrize(
    ("make", "path", "words"),
    [
        (lambda: FlexibleArm([UPPER, FORE], damping=0.01), near([0.9, 0.0], [1.3, 0.0]), "less than 1.2 m"),
        (
            lambda: FlexibleArm([UPPER, FORE], damping=0.01),
            polynomial([0.5, 0.3], [0.6, 0.3], duration=0.5, degree=3),
            r"starts or ends with acceleration 2\.4; expected rest",
        ),
        (lambda: FlexibleArm([UPPER] * 3, damping=0.01), near([0.9, 0.0], [1.0, 0.0]), "3 links; the tip is"),
        (lambda: FlexibleArm.deluca_siciliano(modes=7), near([0.6, 0.3], [0.5, 0.4]), "14 modes; the tip is"),
        (FlexibleArm.deluca_siciliano, near([0.6, 0.3], [0.5, 0.4]), "zeros on the imaginary axis"),
        (lambda: FlexibleArm.deluca_siciliano(damped=True), near([0.6, 0.3], [0.5, 0.4]), "lose their hold"),
        (
            lambda: FlexibleArm([short(UPPER), short(FORE)], LOAD, GRAVITY, 0.01),
            near([0.7, 0.4], [0.9, -0.2]),
            "2 of 4 internal motions grow at the start of the path and 1 at its end",
        ),
    ],
)  # fmt: skip
def test_tips_that_cannot_be_led_are_refused(make, path, words):
    with pytest.raises(ClosedFormError, match=words):
        make().tip_inverse_dynamics(path)


def test_a_path_behind_the_base_is_followed_without_a_jump_of_the_angle():
    arm = FlexibleArm([short(UPPER), short(FORE)], LOAD, damping=0.01)
    plan, wanted, run = followed(arm, polynomial([-0.7, 0.3], [-0.7, -0.3], duration=1.0, degree=9), 1e-3)
    assert np.abs(np.diff(plan.q[:, 0])).max() < 0.1
    assert np.abs(run.tip - wanted).max() < 1e-4 * 0.6


def test_an_unknown_elbow_is_refused(arm):
    with pytest.raises(ClosedFormError, match="unknown elbow 'left'"):
        arm.tip_inverse_dynamics(near([0.5, -0.5], [0.6, -0.4]), elbow="left")
    with pytest.raises(ArgumentError, match=r"1 coordinate\(s\).*expected 2"):
        arm.tip_inverse_dynamics(near(0.0, 0.6))
