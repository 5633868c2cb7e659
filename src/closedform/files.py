"""Files that appear together and whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from .errors import ClosedFormError, shorten


def write_files(texts: dict[Path, str]) -> tuple[Path, ...]:
    """Write every file beside its target first, then put all in place; return their paths."""
    prepared: dict[Path, Path] = {}
    current = Path()
    try:
        for current, text in texts.items():
            target = current.resolve()
            if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
                raise ClosedFormError(
                    f"{shorten(str(current))}: cannot be written (not a writable file); choose another"
                )
            temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            prepared[temporary] = target
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        for temporary, target in prepared.items():
            current = target
            os.replace(temporary, target)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ClosedFormError(
            f"{shorten(str(current))}: cannot be written ({reason}); choose another name or folder"
        ) from None
    finally:
        for temporary in prepared:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return tuple(texts)
