"""Inertial parameters: which of them count, and what a log says of them."""

from __future__ import annotations

import numpy as np

import closedform as cf

from ..axes import Axes, legend
from ..canvas import BLUE, GREEN, INK, LINE, ORANGE, PALETTE, QUIET, Canvas

NAMES = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")


def base() -> str:
    """Draw the sixty inertial parameters of a Puma: which stay, which are regrouped, which have no effect."""
    found = cf.base_parameters(cf.load("puma560"))
    canvas = Canvas(720, 300, "The inertial parameters of a Puma 560: kept, regrouped, without effect")
    width, height = 62, 32
    colours = {"kept": BLUE, "kept, others added": GREEN, "added to others": ORANGE, "no effect": LINE}
    for j, name in enumerate(NAMES):
        canvas.text(90 + width * (j + 0.5), 62, name, QUIET, "middle", font_size=12)
    for i in range(1, 7):
        canvas.text(80, 62 + height * (i - 0.5) + 12, f"link {i}", QUIET, "end", font_size=12)
        for j, name in enumerate(NAMES):
            each = f"{name}{i}"
            state = (
                "no effect" if each in found.no_effect
                else "added to others" if each in found.eliminated
                else "kept, others added" if f"{name}R{i}" in found.names
                else "kept"
            )  # fmt: skip
            canvas.rectangle(
                90 + width * j, 72 + height * (i - 1), width - 4, height - 4, colours[state], rx=4
            )
    counted = f"{found.count} of 60 determine the torques"
    canvas.text(90, 292, counted, INK)
    legend(canvas, 90, 24, list(colours.items()))
    return canvas.svg()


def _log(arm: cf.Robot) -> dict[str, np.ndarray]:
    """Return a simulated log with friction and noise."""
    rng = np.random.default_rng(0)
    t = np.arange(0, 20, 0.004)
    w = 2 * np.pi * 0.1 * np.arange(1, 9)
    a, b = rng.normal(size=(2, 8, arm.nv)) / 4
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd = sine @ a + cosine @ b, (cosine * w) @ a - (sine * w) @ b
    qdd = -(sine * w**2) @ a - (cosine * w**2) @ b
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.8 * qd + 0.5 * np.sign(qd) + rng.normal(size=q.shape)
    return {"time": t, "q": q, "tau": tau}


def fit() -> str:
    """Draw a measured torque, and what the identified model says of rows that it has not seen."""
    arm = cf.load("puma560")
    log = _log(arm)
    result = cf.identify(arm, log, hold_out=1.0)
    late = log["time"] > 15
    t, q = log["time"][late], log["q"][late]
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    said = result.robot.inverse_dynamics(q, qd, qdd, friction=True)
    canvas = Canvas(720, 290, "Torque of a joint in a simulated log, and as the identified model predicts it")
    measured = log["tau"][late][:, 1]
    axes = Axes(
        canvas,
        (55, 50, 635, 190),
        (15, 20),
        (1.1 * measured.min(), 1.1 * measured.max()),
        ("t, s", "torque of joint 2, N m"),
    )
    axes.dots(t[::9], measured[::9], QUIET, 1.4)
    axes.curve(t[3:-3], said[3:-3, 1], ORANGE)
    error = f"identified model, {100 * result.held_out.total:.1f} % error on rows held out"
    legend(canvas, 55, 24, [("log, with friction and noise", QUIET), (error, ORANGE)])
    return canvas.svg()


def exciting() -> str:
    """Draw a motion that makes the parameters visible, and how much better it is than a chance one."""
    found = cf.excitation(cf.load("puma560"), period=6.0, starts=1, iterations=25, seed=0)
    t = np.linspace(0, 6, 300)
    q = found.trajectory(t)
    canvas = Canvas(720, 290, "Joint angles of an exciting motion over one period")
    room = 1.05 * float(np.abs(q).max())
    axes = Axes(canvas, (55, 50, 635, 190), (0, 6), (-room, room), ("t, s", "joint angles, rad"))
    for k in range(q.shape[1]):
        axes.curve(t, q[:, k], PALETTE[k])
    canvas.text(
        55,
        24,
        f"condition number {found.condition:.0f}, {found.start_condition:.0f} at the start of the search",
    )
    return canvas.svg()
