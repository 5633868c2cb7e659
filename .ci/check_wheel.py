"""Try the wheel named on the command line, in the environment that runs this: contents, numbers, command."""

import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import closedform as cf

wheel = Path(sys.argv[1])
tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
assert tops == {"closedform", f"closedform-{cf.__version__}.dist-info"}, tops
assert version("closedform") == cf.__version__, version("closedform")
assert Path(cf.__file__).is_relative_to(sys.prefix), f"not the wheel: {cf.__file__}"

robot = cf.load("panda")
q, qd, qdd = robot.random_state(0, batch=100)
M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity_torque(q)
expected = (M @ qdd[..., None] + C @ qd[..., None])[..., 0] + g
assert np.allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12, atol=1e-10)

command = Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin") / "closedform"
listed = subprocess.run([command, "robots"], check=True, capture_output=True, text=True).stdout
assert "panda" in listed, listed
print(f"{wheel.name}: {robot.name} gives M qdd + C qd + g")
