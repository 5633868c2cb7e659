"""Clusters of dask: whether their workers can compute with this library."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from .errors import ArgumentError, ClosedFormError, shorten, shown

__all__ = ["check_workers"]

VERSION = "__import__('closedform').__version__"
"""An expression, since workers without the library cannot read one of its functions."""


def check_workers(client: Any) -> dict[str, str]:
    """Return the version of closedform by the address of each worker; raise if not all have the one here.

    `client` is a `distributed.Client`. Workers load the library on this occasion, so that their first tasks
    do not wait for it.

    >>> import closedform as cf
    >>> from distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     versions = cf.cluster.check_workers(client)
    >>> list(versions.values()) == [cf.__version__]
    True
    """
    from . import __version__  # noqa: PLC0415 (the package is not yet whole when this module loads)

    if not callable(getattr(client, "run", None)) or isinstance(client, type):
        raise ArgumentError(f"check_workers: client is {shown(client)}; expected a distributed.Client")
    found = client.run(eval, VERSION, on_error="return")
    if inspect.iscoroutine(found):
        found.close()
        raise ArgumentError("check_workers: the client is asynchronous; expected one that waits for results")
    if not isinstance(found, Mapping):
        raise ArgumentError(f"check_workers: client.run gave {shown(found)}; expected a distributed.Client")
    if not found:
        raise ClosedFormError("check_workers: the cluster has no workers yet; say client.wait_for_workers(1)")
    wrong = {address: version for address, version in found.items() if version != __version__}
    if wrong:
        listed = "; ".join(f"{address} {_problem(each)}" for address, each in wrong.items())
        raise ClosedFormError(
            f"check_workers: {len(wrong)} of {len(found)} workers do not have closedform {__version__}: "
            f"{shorten(listed, 600)}. Install the same version on all of them"
        )
    return dict(found)


def _problem(found: Any) -> str:
    if isinstance(found, ModuleNotFoundError):
        return f"has no {found.name}"
    if isinstance(found, BaseException):
        return f"cannot load it ({type(found).__name__}: {found})"
    return f"has {shown(found)}"
