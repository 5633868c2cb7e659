"""The bundle for a machine with a GPU and no registry: what it holds, and what runs from it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="no shell")


@pytest.fixture(scope="module")
def bundle():
    spec = importlib.util.spec_from_file_location("gpu_bundle", TOOLS / "gpu_bundle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_packages_lose_what_nobody_needs_there(bundle, tmp_path):
    kept = ["casadi/__init__.py", "casadi/_casadi.so", "casadi/libcasadi.so.3.7", "lxml/etree.so"]
    lost = ["casadi/libipopt.so", "casadi/include/casadi/x.hpp", "lxml/includes/x.h", "trimesh/tests/x.py"]
    for name in kept + lost:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    bundle.trim(tmp_path)
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()) == kept


def test_the_source_is_clean(bundle, tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "SOURCE", ("bench", "conftest.py"))  # packing all takes seconds
    bundle.pack_source(tmp_path / "source.tar.xz")
    with tarfile.open(tmp_path / "source.tar.xz") as archive:
        names = archive.getnames()
    assert {"source/conftest.py", "source/bench/gpu/run.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or "bench/results" in name]


STAND_IN = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$2" in
pytest)
    for each; do
        case $each in --junitxml=*) echo '<?xml version="1.0"?><suite/>' > "${each#*=}";; esac
    done
    echo "1 passed";;
bench) printf 'date: today\\nx: not measured: y\\nagainst peers\\n  3 times\\n'
    mkdir -p bench/results; echo rows > bench/results/gpu.csv;;
esac
"""
"""In place of Python: it notes what it is asked to run."""


def test_tests_and_bench_run_from_the_unpacked_folder(tmp_path):
    made, folder = tmp_path / "made", tmp_path / "a bundle"
    for name in ("source/tests/test_torch_cuda.py", "source/tests/test_torch.py", "more/x.py"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).touch()
    (folder / "robots").mkdir(parents=True)
    (folder / "robots" / "g1.urdf").touch()
    for name in ("source", "more"):
        with tarfile.open(folder / f"{name}.tar.xz", "w:xz") as archive:
            archive.add(made / name, name)
    shutil.copy(TOOLS / "gpu_run.sh", folder / "run.sh")
    (tmp_path / "python").write_text(STAND_IN)
    (tmp_path / "python").chmod(0o755)
    told = {
        "PYTHON": str(tmp_path / "python"),
        "CALLS": str(tmp_path / "calls"),
        "QUICK": "1",
        "TOTAL": "999",
    }
    done = subprocess.run(
        ["sh", "run.sh"], cwd=folder, env=os.environ | told, capture_output=True, text=True, check=True
    )
    tests, bench = (tmp_path / "calls").read_text().splitlines()
    assert tests.endswith("tests/test_torch_cuda.py")
    assert bench.startswith("-m bench gpu --quick --robot ")
    assert bench.endswith("a bundle/robots/g1.urdf --seconds 120")
    summary = (folder / "results" / "summary.txt").read_text()
    assert summary.splitlines() == [
        "1 passed",
        "tests/test_torch_cuda.py: status 0",
        "date: today",
        "x: not measured: y",
        "against peers",
        "  3 times",
    ], done.stdout + done.stderr
    assert (folder / "results" / "tests.xml").read_text().split() == ["<all>", "<suite/>", "</all>"]
    assert (folder / "results" / "gpu.csv").read_text() == "rows\n"
