"""Claims about measured velocities: they are taken if they tell more than positions, without their delay."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify
from closedform.identification.logs.cutoff import Spectrum
from closedform.identification.logs.signals import Filters, Samples, condition_signals
from closedform.identification.logs.velocities import chosen_filters
from identification_logs import Losses, fourier_motion, noisy

RATE = 250.0
CLASSIC = FrictionTerms(coulomb=0.01)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def motion(arm):
    return fourier_motion(arm, 3, 12, RATE)


def recorded(motion, position_noise, velocity_noise, rows_late=0):
    """Samples with noise on positions and velocities, velocities some rows late."""
    rng = np.random.default_rng(5)
    q = motion.q + position_noise * rng.normal(size=motion.q.shape)
    qd = motion.qd + velocity_noise * rng.normal(size=motion.q.shape)
    late = np.concatenate([qd[:1].repeat(rows_late, axis=0), qd[: len(qd) - rows_late]])
    return Samples(motion.t, q, motion.q, late)


def test_velocities_count_if_their_noise_is_lower(motion):
    """White noise N of velocities gives accelerations N (2 pi)^2 f^3 / 3, that of positions f^5 / 5."""
    quiet = chosen_filters("test", None, recorded(motion, 1e-3, 1e-4), RATE)
    assert quiet.filters.delay == pytest.approx(0, abs=2e-4)
    assert "logged velocities" in quiet.notes[0]
    rough = chosen_filters("test", None, recorded(motion, 1e-6, 1e-2), RATE)
    assert rough.filters.delay is None
    assert not rough.notes
    noise = Spectrum.of(recorded(motion, 1e-3, 1e-4), RATE, 1).noise(5.0)
    density = 2 * 1e-8 / RATE  # one-sided
    assert noise == pytest.approx(density * (2 * np.pi) ** 2 * 5.0**3 / 3, rel=0.3)


def test_their_delay_is_found_and_the_accelerations_are_better(motion):
    samples = recorded(motion, 1e-3, 1e-4, rows_late=2)
    found = chosen_filters("test", 5.0, samples, RATE).filters
    assert found.delay == pytest.approx(2 / RATE, abs=3e-4)

    def error(filters):
        signals = condition_signals(samples, filters)
        apart = (signals.qdd - motion.qdd)[signals.valid]
        return float(np.sqrt(np.mean(apart**2)))

    assert error(found) < 0.5 * error(Filters(RATE, 5.0))


def test_velocities_of_another_motion_are_left_and_named(motion):
    samples = recorded(motion, 1e-3, 1e-4)
    wrong = Samples(samples.time, samples.position, samples.effort, np.roll(samples.velocity, 700, axis=0))
    found = chosen_filters("test", None, wrong, RATE)
    assert found.filters.delay is None
    assert "differ from the slopes" in found.notes[0]
    still = Samples(samples.time, samples.position, samples.effort, np.zeros_like(samples.position))
    assert chosen_filters("test", None, still, RATE).filters.delay is None


def test_identification_with_velocities_is_as_good_as_with_clean_positions(arm, motion, tmp_path):
    samples = recorded(motion, 1e-3, 1e-4)
    losses = Losses.random(2, 3)
    tau = noisy(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + losses.torque(motion.qd), 0.01, 3)
    log = {"t": motion.t, "q": samples.position, "tau": tau}
    given = {"friction": CLASSIC, "cutoff": 10.0}
    with_speeds, without = identify(arm, log | {"qd": samples.velocity}, **given), identify(arm, log, **given)
    assert with_speeds.filters.delay is not None
    assert with_speeds.cross_validation.total < 0.5 * without.cross_validation.total
    with_speeds.save(tmp_path / "result.json")
    again = type(with_speeds).load(tmp_path / "result.json")
    assert again.filters == with_speeds.filters
    assert again.validate(log | {"qd": samples.velocity}).total == pytest.approx(
        with_speeds.validate(log | {"qd": samples.velocity}).total
    )
    assert with_speeds.filters_of(cf.identification.read_log(log, arm)).delay is None
