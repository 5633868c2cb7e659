"""Forms as formulas, derivatives, calls, and how fast they are."""

from __future__ import annotations

import csv

import casadi as ca
import numpy as np

import closedform as cf

from ..axes import Axes, Stage, legend, sticks
from ..canvas import BLUE, GREEN, GREY, INK, ORANGE, PAPER, QUIET, Canvas
from ..tree import DOCS

MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"


def letters() -> str:
    """Draw an arm of two links with its letters, and its mass matrix in them."""
    arm = cf.load("2r")
    q = np.array([0.5, 0.8])
    canvas = Canvas(720, 230, "An arm of two links with letters, and its mass matrix as a formula")
    points, between = sticks(arm, q)
    stage = Stage(canvas, (30, 30, 190, 170), points)
    stage.robot(points[0], between, BLUE, width=8)
    places = stage.at(points[0])
    for k in range(2):
        a, b = places[between[k + 1][0]], places[between[k + 1][1]]
        middle, along = (a + b) / 2, (b - a) / np.linalg.norm(b - a)
        x, y = middle + 16 * np.array([along[1], -along[0]])
        canvas.text(x, y, f"L{k + 1}, m{k + 1}", INK, "end")
        canvas.text(a[0] + 14, a[1] + 18, f"q{k + 1}", ORANGE)
    for k, line in enumerate(str(arm.equations("mass_matrix", symbolic=True)).splitlines()):
        canvas.text(270, 88 + 34 * k, line, INK, font_family=MONO, font_size=12.5)
    return canvas.svg()


def exact() -> str:
    """Draw derivatives of inverse dynamics by differences, which never reach the exact ones."""
    robot = cf.load("panda")
    q, qd, qdd = robot.random_state(0)
    exact = robot.inverse_dynamics_dq(q, qd, qdd)
    steps = np.logspace(-13, -1, 49)
    lean = steps[:, None, None] * np.eye(7)
    ahead, behind = (robot.inverse_dynamics(q + side * lean, qd, qdd) for side in (1, -1))
    middle = robot.inverse_dynamics(q, qd, qdd)
    size = np.abs(exact).max()
    rows = {
        "forward differences": (ahead - middle) / steps[:, None, None],
        "central differences": (ahead - behind) / (2 * steps[:, None, None]),
    }
    canvas = Canvas(
        720, 290, "Relative error of finite differences over their step, against exact derivatives"
    )
    axes = Axes(
        canvas,
        (70, 50, 620, 190),
        (1e-13, 1e-1),
        (1e-17, 1e1),
        ("step, rad", "relative error of d tau / d q of a Panda"),
        (True, True),
    )
    for values, colour in zip(rows.values(), (ORANGE, BLUE), strict=True):
        error = np.abs(np.swapaxes(values, 1, 2) - exact).max(axis=(1, 2)) / size
        axes.curve(steps, error, colour)
    weights = np.eye(7)
    reverse = robot.kernel("inverse_dynamics").vjp(q, qd, qdd, weights).q_gradient
    level = max(float(np.abs(reverse - exact).max() / size), 1e-17)
    axes.curve([1e-13, 1e-1], [level, level], GREEN)
    names = list(zip(rows, (ORANGE, BLUE), strict=True))
    legend(canvas, 70, 24, [*names, ("closed form against reverse mode", GREEN)])
    return canvas.svg()


def posture() -> str:
    """Draw a posture that gravity does not load, found by IPOPT with exact derivatives."""
    robot = cf.load("panda")
    torque = robot.casadi("inverse_dynamics")
    opti = ca.Opti()
    q = opti.variable(7)
    start = np.array([0.0, 0.6, 0, -1.2, 0, 1.4, 0])
    opti.set_initial(q, start)
    opti.minimize(ca.sumsqr(torque(q, 0, 0)))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = opti.solve().value(q)
    canvas = Canvas(720, 290, "A Panda before and after a search for a posture without load, and its torques")
    points, between = sticks(robot, np.stack([start, found]))
    stage = Stage(canvas, (30, 24, 240, 230), points)
    stage.robot(points[0], between, GREY, width=5, opacity=0.6, joints=False)
    stage.robot(points[1], between, BLUE)
    loads = np.stack([robot.gravity_torque(each) for each in (start, found)])
    axes = Axes(
        canvas,
        (340, 50, 350, 190),
        (0.5, 7.5),
        (1.1 * loads.min(), 1.1 * loads.max() + 1),
        ("joint", "gravity torque, N m"),
        marks=range(1, 8),
    )
    for values, shift, colour in zip(loads, (-0.18, 0.18), (GREY, BLUE), strict=True):
        for joint, value in enumerate(values, start=1):
            axes.bar(joint + shift, value, colour, 16)
    legend(canvas, 340, 24, [("start", GREY), ("found by IPOPT", BLUE)])
    return canvas.svg()


