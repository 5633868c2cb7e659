"""Logs with faults: repaired with a line that counts them, or doubted first with the cause by name."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import closedform as cf
from closedform.cli import main
from closedform.identification import FrictionTerms, Identification, LogError, identify, read_log
from closedform.identification.logs.clock import steady
from closedform.identification.logs.cutoff import CORNERS, WIDER, Spectrum, spectral_cutoff, widest_cutoff
from closedform.identification.logs.faults import STALE, repeats, saturated, spikes, stale, unwrapped
from closedform.identification.logs.log import chosen_joints
from closedform.identification.logs.plausibility import check_plausible
from closedform.identification.logs.signals import Filters, Samples, condition_signals
from closedform.identification.logs.tables import read_table
from closedform.identification.logs.transmission import Transmission
from closedform.identification.logs.velocities import chosen_filters
from closedform.identification.regression.design import Design, independent
from closedform.identification.regression.lag import Lag, best_lag, lag_notes
from closedform.identification.regression.rows import nothing_left
from closedform.identification.regression.split import Split
from closedform.identification.regression.trials import Gain
from closedform.identification.workflow.diagnosis import Diagnosis
from closedform.identification.workflow.doubt import sign_doubts
from closedform.report import IdentificationStudy, write_report
from identification_logs import Losses, data, fourier_motion, noisy, rough
from tolerances import PROMISED, ROUNDING

CLASSIC = FrictionTerms(coulomb=0.01)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def log(arm):
    """A good log of 12 s at 250 Hz."""
    motion = fourier_motion(arm, 3, 12, 250)
    clean = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(2, 3).torque(motion.qd)
    return {"t": motion.t, "q": motion.q, "tau": noisy(clean, 0.01, 3)}


def test_a_rough_log_is_predicted_by_the_defaults():
    """Differentiated noise would ask for 100 Hz, and the gaps would cost a third of the rows."""
    robot = cf.load("panda")
    result = identify(robot, rough(robot, 0), hold_out=2.0, friction=CLASSIC, physical=False)
    assert result.held_out.total < 0.02
    assert result.filters.cutoff < 20
    rows = result.fitted.rows + result.held_out.rows
    assert rows > 0.8 * 21 * result.filters.rate / (result.filters.first * result.filters.second)
    assert any("jitter" in note for note in result.notes)
    assert not result.doubts


def test_noise_does_not_raise_the_cutoff():
    """The band of the motion is seen above the floor of the noise, whatever the rate."""
    t = np.arange(0, 20, 0.001)
    rng = np.random.default_rng(0)
    clean = np.stack([np.sin(2 * np.pi * 2.5 * t), np.sin(2 * np.pi * 4 * t)], axis=1)
    cutoffs = []
    for noise in (0.0, 1e-5, 1e-4, 1e-3, 1e-2):
        samples = Samples(t, clean + noise * rng.normal(size=clean.shape), clean)
        cutoffs.append(spectral_cutoff(samples, 1000.0))
        if noise:
            floor = Spectrum.of(samples, 1000.0).floor
            assert np.sqrt(floor * 500) == pytest.approx(noise, rel=0.2)
    assert cutoffs[0] == pytest.approx(WIDER * 4, rel=0.2)
    assert all(later <= earlier * 1.01 for earlier, later in pairwise(cutoffs))
    assert cutoffs[-1] < 10


def test_reversals_of_friction_need_the_same_cutoff_in_slow_motions():
    t = np.arange(0, 20, 0.001)
    q = np.sin(2 * np.pi * np.outer(t, [0.3, 0.5]))
    assert spectral_cutoff(Samples(t, q, q), 1000.0) == CORNERS
    assert spectral_cutoff(Samples(t[::20], q[::20], q[::20]), 50.0) == widest_cutoff(50.0) < CORNERS


@pytest.mark.parametrize(("base", "noise"), [(1.0, 1e-4), (2.0, 1e-4), (0.5, 1e-3), (0.1, 1e-4)])
def test_harmonics_count_though_the_floor_lies_between_them(base, noise):
    """A motion without a slow part has bandwidth; a hum far up is none, and noise alone has a cutoff."""
    t = np.arange(0, 20, 0.001)
    rng = np.random.default_rng(0)
    phases = 2 * np.pi * (base * np.outer(t, np.arange(1, 6))[:, :, None] + rng.random((5, 3)))
    white = noise * rng.normal(size=(len(t), 3))
    series = Spectrum.of(Samples(t, np.sin(phases).sum(axis=1) / 5 + white, white), 1000.0)
    assert series.bandwidth == pytest.approx(5 * base, abs=0.2)
    hum = 1e-4 * np.sin(2 * np.pi * 150 * t)[:, None]
    humming = Spectrum.of(Samples(t, np.sin(phases).sum(axis=1) / 5 + white + hum, white), 1000.0)
    assert humming.bandwidth == pytest.approx(series.bandwidth, abs=0.2)
    assert humming.clean == pytest.approx(series.clean, rel=0.05)
    assert chosen_filters("test", None, Samples(t, white, white), 1000.0).drowned
    assert spectral_cutoff(Samples(t, white, white), 1000.0) < min(series.clean, 15)


def test_a_motion_in_the_noise_is_doubted(arm, log):
    q = 1e-3 * np.random.default_rng(1).normal(size=log["q"].shape)
    given = {"friction": None, "physical": False, "plausible": False, "undetermined": "prior"}
    assert "give cutoff=" in " ".join(identify(arm, log | {"q": q}, **given).doubts)
    assert "give cutoff=" not in " ".join(identify(arm, log | {"q": q}, cutoff=5.0, **given).doubts)


@pytest.mark.parametrize(("rows", "lost"), [(8, False), (200, True)])
def test_gaps_are_judged_by_the_period_of_the_cutoff(rows, lost):
    t = np.arange(0, 10, 0.001)
    keep = (np.arange(len(t)) < 5000) | (np.arange(len(t)) >= 5000 + rows)
    q = np.sin(3 * t)[:, None]
    filters = Filters(1000.0, 10.0)
    found = condition_signals(Samples(t[keep], q[keep], q[keep]), filters)
    inside = found.valid[1000:9000]
    assert inside.all() != lost
    if lost:
        assert np.count_nonzero(~inside) == pytest.approx(rows + 2 * filters.settling * 1000, abs=5)
    middle = np.abs(found.time - 5.0) < 0.02
    assert lost or np.abs(found.q[middle, 0] - np.sin(3 * found.time[middle])).max() < 1e-6


def test_stamps_are_believed_where_positions_agree_with_them(arm):
    """Rows really sampled unevenly keep their stamps; rows stamped late get their even times back."""
    rng = np.random.default_rng(0)
    even = np.arange(0, 12, 0.004) + 0.1
    off = even + np.clip(0.2 * rng.normal(size=len(even)), -0.45, 0.45) * 0.004
    motion = lambda t: np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)  # noqa: E731
    true = read_log({"t": off, "q": motion(off), "tau": motion(off)}, arm)
    assert np.array_equal(true.time, off)
    late = read_log({"t": off, "q": motion(even), "tau": motion(even)}, arm)
    assert np.std(late.time - even) < 0.2 * np.std(off - even)
    assert "jitter" in late.notes[-1]
    assert np.abs(steady(even, 250.0) - even).max() < PROMISED


def test_stamps_in_bursts_are_named_where_speeds_cannot_be():
    """Rows handed over four at a time seem to race; in degrees they do so on any clock."""
    robot = cf.load("ur5")
    even = np.arange(0, 8, 0.004)
    bursts = np.floor(even / 0.016 + 1e-9) * 0.016 + 1e-5 * (np.arange(len(even)) % 4)
    q = np.sin(np.outer(even, np.linspace(1, 3, 6)))
    with pytest.raises(LogError, match=r"moves at .* uneven \(rows come 0.01 ms apart.* rate="):
        check_plausible(robot, read_log({"t": bursts, "q": q, "tau": q}, robot))
    with pytest.raises(LogError, match=r"moves at .* in degrees"):
        check_plausible(robot, read_log({"t": even / 100, "q": q, "tau": q}, robot))


def test_turns_are_taken_out_of_angles():
    t = np.linspace(0, 10, 4001)
    q = np.stack([5 * np.sin(t), 0.5 * t], axis=1)
    wrapped = (q + np.pi) % (2 * np.pi) - np.pi
    angles, jumps = unwrapped(wrapped, (True, True))
    assert np.abs(angles - q).max() < ROUNDING
    assert (jumps > 0).all()
    slides, none = unwrapped(wrapped, (False, False))
    assert np.array_equal(slides, wrapped)
    assert not none.any()


def test_single_rows_that_cannot_be_true_stand_out():
    t = np.arange(0, 10, 0.002)
    rng = np.random.default_rng(1)
    smooth = np.stack([np.sin(t), np.sign(np.sin(3 * t)) + 0.05 * rng.normal(size=len(t))], axis=1)
    assert not spikes(smooth).any()  # neither motion nor the step of dry friction
    broken = smooth.copy()
    broken[[700, 2600, 2601], 0] = 0.0
    broken[1500, 1] = 9.0
    assert np.flatnonzero(spikes(broken)).tolist() == [700, 1500, 2600, 2601]
    broken[4000] = broken[3999]
    assert np.flatnonzero(repeats(broken)).tolist() == [4000]


def test_rows_written_again_are_told_from_a_robot_at_rest():
    t = np.arange(0, 2, 0.01)
    x = np.sin(t)[:, None]
    x[20:23] = x[20]  # for 30 ms
    x[50:100] = x[50]  # at rest
    x[-2:] = x[-2]  # perhaps at rest from here on
    assert np.flatnonzero(stale(x, t)).tolist() == [21, 22]
    assert np.flatnonzero(stale(x, t * STALE / 0.01)).tolist() == []


def test_peaks_and_rounded_efforts_are_no_dropouts():
    """A peak of friction is climbed over several rows; a coarse effort goes a few of its units and back."""
    t = np.arange(0, 10, 0.004)
    rng = np.random.default_rng(2)
    peaks = np.sin(t) + 0.01 * rng.normal(size=len(t))
    for row in (400, 900, 1600):
        peaks[row : row + 5] += [0.3, 1.0, 1.4, 0.9, 0.25]
    assert not spikes(peaks[:, None]).any()
    coarse = np.round(3 * np.sin(t))
    coarse[rng.choice(len(t), 12, replace=False)] += 1
    assert not spikes(coarse[:, None]).any()


@pytest.mark.parametrize("name", ["A", "B"])
def test_no_row_of_a_real_log_is_a_dropout(name):
    table = read_table(data("kuka-kr300") / f"kr300_{name}.csv")
    columns = [values for column, values in table.items() if column[0] == "q" or column.startswith("tau")]
    assert not spikes(np.column_stack(columns)).any()


def test_plateaus_at_the_extreme_are_saturated_and_coarse_steps_are_not():
    t = np.arange(0, 10, 0.002)
    tau = np.sin(t)[:, None]
    assert not saturated(tau).any()
    assert not saturated(np.round(tau, 2)).any()
    cut = np.clip(tau, -0.8, 0.9)
    assert np.array_equal(saturated(cut), np.abs(cut - 0.05) >= 0.85)


def test_only_limits_of_joints_that_move_are_saturation(arm, log):
    """Neither a plateau at zero, nor that of a joint at rest or locked, nor most of a log is left out."""
    tau = log["tau"]
    idle = np.where(np.arange(len(tau)) < 500, 0.0, np.abs(tau[:, 1]))  # a drive off, then pushing one way
    assert read_log(with_faults(log, tau=np.column_stack([tau[:, 0], idle])), arm).saturated is None
    half = np.median(tau[:, 1])
    cut = with_faults(log, tau=np.column_stack([tau[:, 0], np.minimum(tau[:, 1], half)]))
    most = read_log(cut, arm)
    assert most.trusted.all()
    assert not any("saturated" in remark for remark in most.remarks)
    result = identify(arm, cut, friction=CLASSIC, physical=False, plausible=False)
    assert "saturated" in result.doubts[0]
    assert f"joint2 ({np.count_nonzero(most.saturated)})" in result.doubts[0]
    rest = read_log(with_faults(cut, q=log["q"] * [1, 0]), arm)
    assert rest.saturated is None
    some = with_faults(log, tau=np.column_stack([tau[:, 0], np.minimum(tau[:, 1], 0.8 * tau[:, 1].max())]))
    both = read_log(some, arm)
    assert not both.trusted.all()
    assert chosen_joints(both, ("joint1",)).trusted.all()
    assert not chosen_joints(both, ("joint1",)).remarks
    with pytest.raises(LogError, match=r"no rows are left.*saturated and are not fitted, rows: joint2"):
        raise nothing_left(both, Filters(250.0, 5.0))


def with_faults(log, **parts):
    return {**log, **parts}


def test_repairs_are_counted_and_the_fit_is_as_good(arm, log):
    plain = identify(arm, log, friction=CLASSIC, physical=False)
    q, tau = log["q"].copy(), log["tau"].copy()
    q[500], q[900, 1], tau[1300, 0] = np.nan, 0.0, 0.0
    q[1700], tau[1700] = q[1699], tau[1699]
    most = 0.7 * np.abs(tau).max(axis=0)
    broken = with_faults(log, q=(q + np.pi) % (2 * np.pi) - np.pi, tau=np.clip(tau, -most, most))
    mended = identify(arm, broken, friction=CLASSIC, physical=False)
    assert mended.cross_validation.total < 1.5 * plain.cross_validation.total
    notes = " ".join(mended.notes)
    for words in ("1 row(s) with numbers", "stand out", "1 row(s) that repeat", "saturated"):
        assert words in notes
    assert not mended.doubts


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda q, tau: (q, tau[:, ::-1]), "the efforts of joint1 and joint2 swapped"),
        (lambda q, tau: (q[:, ::-1], tau), "the positions of joint1 and joint2 swapped"),
        (lambda q, tau: (q * [1, -1], tau), "the opposite sign of the position of joint2"),
    ],
)
def test_a_fault_is_named_by_what_would_explain_the_log(arm, log, fault, words):
    q, tau = fault(log["q"], log["tau"])
    result = identify(arm, {"t": log["t"][: len(q)], "q": q, "tau": tau}, friction=CLASSIC, physical=False)
    causes = [doubt for doubt in result.doubts if doubt.startswith("with ")]
    assert words in causes[0]


def test_gravity_along_another_axis_is_named_with_or_without_inertias(arm, log):
    for model in (arm.model, replace(arm.model, has_inertia=False)):
        wrong = cf.Robot(model.with_gravity(np.array([9.81, 0.0, 0.0])))
        result = identify(wrong, log, friction=CLASSIC, physical=False, plausible=False)
        assert "with gravity along -y" in " ".join(result.doubts)


def test_efforts_of_the_wrong_sign_are_named_with_or_without_inertias(arm, log):
    with pytest.raises(cf.ClosedFormError, match=r"-1 times .* 'joint2'.*the opposite sign of the effort"):
        identify(arm, with_faults(log, tau=log["tau"] * [1, -1]), friction=CLASSIC)
    bare = cf.Robot(replace(arm.model, has_inertia=False))
    result = identify(bare, with_faults(log, tau=-log["tau"]), friction=CLASSIC, physical=False)
    assert result.cross_validation.total < 0.02  # numbers with the wrong sign fit as well
    assert "inertia and friction of joint1 come out negative" in " ".join(result.doubts)


def test_what_is_negative_within_its_error_is_no_doubt(arm):
    """Inertia and friction are doubted where they are negative by more than their errors explain."""
    base, _ = independent(arm, Transmission.of(2).axes)
    design = Design.of(arm, base, Transmission.of(2).axes, CLASSIC, True)
    values = -np.append(base.values, np.ones(design.width - base.count))
    small, large = (size * np.abs(values) for size in (0.01, 1.0))
    sure, _ = sign_doubts(design, values, small, np.ones(2))
    assert [doubt.split(":")[0] for doubt in sure] == [
        f"the inertia and friction of {name} come out negative" for name in arm.joint_names
    ]
    assert sign_doubts(design, values, large, np.ones(2)) == ([], ())
    only = np.append(-base.values, np.ones(design.width - base.count))
    doubts, notes = sign_doubts(design, only, small, np.ones(2))  # friction says that the sign is right
    assert not doubts
    assert "the inertia of joint1 comes out negative" in notes[0]


def test_no_states_have_no_speed_and_no_causes(arm, log):
    """In 12 s filters of half a hertz do not settle, which leaves nothing to try."""
    base, _ = independent(arm, Transmission.of(2).axes)
    diagnosis = Diagnosis(base, read_log(log, arm), Filters(250.0, 0.5))
    assert diagnosis.speeds.tolist() == [0.0, 0.0]
    assert diagnosis.causes() == ()


@pytest.mark.parametrize(("rows", "words"), [(5, "efforts lag 20 ms"), (-5, "positions lag 20 ms")])
def test_a_lag_of_efforts_is_found_and_taken_out(arm, log, rows, words):
    """Torques recorded late or early are brought back to their positions; the fit is as good as without."""
    q, tau = (log["q"][rows:], log["tau"][:-rows]) if rows > 0 else (log["q"][:rows], log["tau"][-rows:])
    given = {"t": log["t"][: len(q)], "q": q, "tau": tau}
    result = identify(arm, given, friction=CLASSIC, physical=False)
    assert result.lag == pytest.approx(rows * 0.004, abs=5e-4)
    assert words in " ".join(result.notes)
    plain = identify(arm, log, friction=CLASSIC, physical=False)
    assert plain.lag == 0
    assert result.cross_validation.total < 1.1 * plain.cross_validation.total
    assert not result.doubts
    as_told = identify(arm, given, friction=CLASSIC, physical=False, lag=rows * 0.004)
    assert as_told.lag == rows * 0.004
    assert as_told.validate(read_log(given, arm)).total < 0.01


def test_a_lag_that_hardly_matters_is_a_note(arm, log):
    """A lag that saves less than a tenth, or helps in some folds only, is told and not applied."""
    weak, unsteady = Lag(-0.003, Gain(0.05, 1.0)), Gain(0.2, 0.6)
    assert not weak.gain.clear
    assert not unsteady.clear
    assert Gain(0.2, 0.9).clear
    assert "positions lag 3 ms behind efforts" in lag_notes(0.0, weak)[0]
    assert "so it is not (lag=-0.003 does)" in lag_notes(0.0, weak)[0]
    assert lag_notes(0.0, Lag(0.001, Gain(0.001, 1.0))) == lag_notes(0.0, None) == ()
    design = Design.of(
        arm, *independent(arm, Transmission.of(2).axes)[:1], Transmission.of(2).axes, CLASSIC, True
    )
    short = read_log(log, arm).samples(0, 100)
    assert best_lag(design, short, Filters(250.0, 5.0), Split(0.0, 0.4, None, 0.1)) is None


def test_a_lag_must_be_a_lag(arm, log):
    with pytest.raises(cf.ClosedFormError, match="lag is 20; expected seconds"):
        identify(arm, log, lag=20)


@pytest.fixture(scope="module")
def useless(arm, log):
    """A result that predicts nothing: efforts of another motion."""
    tau = np.roll(log["tau"], 1300, axis=0)
    return identify(arm, with_faults(log, tau=tau), friction=CLASSIC, plausible=False)


def test_doubt_is_said_first_everywhere(useless, tmp_path):
    assert useless.cross_validation.total > 0.2
    assert repr(useless).startswith("<Identification of '2r': doubt: predicts rows left out in turn poorly")
    assert str(useless).startswith("doubt: predicts rows left out in turn poorly")
    assert "nothing that was tried explains it" in str(useless)
    write_report(IdentificationStudy(useless), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert 0 < page.index("Doubt:</strong> predicts rows left out") < page.index("torque error, fitted")
    useless.save(tmp_path / "result.json")
    assert Identification.load(tmp_path / "result.json").doubts == useless.doubts


def test_the_command_line_says_doubt_before_the_tables(arm, log, tmp_path, capsys):
    rows = np.column_stack([log["t"], log["q"], log["tau"][:, ::-1]])
    path = tmp_path / "log.csv"
    np.savetxt(path, rows, delimiter=",", header="time,q1,q2,tau1,tau2", comments="")
    with pytest.raises(SystemExit) as end:
        main(["identify", str(path), "--robot", "2r", "--friction", "classic", "--no-plausible"])
    out = capsys.readouterr().out
    assert end.value.code in (0, None)
    assert out.startswith("doubt: ")
    assert "swapped" in out[: out.index("std. error")]
