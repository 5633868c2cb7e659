"""Programs as source code that stands alone: C, CUDA, MATLAB and NumPy."""

from .export import LANGUAGES, export

__all__ = ["LANGUAGES", "export"]
