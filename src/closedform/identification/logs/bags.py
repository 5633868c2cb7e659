"""ROS 2 bags of a log: the joint states in MCAP and SQLite files, by the names of their joints."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, ClosedFormError, listed, shorten, shown
from ...files import is_folder, read_start
from . import errors
from .errors import LogError, LogTable
from .joint_states import JointState, joint_state

SUFFIXES = (".mcap", ".db3")
JOINT_STATE = "sensor_msgs/msg/JointState"
MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 3, 4, 5, 6, 15
"""Kinds of records in an MCAP file."""

MOST_FILES = 1000
"""Files of a bag."""


@dataclass(frozen=True)
class Message:
    """A message as it was recorded: its topic, when it was received in nanoseconds, and its bytes."""

    topic: str
    received: int
    data: bytes


def read_bag(path: Path, topic: str | None = None, joints: Sequence[str] = ()) -> LogTable:
    """Return the joint states in a bag, a file or a folder of files, as columns; time is from the first on.

    If there are joint states on several topics, `topic` says which. Of messages about different joints
    those are read that have `joints`.
    """
    if topic is not None and not isinstance(topic, str):
        raise ArgumentError(f"topic is {shown(topic)}; expected the name of a topic")
    files = sorted(each for each in path.iterdir() if each.suffix in SUFFIXES) if is_folder(path) else [path]
    if not files:
        raise LogError(f"{path}: a folder without .mcap or .db3 files; give the folder of a ROS 2 bag")
    size = sum(_size(each) for each in files[:MOST_FILES])
    if len(files) > MOST_FILES or size > errors.LARGEST_TEXT:
        raise LogError(
            f"{path}: {len(files)} files of {size} bytes; at most {MOST_FILES} of {errors.LARGEST_TEXT} "
            "bytes are read. Cut the bag by `ros2 bag convert`"
        )
    states: dict[str, list[JointState]] = {}
    for file in files:
        read = _mcap if file.suffix.lower() == ".mcap" else _sqlite
        try:
            for count, message in enumerate(read(file)):
                state = joint_state(message.data, message.received, f"{file}: message {count + 1}")
                states.setdefault(message.topic, []).append(state)
        except (struct.error, IndexError, OverflowError, UnicodeDecodeError, sqlite3.Error) as error:
            raise LogError(f"{file}: damaged bag ({shorten(str(error), 120)}); record it again") from None
    if topic is None and len(states) > 1:
        raise LogError(
            f"{path}: joint states on the topics {listed(sorted(states), 8)}; say topic={shown(min(states))}"
        )
    if not states or (topic is not None and topic not in states):
        where = f" on topic {shown(topic)}; there are {listed(sorted(states), 8) or 'none'}" if topic else ""
        raise LogError(f"{path}: no message of {JOINT_STATE}{where}; record the topic of the joint states")
    return _table(states[next(iter(states)) if topic is None else topic], joints, path)


def _size(path: Path) -> int:
    try:
        return read_start(path, 1)[1]
    except ClosedFormError as error:
        raise LogError(f"{str(path)!r}: {error}; give the path of a log") from None


def _table(states: Iterable[JointState], joints: Sequence[str], path: Path) -> LogTable:
    """Return the messages about the robot's joints as columns."""
    groups: dict[tuple[str, ...], list[JointState]] = {}
    for state in states:
        groups.setdefault(tuple(sorted(state.names)), []).append(state)
    about = {names: sorted(set(names) & set(joints)) for names in groups}
    chosen = max(groups, key=lambda names: (len(about[names]), len(groups[names])))
    others = [name for names in groups for name in about[names] if name not in about[chosen]]
    if others:
        raise LogError(
            f"{path}: joints {shown(about[chosen][0])} and {shown(others[0])} come in different messages; "
            "record joint states that hold all joints"
        )
    rows = sorted(groups[chosen], key=lambda state: state.stamp)
    table: LogTable = {"time": np.array([state.stamp - rows[0].stamp for state in rows]) / 1e9}
    for quantity in ("position", "velocity", "effort"):
        lengths = {len(getattr(state, quantity)) for state in rows}
        if len(lengths) > 1:
            raise LogError(
                f"{path}: {quantity} is missing in some messages and given in others; record it in all"
            )
        if lengths != {0}:
            for name in chosen:
                table[f"{name} {quantity}"] = np.array(
                    [getattr(state, quantity)[state.names.index(name)] for state in rows]
                )
    return table


