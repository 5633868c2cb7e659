"""Sines and cosines of several angles in C, many times quicker than calls of libm."""

from __future__ import annotations

from ..programs.sine_cosine import COSINE, QUARTERS, ROUNDER, SINE
from .c_family import listed

PI_2 = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""pi/2 as a sum whose first two terms have 33 bits: their products with |n| < 2^20 are exact."""

LIMIT = 2.0**19
"""From this angle on libm is called."""


def sincos_function(name: str, size: int, real: str) -> list[str]:
    """Return a C function that gives the sines and cosines of `size` angles.

    In double precision, n quarter turns are subtracted from each angle, and polynomials evaluated at
    the rest; n decides which of the two is the sine, and the signs. The loop has no branch, so that
    compilers can compute several angles at once. In single precision libm is called.
    """
    arrays = [f"const {real} x[restrict {size}]", *(f"{real} {each}[restrict {size}]" for each in "sc")]
    head = listed(f"static void {name}(", arrays, ")")
    libm = [
        f"for (int k = 0; k < {size}; ++k) {{",
        f"    s[k] = {'sin' if real == 'double' else 'sinf'}(x[k]);",
        f"    c[k] = {'cos' if real == 'double' else 'cosf'}(x[k]);",
        "}",
    ]
    if real == "float":
        return [head, "{", *(f"    {line}" for line in libm), "}"]
    return [
        "/* Sines and cosines of angles to 2.5 units in the last place (not with -ffast-math). */",
        head,
        "{",
        "    int small = FLT_EVAL_METHOD == 0;",
        f"    for (int k = 0; k < {size}; ++k) {{",
        f"        small &= fabs(x[k]) < {LIMIT!r};",
        "    }",
        "    if (!small) {",
        *(f"        {line}" for line in libm),
        "        return;",
        "    }",
        f"    for (int k = 0; k < {size}; ++k) {{",
        f"        const double t = {QUARTERS!r}*x[k] + {ROUNDER!r};",
        f"        const double m = t - {ROUNDER!r};",
        f"        const double p = x[k] - m*{PI_2[0]!r};",
        f"        const double r = p - m*{PI_2[1]!r} - m*{PI_2[2]!r};",
        "        const int n = (int)m;",
        "        const double z = r*r;",
        "        const double y = z*z;",
        "        const double h = 0.5*z;",
        "        const double u = 1.0 - h;",
        *_polynomial("a", SINE),
        *_polynomial("b", COSINE),
        "        const double sine = r + r*z*a;",
        "        const double cosine = u + (1.0 - u - h + y*b);",
        "        const double f = (n & 1) ? cosine : sine;",
        "        const double g = (n & 1) ? sine : cosine;",
        "        s[k] = (n & 2) ? -f : f;",
        "        c[k] = ((n + 1) & 2) ? -g : g;",
        "    }",
        "}",
    ]


def _polynomial(name: str, a: tuple[float, ...]) -> list[str]:
    """Return a[0] + a[1] z + ... + a[5] z^5 in pairs, whose sums do not wait for each other."""
    pairs = [f"{a[k]!r} {'-' if a[k + 1] < 0 else '+'} {abs(a[k + 1])!r}*z" for k in (0, 2, 4)]
    return [
        f"        const double {name} = {pairs[0]}",
        f"            + y*({pairs[1]}",
        f"            + y*({pairs[2]}));",
    ]
