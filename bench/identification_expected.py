"""What our defaults promise of recordings that they have not seen, and what comes.

Promised is the root of the squares of two errors: that of rows left out in turn, over all torques, and the
uncertainty of the predicted torques by that of the parameters, over the torques of these recordings. What
comes are the errors of the comparison, of all rows and of those in which the joint moves.
"""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from closedform.identification import identify

from .identification_compare import Case, errors_of, judge_of
from .public_logs import LOGS, missing


def run(names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Print and return what is promised and what comes, log by log."""
    rows = []
    for log in LOGS:
        if missing(log) or (names and log.name not in names):
            continue
        case = Case.of(log)
        result = identify(case.robot, case.fit)
        traces = [result.predict(held) for held in case.held]
        variance, power = (
            sum(float(np.sum(x**2)) for x in each)
            for each in ([t.uncertainty for t in traces], [t.measured for t in traces])
        )
        left_out = 100 * (result.cross_validation or result.fitted).total
        uncertain = 100 * float(np.sqrt(variance / power))
        promised = float(np.hypot(left_out, uncertain))
        came, moving = errors_of(judge_of(result, case), case)
        parts = f"left out {left_out:6.2f} %, uncertain {uncertain:6.2f} %: promised {promised:6.2f} %"
        print(f"{log.name:13s} {parts}; came {came:6.2f} % (moving {moving:6.2f} %)", flush=True)
        row = {"left out": left_out, "promised": promised, "percent": came, "moving": moving}
        rows.append({"log": log.name, **row})
    for what, words in (("percent", "all rows"), ("moving", "rows in which the joint moves")):
        for by in ("left out", "promised"):
            ratios = [row[what] / row[by] for row in rows]
            near = 100 * np.mean([0.5 <= ratio <= 2 for ratio in ratios])
            what_came = f"median {median(ratios):.2f}, largest {max(ratios):.1f}"
            print(f"{words} over {by}: {what_came}, within a factor of two {near:.0f} %")
    return rows
