"""CasADi's own C code of a form, compiled by the machine's C compiler and looped over a batch."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np

import closedform as cf

LOOP = """
#include <stddef.h>
int form(const double** arg, double** res, long long* iw, double* w, int mem);
void loop(ptrdiff_t n, const double** in, const ptrdiff_t* in_step,
          double* out, ptrdiff_t out_step, double* w) {
  const double* arg[8]; double* res[1];
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int k = 0; k < COUNT; k++) arg[k] = in[k] + i * in_step[k];
    res[0] = out + i * out_step;
    form(arg, res, 0, w, 0);
  }
}
"""


def casadi_loop(robot: cf.Robot, name: str) -> Callable[..., None] | None:
    """Return a function (inputs..., out) running the compiled loop, or None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    form = cf.FORMS[name]
    symbols, (expression,) = form.expression(robot.model)
    function = ca.Function("form", [ca.vec(s.T) for s in symbols], [ca.densify(ca.vec(expression.T))])
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "form.c", Path(folder) / "form.so"
        generator = ca.CodeGenerator("form.c", {"with_header": False})
        generator.add(function)
        text = generator.dump() + LOOP.replace("COUNT", str(len(symbols)))
        source.write_text(text)
        command = [
            compiler,
            "-O3",
            "-march=native",
            "-shared",
            "-fPIC",
            "-w",
            str(source),
            "-o",
            str(library),
        ]
        subprocess.run([*command, "-lm"], check=True, capture_output=True, timeout=600)
        loaded = ctypes.CDLL(str(library))
    work = np.empty(max(1, function.sz_w()))
    sizes = [int(np.prod(shape)) for shape in form.input_shapes(robot.model)]
    steps = (ctypes.c_ssize_t * len(sizes))(*sizes)

    def run(*arrays: np.ndarray) -> None:
        *inputs, out = arrays
        pointers = (ctypes.c_void_p * len(inputs))(*(array.ctypes.data for array in inputs))
        step = int(np.prod(out.shape[1:], dtype=int))
        loaded.loop(
            ctypes.c_ssize_t(len(out)),
            pointers,
            steps,
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_ssize_t(step),
            ctypes.c_void_p(work.ctypes.data),
        )

    return run
