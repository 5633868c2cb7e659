"""What the inverse kinematics found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..display import card, html_table, text_block
from ..guests import in_words, is_lazy

MEANINGS = {
    "solved": "the task is met and the point is of the kind asked for",
    "out of reach": "no configuration meets the task; q is the closest found",
    "excluded by limits": "only beyond the joint limits is the task met; q is the closest within",
    "not a number": "the target or q0 is not finite, or beyond all measure",
    "not differentiable": "the criterion has no finite gradient where the task is met",
    "inside an obstacle": "every configuration found puts a point of the arm into an obstacle or at a limit",
    "wrong kind": "stationary, but not the kind asked for",
    "not converged": "the iterations ended before the conditions held",
}
"""How the search for a target may end, in the order of the numbers below."""

SOLVED, OUT_OF_REACH, EXCLUDED, NOT_A_NUMBER, NOT_SMOOTH, OBSTRUCTED, WRONG_KIND, UNFINISHED = range(8)
STATUS_NAMES = np.array(list(MEANINGS))


@dataclass(frozen=True)
class Result:
    """Joint angles that meet the task and are optimal, with what is known about them; batch axes first.

    `q` (..., n). `converged`: the task holds to 1e-10 and Zh = 0 to 1e-9 (of the gradient, if that is more
    than 1), and the point is of the kind asked for, or flat. `kind`: "maximum", "minimum", "saddle", "flat"
    (the criterion does not change along a self-motion), "isolated" (n <= m: plain inverse kinematics) or
    "". `status` says in words how the search for each target ended. `task_error` is the length of e, in
    metres and radians, `stationarity` that of Zh with orthonormal rows of Z, over the joints not `held` at
    a limit. `value` is the criterion (NaN if nothing is redundant), `iterations` those of the start that
    led to q, `redundancy` is n - m less the locked joints.
    """

    q: Array
    converged: NDArray[np.bool_]
    kind: NDArray[Any]
    status: NDArray[Any]
    task_error: Array
    stationarity: Array
    value: Array
    held: NDArray[np.bool_]
    iterations: NDArray[np.intp]
    redundancy: int

    def __str__(self) -> str:
        if is_lazy(self.status):
            return f"{self.status.size} targets, still to be computed: say dask.compute(result)"
        counts = Counter(self.status.ravel().tolist())
        lines = [f"{counts.pop('solved', 0)} of {self.status.size} targets solved"]
        if self.redundancy == 0:
            lines.append(
                "not redundant (n <= m, locked joints apart): plain inverse kinematics, no criterion"
            )
        lines += [f"{counts[name]} {name}: {MEANINGS[name]}" for name in MEANINGS if counts[name]]
        return "\n".join(lines)

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the targets with what was found for each."""
        if is_lazy(self.status):
            return text_block(str(self))
        count = self.q.shape[-1]
        header = ["target", "status", "kind", "criterion", "task error", *(f"q{k + 1}" for k in range(count))]
        columns = (self.status, self.kind, self.value, self.task_error)
        flat = zip(*(np.asarray(each).ravel().tolist() for each in columns), strict=True)
        joints = np.asarray(self.q).reshape(-1, count).tolist()
        rows = [(k, *each, *q) for k, (each, q) in enumerate(zip(flat, joints, strict=True))]
        first, *others = str(self).splitlines()
        return card(first, "", html_table(header, rows), notes=others)
