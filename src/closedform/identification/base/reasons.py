"""Why a parameter is kept, regrouped or without effect: the rule, the neighbours, the equation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...arrays import Array
from ...model import Model
from .attainable import attained_by
from .regrouping import Regrouping
from .rules import Rule, covered, rules_of, together, turning_directions
from .scale import scaled_model
from .table import collected, combined, equation_lines
from .transfer import SIZE, Entries, parameter_name

KEPT, REGROUPED, NO_EFFECT = "kept", "regrouped", "no effect"

NEGLIGIBLE = 1e-11
"""Size of coefficients, in units of the robot, that are round-off."""


@dataclass(frozen=True)
class Reason:
    """What became of one parameter, and why.

    `kind` is "kept", "regrouped" or "no effect". The parameter acts as the base parameters `into`, with
    these coefficients, and in one step as its `neighbours`, parameters of its own link and of the link
    before (alpha of [GautierKhalil1990, Eqs. (5), (6)]). `rule` says why, with its place in that paper;
    `beyond` is True if the paper's closed-form rules do not say it.
    """

    name: str
    kind: str
    rule: str
    into: Mapping[str, Any]
    neighbours: Mapping[str, Any]
    beyond: bool = False

    @property
    def equation(self) -> str:
        """The parameter as the combination of neighbours that it acts as: M6 -> M5; 0 without effect."""
        return f"{self.name} -> {combined(self.neighbours)}"

    def __str__(self) -> str:
        return f"{self.equation if self.kind == REGROUPED else self.name}, {self.kind}: {self.rule}"


def reasons_of(
    model: Model,
    names: Mapping[int, str],
    matrix: Entries,
    regroupings: Sequence[Regrouping],
    numerically: Collection[str] = (),
) -> dict[str, Reason]:
    """Return the reason of every parameter by its name, in the order of phi.

    `names` are those of the base parameters by their indices in phi, `matrix` gives them as combinations of
    all. `regroupings` are in numbers and, if there are letters, in letters; none if the numeric method found
    the parameters. Those that only it eliminated are `numerically`.
    """
    labels = list(names.values())
    found: dict[str, Reason] = {}
    for k, (rule, neighbours) in enumerate(_steps(model, matrix.shape[1], regroupings, numerically)):
        name = parameter_name(k)
        into = {labels[i]: collected(matrix[i, k]) for i in np.flatnonzero(matrix[:, k] != 0)}
        if into:
            kind = KEPT if k in names else REGROUPED
            found[name] = Reason(name, kind, rule.text, into, neighbours, rule.beyond)
        elif rule.drops or not neighbours:
            found[name] = Reason(name, NO_EFFECT, rule.text, {}, {}, rule.beyond)
        else:
            # the link before has been seen already: parents come first
            alone = all(found[each].kind == NO_EFFECT for each in neighbours)
            without = "without effect" if alone else "together without effect"
            text = f"{rule.text}; it acts as {combined(neighbours)}, {without}"
            found[name] = Reason(name, NO_EFFECT, text, {}, neighbours, rule.beyond)
    return found


NOTHING = np.zeros((SIZE, 0))

NUMERIC = Rule("the rank of sampled regressors shows it", "", NOTHING, drops=False)


def _steps(
    own: Model, count: int, regroupings: Sequence[Regrouping], numerically: Collection[str]
) -> Iterator[tuple[Rule, dict[str, Any]]]:
    """Yield of each parameter the rule, and the neighbours that it acts as."""
    if not regroupings:
        yield from ((NUMERIC, {}) for _ in range(count))
        return
    model, factors = scaled_model(own)
    attained = [each for each, _ in attained_by(model)]
    for k, (gone, rules) in enumerate(zip(regroupings[0].eliminations, rules_of(model), strict=True)):
        spatial = turning_directions(attained[k]).shape[1] == 3
        for row in range(SIZE):
            if parameter_name(SIZE * k + row) in numerically:
                yield NUMERIC, {}
            elif row not in gone.rows:
                yield _kept(k + 1, spatial and row < 6), {}
            else:
                rule = _why(rules, gone.moves[:, gone.rows.index(row)] / factors, k + 1)
                yield rule, _neighbours(regroupings, k, row, factors)


def _kept(link: int, of_tensor: bool) -> Rule:
    if of_tensor:
        return Rule(f"link {link} turns about every direction", "section III-B, rule 4", NOTHING, drops=False)
    return Rule(
        f"joint {link} feels it: no neighbours satisfy the condition", "Eq. (5)", NOTHING, drops=False
    )


def _why(rules: Sequence[Rule], parameters: Array, link: int) -> Rule:
    """Return the fewest rules that cover a combination of parameters of a link, as one."""
    for count in range(1, len(rules) + 1):
        for some in combinations(rules, count):
            if covered(np.hstack([each.space for each in some]), parameters):
                return some[0] if count == 1 else together(some)
    return Rule(
        f"joint {link} does not feel it, by the spans of what link {link} attains",
        "",
        parameters[:, None],
        drops=False,
    )


def _neighbours(regroupings: Sequence[Regrouping], k: int, row: int, factors: Array) -> dict[str, Any]:
    """Return the parameters of a link and of the link before that an eliminated one acts as."""
    sizes, written = (each.acts_as(k, row) for each in (regroupings[0], regroupings[-1]))
    felt = [i for i, size in sizes.items() if abs(size) * factors[row] > NEGLIGIBLE * factors[i % SIZE]]
    return {parameter_name(i): collected(written[i]) for i in felt}


def acting(reasons: Mapping[str, Reason], digits: int) -> str:
    """Return as text what each parameter acts as: others of its link and of the link before."""
    found = {name: combined(each.neighbours, digits) for name, each in reasons.items() if each.neighbours}
    return "\n".join(["acts as:", *equation_lines(found, "->")])
