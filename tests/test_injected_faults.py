"""Faults put into a good log, one by one: each is repaired, named or refused, and none passes in silence."""

from __future__ import annotations

import re

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, LogError, identify, read_log
from closedform.identification.logs.plausibility import check_plausible
from closedform.identification.workflow.late_efforts import lag_causes
from identification_logs import Losses, fourier_motion, noisy

RATE = 250.0
QUICK = {"friction": FrictionTerms(coulomb=0.01), "physical": False}


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def log(arm):
    motion = fourier_motion(arm, 3, 12, RATE)
    clean = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(2, 3).torque(motion.qd)
    return {"t": motion.t, "q": motion.q, "qd": motion.qd, "tau": noisy(clean, 0.01, 3)}


@pytest.fixture(scope="module")
def good(arm, log):
    return identify(arm, log, **QUICK)


def some(log, count, seed=0):
    """A few rows, not at the ends."""
    return np.random.default_rng(seed).choice(np.arange(200, len(log["t"]) - 200), count, replace=False)


def changed(log, name, rows, value):
    """The log with another value in some rows of a quantity, in its last column."""
    values = log[name].copy()
    values[rows, -1] = value
    return log | {name: values}


def bare(log, **parts):
    """The log without velocities, and with other parts."""
    return {name: values for name, values in log.items() if name != "qd"} | parts


def cut(log, keep):
    return {name: values[keep] for name, values in log.items()}


def late(log, rows):
    """Efforts recorded some rows later than positions, or earlier."""
    shifted = np.roll(log["tau"], rows, axis=0)
    return cut(log | {"tau": shifted}, slice(50, -50))


def jittering(log):
    return bare(log, t=log["t"] + 8e-4 * np.clip(np.random.default_rng(1).normal(size=len(log["t"])), -2, 2))


def paused(log):
    t = log["t"].copy()
    t[1500:] += 7.0
    return log | {"t": t}


def repeated(log):
    t = log["t"].copy()
    t[some(log, 8)] -= 1 / RATE
    return log | {"t": t}


def strayed(log):
    """Rows of rubbish with stamps of their own, as a driver writes them at its start."""
    t, q = log["t"] + 500.0, log["q"].copy()
    rows = [1, 2, 3, 4, 5, *some(log, 3)]
    t[rows] = [-0.12, 0.79, 0.0, 2.7e59, 0.0, -0.03, 47.6, 0.0]
    q[rows] = 1e3
    return bare(log, t=t, q=q)


def stuck(log):
    rows = some(log, 5)
    moved = ((name, values) for name, values in log.items() if name != "t")
    return log | {name: np.where(_at(rows, x), np.roll(x, 1, axis=0), x) for name, x in moved}


def written_again(log):
    """Rows of drives that report less often than the log is written: each once, twice or three times."""
    fresh = np.random.default_rng(3).random(len(log["t"])) < 0.6
    last = np.maximum.accumulate(np.where(fresh, np.arange(len(fresh)), 0))
    return {name: x if name == "t" else x[last] for name, x in log.items()}


def clipped(log):
    most = 0.7 * np.abs(log["tau"]).max(axis=0)
    return log | {"tau": np.clip(log["tau"], -most, most)}


def rippled(log):
    """A gear or an encoder out of centre: fifty times a turn it reads 2 mrad too much."""
    return bare(log, q=log["q"] + 2e-3 * np.sin(50 * log["q"]))


def late_velocities(log):
    """Velocities two rows late, beside noisy positions."""
    noise = 3e-4 * np.random.default_rng(2).normal(size=log["q"].shape)
    return log | {"q": log["q"] + noise, "qd": np.roll(log["qd"], 2, axis=0)}


def backwards(log):
    return log | {"t": np.where(log["t"] > 6, log["t"] - 3, log["t"])}


def _at(rows, values):
    mask = np.zeros(len(values), dtype=bool)
    mask[rows] = True
    return mask[:, None]


