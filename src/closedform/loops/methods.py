"""The forms of a robot with loops as methods; their signatures are in methods.pyi."""

from __future__ import annotations

from typing import Any

from ..form_methods import FormMethod
from ..forms import Form
from ..owner import FormsOwner
from .catalogue import FORMS


class ClosedMethod(FormMethod):
    """Descriptor of a form whose method takes independent coordinates, if no formula gives the others too."""

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """Return the method of an owner."""
        method = super().__get__(owner, kind)
        if owner is None or owner.model.explicit or "q" not in self.form.inputs:
            return method
        vars(owner).pop(self.form.name, None)
        return AssembledMethod(owner, method)


class AssembledMethod:
    """A form as a method that first assembles the mechanism."""

    def __init__(self, owner: Any, method: Any) -> None:
        self.owner, self.method = owner, method
        self.__doc__, self.__name__ = method.__doc__, method.__name__
        self.__signature__ = method.__signature__

    def __repr__(self) -> str:
        return repr(self.method)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Evaluate the form at independent coordinates q, or at those of all joints."""
        if args:
            args = (self.owner.all_coordinates(args[0]), *args[1:])
        elif "q" in named:
            named["q"] = self.owner.all_coordinates(named["q"])
        return self.method(*args, **named)


class ClosedForms(FormsOwner, forms=FORMS):
    """One method per form of a robot with loops."""

    @classmethod
    def _install(cls, name: str, form: Form | None) -> None:
        """Give the class the method of a form, or take it away."""
        if form is None:
            super()._install(name, form)
        else:
            setattr(cls, name, ClosedMethod(form))
