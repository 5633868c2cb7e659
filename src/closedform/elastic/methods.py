"""The forms of an elastic-joint robot as methods; their signatures are in methods.pyi."""

from ..owner import FormsOwner
from .catalogue import FORMS


class ElasticForms(FormsOwner, forms=FORMS):
    """One method per form of an elastic-joint robot."""