REPAIRED = {
    "a row that is not a number": (lambda log: changed(log, "q", some(log, 1), np.nan), "not finite"),
    "infinite efforts": (lambda log: changed(log, "tau", some(log, 3), np.inf), "not finite"),
    "five rows in a row missing": (lambda log: changed(log, "tau", slice(700, 705), np.nan), "not finite"),
    "positions drop to zero in 0.05 %": (lambda log: changed(bare(log), "q", some(log, 2), 0.0), "stand out"),
    "efforts drop to zero in 0.05 %": (lambda log: changed(log, "tau", some(log, 2), -40.0), "stand out"),
    "efforts jump tenfold in 0.3 %": (lambda log: changed(log, "tau", some(log, 9), 300.0), "stand out"),
    "rows that repeat": (stuck, "repeat the row before"),
    "rows that are written again": (written_again, "repeat the row before"),
    "time stamps that repeat": (repeated, "repeat the time stamp before"),
    "time stamps out of order": (strayed, "out of order"),
    "a stamp that is not a number": (
        lambda log: log | {"t": np.where(_at([900], log["t"])[:, 0], np.nan, log["t"])},
        "is not a number",
    ),
    "time stamps that jitter": (jittering, "jitter"),
    "angles that jump by a turn": (lambda log: log | {"q": (log["q"] + 1) % (2 * np.pi) - 1}, "unwrapped"),
    "efforts that are cut off": (clipped, "saturated"),
    "a position sensor with ripple": (rippled, "efforts do not follow"),
    "efforts 20 ms late": (lambda log: late(log, 5), "efforts lag 20 ms"),
    "efforts 20 ms early": (lambda log: late(log, -5), "positions lag 20 ms"),
    "somebody pushes for 0.2 s": (lambda log: changed(log, "tau", slice(900, 950), 200.0), "count less"),
    "efforts are frozen for 0.2 s": (lambda log: changed(log, "tau", slice(900, 950), 3.0), "count less"),
    "velocities of another motion": (lambda log: log | {"qd": np.roll(log["qd"], 700, axis=0)}, "not used"),
    "velocities 8 ms late": (late_velocities, "velocities, 8 ms late"),
    "a pause of seven seconds": (paused, "1 pause(s) between stamps, 7 s"),
    "a gap of ten rows": (
        lambda log: cut(log, np.abs(np.arange(len(log["t"])) - 1500) > 5),
        "1 gap(s) between stamps, the longest of 48 ms",
    ),
    "a hum on the positions": (
        lambda log: bare(log, q=log["q"] + 1e-4 * np.sin(2 * np.pi * 60 * log["t"])[:, None]),
        "positions hum at 60 Hz",
    ),
    "positions in coarse steps": (lambda log: bare(log, q=np.round(log["q"], 3)), "in steps of 0.001"),
}
"""Faults that are repaired, and the words of the note."""


@pytest.mark.parametrize("fault", REPAIRED)
def test_a_fault_is_repaired_and_told(arm, log, good, fault):
    inject, words = REPAIRED[fault]
    result = identify(arm, inject(log), **QUICK)
    assert not result.doubts
    assert words in " ".join(result.notes)
    assert words not in " ".join(good.notes)
    apart = (result.values - good.values) / np.maximum(result.standard_errors, good.standard_errors)
    assert np.abs(apart).max() < 5


