"""Chang's figures, tables and formulas, made again."""

from __future__ import annotations

from collections.abc import Iterable

from ... import redundancy
from ...arrays import Array
from ...loading import load
from ...report.figure import Figure
from ...report.redundancy import joints, postures, tip
from ..exhibit import Exhibit, Table
from .motions import on_the_square, settled, study, tips
from .numbers import rows_of
from .tables import COLUMNS

CYCLE = (
    "Our proposed method agrees with the print; one angle differs by one in the last digit, where the "
    "printed iteration had stopped. The printed rows of resolved motion are 1.4 to 2 mm beside the path, "
    "from a start that is 0.52 mm off its tip. Through these tips our resolved motion has the printed angles "
    "within 1.2e-4 degrees, if it climbs the manipulability itself, $\\sqrt{\\det(JJ^T)}$ with lengths in "
    "metres, with a gain of 10/s at 10 mm/s; $H$ of (29) with the $J$ of (31) lags by other amounts. Why the "
    "printed tips leave the path is not known: in steps of 0.01 s the integration errs by less than 1e-5 mm. "
    "Below are also the rows that follow on the square itself, from the configuration on the first vertex "
    "that is nearest to the printed start, for both criteria."
)


def exhibits() -> list[Exhibit]:
    """Return the arm, its formulas, Figs. 2 and 3, Tables I to III, the counts, and a fair comparison."""
    it = study()
    return [
        Exhibit(
            "Fig. 1",
            "The arm",
            "Three links of 600, 850 and 200 mm (in the figure only), angles clockwise from the y axis. Here "
            "at the four vertices of the square, by the proposed method.",
            {"The arm at the vertices": postures.draw(postures.gather(it))["marks"]},
        ),
        _formulas(),
        Exhibit(
            "Fig. 2",
            "Joint trajectories",
            "The proposed method is on its closed curve from the first target on. Resolved motion comes in "
            "from its start and then follows a curve of its own, behind that of the optima in the "
            "direction of travel.",
            {"Joint trajectories of the first cycle": joints.draw(joints.gather(it))["joints"]},
        ),
        Exhibit(
            "Fig. 3",
            "Path of the tip",
            "The print shows resolved motion up to 2 mm beside the square. From a start on the square it "
            "stays on it: what is left is the error of the integration, shown beside the path.",
            {"Command and both methods": _tip()},
        ),
        Exhibit("Table I", "First cycle", CYCLE, table=_table("Table I")),
        Exhibit(
            "Table II",
            "Left side to and fro, after two cycles",
            "Resolved motion has another posture for the same vertex each way, ours as in the print; the "
            "proposed method has one. The rows are computed as those of Table I.",
            table=_table("Table II"),
        ),
        Exhibit(
            "Table III",
            "Self-motion at rest",
            "With the tip at rest resolved motion ends where $Zh = 0$. The print stopped within 1e-4 "
            f"degrees; ours takes {_listed(settled()[1])} iterations to that at the four vertices with a "
            "gain times time step of 2.5. The printed product, 10, takes 6 to 9, and moves the tip by up to "
            "1e-3 mm.",
            table=_table("Table III"),
        ),
        _counts(),
        _comparison(),
    ]


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _tip() -> Figure:
    facts = tip.gather(study())
    assert facts is not None  # of a path in the plane
    return tip.draw(facts)["tip"]


def _formulas() -> Exhibit:
    """Return (29) to (32) as the library derives them, with lengths in units of the first link."""
    import sympy as sp  # noqa: PLC0415 (SymPy takes long to import)

    arm = load("chang3r")
    found = redundancy.equations(arm, "xy", redundancy.manipulability(squared=True))
    ratios = {sp.Symbol("L1"): 1, sp.Symbol("L2"): sp.Symbol("u"), sp.Symbol("L3"): sp.Symbol("v")}
    names = {sp.Symbol(f"q{k}"): rf"\theta_{k}" for k in (1, 2, 3)}

    def tex(expression: object) -> str:
        return str(sp.latex(sp.sympify(expression).subs(ratios), symbol_names=names))

    formulas = [
        f"{head} = {tex(value)}"
        for head, value in (
            ("J", found.J.matrix),
            ("H", found.H.entries[0]),
            ("h", found.h.matrix),
            ("Z", found.Z.matrix),
            ("Zh", found.Zh.entries[0]),
        )
    ]
    if found.reduced is not None:
        formulas.append(f"x^2 + y^2 = {tex(found.reduced.r2.entries[0])}")
        formulas.append(rf"\theta_1 = {tex(found.reduced.first)}")
    return Exhibit(
        "Eqs. (29)-(32)",
        "The example in closed form",
        "Derived by the library from the robot's own equations, with lengths in units of the first link, "
        "$u = l_2/l_1$ and $v = l_3/l_1$. Equal to the printed formulas, term by term, but for the order of "
        "terms in $Zh$. The last two take the first joint out: two equations in two angles are left.",
        formulas=tuple(formulas),
    )


