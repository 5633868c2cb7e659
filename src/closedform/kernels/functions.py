"""Constants and functions in LLVM; sines and cosines are written out, so that they vectorise."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np

from ..programs.sine_cosine import COSINE, PI_2, QUARTERS, ROUNDER, SINE

LIMIT = 2.0**45
"""From this angle on neighbouring doubles are 8 mrad apart or more; sine and cosine are NaN."""

INTRINSICS = {"abs": "fabs", "min": "minnum", "max": "maxnum"}
"""LLVM's names that differ from ours. LLVM calls libm, lane by lane, for what no instruction computes."""

COMPARISONS = {"less": "olt", "at_most": "ole"}


def constant(value: float, real: str, lanes: int) -> str:
    """Return a number of type "double" or "float", repeated over the lanes."""
    return repeated(hexadecimal(value if real == "double" else float(np.float32(value))), real, lanes)


def repeated(text: str, kind: str, lanes: int) -> str:
    """Return a constant repeated over the lanes: a vector, or itself if there is one lane."""
    return text if lanes == 1 else "<" + ", ".join([f"{kind} {text}"] * lanes) + ">"


def hexadecimal(value: float) -> str:
    """Return the bits of a double, by which LLVM writes numbers of both types exactly."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def call_function(line: Callable[[str], str], name: str, x: list[str], real: str, lanes: int) -> str:
    """Write the call of a function and return the name of its value; `line` writes one instruction."""
    kind = real if lanes == 1 else f"<{lanes} x {real}>"
    one, zero = (constant(value, real, lanes) for value in (1.0, 0.0))
    truth = "i1" if lanes == 1 else f"<{lanes} x i1>"
    if name in COMPARISONS:
        holds = line(f"fcmp {COMPARISONS[name]} {kind} {x[0]}, {x[1]}")
        return line(f"select {truth} {holds}, {kind} {one}, {kind} {zero}")
    if name == "not":
        holds = line(f"fcmp oeq {kind} {x[0]}, {zero}")
        return line(f"select {truth} {holds}, {kind} {one}, {kind} {zero}")
    if name == "where":
        holds = line(f"fcmp une {kind} {x[0]}, {zero}")
        return line(f"select {truth} {holds}, {kind} {x[1]}, {kind} {zero}")
    suffix = {"double": "f64", "float": "f32"}[real]
    suffix = suffix if lanes == 1 else f"v{lanes}{suffix}"
    if name == "sign":
        nonzero = line(f"fcmp one {kind} {x[0]}, {zero}")
        signed = line(f"call {kind} @llvm.copysign.{suffix}({kind} {one}, {kind} {x[0]})")
        return line(f"select {truth} {nonzero}, {kind} {signed}, {kind} {x[0]}")
    arguments = ", ".join(f"{kind} {each}" for each in x)
    return line(f"call {kind} @llvm.{INTRINSICS.get(name, name)}.{suffix}({arguments})")


def sincos(line: Callable[[str], str], x: str, lanes: int) -> tuple[str, str]:
    """Write sin(x) and cos(x) of a double (of a vector if lanes > 1) and return their names.

    Multiples of pi/2 are subtracted with fused operations (Cody-Waite), then polynomials are evaluated
    at the reduced angle. `line` writes one instruction and returns the name of its value. The error is
    at most 2 units in the last place for |x| < 2^45; larger angles give NaN.
    """
    real, integer = ("double", "i64") if lanes == 1 else (f"<{lanes} x double>", f"<{lanes} x i64>")
    suffix = "f64" if lanes == 1 else f"v{lanes}f64"

    def const(value: float) -> str:
        return constant(value, "double", lanes)

    def whole(value: int) -> str:
        return repeated(str(value), "i64", lanes)

    def fma(a: str, b: str, c: str) -> str:
        return line(f"call {real} @llvm.fma.{suffix}({real} {a}, {real} {b}, {real} {c})")

    def binary(op: str, a: str, b: str) -> str:
        return line(f"{op} {real} {a}, {b}")

    bits = line(f"bitcast {real} {x} to {integer}")
    magnitude = line(f"and {integer} {bits}, {whole(2**63 - 1)}")
    mask = "i1" if lanes == 1 else f"<{lanes} x i1>"
    # Compared as integers: a comparison of NaN as a number would raise a floating-point flag.
    small = line(f"icmp ult {integer} {magnitude}, {whole(int(hexadecimal(LIMIT), 16))}")
    x = line(f"select {mask} {small}, {real} {x}, {real} {const(math.nan)}")
    shifted = fma(x, const(QUARTERS), const(ROUNDER))
    n = binary("fsub", shifted, const(ROUNDER))
    minus_n = line(f"fneg {real} {n}")
    r = x
    for part in PI_2:
        r = fma(minus_n, const(part), r)
    z = binary("fmul", r, r)
    sine = const(SINE[-1])
    for coefficient in reversed(SINE[:-1]):
        sine = fma(sine, z, const(coefficient))
    sine = fma(binary("fmul", z, r), sine, r)
    cosine = const(COSINE[-1])
    for coefficient in (*reversed(COSINE[:-1]), -0.5, 1.0):
        cosine = fma(cosine, z, const(coefficient))
    turns = line(f"bitcast {real} {shifted} to {integer}")
    odd = line(f"trunc {integer} {turns} to {mask}")
    names = []
    for swapped, plain, shift in ((cosine, sine, 0), (sine, cosine, 1)):
        value = line(f"select {mask} {odd}, {real} {swapped}, {real} {plain}")
        quadrant = line(f"add {integer} {turns}, {whole(shift)}") if shift else turns
        second = line(f"and {integer} {quadrant}, {whole(2)}")
        sign = line(f"shl {integer} {second}, {whole(62)}")
        raw = line(f"bitcast {real} {value} to {integer}")
        signed = line(f"xor {integer} {raw}, {sign}")
        names.append(line(f"bitcast {integer} {signed} to {real}"))
    return names[0], names[1]
