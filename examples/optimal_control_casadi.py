"""Torque-limited optimal control of a 7-dof arm with IPOPT: from rest to rest with the least effort.

    python examples/optimal_control_casadi.py [torques.html]

Torques are constant within an interval; angles and velocities obey the implicit midpoint rule. The
accelerations of all intervals are one call of forward dynamics, a CasADi function that runs machine code and
brings its derivatives along.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from plotly import graph_objects as go

import closedform as cf

START = np.array([-1.2, -0.9, 0.0, -2.4, 0.0, 1.6, 0.8])
END = np.array([1.2, 0.6, 0.3, -0.9, 0.4, 2.4, -0.5])
DURATION = 0.9
SHARE = 0.25  # of the drives' torques; the others are kept for disturbances


class Problem(NamedTuple):
    """Angles, shares of the torque limits and effort, as symbols of a problem that is ready to be solved."""

    opti: ca.Opti
    q: ca.MX
    share: ca.MX
    effort: ca.MX


def problem(acceleration: ca.Function, limits: np.ndarray, intervals: int, **options: Any) -> Problem:
    """Return the search for the motion from START to END with the least integral of squared shares.

    `acceleration` takes the angles, velocities and torques of all intervals, one per column.
    """
    opti, n, h = ca.Opti(), len(START), DURATION / intervals
    q, v = (opti.variable(n, intervals + 1) for _ in range(2))
    share = opti.variable(n, intervals)
    q_mid, v_mid = ((each[:, :-1] + each[:, 1:]) / 2 for each in (q, v))
    a = acceleration(q_mid, v_mid, limits * share)
    opti.subject_to(ca.vec(q[:, 1:] - q[:, :-1] - h * v_mid) == 0)
    opti.subject_to(ca.vec(v[:, 1:] - v[:, :-1] - h * a) == 0)
    opti.subject_to(opti.bounded(-1, ca.vec(share), 1))
    for place, k in ((START, 0), (END, -1)):
        opti.subject_to(q[:, k] == place)
        opti.subject_to(v[:, k] == 0)
    effort = h * ca.sumsqr(share)
    opti.minimize(effort)
    opti.set_initial(q, START[:, None] + np.outer(END - START, np.linspace(0, 1, intervals + 1)))
    quiet = {"print_level": 0, "sb": "yes", **options.pop("ipopt", {})}
    usual = {"print_time": False, "record_time": True, "detect_simple_bounds": True}
    opti.solver("ipopt", usual | options, quiet)
    return Problem(opti, q, share, effort)


def main(page: str | None = None, intervals: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Solve for the Panda, print what each joint uses of its limit, draw the torques; return q and shares."""
    robot = cf.load("panda")
    limits = SHARE * np.asarray(robot.effort_limits)
    found = problem(robot.casadi("forward_dynamics", batch=intervals), limits, intervals)
    solution = found.opti.solve()
    q, share = solution.value(found.q).T, solution.value(found.share).T
    print(f"{found.opti.stats()['iter_count']} iterations, effort {solution.value(found.effort):.4f}")
    for name, used in zip(robot.joint_names, np.abs(share).max(axis=0), strict=True):
        print(f"  {name:16} at most {100 * used:5.1f} % of its torque")
    if page:
        t, named = DURATION / intervals * np.arange(intervals), zip(robot.joint_names, share.T, strict=True)
        lines = [go.Scatter(x=t, y=y, name=name, line={"shape": "hv"}) for name, y in named]
        go.Figure(lines).update_layout(xaxis_title="t, s", yaxis_title="torque / limit").write_html(page)
    return q, share


if __name__ == "__main__":
    main(*sys.argv[1:2])
