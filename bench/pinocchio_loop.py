"""Pinocchio in a compiled loop over a batch: the peer that the benchmark times.

The loop is C++ built on this machine, with this machine's instructions, from the
headers of the installed `pin` wheel. It needs g++ and Eigen's headers, which
`pip install cmeel-eigen` (or casadi's wheel) provides.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import NDArray

Array = NDArray[np.float64]

SOURCE = Path(__file__).with_suffix(".cpp")

# The fastest build measured, by nearly half: vectors of 3 and 6 lose more in Eigen's
# or gcc's packets than they gain, and gcc's bound on the growth of one file keeps it
# from inlining the joints' code.
SPEED = ("-O3", "-march=native", "-DNDEBUG", "-DEIGEN_DONT_VECTORIZE")
GCC_SPEED = ("-fno-tree-slp-vectorize", "--param=inline-unit-growth=1000")

# Boost's serialization singletons must stay this library's own: shared with the
# wheel's, they would load a model through code built for another alignment.
PRIVATE = ("-fvisibility=hidden", "-fno-gnu-unique", "-Wl,-Bsymbolic")

# What the wheel's own cmake target defines for its users.
DEFINES = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)

FLAGS = ("-std=c++17", "-fPIC", "-shared", "-w", *SPEED, *GCC_SPEED, *PRIVATE, *DEFINES)

# Pinocchio checks these by `assert` alone, so a release build answers wrongly.
WITHOUT_MIMIC = frozenset(
    {
        "aba",
        "coriolis",
        "kinetic_energy",
        "potential_energy",
        "regressor",
        "rnea_derivatives",
        "aba_derivatives",
    }
)


def find_compiler() -> str:
    """Return the path of $CXX or of g++."""
    name = os.environ.get("CXX", "g++")
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"no C++ compiler: '{name}' is not on the PATH (set CXX or install g++)")
    return path


def find_prefix() -> Path:
    """Return the installation prefix that holds Pinocchio's headers and Boost."""
    package = Path(pinocchio.__file__).resolve()
    for prefix in package.parents:
        if (prefix / "include" / "pinocchio" / "config.hpp").is_file():
            break
    else:
        raise RuntimeError(f"no Pinocchio headers (include/pinocchio) above {package}")
    for part in ("include/boost/version.hpp", "lib/libboost_serialization.so"):
        if not (prefix / part).exists():
            raise RuntimeError(f"no {part} under {prefix}: is cmeel-boost installed?")
    return prefix


def find_eigen(prefix: Path) -> Path:
    """Return the folder of Eigen 3's headers: beside Pinocchio's, or in casadi's wheel."""
    candidates = [prefix / "include" / "eigen3"]
    casadi = importlib.util.find_spec("casadi")
    if casadi is not None and casadi.origin is not None:
        candidates.append(Path(casadi.origin).parent / "include" / "eigen3")
    for folder in candidates:
        if (folder / "Eigen" / "Core").is_file():
            return folder
    tried = ", ".join(map(str, candidates))
    raise RuntimeError(f"no Eigen headers in {tried}: pip install 'cmeel-eigen<4'")


def _run_compiler(command: list[str], source: str | None = None) -> str:
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr[-4000:]}")
    return done.stdout


def build(cache_dir: Path) -> Path:
    """Return the compiled loop, compiling it unless this very build is in the cache."""
    prefix = find_prefix()
    library = prefix / "lib"
    links = [f"-L{library}", "-lboost_serialization", f"-Wl,-rpath,{library}"]
    return compile_once(SOURCE, cache_dir, FLAGS, links, suffix=".so", warning="minutes, 6 GB of memory")


def compile_once(
    source: Path,
    cache_dir: Path,
    flags: Sequence[str],
    links: Sequence[str],
    suffix: str,
    warning: str,
    includes: Sequence[Path] = (),
) -> Path:
    """Return what a source becomes with Pinocchio's headers, compiling it unless it is in the cache."""
    compiler, prefix = find_compiler(), find_prefix()
    eigen = find_eigen(prefix)
    # The predefined macros name the compiler and, through -march=native, the
    # processor: a cache shared between machines holds one build for each.
    macros = _run_compiler([compiler, *flags, "-dM", "-E", "-x", "c++", "-"], source="")
    known = (source.read_text(), pinocchio.__version__, str(prefix), str(eigen), *map(str, includes))
    key = hashlib.sha256("\0".join((*known, *flags, macros)).encode()).hexdigest()[:16]
    target = cache_dir / f"{source.stem}-{key}{suffix}"
    if target.is_file():
        return target
    print(f"compiling {source.name} once: {warning}", file=sys.stderr, flush=True)
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as scratch:
        made = Path(scratch) / target.name
        searched = [f"-isystem{each}" for each in (prefix / "include", eigen, *includes)]
        _run_compiler([compiler, *flags, *searched, str(source), "-o", str(made), *links])
        # A rename within one folder is atomic: no one loads half a library.
        made.replace(target)
    return target


@cache
def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    library.pl_load_text.restype = ctypes.c_void_p
    library.pl_load_text.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    library.pl_free.restype = None
    library.pl_free.argtypes = [ctypes.c_void_p]
    return library


