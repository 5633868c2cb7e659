"""The numbers for sines and cosines in code that computes them without a library.

An angle less the nearest multiple of a quarter turn is at most pi/4, where short polynomials are exact
to round-off.
"""

from __future__ import annotations

from math import pi

QUARTERS = 2 / pi
"""Quarter turns per radian."""

PI_2 = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
"""pi/2 as a sum, to 160 bits: n times the first is subtracted exactly by a fused operation."""

ROUNDER = 1.5 * 2.0**52
"""Added to a double, this rounds it to a whole number, which is then in the low bits; subtracted again,
it leaves that number."""

SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
"""Minimax coefficients on [-pi/4, pi/4] for r^3 ... r^13 and r^4 ... r^14 [Fdlibm1993]."""
