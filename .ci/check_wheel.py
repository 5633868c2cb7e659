"""Try a wheel in the environment that runs this: contents, numbers, pages, command.

    python -I check_wheel.py WHEEL [SRC]

With the folder of the sources, the wheel must hold every file of the package, templates and robots too.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import closedform as cf

wheel = Path(sys.argv[1])
names = set(zipfile.ZipFile(wheel).namelist())
info = f"closedform-{cf.__version__}.dist-info"
assert {name.split("/")[0] for name in names} == {"closedform", info}, names
assert version("closedform") == cf.__version__, version("closedform")
assert Path(cf.__file__).is_relative_to(sys.prefix), f"not the wheel: {cf.__file__}"
for ending in (".html.j2", ".css", ".js", ".toml", "py.typed"):
    assert any(name.endswith(ending) for name in names), f"no {ending} in the wheel"
if len(sys.argv) > 2:
    source = Path(sys.argv[2])
    files = {
        path.relative_to(source).as_posix() for path in (source / "closedform").rglob("*") if path.is_file()
    }
    wanted = {name for name in files if "__pycache__" not in name}
    packed = {name for name in names if not name.startswith(info)}
    assert packed == wanted, f"left out {sorted(wanted - packed)}, unknown {sorted(packed - wanted)}"

robot = cf.load("panda")
q, qd, qdd = robot.random_state(0, batch=100)
M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity_torque(q)
expected = (M @ qdd[..., None] + C @ qd[..., None])[..., 0] + g
assert np.allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12, atol=1e-10)

command = Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin") / "closedform"


def run(*words: str | Path) -> str:
    """Return what a command prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


assert "panda" in run(command, "robots")
assert (
    json.loads(run(sys.executable, "-I", "-m", "closedform", "doctor", "--json"))["closedform"]
    == cf.__version__
)
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "page.html"
    run(command, "report", "2r", "--samples", "20", "-o", page)
    assert "<h1" in page.read_text(encoding="utf-8")
print(f"{wheel.name}: {robot.name} gives M qdd + C qd + g")
