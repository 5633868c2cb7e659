"""Progress of the work: told as fractions that never go back."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the fraction of the work done, and what is next."""


def forward(progress: Progress | None) -> Progress:
    """Return a progress that never goes back, though steps are repeated."""
    farthest = 0.0

    def tell(done: float, what: str) -> None:
        nonlocal farthest
        farthest = max(farthest, done)
        if progress is not None:
            progress(farthest, what)

    return tell


def part(tell: Progress, start: float, stop: float, what: str) -> Callable[[float], None]:
    """Return the progress of a part of the work, from `start` to `stop`."""
    return lambda done: tell(start + (stop - start) * done, what)
