"""Where the work on many logs is done: in this process, or on the workers of a dask cluster.

Groups of logs, and the order in which results are joined, do not depend on where: so results are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...errors import ArgumentError, ClosedFormError, shown

FAN = 8
"""Results that are joined at a time."""

GROUPS = 128
"""Groups that logs are worked on in, at least, if there are as many logs."""

LARGEST_GROUP = 16
"""Logs of a group: a scheduler spends a millisecond or two on each."""

Tell = Callable[[float], None]
"""Called with the part of some work that is done."""


class Runner(Protocol):
    """Applies functions to groups; results stay where they were made until they are fetched."""

    @property
    def workers(self) -> int:
        """How many processes share the work."""

    def sent(self, groups: Sequence[Any]) -> Sequence[Any]:
        """Return groups that hold arrays, as `spread` takes them: brought to the workers."""

    def spread(self, function: Callable[[Any], Any], groups: Sequence[Any], tell: Tell) -> list[Any]:
        """Return where the results are, one per group."""

    def fetched(self, results: Sequence[Any]) -> list[Any]:
        """Return the results themselves."""

    def joined(
        self,
        function: Callable[[Any], tuple[Any, Any]],
        join: Callable[[Sequence[Any]], Any],
        groups: Sequence[Any],
        tell: Tell,
    ) -> tuple[Any, list[Any]]:
        """Return the first parts of all results joined as a tree, and where the second parts are."""


def in_groups(items: Sequence[Any]) -> list[Sequence[Any]]:
    """Return items in groups of equal size, which depends on their number alone."""
    size = min(max(1, len(items) // GROUPS), LARGEST_GROUP)
    return [items[k : k + size] for k in range(0, len(items), size)]


class Here:
    """Work in this process, one group after the other."""

    workers = 1

    def sent(self, groups: Sequence[Any]) -> Sequence[Any]:
        """Return the groups, which are here."""
        return groups

    def spread(self, function: Callable[[Any], Any], groups: Sequence[Any], tell: Tell) -> list[Any]:
        """Return the results."""
        results = []
        for k, group in enumerate(groups):
            results.append(function(group))
            tell((k + 1) / len(groups))
        return results

    def fetched(self, results: Sequence[Any]) -> list[Any]:
        """Return the results, which are here."""
        return list(results)

    def joined(
        self,
        function: Callable[[Any], tuple[Any, Any]],
        join: Callable[[Sequence[Any]], Any],
        groups: Sequence[Any],
        tell: Tell,
    ) -> tuple[Any, list[Any]]:
        """Return the first parts joined, few of which are in memory at a time, and the second parts."""
        levels: list[list[Any]] = [[]]
        rests = []
        for k, group in enumerate(groups):
            part, rest = function(group)
            rests.append(rest)
            levels[0].append(part)
            _raise_full(levels, join, FAN)
            tell((k + 1) / len(groups))
        _raise_full(levels, join, 1)
        return levels[-1][0], rests


def _raise_full(levels: list[list[Any]], join: Callable[[Sequence[Any]], Any], least: int) -> None:
    """Join what a level of the tree holds for the level above, from so many results on."""
    for depth, level in enumerate(levels):
        top = depth + 1 == len(levels)
        if len(level) < least or (top and len(level) == 1):
            continue
        if top:
            levels.append([])
        levels[depth + 1].append(join(level) if len(level) > 1 else level[0])
        level.clear()


class Cluster:
    """Work on a cluster of dask that the user has started, through its client."""

    def __init__(self, client: Any) -> None:
        self.client = client

    @property
    def workers(self) -> int:
        """How many workers there are."""
        found = len(self.client.nthreads())
        if not found:
            raise ClosedFormError("identify: the cluster has no workers yet; say client.wait_for_workers(1)")
        return found

    def sent(self, groups: Sequence[Any]) -> Sequence[Any]:
        """Return futures of the groups."""
        futures: list[Any] = self.client.scatter(list(groups), hash=False)
        return futures

    def spread(self, function: Callable[[Any], Any], groups: Sequence[Any], tell: Tell) -> list[Any]:
        """Return futures of the results; an error of one ends the work on all."""
        futures = self._submitted(function, groups)
        self._finished(futures, tell)
        return futures

    def fetched(self, results: Sequence[Any]) -> list[Any]:
        """Return the results of futures."""
        return list(self.client.gather(list(results)))

    def joined(
        self,
        function: Callable[[Any], tuple[Any, Any]],
        join: Callable[[Sequence[Any]], Any],
        groups: Sequence[Any],
        tell: Tell,
    ) -> tuple[Any, list[Any]]:
        """Return the first parts joined on the workers, and futures of the second parts."""
        pairs = self._submitted(function, groups)
        level = self._submitted(_first, pairs)
        rests = self._submitted(_second, pairs)
        self._finished(pairs, tell)
        del pairs  # so that workers forget them
        while len(level) > 1:
            parts = [level[k : k + FAN] for k in range(0, len(level), FAN)]
            level = [self._submitted(join, [part])[0] if len(part) > 1 else part[0] for part in parts]
        return level[0].result(), rests

    def _submitted(self, function: Callable[[Any], Any], groups: Sequence[Any]) -> list[Any]:
        from ...guests.dask_parcels import Parcel  # noqa: PLC0415 (dask is an extra)

        parcel = Parcel(function)
        name = f"Identify-{getattr(function, '__name__', type(function).__name__)}"
        return [self.client.submit(parcel, group, pure=False, key=_key(name)) for group in groups]

    def _finished(self, futures: Sequence[Any], tell: Tell) -> None:
        """Wait for futures; if one fails, the others are cancelled and its error is raised."""
        from distributed import as_completed  # noqa: PLC0415 (an extra)

        completed = as_completed(futures, loop=self.client.loop)  # type: ignore[no-untyped-call]
        for k, future in enumerate(completed):
            error = future.exception()
            if error is not None:
                self.client.cancel(list(futures))
                raise error
            tell((k + 1) / len(futures))


def _key(name: str) -> str:
    from uuid import uuid4  # noqa: PLC0415

    return f"{name}-{uuid4().hex}"


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def runner_of(client: Any, logs: int) -> Runner:
    """Return where to work on so many logs; `client` is that of `identify`."""
    if isinstance(client, str) and client == "current":
        client = _current() if logs > 1 else None
    if client is None:
        return Here()
    wanted = ("submit", "scatter", "gather", "nthreads", "cancel")
    if isinstance(client, type) or not all(callable(getattr(client, each, None)) for each in wanted):
        raise ArgumentError(
            f'identify: client is {shown(client)}; expected a distributed.Client, "current", or None for '
            "this process"
        )
    if getattr(client, "asynchronous", False):
        raise ArgumentError("identify: the client is asynchronous; expected one that waits for results")
    return Cluster(client)


def _current() -> Any:
    """Return the client that the user has started, if there is one; none within a task of a cluster."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        distributed.get_worker()  # a task that waits for other tasks may wait for ever
    except ValueError:
        try:
            return distributed.Client.current()
        except ValueError:
            return None
    return None
