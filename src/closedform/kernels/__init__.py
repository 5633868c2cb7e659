"""Programs as machine code: LLVM, NumPy gufuncs, an on-disk cache."""

from .kernel import Kernel

__all__ = ["Kernel"]
