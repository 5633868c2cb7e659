"""Pinocchio's constraint dynamics in a compiled loop over a batch: the peer of robots with loops."""

from __future__ import annotations

import ctypes
import weakref
from functools import cache
from pathlib import Path

import numpy as np

from oracles.loop_peer import LoopPeer

from .pinocchio_loop import FLAGS, compile_once, default_cache, find_prefix

SOURCE = Path(__file__).with_suffix(".cpp")


@cache
def _library() -> ctypes.CDLL:
    library = find_prefix() / "lib"
    links = [f"-L{library}", "-lboost_serialization", f"-Wl,-rpath,{library}"]
    built = ctypes.CDLL(
        str(compile_once(SOURCE, default_cache(), FLAGS, links, suffix=".so", warning="minutes"))
    )
    built.pc_load.restype = ctypes.c_void_p
    built.pc_load.argtypes = [
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_double,
        ctypes.c_double,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
    ]
    built.pc_free.restype = None
    built.pc_free.argtypes = [ctypes.c_void_p]
    return built


class ConstraintLoop:
    """The mechanism of a peer over (batch, n) arrays in Pinocchio's order."""

    def __init__(self, peer: LoopPeer, accuracy: float = 1e-12, mu: float = 0.0, steps: int = 1) -> None:
        """Take proximal settings: none (mu = 0, one step) is the fastest, for independent rows only."""
        joints, places = [], []
        for each in peer.constraint_models():
            size = {"CONTACT_3D": 3, "CONTACT_6D": 6}[each.type.name]
            joints.append([size, each.joint1_id, each.joint2_id])
            for T in (each.joint1_placement, each.joint2_placement):
                places.append(np.concatenate([T.rotation.ravel(), T.translation]))
        self.nv, self._library = peer.model.nv, _library()
        ids, numbers = np.array(joints, dtype=np.intc), np.array(places)
        error = ctypes.create_string_buffer(1024)
        handle = self._library.pc_load(
            peer.model.saveToString().encode(),
            len(joints),
            ids.ctypes.data,
            numbers.ctypes.data,
            accuracy,
            mu,
            steps,
            error,
            len(error),
        )
        if not handle:
            raise RuntimeError(f"the loop cannot load the mechanism: {error.value.decode()}")
        self._handle = ctypes.c_void_p(handle)
        weakref.finalize(self, self._library.pc_free, self._handle)

    def constraint_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, out: np.ndarray) -> None:
        """Write accelerations of all joints, by the sparse factors of the KKT matrix."""
        self._call("pc_constraint_dynamics", q, v, tau, out)

    def _call(self, name: str, *arrays: np.ndarray) -> None:
        if not all(each.flags.c_contiguous and each.dtype == np.float64 for each in arrays):
            raise ValueError("needs C-contiguous float64 arrays")
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        getattr(self._library, name)(self._handle, ctypes.c_int64(len(arrays[0])), *pointers)
