"""Exported C against the library's own scalar code, and the largest program that must build."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import closedform as cf
from oracles.timed_robots import humanoid, panda

from .timing import interleaved

FLAGS = ("-std=gnu99", "-O3", "-march=native", "-shared", "-fPIC")
CALLS = 2000
FORMS = ("inverse_dynamics", "mass_matrix", "coriolis_matrix", "forward_dynamics")
LIMIT, LONG_LIMIT = 60.0, 5.0
"""Seconds that dC/dq of a humanoid and M of a long chain may take to build."""

DRIVER = """
#include "{header}"
void many(long count, void **p)
{{
    void (*volatile call)({types}) = {function};
    for (long k = 0; k < count; ++k) call({arguments});
}}
void bound(long count, void (*f)(void **), void **p)
{{
    void (*volatile call)(void **) = f;
    for (long k = 0; k < count; ++k) call(p);
}}
"""


def single_calls() -> list[dict[str, Any]]:
    """Time one call of exported C (gcc -O3 -march=native) and of the kernel's scalar code, both from C."""
    robot = panda().robot
    return [_single_call(robot, form) for form in FORMS]


def _single_call(robot: cf.Robot, form: str) -> dict[str, Any]:
    kernel = robot.kernel(form)
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-1, 1, shape) for shape in (*kernel.input_shapes, *kernel.output_shapes)]
    pointers = (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
    with tempfile.TemporaryDirectory(prefix="closedform-bench-") as folder:
        library = _library(robot, form, len(kernel.input_shapes), len(arrays), Path(folder))
        address = ctypes.c_void_p(kernel._machine.address("bound"))
        times = interleaved(
            {
                "exported": lambda: library.many(CALLS, pointers),
                "kernel": lambda: library.bound(CALLS, address, pointers),
            },
            seconds=0.5,
        )
    exported, own = (times[name] / CALLS * 1e9 for name in ("exported", "kernel"))
    met = exported <= own
    print(
        f"Panda, {form:20s} exported C {exported:8.1f} ns  scalar kernel {own:8.1f} ns  "
        f"ratio {exported / own:5.2f}  target at most 1 {'met' if met else 'MISSED'}"
    )
    return {"form": form, "exported ns": exported, "kernel ns": own, "met": met}


def _library(robot: cf.Robot, form: str, inputs: int, arrays: int, folder: Path) -> ctypes.CDLL:
    header, source = robot.export(form, "c", folder)
    names = ["const double *"] * inputs + ["double *"] * (arrays - inputs)
    driver = folder / "driver.c"
    arguments = ", ".join(f"p[{k}]" for k in range(arrays))
    driver.write_text(
        DRIVER.format(header=header.name, function=source.stem, types=", ".join(names), arguments=arguments)
    )
    target = folder / "driver.so"
    command = [shutil.which("gcc") or "cc", *FLAGS, "-o", target, driver, source, "-lm"]
    subprocess.run(list(map(str, command)), check=True)
    return ctypes.CDLL(str(target))


def largest() -> list[dict[str, Any]]:
    """Time the builds of the largest programs, from nothing."""
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("CLOSEDFORM_CACHE")
        os.environ["CLOSEDFORM_CACHE"] = folder
        try:
            return [_coriolis_gradient(), _long_mass_matrix()]
        finally:
            del os.environ["CLOSEDFORM_CACHE"]
            if kept is not None:
                os.environ["CLOSEDFORM_CACHE"] = kept


def _long_mass_matrix() -> dict[str, Any]:
    """Time the first mass matrix of a chain of 121 bodies with oblique axes, and hold it to M's symmetry."""
    rows = [(0, 0.3 + 0.01 * k, 0.05, 0.1 * k, 0.1) for k in range(121)]
    body = cf.Inertial.of(1.0, (0.05, 0.01, 0.02), np.diag([0.01, 0.012, 0.013]))
    robot = cf.Robot.from_mdh(rows, inertials=[body] * len(rows))
    q, qd, _ = robot.random_state(0)
    start = time.perf_counter()
    M = robot.mass_matrix(q)
    seconds = time.perf_counter() - start
    error = abs(qd @ M @ qd / 2 / robot.kinetic_energy(q, qd) - 1)
    met = seconds < LONG_LIMIT and error < 1e-12
    operations = robot.kernel("mass_matrix").counts.total
    print(
        f"M of a chain of {robot.nv} dofs: {operations} operations, {seconds:.1f} s to the first result, "
        f"{error:.1e} from the kinetic energy  target under {LONG_LIMIT:g} s {'met' if met else 'MISSED'}"
    )
    return {"operations": operations, "seconds": seconds, "error": float(error), "met": bool(met)}


def _coriolis_gradient() -> dict[str, Any]:
    """Time the build of dC/dq of the floating humanoid, and check one entry by differences."""
    robot = humanoid().robot
    start = time.perf_counter()
    kernel = robot.kernel("coriolis_matrix_dq")
    seconds = time.perf_counter() - start
    q, qd, _ = robot.random_state(0)
    step = np.zeros(robot.nv)
    step[-1] = 1e-6
    ahead, behind = (robot.coriolis_matrix(robot.integrate(q, sign * step), qd) for sign in (1, -1))
    slope = (ahead - behind) / 2e-6
    error = np.abs(kernel(q, qd)[:, :, -1] - slope).max() / np.abs(slope).max()
    met = seconds < LIMIT and error < 1e-6
    print(
        f"dC/dq of {robot.nv} dofs: {kernel.counts.total} operations, {seconds:.1f} s to build, "
        f"{error:.1e} from differences  target under {LIMIT:g} s {'met' if met else 'MISSED'}"
    )
    return {"operations": kernel.counts.total, "seconds": seconds, "error": error, "met": met}
