"""The page of elastic joints."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..page import write_page
from . import chain, laws, rates, robustness, tracking
from .study import ElasticStudy

ELASTIC_SECTIONS = tuple(part.SECTION for part in (rates, laws, chain, tracking, robustness))


def write_elastic(
    study: ElasticStudy, path: str | os.PathLike[str], begin: Callable[[int, str], None] | None = None
) -> None:
    """Write the page of a study; the file appears whole or not at all."""
    options = {} if begin is None else {"begin": begin}
    write_page(
        path,
        subject=study,
        sections=ELASTIC_SECTIONS,
        name=study.robot.name,
        title="Elastic joints",
        summary="elastic_summary.html.j2",
        **options,
    )


__all__ = ["ELASTIC_SECTIONS", "ElasticStudy", "write_elastic"]
