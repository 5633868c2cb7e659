"""Every number of Chang's tables and counts, beside ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import redundancy
from ...arrays import Array
from ..printed import Printed
from .motions import along_the_printed_tips, corners, proposed, settled, study, tips
from .tables import COLUMNS, TABLES, Row, Visit

SUMMED = (
    "A square of 100 mm from (446.004, 91.5136) has its lower side at -8.4864; the print is 2e-4 mm off, as "
    "if the path had been summed up in single precision."
)
STOPPED = "The printed iteration stopped at 1e-4 degrees, as the text says."
ROUNDED = "Forward kinematics of the printed angles; that these are rounded explains the last digit."
START = (
    "Erratum: the printed start is not on its printed tip. Forward kinematics of the printed angles give "
    "(445.856, 92.017) mm, 0.52 mm off, which resolved motion keeps."
)
ALONG = (
    "Resolved motion that climbs the manipulability (the root of (29), lengths in metres) with a gain of "
    "10/s at 10 mm/s, through the printed tips: within 1.2e-4 degrees, of angles and tips that are rounded."
)
ASIDE = "Ours stays on the vertex while the arm moves; the print has come off it by this much."


def printed() -> list[Printed]:
    """Return every number of Tables I to III and of the counts of operations and iterations."""
    return [*_tables(), *_counts(), *_simulation()]


def rows_of(label: str) -> list[tuple[Visit, Array, Array]]:
    """Return the rows of a table: what is printed, and our angles of both methods in degrees.

    Resolved motion goes through the printed tips in Tables I and II, and is at rest in Table III.
    """
    visits = TABLES[label]
    theirs = dict(zip(TABLES, (*along_the_printed_tips(), settled()[0]), strict=True))[label]
    return [(visit, proposed()[visit.vertex], row) for visit, row in zip(visits, theirs, strict=True)]


def _tables() -> Iterator[Printed]:
    for label in TABLES:
        for number, (visit, ours, theirs) in enumerate(rows_of(label), start=1):
            where = f"row {number}"
            for text, value, what in zip(visit.command, 1e3 * corners()[visit.vertex], COLUMNS, strict=False):
                yield _made(label, f"{where}, command: {what}", text, value, SUMMED)
            yield from _angles(label, f"{where}, proposed method", visit.proposed, ours, STOPPED)
            yield from _places(label, f"{where}, proposed method", visit.proposed)
            method = f"{where}, resolved motion"
            if label == "Table III":
                yield from _angles(label, method, visit.resolved, theirs, STOPPED)
                for text, value, what in zip(visit.resolved, tips(theirs), COLUMNS, strict=False):
                    yield _made(label, f"{method}: {what}", text, value, ASIDE)
            elif (label, number) == ("Table I", 1):  # the start: its angles are given, not found
                yield from _places(label, method, visit.resolved, START)
            else:
                yield from _angles(label, method, visit.resolved, theirs, ALONG)
                yield from _places(label, method, visit.resolved)


def _angles(label: str, where: str, row: Row, ours: Array, why: str) -> Iterator[Printed]:
    for text, value, what in zip(row[2:], ours, COLUMNS[2:], strict=True):
        yield _made(label, f"{where}: {what}", text, value, why)


def _places(label: str, where: str, row: Row, why: str = ROUNDED) -> Iterator[Printed]:
    """Yield the tip of a printed row by forward kinematics of its printed angles."""
    there = tips(np.array([float(angle) for angle in row[2:]]))
    for text, value, what in zip(row[:2], there, COLUMNS[:2], strict=True):
        yield _made(label, f"{where}: {what}", text, value, why)


def _made(label: str, what: str, text: str, value: float, why: str) -> Printed:
    """Return a printed number, with the reason only if ours differs."""
    fine = Printed(label, what, text, float(value), why)
    return Printed(label, what, text, float(value)) if fine.agrees else fine


def _counts() -> Iterator[Printed]:
    general = redundancy.paper_effort(7, 6)
    planar = redundancy.paper_effort(3, 2, forward_kinematics=8, jacobian=12)
    seven = "n = 7, m = 6: "
    yield Printed("Sec. II-C", seven + "N_1, proposed method", "1306", general.proposed)
    yield Printed("Sec. II-C", seven + "N_FK, forward kinematics", "318", general.forward_kinematics)
    yield Printed("Sec. II-C", seven + "N_J, Jacobian", "222", general.jacobian)
    yield Printed("Sec. II-C", seven + "N_Zh, conditions", "202", general.conditions)
    yield Printed("Sec. II-C", seven + "N_nl, MINPACK", "564", general.solver)
    yield Printed("Eq. (18)", "constant of N_1", "-139", _constant())
    repeated = "Erratum: the repeat of (18) in section III; (14) to (17) add up to -139."
    yield Printed("Sec. III-A", "constant of N_1", "-133", _constant(), repeated)
    yield Printed("Sec. III-A", seven + "N_2, predictor-corrector", "1867", general.predictor_corrector)
    yield Printed("Sec. III-A", seven + "N_2, Runge-Kutta", "3503", general.runge_kutta)
    more = 100 * (general.predictor_corrector / general.proposed - 1)
    yield Printed("Sec. III-A", "resolved motion against proposed method, percent more", "43", more)
    yield Printed("Sec. V-B", "N_J of (16) for n = 3", "42", redundancy.paper_effort(3, 2).jacobian)
    yield Printed("Sec. V-B", "N_1 of the planar arm", "136", planar.proposed)
    wrong = (
        "Erratum: (21) gives 275 with N_J = 12. The printed 239 is what (24) gives for n = 3, m = 2 with its "
        "misprinted first term and the general N_J."
    )
    yield Printed("Sec. V-B", "N_2 of the planar arm, Runge-Kutta", "239", planar.runge_kutta, wrong)
    wrong = "Erratum: (21) gives 187 with N_J = 12."
    yield Printed(
        "Sec. V-B", "N_2 of the planar arm, predictor-corrector", "175", planar.predictor_corrector, wrong
    )


def _constant() -> float:
    """Return the constant term of N_1: what is left without its terms in n and m."""
    n, m = 7, 6
    rest = 2 / 3 * m**3 + 11.5 * n**2 + 2 * n * m - m**2 / 2 - m / 6 + 96 * n
    return round(redundancy.paper_effort(n, m).proposed - rest, 9)


def _simulation() -> Iterator[Printed]:
    side = float(1e3 * np.linalg.norm(corners()[1] - corners()[0]))
    yield Printed("Sec. V-B", "N_tip, steps of 0.01 s for a side at 100 mm/s", "100", side / (100 * 0.01))
    counts = settled()[1]
    about = (
        f"About; ours are {', '.join(map(str, counts))} at the four vertices, from the second cycle, with a "
        "gain times time step of 2.5; with the printed 10 they are 6 to 9, and the tip moves by 1e-3 mm."
    )
    yield Printed("Sec. V-B", "iterations of self-motion to 1e-4 degrees", "25", float(counts.mean()), about)
    short, long = (_evaluations(length) for length in (1e-3, 0.1))
    about = "A range; ours are evaluations of MINPACK's method with exact derivatives, to round-off."
    yield Printed("Sec. V-B", "iterations of MINPACK for 1 mm, at least", "10", short, about)
    yield Printed("Sec. V-B", "iterations of MINPACK for 100 mm, at most", "20", long, about)


def _evaluations(length: float) -> float:
    """Return the evaluations that MINPACK needs from the first vertex to a point down the left side."""
    it = study()
    target = corners()[0] - np.array([0.0, length])
    return float(redundancy.hybrid(it.arm, target, it.route.task, it.best, it.path.q[0])[2])