def _bars(rows: list[tuple[str, list[float]]], names: list[str], meaning: str, unit: str) -> str:
    """Return groups of horizontal bars on a logarithmic scale."""
    colours = (BLUE, ORANGE, GREEN, GREY)
    height = 44 + 30 * len(rows) + 40
    canvas = Canvas(720, height, meaning)
    values = [value for _, each in rows for value in each if np.isfinite(value)]
    low, high = 10 ** np.floor(np.log10(min(values))), 10 ** np.ceil(np.log10(max(values)))
    axes = Axes(
        canvas, (290, 44, 370, 30 * len(rows)), (low, high), (0, 1), (unit, ""), (True, False), levels=False
    )
    thick = 24 / len(names)
    for k, (label, each) in enumerate(rows):
        top = 44 + 30 * k + 3
        canvas.text(280, top + 16, label, INK, "end", font_size=12)
        for j, value in enumerate(each):
            if np.isfinite(value):
                end = float(axes.at(value, 0)[0])
                canvas.rectangle(290, top + thick * j, end - 290, thick - 1, colours[j], rx=1)
                canvas.text(
                    end + 4,
                    top + thick * j + thick / 2 + 3.5,
                    f"{value:,.0f}" if value >= 100 else f"{value:g}",
                    QUIET,
                    font_size=10,
                )
    legend(canvas, 290, 24, list(zip(names, colours, strict=False)))
    return canvas.svg()


def speed() -> str:
    """Draw times per sample on one core, and those of Pinocchio, from the stored figures."""
    with (DOCS / "benchmarks" / "cpu.csv").open(encoding="utf-8") as file:
        kept = [
            row
            for row in csv.DictReader(file)
            if row["robot"] == "Panda" and row["times_pinocchio"] and row["batch"] != "1"
        ]
    rows = [
        (row["what"], [float(row["nanoseconds"]), float(row["nanoseconds"]) * float(row["times_pinocchio"])])
        for row in kept
    ]
    return _bars(
        rows, ["closedform", "Pinocchio, C++ loop"], "Nanoseconds per sample of a Panda", "ns per sample"
    )


def cards() -> str:
    """Draw times of 1,024 samples on a GPU, from the stored figures."""
    columns = {"closedform": "graph [us]", "GRiD": "GRiD graph [us]", "frax": "frax jitted [us]"}
    with (DOCS / "benchmarks" / "gpu.csv").open(encoding="utf-8") as file:
        rows = [
            (f"{row['robot']} {row['form']}", [float(row[name] or "nan") for name in columns.values()])
            for row in csv.DictReader(file)
            if row["samples"] == "1024"
        ]
    meaning, unit = "Microseconds for 1,024 samples on an H200", "us for 1,024 samples"
    return _bars(rows, list(columns), meaning, unit)


def terminal() -> str:
    """Draw what a command prints."""
    words = str(cf.base_parameters(cf.load("2r"))).splitlines()
    shown = ["$ closedform base-parameters 2r", *(line for line in words if line.strip())][:13]
    canvas = Canvas(720, 50 + 19 * len(shown), "A terminal with the base parameters of an arm of two links")
    canvas.rectangle(8, 8, 704, 34 + 19 * len(shown), PAPER, stroke="var(--line)", rx=8)
    for k, line in enumerate(shown):
        cut = line if len(line) < 88 else line[:85] + "..."
        canvas.text(
            24,
            38 + 19 * k,
            cut,
            BLUE if k == 0 else INK,
            font_family=MONO,
            font_size=12.5,
            style="white-space:pre",
        )
    return canvas.svg()
