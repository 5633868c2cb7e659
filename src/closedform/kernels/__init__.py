"""Programs as machine code: LLVM, NumPy gufuncs, an on-disk cache."""

from .kernel import BoundKernel, Kernel

__all__ = ["BoundKernel", "Kernel"]
