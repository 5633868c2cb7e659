"""What M. Gautier, W. Khalil print, computed again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import pi

import numpy as np
import sympy as sp

from ..identification import BaseParameters, base_parameters
from ..identification.base.reasons import KEPT
from ..loading import load
from ..programs.program import Counts
from ..robot import Robot
from .exhibit import Exhibit, Table, stick_figure
from .printed import Printed

TABLE_I = (
    (0, 0, 0, 0, 0),
    (0, -pi / 2, 0, 0, 0),
    (0, 0, "D3", 0, "R3"),
    (0, -pi / 2, "D4", 0, "R4"),
    (0, pi / 2, 0, 0, 0),
    (0, -pi / 2, 0, 0, 0),
)
"""The PUMA's sigma, alpha, d, theta, r, as the paper has them."""

LENGTHS = {"D3": 0.4318, "R3": 0.1501, "D4": 0.0203, "R4": 0.4331}
"""Numbers for its letters, in metres; the paper gives none."""

STEPS = {
    6: """
XXR6 = XX6 - YY6
XXR5 = XX5 + YY6
ZZR5 = ZZ5 + YY6
MYR5 = MY5 + MZ6
MR5 = M5 + M6
""",
    5: """
XXR5 = XX5 + YY6 - YY5
XXR4 = XX4 + YY5
ZZR4 = ZZ4 + YY5
MYR4 = MY4 - MZ5
MR4 = M4 + M5 + M6
""",
    4: """
XXR4 = XX4 + YY5 - YY4
XXR3 = XX3 + YY4 + 2*R4*MZ4 + R4**2*(M4 + M5 + M6)
XYR3 = XY3 - D4*MZ4 - D4*R4*(M4 + M5 + M6)
YYR3 = YY3 + D4**2*(M4 + M5 + M6)
ZZR3 = ZZ3 + YY4 + 2*R4*MZ4 + (D4**2 + R4**2)*(M4 + M5 + M6)
MXR3 = MX3 + D4*(M4 + M5 + M6)
MYR3 = MY3 + MZ4 + R4*(M4 + M5 + M6)
MR3 = M3 + M4 + M5 + M6
""",
    3: """
XXR3 = XX3 + YY4 + 2*R4*MZ4 + (R4**2 - D4**2)*(M4 + M5 + M6) - YY3
XXR2 = XX2 + YY3 + 2*R3*MZ3 + R3**2*(M3 + M4 + M5 + M6) + D4**2*(M4 + M5 + M6)
XZR2 = XZ2 - D3*MZ3 - D3*R3*(M3 + M4 + M5 + M6)
YYR2 = YY2 + YY3 + D4**2*(M4 + M5 + M6) + 2*R3*MZ3 + (D3**2 + R3**2)*(M3 + M4 + M5 + M6)
ZZR2 = ZZ2 + D3**2*(M3 + M4 + M5 + M6)
MXR2 = MX2 + D3*(M3 + M4 + M5 + M6)
MZR2 = MZ2 + MZ3 + R3*(M3 + M4 + M5 + M6)
MR2 = M2 + M3 + M4 + M5 + M6
""",
    2: """
XXR2 = XX2 - YY2 - D3**2*(M3 + M4 + M5 + M6)
ZZR1 = ZZ1 + YY2 + YY3 + D4**2*(M4 + M5 + M6) + 2*R3*MZ3 + (R3**2 + D3**2)*(M3 + M4 + M5 + M6)
""",
    1: "",
}
"""Section V, link by link: masses are written M for m, and YYR3 of the last line as what it stands for."""

NO_EFFECT = "XX1 XY1 XZ1 YY1 YZ1 MX1 MY1 MZ1 M1"
"""Step a) of section V."""

GONE = f"{NO_EFFECT} MZ2 M2 YY2 YY3 MZ3 M3 YY4 MZ4 M4 YY5 MZ5 M5 YY6 MZ6 M6"
"""All that the summary of section V lists, without effect or regrouped."""

