"""What CuPy arrays are promised, on a stand-in for CuPy: everything but the GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CLAIMS = "products or repeated or slices or wrenches or given_arrays or overlap or refused or bad_samples"

RUN = f"""
import sys, pytest, stand_in_cupy
stand_in_cupy.install()
sys.exit(pytest.main(["tests/test_cupy.py", "-n", "0", "-q", "-p", "no:cacheprovider", "-k", "{CLAIMS}"]))
"""


def test_the_claims_hold_on_a_stand_in():
    """In a process of its own, in which nothing else meets the stand-in."""
    tests = Path(__file__).parent
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{RUN}"],
        cwd=tests.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert " passed" in run.stdout
