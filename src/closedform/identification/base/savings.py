"""What regrouped inertias save: operations of a form before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from casadi import SX

from ...errors import ArgumentError
from ...forms import Variant, form
from ...forms.tree import Tree
from ...model import Model
from ...programs import Program, form_program, trace
from ...programs.program import Counts


@dataclass(frozen=True)
class Savings:
    """Operations of a form on the bodies' own inertias and on regrouped ones, as numbers or as inputs."""

    name: str
    before: Counts
    after: Counts

    @property
    def share(self) -> float:
        """The share of the operations that regrouping saves."""
        return 1 - self.after.total / self.before.total if self.before.total else 0.0

    def __str__(self) -> str:
        before, after = (f"{each.additions} + {each.multiplications}" for each in (self.before, self.after))
        return (
            f"{self.name}: {before} additions and multiplications, {after} with regrouped inertias "
            f"({100 * self.share:.1f} % of the operations saved)"
        )


def operation_savings(model: Model, name: str = "inverse_dynamics", order: int | None = None) -> Savings:
    """Return how many operations the regrouped inertias save in a form that the library generates.

    Forms are generated from regrouped inertias anyway; this counts what they would cost otherwise.
    """
    trees = (Tree.of(model, regroup=False), Tree.of(model))
    variant = Variant(order=order)
    return Savings(name, *(trace(model, name, variant, basis=(tree,)).counts for tree in trees))


def input_savings(
    model: Model, kept: Sequence[int], name: str = "inverse_dynamics", order: int | None = None
) -> Savings:
    """Return how many operations of a form the base parameters save as inputs, in place of all parameters."""
    before = trace(model, name, Variant(order=order, phi=True)).counts
    return Savings(name, before, base_program(model, kept, name, order).counts)


def base_program(model: Model, kept: Sequence[int], name: str, order: int | None = None) -> Program:
    """Return a form that the base parameters determine, with these as its last input.

    The other parameters are zero: with the regrouped ones the dynamics are the same
    [GautierKhalil1990, Eq. (6)].
    """
    it = form(name, order)
    if not it.may_take("phi") or it.group in UNDETERMINED or name in UNDETERMINED:
        raise ArgumentError(
            f"base parameters: {name} does not follow from them alone; expected a form of joint forces or "
            "of the mass matrix, such as inverse_dynamics"
        )
    base = SX.sym("base", len(kept))
    phi = SX(model.phi.size, 1)
    for place, k in enumerate(kept):
        phi[k] = base[place]
    return form_program(it, model, basis=(Tree.of(model, phi=phi),), more=[("base", (len(kept),), base)])


UNDETERMINED = ("kinematics", "centroidal", "potential_energy")
"""Groups of forms, and forms, that depend on more than the base parameters: where the mass is, for one."""
