"""What an attack found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Cases tried, failures (one line each, with what reproduces it), and how the other cases ended."""

    tried: int = 0
    failures: list[str] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)

    def failed(self, line: str) -> None:
        """Add a failure."""
        self.failures.append(line)

    def merge(self, other: Outcome) -> None:
        """Add what another run found."""
        self.tried += other.tried
        self.failures += other.failures
        self.endings += other.endings
