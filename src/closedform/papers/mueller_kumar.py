"""What A. Müller and S. Kumar print, computed again: the planar arm and the iiwa of section 6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..loading import load
from ..model.inertia import inertial_from_phi
from ..report.elastic import ElasticStudy, rates
from .exhibit import Exhibit, Table
from .printed import Printed

PLANAR_TORQUES: Mapping[tuple[int, int], Mapping[str, str]] = {
    (0, 1): {
        "L1**2*m1*qdd1": "1",
        "L1**2*m2*qdd1": "1",
        "L2**2*m2*qdd1": "1",
        "L2**2*m2*qdd2": "1",
        "L2*g*m2*cos(q1 + q2)": "1",
        "L1*g*m1*cos(q1)": "1",
        "L1*g*m2*cos(q1)": "1",
        "L1*L2*m2*qd2**2*sin(q2)": "-1",
        "L1*L2*m2*qdd1*cos(q2)": "2",
        "L1*L2*m2*qdd2*cos(q2)": "1",
        "L1*L2*m2*qd1*qd2*sin(q2)": "-2",
    },
    (0, 2): {
        "L1*L2*m2*qd1**2*sin(q2)": "1",
        "L2**2*m2*qdd1": "1",
        "L2**2*m2*qdd2": "1",
        "L2*g*m2*cos(q1 + q2)": "1",
        "L1*L2*m2*qdd1*cos(q2)": "1",
    },
    (1, 1): {
        "L1**2*m1*qddd1": "1",
        "L1**2*m2*qddd1": "1",
        "L2**2*m2*qddd1": "1",
        "L2**2*m2*qddd2": "1",
        "L2*g*m2*qd1*sin(q1 + q2)": "-1",
        "L2*g*m2*qd2*sin(q1 + q2)": "-1",
        "L1*L2*m2*qddd1*cos(q2)": "2",
        "L1*L2*m2*qddd2*cos(q2)": "1",
        "L1*g*m1*qd1*sin(q1)": "-1",
        "L1*g*m2*qd1*sin(q1)": "-1",
        "L1*L2*m2*qd2**3*cos(q2)": "-1",
        "L1*L2*m2*qd2*qdd1*sin(q2)": "-4",
        "L1*L2*m2*qd1*qd2*sin(q2)": "-2",
        "L1*L2*m2*qd2*qdd2*sin(q2)": "-3",
        "L1*L2*m2*qd1*qd2**2*cos(q2)": "-2",
    },
    (1, 2): {
        "L2**2*m2*qddd1": "1",
        "L2**2*m2*qddd2": "1",
        "L2*g*m2*qd1*sin(q1 + q2)": "-1",
        "L2*g*m2*qd2*sin(q1 + q2)": "-1",
        "L1*L2*m2*qddd1*cos(q2)": "1",
        "L1*L2*m2*qd1*qdd1*sin(q2)": "2",
        "L1*L2*m2*qd2*qdd1*sin(q2)": "-1",
        "L1*L2*m2*qd1**2*qd2*cos(q2)": "1",
    },
}
"""Section 6.1: coefficients of the terms of the torques, by derivative and joint."""

PLANAR_NOTES = {
    (
        (1, 1),
        "L1*L2*m2*qd1*qd2*sin(q2)",
    ): "A dot is lost: the term is −2 L1 L2 m2 qdd2 qd1 sin q2, which alone has the unit of a torque rate.",
}

PLANAR_INERTIAS = {(1, 1): (2, 1), (2, 2): (2, 1), (3, 3): (2, 1), (2, 6): (1, -1), (3, 5): (1, 1)} | {
    (k, k): (0, 1) for k in (4, 5, 6)
}
"""Section 6.1: entries of both inertia matrices, by row and column: a power of L and its coefficient.

Below the diagonal they are printed again.
"""

TABLE_1 = (
    "3.94781 -0.00351 0.00160 -0.03139 0.00455 0.00000 -0.00000 0.00454 0.00001 0.00029",
    "4.50275 -0.00767 0.16669 -0.00355 0.00032 0.00000 0.00000 0.00010 -0.00000 0.00042",
    "2.45520 -0.00225 -0.03492 -0.02652 0.00223 -0.00005 0.00007 0.00219 0.00007 0.00073",
    "2.61155 0.00020 -0.05268 0.03818 0.03844 0.00088 -0.00112 0.01144 -0.00111 0.04988",
    "3.41000 0.00005 -0.00237 -0.21134 0.00277 -0.00001 0.00001 0.00284 -0.00000 0.00012",
    "3.38795 0.00049 0.02019 -0.02750 0.00050 -0.00005 -0.00003 0.00281 -0.00004 0.00232",
    "0.35432 -0.03466 -0.02324 0.07138 0.00795 0.00022 -0.00029 0.01089 -0.00029 0.00294",
)
"""Mass, centre of mass, and xx xy xz yy yz zz of the inertia about it, of each link."""

COLUMNS = ("mass", "c_x", "c_y", "c_z", "xx", "xy", "xz", "yy", "yz", "zz")


def printed() -> list[Printed]:
    """Return the numbers that the paper prints, each beside ours."""
    return [*_planar_terms(), *_planar_inertias(), *_table_1()]


def exhibits() -> list[Exhibit]:
    """Return the figures and tables of the paper, made again."""
    return [_planar_arm(), _masses(), *_motion_of_the_iiwa()]


@cache
def _torques() -> tuple[Any, ...]:
    """Return tau, tau' and tau'' of the planar arm in letters."""
    found: tuple[Any, ...] = load("2r").equations("inverse_dynamics_rates", order=2, symbolic=True)
    return found


