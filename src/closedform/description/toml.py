"""TOML tables whose readers collect problems, as `xml.Element` does for XML."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DescriptionError
from .rotations import pose, rotation_rpy

Array = NDArray[np.float64]


def load_toml(data: bytes, source: str) -> dict[str, Any]:
    """Return the content of a TOML text, or raise an error that names file and line."""
    try:
        return tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise DescriptionError(source, [f"not TOML: {error}"]) from None


class Table:
    """A TOML table with its readable address; `close` reports the keys that nothing has read.

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
            self.problem(f"{key} should be a text; found {value!r}")
            return ""
        return value

    def texts(self, key: str, count: int) -> list[str] | None:
        """Return `count` texts, or None where the key is absent."""
        value = self.data.pop(key, None)
        if value is None:
            return None
        if isinstance(value, list) and len(value) == count and all(isinstance(item, str) for item in value):
            return value
        self.problem(f"{key} should be {count} texts")
        return None

    def flag(self, key: str) -> bool:
        """Return true or false, false where the key is absent."""
        value = self.data.pop(key, False)
        if not isinstance(value, bool):
            self.problem(f"{key} should be true or false; found {value!r}")
        return value is True

    def numbers(
        self,
        key: str,
        shape: tuple[int | None, ...],
        default: ArrayLike | None = None,
        infinite: bool = False,
    ) -> Array:
        """Return an array of that shape, None standing for any length of at least one."""
        value = self.data.pop(key, default)
        if value is None:
            self.problem(f"{key} is missing")
            return np.ones([1 if n is None else n for n in shape])
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            array = np.full(1, np.nan)
        fits = len(array.shape) == len(shape) and all(
            n == m if n is not None else m > 0 for n, m in zip(shape, array.shape, strict=True)
        )
        if fits and (np.isfinite(array) | (infinite & np.isinf(array))).all():
            return array
        size = " x ".join("n" if n is None else str(n) for n in shape) or "one"
        self.problem(f"{key} should be {size} {'' if infinite else 'finite '}number(s)")
        return np.ones([1 if n is None else n for n in shape])

    def number(self, key: str, default: float | None = None, infinite: bool = False) -> float:
        """Return one number."""
        return float(self.numbers(key, (), default, infinite))

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
            Table(item, f"{key} {item.get('name', k + 1)!r}", self.problems) for k, item in enumerate(items)
        ]

    def close(self) -> None:
        """Report the keys that nothing has read."""
        for key in self.data:
            self.problem(f"unknown key {key!r}")
