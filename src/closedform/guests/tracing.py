"""What `torch.compile` is told of functions, without importing PyTorch or its compiler.

The compiler puts a call of a function into its graph as it is, if it was told so (`allow_in_graph`). It takes
seconds to import, and may be imported long after a function was made: then it is told at its import.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

F = TypeVar("F", bound=Callable[..., Any])

COMPILER = "torch._dynamo"
"""The module that traces Python code for PyTorch."""

_WAITING: WeakSet[Any] = WeakSet()
"""Functions made before the compiler was imported."""


def untraced(function: F) -> F:
    """Let `torch.compile` call a function while it traces, and take the result for a constant.

    This is the mark of `torch.compiler.assume_constant_result`. Arguments and results must be numbers, texts,
    truth values or None.
    """
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


@untraced
def being_traced() -> bool:
    """Whether `torch.compile` reads the code that calls this."""
    if COMPILER not in sys.modules:
        return False
    torch: Any = sys.modules["torch"]
    return torch._guards.TracingContext.try_get() is not None


def let_be_traced(function: Any) -> None:
    """Let `torch.compile` put calls of a function into its graphs, now or when it is imported.

    The compiler would keep what has no weak references, such as methods without machine code; it is not told.
    """
    if not type(function).__weakrefoffset__:
        return
    if _is_imported():
        sys.modules[COMPILER].allow_in_graph(function)
        return
    _WAITING.add(function)
    if _WATCHER not in sys.meta_path:
        sys.meta_path.insert(0, _WATCHER)


def _is_imported() -> bool:
    return hasattr(sys.modules.get(COMPILER), "allow_in_graph")


class _Watcher(MetaPathFinder):
    """Finds the compiler as others do, and has it told of all functions once it is imported.

    It stays among the finders: other threads may be going through them.
    """

    def __init__(self) -> None:
        self.asked = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of the compiler, with a loader that goes on to tell it."""
        if name != COMPILER or self.asked:
            return None
        self.asked = True  # the others find it
        found = find_spec(name)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader)
        return found


class _Loader(Loader):
    """Loads the compiler as another loader does, and tells it of the functions that wait."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return what the other loader makes."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then tell it."""
        self._loader.exec_module(module)
        for each in list(_WAITING):
            let_be_traced(each)
        _WAITING.clear()


_WATCHER = _Watcher()