NAMED = {
    "efforts swapped": (
        lambda log: log | {"tau": log["tau"][:, ::-1]},
        "efforts of joint1 and joint2 swapped",
    ),
    "positions swapped": (
        lambda log: bare(log, q=log["q"][:, ::-1]),
        "the positions of joint1 and joint2 swapped",
    ),
    "a position of the wrong sign": (
        lambda log: bare(log, q=log["q"] * [1, -1]),
        "the opposite sign of the position of joint2",
    ),
    "a zero that is off": (lambda log: log | {"q": log["q"] - [0.4, 0]}, "the zero of joint1 (+0.4"),
    "efforts of another motion": (
        lambda log: log | {"tau": np.roll(log["tau"], 1300, axis=0)},
        "nothing that was tried explains it",
    ),
    "one effort 40 ms late": (
        lambda log: log | {"tau": np.stack([log["tau"][:, 0], np.roll(log["tau"][:, 1], 10)], axis=1)},
        "the efforts of joint2 shifted",
    ),
    "a clock that is slow": (lambda log: bare(log, t=2 * log["t"]), "2 times as fast (rate=250)"),
    "a clock that is fast": (lambda log: bare(log, t=log["t"] / 2.5), "0.4 times as fast (rate=250)"),
    "one effort a tenth": (lambda log: log | {"tau": log["tau"] * [1, 0.1]}, "the effort of joint2 times 10"),
    "one effort of the wrong sign": (
        lambda log: log | {"tau": log["tau"] * [1, -1]},
        "the opposite sign of the effort of joint2",
    ),
    "every effort of the wrong sign": (lambda log: log | {"tau": -log["tau"]}, "come out negative"),
    "most of the efforts cut off": (lambda log: log | {"tau": np.clip(log["tau"], -4, 4)}, "saturated"),
}
"""Faults that cannot be repaired, and what a doubt says of them."""


@pytest.mark.parametrize("fault", NAMED)
def test_a_fault_is_named(arm, log, fault):
    inject, words = NAMED[fault]
    result = identify(arm, inject(log), plausible=False, **QUICK)
    assert words in " ".join(result.doubts)


def test_efforts_of_the_wrong_sign_are_named_without_options(arm, log):
    """No bodies explain them, described or not: that is said first, and which signs may be wrong."""
    wrong = log | {"tau": -log["tau"]}
    bare_arm = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1, 0, 0)], gravity=arm.gravity)
    asked = (bare_arm, {"physical": True})
    for robot, options in ((bare_arm, {}), asked, (arm, {"plausible": False}), (arm, {"diagnose": True})):
        doubts = identify(robot, wrong, **options).doubts
        assert "no bodies that can exist explain the log" in " ".join(doubts[:2])
        assert sum("come out negative: has its effort the wrong sign?" in doubt for doubt in doubts) == 2
        assert "nothing that was tried" not in " ".join(doubts)


def test_gravity_along_another_axis_is_named(arm, log):
    for gravity in ([9.81, 0.0, 0.0], [0.0, 9.81, 0.0], [0.0, 0.0, 0.0]):
        wrong = cf.Robot(arm.model.with_gravity(np.array(gravity)))
        assert "gravity along -y" in " ".join(identify(wrong, log, plausible=False, **QUICK).doubts)


@pytest.mark.parametrize("tilt", [6.0, 30.0])
def test_a_base_that_is_not_level_is_named_with_its_gravity(tilt):
    """A wrong direction passes for other inertias to a few percent; the one found is that of the log."""
    robot, angle = cf.load("puma560"), np.radians(tilt)
    gravity = 9.81 * np.array([0.6 * np.sin(angle), -0.8 * np.sin(angle), -np.cos(angle)])
    motion = fourier_motion(robot, 3, 15, RATE)
    tilted = cf.Robot(robot.model.with_gravity(gravity))
    torque = tilted.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(6, 3).torque(motion.qd)
    wrong = {"t": motion.t, "q": motion.q, "tau": noisy(torque, 0.01, 3)}
    (said,) = (d for d in identify(robot, wrong, **QUICK).doubts if "gravity=" in d)
    found = np.array([float(x) for x in re.search(r"gravity=\((.*?)\)", said)[1].split(",")])
    assert np.degrees(np.linalg.norm(found - gravity) / 9.81) < 0.15 * tilt
    assert not any("gravity" in doubt for doubt in identify(tilted, wrong, **QUICK).doubts)


def test_a_joint_that_rests_may_need_no_effort(arm, log):
    """Its drive may report zero, if other logs move it; one that moves may not."""
    silent = bare(log, tau=log["tau"] * [1, 0])
    check_plausible(arm, read_log(silent | {"q": log["q"] * [1, 0]}, arm))
    with pytest.raises(LogError, match="every effort of joint2 is zero"):
        check_plausible(arm, read_log(silent, arm))


