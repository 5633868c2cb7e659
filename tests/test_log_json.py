"""Logs in JSON: columns, records and lines, in any order of joints; what is no log is refused by name."""

from __future__ import annotations

import json

import numpy as np
import pytest

import closedform as cf
from closedform.identification import LogError, identify, read_log
from closedform.identification.logs import json_logs

T = np.arange(200) / 50
Q = np.stack([np.sin(2 * T), np.cos(3 * T)], axis=1)
TAU = np.stack([np.sin(5 * T), T], axis=1)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def records(**more):
    rows = zip(T.tolist(), Q.tolist(), TAU.tolist(), strict=True)
    return [{"time": t, "position": q, "effort": tau, **more} for t, q, tau in rows]


def turned(rows):
    """Records that name their joints, every other one in the opposite order."""
    names = ["joint1", "joint2"]
    return [
        {
            "stamp": row["time"],
            "name": names[:: 1 - 2 * (k % 2)],
            "position": row["position"][:: 1 - 2 * (k % 2)],
            "effort": row["effort"][:: 1 - 2 * (k % 2)],
        }
        for k, row in enumerate(rows)
    ]


WAYS = {
    "columns": {"time": T.tolist(), "q": Q.tolist(), "tau": TAU.tolist()},
    "a column per joint": {
        "time": T.tolist(),
        **{f"q{j + 1}": Q[:, j].tolist() for j in range(2)},
        **{f"tau{j + 1}": TAU[:, j].tolist() for j in range(2)},
    },
    "records": records(),
    "records beside facts": {
        "robot": "2r",
        "rate": 50,
        "data": records(frame="base", ok=True, pose={"x": 1}),
    },
    "records that name their joints": turned(records()),
    "columns of named joints": {
        "joint_names": ["joint2", "joint1"],
        "timestamp": T.tolist(),
        "positions": Q[:, ::-1].tolist(),
        "efforts": TAU[:, ::-1].tolist(),
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_a_log_in_json_is_read(arm, tmp_path, way):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(WAYS[way]), encoding="utf-8")
    log = read_log(path, arm)
    assert np.array_equal(log.time, T)
    assert np.array_equal(log.position, Q)
    assert np.array_equal(log.effort, TAU)


def test_a_record_to_a_line_is_read(arm, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, records())) + "\n\n", encoding="utf-8")
    assert np.array_equal(read_log(path, arm).position, Q)


def test_numbers_that_are_missing_are_left_out(arm, tmp_path):
    """Null, an entry that a record lacks, and NaN as Python writes it."""
    rows = records()
    rows[20]["position"][0] = None
    del rows[60]["effort"]
    rows[90]["effort"][1] = float("nan")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    log = read_log(path, arm, missing="drop")
    assert len(log) == len(T) - 3
    assert "not finite" in log.notes[0]


def test_a_folder_of_logs_may_hold_settings_in_json(arm, tmp_path):
    for k in range(2):
        np.savez(tmp_path / f"run{k}.npz", time=np.arange(3000) / 250, **_motion(arm, k))
    (tmp_path / "settings.json").write_text('{"operator": "A"}', encoding="utf-8")
    result = identify(arm, tmp_path, friction=None, physical=False)
    assert [log.name.rsplit("/", 1)[-1] for log in result.logs] == ["run0.npz", "run1.npz"]


def _motion(arm, seed):
    t = np.arange(3000) / 250
    w = 2 * np.pi * np.array([0.3, 0.7, 1.1])
    a = np.random.default_rng(seed).normal(size=(3, 2))
    q, qd, qdd = (
        np.sin(np.outer(t, w)) @ a,
        (np.cos(np.outer(t, w)) * w) @ a,
        -(np.sin(np.outer(t, w)) * w**2) @ a,
    )
    return {"q": q, "tau": arm.inverse_dynamics(q, qd, qdd)}


REFUSED = {
    "no JSON": ("{", "not JSON"),
    "bytes": (b"\x00\xff{}", "not JSON"),
    "a number": ("1.5", "expected a mapping"),
    "a list of numbers": ("[1, 2]", "expected a mapping"),
    "texts": ('{"time": "now"}', "0 columns of numbers"),
    "nested for ever": ("[" * 100_000, "not JSON"),
    "a name twice": ('{"q": [1], "q": [2]}', "'q' appears twice"),
    "rows of two lengths": ('{"time": [0, 1], "q": [[1, 2], [1]]}', "'q' has rows of 1 and of 2"),
    "records of two lengths": ('[{"q": [1, 2]}, {"q": [1]}]', "'q' has rows of 1 and of 2"),
    "other joints": ('[{"name": ["a"], "q": [1]}, {"name": ["b"], "q": [1]}]', "record 1 has the joints b"),
    "columns of a joint twice": ('{"names": ["a", "a"], "q": [[1, 2]]}', "one of them twice"),
    "a number among lists": ('[{"q": 1}, {"q": [1]}, {"t": 2}]', "no column of effort"),
    "an integer beyond floats": (f'{{"time": [{10**400}], "q": [{10**400}]}}', "0 columns of numbers"),
    "a joint twice": ('[{"name": ["a", "a"], "q": [1, 2]}]', "record 0 has the joints a, a"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_log_is_refused_by_name(arm, tmp_path, what):
    content, words = REFUSED[what]
    path = tmp_path / "log.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(LogError, match=words) as caught:
        read_log(path, arm)
    assert "log.json" in str(caught.value)


def test_names_that_differ_in_every_record_do_not_multiply(arm, tmp_path):
    """Ten thousand records with a name each would be a hundred million entries."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{f"x{k}": 1} for k in range(10_000)]), encoding="utf-8")
    with pytest.raises(LogError, match="10000 records with 10000 names"):
        read_log(path, arm)


def test_a_file_that_is_too_large_is_refused(arm, tmp_path, monkeypatch):
    monkeypatch.setattr(json_logs, "LARGEST_JSON", 10)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(WAYS["columns"]), encoding="utf-8")
    with pytest.raises(LogError, match="limit is 10; cut it into parts"):
        read_log(path, arm)
