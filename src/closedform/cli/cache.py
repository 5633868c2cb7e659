"""`closedform cache`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .outcome import Outcome

if TYPE_CHECKING:
    from ..kernels.cache_contents import CacheContents


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove the kept kernels.")] = False,
) -> Outcome:
    """Show where compiled kernels are kept, how many there are and how large they are, or remove them."""
    from ..kernels.cache_contents import cache_contents, clear_cache

    if clear:
        gone = clear_cache()
        facts = {"folder": gone.folder, "removed": gone.files, "bytes": gone.size}
        return Outcome(facts, [f"{gone.folder}: removed {amount(gone)}"])
    found = cache_contents()
    return Outcome(cache_facts(found), [cache_line(found)])


def cache_line(found: CacheContents) -> str:
    """Return what the cache holds, and what is wrong with it, as one line."""
    if found.folder is None:
        return found.problem
    return f"{found.folder}: {amount(found)}, {found.problem or 'usable'}"


def cache_facts(found: CacheContents) -> dict[str, object]:
    """Return what the cache holds as a mapping of texts and numbers."""
    return {
        "folder": None if found.folder is None else str(found.folder),
        "files": found.files,
        "bytes": found.size,
        "usable": not found.problem,
        "problem": found.problem,
    }


def amount(found: CacheContents) -> str:
    """Return the number of files and their size in words."""
    return f"{found.files} file{'' if found.files == 1 else 's'}, {found.size / 1e6:.1f} MB"
