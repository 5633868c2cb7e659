"""What holds for all tests: one thread of linear algebra each, and examples of libraries that are there.

Two workers share the cores; threads of BLAS beside them would wait for one another. Modules that receive
arrays of a library have no examples to run where the library is not installed.

The garbage collector looks at what a file makes, not at ten thousand tests and all that files before it left
in caches: with those, each of hundreds of calls of `gc.collect` takes half a second.

Tests send themselves Ctrl-C, which a shell lets those ignore that it starts in the background.
"""

import gc
import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore_glob = [
    f"src/closedform/guests/{library}_*.py"
    for library in ("torch", "jax", "cupy")
    if find_spec(library) is None
]


def pytest_collection_finish() -> None:
    """Keep the tests themselves from the garbage collector."""
    _settle()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Keep from the garbage collector what outlives a file, when its fixtures are gone."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        _settle()


def _settle() -> None:
    gc.collect()
    gc.freeze()
