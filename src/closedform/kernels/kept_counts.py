"""Operation counts on disk, beside the machine code: counting means tracing, which is slow."""

from __future__ import annotations

import json
from dataclasses import astuple

from ..programs import Counts
from . import cache
from .recipe import Recipe


def kept_counts(recipe: Recipe) -> Counts:
    """Return the operations of a recipe's program, which is traced if they were not counted before.

    They are kept under what tells programs apart, like machine code, so that they follow the sources.
    """
    key = cache.key("counts", *recipe.identity)
    kept = cache.load(key)
    if kept is not None:
        return Counts(*json.loads(kept))
    counts = recipe.program().counts
    cache.save(key, json.dumps(astuple(counts)).encode())
    return counts
