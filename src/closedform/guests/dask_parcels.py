"""Functions that travel to the workers of a cluster: as small pickles, opened once in each process."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Self

import cloudpickle

from ..errors import ArgumentError, ClosedFormError, shorten

KEPT = 128
"""Functions that a worker keeps open; the one opened first is dropped for the next."""

_OPEN: dict[str, Callable[..., Any]] = {}
_ONE_AT_A_TIME = threading.Lock()


def _after_fork() -> None:
    """Let a child open parcels, whichever thread of its parent was opening one."""
    global _ONE_AT_A_TIME  # noqa: PLW0603 (the lock of the parent may be held for ever)
    _ONE_AT_A_TIME = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Parcel:
    """A function as it travels: a compressed pickle of what makes it, a few kilobytes for a robot.

    It is called as the function is. Each process opens it at the first call, in one thread while others
    wait: so machine code is compiled, or loaded from the cache on disk, once per process and not per task.
    If the function compiles only what a call needs (`first_call_compiles`), others wait for its first call.
    """

    def __init__(self, function: Callable[..., Any], *, first_call_compiles: bool = True) -> None:
        try:
            content = cloudpickle.dumps(function)
        except Exception as error:  # what a pickle may raise is not bounded
            raise ArgumentError(
                f"dask: something given cannot travel to other processes ({shorten(str(error), 120)}); "
                "expected what pickles"
            ) from error
        self._function: Callable[..., Any] | None = function
        self.content, self.version = zlib.compress(content), _version()
        self.digest = hashlib.sha256(self.content).hexdigest()
        self.first_call_compiles = first_call_compiles

    @classmethod
    def received(cls, content: bytes, digest: str, version: str, first_call_compiles: bool) -> Self:
        """Return a parcel from its parts, unopened."""
        made = cls.__new__(cls)
        made._function, made.content, made.digest, made.version = None, content, digest, version
        made.first_call_compiles = first_call_compiles
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).received, (self.content, self.digest, self.version, self.first_call_compiles)

    def __dask_tokenize__(self) -> str:
        return self.digest

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function, opened at the first call in a process."""
        function = self._function or _OPEN.get(self.digest)
        if function is None:
            with _ONE_AT_A_TIME:
                function = _OPEN.get(self.digest)
                if function is None:
                    function = self._opened()
                    if self.first_call_compiles:
                        result = function(*args, **named)
                        _keep(self.digest, function)
                        return result
                    _keep(self.digest, function)
        return function(*args, **named)

    def _opened(self) -> Callable[..., Any]:
        """Return the function; refuse a parcel of another version of the library."""
        if self.version != _version():
            raise ClosedFormError(
                f"worker {_here()} has closedform {_version()}; the arrays were made with {self.version}: "
                "install one version on all workers and where you call them"
            )
        function: Callable[..., Any] = cloudpickle.loads(zlib.decompress(self.content))
        return function


def _keep(digest: str, function: Callable[..., Any]) -> None:
    while len(_OPEN) >= KEPT:
        _OPEN.pop(next(iter(_OPEN)))
    _OPEN[digest] = function


def _version() -> str:
    """Return the version of the library, which is not yet whole when this module loads."""
    return str(import_module("closedform").__version__)


def _here() -> str:
    """Return the address of the worker, or the machine and the process."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        try:
            return str(distributed.get_worker().address)
        except ValueError:  # no worker
            pass
    return f"{socket.gethostname()}, process {os.getpid()}"
