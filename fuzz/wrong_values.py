"""Values that are wrong somewhere: each is made anew, so that a call cannot change it for the next."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np


class MineError(Exception):
    """What a function of the caller raises: it may pass through, being the caller's own."""


def raising(*_: Any, **__: Any) -> Any:
    """Raise the caller's own error."""
    raise MineError("the caller's function failed")


@cache
def folder() -> Path:
    """Return a folder with nothing in it but a pipe and a file of no use."""
    place = Path(tempfile.mkdtemp(prefix="closedform-fuzz-"))
    os.mkfifo(place / "pipe.csv")
    os.mkfifo(place / "pipe.urdf")
    (place / "noise.csv").write_bytes(bytes(range(256)) * 4)
    (place / "empty.toml").write_text("")
    return place


def nested(depth: int) -> list[Any]:
    """Return lists within lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def own() -> list[Any]:
    """Return a list that holds itself."""
    value: list[Any] = [1.0]
    value.append(value)
    return value


def read_only() -> np.ndarray:
    """Return an array that cannot be written."""
    array = np.zeros(2)
    array.flags.writeable = False
    return array


NUMBERS: dict[str, Callable[[], Any]] = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "-0.0": lambda: -0.0,
    "1": lambda: 1,
    "2": lambda: 2,
    "2.5": lambda: 2.5,
    "1e7": lambda: 10**7,
    "1e30": lambda: 10**30,
    "1e400": lambda: 10**400,
    "-1e400": lambda: -(10**400),
    "5e-324": lambda: 5e-324,
    "1e-300": lambda: 1e-300,
    "1e50": lambda: 1e50,
    "1e60": lambda: 1e60,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "True": lambda: True,
    "1j": lambda: 1j,
    "float32": lambda: np.float32(0.5),
    "float32 inf": lambda: np.float32("inf"),
    "longdouble": lambda: np.longdouble("1e4000"),
    "int64 min": lambda: np.int64(-(2**63)),
    "uint64 max": lambda: np.uint64(2**64 - 1),
    "0-d": lambda: np.array(1.0),
    "0-d nan": lambda: np.array(np.nan),
}

TEXTS: dict[str, Callable[[], Any]] = {
    "''": lambda: "",
    "'x'": lambda: "x",
    "long text": lambda: "x" * 10**6,
    "'1_0'": lambda: "1_0",
    "'nan'": lambda: "nan",
    "NUL": lambda: "a\0b",
    "surrogate": lambda: "\udcff",
    "lines": lambda: "a\nb\r\n",
    "bytes": lambda: b"ab",
    "bytearray": lambda: bytearray(b"ab"),
    "str array": lambda: np.array(["a", "b"]),
}

ARRAYS: dict[str, Callable[[], Any]] = {
    "[]": list,
    "()": tuple,
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "[nan, nan]": lambda: [float("nan")] * 2,
    "[inf, 0]": lambda: [float("inf"), 0.0],
    "[1e308]": lambda: [1e308, -1e308],
    "[1e400]": lambda: [10**400, 1],
    "[None]": lambda: [None, None],
    "['a']": lambda: ["a", "b"],
    "[True]": lambda: [True, False],
    "(0,)": lambda: np.zeros(0),
    "(0, 2)": lambda: np.zeros((0, 2)),
    "(2, 0)": lambda: np.zeros((2, 0)),
    "(3,)": lambda: np.zeros(3),
    "(2, 2)": lambda: np.eye(2),
    "(1, 1, 1, 2)": lambda: np.zeros((1, 1, 1, 2)),
    "(7, 2)": lambda: np.ones((7, 2)),
    "thirty axes": lambda: np.zeros((1,) * 30),
    "broadcast giant": lambda: np.broadcast_to(np.zeros(2), (10**9, 2)),
    "complex": lambda: np.ones(2, complex),
    "object": lambda: np.array([1.0, None], object),
    "objects": lambda: np.array([object(), object()], object),
    "structured": lambda: np.zeros(2, [("x", float)]),
    "masked": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "datetime": lambda: np.array(["2020-01-01", "2021-01-01"], "M8[D]"),
    "timedelta": lambda: np.array([1, 2], "m8[s]"),
    "memoryview": lambda: memoryview(np.zeros(2)),
    "generator": lambda: (x for x in (1.0, 2.0)),
    "range": lambda: range(2),
    "read-only": read_only,
    "strided": lambda: np.zeros(4)[::2],
    "big-endian": lambda: np.zeros(2, ">f8"),
    "float16": lambda: np.zeros(2, np.float16),
    "holds itself": own,
    "nested": lambda: nested(2000),
    "nested deeply": lambda: nested(100_000),
}

THINGS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "object": object,
    "type": lambda: MineError,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "set": lambda: {1.0, 2.0},
    "{}": dict,
    "{'q': 1}": lambda: {"q": 1},
    "{1: None}": lambda: {1: None},
    "module": lambda: os,
    "slice": lambda: slice(None),
    "exception": lambda: ValueError("x"),
}

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "raises": lambda: raising,
    "gives nan": lambda: lambda *_: float("nan"),
    "gives None": lambda: lambda *_: None,
    "gives text": lambda: lambda *_: "x",
    "gives (3,)": lambda: lambda *_: np.zeros(3),
    "gives nans": lambda: lambda *_: np.full(2, np.nan),
    "takes nothing": lambda: lambda: 0.0,
}

PATHS: dict[str, Callable[[], Any]] = {
    "missing": lambda: folder() / "missing" / "file.csv",
    "missing toml": lambda: folder() / "missing.toml",
    "folder": folder,
    "pipe": lambda: folder() / "pipe.csv",
    "pipe urdf": lambda: str(folder() / "pipe.urdf"),
    "noise": lambda: folder() / "noise.csv",
    "empty": lambda: folder() / "empty.toml",
    "device": lambda: Path(os.devnull),
    "long path": lambda: Path("x" * 5000),
    "NUL path": lambda: Path("a\0b"),
    "under a file": lambda: folder() / "noise.csv" / "x.csv",
}

WRONG: dict[str, Callable[[], Any]] = {
    f"{kind} {name}": make
    for kind, group in (
        ("number", NUMBERS),
        ("text", TEXTS),
        ("array", ARRAYS),
        ("thing", THINGS),
        ("function", FUNCTIONS),
        ("path", PATHS),
    )
    for name, make in group.items()
}
"""Everything that is put in place of an argument, by name."""

WORDS = ("", "x", "-1", "0", "1", "nan", "inf", "1e308", "5e-324", "10000000", "1_0", "1e60", "None", "٣")
"""What is put in place of an option's value on the command line, beside paths."""
