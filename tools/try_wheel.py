"""Install a wheel into an empty environment of every Python that is found, and try it there.

    python tools/try_wheel.py dist/closedform-0.1.0-py3-none-any.whl

Pythons are those on PATH and of pyenv, from the oldest that the project supports. One for which a dependency
has no wheel is named and left out; one where the wheel fails is an error, and so is none at all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST, NEWEST = 11, 30
"""Minor versions of Python 3 that are looked for."""


def pythons() -> dict[str, Path]:
    """Return the Pythons of this machine by version, the first found of each."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if "shims" not in each]
    folders += sorted(pyenv.glob("3.*/bin"))
    found: dict[str, Path] = {}
    for minor in range(OLDEST, NEWEST):
        for folder in folders:
            path = folder / f"python3.{minor}"
            if path.is_file() and os.access(path, os.X_OK) and _is_python(path, minor):
                found.setdefault(f"3.{minor}", path)
    return found


def _is_python(path: Path, minor: int) -> bool:
    """Whether a program is a Python of that version that can make environments."""
    code = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return subprocess.run([path, "-c", code], check=False, capture_output=True).returncode == 0


def tried(python: Path, wheel: Path, folder: Path) -> str:
    """Return what came of the wheel in an empty environment: "works", "no wheels ..." or what failed."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    inside = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        inside,
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    put = subprocess.run([*pip, "--only-binary", ":all:", wheel], check=False, capture_output=True, text=True)
    if put.returncode:
        missing = re.search(r"No matching distribution found for (\S+)", put.stderr)
        return f"no wheels of {missing[1]}" if missing else f"failed to install: {put.stderr[-500:]}"
    check = [inside, "-I", ROOT / ".ci" / "check_wheel.py", wheel, ROOT / "src"]
    done = subprocess.run(check, check=False, capture_output=True, text=True, cwd=folder)
    return "works" if done.returncode == 0 else f"failed: {done.stdout[-500:]}{done.stderr[-1500:]}"


def main(wheel: Path) -> int:
    """Try the wheel everywhere, print a line for each Python, and return the exit code."""
    found = pythons()
    results = {}
    for version, python in found.items():
        with tempfile.TemporaryDirectory() as folder:
            results[version] = tried(python, wheel.resolve(), Path(folder) / "empty")
        print(f"Python {version} ({python}): {results[version]}", flush=True)
    good = [version for version, result in results.items() if result == "works"]
    bad = [version for version, result in results.items() if result.startswith("failed")]
    return int(bool(bad) or not good)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
