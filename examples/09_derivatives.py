"""How do I give an optimiser exact derivatives of my robot's dynamics?

Looks for the posture that holds 2 kg at a given place with the least effort, by SciPy's SLSQP: with the
derivatives of gravity torques and tool position in closed form, and with SciPy's own finite differences.
"""

from time import perf_counter

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize

import closedform as cf

robot = cf.load("panda").with_payload(2.0)
place = np.array([0.5, 0.2, 0.4])  # m, in the base frame
q0 = robot.q(joint2=0.3, joint4=-1.8, joint6=2.0)
limits = robot.effort_limits


def effort(q):
    return np.sum((robot.gravity_torque(q) / limits) ** 2)


def effort_slope(q):
    return 2 * (robot.gravity_torque(q) / limits**2) @ robot.gravity_torque_dq(q)


def error(q):
    return robot.pose(q, "tool")[:3, 3] - place


def error_slope(q):
    return robot.jacobian(q, "tool", reference="world_aligned")[3:]  # the rows of v, after those of omega


effort_slope(q0), error_slope(q0), error(q0)  # the first call of a form compiles it
print("derivatives     effort   off by [m]   calls     ms")
for name, slopes in (("exact", (effort_slope, error_slope)), ("differences", ("2-point", "2-point"))):
    begin = perf_counter()
    found = minimize(
        effort,
        q0,
        jac=slopes[0],
        constraints=NonlinearConstraint(error, 0, 0, jac=slopes[1]),
        bounds=Bounds(robot.lower_limits, robot.upper_limits),
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 200},
    )
    ms, off = 1e3 * (perf_counter() - begin), np.linalg.norm(error(found.x))
    print(f"{name:<12}{found.fun:10.6f}{off:13.0e}{found.nfev:8}{ms:7.1f}")

robot.scene(found.x, ghost=q0).save("least_effort.html")  # in 3D; transparent: where the search began
