"""Simulated motions of flexible arms, their control uses, and fits of records."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp
from scipy.io import loadmat

from closedform import ArgumentError, ClosedFormError
from closedform.flexible import (
    Damping,
    DefinitenessError,
    DeflectionWarning,
    FlexibleArm,
    FlexibleLink,
    InputShaper,
    fit_hub_driven,
)
from closedform.flexible.joint_space import swing_system
from closedform.integration import Event, simulate
from closedform.trajectory import polynomial
from tolerances import HALF_DIGITS, PROMISED, ROUNDING, worst

STRETCHED = np.array([0, 0, 0, 0, 0.1, 0.002])
"""Start of the paper's Fig. 5."""

SQUARE = np.array([0, np.pi / 2, 0.1, 0.002, 0, 0])
"""Start of the paper's Fig. 6."""


@pytest.fixture(scope="module")
def two():
    return FlexibleArm.deluca_siciliano()


def bang_bang(steps=2000):
    """+0.2 N m to 0.5 s, -0.2 to 1.0 s, then none, on both joints; held over steps of 1 ms."""
    t = (np.arange(steps) + 0.5) * 1e-3
    return np.where(t < 0.5, 0.2, np.where(t < 1.0, -0.2, 0.0))[:, None] * np.ones(2)


def test_free_motions_keep_their_energy(two):
    for start, bound in ((STRETCHED, 1e-6), (SQUARE, 1e-4)):
        total = two.simulate(start, np.zeros(6), None, 2.0, 1e-3).energy.total
        assert np.ptp(total) < bound * total[0]


def test_a_free_motion_agrees_with_another_integrator(two):
    run = two.simulate(SQUARE, None, None, 0.5, 2.5e-4)

    def rate(t, x):
        return np.concatenate([x[6:], two.forward_dynamics(x[:6], x[6:], np.zeros(2))])

    other = solve_ivp(rate, (0, 0.5), np.concatenate([SQUARE, np.zeros(6)]), "DOP853", rtol=1e-11, atol=1e-13)
    assert worst(run.q[-1], other.y[:6, -1]) < 1e-6
    adaptive = two.simulate(SQUARE, None, None, 0.5, 1e-2, method="DOP853", rtol=1e-11, atol=1e-13)
    assert worst(adaptive.q[-1], other.y[:6, -1]) < HALF_DIGITS
    assert adaptive.t.shape == (51,)


def test_vibration_passes_between_stretched_links_but_hardly_around_the_corner(two):
    """Figs. 5 and 6: strong coupling, and two orders of magnitude less."""
    stretched, square = (two.simulate(start, None, None, 2.0) for start in (STRETCHED, SQUARE))
    assert np.abs(stretched.q[:, 2]).max() > 0.1 * np.abs(stretched.q[:, 4]).max()
    assert np.abs(square.q[:, 4]).max() < 0.05 * np.abs(square.q[:, 2]).max()


def test_damping_takes_the_energy_it_is_said_to(two):
    damped = FlexibleArm.deluca_siciliano(damped=True)
    for start, torque in ((STRETCHED, None), (np.zeros(6), bang_bang())):
        run = damped.simulate(start, None, torque, 2.0, 1e-3)
        energy = run.energy
        scale = energy.total.max()
        assert energy.dissipated[-1] > 0.1 * scale
        assert (np.diff(energy.dissipated) > -1e-9 * scale).all()
        assert np.abs(energy.balance).max() < 2e-3 * scale
        finer = damped.simulate(start, None, None if torque is None else np.repeat(torque, 4, 0), 2.0, 2.5e-4)
        assert np.abs(finer.energy.balance).max() < 0.2 * np.abs(energy.balance).max() + PROMISED * scale
    assert two.simulate(STRETCHED, None, None, 0.1).energy.dissipated[-1] == 0


def test_work_of_torques_is_the_energy_gained(two):
    held = two.simulate(np.zeros(6), None, bang_bang(), 2.0, 1e-3).energy
    assert np.abs(held.balance).max() < 1e-3 * held.work.max()

    def torque(t):
        return np.array([0.1 * np.sin(3 * t), 0.05 * np.cos(5 * t)])

    smooth = two.simulate(np.zeros(6), None, torque, 2.0, 5e-4)
    assert np.abs(smooth.energy.balance).max() < 1e-5 * np.abs(smooth.energy.work).max()
    sampled = two.simulate(np.zeros(6), None, np.stack([torque(t) for t in smooth.t]), 2.0, 5e-4)
    assert worst(sampled.q, smooth.q) < 1e-5


