"""Programs as source code that stands alone: C, C++, CUDA, MATLAB, Simulink and NumPy."""

from .export import LANGUAGES, export, export_library
from .requests import Request, requested
from .subject import Subject, facts, form_subject, layout

__all__ = [
    "LANGUAGES",
    "Request",
    "Subject",
    "export",
    "export_library",
    "facts",
    "form_subject",
    "layout",
    "requested",
]
