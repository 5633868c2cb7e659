"""The forms as methods of a robot, made from the catalogue of forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .errors import ArgumentError
from .forms import FORMS, MAX_ORDER, Form
from .kernels import FormRecipe, Kernel
from .model import Model


class FormMethods:
    """One method per form; each is compiled when first used and broadcasts over batches."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._kernels: dict[tuple[Any, ...], Kernel] = {}

    def kernel(
        self,
        name: str,
        frame: str | None = None,
        dtype: DTypeLike = np.float64,
        order: int | None = None,
        phi: bool = False,
    ) -> Kernel:
        """Return the compiled form itself, with its program, operation counts and `bind`.

        `order` chooses the member of a family such as `inverse_dynamics_rates`. With `phi` the
        inertial parameters are a last input instead of constants, for adaptive control.
        """
        try:
            key = (name, frame, np.dtype(dtype).str, order, phi)
            known = self._kernels.get(key)
        except TypeError:
            return Kernel(FormRecipe(self.model, name, frame, order, phi), dtype)  # which says what is wrong
        if known is None:
            known = self._kernels[key] = Kernel(FormRecipe(self.model, name, frame, order, phi), dtype)
        return known


class FramedMethod:
    """A form of a chosen frame: called with arrays, then the frame's name (default: the last frame)."""

    def __init__(self, owner: FormMethods, form: Form) -> None:
        self._owner, self._form = owner, form
        self.__doc__, self.__name__ = form.doc, form.name

    def __call__(
        self,
        *args: ArrayLike | str | None,
        frame: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Evaluate the form for one frame."""
        count = len(self._form.inputs)
        if len(args) == count + 1:
            if frame is not None:
                raise ArgumentError(f"{self._form.name}: frame is given twice")
            *arrays, last = args
            if last is not None and not isinstance(last, str):
                raise ArgumentError(f"{self._form.name}: frame is {type(last).__name__}; expected a name")
            args, frame = tuple(arrays), last
        kernel = self._owner.kernel(self._form.name, frame)
        return kernel(*args, out=out, threads=threads)  # type: ignore[arg-type]


class OrderedMethod:
    """A family of forms: the number of arrays given decides the order."""

    def __init__(self, owner: FormMethods, form: Form) -> None:
        self._owner, self._form = owner, form
        self.__doc__, self.__name__ = form.doc, form.name

    def __call__(self, *args: ArrayLike, out: Any = None, threads: int = 1) -> Any:
        """Evaluate the member of the family that takes this many arrays."""
        least = len(self._form.inputs)
        if not least <= len(args) <= least + MAX_ORDER:
            names = ", ".join(self._form.inputs)
            raise ArgumentError(
                f"{self._form.name} takes {names} and further derivatives, {least} to "
                f"{least + MAX_ORDER} arrays; {len(args)} given"
            )
        kernel = self._owner.kernel(self._form.name, order=len(args) - least)
        result = kernel(*args, out=out, threads=threads)
        return result if len(args) > least else (result,)


class FormMethod:
    """Descriptor that compiles a form on first use and then stays out of the way."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.__doc__ = form.doc

    def __get__(self, owner: FormMethods | None, kind: type | None = None) -> Any:
        if owner is None:
            return self
        form = self.form
        method: Any
        if form.framed:
            method = FramedMethod(owner, form)
        elif form.ordered:
            method = OrderedMethod(owner, form)
        else:
            method = owner.kernel(form.name).fast
        owner.__dict__[form.name] = method
        return method


for _form in FORMS.values():
    setattr(FormMethods, _form.name, FormMethod(_form))
