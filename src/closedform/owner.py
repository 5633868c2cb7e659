"""What every owner of forms has: a method per form, kernels, equations and source code."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .checks import real_array, whole_number
from .emit import export, form_subject
from .errors import ArgumentError, ClosedFormError
from .forms import MAX_ORDER, Catalogue, Form, Variant
from .kernels import FormRecipe, Kernel, named_outputs
from .kernels.signature import in_order
from .model.idle import refuse_still


class FormsOwner:
    """Gives an owner the forms of its `model` as methods, with `kernel`, `equations` and `export`.

    A method is compiled when first used and broadcasts over batches. It takes arrays in order or by
    name, `out` and `threads`; a form of several outputs gives a named tuple of arrays.
    """

    FORMS: ClassVar[Catalogue]

    def __init_subclass__(cls, forms: Catalogue | None = None) -> None:
        if forms is not None:
            cls.FORMS = forms
            forms.watch(cls._install)

    @classmethod
    def _install(cls, name: str, form: Form | None) -> None:
        """Give the class the method of a form, or take it away."""
        if form is None:
            delattr(cls, name)
        else:
            setattr(cls, name, FormMethod(form))

    def __init__(self, model: Any) -> None:
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

        `frame` chooses the frame of forms such as `pose`, `order` the member of a family such as
        `inverse_dynamics_rates`. With `phi` the inertial parameters are a last input instead of
        constants, for adaptive control.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> state, s, u = np.zeros((4, 2)), np.zeros(2), np.empty(2)
        >>> control = arm.kernel("decoupling").bind(*state, s, out=u)
        >>> control()
        """
        key: tuple[Any, ...] | None
        try:
            key = (name, frame, np.dtype(dtype).str, order, phi)
            known = self._kernels.get(key)
        except (TypeError, ValueError, RecursionError):
            key, known = None, None  # one of the arguments is wrong: the recipe or the kernel says which
        if known is None or type(phi) is not bool:
            variant = Variant(frame, order, phi)
            form = self.FORMS.form(name, variant)
            if is_still(form, self.model):
                still_value(self.model, form)
                raise ClosedFormError(f"{name}: is a constant where no joint moves; call robot.{name} itself")
            known = Kernel(FormRecipe(self.model, name, variant), dtype)
            if key is not None:
                self._kernels[key] = known
        return known

    def equations(
        self,
        name: str,
        frame: str | None = None,
        *,
        order: int | None = None,
        symbolic: bool | str | Collection[str] = False,
        parameters: str = "masses",
        digits: int | None = None,
        rational: bool = False,
        seconds: float = 60.0,
    ) -> Any:
        """Return a form as SymPy expressions to read: angle sums merged, like terms collected.

        `symbolic` says which constants stay letters: True for all, or some of "inertia",
        "geometry", "gravity" for a robot; of these, "stiffness" and "damping" for a flexible arm;
        none for elastic joints. `parameters` names a robot's inertias: "masses" for m1, c1x, I1xx
        about the centre of mass, "gautier-khalil" for XX1 ... M1 about the frame origin. Other
        constants are numbers, with `digits` significant digits or as `rational` fractions. What
        takes longer than `seconds` is returned correct, in terms of definitions, with a warning.
        Prints as text, LaTeX and MathML; a form of several outputs gives a tuple.

        >>> import closedform as cf
        >>> print(cf.load("2r").equations("mass_matrix", symbolic=True))
        M[1,1] = L1**2*(m1 + m2) + 2*L1*L2*m2*cos(q2) + L2**2*m2
        M[1,2] = M[2,1] = L2*m2*(L1*cos(q2) + L2)
        M[2,2] = L2**2*m2
        >>> arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0))
        >>> print(arm.equations("mass_matrix", symbolic=True))
        B[1,1] = Jh1 + Jo1 + Jp + l1**2*mp
        B[1,2] = B[2,1] = Jp*dphi11 + l1*mp*phi11 + w11
        B[2,2] = Jp*dphi11**2 + mp*phi11**2 + z111
        """
        from .equations import equations  # noqa: PLC0415 (SymPy takes half a second to import)

        return equations(
            self.model,
            name,
            Variant(frame, order),
            symbolic=symbolic,
            parameters=parameters,
            digits=digits,
            rational=rational,
            seconds=seconds,
        )

    def export(
        self,
        name: str,
        language: str,
        path: str | os.PathLike[str],
        *,
        frame: str | None = None,
        precision: str = "double",
        order: int | None = None,
        phi: bool = False,
    ) -> tuple[Path, ...]:
        """Write a form as source code ("c", "cuda", "matlab", "numpy") and return the paths.

        `path` is a folder, or a file without its ending, which then names the function too.

        >>> import tempfile, closedform as cf
        >>> [path.name for path in cf.load("2r").export("mass_matrix", "c", tempfile.mkdtemp())]
        ['robot_2r_mass_matrix.h', 'robot_2r_mass_matrix.c']
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> [path.name for path in arm.export("decoupling", "c", tempfile.mkdtemp())]
        ['elastic_2r_decoupling.h', 'elastic_2r_decoupling.c']
        """
        variant = Variant(frame, order, phi)
        form = self.FORMS.form(name, variant)
        if is_still(form, self.model):
            refuse_still(self.model, "export")
        program = FormRecipe(self.model, name, variant).program()
        return export(program, form_subject(form, self.model), language, path, precision=precision)


