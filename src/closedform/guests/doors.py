"""Doors for arrays of other kinds to what computes with NumPy's: numbers go in, results come back in kind.

Where an algorithm decides by numbers on the host (a search, adaptive steps), `in_kind` brings them there and
its results back. Where it is a fixed sequence of kernels and array operations, it asks `kind_of` for the kind
and computes with the arrays themselves, with gradients and on their device.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from ..checks import finite_array
from ..errors import ArgumentError

LIBRARIES = {"torch": "torch_kind", "jax": "jax_kind", "jaxlib": "jax_kind", "cupy": "cupy_kind"}
"""Libraries whose arrays are taken in kind, and the modules that know how."""

DEEPEST = 4
"""Lists, mappings and records within each other in which arrays are looked for."""

MANY = 64
"""Entries of a list up to which each is looked at; the first tells what a longer one holds."""

F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K")


class Kind(Protocol):
    """What the arrays of one call have in common: their library, device and precision."""

    @property
    def xp(self) -> Any:
        """The library's functions of arrays, which are named as NumPy's are."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the results: float32 if all arrays are, else float64."""

    @property
    def plain(self) -> bool:
        """Whether the arrays are at hand on the CPU, and nothing but their numbers is asked for."""

    def host(self, name: str, array: Any) -> np.ndarray[Any, Any]:
        """Return an array as NumPy's, after refusing one whose gradients would be lost."""

    def array(self, values: Any) -> Any:
        """Return numbers as an array of this kind; truth values and whole numbers stay what they are."""

    def constant(self, values: Any) -> Any:
        """Return numbers of the library's own as an array that nobody writes to; a GPU keeps the latest."""

    def moved(self, array: Any, source: int, destination: int) -> Any:
        """Return an array with an axis moved to another place."""

    def followed(self, array: Any) -> bool:
        """Return whether gradients by an array are asked for, that `attached` can give."""

    def detached(self, array: Any) -> Any:
        """Return an array without its gradient."""

    def differentiated(self, array: Any) -> bool:
        """Return whether more than the numbers of an array is asked for: gradients, or a trace of JAX."""

    def searched(
        self, name: str, array: Any, search: Callable[[np.ndarray[Any, Any]], Any], size: int
    ) -> Any:
        """Return what a search finds from the numbers of an array, (..., size), without gradients."""

    def attached(self, values: Any, array: Any, pull: Callable[[Any], Any]) -> Any:
        """Return values with a gradient by an array, which `pull` gives of NumPy's cotangents."""

    def stepped(
        self, kernel: Any, state: Sequence[Any], arrays: Sequence[Any], moving: Sequence[bool], count: int
    ) -> Any:
        """Return the states of `count` steps of a kernel, as `march` does.

        The kernel takes the state and then the arrays, of those that are `moving` entry k in step k.
        """

    def march(self, step: Callable[..., Any], start: Any, tables: Sequence[Any], count: int) -> Any:
        """Return the states of `count` steps, one after the other on a new first axis, the start included.

        `step(state, k, *rows)` gives the next state, a tuple of arrays, from that and entry k of the tables.
        """


def kind_of(name: str, *given: Any) -> Kind | None:
    """Return the kind of the arrays among arguments, None if all are NumPy's; mixed kinds are refused."""
    if not _any_guest(given):
        return None
    found = list(_guests(given))
    modules = {_library(type(each)) for each in found}
    if len(modules) > 1:
        kinds = " and ".join(sorted({type(each).__name__ for each in found}))
        raise ArgumentError(f"{name}: arrays are {kinds}; convert them to one kind")
    _refuse_numpy(name, given, type(found[0]).__name__)
    made: Kind = import_module(f".{modules.pop()}", __package__).kind(name, found)
    return made


