"""What G. Garofalo, C. Ott, A. Albu-Schäffer show, made again; they print no results but two timings."""

from __future__ import annotations

from functools import partial
from typing import Unpack

import numpy as np

from ..arrays import Array
from ..description.description import Inertial
from ..forms import Variant
from ..forms.variant import Choices
from ..loading import load
from ..programs import evaluate, trace
from ..report.curves import add_curve, panels, powers_of_ten
from ..report.figure import figure
from ..robot import Robot
from .exhibit import Exhibit, Table, stick_figure
from .printed import Printed

COUNTED = ("ur5", "iiwa14", "quadruped")
"""Robots whose operations are counted, the last with a base that floats."""


def printed() -> list[Printed]:
    """Return the numbers that the paper prints, each beside ours: none.

    Its only figures are an average time of 0.244 ms and a ratio of times of 0.71, on the authors' computer.
    The benchmarks set times beside them; `exhibits` has the operations behind the ratio.
    """
    return []


def exhibits() -> list[Exhibit]:
    """Return the figures of the paper, its identities on a tree, and the cost of derivatives, made again."""
    return [_branched_system(), _identities(), _singular_angles(), _humanoid(), _cost()]


def branched_tree() -> Robot:
    """Return a tree of five bodies with free, ball, revolute, prismatic and helical joints.

    >>> from closedform.papers.garofalo import branched_tree
    >>> branched_tree().nv
    12
    """
    homes = [(0, 0, 0.8), (0, 0.25, 0.3), (0, 0.35, 0), (0, -0.25, 0.3), (0, -0.35, -0.1)]
    placements = [np.eye(4) for _ in homes]
    for T, p in zip(placements, homes, strict=True):
        T[:3, 3] = p
    lines = np.array([(1, 0, 0, 0, 0, 0), (0, 0, 0, 0, -1, 0), (0, 0, 1, 0, 0, 0.05)])
    screws: list[Array] = [np.eye(6), np.eye(6)[:, :3], *lines]
    inertials = [
        Inertial.of(m, (0.02 * k, 0.05, -0.03), (0.1 * m, 0.01, 0.0, 0.12 * m, -0.01, 0.08 * m))
        for k, m in enumerate((8.0, 2.0, 1.5, 1.0, 0.7))
    ]
    return Robot.from_screws(
        placements,
        screws,
        name="branched tree",
        parents=[-1, 0, 1, 0, 3],
        body_names=["trunk", "upper arm", "forearm", "slider", "screw"],
        inertials=inertials,
    )


def _value(robot: Robot, name: str, *arrays: Array, **choices: Unpack[Choices]) -> Array:
    """Return a form without compiling it: a page needs it once."""
    found: Array = evaluate(trace(robot.model, name, Variant(**choices), closed=False), *arrays)
    return found


def _branched_system() -> Exhibit:
    robot = branched_tree()
    q = robot.from_euler_angles([0, 0, 0, 0.1, 0.1, 0.3, 0.4, -0.3, 0.2, 0.8, 0.15, 0.6])
    return Exhibit(
        "Fig. 1",
        "a branched system of rigid bodies",
        "The paper sketches a body of a tree with its parent and its frame. This is a tree with joints of "
        "several kinds: a free trunk, an arm on a ball joint with a revolute elbow, a slider that carries a "
        "helical joint. The identities below are those of this tree.",
        {"Stick figure of the tree": stick_figure(robot, q, "Branched tree")},
    )


