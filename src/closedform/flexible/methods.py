"""The forms of a flexible arm as methods; their signatures are in methods.pyi."""

from ..owner import FormsOwner
from .catalogue import FORMS


class ArmForms(FormsOwner, forms=FORMS):
    """One method per form of an arm."""
