"""Closed-form expressions of kinematics and dynamics, each written once."""

from .catalogue import FORMS, INPUTS, Form, form, resolve

__all__ = ["FORMS", "INPUTS", "Form", "form", "resolve"]
