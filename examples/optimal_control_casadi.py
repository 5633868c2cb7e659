"""Torque-limited optimal control of a 7-dof arm with IPOPT: from rest to rest with the least effort.

    python examples/optimal_control_casadi.py [torques.html]

Accelerations are linear between the nodes, so that velocities and angles follow exactly. The torques at the
nodes are inverse dynamics, a CasADi function that brings its derivatives along.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import casadi as ca
import numpy as np
from plotly import graph_objects as go

import closedform as cf

START = np.array([-1.2, -0.9, 0.0, -2.4, 0.0, 1.6, 0.8])
END = np.array([1.2, 0.6, 0.3, -0.9, 0.4, 2.4, -0.5])
DURATION = 0.9
SHARE = 0.25  # of the drives' torques; the others are kept for disturbances


class Motion(NamedTuple):
    """A motion of least effort, and what the solver says of itself."""

    t: np.ndarray
    q: np.ndarray
    tau: np.ndarray
    effort: float
    stats: dict


def optimal_motion(torque: ca.Function, limits: np.ndarray, duration: float, intervals: int) -> Motion:
    """Return the motion from START to END for which the integral of torque squared is least."""
    opti, n, h = ca.Opti(), len(START), duration / intervals
    q, v, a = (opti.variable(n, intervals + 1) for _ in range(3))
    q0, v0, a0 = (each[:, :-1] for each in (q, v, a))
    q1, v1, a1 = (each[:, 1:] for each in (q, v, a))
    opti.subject_to(v1 == v0 + h / 2 * (a0 + a1))
    opti.subject_to(q1 == q0 + h * v0 + h**2 / 6 * (2 * a0 + a1))
    tau = torque.map(intervals + 1)(q, v, a)
    opti.subject_to(opti.bounded(-1, tau / limits, 1))
    for place, column in ((START, 0), (END, -1)):
        opti.subject_to(q[:, column] == place)
        opti.subject_to(v[:, column] == 0)
    effort = h * ca.sumsqr(tau / limits)
    opti.minimize(effort)
    t = np.linspace(0, duration, intervals + 1)
    opti.set_initial(q, START[:, None] + np.outer(END - START, t / duration))
    opti.solver("ipopt", {"print_time": False, "record_time": True}, {"print_level": 0, "sb": "yes"})
    solution = opti.solve()
    return Motion(t, solution.value(q).T, solution.value(tau).T, solution.value(effort), opti.stats())


def main(page: str | None = None, intervals: int = 40) -> Motion:
    """Solve for the Panda, print what each joint uses of its limit, and draw the torques."""
    robot = cf.load("panda")
    limits = SHARE * np.asarray(robot.effort_limits)
    motion = optimal_motion(robot.casadi("inverse_dynamics"), limits, DURATION, intervals)
    share = motion.tau / limits
    print(f"{motion.stats['iter_count']} iterations, effort {motion.effort:.4f}")
    for name, used in zip(robot.joint_names, np.abs(share).max(axis=0), strict=True):
        print(f"  {name:16} at most {100 * used:5.1f} % of its torque")
    if page:
        lines = [
            go.Scatter(x=motion.t, y=y, name=name) for name, y in zip(robot.joint_names, share.T, strict=True)
        ]
        go.Figure(lines).update_layout(xaxis_title="t, s", yaxis_title="torque / limit").write_html(page)
    return motion


if __name__ == "__main__":
    main(*sys.argv[1:2])
