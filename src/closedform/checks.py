"""Arguments checked in one place: what is refused is named, with what was expected."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError, UnknownNameError, shown, similar

LARGEST = 1e50
"""Largest magnitude of an argument: no robot has more, and products of a few could overflow."""

MOST_ENTRIES = 2**27
"""Numbers in one array argument: a gibibyte of them."""

MOST_SAMPLES = 10**7
"""Instants, samples or steps that a call may ask for if it keeps something for each."""

MOST_AXES = 16
"""Axes of a batch."""

MOST_SEEDS = 1000
"""Whole numbers that seed one generator."""

LONGEST_NAME = 255
"""Bytes of one part of a path."""

DOUBLE = np.dtype(np.float64)

T = TypeVar("T")


@contextmanager
def collected(problems: list[str]) -> Iterator[None]:
    """Add the ArgumentError of the block to a list of problems, so that the next can be found too."""
    try:
        yield
    except ArgumentError as error:
        problems.append(str(error))


def real_array(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """Return an array of real numbers in double precision."""
    if type(given) is np.ndarray and given.dtype == DOUBLE and given.size <= MOST_ENTRIES:
        return given.copy("K")  # the usual case, many times
    if hasattr(type(given), "shape") and type(given) is not np.ndarray:
        from .guests.doors import on_host  # noqa: PLC0415 (a later stage, for what other libraries made)

        given = on_host(name, given)
    try:
        array = np.asarray(given)
    except (ValueError, RecursionError):
        raise ArgumentError(f"{name} is ragged; expected an array of real numbers") from None
    except (TypeError, OverflowError):
        raise ArgumentError(f"{name} is {shown(given)}; expected an array of real numbers") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name} has dtype {array.dtype}; expected real numbers")
    if array.size > MOST_ENTRIES:
        raise ArgumentError(f"{name} has shape {array.shape}; expected at most {MOST_ENTRIES} numbers")
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise ArgumentError(f"{name} has masked entries; expected numbers: fill them, or leave them out")
    if array.dtype.itemsize <= 8:
        return array.astype(np.float64)
    with np.errstate(over="ignore"):  # a longer float may become infinite
        return array.astype(np.float64)


def sized_array(
    name: str, given: ArrayLike, size: tuple[int, ...], most: float = LARGEST
) -> NDArray[np.float64]:
    """Return an array of that shape whose numbers are finite and at most `most`."""
    array = real_array(name, given)
    if array.shape != size:
        raise ArgumentError(f"{name} has shape {array.shape}; expected {size}")
    return finite(name, array, most)


def batch_array(name: str, given: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return an array (..., size) of any numbers, NaN too."""
    array = real_array(name, given)
    if array.shape[-1:] != (size,):
        raise ArgumentError(f"{name} has shape {array.shape}; expected (..., {size})")
    return array