def in_kind(function: F) -> F:
    """Let a function that computes with NumPy's arrays take those of another kind, and answer in it.

    All of its results are converted: arrays, and those in tuples, mappings and records. Texts stay as they
    are. Calls with NumPy's arrays pass through.
    """
    name = function.__name__

    @wraps(function)
    def door(*args: Any, **named: Any) -> Any:
        if not _any_guest(args) and not (named and _any_guest(named.values())):
            return function(*args, **named)
        kind = kind_of(name, *args, *named.values())
        if kind is None:
            return function(*args, **named)
        hosted = [to_host(kind, name, each) for each in args]
        return to_kind(kind, function(*hosted, **{k: to_host(kind, name, v) for k, v in named.items()}))

    return cast("F", door)


def in_words(function: Callable[[Any], str]) -> Callable[[Any], str]:
    """Let a record be written as a text, whatever its arrays are; a text has no gradient to lose."""

    @wraps(function)
    def door(record: Any) -> str:
        kind = kind_of(function.__name__, record)
        if kind is None:
            return function(record)
        plain = _rebuilt(record, lambda each: kind.detached(each) if _library(type(each)) else each, 0)
        return function(to_host(kind, function.__name__, plain))

    return door


def to_host(kind: Kind, name: str, given: Any, depth: int = 0) -> Any:
    """Return an argument with NumPy's arrays in place of those of another kind."""
    if _library(type(given)):
        return kind.host(name, given)
    return _rebuilt(given, lambda each: to_host(kind, name, each, depth + 1), depth)


def to_kind(kind: Kind, result: Any, depth: int = 0) -> Any:
    """Return a result with arrays of a kind in place of NumPy's."""
    if isinstance(result, np.ndarray | np.generic):
        return kind.array(result) if result.dtype.kind in "fiub" else result
    return _rebuilt(result, lambda each: to_kind(kind, each, depth + 1), depth)


def called(kernel: Any, given: Sequence[Any], numbers: Iterable[Any] = (), out: Any = None) -> Any:
    """Evaluate a kernel on arrays of any kind, in their precision; `numbers` of our own go along."""
    kind = kind_of(kernel.name, *given)
    numbers = [own(kind, each) for each in numbers]
    return at_precision(kind, kernel)(*given, *numbers, out=out)


def marched_kernel(
    kind: Kind, kernel: Any, state: Sequence[Any], arrays: Sequence[Any], moving: Sequence[bool], count: int
) -> Any:
    """Return the states of steps of a kernel, by `march` of a kind."""

    def step(now: tuple[Any, ...], _: Any, *rows: Any) -> tuple[Any, ...]:
        entries = iter(rows)
        given = [next(entries) if moves else each for each, moves in zip(arrays, moving, strict=True)]
        found = kernel(*now, *given)
        return (found,) if kernel.results is None else tuple(found)

    tables = [each for each, moves in zip(arrays, moving, strict=True) if moves]
    return kind.march(step, tuple(state), tables, count)


def own(kind: Kind | None, numbers: Any) -> Any:
    """Return numbers of the library's own as arrays of a kind; as they are if it is NumPy's."""
    return numbers if kind is None else kind.constant(numbers)


def at_precision(kind: Kind | None, kernel: K) -> K:
    """Return a kernel of doubles in the precision of a kind."""
    given: Any = kernel
    found: K = given if kind is None or kind.dtype == given.dtype else given.single
    return found


def sized(kind: Kind, name: str, given: Any, size: int | None) -> Any:
    """Return an argument as an array (..., size) of a kind; lists and numbers become one."""
    if not _library(type(given)):
        given = finite_array(name, given)
    array = kind.array(given)
    if size is not None and tuple(array.shape[-1:]) != (size,):
        raise ArgumentError(f"{name} has shape {tuple(array.shape)}; expected (..., {size})")
    return array


def on_host(name: str, given: Any) -> Any:
    """Return an array of another kind as NumPy's, for an object that keeps its numbers."""
    kind = kind_of(name, given)
    return given if kind is None else to_host(kind, name, given)