def test_a_batch_runs_as_one_and_equals_single_runs(two):
    starts = STRETCHED * np.linspace(0, 1, 7)[:, None]
    runs = two.simulate(starts, None, [0.01, 0.0], 0.2, 1e-3)
    assert runs.q.shape == (7, 201, 6)
    single = two.simulate(starts[3], None, [0.01, 0.0], 0.2, 1e-3)
    assert worst(runs.q[3], single.q) < ROUNDING
    assert worst(runs.energy.total[3], single.energy.total) < ROUNDING
    assert runs.tip.shape == (7, 201, 2)


def test_events_end_a_run(two):
    crossing = Event(lambda t, x: x[1] - 0.05, terminal=True, direction=1)
    run = two.simulate(np.zeros(6), None, [0.0, 0.2], 2.0, 1e-3, events=[crossing])
    assert run.t[-1] < 2.0
    assert run.q[-1, 1] == pytest.approx(0.05, abs=1e-6)
    assert run.events[0] == [pytest.approx(run.t[-1])]


def test_the_work_of_held_torques_is_right_up_to_an_event(two):
    torque = np.tile([[0.2, 0.0], [-0.1, 0.1]], (500, 1))
    passed = Event(lambda t, x: x[0] - 0.002, terminal=True)
    run = two.simulate(np.zeros(6), None, torque, 1.0, 1e-3, events=[passed])
    assert run.t[-1] < 0.5
    assert np.abs(run.energy.balance).max() < 1e-3 * run.energy.total.max()


def test_losing_definiteness_stops_with_the_time(two):
    start = [0, 1.2, 0.4, 0, 0.1, 0]
    with pytest.raises(DefinitenessError, match="loses positive definiteness at t = 0"):
        two.simulate(start, None, None, 2.0)
    with pytest.raises(DefinitenessError) as caught:
        two.simulate(start, None, None, 2.0, method="RK45", rtol=1e-6)
    assert 0 < caught.value.time < 2
    exact = FlexibleArm.deluca_siciliano(exact=True).simulate(start, None, None, 0.5)
    assert np.ptp(exact.energy.total) < 1e-3 * exact.energy.total[0]


def test_in_a_batch_a_lost_run_is_nan_and_told(two):
    starts = np.stack([STRETCHED, [0, 1.2, 0.4, 0, 0.1, 0]])
    with pytest.warns(DeflectionWarning, match="1 of 2 runs lost"):
        runs = two.simulate(starts, None, None, 1.0)
    assert np.isfinite(runs.q[0]).all()
    assert np.isnan(runs.q[1, -1]).all()
    assert np.isfinite(runs.q[1, 0]).all()


def test_large_initial_deflections_warn_with_the_ratio(two):
    with pytest.warns(DeflectionWarning, match=r"link 2 starts with a deflection of 0\.35 times"):
        two.simulate([0, 0, 0, 0, 0.2, 0], None, None, 0.01)
    two.simulate(STRETCHED, None, None, 0.01)  # the paper's own start does not warn


def test_deflection_and_strain_along_a_link(two):
    run = two.simulate(STRETCHED, None, None, 0.1)
    modes = two.modes[1]
    assert worst(run.deflection(1), run.q[:, 4:] @ modes.stacked("tip")) < ROUNDING
    x, h = 0.2, 1e-4
    bent = (run.deflection(1, x + h) - 2 * run.deflection(1, x) + run.deflection(1, x - h)) / h**2
    assert worst(run.strain(1, x, 0.001), -0.001 * bent) < 1e-5
    moment = 1.0 * run.strain(1, 0.0, 1.0)  # EI = 1: the strain at the root is the moment there
    assert np.abs(moment).max() > 0.1
    with pytest.raises(ArgumentError, match="links 0 to 1"):
        run.deflection(2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.zeros(5), None, None, 1.0), "q0 has shape"),
        ((np.zeros(6), np.zeros(4), None, 1.0), "qd0 has shape"),
        (([np.nan] * 6, None, None, 1.0), r"q0\[0\] is nan"),
        ((np.zeros(6), None, np.zeros((999, 2)), 1.0), "shape \\(999, 2\\)"),
        ((np.zeros(6), None, np.zeros((1000, 3)), 1.0), "shape \\(1000, 3\\)"),
        ((np.zeros(6), None, np.zeros(3), 1.0), "shape \\(3,\\)"),
        ((np.zeros(6), None, lambda t: np.zeros(3), 1.0), "gave shape \\(3,\\)"),
        ((np.zeros(6), None, None, -1.0), "duration"),
        ((np.zeros(6), None, [np.nan, 0.0], 1.0), r"inputs\[0\] is nan"),
        ((np.zeros((3, 6)), np.zeros((2, 6)), None, 1.0), "do not broadcast"),
    ],
)
def test_bad_runs_are_refused(two, arguments, words):
    with pytest.raises(ArgumentError, match=words):
        two.simulate(*arguments)


