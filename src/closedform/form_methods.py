"""A form as a method: what an owner has in place of one kernel, if a call chooses among several."""

from __future__ import annotations

import math
from typing import Any, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import real_array, whole_number
from .errors import ArgumentError
from .forms import MAX_ORDER, Form, Variant
from .kernels import Kernel, named_outputs
from .kernels.signature import Signature
from .model.idle import refuse_still


class Owner(Protocol):
    """Whoever has forms, as a method sees it."""

    model: Any

    def kernel(self, name: str, frame: str | None = None, *, order: int | None = None) -> Kernel:
        """Return a compiled form."""


class FormMethod:
    """Descriptor that compiles a form on first use and is then replaced by what it made."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.__doc__ = form.doc

    def __get__(self, owner: Owner | None, kind: type | None = None) -> Any:
        if owner is None:
            return self
        form = self.form
        method: Any
        if is_still(form, owner.model):
            method = StillMethod(owner, form)
        elif form.ordered or form.framed:
            method = VariantMethod(owner, form)
        else:
            method = owner.kernel(form.name).fast
        owner.__dict__[form.name] = method
        return method


class _Method:
    """A form of an owner that is more than one kernel."""

    def __init__(self, owner: Owner, form: Form) -> None:
        self._owner, self._form = owner, form
        self.__doc__, self.__name__ = form.doc, form.name

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._owner, self._form.name)

    def _without_frame(self, args: tuple[Any, ...], frame: str | None) -> tuple[tuple[Any, ...], str | None]:
        """Return the arrays and the frame of a call that may give the frame last."""
        form, more = self._form, len(args) - len(self._form.takes)
        if not form.framed or more < 1 or (more > 1 and not form.ordered):
            return args, frame
        last = args[-1]
        if last is not None and not isinstance(last, str):
            if form.ordered:
                return args, frame
            raise ArgumentError(f"{form.name}: frame is {type(last).__name__}; expected a name")
        if frame is not None:
            raise ArgumentError(f"{form.name}: frame is given twice")
        return args[:-1], last


class VariantMethod(_Method):
    """A form of a chosen frame, a family of forms, or both.

    A call may give the frame's name after the arrays (default: the last frame). The number of arrays
    decides the order of a family.
    """

    def __init__(self, owner: Owner, form: Form) -> None:
        super().__init__(owner, form)
        self._kernels: dict[tuple[Any, int | None], Kernel] = {}
        self._alone, self._per_order = named_outputs(form.name, form.outputs), len(form.highest)

    def __call__(
        self,
        *args: Any,
        frame: str | None = None,
        out: Any = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> Any:
        """Evaluate the form for one frame, or the member of the family that takes this many arrays."""
        args, frame = self._without_frame(args, frame)
        order = self._order(len(args) + len(named)) if self._form.ordered else None
        result = self._kernel(frame, order)(*args, out=out, threads=threads, **named)
        return tuple.__new__(self._alone, (result,)) if order == 0 else result

    def _order(self, given: int) -> int:
        """Return the order of the member that takes this many arrays."""
        form, each, least = self._form, self._per_order, len(self._form.takes)
        order, rest = divmod(given - least, each)
        if not 0 <= order <= MAX_ORDER or rest:
            further = "further derivatives" if each == 1 else f"{each} further derivatives per order"
            raise ArgumentError(
                f"{form.name} takes {', '.join(form.inputs)} and {further}, {least} to "
                f"{least + each * MAX_ORDER} arrays; {given} given"
            )
        return order

    def _kernel(self, frame: str | None, order: int | None) -> Kernel:
        """Return the kernel of a frame and an order; the owner is asked once for each."""
        try:
            return self._kernels[frame, order]
        except (KeyError, TypeError, ValueError):  # the owner refuses a frame that is no name
            kernel = self._owner.kernel(self._form.name, frame, order=order)
        self._kernels[frame, order] = kernel
        return kernel


class StillMethod(_Method):
    """A form of an object without a moving joint: one value for every row of arrays that are empty."""

    def __init__(self, owner: Owner, form: Form) -> None:
        super().__init__(owner, form)
        still_value(owner.model, form)

    def __call__(
        self,
        *args: ArrayLike | str | None,
        frame: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> Any:
        """Return the value for every sample of the batch."""
        form, model = self._form, self._owner.model
        whole_number(f"{form.name}: threads", threads, 1)
        shapes = form.input_shapes(model), form.output_shapes(model)
        signature = Signature(form.name, form.inputs, *shapes, np.dtype(np.float64))
        arrays, frame = self._without_frame(args, frame)
        arrays = signature.in_order(arrays, named) if named else arrays
        if len(arrays) != len(form.takes):
            raise signature.wrong_count(arrays)
        given = [real_array(f"{form.name}: {n}", x) for n, x in zip(form.inputs, arrays, strict=True)]
        try:
            batch = signature.batch(given)
        except ValueError as error:
            raise signature.explained(given, out, error) from None
        value = still_value(model, form.at(Variant(frame)))
        result = np.broadcast_to(value, (*batch, *value.shape))
        if out is None:
            return result.copy()
        if not isinstance(out, np.ndarray) or out.shape != result.shape or out.dtype.kind != "f":
            raise ArgumentError(f"{form.name}: out should be an array of shape {result.shape}")
        out[...] = result
        return out


def is_still(form: Form, model: Any) -> bool:
    """Return whether all inputs of a form are empty: nothing moves, and the form is a constant."""
    return not any(math.prod(shape) for shape in form.input_shapes(model))


def still_value(model: Any, form: Form) -> NDArray[np.float64]:
    """Return the value of a form of an object without a moving joint."""
    if form.variant.phi:
        refuse_still(model, form.name)
    _, (expression,) = form.expression(model)
    (shape,) = form.output_shapes(model)
    return np.array(ca.evalf(ca.densify(expression))).reshape(shape)
