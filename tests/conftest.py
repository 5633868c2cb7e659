"""Shared robots and the cache of the tests."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("CLOSEDFORM_TUNE", "0")  # compile once; test_kernels_equal_programs tunes
if "CLOSEDFORM_CACHE" not in os.environ:
    _user = os.getuid() if hasattr(os, "getuid") else "user"
    _folder = Path(tempfile.gettempdir()) / f"closedform-test-cache-{_user}"
    _folder.mkdir(mode=0o700, exist_ok=True)
    os.environ["CLOSEDFORM_CACHE"] = str(_folder)

import closedform as cf
from browser import Browser, started
from call_shapes import PythonError
from closedform.form_methods.method import Method
from oracles.random_trees import random_tree


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite generated documents and golden files")


@pytest.fixture
def update(request):
    """Whether generated documents are to be rewritten."""
    return request.config.getoption("--update")


TREES = {f"tree{seed}": seed for seed in range(6)}
ROBOTS = (*cf.catalogue(loops=False), "tree0", "tree2", "tree3")
"""Every catalogue robot, a tree with a mimic joint, one of sliding joints, one with every kind of joint."""


@pytest.fixture(scope="session", params=ROBOTS)
def robot(request):
    """Every catalogue robot, and random trees with every kind of joint."""
    return make(request.param)


_MADE: dict[str, cf.Robot] = {}


def make(name: str) -> cf.Robot:
    """Return a robot of `ROBOTS` by name, made once."""
    if name not in _MADE:
        _MADE[name] = random_tree(TREES[name]) if name in TREES else cf.load(name)
    return _MADE[name]


SECONDS = 5.0
"""No description may take longer to load or to refuse."""


@pytest.fixture(name="load")
def fixture_load(tmp_path: Path) -> Iterator[Callable[..., cf.Robot]]:
    """Return a function that loads a URDF text, and check its time and that it leaves no files."""
    seconds: list[float] = []

    def load(text: str | bytes, **options: object) -> cf.Robot:
        path = tmp_path / "robot.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        start = time.process_time()
        try:
            return cf.load(path, **options)
        finally:
            seconds.append(time.process_time() - start)

    yield load
    assert max(seconds, default=0) < SECONDS
    assert os.listdir(tmp_path) == ["robot.urdf"], "reading a file writes no other"


@pytest.fixture
def no_python(monkeypatch):
    """Return a function after which every call that is not evaluated in place fails."""

    def fails(*args, **named):
        raise PythonError

    def forbid() -> None:
        monkeypatch.setattr(Method, "resolve", fails)
        monkeypatch.setattr(cf.Kernel, "__call__", fails)

    return forbid


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a running Chromium, or skip where there is none."""
    with started() as running:
        yield running
