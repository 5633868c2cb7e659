"""Closed-form expressions of kinematics and dynamics, each written once."""

from . import block_catalogue  # noqa: F401 (adds its forms)
from .catalogue import FORMS, form
from .form import MAX_ORDER, Form
from .form_catalogue import Catalogue, catalogue
from .need import Need
from .quantity import FormArray, Quantity
from .variant import CHOICES, LOADS, PLAIN, Choices, Variant

__all__ = [
    "CHOICES",
    "FORMS",
    "LOADS",
    "MAX_ORDER",
    "PLAIN",
    "Catalogue",
    "Choices",
    "Form",
    "FormArray",
    "Need",
    "Quantity",
    "Variant",
    "catalogue",
    "form",
]
