"""A form as a method: what an owner has in place of one kernel, if a call chooses among several."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol, Unpack

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import batch_array, common_batch, real_array, whole_number
from .errors import ArgumentError
from .forms import MAX_ORDER, Choices, Form, Variant
from .kernels import Kernel, named_outputs
from .kernels.signature import Signature
from .model.idle import refuse_still


class Owner(Protocol):
    """Whoever has forms, as a method sees it."""

    model: Any

    def kernel(
        self,
        name: str,
        frame: str | None = None,
        *,
        order: int | None = None,
        **choices: Unpack[Choices],
    ) -> Kernel:
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
        form.check(owner.model)
        method: Any
        if is_still(form, owner.model):
            method = StillMethod(owner, form)
        elif form.ordered or form.framed or form.choices:
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

    def _split(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
        """Return the arrays of a call in order, those by name, and what it chooses by name.

        Names of frames may come after the arrays: the frame, then the one that it is relative to.
        """
        form = self._form
        words = (*(("frame",) if form.framed else ()), *(w for w in ("relative_to",) if w in form.choices))
        count = len(args)
        while form.ordered and count and (args[count - 1] is None or isinstance(args[count - 1], str)):
            count -= 1
        if not form.ordered and count <= len(form.takes) + len(words):
            count = min(count, len(form.takes))
        chosen = {name: named.pop(name) for name in (*words, *form.choices) if name in named}
        for name, word in zip(words, args[count:], strict=False):
            if word is not None and not isinstance(word, str):
                raise ArgumentError(f"{form.name}: {name} is {type(word).__name__}; expected a name")
            if name in chosen:
                raise ArgumentError(f"{form.name}: {name} is given twice")
            chosen[name] = word
        return (*args[:count], *args[count + len(words) :]), named, chosen


class VariantMethod(_Method):
    """A form of a chosen frame, a family of forms, or both.

    A call may give the frame's name after the arrays (default: the last frame). The number of arrays
    decides the order of a family.
    """

    def __init__(self, owner: Owner, form: Form) -> None:
        super().__init__(owner, form)
        self._kernels: dict[tuple[Any, ...], Kernel] = {}
        self._alone, self._per_order = named_outputs(form.name, form.outputs), len(form.highest)

    def __call__(self, *args: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Evaluate the form as a call chooses, or the member of the family that takes this many arrays."""
        args, named, chosen = self._split(args, named)
        wrenches: dict[str, Any] = {}
        if "wrenches" in self._form.choices:
            args, wrenches = self._wrenches(args, named, chosen)
        given = len(args) + len(named) + (0 if self._form.loaded else len(wrenches))
        order = self._order(given) if self._form.ordered else None
        result = self._kernel(order, chosen)(*args, out=out, threads=threads, **named, **wrenches)
        return tuple.__new__(self._alone, (result,)) if order == 0 else result

    def _wrenches(
        self, args: tuple[Any, ...], named: dict[str, Any], chosen: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Take the wrenches of a call and their rates from its named arguments; return the rest and them.

        A mapping gives wrenches of some frames by name, an array those of all bodies.
        """
        given = {name: named.pop(name) for name in tuple(named) if name.startswith("wrenches")}
        given |= {"wrenches": chosen.pop("wrenches", None)}
        given = {name: value for name, value in given.items() if not (value is None or _is_empty(value))}
        mapped = [value for value in (*args, *given.values()) if isinstance(value, Mapping)]
        frames = {_frames(value) for value in (*mapped, *given.values())}
        if len(frames) > 1:
            raise ArgumentError(f"{self._form.name}: wrenches and their rates are not of the same frames")
        if mapped or (frames and self._form.loaded):
            (chosen["wrenches"],) = frames
        args = tuple(self._stacked("wrenches", each) for each in args)
        return args, {name: self._stacked(name, value) for name, value in given.items()}

    def _stacked(self, name: str, given: Any) -> Any:
        """Return wrenches of frames as one array, a row per frame."""
        if not isinstance(given, Mapping):
            return given
        if not given:
            raise ArgumentError(f"{self._form.name}: {name} names no frame; give {{frame: (moment; force)}}")
        rows = {
            frame: batch_array(f"{self._form.name}: {name}[{frame!r}]", given[frame], 6)
            for frame in _frames(given)
        }
        common_batch(self._form.name, **{str(frame): row.shape[:-1] for frame, row in rows.items()})
        return np.stack(np.broadcast_arrays(*rows.values()), axis=-2)

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

    def _kernel(self, order: int | None, chosen: dict[str, Any]) -> Kernel:
        """Return the kernel of an order and of choices; the owner is asked once for each."""
        key = (order, *chosen.items())
        try:
            return self._kernels[key]
        except (KeyError, TypeError, ValueError):  # the owner refuses what is no name
            kernel = self._owner.kernel(self._form.name, order=order, **chosen)
        self._kernels[key] = kernel
        return kernel


class StillMethod(_Method):
    """A form of an object without a moving joint: one value for every row of arrays that are empty."""

    def __init__(self, owner: Owner, form: Form) -> None:
        super().__init__(owner, form)
        still_value(owner.model, form)

    def __call__(
        self,
        *args: ArrayLike | str | None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
        **named: Any,
    ) -> Any:
        """Return the value for every sample of the batch."""
        form, model = self._form, self._owner.model
        whole_number(f"{form.name}: threads", threads, 1)
        shapes = form.input_shapes(model), form.output_shapes(model)
        signature = Signature(form.name, form.inputs, *shapes, np.dtype(np.float64))
        arrays, named, chosen = self._split(args, named)
        arrays = signature.in_order(arrays, named) if named else arrays
        if len(arrays) != len(form.takes):
            raise signature.wrong_count(arrays)
        given = [real_array(f"{form.name}: {n}", x) for n, x in zip(form.inputs, arrays, strict=True)]
        try:
            batch = signature.batch(given)
        except ValueError as error:
            raise signature.explained(given, out, error) from None
        value = still_value(model, form.at(Variant(**chosen)))
        result = np.broadcast_to(value, (*batch, *value.shape))
        if out is None:
            return result.copy()
        if not isinstance(out, np.ndarray) or out.shape != result.shape or out.dtype.kind != "f":
            raise ArgumentError(f"{form.name}: out should be an array of shape {result.shape}")
        out[...] = result
        return out


def _frames(given: Any) -> Any:
    """Return the frames of wrenches by frame, in one order; True for an array, which has all bodies."""
    return tuple(sorted(given, key=str)) if isinstance(given, Mapping) else True


def _is_empty(given: Any) -> bool:
    """Return whether wrenches are given for no frame at all."""
    return isinstance(given, Mapping) and not given


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
