"""Sine and cosine of one angle in C, quicker than two calls of libm and as good."""

from __future__ import annotations

PI_2 = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""pi/2 as a sum whose first two terms have 33 bits: their products with |n| < 2^20 are exact."""

LIMIT = 2.0**19
"""Beyond this angle libm is called."""

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


def turn_function(name: str) -> list[str]:
    """Return a C function of an angle that gives its sine and cosine to 2.1 units in the last place.

    The angle less n quarter turns lies in [-pi/4, pi/4], where polynomials are exact to
    rounding; n says which of the two is the sine, and the signs. Choosing by table instead of
    by branch keeps random angles as quick as equal ones.
    """
    sine, cosine = _estrin(SINE), _estrin(COSINE)
    return [
        "/* Sine and cosine to 2.1 units in the last place (not with -ffast-math). */",
        f"static inline void {name}(double x, double *s, double *c)",
        "{",
        "    static const double sign[4] = {1.0, 1.0, -1.0, -1.0};",
        f"    if (fabs(x) < {LIMIT!r}) {{",
        f"        const int n = (int)({2 / 3.141592653589793!r}*x + copysign(0.5, x));",
        f"        const double r = x - n*{PI_2[0]!r} - n*{PI_2[1]!r} - n*{PI_2[2]!r};",
        "        const double z = r*r;",
        "        const double y = z*z;",
        "        const double h = 0.5*z;",
        "        const double u = 1.0 - h;",
        "        double v[2];",
        f"        v[0] = r + r*z*{sine};",
        f"        v[1] = u + (1.0 - u - h + y*{cosine});",
        "        *s = sign[n & 3]*v[n & 1];",
        "        *c = sign[(n + 1) & 3]*v[(n + 1) & 1];",
        "    } else {",
        "        *s = sin(x);",
        "        *c = cos(x);",
        "    }",
        "}",
    ]


def _estrin(a: tuple[float, ...]) -> str:
    """Return the polynomial a[0] + a[1] z + ... + a[5] z^5 in pairs, whose sums do not wait for each other."""
    pairs = [f"({a[k]!r} + {a[k + 1]!r}*z)" for k in (0, 2, 4)]
    return f"({pairs[0]} + y*({pairs[1]} + y*{pairs[2]}))"
