"""Functions other than arithmetic, sine and cosine in LLVM: intrinsics, comparisons and selections."""

from __future__ import annotations

from collections.abc import Callable

from .constants import constant

INTRINSICS = {"abs": "fabs", "min": "minnum", "max": "maxnum"}
"""LLVM's names that differ from ours. LLVM calls libm, lane by lane, for what no instruction computes."""

COMPARISONS = {"less": "olt", "at_most": "ole"}


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
