"""A sample of many logs: what some of them tell well enough need not be asked of all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..regression.split import FOLDS
from .gathering import Plan

SAMPLED = 100
"""Logs by which friction models and outliers are judged, if there are more than twice as many."""


def sampled(plans: Mapping[str, Plan]) -> set[str] | None:
    """Return some of the logs to fit, spread evenly over logs and folds; None unless there are many.

    Passes over all logs are what takes time. Folds must be whole logs, dealt in turn: then runs of `FOLDS`
    logs have one of each.
    """
    fitted = [name for name, plan in plans.items() if plan.split.hold_out != "all"]
    by_log = all(plans[name].split.fold is not None for name in fitted)
    if len(fitted) <= 2 * SAMPLED or not by_log:
        return None
    starts = np.linspace(0, len(fitted) // FOLDS - 1, SAMPLED // FOLDS).astype(int) * FOLDS
    return {fitted[start + k] for start in starts for k in range(FOLDS)}
