"""The fixed joint, which does not move: descriptions have it, models do not."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Array
from .joint import JointType
from .registry import register


@register
class Fixed(JointType):
    """No motion: the links are one body."""

    kind = "fixed"
    written: ClassVar = {}
    urdf = "fixed"

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return np.zeros((6, 0))

    @property
    def parts(self) -> tuple[JointType, ...]:
        return ()

    def problem(self) -> str | None:
        return None
