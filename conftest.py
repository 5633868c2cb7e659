"""Modules that receive arrays of a library have no examples to run where the library is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [
    f"src/closedform/guests/{library}_*.py"
    for library in ("torch", "jax", "cupy")
    if find_spec(library) is None
]