def _identities() -> Exhibit:
    robot = branched_tree()
    value = partial(_value, robot)
    q, qd, qdd = robot.random_state(0)
    factored = partial(value, factorisation="garofalo")
    M, C, g = value("mass_matrix", q), factored("coriolis_matrix", q, qd), value("gravity_torque", q)
    Md, Jc, tau = (
        value("mass_matrix_dot", q, qd),
        value("com_jacobian", q),
        value("inverse_dynamics", q, qd, qdd),
    )
    Y, phi, dJ = value("regressor", q, qd, qdd), robot.phi, value("jacobian_dq", q)
    Gamma = value("velocity_map", q, coordinates="euler_zyz")
    u = value("velocity_map_inverse", q, coordinates="euler_zyz") @ qd
    claims = [
        ("(5), (6)", r"M\ddot q + C\dot q + g = \tau", M @ qdd + C @ qd + g, tau),
        ("Remark 5", r"C + C^T = \dot M", C + C.T, Md),
        ("(7)", r"m J_{CoM}^T \gamma_0 = g", -robot.mass * Jc.T @ robot.gravity, g),
        ("(8), (16)", r"Y \pi = \tau", Y @ phi, tau),
        ("(13a)", r"(\partial M / \partial \pi) \pi = M", value("mass_matrix_dphi", q) @ phi, M),
        ("(13b)", r"(\partial C / \partial \pi) \pi = C", factored("coriolis_matrix_dphi", q, qd) @ phi, C),
        ("(13c)", r"(\partial g / \partial \pi) \pi = g", value("gravity_torque_dphi", q) @ phi, g),
        ("(24a), (25a)", r"(\partial M / \partial q) \dot q = \dot M", value("mass_matrix_dq", q) @ qd, Md),
        (
            "(24b, c), (25b)",
            r"(\partial C / \partial q) \dot q + (\partial C / \partial \dot q) \ddot q = \dot C",
            factored("coriolis_matrix_dq", q, qd) @ qd + factored("coriolis_matrix_dqd", q, qd) @ qdd,
            factored("coriolis_matrix_dot", q, qd, qdd),
        ),
        (
            "(24d), (25c)",
            r"(\partial g / \partial q) \dot q = \dot g",
            value("gravity_torque_dq", q) @ qd,
            value("gravity_torque_dot", q, qd),
        ),
        ("(28), (31)", r"(\partial J / \partial q) \dot q = \dot J", dJ @ qd, value("jacobian_dot", q, qd)),
        (
            "(29), (30), (32)",
            r"(\partial \dot J / \partial q) \dot q + (\partial J / \partial q) \ddot q = \ddot J",
            value("jacobian_dot_dq", q, qd) @ qd + dJ @ qdd,
            value("jacobian_ddot", q, qd, qdd),
        ),
        ("(33)", r"u^T \Gamma^T M \Gamma u = \dot q^T M \dot q", u @ Gamma.T @ M @ Gamma @ u, qd @ M @ qd),
    ]
    rows = tuple((where, f"${claim}$", f"{_difference(*sides):.0e}") for where, claim, *sides in claims)
    return Exhibit(
        "Identities",
        "derivatives by parameters, state and time agree",
        "Each line sets two routes of the library beside one another, at a random state of the tree: a "
        "derivative by the state along the motion is the derivative by time, a derivative by the parameters "
        "times these is the matrix itself. C is that of (6b), u are rates of zyz Euler angles of the trunk "
        "and the arm. The last column is the largest difference relative to the largest entry: round-off.",
        table=Table(("equations", "identity", "difference"), rows),
    )


def _difference(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


def _singular_angles() -> Exhibit:
    robot = branched_tree()
    angle = np.linspace(-179.5, 179.5, 719)
    values = np.zeros((len(angle), robot.nv))
    values[:, 3:6] = 0.3
    values[:, 4] = np.radians(angle)
    q = robot.from_euler_angles(values, "euler_zyx")
    plot = panels(["condition number"], axis="pitch [deg]")
    for colour, name in enumerate(("euler_rpy", "euler_zyz", "world_aligned")):
        with np.errstate(invalid="ignore"):
            Gamma = _value(robot, "velocity_map", q, coordinates=name)[:, :6, :6]
        sound = np.isfinite(Gamma).all(axis=(1, 2))
        condition = np.full(len(angle), np.nan)  # a gap where the map does not exist
        condition[sound] = np.linalg.cond(Gamma[sound])
        add_curve(plot, angle, condition, name, colour)
    powers_of_ten(plot)
    return Exhibit(
        "Remark 7",
        "other velocities, and where their map is singular",
        "The algorithm takes twists of free joints as velocities $w$, from which rates of Euler angles "
        r"follow as $\Gamma(q) w$. Here the twists are $\dot q$, the paper's map is `velocity_map_inverse` "
        "and `velocity_map` leads back. Angles are singular where their first and last axis are one: at a "
        "pitch of 90 degrees for roll, pitch and yaw. Other sequences are singular elsewhere, velocities in "
        "axes at rest nowhere.",
        {"Condition number of the map for the trunk, over its pitch": figure(plot, "Gamma", 320)},
    )


def _humanoid() -> Exhibit:
    robot = load("humanoid")
    return Exhibit(
        "Fig. 2",
        "a humanoid robot and its kinematics",
        "The paper shows TORO, 25 revolute joints on a base that floats; its dimensions and inertias are not "
        f"printed. The catalogue's humanoid stands for it: {robot.nv - 6} joints on a free base.",
        {"Stick figure of the humanoid": stick_figure(robot, robot.neutral(), "Humanoid")},
    )


def _cost() -> Exhibit:
    rows = []
    for name in COUNTED:
        robot = load(name)
        forms = ("dynamic_matrices", "dynamic_matrices_dot", "mass_matrix", "mass_matrix_dq")
        once, both, M, dM = (robot.program(form).counts.total for form in forms)
        ratios = (both / (2 * once), dM / (2 * robot.nv * M))
        rows.append((name, str(robot.nv), f"{once:,}", f"{both:,}", *(f"{each:.2f}" for each in ratios)))
    return Exhibit(
        "Sec. VII",
        "what derivatives cost beside difference quotients",
        "The authors compare the time of M, C and g at two instants with that of the matrices and their time "
        "derivatives (25) at one: 0.71 on average, and they expect more of derivatives by the state. Here "
        "are operations in place of times. Our matrices alone are cheap, by composite bodies and regrouped "
        "parameters, and their rates cost as much again: a ratio near one, for all digits where a "
        "difference quotient keeps half of them. For dM/dq the quotient needs M twice for each velocity; the "
        "ratio is that of dM/dq to all these.",
        table=Table(("robot", "dofs", "M, C, g", "with rates", "rates: ratio", "dM/dq: ratio"), tuple(rows)),
    )
