"""Several logs at once: fitted jointly, held out as a whole, with payload states, here or on a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, Identification, LogError, PayloadState, identify
from closedform.identification.logs.sources import chosen_logs, log_sources
from closedform.identification.regression.split import held_out_logs
from closedform.identification.workflow import sampling
from closedform.identification.workflow.runners import Cluster, Here, in_groups, runner_of
from command_line import run
from identification_logs import Losses, fourier_motion, noisy

CLASSIC = FrictionTerms()
CUBE = {"mass": 2.8, "com": (0.3, -0.05, 0.1), "inertia": np.diag([0.02, 0.03, 0.025])}


@pytest.fixture(scope="module")
def arm() -> cf.Robot:
    return cf.load("2r")


def recorded(robot: cf.Robot, seed: int, *, rate: float = 100, seconds: float = 10) -> dict[str, Any]:
    motion = fourier_motion(robot, seed, seconds, rate)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(robot.nv, 0).torque(
        motion.qd
    )
    return {"t": motion.t, "q": motion.q, "tau": noisy(tau, 0.01, seed)}


@pytest.fixture(scope="module")
def logs(arm: cf.Robot) -> list[dict[str, Any]]:
    return [recorded(arm, seed, rate=(100, 125, 80)[seed % 3]) for seed in range(6)]


@pytest.fixture
def folder(logs: list[dict[str, Any]], tmp_path: Path) -> Path:
    for k, log in enumerate(logs):
        np.savez(tmp_path / f"run{k}.npz", **log)
    return tmp_path


def fitted(arm: cf.Robot, logs: Any, **options: Any) -> Identification:
    return identify(arm, logs, **{"friction": CLASSIC, "physical": False, "client": None, **options})


def deviations(result: Identification, robot: cf.Robot) -> np.ndarray:
    """Return how far base parameters are from those of a robot, in standard errors."""
    errors = result.standard_errors[: result.base.count]
    return np.asarray((result.base_values - result.base.matrix @ robot.phi) / errors)


# ------------------------------------------------------------------ many logs


@pytest.fixture(scope="module")
def many(arm: cf.Robot) -> list[dict[str, Any]]:
    """Logs of which some have a push of their own."""
    found = [recorded(arm, seed, rate=50) for seed in range(26)]
    for k, log in enumerate(found[::3]):
        log["tau"][100 + 5 * k : 105 + 5 * k] += 20.0
    return found


@pytest.mark.parametrize("options", [{"hold_out": {"files": 4}, "friction": "auto"}, {"method": "iv"}])
def test_some_of_many_logs_judge_friction_and_outliers(arm, many, monkeypatch, options):
    """One pass over all logs then does what three did; results differ by much less than their errors."""
    whole = fitted(arm, many, cutoff=5, **options)
    monkeypatch.setattr(sampling, "SAMPLED", 10)
    quick = fitted(arm, many, cutoff=5, **options)
    assert (np.abs(quick.values - whole.values) < 0.2 * whole.standard_errors).all()
    assert quick.standard_errors == pytest.approx(whole.standard_errors, rel=0.05)
    assert quick.fitted.total == pytest.approx(whole.fitted.total, rel=1e-3)
    assert quick.friction == whole.friction
    assert len(quick.logs) == len(many)
    for one, other in zip(quick.logs, whole.logs, strict=True):
        assert one.held_out == other.held_out
        assert one.errors.total == pytest.approx(other.errors.total, rel=0.01)
    assert any("count less" in note for note in quick.notes)


# ------------------------------------------------------------------ a joint fit


def test_a_log_given_twice_says_the_same_with_errors_smaller_by_the_root_of_two(arm, logs):
    once, twice = fitted(arm, logs[0]), fitted(arm, [logs[0], logs[0]])
    np.testing.assert_allclose(twice.values, once.values, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(once.standard_errors / twice.standard_errors, np.sqrt(2), rtol=0.02)
    assert [log.name for log in twice.logs] == ["logs[0]", "logs[1]"]


def test_logs_of_several_rates_determine_the_robot_better_than_each(arm, logs):
    together = fitted(arm, logs)
    assert np.abs(deviations(together, arm)).max() < 3.5
    for log in logs[:2]:
        assert (together.standard_errors < fitted(arm, log).standard_errors).all()
    assert together.fitted.rows == sum(log.errors.rows for log in together.logs)
    squares = sum(log.errors.rms**2 * log.errors.rows for log in together.logs)
    np.testing.assert_allclose(squares / together.fitted.rows, together.fitted.rms**2)


def test_friction_is_chosen_by_all_logs(arm, logs):
    chosen = fitted(arm, logs[:2], friction="auto", hold_out=[1])
    assert chosen.friction.coulomb is not None
    assert chosen.held_out.total < 0.01


def test_a_joint_may_rest_in_one_log_if_it_moves_in_another(arm, logs):
    one = dict(logs[1])
    one["q"] = one["q"] * [1, 0] + [0, 0.3]
    qd, qdd = (np.gradient(x, one["t"], axis=0) for x in (one["q"], np.gradient(one["q"], one["t"], axis=0)))
    one["tau"] = arm.inverse_dynamics(one["q"], qd, qdd) + Losses.random(2, 0).torque(qd)
    result = fitted(arm, [logs[0], one], plausible=False)
    assert np.abs(result.base_values - result.base.matrix @ arm.phi).max() < 0.1
    with pytest.raises(LogError, match="joint2 do not move in any of 1 log"):
        fitted(arm, [logs[0], one], hold_out=[0], plausible=False)


# ------------------------------------------------------------------ which logs are meant


def test_lists_folders_patterns_and_descriptions_mean_the_same_logs(arm, folder):
    listed = fitted(arm, [folder / "run0.npz", (str(folder / "run1.npz"), {"missing": "drop"})])
    (folder / "two").mkdir()
    for k in range(2):
        (folder / "two" / f"log{k}.toml").write_text(f'file = "../run{k}.npz"\n')
    for same in (str(folder / "run[01].npz"), folder / "two"):
        np.testing.assert_array_equal(fitted(arm, same).values, listed.values)


def test_what_descriptions_name_is_not_read_twice(folder):
    (folder / "all.toml").write_text('position = "run0.npz"\neffort = "run1.npz"\n')
    names = [Path(source.name).name for source in log_sources(folder, {})]
    assert names == ["all.toml", "run2.npz", "run3.npz", "run4.npz", "run5.npz"]


def test_a_name_means_a_log_with_or_without_its_folder_or_by_a_pattern():
    names = ["a/run1.csv", "a/run2.csv", "b/other.csv"]
    for given, meant in (
        ("a/run1.csv", [0]),
        ("run2.csv", [1]),
        ("run*.csv", [0, 1]),
        (-1, [2]),
        ("b/*", [2]),
    ):
        assert chosen_logs("hold_out", names, given) == meant
    for wrong in ("run3.csv", 3, 1.5, None):
        with pytest.raises(cf.ArgumentError, match="hold_out"):
            chosen_logs("hold_out", names, wrong)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "the list of logs is empty"),
        ([("a.csv", {"speed": 1})], r"logs\[0\]: unknown option 'speed'"),
        ([("a.csv",)], "a log and its options"),
        ([["a.csv"]], "expected one log"),
        ("no/such/*.csv", "no file matches"),
        (3.0, "a log is a path"),
    ],
)
def test_what_means_no_log_is_refused(arm, given, words):
    with pytest.raises(cf.ClosedFormError, match=words):
        identify(arm, given)


def test_a_folder_without_logs_is_refused(arm, tmp_path):
    with pytest.raises(LogError, match="a folder without logs"):
        identify(arm, tmp_path)


# ------------------------------------------------------------------ whole logs held out


def test_logs_that_are_held_out_leave_no_trace_in_the_fit(arm, logs):
    changed = [*logs[:2], {**logs[2], "tau": 1.5 * logs[2]["tau"]}]
    honest, odd = fitted(arm, logs[:3], hold_out=[2]), fitted(arm, changed, hold_out=["logs[2]"])
    np.testing.assert_array_equal(honest.values, odd.values)
    assert [log.held_out for log in odd.logs] == [False, False, True]
    assert honest.held_out.total < 0.01
    assert honest.held_out.total == pytest.approx(honest.logs[2].errors.total)
    assert odd.held_out.total == pytest.approx(1 / 3, abs=0.01)
    assert any("some logs fit far worse than others" in doubt and "logs[2]" in doubt for doubt in odd.doubts)
    assert "logs[2]" in str(odd)


def test_a_number_or_a_part_of_the_logs_is_spread_over_them():
    names = [f"log{k}" for k in range(10)]
    assert held_out_logs({"files": 0.2}, names) == held_out_logs("files", names) == (None, {4, 9})
    assert held_out_logs({"files": 3}, names) == (None, {3, 6, 9})
    assert held_out_logs(2.0, names) == (2.0, set())
    for wrong in (
        {"files": 10},
        {"files": 1.5},
        {"logs": 1},
        {"files": -1},
        names,
        {"files": None},
        "third",
        True,
    ):
        with pytest.raises(cf.ArgumentError, match="hold_out"):
            held_out_logs(wrong, names)


def test_folds_are_whole_logs_if_there_are_enough(arm, logs):
    """Errors left out in turn equal those of fits without each log, but for which rows are outliers."""
    logs = [*logs, recorded(arm, 6)]
    result = fitted(arm, logs, cutoff=8.0)
    alone = [fitted(arm, logs, cutoff=8.0, hold_out=[k]).held_out for k in range(len(logs))]
    squares = sum(each.rms**2 * each.rows for each in alone)
    rows = sum(each.rows for each in alone)
    np.testing.assert_allclose(result.cross_validation.rms, np.sqrt(squares / rows), rtol=1e-3)


def test_blocks_of_time_are_held_out_of_each_log(arm, logs):
    result = fitted(arm, logs[:2], hold_out=2.0)
    assert [log.held_out for log in result.logs] == [True, True]
    assert result.held_out.rows == sum(log.errors.rows for log in result.logs)


# ------------------------------------------------------------------ payload states


@pytest.fixture(scope="module")
def loaded(arm: cf.Robot) -> cf.Robot:
    return arm.with_payload(CUBE["mass"], CUBE["com"], CUBE["inertia"])


def test_a_payload_is_identified_with_the_robot(arm, loaded, logs):
    mixed = [logs[0], recorded(loaded, 1), logs[2], recorded(loaded, 3)]
    truth = (loaded.phi - arm.phi)[-10:]
    for state in ("cube", PayloadState("cube", body="link2", mass=2.8)):
        result = fitted(arm, mixed, payloads=[None, state, None, state])
        (cube,) = result.payloads
        assert np.abs((cube.values - cube.matrix @ truth) / cube.standard_errors).max() < 3
        assert np.abs(deviations(result, arm)).max() < 3.5
        assert cube.mass == pytest.approx(2.8, rel=0.01)
        assert (cube.mass_error == 0) == (not isinstance(state, str))
        np.testing.assert_allclose(cube.center[:2], truth[6:8] / truth[9], atol=0.01)
        assert result.cross_validation.total < 0.006
        assert [log.payload for log in result.logs] == [None, "cube", None, "cube"]


def test_a_payload_equals_the_difference_of_two_robots(arm, loaded, logs):
    """Base parameters of a robot with its payload, less those without, are those of the payload."""
    with_cube = [recorded(loaded, 1), recorded(loaded, 3)]
    both = fitted(arm, [logs[0], logs[2], *with_cube], payloads={2: "cube", 3: "cube"}, cutoff=8.0)
    (cube,) = both.payloads
    apart = (
        fitted(arm, with_cube, cutoff=8.0).base_values
        - fitted(arm, [logs[0], logs[2]], cutoff=8.0).base_values
    )
    phi = np.zeros(20)
    phi[10:] = np.nan_to_num(cube.phi)
    assert np.abs(both.base.matrix @ phi - apart).max() < 0.03


def test_a_given_mass_that_the_logs_contradict_is_doubted(arm, loaded, logs):
    mixed = [logs[0], recorded(loaded, 1)]
    for mass, doubted in ((2.8, False), (3.5, True)):
        result = fitted(arm, mixed, payloads={1: PayloadState("cube", mass=mass)})
        assert any("the logs weigh payload 'cube' at 2.7" in doubt for doubt in result.doubts) is doubted


def test_friction_is_chosen_as_if_payloads_were_known(arm, loaded, logs):
    mixed = [logs[0], recorded(loaded, 1)]
    result = fitted(arm, mixed, payloads={1: "cube"}, friction="auto", undetermined="prior")
    assert result.payloads[0].mass == pytest.approx(2.8, rel=0.02)
    assert result.cross_validation.total < 0.006


@pytest.mark.parametrize(
    ("payloads", "words"),
    [
        ({0: "cube", 1: "cube"}, "carries something in every log"),
        ({"logs[7]": "cube"}, "no log is named"),
        (["cube"], "1 states for 2"),
        ("cube", "expected a mapping"),
        ({0: 3}, "expected a name, a PayloadState"),
        ({0: PayloadState("cube", body="tool")}, "body with a payload"),
        ({0: "cube", -2: "ball"}, "two states"),
        ([PayloadState("cube", mass=1.0), PayloadState("cube")], "described in two ways"),
    ],
)
def test_payloads_that_cannot_be_meant_are_refused(arm, logs, payloads, words):
    with pytest.raises(cf.ClosedFormError, match=words):
        fitted(arm, logs[:2], payloads=payloads)


def test_results_of_several_logs_are_saved(arm, loaded, logs, tmp_path):
    result = fitted(arm, [logs[0], recorded(loaded, 1)], payloads=[None, "cube"], physical=True)
    result.save(tmp_path / "result.json")
    again = Identification.load(tmp_path / "result.json")
    assert [log.table() for log in again.logs] == [log.table() for log in result.logs]
    assert str(again.payloads[0]) == str(result.payloads[0])


# ------------------------------------------------------------------ broken files


def test_a_broken_file_is_named_and_the_rest_goes_on_if_asked(arm, folder):
    (folder / "run9.csv").write_text("t,q1\n1,2\n")
    (folder / "run7.npz").write_bytes(b"PK no archive")
    with pytest.raises(LogError, match=r"run7\.npz"):
        fitted(arm, folder)
    result = fitted(arm, folder, on_error="skip")
    np.testing.assert_array_equal(result.values, fitted(arm, str(folder / "run[0-5].npz")).values)
    (note,) = [note for note in result.notes if "skipped" in note]
    assert note.startswith("2 of 8 logs are skipped")
    assert "run7.npz" in note
    assert "run9.csv" in note
    with pytest.raises(LogError, match=r"none of 2 log\(s\) can be used; .*run7\.npz"):
        fitted(arm, [folder / "run7.npz", folder / "run9.csv"], on_error="skip")


def test_a_log_that_the_filters_leave_nothing_of_is_named(arm, logs):
    pieces = {name: values[(logs[0]["t"] % 2) < 0.4] for name, values in logs[0].items()}
    with pytest.raises(LogError, match=r"logs\[1\]"):
        fitted(arm, [logs[0], pieces], cutoff=8.0)
    result = fitted(arm, [logs[0], pieces], cutoff=8.0, on_error="skip")
    assert any("logs[1]" in note for note in result.notes)
    assert [log.name for log in result.logs] == ["logs[0]"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": 0.3}, r"logs\[1\].*do not move"),
        ({"q": np.nan}, r"logs\[1\].*not finite"),
        ({"q": 57.3}, r"logs\[1\]"),
        ({"t": 1e-6}, r"^logs\[1\]: 8e-09 s from row to row"),
    ],
)
def test_faults_of_one_log_are_told_with_its_name(arm, logs, change, words):
    ((name, factor),) = change.items()
    constant = 0 * logs[1][name] + factor if factor == 0.3 else logs[1][name] * factor
    with pytest.raises(LogError, match=words):
        fitted(arm, [logs[0], {**logs[1], name: constant}])


def test_logs_of_other_gears_are_refused(arm, logs):
    geared = {**logs[1], "q": logs[1]["q"] @ np.array([[1.0, 0], [1, 1]]).T}
    with pytest.raises(LogError, match=r"logs\[1\]: couplings of its gears are not those of logs\[0\]"):
        fitted(arm, [logs[0], (geared, {"reduction": [[1, 0], [1, 1]]})], plausible=False)


def test_repairs_are_told_by_log(arm, logs):
    gap = logs[1]["tau"].copy()
    gap[100] = np.nan
    result = fitted(arm, [logs[0], {**logs[1], "tau": gap}])
    assert result.logs[1].notes == ("1 row(s) with numbers that are not finite are left out",)
    assert "logs[1]: 1 row(s) with numbers that are not finite are left out" in result.notes


# ------------------------------------------------------------------ where the work is done


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers in this process, which is enough: every group is a task, and results stay on workers."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"logging.distributed": "critical", "distributed.comm.timeouts.connect": "300s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as found,
    ):
        yield found


def test_a_cluster_gives_the_same_numbers(arm, folder, loaded, client, tmp_path):
    np.savez(folder / "load.npz", **recorded(loaded, 8))
    options = {"hold_out": ["run2.npz"], "payloads": {"load.npz": "cube"}, "friction": "auto"}
    here = fitted(arm, folder, **options)
    steps: list[float] = []
    there = fitted(arm, folder, client=client, progress=lambda done, what: steps.append(done), **options)
    np.testing.assert_allclose(there.values, here.values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(there.standard_errors, here.standard_errors, rtol=1e-10)
    np.testing.assert_allclose(there.payloads[0].values, here.payloads[0].values, rtol=1e-10)
    assert [log.name for log in there.logs] == [log.name for log in here.logs]
    assert steps == sorted(steps)
    assert len(steps) > 7


def test_logs_in_memory_are_sent_to_the_cluster(arm, logs, client):
    there, here = (fitted(arm, logs[:2], client=each) for each in (client, None))
    np.testing.assert_allclose(there.values, here.values, rtol=1e-10, atol=1e-10)


def test_a_cluster_names_a_broken_file(arm, folder, client):
    (folder / "run9.csv").write_text("t,q1\n1,2\n")
    with pytest.raises(LogError, match=r"run9\.csv"):
        fitted(arm, folder, client=client)
    result = fitted(arm, folder, client=client, on_error="skip")
    assert any("run9.csv" in note for note in result.notes)


def test_the_client_that_the_user_has_started_is_taken(client):
    assert isinstance(runner_of(client, 1), Cluster)
    with client.as_current():
        assert isinstance(runner_of("current", 2), Cluster)
        assert isinstance(runner_of("current", 1), Here)
        assert isinstance(runner_of(None, 2), Here)
    for wrong in ("now", 3, type(client)):
        with pytest.raises(cf.ArgumentError, match="client"):
            runner_of(wrong, 2)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 63, 64, 65, 200])
def test_results_are_joined_in_the_same_order_everywhere(client, count):
    groups = list(range(count))

    def split(k: int) -> tuple[str, int]:
        return str(k), k

    def join(parts: Any) -> str:
        return f"({' '.join(parts)})"

    def quiet(done: float) -> None:
        assert 0 < done <= 1

    here, rests = Here().joined(split, join, groups, quiet)
    assert here.replace("(", "").replace(")", "").split() == [str(k) for k in groups]
    assert rests == groups
    if count < 64:
        there, places = Cluster(client).joined(split, join, groups, quiet)
        assert there == here
        assert client.gather(places) == groups


def test_groups_depend_on_the_number_of_logs_alone():
    for count in (1, 100, 1000, 100_000):
        groups = in_groups(range(count))
        assert [k for group in groups for k in group] == list(range(count))
        assert max(map(len, groups)) <= 16


def test_logs_that_do_not_fit_in_memory_are_read_again(arm, folder, monkeypatch):
    kept = fitted(arm, folder)
    monkeypatch.setattr("closedform.identification.workflow.identify.KEPT", 0)
    np.testing.assert_array_equal(fitted(arm, folder).values, kept.values)


# ------------------------------------------------------------------ the command line


def test_the_command_line_takes_several_logs(folder, loaded, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    np.savez("load.npz", **recorded(loaded, 8))
    options = ["--robot", "2r", "--friction", "classic", "--json", "-o", "page.html", "--no-physical"]
    options += ["--payload", "load.npz=cube:2.8", "--hold-out-files", "run1.npz"]
    code, out, err = run(capsys, "identify", "run0.npz", "run1.npz", "load.npz", *options)
    assert code == 0, err
    facts = json.loads(out)
    assert [log["held_out"] for log in facts["logs"]] == [False, True, False]
    assert facts["payloads"][0]["mass"] == 2.8
    assert facts["torque_errors"]["held out"] < 0.01
