"""Operations per evaluation of every form, as the papers report them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from ...errors import ClosedFormError
from ...forms import FORMS, Form
from ...forms.catalogue import INERTIAS
from ...kernels import cache
from ...kernels.recipe import FormRecipe
from ...model import Model
from ...programs import Counts, trace
from ...programs.size import foreseen
from ..section import Section
from .robot_study import TIMED_GROUP, Study

MOST = 20_000
"""Operations beyond which a form that is not timed is left uncounted: tracing it takes seconds."""


@dataclass(frozen=True)
class FormCounts:
    """The operations of one form, or why they were not counted."""

    name: str
    group: str
    summary: str
    counts: Counts | None
    problem: str = ""


@dataclass(frozen=True)
class CountFacts:
    """The operations of every form that the robot has."""

    rows: tuple[FormCounts, ...]

    @property
    def largest(self) -> int:
        """Operations of the longest form."""
        return max((row.counts.total for row in self.rows if row.counts), default=1)

    @property
    def frame_forms(self) -> bool:
        """Whether forms of a chosen frame are among them."""
        return any(FORMS[row.name].framed for row in self.rows)


def gather(study: Study) -> CountFacts:
    """Return the counts; forms that are not timed are traced without being compiled.

    The papers' block matrices are left out: nothing is computed through them.
    """
    model = study.robot.model
    forms = [form for form in FORMS.values() if model.has_inertia or INERTIAS not in form.needs]
    forms = [form for form in forms if form.group != "blocks"]
    key = _key(model, forms)
    rows = _kept(key, forms)
    if rows is None:
        rows = tuple(_counted(study, form) for form in forms)
        cache.save(
            key, json.dumps([[row.counts and astuple(row.counts), row.problem] for row in rows]).encode()
        )
    return CountFacts(rows)


def _key(model: Model, forms: Sequence[Form]) -> str:
    """Return the name under which counts are kept: of all that the programs follow from."""
    identities = (FormRecipe(model, form.name).identity for form in forms)
    return cache.key("operation counts", *(part for identity in identities for part in identity))


def _kept(key: str, forms: Sequence[Form]) -> tuple[FormCounts, ...] | None:
    """Return the counts of an earlier report: to trace all forms takes most of the time of a page."""
    kept = cache.load(key)
    if kept is None:
        return None
    return tuple(
        FormCounts(form.name, form.group, form.summary, counts and Counts(*counts), problem)
        for form, (counts, problem) in zip(forms, json.loads(kept), strict=True)
    )


def _counted(study: Study, form: Form) -> FormCounts:
    counts, problem = None, ""
    try:
        if form.group == TIMED_GROUP:
            counts = study.robot.kernel(form.name).counts
        elif foreseen(form, study.robot.model) <= MOST:
            counts = trace(study.robot.model, form.name).counts
        else:
            problem = "not counted, to keep this report quick"
    except ClosedFormError as error:
        problem = str(error)
    return FormCounts(form.name, form.group, form.summary, counts, problem)


SECTION = Section("counts", "Operation counts", gather)
