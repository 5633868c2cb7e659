"""Where XLA keeps what our machine code reads of a call: the structures of its C interface, version 0.

The offsets are those of `xla/ffi/api/c_api.h`, which comes with JAX, on machines of 64 bits. XLA puts its own
size into every structure, and refuses handlers of another major version; both are compared before anything
is read (`xla_handler.py`).
"""

from __future__ import annotations

MAJOR = 0
"""The version of the interface whose structures these are; minor versions only add fields at the end."""

FRAME = {
    "extension": 8,
    "api": 16,
    "context": 24,
    "stage": 32,
    "inputs": 40,
    "outputs": 80,
    "attributes": 120,
}
"""Offsets in a call: what is asked besides, XLA's functions, what they know a call by, the stage, then three
structures."""

FRAME_SIZE = 168
"""Bytes of a call, up to the end of its attributes."""

LIST = {"size": 0, "count": 16, "items": 32}
"""Offsets in the structures of inputs and outputs."""

LIST_SIZE = 40
"""Bytes of such a structure."""

BUFFER = {"size": 0, "dtype": 16, "data": 24, "rank": 32, "dims": 40}
"""Offsets in an array."""

BUFFER_SIZE = 48
"""Bytes of an array's structure."""

EXECUTE = 3
"""The stage in which arrays are there to be computed."""

EXTENSION = {"type": 8, "metadata": 24}
"""Offsets in what is asked besides."""

METADATA = 1
"""The type of the question which version a handler follows."""

ANSWER = {"major": 24, "minor": 28, "traits": 32}
"""Offsets in the answer to that question; XLA has zeroed the fields after these."""

ERROR_CREATE = 48
"""Offset of the function that makes errors, among XLA's functions."""

ERROR = {"size": 0, "extension": 8, "message": 16, "code": 24}
"""Offsets in the arguments of that function."""

ERROR_SIZE = 28
"""Bytes of these arguments."""

INVALID_ARGUMENT = 3
"""The code of errors about arguments."""

INTERNAL = 13
"""The code of errors of a device."""

STREAM_GET = 80
"""Offset of the function that tells the stream of a call on a GPU, among XLA's functions."""

STREAM = {"size": 0, "extension": 8, "context": 16, "stream": 24}
"""Offsets in the arguments of that function."""

STREAM_SIZE = 32
"""Bytes of these arguments."""

CAPTURABLE = 1
"""The trait of handlers whose launches XLA may keep in a graph and run again."""

DTYPES = {"float32": 11, "float64": 12}
"""Numbers of the precisions."""
