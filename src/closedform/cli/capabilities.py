"""What optional libraries are for, and which of them are installed. Their versions are read, not imported."""

from __future__ import annotations

import re
from importlib import metadata
from typing import NamedTuple


class Capability(NamedTuple):
    """What can be done with optional libraries, and what pip installs for it."""

    what: str
    needs: tuple[str, ...]
    install: str


CAPABILITIES = (
    Capability("MJCF files", ("mujoco>=3.3.4",), "closedform[mjcf]"),
    Capability("logs in Parquet files", ("pyarrow>=15",), "closedform[identification]"),
    Capability("arrays of dask and clusters", ("dask>=2024.8", "distributed>=2024.8"), "closedform[dask]"),
    Capability("arrays of PyTorch", ("torch>=2.6",), "'torch>=2.6'"),
    Capability("arrays of JAX", ("jax>=0.5",), "'jax>=0.5'"),
    Capability("arrays of CuPy", ("cupy>=13.6",), "'cupy-cuda13x>=13.6'"),
    Capability("NVIDIA GPUs", ("cuda-bindings>=13",), "closedform[cuda]"),
    Capability("the viewer", ("viser>=1.1",), "closedform[view]"),
    Capability("comparison with Pinocchio in reports", ("pin>=3.4",), "'pin>=3.4'"),
)
"""Optional libraries by what they are for."""

DISTRIBUTIONS = {"cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}
"""Libraries that are installed under one of several names."""


def installed(library: str) -> str | None:
    """Return the version of a library, or None if it is not installed."""
    for name in DISTRIBUTIONS.get(library, (library,)):
        try:
            return metadata.version(name) or "of unknown version"
        except metadata.PackageNotFoundError:
            continue
    return None


def missing(capability: Capability) -> str:
    """Return what is missing for a capability and how to get it; nothing if all is there.

    >>> missing(Capability("tea", ("kettle>=1.0",), "kettle"))
    'kettle is not installed: pip install kettle'
    """
    lacks = []
    for need in capability.needs:
        library, _, least = need.partition(">=")
        version = installed(library)
        if version is None:
            lacks.append(f"{library} is not installed")
        elif _numbers(version) < _numbers(least):
            lacks.append(f"{library} {version} is installed, expected {least} or later")
    return f"{' and '.join(lacks)}: pip install {capability.install}" if lacks else ""


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with; one that begins with none is later than all others."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(each) for each in found[0].split(".")) if found else (10**9,)
