"""What regrouped inertias save: operations of a form before and after."""

from __future__ import annotations

from dataclasses import dataclass

from ...forms import Variant
from ...forms.tree import Tree
from ...model import Model
from ...programs import trace
from ...programs.program import Counts


@dataclass(frozen=True)
class Savings:
    """Operations of a form on the bodies' own inertias and on regrouped ones."""

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
