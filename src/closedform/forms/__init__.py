"""Closed-form expressions of kinematics and dynamics, each written once."""

from .catalogue import FORMS, form
from .form import INPUTS, MAX_ORDER, Form, derivative_name, resolve

__all__ = ["FORMS", "INPUTS", "MAX_ORDER", "Form", "derivative_name", "form", "resolve"]
