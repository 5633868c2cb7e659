"""One thread that makes all changes: of what clients ask for, the newest of each kind is done."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from functools import partial

from ..errors import ClosedFormError, shorten

FRAME = 1 / 60
"""Least seconds between two frames."""

IDLE = 0.5
"""Seconds after which a loop without work looks whether it shall end."""


class Loop:
    """Calls `frame(seconds)` when there is work or something moves by itself, at most 60 times a second.

    Callbacks of the server come from many threads; they `ask` for a change under a key and return at once.
    Of several changes under one key only the last is made, so that a slow machine is late but never behind.
    """

    def __init__(self, frame: Callable[[float], None], moving: Callable[[], bool]) -> None:
        self._frame, self._moving = frame, moving
        self._asked: dict[str, Callable[[], None]] = {}
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None
        self.frames = 0
        self.trouble = ""

    def ask(self, key: str, change: Callable[[], None]) -> None:
        """Have a change made in the next frame, instead of an earlier one under the same key."""
        with self._lock:
            self._asked[key] = change
        self._wake.set()

    def step(self, seconds: float) -> None:
        """Make the changes that were asked for, and a frame. What goes wrong is a sentence in `trouble`."""
        with self._lock:
            changes, self._asked = list(self._asked.values()), {}
        self.trouble = ""
        changes.append(partial(self._frame, seconds))
        for change in changes:
            try:
                change()
            except ClosedFormError as error:
                self.trouble = str(error)
            except Exception as error:  # a mistake here must not end the viewer for every client
                traceback.print_exc()
                self.trouble = shorten(f"{type(error).__name__}: {error}")
        self.frames += 1

    def start(self) -> None:
        """Begin, in a thread that does not keep the process alive."""
        self._thread = threading.Thread(target=self._run, name="closedform-view", daemon=True)
        self._thread.start()
        self._wake.set()

    def end(self) -> None:
        """End the thread."""
        self._ended = True
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    def _run(self) -> None:
        last = time.monotonic()
        while not self._ended:
            time.sleep(max(0.0, last + FRAME - time.monotonic()))
            if not self._moving() and not self._wake.wait(IDLE):
                last = time.monotonic()
                continue
            self._wake.clear()
            now = time.monotonic()
            self.step(now - last)
            last = now
