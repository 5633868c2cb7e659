"""Operations per iteration of each method: the paper's estimates, and the counts of our programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks import not_negative, whole_number
from ..errors import ArgumentError
from ..forms import Variant
from ..kernels import FormRecipe, traced
from ..programs import Program
from ..robot import Robot
from .classify import SIGNS
from .joint_rates import rate_system
from .pivoted import pivoted_conditions
from .problem import prepared, require_redundant
from .symbolic import regular_columns

MOST_JOINTS = 1000
"""Joints of an estimate."""


@dataclass(frozen=True)
class PaperEffort:
    """The paper's estimates for n joints and m rows: additions, products and quotients, no sines.

    `proposed` is N_1 = N_FK + N_J + N_Zh + N_nl of one iteration of the proposed method
    [Chang1987, Eqs. (14)-(18)], `evaluation` N_a of the right side of (20) once J is known
    [Chang1987, Eq. (23)], and `predictor_corrector` and `runge_kutta` N_2 of one integration step of resolved
    motion [Chang1987, Eqs. (21)-(25)]. The gradient h counts nothing.
    """

    n: int
    m: int
    forward_kinematics: float
    jacobian: float
    conditions: float
    solver: float
    evaluation: float

    @property
    def proposed(self) -> float:
        """N_1 of one iteration with MINPACK [Chang1987, Eqs. (14), (18)]."""
        return self.forward_kinematics + self.jacobian + self.conditions + self.solver

    @property
    def predictor_corrector(self) -> float:
        """N_2 of a step with two evaluations and N_b = 23 n [Chang1987, Eq. (24), printed without a cube]."""
        return 2 * (self.jacobian + self.evaluation) + 23 * self.n

    @property
    def runge_kutta(self) -> float:
        """N_2 of a step with four evaluations and N_b = 13 n [Chang1987, Eq. (25)]."""
        return 4 * (self.jacobian + self.evaluation) + 13 * self.n


def paper_effort(
    n: int, m: int, *, forward_kinematics: float | None = None, jacobian: float | None = None
) -> PaperEffort:
    """Return the paper's counts of operations for an arm of n joints and a task of m rows.

    [Chang1987, Eqs. (14)-(18), (21)-(25)]. `forward_kinematics` and `jacobian` replace the counts of general
    arms, N_FK = 52 (n - 1) + 6 (15) and N_J = 45 n - 93 (16); the paper's planar arm has 8 and 12.

    >>> general = paper_effort(7, 6)
    >>> general.proposed, general.predictor_corrector, general.runge_kutta
    (1305.5, 1867.0, 3503.0)
    >>> planar = paper_effort(3, 2, forward_kinematics=8, jacobian=12)
    >>> planar.proposed, planar.runge_kutta, planar.predictor_corrector
    (135.5, 275.0, 187.0)
    """
    n = whole_number("paper_effort: n", n, 2, MOST_JOINTS)
    m = whole_number("paper_effort: m", m, 1, MOST_JOINTS)
    if m >= n:
        raise ArgumentError(f"paper_effort: n = {n} and m = {m}; expected more joints than rows")
    kinematics = 52 * (n - 1) + 6 if forward_kinematics is None else forward_kinematics
    matrix = 45 * n - 93 if jacobian is None else jacobian
    elimination = 2 * m**3 / 3 + 3 * m**2 / 2 - 7 * m / 6
    return PaperEffort(
        n,
        m,
        forward_kinematics=not_negative("paper_effort: forward_kinematics", kinematics),
        jacobian=not_negative("paper_effort: jacobian", matrix),
        conditions=round(elimination + (n - m) * (2 * m - 1), 9),
        solver=11.5 * n**2,
        evaluation=round(2 * m**3 / 3 + n * m**2 + 5 * n * m + m**2 - 2 * m / 3 - n, 9),
    )


@dataclass(frozen=True)
class Effort:
    """Operations of the programs of a robot, task and criterion, and the paper's estimates of the same size.

    Of ours, `conditions` are e and Zh, `newton` all that one iteration of `solve` evaluates (exact
    derivatives, a null-space basis and the curvature for the second-order check, without the step of one
    division per self-motion), `rates` one evaluation of (19) with J and h, `step` one Runge-Kutta step of
    it, and `extended` the rates of the extended Jacobian method. Sines and cosines are not counted, as in
    the paper; the gradient h and its derivatives are, unlike there.
    """

    paper: PaperEffort
    forward_kinematics: int
    jacobian: int
    conditions: int
    newton: int
    rates: int
    step: int
    extended: int

    @property
    def rows(self) -> tuple[tuple[str, float | None, int | None], ...]:
        """What is counted, the paper's estimate and ours; None if there is none."""
        p = self.paper
        return (
            ("forward kinematics", p.forward_kinematics, self.forward_kinematics),
            ("Jacobian", p.jacobian, self.jacobian),
            ("x = f(q) and Zh", p.forward_kinematics + p.jacobian + p.conditions, self.conditions),
            ("proposed, one iteration", p.proposed, self.newton),
            ("resolved motion, one evaluation", p.jacobian + p.evaluation, self.rates),
            ("resolved motion, one predictor-corrector step", p.predictor_corrector, None),
            ("resolved motion, one Runge-Kutta step", p.runge_kutta, self.step),
            ("extended Jacobian, one evaluation", None, self.extended),
        )

    def __str__(self) -> str:
        lines = [f"{'operations':<47}{'paper':>8}{'here':>8}"]
        for what, *counts in self.rows:
            shown = ("" if count is None else f"{count:.0f}" for count in counts)
            lines.append(f"{what:<47}" + "".join(f"{each:>8}" for each in shown))
        return "\n".join(lines)


def effort(robot: Robot, task: Any = "pose", criterion: Any = "manipulability") -> Effort:
    """Return the operations of each method for a robot, a task and a criterion, beside the paper's.

    Nothing is compiled. The estimates are those of a general arm of as many joints.

    >>> import closedform as cf
    >>> print(cf.redundancy.effort(cf.load("chang3r"), "xy"))  # doctest: +ELLIPSIS
    operations                                        paper    here
    forward kinematics                                  110...
    """
    search = prepared(robot, task, criterion, None, True)
    c = search.conditions
    require_redundant("effort", robot, c.task)
    frame, sign = c.task.frame, SIGNS[search.kind]
    pose = FormRecipe(robot.model, "pose", Variant(frame)).program()
    jacobian = FormRecipe(robot.model, "jacobian", Variant(frame, reference="world_aligned")).program()
    motion = rate_system(c, "pseudoinverse", sign)
    inputs, F = pivoted_conditions(c, *regular_columns(robot, c.task, None))
    programs = {
        "forward_kinematics": pose,
        "jacobian": jacobian,
        "conditions": traced("conditions", inputs, [("F", F)]),
        "newton": c.optimality_program,
        "rates": motion.rate_program,
        "step": motion.step_program,
        "extended": rate_system(c, "extended_jacobian", sign).rate_program,
    }
    return Effort(paper_effort(c.n, c.m), **{name: _operations(each) for name, each in programs.items()})


def _operations(program: Program) -> int:
    """Return the operations of a program without sines and cosines."""
    return program.counts.total - program.counts.sines_and_cosines
