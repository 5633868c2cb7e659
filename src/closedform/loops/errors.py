"""Errors of mechanisms with loops."""

from __future__ import annotations

from ..errors import ClosedFormError


class AssemblyError(ClosedFormError, ValueError):
    """Loops that cannot be closed; the message says which, and how far apart its frames stay."""
