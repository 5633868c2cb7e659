"""Torque-limited optimal control of a 7-dof arm with IPOPT: from rest to rest with the least effort.

    python examples/optimal_control_casadi.py [torques.html]

Accelerations are linear between instants; velocities and angles follow exactly. The torques at all instants
are one call of inverse dynamics, a CasADi function that runs machine code and brings its derivatives along.
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


def problem(torque: ca.Function, limits: np.ndarray, intervals: int, **options: Any) -> Problem:
    """Return the search for the motion from START to END with the least integral of squared shares.

    `torque` takes the angles, velocities and accelerations of all instants, one per column.
    """
    opti, n, h = ca.Opti(), len(START), DURATION / intervals
    q, v, a, share = (opti.variable(n, intervals + 1) for _ in range(4))
    q0, v0, a0 = (each[:, :-1] for each in (q, v, a))
    q1, v1, a1 = (each[:, 1:] for each in (q, v, a))
    opti.subject_to(ca.vec(v1 - v0 - h / 2 * (a0 + a1)) == 0)
    opti.subject_to(ca.vec(q1 - q0 - h * v0 - h**2 / 6 * (2 * a0 + a1)) == 0)
    opti.subject_to(ca.vec(limits * share - torque(q, v, a)) == 0)
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
    found = problem(robot.casadi("inverse_dynamics", batch=intervals + 1), limits, intervals)
    solution = found.opti.solve()
    q, share = solution.value(found.q).T, solution.value(found.share).T
    print(f"{found.opti.stats()['iter_count']} iterations, effort {solution.value(found.effort):.4f}")
    for name, used in zip(robot.joint_names, np.abs(share).max(axis=0), strict=True):
        print(f"  {name:16} at most {100 * used:5.1f} % of its torque")
    if page:
        t, named = np.linspace(0, DURATION, intervals + 1), zip(robot.joint_names, share.T, strict=True)
        lines = [go.Scatter(x=t, y=y, name=name) for name, y in named]
        go.Figure(lines).update_layout(xaxis_title="t, s", yaxis_title="torque / limit").write_html(page)
    return q, share


if __name__ == "__main__":
    main(*sys.argv[1:2])
