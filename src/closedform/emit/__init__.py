"""Programs as source code that stands alone: C, CUDA, MATLAB and NumPy."""

from .export import LANGUAGES, export
from .subject import Subject, facts, form_subject, layout

__all__ = ["LANGUAGES", "Subject", "export", "facts", "form_subject", "layout"]