def _table(label: str) -> Table:
    """Return a table with our rows under the printed ones."""
    rows: list[tuple[str, ...]] = []
    for number, (visit, ours, theirs) in enumerate(rows_of(label), start=1):
        rows.append((f"{number}. command", *visit.command, "", "", ""))
        rows.append(("proposed method, printed", *visit.proposed))
        rows.append(_row("proposed method, ours", ours))
        rows.append(("resolved motion, printed", *visit.resolved))
        if label == "Table III":
            rows.append(_row("resolved motion, ours", theirs))
            continue
        rows.append(_row("ours, through the printed tips", theirs))
        at = number - 1 + (0 if label == "Table I" else 8)
        rows.append(_row("ours, on the square", on_the_square(False)[at]))
        rows.append(_row("ours, on the square, with (29) and (31)", on_the_square(True)[at]))
    return Table(("", *COLUMNS), tuple(rows))


def _row(name: str, angles: Array) -> tuple[str, ...]:
    """Return the tip and the angles of a row."""
    x, y = tips(angles)
    return (name, f"{x:.3f}", f"{y:.4f}", *(f"{angle:.4f}" for angle in angles))


def _counts() -> Exhibit:
    """Return the estimated operations for both sizes of the paper, and those of our programs."""
    planar = redundancy.effort(study().arm, "xy", study().best)
    spatial = redundancy.effort(load("iiwa14"))
    estimate = redundancy.paper_effort(3, 2, forward_kinematics=8, jacobian=12)
    special = (
        estimate.forward_kinematics,
        estimate.jacobian,
        estimate.forward_kinematics + estimate.jacobian + estimate.conditions,
        estimate.proposed,
        estimate.jacobian + estimate.evaluation,
        estimate.predictor_corrector,
        estimate.runge_kutta,
        None,
    )
    header = ("operations", "paper, n = 3, m = 2", "planar arm, here", "paper, n = 7, m = 6", "iiwa, here")
    rows = tuple(
        (what, _whole(small), _whole(ours), _whole(large), _whole(more))
        for (what, _, ours), small, (_, large, more) in zip(planar.rows, special, spatial.rows, strict=True)
    )
    return Exhibit(
        "Eqs. (14)-(25)",
        "Operations per iteration",
        "The paper's estimates leave out the gradient $h$; our programs contain it. Our iteration of the "
        "proposed method has exact second derivatives and the check for a maximum, so it costs more than the "
        "estimate and takes fewer of them. Sines and cosines are not counted.",
        table=Table(header, rows),
    )


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _comparison() -> Exhibit:
    """Return all methods from one start on the path, for one criterion."""
    found = study().comparison
    assert found is not None  # the square is closed
    header = ("method", "tip error, mm", "|Zh|", "lag, deg", "drift, deg", "by direction, deg")
    degrees = 57.29577951308232
    rows = tuple(
        (
            each.title.replace("_", " "),
            f"{1e3 * each.task_error:.1e}",
            f"{each.stationarity:.1e}",
            f"{degrees * each.lag:.1e}",
            f"{degrees * each.drift:.1e}",
            f"{degrees * each.direction:.1e}",
        )
        for each in found.contestants
    )
    return Exhibit(
        "Sec. V-B",
        "Accuracy and repeatability, compared fairly",
        "Three cycles and one backwards, all methods with the same criterion, step and start on the first "
        "vertex, resolved motion also with its tip error corrected. The tip tells the methods apart only by "
        "round-off and integration; the joints do: the pseudoinverse lags behind the optimum and gives "
        "another posture each way, as the paper says. The extended Jacobian, started on an optimum, keeps to "
        "the proposed method's.",
        table=Table(header, rows),
    )