def test_a_log_that_is_given_twice_is_doubted(arm, log):
    """A copy among the logs makes everything look surer than it is."""
    other = log | {"tau": log["tau"] + 1e-9}
    assert not identify(arm, [log, other], **QUICK).doubts
    (doubt,) = identify(arm, [log, other, dict(log)], **QUICK).doubts
    assert "hold the same numbers" in doubt
    assert "logs[0] = logs[2]" in doubt


REFUSED = {
    "efforts in mN m": (lambda log: log | {"tau": 1e3 * log["tau"]}, "times the logged effort"),
    "an effort of the wrong sign": (
        lambda log: log | {"tau": log["tau"] * [1, -1]},
        "joint2.*opposite sign",
    ),
    "positions in degrees": (lambda log: bare(log, q=np.degrees(log["q"])), "degrees"),
    "velocities in degrees": (lambda log: log | {"qd": np.degrees(log["qd"])}, "deg/s"),
    "time in milliseconds": (lambda log: log | {"t": 1e3 * log["t"]}, "milliseconds|ms"),
    "time runs backwards": (backwards, "backwards"),
    "half of the stamps repeat": (lambda log: log | {"t": np.round(log["t"] * 125) / 125}, "repeat"),
    "a joint that stays still": (lambda log: bare(log, q=log["q"] * [1, 0]), "joint2 do not move"),
    "a log without motion": (lambda log: bare(log, q=0 * log["q"]), "do not move"),
    "one effort zero": (
        lambda log: log | {"tau": log["tau"] * [1, 0]},
        "every effort of joint2 is zero.*locked",
    ),
    "every effort zero": (lambda log: log | {"tau": 0 * log["tau"]}, "every effort is zero"),
    "a tenth of the rows missing": (
        lambda log: changed(log, "q", slice(None, None, 10), np.nan),
        'missing="drop"',
    ),
    "columns of another robot": (
        lambda log: bare(log, q=log["q"][:, [0, 1, 1]], tau=log["tau"][:, [0, 1, 1]]),
        "another robot",
    ),
    "fewer rows than parameters": (lambda log: cut(log, slice(0, 100)), "too short|record for longer"),
}
"""Logs that cannot be used, and words of the error."""


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_is_refused_with_its_name(arm, log, fault):
    inject, words = REFUSED[fault]
    with pytest.raises(LogError, match=words):
        identify(arm, inject(log), **QUICK)


def test_at_least_thirty_faults_are_injected():
    assert len({*REPAIRED, *NAMED, *REFUSED}) >= 30


def test_a_diagnosis_goes_on_where_identify_refuses(arm, log):
    """The refusal becomes a doubt, and the best remedy stands first in the diagnosis."""
    wrong = log | {"tau": log["tau"] * [1, -1]}
    result = identify(arm, wrong, diagnose=True, **QUICK)
    assert any("times the logged effort" in doubt for doubt in result.doubts)
    assert "the opposite sign of the effort of joint2" in " ".join(result.diagnosis[:2])
    assert f"diagnosis: {result.diagnosis[0]}" in str(result)
    fine = identify(arm, log, diagnose=True, **QUICK)
    assert not fine.doubts
    assert "nothing that was tried lowers the error" in fine.diagnosis[0]


@pytest.mark.parametrize(("true", "words"), [(0.013, "13 ms earlier"), (-0.021, "21 ms later")])
@pytest.mark.parametrize("joint", [None, "elbow"])
def test_the_bottom_of_a_parabola_is_the_lag(true, words, joint):
    """Errors whose squares are a parabola about the lag: its bottom is found, and which way to shift."""

    def error_of(lag, late):
        own = joint is None or late.tolist() == [False, True]
        return float(np.sqrt(0.01 + (lag - true) ** 2 * 400)) if own else 1.0

    (cause, *_) = lag_causes(("shoulder", "elbow"), error_of, 0.1)
    assert cause.error == pytest.approx(0.1)
    whose = "efforts" if joint is None else "the efforts of elbow"
    assert cause.words.startswith(f"{whose} shifted {words}")
