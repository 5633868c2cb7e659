"""Constants as LLVM writes them: exact, and one per lane of a register."""

from __future__ import annotations

import struct


def hexadecimal(value: float) -> str:
    """Return a double as LLVM writes it exactly."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def splat(text: str, kind: str, lanes: int) -> str:
    """Return a constant repeated over the lanes."""
    if lanes == 1:
        return text
    return "<" + ", ".join([f"{kind} {text}"] * lanes) + ">"