def smooth(t, duration=1.0, height=0.6):
    """A rest-to-rest polynomial of degree nine with its first two derivatives."""
    s = np.clip(t / duration, 0, 1)
    p = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70]) * height
    return p(s), p.deriv()(s) / duration, p.deriv(2)(s) / duration**2


def test_joint_inverse_dynamics_gives_the_torques_of_a_joint_path():
    arm = FlexibleArm.deluca_siciliano(damped=True)
    direction = np.array([1.0, -0.5])

    def path(t):
        return tuple(value * direction for value in smooth(t))

    plan = arm.joint_inverse_dynamics(path, 1e-3, duration=1.5)
    assert worst(plan.joints[-1], 0.6 * direction) < ROUNDING
    assert np.abs(plan.q[:, 2:]).max() > 1e-3
    replay = arm.simulate(np.zeros(6), None, plan.u, 1.5, 1e-3)
    assert np.abs(replay.joints - plan.joints).max() < 1e-5
    assert np.abs(replay.q[:, 2:] - plan.q[:, 2:]).max() < 1e-5
    with pytest.raises(ArgumentError, match="duration"):
        arm.joint_inverse_dynamics(path)
    with pytest.raises(ArgumentError, match=r"gave 1\.0 at t = 0"):
        arm.joint_inverse_dynamics(lambda t: 1.0, duration=1.0)
    with pytest.raises(ArgumentError, match="expected 2"):
        arm.joint_inverse_dynamics(smooth, duration=1.0)


def test_a_joint_path_too_fast_for_the_linearised_arm_is_refused():
    """Along it B is not positive definite, so that no torque would give this motion."""
    fast = polynomial([0.0, 0.0], [1.0, 0.5], duration=0.8, degree=9)
    with pytest.raises(DefinitenessError, match=r"t = 0\.\d+ s .*exact=True"):
        FlexibleArm.deluca_siciliano(damped=True).joint_inverse_dynamics(fast)
    exact = FlexibleArm.deluca_siciliano(exact=True)
    assert np.isfinite(exact.joint_inverse_dynamics(fast).u).all()


def test_stable_inversion_makes_the_tip_follow():
    link = FlexibleLink(0.7, 0.5, 2.0, hub_inertia=0.05, modes=2)
    arm = FlexibleArm([link], (0.1, 0.0005), damping=Damping(0.01, 0.01))
    plan = arm.tip_inverse_dynamics(smooth, 5e-4, duration=1.0)
    assert plan.t[0] < 0
    assert plan.t[-1] > 1.0
    assert np.abs(plan.u[plan.t < 0]).max() > 1e-3 * np.abs(plan.u).max()  # it acts before the path begins
    c = arm.modes[0].stacked("tip") / link.length
    wanted = np.array([smooth(t)[0] for t in plan.t])
    assert worst(plan.q[:, 0] + plan.q[:, 1:] @ c, wanted) < PROMISED
    replay = arm.simulate(plan.q[0], plan.qd[0], plan.u, plan.t[-1] - plan.t[0], 5e-4)
    tip = replay.q[:, 0] + replay.q[:, 1:] @ c
    assert np.abs(tip - wanted).max() < 1e-4
    # the rigid torque of the same path leaves the tip swinging by far more
    rigid = np.array(
        [[arm.mass_matrix(np.zeros(3))[0, 0] * smooth(t)[2] + 0.01 * smooth(t)[1]] for t in plan.t]
    )
    naive = arm.simulate(np.zeros(3), None, rigid, plan.t[-1] - plan.t[0], 5e-4)
    assert np.abs(naive.q[:, 0] + naive.q[:, 1:] @ c - wanted).max() > 100 * np.abs(tip - wanted).max()


@pytest.mark.parametrize(
    ("late", "words"),
    [(np.full(3, np.nan), "path at t = .* is nan; expected finite"), (np.zeros((3, 2)), "2 coordinate")],
)
def test_a_path_that_goes_wrong_on_its_way_is_refused(late, words):
    arm = FlexibleArm([FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)], damping=0.02)

    def path(t):
        return np.zeros(3) if t < 0.1 else late

    for plan in (arm.tip_inverse_dynamics, arm.joint_inverse_dynamics):
        with pytest.raises(ArgumentError, match=words):
            plan(path, 1e-2, duration=0.2)


