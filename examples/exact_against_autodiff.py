"""What do exact derivatives of inverse dynamics gain over autodiff and differences? Errors and times.

    python examples/exact_against_autodiff.py [--states 1000]

The derivatives of a Panda's torques by its angles: in closed form, by differences, and through a textbook
recursion that complex steps, PyTorch and JAX (if installed) differentiate. Errors are against the recursion
in 50 digits. See that all but differences are exact to round-off, and how much quicker the closed form is.
"""

import importlib.util
import os
from functools import partial
from timeit import repeat
from types import SimpleNamespace

import mpmath
import numpy as np
import typer

import closedform as cf

PANDA = cf.load("panda")


def torques(xp, q, qd, qdd):
    """Return the torques by the recursion of Newton and Euler; `xp` is NumPy or a library like it."""

    def cross(a, b):
        return xp.roll(a, -1, -1) * xp.roll(b, -2, -1) - xp.roll(a, -2, -1) * xp.roll(b, -1, -1)

    def turn(a, R):
        return (a[..., None, :] @ R)[..., 0, :]

    q, bodies, tau = q[..., None, None], [], []
    one, w, dw, f, n, a = map(xp.asarray, (np.eye(3), *np.zeros((4, 3)), -PANDA.gravity))
    for k, body in enumerate(PANDA.model.bodies):
        T, z, phi = map(xp.asarray, (body.placement, body.joint.X[:3, 0], body.phi))
        J, h, r, K = phi[np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])], phi[6:9], T[:3, 3], cross(one, z)
        R = T[:3, :3] @ (one + xp.sin(q[..., k, :, :]) * K + (1 - xp.cos(q[..., k, :, :])) * (K @ K))
        a, w, spin = turn(a + cross(dw, r) + cross(w, cross(w, r)), R), turn(w, R), z * qd[..., k, None]
        w, dw = w + spin, turn(dw, R) + z * qdd[..., k, None] + cross(w, spin)
        force = phi[9] * a + cross(dw, h) + cross(w, cross(w, h))
        bodies.append((R.swapaxes(-1, -2), r, z, force, turn(dw, J) + cross(w, turn(w, J)) + cross(h, a)))
    for Rt, r, z, force, moment in reversed(bodies):
        tau.append(((n + moment) * z).sum(-1))
        f, n = turn(f + force, Rt), turn(n + moment, Rt) + cross(r, turn(f + force, Rt))
    return xp.stack(tau[::-1], -1)


def differences(torque, h, q, qd, qdd):
    """Return central differences of torques by q; with an imaginary step h nothing cancels."""
    sides = [torque(q[..., None, :] + s * np.eye(7), qd[..., None, :], qdd[..., None, :]) for s in (h, -h)]
    return ((sides[0] - sides[1]) / (2 * h)).swapaxes(-1, -2)


def main(states: int = 1000) -> dict[str, tuple[float, float]]:
    """Return and print errors, relative to the largest derivative, and times per state in us."""
    ours, table, state = PANDA.inverse_dynamics, {}, np.stack(PANDA.random_state(0, batch=states))
    number, sin, cos = (np.vectorize(each, otypes=[object]) for each in (mpmath.mpf, mpmath.sin, mpmath.cos))
    digits = SimpleNamespace(roll=np.roll, stack=np.stack, asarray=number, sin=sin, cos=cos)
    exact = mpmath.workdps(100)(differences)(partial(torques, digits), 1e-25, *map(number, state[:, :2]))
    ways = {"closed form": PANDA.inverse_dynamics_dq, "differences, ours": partial(differences, ours, 1e-5)}
    ways["complex steps, recursion"] = partial(differences, partial(torques, np), 1e-30j)
    for library, tools in {"torch": "torch.func", "jax.numpy": "jax"}.items():
        if importlib.util.find_spec(library.split(".")[0]):
            xp, func = map(importlib.import_module, (library, tools))
            for name, torque in {"recursion": partial(torques, xp), "ours": ours}.items():
                found = getattr(func, "jit", lambda f: f)(func.vmap(func.jacrev(torque)))
                ways[f"{library}, {name}"] = lambda *x, f=found, xp=xp: np.asarray(f(*map(xp.asarray, x)))
    for name, way in ways.items():
        error = float(np.abs(way(*state)[:2] - exact).max() / np.abs(exact).max())
        table[name] = error, 1e6 / states * min(repeat(partial(way, *state), number=1, repeat=5))
        print(f"{name:26} error {error:.1e} {table[name][1]:12.3f} us")
    return table


if __name__ == "__main__":
    os.environ.update(JAX_ENABLE_X64="1", OMP_NUM_THREADS="1")  # all in double precision on one thread
    typer.run(main)