def default_cache() -> Path:
    """Return the folder for compiled loops under $XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "closedform"


class PinocchioLoop:
    """A Pinocchio model whose algorithms run over (batch, n) arrays in one C++ loop.

    Inputs and outputs are C-contiguous float64; nothing is copied on the way. One
    object holds one workspace, so use it from one thread.
    """

    def __init__(self, model: Any, library: Path | None = None) -> None:
        """Take a `pinocchio.Model`; its text form is all that crosses to C++."""
        self._lib = _library(library or build(default_cache()))
        error = ctypes.create_string_buffer(1024)
        handle = self._lib.pl_load_text(model.saveToString().encode(), error, len(error))
        if not handle:
            raise RuntimeError(f"the loop cannot load the model: {error.value.decode()}")
        self._handle = ctypes.c_void_p(handle)
        weakref.finalize(self, self._lib.pl_free, self._handle)
        self.nq: int = self._lib.pl_nq(self._handle)
        self.nv: int = self._lib.pl_nv(self._handle)
        self.bodies: int = self._lib.pl_njoints(self._handle) - 1
        self.frames: int = self._lib.pl_nframes(self._handle)
        self.mimic = len(model.mimicking_joints) > 0

    def rnea(self, q: Array, v: Array, a: Array, out: Array | None = None) -> Array:
        """Return the joint forces, (batch, nv)."""
        return self._call("rnea", (q, v, a), (out,), (self.nv,))[0]

    def crba(self, q: Array, out: Array | None = None) -> Array:
        """Return the full symmetric mass matrices, (batch, nv, nv)."""
        return self._call("crba", (q,), (out,), (self.nv, self.nv))[0]

    def coriolis(self, q: Array, v: Array, out: Array | None = None) -> Array:
        """Return the Coriolis matrices, (batch, nv, nv)."""
        return self._call("coriolis", (q, v), (out,), (self.nv, self.nv))[0]

    def aba(self, q: Array, v: Array, tau: Array, out: Array | None = None) -> Array:
        """Return the joint accelerations, (batch, nv)."""
        return self._call("aba", (q, v, tau), (out,), (self.nv,))[0]

    def gravity(self, q: Array, out: Array | None = None) -> Array:
        """Return the gravity forces, (batch, nv)."""
        return self._call("gravity", (q,), (out,), (self.nv,))[0]

    def frame_jacobian(self, frame: int, q: Array, out: Array | None = None) -> Array:
        """Return the Jacobians in the frame's own axes, linear first, (batch, 6, nv)."""
        return self._call("frame_jacobian", (q,), (out,), (6, self.nv), frame)[0]

    def frame_pose(self, frame: int, q: Array, out: Array | None = None) -> Array:
        """Return the homogeneous matrices of the frame in the world, (batch, 4, 4)."""
        return self._call("frame_pose", (q,), (out,), (4, 4), frame)[0]

    def com(self, q: Array, out: Array | None = None) -> Array:
        """Return the centres of mass, (batch, 3)."""
        return self._call("com", (q,), (out,), (3,))[0]

    def com_jacobian(self, q: Array, out: Array | None = None) -> Array:
        """Return the Jacobians of the centre of mass, (batch, 3, nv)."""
        return self._call("com_jacobian", (q,), (out,), (3, self.nv))[0]

    def kinetic_energy(self, q: Array, v: Array, out: Array | None = None) -> Array:
        """Return the kinetic energies, (batch,)."""
        return self._call("kinetic_energy", (q, v), (out,), ())[0]

    def potential_energy(self, q: Array, out: Array | None = None) -> Array:
        """Return the potential energies, (batch,)."""
        return self._call("potential_energy", (q,), (out,), ())[0]

    def regressor(self, q: Array, v: Array, a: Array, out: Array | None = None) -> Array:
        """Return the joint torque regressors, (batch, nv, 10 bodies)."""
        return self._call("regressor", (q, v, a), (out,), (self.nv, 10 * self.bodies))[0]

    def rnea_derivatives(
        self, q: Array, v: Array, a: Array, out: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Return d rnea / dq (in the tangent space) and d rnea / dv, (batch, nv, nv) each."""
        outs = out or (None, None)
        dq, dv = self._call("rnea_derivatives", (q, v, a), outs, (self.nv, self.nv))
        return dq, dv

    def aba_derivatives(
        self, q: Array, v: Array, tau: Array, out: tuple[Array, Array, Array] | None = None
    ) -> tuple[Array, Array, Array]:
        """Return d aba / dq (in the tangent space), / dv and / dtau, (batch, nv, nv) each."""
        outs = out or (None, None, None)
        dq, dv, dtau = self._call("aba_derivatives", (q, v, tau), outs, (self.nv, self.nv))
        return dq, dv, dtau

    def _call(
        self,
        name: str,
        inputs: tuple[Array, ...],
        outs: tuple[Array | None, ...],
        shape: tuple[int, ...],
        frame: int | None = None,
    ) -> list[Array]:
        if self.mimic and name in WITHOUT_MIMIC:
            raise ValueError(f"Pinocchio's {name} does not support mimic joints")
        if frame is not None and not 0 <= frame < self.frames:
            raise ValueError(f"frame {frame} is not one of the model's {self.frames}")
        batch = len(inputs[0])
        widths = (self.nq, self.nv, self.nv)
        for array, width in zip(inputs, widths, strict=False):
            _check(array, (batch, width))
        results = [np.empty((batch, *shape)) if out is None else out for out in outs]
        for array in results:
            _check(array, (batch, *shape), writeable=True)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *results)]
        extra = [] if frame is None else [ctypes.c_int64(frame)]
        getattr(self._lib, f"pl_{name}")(self._handle, ctypes.c_int64(batch), *extra, *pointers)
        return results


def _check(array: Array, shape: tuple[int, ...], *, writeable: bool = False) -> None:
    flags = array.flags
    good = array.shape == shape and array.dtype == np.float64
    if not (good and flags.c_contiguous and (flags.writeable or not writeable)):
        kind = "writeable C-contiguous" if writeable else "C-contiguous"
        raise ValueError(f"needs {kind} float64 {shape}, got {array.dtype} {array.shape}")