def _rebuilt(given: Any, change: Callable[[Any], Any], depth: int) -> Any:
    """Return a list, tuple, mapping or record with its entries changed; anything else as it is."""
    if depth >= DEEPEST:
        return given
    if isinstance(given, dict):
        return {key: change(value) for key, value in given.items()}
    if isinstance(given, list):
        return [change(each) for each in given]
    if isinstance(given, tuple):
        changed = [change(each) for each in given]
        return tuple.__new__(type(given), changed)  # a named tuple too
    if _is_record(type(given)):
        made = copy.copy(given)
        made.__dict__.clear()  # what is remembered is of the other kind
        for each in fields(given):
            object.__setattr__(made, each.name, change(getattr(given, each.name)))
        return made
    return given


# ------------------------------------------------------------------ where arrays are


def _library(kind: type) -> str:
    """Return the module that knows the arrays of a type; nothing for NumPy's and whatever is no array."""
    if kind not in _KNOWN:
        found = ""
        for base in kind.__mro__:
            module = LIBRARIES.get(base.__module__.partition(".")[0])
            if module is not None and hasattr(kind, "shape"):
                found = module
        _KNOWN[kind] = found
    return _KNOWN[kind]


_KNOWN: dict[type, str] = {}


def _is_record(kind: type) -> bool:
    """Return whether a type is one of the library's own records, whose fields may be arrays."""
    ours = kind.__module__.startswith("closedform.")
    return ours and is_dataclass(kind) and "__slots__" not in vars(kind)


def _inside(given: Any) -> Iterable[Any]:
    """Return what a list, tuple, mapping or record holds."""
    kind = type(given)
    look = _LOOKS.get(kind, _UNKNOWN)
    if look is _UNKNOWN:
        look = None
        if isinstance(given, Mapping):
            look = _values
        elif isinstance(given, list | tuple):
            look = _entries
        elif _is_record(kind):
            look = _fields
        _LOOKS[kind] = look
    return () if look is None else look(given)


def _entries(given: Sequence[Any]) -> Sequence[Any]:
    return given if len(given) <= MANY else given[:1]


def _values(given: Mapping[Any, Any]) -> Iterable[Any]:
    return given.values()


def _fields(given: Any) -> Iterable[Any]:
    return [getattr(given, each.name) for each in fields(given)]


_UNKNOWN: Any = object()
_LOOKS: dict[type, Callable[[Any], Iterable[Any]] | None] = {
    **dict.fromkeys((float, int, bool, str, type(None), np.ndarray, np.float64)),
    list: _entries,
    tuple: _entries,
    dict: _values,
}


def _any_guest(given: Iterable[Any], depth: int = 0) -> bool:
    """Return whether there is an array of another kind among arguments."""
    for each in given:
        kind = type(each)
        if _LOOKS.get(kind, _UNKNOWN) is None:
            continue
        if _library(kind):
            return True
        if depth < DEEPEST and _any_guest(_inside(each), depth + 1):
            return True
    return False


def _guests(given: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    for each in given:
        if _library(type(each)):
            yield each
        elif depth < DEEPEST:
            yield from _guests(_inside(each), depth + 1)


def _refuse_numpy(name: str, given: Iterable[Any], kind: str, depth: int = 0) -> None:
    """Refuse NumPy's arrays beside those of another kind; the library's own records may hold some."""
    for each in given:
        if _library(type(each)):
            continue
        if isinstance(each, np.ndarray) and each.ndim and each.dtype.kind == "f":
            raise ArgumentError(
                f"{name}: a NumPy array of shape {each.shape} is beside a {kind}; convert it first "
                "(torch.from_numpy, jax.numpy.asarray, cupy.asarray)"
            )
        if depth < DEEPEST and isinstance(each, Mapping | list | tuple):
            _refuse_numpy(name, _inside(each), kind, depth + 1)
