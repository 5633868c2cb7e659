"""Constants as LLVM writes them: exact, and one per lane of a register."""

from __future__ import annotations

import struct

import numpy as np


def constant(value: float, real: str, lanes: int) -> str:
    """Return a number of type "double" or "float", repeated over the lanes."""
    return repeated(hexadecimal(value if real == "double" else float(np.float32(value))), real, lanes)


def repeated(text: str, kind: str, lanes: int) -> str:
    """Return a constant repeated over the lanes: a vector, or itself if there is one lane."""
    return text if lanes == 1 else "<" + ", ".join([f"{kind} {text}"] * lanes) + ">"


def hexadecimal(value: float) -> str:
    """Return the bits of a double, by which LLVM writes numbers of both types exactly."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"
