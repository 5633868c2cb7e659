"""How far a chain of integrators gets between rests: the oracle of time-optimal motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog


def farthest(T: float, limits: Sequence[float], steps: int = 160) -> float:
    """Return the longest distance between rests in time T within limits of velocity, acceleration, ...

    The last limited derivative is the control, constant over each of equal steps: a linear program.
    """
    order, h = len(limits), T / steps
    rows = np.zeros((order, steps))  # derivative k after the steps so far, as a row over the controls
    history: list[list[np.ndarray]] = [[] for _ in range(order)]
    for control in np.eye(steps):
        new = rows.copy()
        for k in range(order):
            factor = 1.0
            for m in range(k + 1, order):
                factor *= h / (m - k)
                new[k] += factor * rows[m]
            new[k] += factor * h / (order - k) * control
        rows = new
        for k in range(1, order):
            history[k].append(rows[k])
    seen = np.concatenate([np.array(history[k]) / limits[k - 1] for k in range(1, order)]) * limits[-1]
    found = linprog(
        -rows[0] * limits[-1],
        np.concatenate([seen, -seen]),
        np.ones(2 * len(seen)),
        rows[1:],
        np.zeros(order - 1),
        bounds=[(-1, 1)] * steps,
    )
    return -float(found.fun)


def shortest(distance: float, limits: Sequence[float], guess: float, steps: int = 160) -> float:
    """Return the least time between rests over a distance, by the secant of T(log farthest)."""
    times, gaps = [guess, 0.98 * guess], []
    for T in times:
        gaps.append(np.log(farthest(T, limits, steps) / distance))
    for _ in range(4):
        if abs(gaps[-1]) < 1e-5:
            break
        slope = (gaps[-1] - gaps[-2]) / (times[-1] - times[-2])
        times.append(times[-1] - gaps[-1] / slope)
        gaps.append(np.log(farthest(times[-1], limits, steps) / distance))
    return times[-1]
