"""What every view has: a server, an address, a line for what needs attention, and an end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from . import panel
from .loop import Loop
from .server import open_server, quiet


class Page:
    """A page that viser serves; a subclass has a `loop` and adds what is on it."""

    loop: Loop
    _status: Any

    def __init__(self, host: str, port: int, label: str) -> None:
        self.server = open_server(host, port, label)
        self._said = ""

    @property
    def url(self) -> str:
        """The address of the page."""
        host = self.server.get_host()
        host = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server.get_port()}"

    def stop(self) -> None:
        """End the loop and the server."""
        self.loop.end()
        with quiet():
            self.server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, key: str, event: Any, change: Callable[[], None]) -> None:
        """Have a change made that a client asked for; what the server sets itself asks for nothing."""
        if event.client_id is not None:
            self.loop.ask(key, change)

    def say(self, *notes: str) -> None:
        """Write what needs attention, if it is not there already."""
        said = panel.status(notes)
        if said != self._said:
            self._status.content = self._said = said


def listed(texts: Iterable[str], most: int) -> list[str]:
    """Return the first texts, and how many more there are."""
    texts = list(texts)
    return texts[:most] + ([f"and {len(texts) - most} more"] if texts[most:] else [])