MINIMUM = {
    1: "ZZR1",
    2: "XXR2 XY2 XZR2 YZ2 ZZR2 MXR2 MY2",
    3: "XXR3 XYR3 XZ3 YZ3 ZZR3 MXR3 MYR3",
    4: "XXR4 XY4 XZ4 YZ4 ZZR4 MX4 MYR4",
    5: "XXR5 XY5 XZ5 YZ5 ZZR5 MX5 MYR5",
    6: "XXR6 XY6 XZ6 YZ6 ZZ6 MX6 MY6",
}
"""The minimum parameters of each link; the print has ZZ5 for ZZR5, which its own step for link 6 regroups."""

COUNTED = ("puma560", "stanford", "scara", "ur5", "iiwa14")
"""Robots of the catalogue whose parameters and operations are counted."""


def lines(link: int) -> dict[str, sp.Expr]:
    """Return the printed regroupings of a link's step: names and what they are."""
    pairs = (line.split(" = ") for line in STEPS[link].strip().splitlines())
    return {name: sp.sympify(right) for name, right in pairs}


@cache
def puma() -> BaseParameters:
    """Return the base parameters of Table I in its letters."""
    return base_parameters(Robot.from_mdh(TABLE_I, name="PUMA 560"), symbolic=True)


def printed() -> list[Printed]:
    """Return the numbers that the paper prints, each beside ours."""
    base = puma()
    total = base.matrix.shape[1]
    gone = [name for name in (*base.no_effect, *base.eliminated) if name in GONE.split()]
    found = [
        Printed("Sec. III-A", "classical parameters of the PUMA, 10 n", "60", total),
        Printed("Sec. V", "parameters without effect in step a)", "9", _common(base.no_effect, NO_EFFECT)),
        Printed("Sec. V", "parameters without effect or regrouped", "24", len(gone)),
        Printed("Sec. VI", "minimum parameters of the PUMA", "36", base.count),
        Printed("Sec. VI", "fewer than the classical ones", "24", total - base.count),
    ]
    for link, names in MINIMUM.items():
        own = base.lists.links[link]
        expected = str(len(names.split()))
        found.append(Printed("Sec. V", f"minimum parameters of link {link}", expected, _common(own, names)))
    return [*found, *_coefficients(base)]


def _common(found: Sequence[str], names: str) -> int:
    """Return how many of the printed names are found."""
    return len(set(found) & set(names.split()))


def _coefficients(base: BaseParameters) -> Iterator[Printed]:
    """Yield the numbers within the printed regroupings: the factors 2."""
    steps = dict(base.steps())
    for link in STEPS:
        for name, each in lines(link).items():
            ours = sp.expand(steps[link][name]).as_coefficients_dict()
            for term, factor in sp.expand(each).as_coefficients_dict().items():
                if abs(factor) != 1:
                    what = f"{name}: factor of {term}"
                    yield Printed(f"Sec. V, link {link}", what, f"{factor}", float(ours[term]))


def bound_of(robot: Robot) -> int:
    """Return the bound of the number of base parameters of a chain [GautierKhalil1990, Eq. (18)]."""
    turns = [body.joint.turns_about_axis for body in robot.model.bodies]
    return 7 * sum(turns) + 4 * (len(turns) - sum(turns)) - 3 - int(turns[0])


def exhibits() -> list[Exhibit]:
    """Return the figures and tables of the paper, made again."""
    return [_table_one(), _figure_one(), _reasons(), _steps(), _counts_of_parameters(), _operations()]


def _table_one() -> Exhibit:
    degrees = {0: "0", 1: "-90", -1: "90"}
    rows = []
    for j, (sigma, alpha, d, _, r) in enumerate(TABLE_I, start=1):
        quarter = round(-2 * float(alpha) / pi)
        rows.append((str(j), str(sigma), degrees[quarter], str(d), f"theta{j}", str(r)))
    return Exhibit(
        "Table I",
        "geometry of the PUMA",
        "Angles in degrees; sigma is 0 for joints that turn. The table goes into `Robot.from_mdh` with its "
        "letters D3, R3, D4 and R4; theta is zero there, since the joint's own angle is added to it.",
        table=Table(("j", "sigma", "alpha", "d", "theta", "r"), tuple(rows)),
    )


