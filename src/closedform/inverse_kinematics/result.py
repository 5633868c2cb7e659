"""What inverse kinematics found: coordinates, all branches, and what is left where nothing was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..display import card, html_table, text_block
from ..guests import in_words, is_lazy


@dataclass(frozen=True)
class Solutions:
    """Coordinates that bring frames to poses, with what is known about them; batch axes first.

    `found` says for each pose whether it is met, to 1e-10, within the limits; `q` (..., nq) are the
    coordinates, NaN if it is not. `branches` (..., k, nq) are all solutions that are known, nearest to q0
    first, NaN after the last, and `count` how many they are: every one if `closed_form` is True, else
    the one that the search came to. `closest` is q, or the closest that was found to a pose that is not met;
    `position_error` (m) and `rotation_error` (rad) are what it leaves (the largest if there are several
    frames), and `status` says in words why.

    As an array the result is its q: in calls of NumPy and of a robot, `result[0]`, `len(result)`,
    `result.shape`. It is true if every pose is met.
    """

    q: Array
    found: NDArray[np.bool_]
    branches: Array
    count: NDArray[np.intp]
    closest: Array
    position_error: Array
    rotation_error: Array
    status: NDArray[Any]
    closed_form: bool

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if not isinstance(self.q, np.ndarray):
            raise TypeError(
                f"these solutions are no NumPy arrays but of {type(self.q).__name__}; take their q"
            )
        return np.array(self.q, dtype=dtype) if copy or dtype is not None else self.q

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of q."""
        return self.q.shape

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, index: Any) -> Any:
        return self.q[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.q)

    def __bool__(self) -> bool:
        return bool(self.found.all())

    def __repr__(self) -> str:
        return f"<Solutions: {self}>"

    @in_words
    def __str__(self) -> str:
        if is_lazy(self.found):
            return f"{self.status.size} poses, still to be computed: say dask.compute(solutions)"
        lost, total = ~np.asarray(self.found), self.status.size
        if not lost.any():
            counts = sorted({int(np.min(self.count)), int(np.max(self.count))}) if total else [0]
            how = "in closed form" if self.closed_form else "by search"
            many = f"{' to '.join(map(str, counts))} {'branch' if counts == [1] else 'branches'}"
            return f"{'found' if total == 1 else f'all {total} found'}, {many} {how}"
        reasons = Counter(np.asarray(self.status)[lost].tolist())
        why = ", ".join(name if total == 1 else f"{n} {name}" for name, n in reasons.items())
        count = "" if total == 1 else f"{lost.sum()} of {total} "
        errors = [np.asarray(each)[lost] for each in (self.position_error, self.rotation_error)]
        if not np.isfinite(errors).any():
            return f"{count}NOT FOUND: {why}"
        metres, radians = (np.nanmax(each) for each in errors)
        return f"{count}NOT FOUND: {why}; the closest leaves up to {metres:.3g} m and {radians:.3g} rad"

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the branches of a pose, or what was found for each of several."""
        if is_lazy(self.found):
            return text_block(str(self))
        size = self.q.shape[-1]
        names = [f"q{k + 1}" for k in range(size)]
        errors = (self.position_error, self.rotation_error)
        if self.status.size == 1 and self.found.all():
            branches = np.asarray(self.branches).reshape(-1, size)[: int(np.max(self.count))].tolist()
            table = html_table(["branch", *names], [(k, *q) for k, q in enumerate(branches)])
        else:
            columns = (self.status, self.count, *errors)
            flat = zip(*(np.asarray(each).ravel().tolist() for each in columns), strict=True)
            closest = np.asarray(self.closest).reshape(-1, size).tolist()
            rows = [(k, *each, *q) for k, (each, q) in enumerate(zip(flat, closest, strict=True))]
            table = html_table(["pose", "status", "branches", "error [m]", "error [rad]", *names], rows)
        return card("Solutions", str(self), table)
