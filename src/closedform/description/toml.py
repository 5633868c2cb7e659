"""TOML tables whose readers collect problems, as `xml.Element` does for XML."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import DescriptionError, shown
from ..rotations import pose, rotation_rpy

MAX_BYTES = 4 * 2**20
"""Size of a TOML file."""

MAX_PARTS = 20
"""Parts of one dotted key; tomllib's time grows with their square."""

STRING = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"""|'
    r"'''(?:[^']|'(?!''))*+'''|"
    r'"(?!"")(?:[^"\\\n]|\\.)*+"|'
    r"'(?!'')[^'\n]*+'"
)
OPENING = re.compile(r"""["'#]""")
LONG_KEY = re.compile(rf"(?<![\w.-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_PARTS}}}")


def load_toml(data: bytes, source: str) -> dict[str, Any]:
    """Return the content of a TOML text, or raise an error that names file and line."""
    if len(data) > MAX_BYTES:
        raise DescriptionError(source, [f"file has {len(data)} bytes; the limit is {MAX_BYTES}"])
    try:
        text = data.decode("utf-8-sig")
        line = _long_key(text)
        if line:
            raise ValueError(f"a key of more than {MAX_PARTS} parts (at line {line})")
        return tomllib.loads(text)
    except RecursionError:
        raise DescriptionError(source, ["not TOML: nested too deeply"]) from None
    except (UnicodeDecodeError, ValueError) as error:  # ValueError: also a whole number of many digits
        raise DescriptionError(source, [f"not TOML: {error}"]) from None


def _long_key(text: str) -> int:
    """Return the line of a key with too many parts, 0 if there is none."""
    bare: list[str] = []
    at = 0
    while (opening := OPENING.search(text, at)) is not None:
        bare.append(text[at : opening.start()])
        if opening[0] == "#":
            end = text.find("\n", opening.start())
        else:
            string = STRING.match(text, opening.start())
            end = string.end() if string else -1
            bare.append("s" + "\n" * text.count("\n", opening.start(), max(end, 0)))
        if end < 0:
            at = len(text)
            break
        at = end
    bare.append(text[at:])
    plain = "".join(bare)
    found = LONG_KEY.search(plain)
    return plain.count("\n", 0, found.start()) + 1 if found else 0


class Table:
    """A TOML table with its readable address; `refuse_unread` reports the keys that nothing has read.

    What cannot be read is returned as "" or as ones, which give rise to no further problem.
    """

    def __init__(self, data: dict[str, Any], address: str, problems: list[str]) -> None:
        self.data, self.address, self.problems = dict(data), address, problems

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def problem(self, text: str) -> None:
        """Add a problem of this table to the list."""
        self.problems.append(f"{self.address}: {text}")

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.data.pop(key, None)
        if not isinstance(value, str) or not value.strip():
            self.problem(f"{key} should be a text; found {shown(value)}")
            return ""
        return value

    def texts(self, key: str, count: int) -> list[str] | None:
        """Return `count` texts, or None if the key is absent."""
        value = self.data.pop(key, None)
        if value is None:
            return None
        if isinstance(value, list) and len(value) == count and all(isinstance(item, str) for item in value):
            return value
        self.problem(f"{key} should be {count} texts")
        return None

    def names(self, key: str) -> list[str]:
        """Return any number of texts, none if the key is absent."""
        value = self.data.pop(key, [])
        if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return value
        self.problem(f"{key} should be a list of texts; found {shown(value)}")
        return []

    def flag(self, key: str) -> bool:
        """Return true or false, false if the key is absent."""
        value = self.data.pop(key, False)
        if not isinstance(value, bool):
            self.problem(f"{key} should be true or false; found {shown(value)}")
        return value is True

    def numbers(
        self,
        key: str,
        shape: tuple[int | None, ...],
        default: ArrayLike | None = None,
        infinite: bool = False,
    ) -> Array:
        """Return an array of that shape, None for any length of at least one."""
        value = self.data.pop(key, None)
        if value is None and default is not None:
            return np.array(default, dtype=float)
        if value is None:
            self.problem(f"{key} is missing")
            return np.ones([1 if n is None else n for n in shape])
        try:
            array = np.array(_numbers(value, len(shape)), dtype=float)
        except (TypeError, ValueError, OverflowError):
            array = np.full(1, np.nan)
        fits = len(array.shape) == len(shape) and all(
            n == m if n is not None else m > 0 for n, m in zip(shape, array.shape, strict=True)
        )
        if fits and (np.isfinite(array) | (infinite & np.isinf(array))).all():
            return array
        size = " x ".join("n" if n is None else str(n) for n in shape) or "one"
        self.problem(f"{key} should be {size} {'' if infinite else 'finite '}number(s); found {shown(value)}")
        return np.ones([1 if n is None else n for n in shape])

    def number(self, key: str, default: float | None = None, infinite: bool = False) -> float:
        """Return one number."""
        return float(self.numbers(key, (), default, infinite))

    def whole_numbers(self, key: str, count: int) -> list[int]:
        """Return `count` whole numbers, written as such."""
        value = self.data.pop(key, None)
        if isinstance(value, list) and len(value) == count and all(type(item) is int for item in value):
            return value
        self.problem(f"{key} should be {count} whole number(s); found {shown(value)}")
        return [-1] * count

    def pose(self) -> Array:
        """Return the 4x4 pose of `xyz`, and `rpy` in degrees or a `rotation` matrix."""
        xyz = self.numbers("xyz", (3,), (0, 0, 0))
        if "rotation" in self:
            return pose(self.numbers("rotation", (3, 3)), xyz)
        rpy = np.deg2rad(self.numbers("rpy", (3,), (0, 0, 0)))
        return pose(rotation_rpy(rpy), xyz)

    def tables(self, key: str) -> list[Table]:
        """Return the tables under a key, each addressed by its name or number."""
        value = self.data.pop(key, [])
        items = [value] if isinstance(value, dict) else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            self.problem(f"{key} should hold tables")
            return []
        return [
            Table(item, f"{key} {shown(item.get('name', k + 1))}", self.problems)
            for k, item in enumerate(items)
        ]

    def refuse_unread(self) -> None:
        """Add a problem for each key that nothing has read."""
        for key in self.data:
            self.problem(f"unknown key {shown(key)}")


def _numbers(value: Any, depth: int) -> Any:
    """Return numbers in lists of that depth, or raise ValueError: NumPy alone takes texts and booleans."""
    if depth:
        if not isinstance(value, list):
            raise ValueError(value)
        return [_numbers(item, depth - 1) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("no number")
    return float(value)