@pytest.mark.parametrize("kind", ["zv", "zvd", "zvdd"])
def test_shaped_steps_leave_no_vibration(kind):
    link = FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)
    arm = FlexibleArm([link], (0.1, 0.0005), damping=0.02)
    swing = swing_system(arm)
    f, ratio = arm.frequencies[0][0], 0.02
    shaper = InputShaper.of(f, ratio, kind)
    assert shaper.amplitudes.sum() == pytest.approx(1)
    h = 1e-3
    t = np.arange(4001) * h
    bump = np.where((t > 0.1) & (t < 0.2), 30.0, 0.0) - np.where((t >= 0.2) & (t < 0.3), 30.0, 0.0)
    sizes = []
    for acceleration in (bump, shaper(bump, h)):
        rate = np.cumsum(acceleration) * h
        u = np.stack([np.cumsum(rate) * h, rate, acceleration], axis=-1)
        run = simulate(swing, np.zeros(2), u, 4.0, h)
        sizes.append(np.abs(run.x[t > 0.4 + shaper.duration, 0]).max())
    assert sizes[1] < 0.02 * sizes[0]
    assert shaper.residual(f, ratio) < PROMISED
    assert shaper.residual(1.1 * f, ratio) < 0.2
    both = InputShaper.of_modes([f, 3 * f], ratio, kind)
    assert np.all(both.residual([f, 3 * f], ratio) < PROMISED)


def test_wider_shapers_tolerate_wrong_frequencies():
    left = [InputShaper.of(2.0, 0.0, kind).residual(2.2) for kind in ("zv", "zvd", "zvdd")]
    assert left[0] > left[1] > left[2]
    with pytest.raises(ClosedFormError, match="kind of shaper"):
        InputShaper.of(2.0, 0.0, "ei")
    with pytest.raises(ArgumentError, match="frequency"):
        InputShaper.of(0.0)


def test_a_fit_recovers_a_link_from_its_own_record():
    """The record is a simulation of the one-link arm, driven by its hub."""
    link = FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)
    arm = FlexibleArm([link], (0.1, 0.0005), damping=0.05)
    t = np.arange(4001) * 1e-3
    hub, rate, acceleration = np.stack([smooth(s) for s in t], axis=-1)
    run = simulate(swing_system(arm), np.zeros(2), np.stack([hub, rate, acceleration], -1), 4.0, 1e-3)
    mode = arm.modes[0][0]
    shown = run.x[:, 0] * mode.tip / 0.5
    for _ in range(2):  # the sensor: two filters of 50 ms each
        shown = signal.lsim(([1.0], [0.05, 1.0]), shown, t)[1]
    shown = shown + 0.003
    fit = fit_hub_driven(t, hub, shown)
    B = arm.mass_matrix(np.zeros(2))
    assert fit.frequency == pytest.approx(mode.frequency, rel=1e-3)
    assert fit.ratio == pytest.approx(0.05, rel=1e-2)
    assert fit.gain == pytest.approx(B[0, 1] * mode.tip / (0.1 * 0.5), rel=2e-3)
    assert fit.lag == pytest.approx(0.1, rel=1e-2)
    assert fit.offset == pytest.approx(0.003, rel=1e-2)
    assert fit.error < 1e-3
    again = FlexibleArm([fit.link(0.5, 0.2, (0.1, 0.0005))], (0.1, 0.0005))
    assert again.frequencies[0][0] == pytest.approx(fit.frequency, rel=PROMISED)


DATA = Path(os.environ.get("CLOSEDFORM_DATA", Path(__file__).parents[2] / "shared" / "data"))
STEPS = [f"{c}_step_{s}{d}deg_run01" for c in ("hinf", "lqg") for s in ("", "neg_") for d in (20, 30)]


@pytest.mark.skipif(not (DATA / "quanser-flexible-link").is_dir(), reason="no records at hand")
@pytest.mark.parametrize("fitted", [name for name in STEPS if "20deg" in name])
def test_a_fit_of_one_step_predicts_the_others(fitted):
    def record(name):
        file = loadmat(DATA / "quanser-flexible-link" / f"{name}.mat")
        return file["time"].ravel(), file["X1_meas"][:, 0], file["X1_meas"][:, 1]

    fit = fit_hub_driven(*record(fitted))
    errors = {name: fit.error_on(*record(name)) for name in STEPS}
    assert max(errors.values()) < 0.12, errors


def test_bad_records_are_refused():
    t = np.linspace(0, 1, 50)
    with pytest.raises(ArgumentError, match="shapes"):
        fit_hub_driven(t, t[:-1], t)
    with pytest.raises(ArgumentError, match="equally spaced"):
        fit_hub_driven(t**2, t, t)
    with pytest.raises(ArgumentError, match="not finite"):
        fit_hub_driven(t, np.where(t > 0.5, np.nan, t), t)
    with pytest.raises(ClosedFormError, match="constant"):
        fit_hub_driven(t, np.zeros(50), np.sin(t))
