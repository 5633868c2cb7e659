"""What a form asks of its owner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Need:
    """Something a form asks of its owner: `check(model, what)` raises an error if the model lacks it.

    A need of `values` does not apply if numbers of the owner are inputs: they come with each call.
    """

    check: Callable[[Any, str], None]
    values: bool = False
