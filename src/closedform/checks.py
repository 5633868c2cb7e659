"""Arguments checked in one place: what is refused is named, with what was expected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError, shown

LARGEST = 1e50
"""Magnitude beyond which no figure of a robot is meant, and products of a few could overflow."""


@contextmanager
def collected(problems: list[str]) -> Iterator[None]:
    """Add the ArgumentError of the block to a list of problems, so that the next can be found too."""
    try:
        yield
    except ArgumentError as error:
        problems.append(str(error))


def real_array(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """Return an array of real numbers in double precision."""
    try:
        array = np.asarray(given)
    except ValueError:
        raise ArgumentError(f"{name} is ragged; expected an array of real numbers") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name} has dtype {array.dtype}; expected real numbers")
    return array.astype(np.float64)


def sized_array(
    name: str, given: ArrayLike, size: tuple[int, ...], most: float = LARGEST
) -> NDArray[np.float64]:
    """Return an array of that shape whose numbers are finite and at most `most`."""
    array = real_array(name, given)
    if array.shape != size:
        raise ArgumentError(f"{name} has shape {array.shape}; expected {size}")
    if not (np.abs(array) <= most).all():
        raise ArgumentError(f"{name} has a number that is not finite or beyond {most:g}")
    return array


def whole_number(name: str, given: Any, least: int, most: int | None = None) -> int:
    """Return a whole number of at least `least`, and of `most` at most."""
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or given < least or (most is not None and given > most):
        upto = "" if most is None else f" to {most}"
        raise ArgumentError(f"{name} is {shown(given)}; expected a whole number from {least}{upto}")
    return int(given)


def flag(name: str, given: Any) -> bool:
    """Return True or False."""
    if not isinstance(given, bool | np.bool_):
        raise ArgumentError(f"{name} is {shown(given)}; expected True or False")
    return bool(given)


def generator(name: str, given: Any) -> np.random.Generator:
    """Return a generator of random numbers from one, a seed, or None for another every time."""
    if given is None or isinstance(given, np.random.Generator):
        return np.random.default_rng(given)
    return np.random.default_rng(whole_number(f"{name} (a seed or a NumPy Generator)", given, 0))


def shape(name: str, given: Any) -> tuple[int, ...]:
    """Return a batch shape from a whole number or a sequence of them."""
    if isinstance(given, int | np.integer):
        return (whole_number(name, given, 0),)
    if not isinstance(given, tuple | list):
        raise ArgumentError(f"{name} is {shown(given)}; expected a whole number or a tuple of them")
    return tuple(whole_number(name, size, 0) for size in given)


def number(name: str, given: Any) -> float:
    """Return a finite number."""
    fine = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if fine and not isinstance(given, int):
        given = float(given)  # of any precision; a whole number may be too long for that
    if not fine or not abs(given) <= LARGEST:
        raise ArgumentError(f"{name} is {shown(given)}; expected a number")
    return float(given)


def positive(name: str, given: Any) -> float:
    """Return a positive number."""
    value = number(name, given)
    if value <= 0:
        raise ArgumentError(f"{name} is {value:g}; expected a positive number")
    return value


def not_negative(name: str, given: Any) -> float:
    """Return a number of at least zero."""
    value = number(name, given)
    if value < 0:
        raise ArgumentError(f"{name} is {value:g}; expected a number from 0")
    return value


def small_number(name: str, given: Any, most: float) -> float:
    """Return a number from 0 to `most`."""
    fine = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not fine or not 0 <= given <= most:
        raise ArgumentError(f"{name} is {shown(given)}; expected a number from 0 to {most:g}")
    return float(given)