class FormMethod:
    """Descriptor that compiles a form on first use and is then replaced by what it made."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.__doc__ = form.doc

    def __get__(self, owner: FormsOwner | None, kind: type | None = None) -> Any:
        if owner is None:
            return self
        form = self.form
        method: Any
        if is_still(form, owner.model):
            method = StillMethod(owner, form)
        elif form.ordered:
            method = OrderedMethod(owner, form)
        elif form.framed:
            method = FramedMethod(owner, form)
        else:
            method = owner.kernel(form.name).fast
        owner.__dict__[form.name] = method
        return method


class _Method:
    """A form of an owner that is more than one kernel."""

    def __init__(self, owner: FormsOwner, form: Form) -> None:
        self._owner, self._form = owner, form
        self.__doc__, self.__name__ = form.doc, form.name

    def _without_frame(self, args: tuple[Any, ...], frame: str | None) -> tuple[tuple[Any, ...], str | None]:
        """Return the arrays and the frame of a call that may give the frame last."""
        form = self._form
        if not form.framed or len(args) != len(form.inputs) + 1:
            return args, frame
        if frame is not None:
            raise ArgumentError(f"{form.name}: frame is given twice")
        *arrays, last = args
        if last is not None and not isinstance(last, str):
            raise ArgumentError(f"{form.name}: frame is {type(last).__name__}; expected a name")
        return tuple(arrays), last


class FramedMethod(_Method):
    """A form of a chosen frame: called with arrays, then the frame's name (default: the last frame)."""

    def __call__(
        self,
        *args: ArrayLike | str | None,
        frame: str | None = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> Any:
        """Evaluate the form for one frame."""
        arrays, frame = self._without_frame(args, frame)
        return self._owner.kernel(self._form.name, frame)(*arrays, out=out, threads=threads, **named)


class OrderedMethod(_Method):
    """A family of forms: the number of arrays given decides the order. A frame may be given last."""

    def __call__(
        self,
        *args: Any,
        frame: str | None = None,
        out: Any = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> Any:
        """Evaluate the member of the family that takes this many arrays."""
        form, name, least = self._form, self._form.name, len(self._form.inputs)
        if form.framed and len(args) > least and (args[-1] is None or isinstance(args[-1], str)):
            if frame is not None:
                raise ArgumentError(f"{name}: frame is given twice")
            *arrays, frame = args
            args = tuple(arrays)
        given, each = len(args) + len(named), len(form.highest)
        order, rest = divmod(given - least, each)
        if not 0 <= order <= MAX_ORDER or rest:
            further = "further derivatives" if each == 1 else f"{each} further derivatives per order"
            raise ArgumentError(
                f"{name} takes {', '.join(form.inputs)} and {further}, {least} to "
                f"{least + each * MAX_ORDER} arrays; {given} given"
            )
        result = self._owner.kernel(name, frame, order=order)(*args, out=out, threads=threads, **named)
        return result if order else named_outputs(name, form.outputs)(result)


class StillMethod(_Method):
    """A form of an object without a moving joint: one value for every row of arrays that are empty."""

    def __init__(self, owner: FormsOwner, form: Form) -> None:
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
        name, inputs = self._form.name, self._form.inputs
        whole_number(f"{name}: threads", threads, 1)
        arrays, frame = self._without_frame(args, frame)
        arrays = in_order(name, inputs, arrays, named) if named else arrays
        if len(arrays) != len(inputs):
            raise ArgumentError(f"{name} takes {len(inputs)} array(s); {len(arrays)} given")
        batches = []
        for each, given in zip(inputs, arrays, strict=True):
            array = real_array(f"{name}: {each}", given)
            if array.shape[-1:] != (0,):
                raise ArgumentError(f"{name}: {each} has shape {array.shape}; expected (..., 0)")
            batches.append(array.shape[:-1])
        try:
            batch = np.broadcast_shapes(*batches)
        except ValueError:
            raise ArgumentError(f"{name}: batches {batches} do not broadcast") from None
        value = still_value(self._owner.model, self._form.at(Variant(frame)))
        result = np.broadcast_to(value, (*batch, *value.shape))
        if out is None:
            return result.copy()
        if not isinstance(out, np.ndarray) or out.shape != result.shape or out.dtype.kind != "f":
            raise ArgumentError(f"{name}: out should be an array of shape {result.shape}")
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