def _sqlite(path: Path) -> Iterator[Message]:
    """Give the joint states in an SQLite file of a bag."""
    link = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        link.execute("PRAGMA trusted_schema = OFF")
        known = dict(link.execute("SELECT name, type FROM sqlite_master"))
        if known.get("messages") != "table" or known.get("topics") != "table":  # a view may never end
            raise LogError(f"{path}: an SQLite file, but not of a ROS 2 bag; give the folder of the bag")
        topics = {
            number: str(name)
            for number, name in link.execute("SELECT id, name FROM topics WHERE type = ?", (JOINT_STATE,))
        }
        for number, received, data in link.execute("SELECT topic_id, timestamp, data FROM messages"):
            if number in topics:
                if not isinstance(received, int) or not isinstance(data, bytes):
                    raise LogError(f"{path}: a message without a time or bytes; record it again")
                yield Message(topics[number], received, data)
    finally:
        link.close()


def _mcap(path: Path) -> Iterator[Message]:
    """Give the joint states in an MCAP file."""
    data = path.read_bytes()
    if data[:8] != MAGIC:
        raise LogError(f"{path}: not an MCAP file; is it complete?")
    schemas: dict[int, str] = {}
    topics: dict[int, str] = {}
    unpacked = 0
    for kind, record in _records(memoryview(data)[8:]):
        inner: Iterable[tuple[int, memoryview]] = [(kind, record)]
        if kind == CHUNK:
            chunk = _chunk(record, errors.LARGEST_TEXT - unpacked, path)
            unpacked += len(chunk)
            inner = _records(chunk)
        for what, content in inner:
            if what == SCHEMA:
                schemas[_number(content, "<H", 0)] = _text(content, 2)[0]
            elif what == CHANNEL:
                number, schema = struct.unpack_from("<HH", content)
                name, end = _text(content, 4)
                if schemas.get(schema) == JOINT_STATE and _text(content, end)[0] == "cdr":
                    topics[number] = name
            elif what == MESSAGE and (number := _number(content, "<H", 0)) in topics:
                yield Message(topics[number], _number(content, "<Q", 6), bytes(content[22:]))


def _records(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Give the records of an MCAP file or chunk, up to the end of the data."""
    at = 0
    while at + 9 <= len(data):
        kind, size = struct.unpack_from("<BQ", data, at)
        if kind == DATA_END:
            return
        if at + 9 + size > len(data):
            raise IndexError("it ends within a record")
        yield kind, data[at + 9 : at + 9 + size]
        at += 9 + size


def _chunk(record: memoryview, most: int, path: Path) -> memoryview:
    """Return the records in a chunk, of at most so many bytes."""
    size = _number(record, "<Q", 16)
    method, at = _text(record, 28)
    packed = record[at + 8 : at + 8 + _number(record, "<Q", at)]
    if size > most:
        raise LogError(
            f"{path}: more than {errors.LARGEST_TEXT} bytes unpacked; cut the bag by `ros2 bag convert`"
        )
    if not method:
        return packed
    found = _unpack(method, packed, size, path)
    if len(found) != size:
        raise IndexError(f"a chunk of {size} bytes unpacks to others")
    return memoryview(found)


def _unpack(method: str, packed: memoryview, size: int, path: Path) -> bytes:
    """Return what was packed, at most one byte more than `size`."""
    try:
        if method == "lz4":
            from lz4.frame import LZ4FrameDecompressor  # noqa: PLC0415 (an extra)

            lz4: Any = LZ4FrameDecompressor()
            return bytes(lz4.decompress(bytes(packed), max_length=size + 1))
        if method == "zstd":
            from zstandard import ZstdDecompressor  # noqa: PLC0415 (an extra)

            with ZstdDecompressor(max_window_size=2**27).stream_reader(bytes(packed)) as stream:
                return bytes(stream.read(size + 1))
    except ImportError:
        raise ClosedFormError(
            f"{path}: reading MCAP packed by {method} needs lz4 and zstandard; install closedform[bags]"
        ) from None
    except Exception as error:  # each library has errors of its own
        raise LogError(f"{path}: damaged chunk ({shorten(str(error), 120)}); record it again") from None
    raise LogError(f"{path}: packed by {shown(method)}; expected lz4, zstd or nothing")


def _number(data: memoryview, form: str, at: int) -> int:
    return int(struct.unpack_from(form, data, at)[0])


def _text(data: memoryview, at: int) -> tuple[str, int]:
    """Return a text with its length in front, and where it ends."""
    end = at + 4 + _number(data, "<I", at)
    return bytes(data[at + 4 : end]).decode(), end