def _planar_terms() -> Iterator[Printed]:
    for (order, joint), terms in PLANAR_TORQUES.items():
        ours = _terms(_torques()[order].matrix[joint - 1])
        name = f"tau{joint}" + "'" * order
        for term, coefficient in terms.items():
            note = PLANAR_NOTES.get(((order, joint), term), "")
            where, what = "Sec. 6.1", f"{name}, coefficient of {_readable(term)}"
            yield Printed(where, what, coefficient, float(ours.pop(term, 0)), note)
        for term, value in ours.items():
            yield Printed(
                "Sec. 6.1",
                f"{name}, coefficient of {_readable(term)}",
                "0",
                float(value),
                "Not in the print, where this term has lost a dot.",
            )


def _terms(expression: Any) -> dict[str, Any]:
    """Return the coefficients of a sum by what they multiply."""
    return {str(term): value for term, value in expression.expand().as_coefficients_dict().items()}


def _readable(term: str) -> str:
    return term.replace("**", "^").replace("*", " ")


def _planar_inertias() -> Iterator[Printed]:
    M = load("2r").equations("block_M", symbolic=True).matrix
    for link in (1, 2):
        for (row, column), (power, coefficient) in PLANAR_INERTIAS.items():
            entry = _terms(M[6 * link + row - 7, 6 * link + column - 7])
            length = {0: "", 1: f"L{link}*", 2: f"L{link}**2*"}[power]
            term = f"{length}m{link}"
            note = (
                "A point mass on the x axis has no inertia about it. Planar motion does not feel this entry."
            )
            yield Printed(
                "Sec. 6.1",
                f"inertia matrix {link}, row {row}, column {column}, coefficient of {_readable(term)}",
                str(coefficient),
                float(entry.get(term, 0)),
                note if (row, column) == (1, 1) else "",
            )


def _table_1() -> Iterator[Printed]:
    for number, (body, row) in enumerate(zip(load("iiwa14").model.bodies, TABLE_1, strict=True), start=1):
        inertial = inertial_from_phi(body.phi)
        ours = [inertial.mass, *inertial.com, *inertial.inertia[np.triu_indices(3)]]
        for name, given, value in zip(COLUMNS, row.split(), ours, strict=True):
            yield Printed("Table 1", f"link {number}, {name}", given, float(value))


def _planar_arm() -> Exhibit:
    return Exhibit(
        "Sec. 6.1",
        "Planar arm",
        "The torques of the planar arm and their first two derivatives, from `equations` in letters. The "
        "print of the first derivative has lost one dot. That of the second has lost so many dots and powers "
        "that it cannot be used. A test holds ours equal to SymPy's derivatives of the torques.",
        formulas=tuple(line for each in _torques() for line in _lines(each.latex())),
    )


def _lines(latex: str) -> list[str]:
    """Return the lines of aligned equations, each a formula of its own."""
    body = latex.removeprefix("\\begin{aligned}").removesuffix("\\end{aligned}")
    return [line.replace("&=", "=").strip() for line in body.split("\\\\")]


def _masses() -> Exhibit:
    rows = []
    for number, body in enumerate(load("iiwa14").model.bodies, start=1):
        moments = np.sort(np.linalg.eigvalsh(inertial_from_phi(body.phi).inertia))
        lack = max(0.0, float(moments[2] - moments[:2].sum()))
        rows.append((str(number), f"{body.phi[9]:.5f}", *(f"{x:.5f}" for x in moments), f"{lack:.6f}"))
    return Exhibit(
        "Table 1",
        "Inertias of the iiwa",
        "The catalogue robot `iiwa14` has the printed inertias, with r3 = 0.42 m and r5 = 0.40 m, which the "
        "paper leaves to a reference. The columns are xx, xy, xz, yy, yz, zz about the centre of mass (the "
        "print has yx for xz). The principal moments of links 4 and 7 violate the triangle inequality: no "
        "body has them, and loading them from a file of one's own warns.",
        table=Table(
            ("link", "mass, kg", "least moment", "middle", "largest, kg m^2", "largest − others"), tuple(rows)
        ),
    )


def _motion_of_the_iiwa() -> list[Exhibit]:
    facts = rates.gather(ElasticStudy(load("iiwa14"), tool=0.0))
    figures = rates.draw(facts)
    series = (facts.tau, *facts.rates)
    peaks = [
        (label.text, *(f"{np.abs(values[:, k]).max():.2f}" for values in series))
        for k, label in enumerate(facts.labels)
    ]
    return [
        Exhibit(
            "Fig. 3",
            "Joint trajectories and torques of the iiwa",
            "The robot of Table 1 without any load, every joint a cosine. The paper draws its cosines and "
            "prints neither amplitudes nor frequencies; these are ours, within the joints' limits. So "
            "compare shapes, not values.",
            figures={"The cosines of the seven joints, and the torques that they take": figures["motion"]},
        ),
        Exhibit(
            "Fig. 4",
            "Derivatives of the torques of the iiwa",
            "As in the paper, derivatives in closed form lie on those by numerical differentiation. The "
            "second figure adds what the paper does not show: the errors of the differences over their step.",
            figures={
                "The curves by both routes lie on one another, for every joint": figures["rates"],
                "Long steps cut corners, short steps magnify round-off": figures["errors"],
            },
            table=Table(("joint", "peak of tau, N m", "of tau', N m/s", "of tau'', N m/s^2"), tuple(peaks)),
        ),
    ]
