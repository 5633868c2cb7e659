"""Grimm's plant and law as equations, and what he claims of them, simulated."""

from __future__ import annotations

import numpy as np

from ..elastic import (
    ComputedTorque,
    Control,
    Decoupling,
    ElasticJointRobot,
    Feedforward,
    Spread,
    StagedDecoupling,
    chain_motion,
    monte_carlo,
    robustness_condition,
    state_on,
    track,
)
from ..loading import load
from ..report.curves import add_curve, panels, powers_of_ten
from ..report.figure import Figure, figure, thinned
from ..trajectory import Trajectory, polynomial
from .exhibit import Exhibit, Table
from .printed import Printed

POLES, TORQUE_POLES = (-30.0, -35.0, -40.0, -45.0), (-120.0, -130.0)
STEP, OFFSET = 5e-4, 0.05
PLANTS, SAMPLED = 60, (-20.0, -35.0, -60.0, -100.0)
"""Plants of the robustness study, and the poles that it compares, rad/s."""


def printed() -> list[Printed]:
    """Return the numbers that the paper prints: the page at hand has none."""
    return []


def exhibits() -> list[Exhibit]:
    """Return the equations of the page for small robots, and simulations of what it says in words."""
    return [_plant(), _law(), _chain(), _condition(), _feedforward()]


def _robot() -> ElasticJointRobot:
    """Return two links on geared springs of 1e4 N m/rad and rotors of 1 kg m^2, as seen at the joints."""
    return ElasticJointRobot(load("2r"), 1e4, 1e-4, 0.01, spring_at="link")


def _move() -> Trajectory:
    return polynomial([0.3, -0.4], [1.1, 0.5], 1.0, degree=7)


def _plant() -> Exhibit:
    parts = _robot().equations("forward_dynamics", symbolic=True)
    formulas = tuple(line for each in parts for line in _lines(each.latex()))
    return Exhibit(
        "Eqs. (1), (2)",
        "the plant of two links",
        "Solved for the accelerations of links and motors, with letters for all numbers: K, MG and N are "
        "the stiffness, the inertia of the motor and the gear ratio of each joint. There is no damping.",
        formulas=formulas,
    )


def _law() -> Exhibit:
    joint = ElasticJointRobot(load("pendulum"), 1e4, 1e-4, 0.01, spring_at="link")
    return Exhibit(
        "Eqs. (3), (4), (5)",
        "the law u = H s + h",
        "H of two links, and h of a pendulum, which has Psi and P multiplied out; the page does not define "
        "these two. The h of two links would fill the screen.",
        formulas=(
            *_lines(_robot().equations("decoupling_matrix", symbolic=True).latex()),
            *_lines(joint.equations("decoupling_bias", symbolic=True).latex()),
        ),
    )


def _lines(latex: str) -> list[str]:
    """Return equations that LaTeX aligns, one by one; MathML has no alignment."""
    bare = latex.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}")
    if bare == latex:
        return [latex]
    return [line.replace("&=", "=").strip() for line in bare.split("\\\\\n")]


def _chain() -> Exhibit:
    """Return runs from off the trajectory, decoupled at once and in stages."""
    robot, move = _robot(), _move()
    start = state_on(robot, move)
    shift = OFFSET * np.array([1.0, -1.0])
    start[:2] += shift
    start[4:6] += shift / robot.drives.gear_ratio
    at_once = Decoupling(robot, POLES)
    laws: dict[str, Control] = {
        "at once": at_once,
        "in stages": StagedDecoupling(robot, POLES[:2], TORQUE_POLES),
    }
    plot, distance = panels(["error of joint 1 [rad]"]), 0.0
    for k, (name, law) in enumerate(laws.items()):
        run = track(law, move, step=STEP, start=start, off_trajectory=True)
        keep = thinned(run.t)
        add_curve(plot, run.t[keep], run.error[keep, 0], f"decoupled {name}", k, width=2, hover="%{y:.1e}")
        if law is at_once:
            distance = float(np.abs(run.q - chain_motion(at_once, move, start, run.t)).max())
    return Exhibit(
        "Sec. I",
        "four integrators, at once or in stages",
        f"From {OFFSET:g} rad off the trajectory. The decoupled arm keeps to the chain of four integrators "
        f"within {distance:.0e} rad, which is the error of the integration. In stages the torques of the "
        "springs have poles of their own, here three times faster than those of the links.",
        figures={"Errors of joint 1 over time": figure(plot, "Errors of a decoupled arm", 320)},
    )


def _condition() -> Exhibit:
    """Return how often the condition holds, how often the linearised loop and the run are stable."""
    robot, move = _robot(), _move()
    spread = Spread(stiffness=0.1, inertia=0.05)
    rows = []
    for pole in SAMPLED:
        law = Decoupling(robot, [pole] * 4)
        study = monte_carlo({"law": law}, move, spread, runs=PLANTS)
        found = robustness_condition(law, move, study.parameters, instants=5)
        counts = (found.holds.sum(), found.stable.sum(), study.bounded("law").sum())
        rows.append((f"{pole:g}", *(f"{int(each)}" for each in counts), f"{np.median(found.margins):.2f}"))
    return Exhibit(
        "Sec. I",
        "which errors of the model decoupling survives",
        f"Of {PLANTS} plants whose stiffness is off by up to 10 % and whose inertias by up to 5 %: on how "
        "many a sufficient condition holds, on how many the linearised loop has all poles on the left along "
        "the move, and how many runs at 1 kHz stay bounded. The condition of the paper is on pages that are "
        "not at hand; this one is built on the splitting of errors that Sec. I describes.",
        table=Table(
            ("poles [rad/s]", "condition holds", "poles on the left", "runs bounded", "median loop gain"),
            tuple(rows),
        ),
    )


def _feedforward() -> Exhibit:
    """Return tracking errors with tau'', without it, and without the springs."""
    robot, move = _robot(), _move()
    pair = [-40 + 40j, -40 - 40j]
    laws: dict[str, Control] = {
        "feedforward with tau''": Feedforward(robot, pair),
        "without tau' and tau''": Feedforward(robot, pair, torque_rates=False),
        "rigid computed torque": ComputedTorque(robot, [-40, -40]),
    }
    plot = panels(["error of the worst joint [rad]"])
    rows = []
    for k, (name, law) in enumerate(laws.items()):
        run = track(law, move, step=STEP)
        keep = thinned(run.t)
        size = np.maximum(np.abs(run.error[keep]).max(axis=-1), 1e-17)
        add_curve(plot, run.t[keep], size, name, k, width=2, hover="%{y:.1e}")
        rows.append((name, f"{run.worst:.1e}"))
    powers_of_ten(plot)
    shown: Figure = figure(plot, "Tracking errors with an exact model", 340)
    return Exhibit(
        "Eqs. (1), (2), inverted",
        "feedforward with tau''",
        r"$u = M_G K^{-1} N \ddot\tau + N \tau + M_G N^{-1} \ddot q_d$ is what both equations ask of a "
        r"wanted motion; $\ddot\tau$ is second-order inverse dynamics.",
        figures={"Error of the worst joint over time": shown},
        table=Table(("law", "largest error [rad]"), tuple(rows)),
    )
