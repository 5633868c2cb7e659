"""The kernels of an owner's forms, each made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import ArgumentError, ClosedFormError, similar
from ..forms import Catalogue, Variant
from ..forms.variant import CHOICES, INPUTS
from ..kernels import FormRecipe, Kernel
from .still import is_still, still_value


class FormKernels:
    """Kernels of the forms of a model by what was chosen; methods have them without their owner.

    So a method does not keep its owner alive, and an owner is freed as soon as nobody holds it.
    """

    def __init__(self, model: Any, forms: Catalogue) -> None:
        self.model, self.forms = model, forms
        self._known: dict[tuple[Any, ...], Kernel] = {}

    def find(
        self,
        name: str,
        frame: str | None = None,
        dtype: DTypeLike = np.float64,
        order: int | None = None,
        phi: bool = False,
        geometry: bool = False,
        **choices: Any,
    ) -> Kernel:
        """Return the kernel of a form, as a variant of it and in a precision."""
        key: tuple[Any, ...] | None
        try:
            key = (name, frame, np.dtype(dtype).str, order, phi, geometry, *sorted(choices.items()))
            known = self._known.get(key)
        except (TypeError, ValueError, RecursionError):
            key, known = None, None  # one of the arguments is wrong: the recipe or the kernel says which
        if known is None or type(phi) is not bool or type(geometry) is not bool:
            variant = chosen_variant(name, frame, order, phi, geometry, choices)
            form = self.forms.form(name, variant)
            if is_still(form, self.model):
                still_value(self.model, form)
                raise ClosedFormError(
                    f"{name}: is a constant, since no joint moves; call robot.{name} itself"
                )
            known = Kernel(FormRecipe(self.model, name, variant), dtype)
            if key is not None:
                self._known[key] = known
        return known

    def beside(self, key: tuple[Any, ...], make: Callable[[], Kernel]) -> Kernel:
        """Return a kernel of the owner that is no form, made once."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def drop(self, name: str) -> None:
        """Forget the kernels of a form."""
        self._known = {key: kernel for key, kernel in self._known.items() if key[0] != name}


def chosen_variant(
    name: str,
    frame: str | None,
    order: int | None,
    phi: bool,
    geometry: bool,
    choices: Mapping[str, Any],
) -> Variant:
    """Return what a call chooses of a form; a choice that no form has is refused."""
    for each in choices:
        if each not in CHOICES:
            known = ("frame", "order", *INPUTS, *CHOICES)
            raise ArgumentError(
                f"{name}: nothing to choose is called {each!r}{similar(each, known)}; "
                f"expected one of {', '.join(known)}"
            )
    return Variant(frame, order, phi, geometry, **choices)
