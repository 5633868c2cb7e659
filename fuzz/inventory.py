"""Every public callable of the package, found by inspection."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

PACKAGES = (
    "",
    "convert",
    "scene",
    "trajectory",
    "integration",
    "control",
    "simulation",
    "loops",
    "identification",
    "flexible",
    "redundancy",
    "inverse_kinematics",
    "elastic",
    "cluster",
    "kernels",
    "equations",
    "description",
    "report",
)
"""Packages whose `__all__` is public, "" the top; the others are inner steps from files to machine code."""

CALLED = ("__call__", "__add__", "__sub__", "__mul__", "__getitem__")
"""Operators that count as public methods if a class defines them."""


def public_callables() -> dict[str, Callable[..., Any]]:
    """Return functions, classes and methods by name, such as "trajectory.Trajectory.derivatives".

    A name that is at the top and in its package counts once, at the top; a method once, where
    it is defined.
    """
    found: dict[str, Callable[..., Any]] = {}
    seen: set[int] = set()
    for package in PACKAGES:
        module = import_module(f"closedform.{package}" if package else "closedform")
        for name in module.__all__:
            each = getattr(module, name)
            if inspect.ismodule(each) or not callable(each) or id(each) in seen:
                continue
            seen.add(id(each))
            whole = f"{package}.{name}" if package else name
            if not inspect.isclass(each):
                found[whole] = each
            elif not issubclass(each, BaseException) and not issubclass(each, Warning):
                found[whole] = each
                found.update(_methods(whole, each, seen))
    return found


def _methods(name: str, kind: type, seen: set[int]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for attribute in dir(kind):
        if attribute.startswith("_") and attribute not in CALLED:
            continue
        found = inspect.getattr_static(kind, attribute)
        plain = found.__func__ if isinstance(found, classmethod | staticmethod) else found
        shared = getattr(plain, "__qualname__", "").startswith("FormsOwner.")  # counts for every owner
        if isinstance(plain, property | cached_property) or (id(plain) in seen and not shared):
            continue
        # a form is a descriptor that gives a callable, of the class that it is read from
        form = type(plain).__name__ == "FormMethod"
        ours = getattr(plain, "__module__", "").startswith("closedform")
        if form or (inspect.isfunction(plain) and ours):
            seen.add(id(plain))
            yield f"{name}.{attribute}", plain
