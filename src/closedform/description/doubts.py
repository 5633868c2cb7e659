"""What is odd about a file but readable: collected while reading, one warning for each cause."""

from __future__ import annotations

from ..errors import listed, shorten, warn

SHOWN = 5
"""Places named for each cause; the rest is counted."""

NEGATIVE_FRICTION = "negative damping or friction is kept as written"


class Doubts:
    """Causes of doubt, each with the places where it was found."""

    def __init__(self) -> None:
        self.places: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.places)

    def add(self, cause: str, place: str) -> None:
        """Add a place where a cause was found."""
        self.places.setdefault(cause, []).append(shorten(place, 120))

    def lines(self) -> list[str]:
        """Return one line for each cause."""
        return [f"{cause} ({listed(places, SHOWN)})" for cause, places in self.places.items()]

    def warn(self, source: str) -> None:
        """Warn once for each cause."""
        for line in self.lines():
            warn(f"{shorten(source, 200)}: {line}")
