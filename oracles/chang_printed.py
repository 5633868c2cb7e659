"""The formulas of Chang's example as the paper prints them, Eqs. (29) to (32), in SymPy."""

from __future__ import annotations

import sympy as sp

U, V = sp.symbols("u v")
"""Lengths of the second and third link over that of the first."""

Q1, Q2, Q3 = sp.symbols("q1 q2 q3")


def s(*angles: sp.Expr) -> sp.Expr:
    """Return the sine of a sum of angles."""
    return sp.sin(sp.Add(*angles))


def c(*angles: sp.Expr) -> sp.Expr:
    """Return the cosine of a sum of angles."""
    return sp.cos(sp.Add(*angles))


S2, S3, S23 = s(Q2), s(Q3), s(Q2, Q3)

J = sp.Matrix(
    [
        [
            V * c(Q1, Q2, Q3) + U * c(Q1, Q2) + c(Q1),
            V * c(Q1, Q2, Q3) + U * c(Q1, Q2),
            V * c(Q1, Q2, Q3),
        ],
        [
            -V * s(Q1, Q2, Q3) - U * s(Q1, Q2) - s(Q1),
            -V * s(Q1, Q2, Q3) - U * s(Q1, Q2),
            -V * s(Q1, Q2, Q3),
        ],
    ]
)
"""(31)."""

H = (
    2 * S3**2 * U**2 * V**2
    + 2 * S23 * S3 * U * V**2
    + 2 * S23**2 * V**2
    + 2 * S2 * S23 * U * V
    + S2**2 * U**2
)
"""(29), after algebraic manipulation."""

GRADIENT = sp.Matrix(
    [
        0,
        2 * (c(Q2, Q3) * S3 * U + s(Q2, Q2, Q3, Q3)) * V**2 + 2 * s(Q2, Q2, Q3) * U * V + s(Q2, Q2) * U**2,
        2 * (s(Q3, Q3) * U**2 + s(Q2, Q3, Q3) * U + s(Q2, Q2, Q3, Q3)) * V**2 + 2 * c(Q2, Q3) * S2 * U * V,
    ]
)
"""h."""

Z = sp.Matrix([[S3 * U * V, -S3 * U * V - S23 * V, S23 * V + S2 * U]])
"""(9), simplified: times det(J_m)."""

ZH = (
    2 * U**2 * V**3 * (S23 * s(Q3, Q3) - c(Q2, Q3) * S3**2)
    + U * V**3 * (2 * S23 * s(Q2, Q3, Q3) - 3 * s(Q2, Q2, Q3, Q3) * S3)
    + 2 * U**3 * V**2 * S2 * s(Q3, Q3)
    + U**2 * V**2 * (c(Q3, Q3) - c(Q2, Q2))
    + 2 * U * V**2 * (S2 * s(Q2, Q2, Q3, Q3) - c(Q2) * S23**2)
    - U**3 * V * s(Q2, Q2) * S3
    - 2 * U**2 * V * S2 * S3
)
"""(32)."""
