"""Operations per evaluation of every form, as the papers report them."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ClosedFormError
from ...forms import FORMS, Form
from ...forms.catalogue import INERTIAS
from ...kernels import FormRecipe
from ...kernels.kept_counts import kept_counts
from ...programs import Counts
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
    """Return the counts. Forms are traced, not compiled, and only if they were not counted before.

    The papers' block matrices are left out: nothing is computed through them.
    """
    forms = (form for form in FORMS.values() if study.robot.model.has_inertia or INERTIAS not in form.needs)
    return CountFacts(tuple(_counted(study, form) for form in forms if form.group != "blocks"))


def _counted(study: Study, form: Form) -> FormCounts:
    counts, problem = None, ""
    try:
        if form.group == TIMED_GROUP or foreseen(form, study.robot.model) <= MOST:
            counts = kept_counts(FormRecipe(study.robot.model, form.name))
        else:
            problem = "not counted, to keep this report quick"
    except ClosedFormError as error:
        problem = str(error)
    return FormCounts(form.name, form.group, form.summary, counts, problem)


SECTION = Section("counts", "Operation counts", gather)
