"""Exported CUDA on a GPU: equal to the library's numbers, and how many samples per second.

`python -m bench.gpu write FOLDER` exports the code and reference results with the library;
`python -m bench.gpu run FOLDER` needs NumPy, CuPy and a GPU only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

FORMS = {
    "panda": ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix"),
    "humanoid": ("inverse_dynamics", "mass_matrix"),
}
RATES = ("panda", 2)
"""Second-order inverse dynamics."""

CHECKED, TIMED, THREADS = 512, 2**22, 128
TOLERANCE = 1e-11
"""Relative to the largest entry; forward dynamics carries the condition of M."""


def write(folder: Path) -> None:
    """Write the code, inputs and results of every form."""
    import closedform as cf  # noqa: PLC0415 (absent where the code runs)

    folder.mkdir(parents=True, exist_ok=True)
    for name, forms in FORMS.items():
        robot = cf.load(name)
        for form in forms:
            _write_one(robot, form, None, folder)
    _write_one(cf.load(RATES[0]), "inverse_dynamics_rates", RATES[1], folder)


def _write_one(robot: Any, form: str, order: int | None, folder: Path) -> None:
    kernel = robot.kernel(form, order=order)
    rng = np.random.default_rng(0)
    states = robot.random_state(rng, batch=CHECKED, order=0)
    shapes = zip(kernel.input_names, kernel.input_shapes, strict=True)
    inputs = [states[0] if name == "q" else rng.normal(size=(CHECKED, *shape)) for name, shape in shapes]
    results = kernel(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    for precision in ("double", "float"):
        stem = f"{robot.name}_{form}_{precision}"
        (path,) = robot.export(form, "cuda", folder / stem, order=order, precision=precision)
        flat = [np.ascontiguousarray(each.reshape(CHECKED, -1).T) for each in (*inputs, *results)]
        named = {f"a{k}": each for k, each in enumerate(flat)}
        np.savez(path.with_suffix(".npz"), inputs=len(inputs), **named)


def run(folder: Path) -> dict[str, Any]:
    """Compile, check and time every form on the GPU."""
    import cupy as cp  # noqa: PLC0415 (only where there is a GPU)

    found: dict[str, Any] = {}
    print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
    print(f"{'form':48} {'error':>9} {'ns/sample':>10} {'samples/s':>10} {'GB/s':>7}")
    for path in sorted(folder.glob("*.cu")):
        data = np.load(path.with_suffix(".npz"))
        real = np.float64 if path.stem.endswith("_double") else np.float32
        count = int(data["inputs"])
        arrays = [data[f"a{k}"].astype(real) for k in range(len(data.files) - 1)]
        options = ("-std=c++17",)
        kernel = cp.RawModule(code=path.read_text(), options=options).get_function(f"{path.stem}_batch")

        def launch(
            samples: int, kernel: Any = kernel, arrays: Any = arrays, count: int = count, real: Any = real
        ):
            repeats = -(-samples // CHECKED)
            given = [cp.tile(cp.asarray(each), (1, repeats))[:, :samples].copy() for each in arrays[:count]]
            made = [cp.full((len(each), samples), cp.nan, real) for each in arrays[count:]]
            blocks = (-(-samples // THREADS),)
            arguments = (np.int64(samples), np.int64(samples), *given, *made)
            return made, lambda: kernel(blocks, (THREADS,), arguments)

        made, call = launch(CHECKED)
        call()
        error = max(
            float(
                np.abs(cp.asnumpy(ours) - data[f"a{count + k}"]).max() / np.abs(data[f"a{count + k}"]).max()
            )
            for k, ours in enumerate(made)
        )
        made, call = launch(TIMED)
        call()
        times = []
        for _ in range(20):
            start, end = cp.cuda.Event(), cp.cuda.Event()
            start.record()
            call()
            end.record()
            end.synchronize()
            times.append(cp.cuda.get_elapsed_time(start, end) * 1e-3)
        seconds = float(np.median(times)) / TIMED
        traffic = sum(len(each) for each in arrays) * np.dtype(real).itemsize / seconds * 1e-9
        right = error < (TOLERANCE if real is np.float64 else 1e-3)
        found[path.stem] = {"error": error, "seconds": seconds, "right": right}
        verdict = "" if right else "  WRONG"
        print(
            f"{path.stem:48} {error:9.1e} {seconds * 1e9:10.3f} {1 / seconds:10.2e} {traffic:7.0f}{verdict}"
        )
    return found


if __name__ == "__main__":
    verb, where = sys.argv[1:]
    if verb == "write":
        write(Path(where))
    else:
        print(json.dumps(run(Path(where))))
