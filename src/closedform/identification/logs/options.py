"""The options of reading a log, for every function that takes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike


class ReadingOptions(TypedDict, total=False):
    """Options of `read_log`, which says what they mean; `identify` and its relatives pass them on."""

    columns: Mapping[str, Any] | None
    units: Mapping[str, str] | None
    rate: float | None
    reduction: ArrayLike | None
    offset: ArrayLike | None
    gain: ArrayLike | None
    motor_positions: bool
    missing: str
