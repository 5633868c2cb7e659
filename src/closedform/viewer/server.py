"""The server of a view: viser on a port of this machine that is free."""
# ruff: noqa: PLC0415 (viser is an extra)

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..checks import text, whole_number
from ..errors import ArgumentError, ClosedFormError

if TYPE_CHECKING:
    from viser import ViserServer

HOST, PORT = "127.0.0.1", 8080
"""Only this machine sees the viewer, unless another address is asked for."""

TRIED = 100
"""Ports that are tried, from the one asked for on."""


def open_server(host: str = HOST, port: int = PORT, label: str = "closedform") -> ViserServer:
    """Return a server on the first free port from `port` on; 0 is any."""
    require_viser()
    import viser

    free = free_port(host, port)
    with quiet():
        server = viser.ViserServer(host, free, verbose=False)
    # without the button that would share the page over the network
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
    server.gui.set_panel_label(label)
    return server


def require_viser() -> None:
    """Refuse to go on without viser."""
    try:
        import viser  # noqa: F401
    except ImportError as error:
        raise ClosedFormError(f"view: {error}: pip install 'closedform[view]'") from None


def free_port(host: str, port: int) -> int:
    """Return the first port from `port` on that nothing listens on; any free one for 0.

    >>> free_port("127.0.0.1", 0) > 0
    True
    """
    host, first = text("view: host", host), whole_number("view: port", port, 0, 65535)
    last = min(first + TRIED, 65536) if first else 1
    for each in range(first, last):
        try:
            found = socket.getaddrinfo(host, each, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
            with socket.socket(found[0], found[1]) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(found[4])
                trial.listen(1)
                taken: int = trial.getsockname()[1]
                return taken
        except (OSError, UnicodeError) as error:
            if getattr(error, "errno", None) not in (errno.EADDRINUSE, errno.EACCES):
                raise ArgumentError(
                    f"view: host is {host!r}, which is no address of this machine ({error}); "
                    f"leave it at {HOST}, or give 0.0.0.0 for all that reach this machine"
                ) from None
    raise ClosedFormError(
        f"view: ports {first} to {last - 1} are in use or not allowed; give another port, or 0 for any"
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep viser from printing while the block runs: the command line prints the address itself."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
