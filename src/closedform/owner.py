"""What every owner of forms has: a method per form, kernels, equations and source code."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
from casadi import Function
from numpy.typing import DTypeLike

from .emit import Request, Subject, export, export_library, form_subject, requested
from .form_methods import OWNERS, FormFunction, FormKernels, FormMethod, chosen_variant, is_still
from .forms import Catalogue, Choices, Form
from .guests.casadi_batches import casadi_batch
from .guests.casadi_functions import casadi_function
from .kernels import FormRecipe, Kernel
from .kernels.compiled import evaluator
from .model.idle import refuse_still
from .programs import Program


class FormsOwner:
    """Gives an owner the forms of its `model` as methods, with `kernel`, `equations` and `export`.

    A method is compiled when first used and broadcasts over batches. It takes arrays in order or by
    name, `out` and `threads`; a form of several outputs gives a named tuple of arrays. If all arrays are
    float32, so is the result.

    >>> import numpy as np, closedform as cf
    >>> robot, q = cf.load("2r"), np.zeros(2)
    >>> robot.jacobian
    <form jacobian(q, frame=None, *, reference=None, out=None, threads=1) of '2r'>
    >>> robot.jacobian(q=q, frame="tool").shape
    (6, 2)
    >>> robot.mass_matrix(q.astype(np.float32)).dtype
    dtype('float32')
    """

    FORMS: ClassVar[Catalogue]

    def __init_subclass__(cls, forms: Catalogue | None = None) -> None:
        if forms is not None:
            cls.FORMS = forms
            forms.watch(cls._install)

    @classmethod
    def _install(cls, name: str, form: Form | None) -> None:
        """Give the class the method of a form, or take it away, with what owners have compiled of it."""
        if form is not None:
            setattr(cls, name, FormMethod(form))
            return
        delattr(cls, name)
        for owner in tuple(OWNERS.values()):
            if isinstance(owner, cls):
                vars(owner).pop(name, None)
                owner._methods.pop(name, None)
                owner._kernels.drop(name)

    def __init__(self, model: Any) -> None:
        self.model = model
        self._kernels = FormKernels(model, self.FORMS)
        self._methods: dict[str, FormFunction] = {}
        OWNERS[id(self)] = self

    def kernel(
        self,
        name: str,
        frame: str | None = None,
        dtype: DTypeLike = np.float64,
        order: int | None = None,
        phi: bool = False,
        geometry: bool = False,
        **choices: Unpack[Choices],
    ) -> Kernel:
        """Return the compiled form itself, with its program, operation counts and `bind`.

        `frame` chooses the frame of forms such as `pose`, `order` the member of a family such as
        `inverse_dynamics_rates`. With `phi` the inertial parameters are a last input instead of
        constants, for adaptive control; on elastic joints so are stiffness and motor inertia. With
        `geometry` the placements of the joints are one too, after phi, for calibration (`robot.geometry`
        has the present ones). Further choices are those of the form: `reference`, `relative_to`, `rows`,
        `coordinates`, `friction`, `springs`, `factorisation`, and `wrenches` (True for one of each body,
        or names of frames), which are then inputs too.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
        >>> state, s, u = np.zeros((4, 2)), np.zeros(2), np.empty(2)
        >>> control = arm.kernel("decoupling").bind(*state, s, out=u)
        >>> control()
        """
        return self._kernels.find(name, frame, dtype, order, phi, geometry, **choices)

    def program(
        self,
        name: str,
        frame: str | None = None,
        order: int | None = None,
        phi: bool = False,
        geometry: bool = False,
        **choices: Unpack[Choices],
    ) -> Program:
        """Return a form as straight-line code, without compiling it."""
        variant = chosen_variant(name, frame, order, phi, geometry, choices)
        return FormRecipe(self.model, name, variant).program()

    def casadi(
        self,
        name: str,
        frame: str | None = None,
        order: int | None = None,
        phi: bool = False,
        geometry: bool = False,
        batch: int | None = None,
        **choices: Unpack[Choices],
    ) -> Function:
        """Return a form as a `casadi.Function` with closed-form derivatives, for Opti and `nlpsol`.

        Names and shapes are those of the form; of an array with three axes the first two are the rows of a
        matrix. The arguments choose as those of `kernel` do. If all joints have one degree of freedom,
        derivatives are closed forms where the catalogue has them; else CasADi differentiates the expression.

        With `batch` it is a function of that many samples side by side, such as the instants of a horizon,
        one per column of q: what `map` makes of the other one, but evaluated by machine code in one call, as
        first and second derivatives are too. It cannot be serialised or written as C code.

        >>> import casadi as ca, closedform as cf
        >>> f = cf.load("2r").casadi("inverse_dynamics")
        >>> f
        Function(inverse_dynamics:(q[2],qd[2],qdd[2])->(inverse_dynamics[2]) MXFunction)
        >>> opti = ca.Opti()
        >>> q = opti.variable(2)
        >>> opti.subject_to(f(q, 0, 0)[0] == 5.0)
        >>> cf.load("2r").casadi("inverse_dynamics", batch=30)
        Callback(inverse_dynamics:(q[2x30],qd[2x30],qdd[2x30])->(inverse_dynamics[2x30]) CallbackInternal)
        """
        variant = chosen_variant(name, frame, order, phi, geometry, choices)
        recipe = FormRecipe(self.model, name, variant)
        if is_still(recipe.form, self.model):
            refuse_still(self.model, "casadi")
        if batch is None:
            return casadi_function(self.model, recipe.form)
        return casadi_batch(recipe, batch, evaluator)

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
        **choices: Unpack[Choices],
    ) -> Any:
        """Return a form as SymPy expressions to read: angle sums merged, like terms collected.

        `symbolic` says which constants stay letters: True for all, or some of "inertia",
        "geometry", "gravity", "friction", "springs" for a robot; of the first three, "stiffness" and
        "damping" for a flexible arm; of the first three and "drives" for elastic joints. `parameters` names
        a robot's inertias: "masses" for m1, c1x, I1xx about the centre of mass, "gautier-khalil" for
        XX1 ... M1 about the frame origin. Other constants are numbers, with `digits` significant digits or
        as `rational` fractions. What takes longer than `seconds` is returned correct, in terms of
        definitions, with a warning. Prints as text, LaTeX and MathML; a form of several outputs gives
        a tuple.

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
            frame,
            order=order,
            symbolic=symbolic,
            parameters=parameters,
            digits=digits,
            rational=rational,
            seconds=seconds,
            **choices,
        )

    def export(
        self,
        name: str | Sequence[Request],
        language: str,
        path: str | os.PathLike[str],
        *,
        frame: str | None = None,
        precision: str = "double",
        order: int | None = None,
        phi: bool = False,
        geometry: bool = False,
        **choices: Unpack[Choices],
    ) -> tuple[Path, ...]:
        """Write forms as source code ("c", "c++", "cuda", "matlab", "simulink", "numpy"); return the paths.

        One name gives files of its own: `path` is a folder (one that ends in / is made), or a file without
        its ending, which then names the function too. A list of names gives a folder, which is made: in C
        and C++ a library with one header, a CMake file, a page of sizes, and a self-check that compares with
        numbers stored here. `frame`, `order`, `phi`, `geometry` and the further choices of `kernel` go to
        every form that takes them; a pair chooses for one form.

        >>> import tempfile, closedform as cf
        >>> robot, folder = cf.load("2r"), tempfile.mkdtemp()
        >>> [path.name for path in robot.export("mass_matrix", "c", folder)]
        ['robot_2r_mass_matrix.h', 'robot_2r_mass_matrix.c']
        >>> forms = ["inverse_dynamics", ("jacobian", {"frame": "tool"})]
        >>> for path in robot.export(forms, "c++", folder + "/gen"):
        ...     print(path.name)
        robot_2r.h
        robot_2r.hpp
        robot_2r_inverse_dynamics.c
        robot_2r_jacobian_tool.c
        self_check.c
        CMakeLists.txt
        README.md
        """
        common = {"frame": frame, "order": order, "phi": phi, "geometry": geometry, **choices}
        if isinstance(name, str):
            (form,) = requested(self.FORMS, [(name, common)], {})
            return export(*self._function(form), language, path, precision=precision)
        functions = [self._function(form) for form in requested(self.FORMS, name, common)]
        return export_library(functions, language, path, precision=precision)

    def _function(self, form: Form) -> tuple[Program, Subject]:
        """Return the program of a form, and what exported code says of it."""
        if is_still(form, self.model):
            refuse_still(self.model, "export")
        return FormRecipe(self.model, form.name, form.variant).program(), form_subject(form, self.model)
