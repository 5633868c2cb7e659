"""Closed-form expressions of kinematics and dynamics, each written once."""

from .catalogue import FORMS, form
from .form import MAX_ORDER, PLAIN, Catalogue, Form, Need, Variant, catalogue
from .quantity import FormArray, Quantity

__all__ = [
    "FORMS",
    "MAX_ORDER",
    "PLAIN",
    "Catalogue",
    "Form",
    "FormArray",
    "Need",
    "Quantity",
    "Variant",
    "catalogue",
    "form",
]
