"""Forks wait while another thread builds expressions: a child could never take the lock that CasADi holds."""

from __future__ import annotations

import os
from threading import RLock

BUILDING = RLock()
"""Held while expressions are built and replayed; a thread may take it again."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=BUILDING.acquire, after_in_parent=BUILDING.release, after_in_child=BUILDING.release
    )
