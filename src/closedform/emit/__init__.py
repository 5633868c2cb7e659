"""Programs as source code that stands alone: C, CUDA, MATLAB and NumPy."""

from .export import LANGUAGES, export
from .quantities import Quantity
from .subject import Subject, form_subject

__all__ = ["LANGUAGES", "Quantity", "Subject", "export", "form_subject"]
