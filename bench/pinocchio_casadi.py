"""Pinocchio's algorithms as CasADi functions, as `pinocchio.casadi` gives them.

pip's wheel of Pinocchio lacks that module, but has the headers that it is made of. A small C++ program is
compiled against them and against casadi's wheel; it writes the functions of a model to files.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import casadi as ca
import pinocchio as pin
from casadi import Function

from .pinocchio_loop import DEFINES, compile_once, default_cache, find_prefix

SOURCE = Path(__file__).with_suffix(".cpp")

FLAGS = ("-std=c++17", "-O1", "-w", *DEFINES)
"""The program only builds expressions, so that its speed does not matter; -O0 takes gcc more memory."""


def build(cache_dir: Path) -> Path:
    """Return the compiled program, compiling it unless this very build is in the cache."""
    casadi, library = Path(ca.__file__).parent, find_prefix() / "lib"
    links = [f"-L{casadi}", "-lcasadi", f"-L{library}", "-lboost_serialization"]
    links.append(f"-Wl,-rpath,{casadi}:{library}")
    return compile_once(SOURCE, cache_dir, FLAGS, links, "", "two to four minutes", [casadi / "include"])


def functions(model: pin.Model) -> dict[str, Function]:
    """Return rnea, aba, crba, rnea_derivatives and aba_derivatives of q, v and accelerations or torques."""
    made = build(default_cache())
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "model.txt"
        text.write_text(model.saveToString())
        subprocess.run([made, text, folder], check=True)
        return {path.stem: Function.load(str(path)) for path in Path(folder).glob("*.casadi")}


def with_derivatives(values: Function, derivatives: Function) -> Function:
    """Return a function whose Jacobian is Pinocchio's own, instead of CasADi's derivative of it."""
    x = [ca.SX.sym(f"x{k}", values.size1_in(k)) for k in range(3)]
    name = values.name()
    jacobian = Function(f"jac_{name}", [*x, ca.SX.sym("y", values.size1_out(0))], derivatives.call(x))
    # So that CasADi takes the Jacobian for many directions, and does without for a single cotangent. A map
    # asks for it only if what it maps is a call.
    options = {"custom_jacobian": jacobian, "jac_penalty": 0.2}
    inner = Function(name, x, values.call(x), options)
    symbols = [ca.MX.sym(f"x{k}", values.size1_in(k)) for k in range(3)]
    return Function(name, symbols, inner.call(symbols), options)
