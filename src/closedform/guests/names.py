"""Names of kernels in other libraries, which keep what they are given for the life of the process."""

from __future__ import annotations

import hashlib
import re
from typing import Any


def lasting_name(kernel: Any) -> str:
    """Return a name that kernels share if they have one program and precision, the same in every process."""
    identity = "\0".join((*kernel.recipe.identity, kernel.dtype.name))
    plain = re.sub(r"\W", "_", kernel.name)
    return f"{plain}_{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
