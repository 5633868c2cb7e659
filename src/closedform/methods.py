"""The forms of a robot as methods; their signatures are in methods.pyi."""

from .forms import FORMS
from .owner import FormsOwner


class RobotForms(FormsOwner, forms=FORMS):
    """One method per form of a robot."""
