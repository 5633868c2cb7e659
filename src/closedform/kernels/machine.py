"""LLVM text to machine code for this CPU, and object code back into the process."""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import cache
from itertools import count
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ..errors import ClosedFormError

_LOCK: Any = getattr(llvm.ffi.lib, "_lock", nullcontext())
"""The lock that llvmlite holds during every call into LLVM."""

if hasattr(os, "register_at_fork"):
    # A forked child has no thread to finish the call and release the lock: forks wait until it is free.
    def _release() -> None:
        _LOCK.__exit__(None, None, None)

    os.register_at_fork(before=_LOCK.__enter__, after_in_parent=_release, after_in_child=_release)

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


@cache
def cpu() -> tuple[str, str, str]:
    """Return triple, CPU name and features of this machine."""
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def register_bits() -> int:
    """Return the width in bits of the vector registers to use."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq") and features.get("avx512vl"):
        return 512
    return 256 if features.get("avx2") and features.get("fma") else 128


def _target_machine(effort: int = 2) -> llvm.TargetMachine:
    """Return a new target machine; an execution engine takes ownership of the one it is given."""
    triple, name, features = cpu()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name, features=features, opt=effort, reloc="pic", codemodel="small", jit=True
    )


def identity() -> str:
    """Return a text of everything besides the program that object code depends on."""
    return "|".join((*cpu(), llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info))))


def compile_text(text: str, effort: int = 2) -> bytes:
    """Return the object code of an LLVM module, optimised with an effort of 0 to 3."""
    target = _target_machine(effort)
    module = llvm.parse_assembly(text)
    module.triple = cpu()[0]
    module.data_layout = str(target.target_data)
    module.verify()
    return bytes(target.emit_object(module))


@cache
def _linker() -> llvm.LLJIT:
    """Return what loads object code: each object into one piece of memory, where code reaches its constants.

    LLVM's older linker takes several pieces, which are more than 2 GB apart in processes that hold much
    memory, such as those that use a GPU, and then aborts.
    """
    return llvm.create_lljit_compiler(_target_machine(), use_jit_link=os.name != "nt")


_NUMBERS = count()
"""Names of loaded objects: each is used once."""


class Machine:
    """Object code loaded into the process; its functions live as long as this does."""

    def __init__(self, code: bytes, *names: str) -> None:
        library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            library.export_symbol(name)
        try:
            self._loaded = library.link(_linker(), f"object{next(_NUMBERS)}")
        except RuntimeError as error:
            raise ClosedFormError(f"object code cannot be loaded: {error}") from None

    def address(self, name: str) -> int:
        """Return the address of one of the functions that it was loaded for."""
        return int(self._loaded[name])
