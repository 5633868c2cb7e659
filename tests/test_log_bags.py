"""Bags of ROS 2: joint states by joint name, whatever file they are in; damaged ones are named."""

from __future__ import annotations

import os
import sqlite3
import struct

import numpy as np
import pytest

import closedform as cf
from closedform.identification import LogError, read_log
from closedform.identification.logs import errors
from closedform.identification.logs.joint_states import JointState, joint_state

T = np.arange(200) / 250
Q = np.stack([np.sin(T) + np.sin(2.7 * T), np.cos(1.3 * T)], axis=1)
TAU = np.stack([np.sin(3 * T), np.cos(T)], axis=1)
STATES = "sensor_msgs/msg/JointState"


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def message(stamp, names, position, velocity, effort):
    """Return a joint state in little-endian CDR, written value by value."""
    data = bytearray(struct.pack("<iI", stamp // 10**9, stamp % 10**9))

    def put(form, value):
        data.extend(bytes(-len(data) % struct.calcsize(form)))
        data.extend(struct.pack("<" + form, value))

    def text(value):
        put("I", len(value) + 1)
        data.extend(value.encode() + b"\0")

    text("")
    put("I", len(names))
    for name in names:
        text(name)
    for values in (position, velocity, effort):
        put("I", len(values))
        for value in values:
            put("d", value)
    return b"\0\1\0\0" + bytes(data)


def states(start=1_700_000_000 * 10**9, names=("joint2", "gripper", "joint1")):
    """Return the log as messages: other joints between, another order, an epoch's clock."""
    return [
        (
            start + 4_000_000 * k,
            message(start + 4_000_000 * k, names, [Q[k, 1], 7.0, Q[k, 0]], [], [TAU[k, 1], 0.0, TAU[k, 0]]),
        )
        for k in range(len(T))
    ]


def record(kind, content):
    return struct.pack("<BQ", kind, len(content)) + content


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def channel(number, topic):
    return record(4, struct.pack("<HH", number, 1) + text(topic) + text("cdr") + text(""))


def mcap(topics, packing=None, size=None):
    body = record(3, struct.pack("<H", 1) + text(STATES) + text("ros2msg") + text(""))
    for number, (topic, messages) in enumerate(topics.items()):
        body += channel(number, topic)
        for received, data in messages:
            body += record(5, struct.pack("<HIQQ", number, 0, received, received) + data)
    if packing is not None:
        length = len(body) if size is None else size
        start = struct.pack("<QQQI", 0, 0, length, 0) + text(packing)
        body = record(6, start + struct.pack("<Q", len(body)) + body)
    return b"\x89MCAP0\r\n" + record(1, text("ros2") + text("")) + body + record(15, bytes(4))


def database(path, topics):
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE topics (id INTEGER, name TEXT, type TEXT, serialization_format TEXT)")
    link.execute("CREATE TABLE messages (id INTEGER, topic_id INTEGER, timestamp INTEGER, data BLOB)")
    for number, (topic, messages) in enumerate(topics.items()):
        link.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr')", (number, topic, STATES))
        rows = [(number, received, data) for received, data in messages]
        link.executemany("INSERT INTO messages VALUES (0, ?, ?, ?)", rows)
    link.execute("INSERT INTO topics VALUES (99, '/chatter', 'std_msgs/msg/String', 'cdr')")
    link.execute("INSERT INTO messages VALUES (0, 99, 0, ?)", (b"\0\1\0\0",))
    link.commit()
    link.close()
    return path


def same(log):
    assert np.array_equal(log.time, T)
    assert np.array_equal(log.samples().position, Q)
    assert np.array_equal(log.samples().effort, TAU)


@pytest.mark.parametrize(
    "data",
    [  # as another library writes it, in both byte orders
        "0001000007000000fa0000000500000062617365000000000200000002000000610000000600000065"
        "6c626f7700000002000000000000000000e03f00000000000000c00000000002000000000000000000f03f"
        "0000000000000840",
        "0000000000000007000000fa0000000562617365000000000000000200000002610000000000000665"
        "6c626f77000000000000023fe0000000000000c00000000000000000000000000000023ff0000000000000"
        "4008000000000000",
    ],
)
def test_joint_states_are_read_as_they_were_sent(data):
    expected = JointState(7 * 10**9 + 250, ("a", "elbow"), (0.5, -2.0), (), (1.0, 3.0))
    assert joint_state(bytes.fromhex(data), 0, "message") == expected


def test_bags_give_the_joints_by_name(arm, tmp_path):
    topics = {"/joint_states": states()}
    same(read_log(database(tmp_path / "log.db3", topics), arm))
    for packing in (None, ""):
        (tmp_path / "log.mcap").write_bytes(mcap(topics, packing))
        same(read_log(tmp_path / "log.mcap", arm))
    bag = tmp_path / "bag"
    bag.mkdir()
    for part, rows in enumerate((slice(None, 90), slice(90, None))):
        (bag / f"bag_{part}.mcap").write_bytes(mcap({"/joint_states": states()[rows]}))
    same(read_log(bag, arm))
    (tmp_path / "unstamped.mcap").write_bytes(
        mcap({"/joint_states": [(k + 5, data[:4] + bytes(8) + data[12:]) for k, data in states()]})
    )
    same(read_log(tmp_path / "unstamped.mcap", arm))


@pytest.mark.parametrize("packing", ["lz4", "zstd"])
def test_packed_bags_as_another_library_writes_them(arm, tmp_path, packing):
    writer = pytest.importorskip("mcap.writer")
    with (tmp_path / "log.mcap").open("wb") as file:
        bag = writer.Writer(file, compression=writer.CompressionType[packing.upper()], chunk_size=4000)
        bag.start("ros2", "test")
        number = bag.register_channel("/joint_states", "cdr", bag.register_schema(STATES, "ros2msg", b""))
        for received, data in states():
            bag.add_message(number, received, data, received)
        bag.finish()
    same(read_log(tmp_path / "log.mcap", arm))


def test_the_topic_and_the_messages_of_the_robot_are_chosen(arm, tmp_path):
    path = tmp_path / "log.mcap"
    hand = [(k, message(k, ["finger"], [0.0], [], [0.0])) for k, _ in states()]
    path.write_bytes(mcap({"/a": states() + hand, "/b": hand}))
    same(read_log(path, arm, topic="/a"))
    with pytest.raises(LogError, match=r"log.mcap: joint states on the topics /a, /b; say topic='/a'"):
        read_log(path, arm)
    with pytest.raises(LogError, match=r"no message of .* on topic '/c'; there are /a, /b"):
        read_log(path, arm, topic="/c")
    with pytest.raises(cf.ArgumentError, match="topic is 5"):
        read_log(path, arm, topic=5)
    single = [(k, message(k, [name], [0.0], [], [0.0])) for k, _ in states() for name in ("joint1", "joint2")]
    path.write_bytes(mcap({"/a": single}))
    with pytest.raises(LogError, match="'joint1' and 'joint2' come in different messages"):
        read_log(path, arm)
    bare = [(k, message(k, ["joint1", "joint2"], [0.0, 1.0], [], [])) for k, _ in states()]
    path.write_bytes(mcap({"/a": bare}))
    with pytest.raises(LogError, match=r"log.mcap: no column of effort"):
        read_log(path, arm)


GOOD = mcap({"/a": states()})
ONE = states()[0][1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an MCAP file"),
        (GOOD[:-400], "damaged bag"),
        (GOOD[:8] + struct.pack("<BQ", 3, 2**63), "ends within a record"),
        (mcap({}), "no message of"),
        (mcap({"/a": [(0, b"")]}), "message 1 is not in CDR"),
        (mcap({"/a": [(0, ONE[:60])]}), "damaged bag"),
        (mcap({"/a": [(0, ONE[:12] + b"\xff" * 4 + ONE[16:])]}), "4294967295 joints or characters"),
        (mcap({"/a": [(0, message(1, ["a", "b"], [0.0], [], []))]}), "1 numbers for 2 joints"),
        (mcap({"/a": [(0, message(1, ["a", "a"], [], [], []))]}), "a joint twice"),
        (mcap({"/a": states()}, "brotli"), "packed by 'brotli'"),
        (mcap({"/a": states()}, "zstd", 2**40), "bytes unpacked"),
    ],
)
def test_damaged_bags_are_named(arm, tmp_path, content, words):
    path = tmp_path / "log.mcap"
    path.write_bytes(content)
    with pytest.raises(LogError, match=rf"log\.mcap.*{words}"):
        read_log(path, arm)


def test_bags_that_are_none(arm, tmp_path, monkeypatch):
    with pytest.raises(LogError, match=r"without \.mcap or \.db3 files"):
        read_log(tmp_path, arm)
    with pytest.raises(LogError, match="no such file"):
        read_log(tmp_path / "none.mcap", arm)
    (tmp_path / "text.db3").write_text("no database, but long enough to be looked at" * 50)
    with pytest.raises(LogError, match=r"text\.db3: damaged bag"):
        read_log(tmp_path / "text.db3", arm)
    link = sqlite3.connect(tmp_path / "other.db3")
    link.execute("CREATE TABLE topics (id)")
    link.execute("CREATE VIEW messages AS SELECT 1")
    link.close()
    with pytest.raises(LogError, match="not of a ROS 2 bag"):
        read_log(tmp_path / "other.db3", arm)
    os.mkfifo(tmp_path / "pipe.mcap")
    with pytest.raises(LogError, match="not a regular file"):
        read_log(tmp_path / "pipe.mcap", arm)
    (tmp_path / "log.mcap").write_bytes(GOOD)
    monkeypatch.setattr(errors, "LARGEST_TEXT", 1000)
    with pytest.raises(LogError, match="at most 1000 of 1000 bytes"):
        read_log(tmp_path / "log.mcap", arm)
