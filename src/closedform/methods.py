"""The forms as methods of a robot, made from the catalogue of forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .checks import flag, real_array, whole_number
from .errors import ArgumentError, ClosedFormError
from .forms import FORMS, MAX_ORDER, Form, form
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
        key: tuple[Any, ...] | None
        try:
            key = (name, frame, np.dtype(dtype).str, order, phi)
            known = self._kernels.get(key)
        except (TypeError, ValueError, RecursionError):
            key, known = None, None  # an argument that the recipe or the kernel refuses by name
        if known is None or type(phi) is not bool:
            phi = flag(f"{name}: phi" if isinstance(name, str) else "phi", phi)
            if self.model.nv == 0:
                still_value(self.model, form(name, order, phi=phi), frame)
                raise ClosedFormError(f"{name}: is a constant where no joint moves; call robot.{name} itself")
            known = Kernel(FormRecipe(self.model, name, frame, order, phi), dtype)
            if key is not None:
                self._kernels[key] = known
        return known


def still_value(model: Model, form: Form, frame: str | None) -> NDArray[np.float64]:
    """Return the value of a form of an object without a moving joint."""
    _, (expression,) = form.expression(model, frame)
    (shape,) = form.output_shapes(model)
    return np.array(ca.evalf(ca.densify(expression))).reshape(shape)


class StillMethod:
    """A form of an object without a moving joint: one value for every row of arrays that are empty."""

    def __init__(self, owner: FormMethods, form: Form) -> None:
        self._model, self._form = owner.model, form
        self.__doc__, self.__name__ = form.doc, form.name
        still_value(self._model, form, None)

    def __call__(
        self,
        *args: ArrayLike | str | None,
        frame: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any:
        """Return the value for every sample of the batch."""
        whole_number(f"{self._form.name}: threads", threads, 1)
        arrays, frame = _without_frame(self._form, args, frame)
        if len(arrays) != len(self._form.inputs):
            count = len(self._form.inputs)
            raise ArgumentError(f"{self._form.name} takes {count} array(s); {len(arrays)} given")
        batches = []
        for name, given in zip(self._form.inputs, arrays, strict=True):
            array = real_array(f"{self._form.name}: {name}", given)  # type: ignore[arg-type]
            if array.shape[-1:] != (0,):
                raise ArgumentError(f"{self._form.name}: {name} has shape {array.shape}; expected (..., 0)")
            batches.append(array.shape[:-1])
        try:
            batch = np.broadcast_shapes(*batches)
        except ValueError:
            raise ArgumentError(f"{self._form.name}: batches {batches} do not broadcast") from None
        value = still_value(self._model, self._form, frame)
        result = np.broadcast_to(value, (*batch, *value.shape))
        if out is None:
            return result.copy()
        if not isinstance(out, np.ndarray) or out.shape != result.shape or out.dtype.kind != "f":
            raise ArgumentError(f"{self._form.name}: out should be an array of shape {result.shape}")
        out[...] = result
        return out


def _without_frame(form: Form, args: Sequence[Any], frame: str | None) -> tuple[tuple[Any, ...], str | None]:
    """Return the arrays and the frame of a call that may give the frame last."""
    if not form.framed or len(args) != len(form.inputs) + 1:
        return tuple(args), frame
    if frame is not None:
        raise ArgumentError(f"{form.name}: frame is given twice")
    *arrays, last = args
    if last is not None and not isinstance(last, str):
        raise ArgumentError(f"{form.name}: frame is {type(last).__name__}; expected a name")
    return tuple(arrays), last


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
        **named: ArrayLike,
    ) -> Any:
        """Evaluate the form for one frame."""
        args, frame = _without_frame(self._form, args, frame)
        kernel = self._owner.kernel(self._form.name, frame)
        return kernel(*args, out=out, threads=threads, **named)  # type: ignore[arg-type]


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
        if owner.model.nv == 0:
            method = StillMethod(owner, form)
        elif form.framed:
            method = FramedMethod(owner, form)
        elif form.ordered:
            method = OrderedMethod(owner, form)
        else:
            method = owner.kernel(form.name).fast
        owner.__dict__[form.name] = method
        return method


for _form in FORMS.values():
    setattr(FormMethods, _form.name, FormMethod(_form))
