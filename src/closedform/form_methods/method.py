"""A form as a method: the descriptor of a class, and the functions that owners get from it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..checks import real_array, whole_number
from ..errors import ClosedFormError
from ..forms import Form, Variant, catalogue
from ..guests import being_traced, guest_of, let_be_traced, untraced
from ..kernels import Kernel, named_outputs
from ..kernels.fast_call import FastCall
from ..kernels.patterns import Plan
from ..kernels.precision import common_precision
from ..kernels.signature import Signature
from .form_kernels import FormKernels
from .parameters import Parameters
from .still import is_still, still_value

OWNERS: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""All owners of forms by id, since a subclass may have no hash."""


class FormMethod:
    """Descriptor of a form: an owner gets its method at first use, and keeps it."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.__doc__, self.__name__ = form.doc, form.name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self
        name = self.form.name
        if being_traced():
            _make_all(id(owner))  # a compiler that has read the table once does not look for new entries
            return owner._methods[name]
        method = _made(owner, self.form)
        if getattr(type(owner), name) is self:  # no subclass has a method of its own, which calls this one
            object.__setattr__(owner, name, method)  # found without this descriptor from now on
        return method

    @property
    def __signature__(self) -> inspect.Signature:
        signature = Parameters(self.form).signature
        owner = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return signature.replace(parameters=[owner, *signature.parameters.values()])

    def __call__(self, owner: Any, /, *args: Any, **named: Any) -> Any:
        """Call the method of an owner."""
        return self.__get__(owner)(*args, **named)


def _made(owner: Any, form: Form) -> FormFunction:
    """Return the method of an owner, made at its first use."""
    made: dict[str, FormFunction] = owner._methods
    if form.name not in made:
        made[form.name] = method_of(owner._kernels, form)
        let_be_traced(made[form.name])
    return made[form.name]


@untraced
def _make_all(number: int) -> None:
    """Make the methods of all forms that an owner has, which takes some milliseconds."""
    owner = OWNERS[number]
    for form in owner.FORMS.values():
        with suppress(ClosedFormError):  # not of this model
            _made(owner, form)


def method_of(kernels: FormKernels, form: Form) -> FormFunction:
    """Return the function that evaluates a form of a model."""
    form.check(kernels.model)
    subject = _Subject(kernels, form)
    if is_still(form, kernels.model):
        still_value(kernels.model, form)
        return StillMethod(subject)
    method: FormFunction = Method.of(subject)
    return method


def _again(model: Any, name: str) -> FormFunction:
    """Return the method of a form of a model that was pickled or copied."""
    forms = catalogue(model)
    forms.form(name)  # refuses a name that is not there any more
    return method_of(FormKernels(model, forms), forms[name])


class _Subject:
    """A form of a model: what it takes, and the plans of its kernels so far."""

    def __init__(self, kernels: FormKernels, form: Form) -> None:
        self.kernels, self.form = kernels, form
        self.parameters = Parameters(form, kernels.model)
        self.alone = named_outputs(form.name, form.outputs)
        self._plans: dict[tuple[Any, ...] | None, Plan] = {}
        self.shortcuts: dict[tuple[Any, ...], Any] = {}  # None of those that a guest has none for

    def learn(self, kernel: Kernel, args: Sequence[Any]) -> None:
        """Keep what evaluates further calls with arrays of a guest, all in order."""
        first = args[0]
        guest = guest_of(first)
        if guest is not None and len(args) == len(kernel.input_names):
            key = type(first), len(args), first.dtype
            if key not in self.shortcuts:
                self.shortcuts[key] = guest.shortcut(kernel)

    def plan(self, order: int | None, chosen: dict[str, Any], dtype: np.dtype[Any]) -> Plan:
        """Return the plan of the kernel of an order, of choices and in a precision; each is made once."""
        key: tuple[Any, ...] | None = (order, dtype, *chosen.items())
        try:
            return self._plans[key]
        except KeyError:
            pass
        except (TypeError, ValueError):  # a choice may be no name at all: the kernel refuses it
            key = None
        name = self.form.name
        if self.kernels.forms.get(name) is not self.form:
            raise ClosedFormError(f"{name}: is not in the catalogue any more; take the method from its owner")
        kernel = self.kernels.find(name, order=order, dtype=dtype, **chosen)
        plan = Plan(kernel, self.alone if order == 0 else kernel.results)
        if key is not None:
            self._plans[key] = plan
        return plan


class _OwnDoc:
    """The documentation of a class, and that of the form for its functions."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, function: Any, kind: type | None = None) -> str | None:
        return self.text if function is None else function.subject.form.doc


