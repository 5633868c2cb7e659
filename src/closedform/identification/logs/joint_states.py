"""Joint states as ROS 2 sends them: sensor_msgs/JointState in the common data representation (CDR)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .errors import LogError

MOST_JOINTS = 10_000
"""Joints of a message."""


@dataclass(frozen=True)
class JointState:
    """One message: its stamp in nanoseconds, and numbers by joint; a quantity may have none."""

    stamp: int
    names: tuple[str, ...]
    position: tuple[float, ...]
    velocity: tuple[float, ...]
    effort: tuple[float, ...]


class Cursor:
    """Reads values one after the other, each aligned to its size as counted after the four-byte prefix."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 4
        self.order = "<" if data[1] else ">"

    def numbers(self, form: str, size: int, count: int) -> tuple[float, ...]:
        """Return some numbers of a type."""
        if not count:
            return ()
        self.at += -(self.at - 4) % size
        found = struct.unpack_from(f"{self.order}{count}{form}", self.data, self.at)
        self.at += size * count
        return found

    def count(self) -> int:
        """Return the length of what follows."""
        (count,) = self.numbers("I", 4, 1)
        if count > MOST_JOINTS:
            raise IndexError(f"{count} joints or characters in a message")
        return int(count)

    def text(self) -> str:
        """Return a text, which ends in a zero."""
        count = self.count()
        found = self.data[self.at : self.at + count]
        self.at += count
        return found.rstrip(b"\0").decode()


def joint_state(data: bytes, received: int, name: str) -> JointState:
    """Return the message in some bytes; its stamp is when it was received if it has none."""
    if len(data) < 4 or data[0] or data[1] > 1:
        raise LogError(f"{name} is not in CDR, the encoding of ROS 2; record it again")
    cursor = Cursor(data)
    (seconds,) = cursor.numbers("i", 4, 1)
    (nanoseconds,) = cursor.numbers("I", 4, 1)
    cursor.text()  # the frame
    names = tuple(cursor.text() for _ in range(cursor.count()))
    values = [cursor.numbers("d", 8, cursor.count()) for _ in range(3)]
    wrong = [len(each) for each in values if len(each) not in (0, len(names))]
    if wrong or len(set(names)) < len(names):
        what = f"{wrong[0]} numbers for {len(names)} joints" if wrong else "a joint twice"
        raise LogError(f"{name} has {what}; record joint states with a number for each joint")
    stamp = int(seconds) * 10**9 + int(nanoseconds)
    return JointState(stamp or received, names, *values)
