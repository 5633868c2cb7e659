"""How must a Panda throw a ball into a bin, within its limits? Trajectory optimisation in JAX.

    python examples/trajectory_optimisation_jax.py [--page throw.html]

The motion is a spline from rest to rest that lets the ball go on its way; damped Gauss-Newton steps move its
control points. See the limits that are used, and the ball in the bin when torques alone drive the arm.
"""

import jax
import jax.numpy as jnp
import numpy as np
import typer
from scipy.interpolate import BSpline

import closedform as cf

PANDA, START = cf.load("panda"), np.array([0.0, -0.6, 0.0, -2.4, 0.0, 2.0, 0.8])
BIN, DURATION, RELEASE = np.array([1.4, 0.5]), 1.0, 0.6  # m on the floor; s; part of the duration
MIDDLE, HALF = (PANDA.upper_limits + PANDA.lower_limits) / 2, (PANDA.upper_limits - PANDA.lower_limits) / 2


def motion(x, instants: int):
    """Return angles, velocities and torques for control points x (n, 7) between two rests."""
    points = jnp.concatenate([jnp.tile(START, (3, 1)), x, x[-1:], x[-1:]])
    spline = BSpline(np.pad(np.linspace(0, DURATION, len(points) - 4), 5, "edge"), np.eye(len(points)), 5)
    q, qd, qdd = (spline(np.linspace(0, DURATION, instants), nu=order) @ points for order in range(3))
    return q, qd, PANDA.inverse_dynamics(q, qd, qdd)


def flight(q, qd):
    """Return where the ball leaves the tool, its velocity, and how long it flies to the floor."""
    k = round(RELEASE * (len(q) - 1))
    p, v = PANDA.pose(q[k], "tool"), PANDA.frame_velocity(q[k], qd[k], "tool", reference="world_aligned")
    return p[:3, 3], v[3:], (v[5] + (v[5] ** 2 + 2 * 9.81 * p[2, 3]) ** 0.5) / 9.81


def residuals(x, instants: int):
    """Return what least squares judges: the landing, limits that are exceeded, effort."""
    q, qd, tau = motion(x, instants)
    used = jnp.stack([tau / PANDA.effort_limits, qd / PANDA.velocity_limits, (q - MIDDLE) / HALF])
    p, v, t = flight(q, qd)
    parts = 100 * ((p + v * t)[:2] - BIN), 20 * jax.nn.relu(abs(used) - 0.95), 0.05 * used[0]
    return jnp.concatenate([each.ravel() for each in parts])


def optimised(x, instants: int, iterations: int):
    """Return the control points of least squares after Levenberg and Marquardt."""

    def step(state, _):
        x, damping = state
        r, J = residuals(x, instants), jax.jacfwd(residuals)(x, instants).reshape(-1, x.size)
        new = x - jnp.linalg.solve(J.T @ J + damping * jnp.eye(x.size), J.T @ r).reshape(x.shape)
        better = (residuals(new, instants) ** 2).sum() < (r**2).sum()
        return (jnp.where(better, new, x), damping * jnp.where(better, 0.3, 5.0)), None

    return jax.lax.scan(step, (x, 1.0), length=iterations)[0][0]


def main(page: str = "", points: int = 10, instants: int = 61, iterations: int = 60) -> float:
    """Return how far from the bin a simulated throw lands; print what is used, draw the throw on a page."""
    x = jax.jit(optimised, static_argnums=(1, 2))(jnp.tile(START, (points, 1)), instants, iterations)
    _, qd, tau = (np.asarray(each, dtype=float) for each in motion(x, 1001))
    limits = np.abs(tau / PANDA.effort_limits).max(axis=0), np.abs(qd / PANDA.velocity_limits).max(axis=0)
    for name, torque, speed in zip(PANDA.joint_names, *limits, strict=True):
        print(f"{name} uses {100 * torque:2.0f} % of its torque and {100 * speed:2.0f} % of its velocity")
    run = PANDA.simulate(START, law=tau, duration=DURATION, step=DURATION / 1000)
    p, v, t = flight(run.q, run.qd)
    print(f"the ball leaves at {np.linalg.norm(v):.1f} m/s and lands at {(p + v * t)[:2]}, bin at {BIN}")
    if page:
        x, y, z = (p + v * (s := np.linspace(0, t, 30)[:, None]) - [0, 0, 4.905] * s**2).T
        plot = PANDA.plot(run.q[::20]).add_scatter3d(x=x, y=y, z=z, mode="lines", line_width=6)
        plot.update_scenes(xaxis_range=(-0.6, 1.6), yaxis_range=(-1.1, 1.1), zaxis_range=(0, 2.2))
        plot.write_html(page)
    return float(np.linalg.norm((p + v * t)[:2] - BIN))


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    typer.run(main)