def rows_array(name: str, given: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return an array (..., size) whose numbers are finite and at most `LARGEST`."""
    return finite(name, batch_array(name, given, size))


def one_each(name: str, given: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return `count` numbers, from one number for all or one each."""
    array = real_array(name, given)
    if array.shape not in ((), (1,), (count,)):
        raise ArgumentError(f"{name} has shape {array.shape}; expected a number, or {count} of them")
    return np.broadcast_to(array, (count,)).copy()


def finite_array(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """Return an array of any shape whose numbers are finite and at most `LARGEST`."""
    return finite(name, real_array(name, given))


def finite(
    name: str, array: NDArray[np.float64], most: float = LARGEST, *, remedy: str = ""
) -> NDArray[np.float64]:
    """Return an array after refusing numbers that are not finite or beyond `most`; the first is named."""
    fine = np.abs(array) <= most
    if not fine.all():
        at = tuple(np.argwhere(~fine)[0].tolist())
        entry = f"{name}{list(at) if at else ''} is {array[at]:g}"
        raise ArgumentError(f"{entry}; expected finite numbers up to {most:g}{remedy}")
    return array


def common_batch(name: str, /, **batches: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which batches of these shapes broadcast."""
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        shapes = ", ".join(f"{each} {shape}" for each, shape in batches.items())
        raise ArgumentError(f"{name}: batches do not broadcast: {shapes}") from None


def whole_number(name: str, given: Any, least: int, most: int | None = None) -> int:
    """Return a whole number of at least `least`, and of at most `most` if that is given."""
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool | np.timedelta64)
    if not whole or given < least or (most is not None and given > most):
        span = f"from {least}" if most is None else f"from {least} to {most}"
        raise ArgumentError(f"{name} is {shown(given)}; expected a whole number {span}")
    return int(given)


def flag(name: str, given: Any) -> bool:
    """Return True or False; what merely counts as one is refused."""
    if not isinstance(given, bool | np.bool_):
        raise ArgumentError(f"{name} is {shown(given)}; expected True or False")
    return bool(given)


def generator(name: str, given: Any) -> np.random.Generator:
    """Return a generator of random numbers from a generator, a seed, or None for a new one each time."""
    known = np.random.Generator | np.random.BitGenerator | np.random.SeedSequence
    if given is None or isinstance(given, known):
        return np.random.default_rng(given)
    what = f"{name} (a seed or a NumPy Generator)"
    if isinstance(given, np.ndarray) and given.ndim == 1:
        given = list(given[: MOST_SEEDS + 1])
    if isinstance(given, tuple | list) and 0 < len(given) <= MOST_SEEDS:
        return np.random.default_rng([whole_number(what, each, 0) for each in given])
    return np.random.default_rng(whole_number(what, given, 0))


def choice(name: str, given: Any, words: Sequence[str]) -> str:
    """Return one of these words."""
    if not isinstance(given, str) or given not in words:
        few = " or ".join(repr(word) for word in words)
        expected = few if len(words) < 3 else f"one of {', '.join(words)}"
        raise ArgumentError(f"{name} is {shown(given)}{similar(given, words)}; expected {expected}")
    return given


def known_name(kind: str, given: Any, known: Sequence[str]) -> str:
    """Return a name that is known; another is refused with the list of those that are."""
    if not isinstance(given, str) or given not in known:
        raise UnknownNameError(kind, given, tuple(known))
    return given


def some_of(name: str, given: Any, words: Sequence[str]) -> tuple[str, ...]:
    """Return all of these words for True, none for False, or the one or those given."""
    if isinstance(given, bool):
        return tuple(words) if given else ()
    if not isinstance(given, str | tuple | list | set | frozenset):
        raise ArgumentError(f"{name} is {shown(given)}; expected True, False or some of {', '.join(words)}")
    return tuple(known_name(name, each, words) for each in ((given,) if isinstance(given, str) else given))


def is_text(given: Any) -> TypeGuard[str]:
    """Return whether something is a text that files can hold: a lone surrogate is not a character."""
    return isinstance(given, str) and not any("\ud800" <= letter <= "\udfff" for letter in given)


def text(name: str, given: Any) -> str:
    """Return a text that files can hold."""
    if not is_text(given):
        raise ArgumentError(f"{name} is {shown(given)}; expected a text")
    return given


def function(name: str, given: Any, of: str, count: int = 1) -> Any:
    """Return a function that takes `count` arguments; `of` says which."""
    if not callable(given):
        raise ArgumentError(f"{name} is {shown(given)}; expected a function of {of}")
    try:
        inspect.signature(given).bind(*[None] * count)
    except TypeError as error:
        raise ArgumentError(f"{name} cannot be called ({error}); expected a function of {of}") from None
    except ValueError:  # some built-in functions have no signature
        pass
    return given


def instance(name: str, given: Any, kind: type[T], what: str | None = None) -> T:
    """Return an object of that class."""
    if not isinstance(given, kind):
        raise ArgumentError(f"{name} is {shown(given)}; expected {what or f'a {kind.__name__}'}")
    return given


def instances(name: str, given: Any, kind: type[T], what: str | None = None) -> tuple[T, ...]:
    """Return a sequence of objects of that class as a tuple."""
    listed = isinstance(given, Sequence) and not isinstance(given, str)
    if not listed or not all(isinstance(each, kind) for each in given):
        raise ArgumentError(f"{name} is {shown(given)}; expected {what or f'a list of {kind.__name__}'}")
    return tuple(given)


def file_path(name: str, given: Any) -> Path:
    """Return a path that the system can take, whether or not there is a file."""
    if not isinstance(given, str | os.PathLike) or not isinstance(os.fspath(given), str):
        raise ArgumentError(f"{name} is {shown(given)}; expected a path")
    path = os.fspath(given)
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        encoded = b"\0"
    if not path or b"\0" in encoded or max(map(len, encoded.split(b"/"))) > LONGEST_NAME:
        raise ArgumentError(f"{name} is {shown(path)}; expected a path of readable, short names")
    return Path(path)


def shape(name: str, given: Any) -> tuple[int, ...]:
    """Return a batch shape from a whole number or a sequence of them."""
    if isinstance(given, int | np.integer):
        given = (given,)
    if not isinstance(given, tuple | list) or len(given) > MOST_AXES:
        raise ArgumentError(f"{name} is {shown(given)}; expected a whole number or a tuple of a few")
    sizes = tuple(whole_number(name, size, 0) for size in given)
    if math.prod(sizes) > MOST_SAMPLES:
        raise ArgumentError(f"{name} is {shown(given)}; expected at most {MOST_SAMPLES} samples")
    return sizes


def number(name: str, given: Any) -> float:
    """Return a finite number."""
    value = _real(given)
    if not abs(value) <= LARGEST:
        size = "" if math.isnan(value) else f" up to {LARGEST:g}"
        raise ArgumentError(f"{name} is {shown(given)}; expected a number{size}")
    return value


def positive(name: str, given: Any) -> float:
    """Return a positive number whose reciprocal is no larger than `LARGEST`."""
    value = number(name, given)
    if value < 1 / LARGEST:
        raise ArgumentError(f"{name} is {value:g}; expected a positive number from {1 / LARGEST:g}")
    return value


def not_negative(name: str, given: Any) -> float:
    """Return a number of at least zero."""
    value = number(name, given)
    if value < 0:
        raise ArgumentError(f"{name} is {value:g}; expected a number from 0")
    return value


def small_number(name: str, given: Any, most: float) -> float:
    """Return a number from 0 to `most`."""
    value = _real(given)
    if not 0 <= value <= most:
        raise ArgumentError(f"{name} is {shown(given)}; expected a number from 0 to {most:g}")
    return value


def _real(given: Any) -> float:
    """Return a number in double precision, infinite if it is beyond that, NaN for anything else."""
    if isinstance(given, bool | np.timedelta64) or not isinstance(
        given, int | float | np.integer | np.floating
    ):
        return math.nan
    try:
        return float(given)
    except OverflowError:
        return math.inf
