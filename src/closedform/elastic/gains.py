"""Gains of error feedback that give the error its poles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import text, whole_number
from ..errors import ArgumentError
from ..guests import in_kind

MOST_POLES, MOST_JOINTS, FASTEST = 20, 10_000, 1e12
"""Poles per joint, joints, and rad/s: within these no product of poles overflows."""

PAIRED = 1e-9
"""Relative imaginary part up to which a polynomial of conjugate pairs is real but for round-off."""


@in_kind
def pole_gains(poles: ArrayLike, joints: int | Sequence[str] = 1) -> Array:
    """Return the gains k of e^(r) + k_{r-1} e^(r-1) + ... + k_0 e = 0 with the given poles.

    `poles` are r numbers in rad/s with negative real parts, complex ones in conjugate pairs; or
    (joints, r) of them. Returns (r, joints): row i multiplies the i-th derivative of the error.

    >>> from closedform.elastic import pole_gains
    >>> pole_gains([-10, -10]).tolist()
    [[100.0], [20.0]]
    """
    if isinstance(joints, tuple | list):
        names = [text("pole_gains: joints", name) for name in joints]
    else:
        names = [f"{k + 1}" for k in range(whole_number("pole_gains: joints", joints, 1, MOST_JOINTS))]
    try:
        given = np.asarray(poles)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise ArgumentError("poles are ragged; expected (r,) or (joints, r)") from None
    if given.dtype.kind not in "fiuc" or given.ndim not in (1, 2) or not 0 < given.shape[-1] <= MOST_POLES:
        raise ArgumentError(
            f"poles has shape {given.shape} of {given.dtype}; expected (r,) or (joints, r), "
            f"r up to {MOST_POLES}"
        )
    if given.ndim == 2 and len(given) != len(names):
        raise ArgumentError(f"poles has {len(given)} rows; expected one for each of {len(names)} joints")
    wide = given.astype(complex if given.dtype.kind == "c" else float)  # of any precision
    rows = np.broadcast_to(wide, (len(names), given.shape[-1]))
    gains = np.empty((rows.shape[-1], len(names)))
    for k, (name, row) in enumerate(zip(names, rows, strict=True)):
        if not ((np.abs(row) <= FASTEST).all() and (row.real < 0).all()):
            worst = row[int(np.argmax(np.where(np.isfinite(row), row.real, np.inf)))]
            raise ArgumentError(
                f"poles: {worst:g} of joint {name!r} is not stable; give negative real parts "
                f"up to {FASTEST:g}"
            )
        polynomial = np.poly(row)
        if np.abs(polynomial.imag).max() > PAIRED * np.abs(polynomial).max():
            raise ArgumentError(f"poles of joint {name!r} are not in conjugate pairs: {row.tolist()}")
        gains[:, k] = polynomial.real[:0:-1]
    return gains


def loop_gains(where: str, joints: Sequence[str], *loops: tuple[str, ArrayLike, int]) -> Array:
    """Return the gains of several loops below one another; `where` names the law or observer.

    A loop is what its poles are called, the poles, and how many of them each joint must have.
    """
    gains = []
    for name, poles, count in loops:
        gains.append(pole_gains(poles, joints))
        if len(gains[-1]) != count:
            raise ArgumentError(f"{where}: {len(gains[-1])} {name} per joint; expected {count}")
    return np.concatenate(gains)


def rows(gains: SX) -> list[SX]:
    """Return the rows of gains as columns over the joints."""
    return [gains[k, :].T for k in range(gains.size1())]
