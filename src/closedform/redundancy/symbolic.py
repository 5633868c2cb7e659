"""The conditions of an optimum as equations for people: f, J, H, h, Z and Zh in letters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..checks import instance, known_name, some_of, whole_number
from ..errors import ArgumentError, shown
from ..forms import Quantity
from ..forms.quantities import COORDINATES
from ..model.idle import refuse_still
from ..programs import program
from ..programs.building import BUILDING
from ..robot import Robot
from .cofactors import cleared_rows
from .criteria import read_criterion
from .multistart import SINGULAR
from .pivoted import Columns, pivots
from .problem import require_redundant
from .task import Task, read_task
from .twist import Twist, form_at

if TYPE_CHECKING:
    from ..equations import Equations
    from ..equations.printing import Several

QUANTITIES = {
    "q": COORDINATES,
    "x": Quantity("x", "x", "m", "places of the frame that the task prescribes"),
    "J": Quantity("J", "J", "1 or m", "Jacobian of the task"),
    "H": Quantity("H", "H", "", "criterion"),
    "h": Quantity("h", "h", "", "gradient of the criterion"),
    "Z": Quantity("Z", "Z", "", "null-space rows, times det(J_m)"),
    "D": Quantity("D", r"\det J_m", "", "determinant of J_m"),
    "Zh": Quantity("Zh", "Zh", "", "conditions of an optimum, times det(J_m)"),
    "r2": Quantity("r2", "r^2", "m^2", "squared distance of the tip from the first axis"),
}
"""What the equations are of."""


@dataclass(frozen=True)
class Reduced:
    """The conditions without the first joint, of a robot that turns about z first.

    `r2` is x^2 + y^2 and `Zh` the condition of the optimum, both in q2, q3, ... alone; `first` is q1 in
    these and in the symbols x and y, a SymPy expression.
    """

    r2: Equations
    Zh: Equations
    first: Any


@dataclass(frozen=True, repr=False)
class ConditionEquations:
    """The conditions x = f(q), Zh = 0 [Chang1987, Eq. (11)] in letters, with what they are made of.

    `x` is f(q) (None if rotations are part of the task), `J` its Jacobian, `H` the criterion and `h` its
    gradient [Chang1987, Eq. (5)]. `Z` is that of [Chang1987, Eq. (9)] times `D` = det(J_m), so that it has
    no quotients, and `Zh` is their product. `columns` are the joints of J_m and `others` the rest, from 0.
    `reduced` is the same without the first joint, or None if that cannot be taken out.
    """

    x: Equations | None
    J: Equations
    H: Equations
    h: Equations
    Z: Equations
    D: Equations
    Zh: Equations
    columns: Columns
    others: Columns
    reduced: Reduced | None

    @property
    def _parts(self) -> Several[Equations]:
        from ..equations.printing import Several  # noqa: PLC0415 (SymPy takes long to import)

        parts = (self.x, self.J, self.H, self.h, self.Z, self.Zh)
        return Several(each for each in parts if each is not None)

    def __str__(self) -> str:
        return str(self._parts)

    def __repr__(self) -> str:
        return f"<ConditionEquations: {', '.join(repr(each)[1:-1] for each in self._parts)}>"

    def _repr_latex_(self) -> str:
        return self._parts._repr_latex_()


def equations(
    robot: Robot,
    task: Any = "pose",
    criterion: Any = "manipulability",
    *,
    columns: Sequence[int] | None = None,
    symbolic: bool | str | Collection[str] = True,
    parameters: str = "masses",
    digits: int | None = None,
    rational: bool = False,
    seconds: float = 60.0,
) -> ConditionEquations:
    """Return f, J, H, h, Z and Zh of a robot, a task and a criterion as equations, in SymPy and LaTeX.

    `columns` are the joints of J_m, counted from 0; by default the first m, or others if those are singular
    everywhere. `symbolic`, `parameters`, `digits`, `rational` and `seconds` are those of `robot.equations`:
    lengths are letters L1, L2, ... unless `symbolic` says otherwise. A robot whose conditions take more
    than 3000 operations is refused.

    >>> import closedform as cf
    >>> criterion = cf.redundancy.manipulability(squared=True)
    >>> print(cf.redundancy.equations(cf.load("chang3r"), "xy", criterion).Z)
    Z[1,1] = L2*L3*sin(q3)
    Z[1,2] = -L3*(L1*sin(q2 + q3) + L2*sin(q3))
    Z[1,3] = L1*(L2*sin(q2) + L3*sin(q2 + q3))
    """
    from ..equations import program_equations  # noqa: PLC0415 (SymPy takes long to import)
    from ..equations.build import angle_groups, refuse_long  # noqa: PLC0415
    from ..equations.parameters import CONVENTIONS, KINDS, lettered_tree  # noqa: PLC0415
    from ..equations.write import PARAMETERS  # noqa: PLC0415

    model = instance("robot", robot, Robot, "a Robot, as cf.load gives it").model
    refuse_still(model, "equations")
    chosen, best = read_task(model, task), read_criterion(criterion)
    require_redundant("equations", robot, chosen)
    kinds = some_of("symbolic", symbolic, KINDS)
    known_name("convention of inertial parameters", parameters, CONVENTIONS)
    picked, others = regular_columns(robot, chosen, columns)
    planar = chosen.rows == ("x", "y")
    with BUILDING:
        tree, letters = lettered_tree(model, parameters, kinds, {"LE": model.frame(chosen.frame)})
        q = SX.sym("q", model.nq)
        J = form_at("jacobian", model, q, chosen.frame, "world_aligned", tree)[chosen.row_numbers, :]
        H, _ = best.expressions(model, q, Twist(tree, q, model.frame(chosen.frame), chosen.rows, J))
        h = ca.gradient(H, q)
        Z, D = cleared_rows(J, picked, others)
        outputs: list[Any] = [
            ("J", J.shape, J),
            ("H", (), H),
            ("h", (model.nq,), h),
            ("Z", Z.shape, Z),
            ("D", (), D),
            ("Zh", (len(others),), Z @ h),
        ]
        if not chosen.turns:
            place = form_at("pose", model, q, chosen.frame, tree=tree)[:3, 3]
            x = ca.vertcat(*(place[k - 3] for k in chosen.row_numbers))
            outputs.append(("x", (chosen.m,), x))
            if planar:
                outputs.append(("r2", (), ca.sumsqr(x)))
        used = {each.element_hash() for each in ca.symvar(ca.veccat(*(each[-1] for each in outputs)))}
        letters = tuple(each for each in letters if each.symbol.element_hash() in used)
        more = [(PARAMETERS, (len(letters),), ca.vertcat(*(each.symbol for each in letters)))]
        traced = program("conditions", [("q", (model.nq,), q), *(more if letters else [])], outputs)
    refuse_long(traced, model.name)
    written = program_equations(
        traced,
        QUANTITIES,
        groups=angle_groups(model),
        parameters=letters,
        kinds=kinds,
        digits=digits,
        rational=rational,
        seconds=seconds,
    )
    found: dict[str, Any] = {each.name: each for each in written}  # type: ignore[union-attr]
    reduced = _reduced(found) if planar else None
    found.pop("r2", None)
    return ConditionEquations(**{"x": None, **found}, columns=picked, others=others, reduced=reduced)


def regular_columns(robot: Robot, task: Task, given: Sequence[int] | None) -> tuple[Columns, Columns]:
    """Return the joints of J_m, and the others; the first m if these are regular at some posture."""
    n, m = robot.nv, task.m
    J = _somewhere(robot, task)
    if given is None:
        first = tuple(range(m))
        return (first, tuple(range(m, n))) if _regular(J[:, :m]) else pivots(J)
    if not isinstance(given, tuple | list):
        raise ArgumentError(f"columns is {shown(given)}; expected {m} joints, counted from 0")
    picked = tuple(whole_number("columns: joint", k, 0, n - 1) for k in given)
    if len(picked) != m or len(set(picked)) != m:
        raise ArgumentError(f"columns is {shown(given)}; expected {m} different joints, counted from 0")
    if not _regular(J[:, list(picked)]):
        raise ArgumentError(f"columns {picked}: J_m of {robot.name!r} is singular everywhere; choose others")
    return picked, tuple(k for k in range(n) if k not in picked)


def _somewhere(robot: Robot, task: Task) -> Array:
    """Return the Jacobian of the task at one posture, of no symmetry."""
    q = np.cos(np.arange(1.0, robot.nq + 1))
    return np.asarray(robot.jacobian(q, task.frame, reference="world_aligned")[task.row_numbers])


def _regular(J: Array) -> bool:
    return bool(np.linalg.cond(J) < 1 / SINGULAR)


def _reduced(found: dict[str, Any]) -> Reduced | None:
    """Return the conditions without q1 if the first joint turns the tip about z and changes no Zh.

    With the tip at (x0, y0) for q1 = 0, q1 = +-(atan2(y, x) - atan2(y0, x0)), with the sign of the axis.
    """
    import sympy as sp  # noqa: PLC0415

    q1 = sp.Symbol("q1")
    x, r2, Zh = found["x"], found["r2"], found["Zh"]
    if x.definitions or any(q1 in each.free_symbols for each in (*r2.entries, *Zh.entries)):
        return None
    slope = found["J"].matrix[0, 0]
    signs = [sign for sign in (1, -1) if sp.expand(slope + sign * x.entries[1]) == 0]
    if not signs:
        return None
    x0, y0 = (each.subs(q1, 0) for each in x.entries)
    turn = sp.atan2(sp.Symbol("y"), sp.Symbol("x")) - sp.atan2(y0, x0)
    return Reduced(r2, Zh, signs[0] * turn)