def _figure_one() -> Exhibit:
    robot = Robot.from_mdh(TABLE_I, name="PUMA 560", letters=LENGTHS)
    q = np.array([0.3, -0.9, 0.4, 0.5, 0.6, 0.0])
    shown = stick_figure(robot, q, "The PUMA of Table I")
    return Exhibit(
        "Fig. 1",
        "the PUMA robot",
        "Its link frames as points, with D3 = 0.4318 m, R3 = 0.1501 m, D4 = 0.0203 m and R4 = 0.4331 m.",
        {"Table I as a stick figure": shown},
    )


def _reasons() -> Exhibit:
    rows = [
        (each.name, str(sp.Add(*(c * sp.Symbol(n) for n, c in each.neighbours.items()))), each.rule)
        for each in puma().reasons.values()
        if each.kind != KEPT
    ]
    return Exhibit(
        "Sec. III-B",
        "why each parameter is gone",
        "Rule 2 says that it also holds if r1 = 1; even then the axis must be parallel to gravity. What a "
        "parameter acts as are the coefficients alpha of Eq. (5).",
        table=Table(("parameter", "acts as", "reason"), tuple(rows)),
    )


def _steps() -> Exhibit:
    steps = dict(puma().steps())
    rows = []
    for link, text in STEPS.items():
        for line, (name, each) in zip(text.strip().splitlines(), lines(link).items(), strict=True):
            ours = steps[link][name]
            same = "yes" if sp.expand(ours - each) == 0 else "no"
            rows.append((str(link), _readable(line), _readable(f"{name} = {ours}"), same))
    return Exhibit(
        "Sec. V",
        "the regroupings of the PUMA, link by link",
        "All printed lines, for links 6 to 2, and ours in the same letters. The left-hand side of the first "
        "line of Eq. (15) is XXR of link j. Among the minimum parameters of link 5 the print has ZZ5; by its "
        "own step for link 6 it is ZZR5.",
        table=Table(("link", "printed", "ours", "equal"), tuple(rows)),
    )


def _counts_of_parameters() -> Exhibit:
    rows = []
    for name in COUNTED:
        robot = load(name)
        along, other = (base_parameters(each) for each in (robot, robot.with_gravity((1.0, 2.0, -9.0))))
        counts = (len(robot.phi), bound_of(robot), along.count, other.count)
        rows.append((name, *map(str, counts)))
    header = ("robot", "classical", "bound (18)", "gravity along z0", "other gravity")
    return Exhibit(
        "Eq. (18)",
        "the bound and the numbers",
        "Eq. (18) bounds the number from above. Close to the base more is lost: with gravity along the first "
        "axis, between parallel axes, and for slides between the first two axes that are not parallel.",
        table=Table(header, tuple(rows)),
    )


def _operations() -> Exhibit:
    rows = []
    for name in COUNTED:
        base = base_parameters(load(name).with_armature(0.0))
        numbers, inputs = base.savings(), base.savings(inputs=True)
        cells = (numbers.before, numbers.after, inputs.before, inputs.after)
        rows.append((name, *map(_sum, cells), f"{100 * numbers.share:.0f} %, {100 * inputs.share:.0f} %"))
    header = (
        "robot",
        "own inertias",
        "regrouped",
        "all parameters as inputs",
        "base parameters as inputs",
        "saved",
    )
    return Exhibit(
        "Sec. VI",
        "operations of computed torque on the minimum parameters",
        "Additions + multiplications of one inverse dynamics, without rotor inertias. The paper says that "
        "the minimum parameters save operations and prints no count. Computed torque takes 4 n additions "
        "and 2 n multiplications more, for the accelerations that the gains ask for.",
        table=Table(header, tuple(rows)),
    )


def _sum(counts: Counts) -> str:
    return f"{counts.additions} + {counts.multiplications}"


def _readable(text: str) -> str:
    """Return a formula with ^ for powers and a space between factors."""
    return text.replace("**", "^").replace("*", " ")
