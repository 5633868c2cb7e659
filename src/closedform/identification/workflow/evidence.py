"""What a log says about the parameters, kept for later: factors of its rows, and how its noise adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..regression.design import Design
from ..regression.least_squares import Fit, noise_products
from ..regression.moments import Moments


@dataclass(frozen=True)
class Evidence:
    """The fitted rows of a log, joint by joint, without the rows themselves.

    `factors[j]` is the triangular factor of [W tau] of joint j, whose columns of W are the parameters
    `active[j]`; `noise[j]` is the covariance of W^T e, e the noise of the torques, correlated from row to
    row. `prior` are the values and scales of weak beliefs, if the motion does not determine everything.
    """

    active: tuple[NDArray[np.intp], ...]
    factors: tuple[Array, ...]
    noise: tuple[Array, ...]
    rows: int
    prior: tuple[Array, Array] | None = None

    @classmethod
    def of(
        cls,
        moments: Moments,
        values: Sequence[Array],
        correlation: Array,
        prior: tuple[Array, Array] | None = None,
    ) -> Evidence:
        """Return the evidence of the fitted rows behind moments.

        Noise is judged by the residuals that the `values` of each joint's columns leave, `correlation`
        being that of white noise after the filters by lag: of the two estimates, the larger one counts.
        """
        triangles = moments.triangles(moments.fitted)
        rows = max(t.rows for t in triangles)
        noise = []
        for triangle, *both in zip(triangles, *noise_products(moments, values, correlation), strict=True):
            W = triangle.R[:, :-1]
            inverse = np.linalg.pinv(W.T @ W, rcond=1e-12, hermitian=True)
            noise.append(max(both, key=lambda S: float(np.sum(inverse * S))))
        freedom = rows / max(rows - moments.width / len(triangles), 1.0)
        return cls(
            moments.active, tuple(t.R for t in triangles), tuple(freedom * S for S in noise), rows, prior
        )

    @classmethod
    def of_robot(cls, design: Design, moments: Moments, fit: Fit, correlation: Array) -> Evidence | None:
        """Return the evidence of rows behind a robot's fit; None if some of them are with a payload."""
        if moments.width != design.width:
            return None
        return cls.of(moments, [fit.values[a] for a in moments.active], correlation, fit.prior)

    def table(self) -> dict[str, Any]:
        """Return the evidence as lists, for a file."""
        return {
            "active": [a.tolist() for a in self.active],
            "factors": [R.tolist() for R in self.factors],
            "noise": [S.tolist() for S in self.noise],
            "rows": self.rows,
            "prior": None if self.prior is None else [x.tolist() for x in self.prior],
        }

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Evidence:
        """Return the evidence that `table` wrote."""
        prior = table["prior"]
        return cls(
            tuple(np.array(a, dtype=np.intp) for a in table["active"]),
            tuple(np.array(R) for R in table["factors"]),
            tuple(np.array(S) for S in table["noise"]),
            int(table["rows"]),
            None if prior is None else (np.array(prior[0]), np.array(prior[1])),
        )
