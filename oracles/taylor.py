"""Time derivatives of any order as 50-digit Taylor series of a program along a motion.

A program is evaluated once in truncated power series in place of numbers: sums and products of series,
sines and cosines by their differential equations. Nothing is differentiated by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
from mpmath import MPContext

from closedform import Robot
from closedform.programs import Program

mp = MPContext()
mp.dps = 60

Number = Any


class Taylor:
    """A power series in time, cut off after as many terms as it has coefficients."""

    def __init__(self, coefficients: Sequence[Number]) -> None:
        self.c = list(coefficients)

    @classmethod
    def of(cls, derivatives: Sequence[float], terms: int) -> Taylor:
        """Return the polynomial with these derivatives at zero."""
        given = [mp.mpf(float(x)) / factorial(k) for k, x in enumerate(derivatives[:terms])]
        return cls(given + [mp.zero] * (terms - len(given)))

    def derivative(self, order: int) -> float:
        """Return a derivative at zero."""
        return float(self.c[order] * factorial(order))

    def integral(self, start: Number) -> Taylor:
        """Return the integral that begins with `start`, with as many terms."""
        return Taylor([start, *(c / (k + 1) for k, c in enumerate(self.c[:-1]))])

    def __add__(self, other: Taylor) -> Taylor:
        return Taylor([a + b for a, b in zip(self.c, other.c, strict=True)])

    def __sub__(self, other: Taylor) -> Taylor:
        return Taylor([a - b for a, b in zip(self.c, other.c, strict=True)])

    def __neg__(self) -> Taylor:
        return Taylor([-a for a in self.c])

    def __mul__(self, other: Taylor | float) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor([other * a for a in self.c])
        return Taylor([_convolved(self.c, other.c, k) for k in range(len(self.c))])

    __rmul__ = __mul__

    def __truediv__(self, other: Taylor) -> Taylor:
        c: list[Number] = []
        for k, a in enumerate(self.c):
            c.append((a - mp.fdot(zip(c, other.c[k:0:-1], strict=True))) / other.c[0])
        return Taylor(c)

    def sine_and_cosine(self) -> tuple[Taylor, Taylor]:
        """Return both, from s' = c x' and c' = -s x'."""
        s, c = [mp.sin(self.c[0])], [mp.cos(self.c[0])]
        rate = [k * x for k, x in enumerate(self.c)][1:]
        for k in range(1, len(self.c)):
            s.append(_convolved(c, rate, k - 1) / k)
            c.append(-_convolved(s, rate, k - 1) / k)
        return Taylor(s), Taylor(c)


def _convolved(a: Sequence[Number], b: Sequence[Number], k: int) -> Number:
    return mp.fdot(zip(a[: k + 1], b[k::-1], strict=True))


def evaluated(program: Program, *inputs: Sequence[Taylor]) -> list[list[Taylor]]:
    """Return the entries of every output of a program as series, row by row."""
    flat = [each for given in inputs for each in given]
    terms = len(flat[0].c)
    pairs: dict[int, tuple[Taylor, Taylor]] = {}
    found: list[Taylor] = []
    for name, operands, value in program.operations:
        x = [found[k] for k in operands]
        if name == "input":
            found.append(flat[int(value)])
        elif name == "const":
            found.append(Taylor.of([value], terms))
        elif name in ("sin", "cos"):
            if operands[0] not in pairs:
                pairs[operands[0]] = x[0].sine_and_cosine()
            found.append(pairs[operands[0]][name == "cos"])
        else:
            found.append(_OPERATIONS[name](*x))
    return [[found[k] for k in entries] for entries in program.results]


_OPERATIONS = {
    "add": Taylor.__add__,
    "sub": Taylor.__sub__,
    "mul": Taylor.__mul__,
    "div": Taylor.__truediv__,
    "neg": Taylor.__neg__,
}


def coordinates(robot: Robot, q: np.ndarray, rates: Sequence[np.ndarray], terms: int) -> list[Taylor]:
    """Return q(t) of a motion that begins at q with the velocities and derivatives `rates`.

    Of ball and free joints q' = (R v, Q w / 2) is integrated term by term; the others are one-dof joints.
    """
    v = [Taylor.of(each, terms) for each in zip(*rates, strict=True)]
    found: list[Taylor] = []
    for body in robot.model.independent:
        own, u = q[body.iq : body.iq + body.joint.nq], v[body.velocities]
        if body.joint.nv not in (1, 3, 6) or (body.joint.nv == 3) != (body.joint.nq == 4):
            raise ValueError(f"{body.joint_name}: series know ball, free and one-dof joints")
        start = [mp.mpf(float(x)) for x in own]
        x = [Taylor.of([a], terms) for a in own]
        for _ in range(terms):  # each pass is right in one term more
            x = [rate.integral(a) for rate, a in zip(_rates(x, u), start, strict=True)]
        found += x
    return found


def _rates(x: list[Taylor], v: list[Taylor]) -> list[Taylor]:
    """Return q' of a one-dof, ball or free joint."""
    if len(x) == 1:
        return v
    turn = _product(x[-4:], [*v[:3], 0.0 * v[0]])
    turning = [0.5 * each for each in turn]
    if len(x) == 4:
        return turning
    *Q, s = x[3:]
    back = [-Q[0], -Q[1], -Q[2], s]
    return _product(_product(x[3:], [*v[3:], 0.0 * v[0]]), back)[:3] + turning


def _product(a: list[Taylor], b: list[Taylor]) -> list[Taylor]:
    """Return the product of quaternions (x, y, z, w)."""
    x, y, z, w = a
    p, q, r, s = b
    return [
        w * p + x * s + y * r - z * q,
        w * q + y * s + z * p - x * r,
        w * r + z * s + x * q - y * p,
        w * s - x * p - y * q - z * r,
    ]
