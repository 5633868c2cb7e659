"""Pack what the tests and the bench need on a machine with a GPU that reaches no package registry.

`python tools/gpu_bundle.py [--robot FILE] [--python 3.12]` leaves a folder, build/gpu, of about 55 MB:

- `core.tar.xz`: what closedform needs of other packages (CasADi's core, LLVM, lxml, ...); made once, since it
  takes some minutes;
- `more.tar.xz`: pytest, and the libraries that the bench compares with;
- `source.tar.xz`: this repository, as it is now; `robots`: files for the bench; `run.sh`.

There, with NumPy, SciPy, SymPy, PyTorch and whatever of JAX and CuPy is to be measured: `sh run.sh`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT = 60 * 10**6
"""Most bytes of a bundle."""

CORE = ("casadi", "llvmlite", "lxml", "platformdirs", "jinja2", "markupsafe", "packaging")
MORE = (
    *("pytest", "iniconfig", "pluggy", "pygments"),
    *("grid-rbd", "beautifulsoup4", "soupsieve", "trimesh"),
    *("frax", "pyyaml"),
    *("adam-robotics", "array-api-compat", "prettytable", "wcwidth", "urdfdom-py"),
)
"""Pytest; GRiD, frax and adam with what they need beyond the packages that PyTorch and JAX bring."""

CASADI = ("__init__.py", "casadi.py", "_casadi.so")
"""What expressions need of CasADi, besides its library; the rest are solvers."""

LEFT_OUT = ("lxml/includes", "lxml/html", "lxml/isoschematron", "trimesh/resources")
SOURCE = ("src", "tests", "bench", "oracles", "fuzz", "examples", "docs", "conftest.py", "pyproject.toml")


def main() -> None:
    """Make the archives that are missing, and those of the repository anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "gpu")
    parser.add_argument("--python", default="3.12", help="version on the machine with the GPU")
    parser.add_argument("--robot", type=Path, action="append", default=[], help="a URDF file for the bench")
    options = parser.parse_args()
    folder: Path = options.folder
    (folder / "robots").mkdir(parents=True, exist_ok=True)
    for name, packages in (("core", CORE), ("more", MORE)):
        if not (folder / f"{name}.tar.xz").exists():
            pack_packages(packages, folder / f"{name}.tar.xz", options.python)
    pack_source(folder / "source.tar.xz")
    for robot in options.robot:
        shutil.copy(robot, folder / "robots")
    shutil.copy(ROOT / "tools" / "gpu_run.sh", folder / "run.sh")
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {total / 1e6:.0f} MB")
    if total > LIMIT:
        sys.exit(f"the bundle is larger than {LIMIT / 1e6:.0f} MB")


def pack_packages(packages: Sequence[str], target: Path, version: str) -> None:
    """Write an archive of unpacked wheels, in one folder named after the archive."""
    with tempfile.TemporaryDirectory() as name:
        wheels, whole = Path(name) / "wheels", Path(name) / "whole"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--python-version", version, "-d", str(wheels), *packages], check=True)
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(whole)
        trim(whole)
        with tarfile.open(target, "w:xz", preset=6) as archive:
            archive.add(whole, target.name.partition(".")[0])


def trim(folder: Path) -> None:
    """Remove what a user of the packages does not need: tests, headers, CasADi's solvers, symbols of LLVM."""
    for name in LEFT_OUT:
        shutil.rmtree(folder / name, ignore_errors=True)
    for tests in [each for each in folder.rglob("tests") if each.is_dir()]:
        shutil.rmtree(tests)
    for path in sorted((folder / "casadi").glob("*")):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in CASADI and not path.name.startswith("libcasadi.so."):
            path.unlink()
    for library in folder.glob("llvmlite/binding/libllvmlite.so"):
        if shutil.which("strip"):
            subprocess.run(["strip", str(library)], check=True)


def pack_source(target: Path) -> None:
    """Write an archive of the files of the repository that tests and bench need."""
    with tarfile.open(target, "w:xz") as archive:
        for name in SOURCE:
            archive.add(ROOT / name, f"source/{name}", filter=plain)


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what Python and the bench left behind."""
    return None if "__pycache__" in entry.name or "/results" in entry.name else entry


if __name__ == "__main__":
    main()