class FormFunction(FastCall):
    """A form of an owner as a function; it takes arrays in order or by name, and what calls may choose."""

    __slots__ = ()

    __doc__ = _OwnDoc(__doc__)

    @property
    def __name__(self) -> str:
        """Name of the form."""
        return str(self.subject.form.name)

    @property
    def __signature__(self) -> inspect.Signature:
        signature: inspect.Signature = self.subject.parameters.signature
        return signature

    def __get__(self, owner: Any, kind: type | None = None) -> FormFunction:
        """Return itself; `help` takes what has this for a routine, and shows its signature."""
        return self

    def __repr__(self) -> str:
        return f"<form {self.__name__}{self.__signature__} of {self.subject.kernels.model.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.subject.kernels.model, self.__name__)


class Method(FormFunction):
    """A form of an owner that moves: every call finds its kernel, and learns the pattern of the call.

    Arrays that are all float32 give float32; numbers and lists take the precision of the others.
    """

    __slots__ = ()

    __doc__ = _OwnDoc(__doc__)

    def resolve(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate the form as a call chooses, or the member of the family that takes this many arrays."""
        subject = self.subject
        if args and not named:
            known = subject.shortcuts.get((type(args[0]), len(args), getattr(args[0], "dtype", None)))
            result = known(args) if known is not None else None
            if result is not None:
                return result
        parameters: Parameters = subject.parameters
        call = parameters.taken_apart(args, named)
        order = parameters.order(call)
        plan = subject.plan(order, call.chosen, common_precision(call.given))
        arrays = [parameters.stacked("wrenches", each, call) for each in call.arrays]
        others = {name: parameters.stacked(name, each, call) for name, each in call.named.items()}
        options = {name: named[name] for name in ("out", "threads") if name in named}
        result = plan.kernel(*arrays, **others, **options)
        if args and not named:
            subject.learn(plan.kernel, args)
        if self.patterns is not None:
            roles = (*plan.kernel.input_names[: len(arrays)], *call.roles)
            self.patterns.learn(plan, args, named, roles)
        return tuple.__new__(subject.alone, (result,)) if order == 0 else result


class StillMethod(FormFunction):
    """A form of an object without a moving joint: one value for every row of arrays that are empty."""

    __slots__ = ()

    __doc__ = _OwnDoc(__doc__)

    def resolve(self, /, *args: Any, **named: Any) -> Any:
        """Return the value for every sample of the batch."""
        form, model = self.subject.form, self.subject.kernels.model
        call = self.subject.parameters.taken_apart(args, named)
        whole_number(f"{form.name}: threads", named.get("threads", 1), 1)
        dtype = common_precision(call.given)
        shapes = form.input_shapes(model), form.output_shapes(model)
        signature = Signature(form.name, form.inputs, *shapes, dtype)
        arrays = signature.in_order(call.arrays, call.named)
        given = [real_array(f"{form.name}: {n}", x) for n, x in zip(form.inputs, arrays, strict=True)]
        try:
            batch = signature.batch(given)
        except ValueError as error:
            raise signature.explained(given, None, error) from None
        value = still_value(model, form.at(Variant(**call.chosen))).astype(dtype)
        result = np.broadcast_to(value, (*batch, *value.shape))
        out = named.get("out")
        if out is None:
            return result.copy()
        outs = out if isinstance(out, tuple) else (out,)
        signature.check_outputs(outs)
        problem = signature.wrong_output(out, batch)
        if problem is not None:
            raise problem
        (out,) = outs
        out[...] = result
        return out
