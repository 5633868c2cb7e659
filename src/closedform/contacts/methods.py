"""The forms of a robot with contacts as methods; their signatures are in methods.pyi."""

from __future__ import annotations

from ..owner import FormsOwner
from .catalogue import FORMS


class ContactForms(FormsOwner, forms=FORMS):
    """One method per form of a robot with contacts."""
