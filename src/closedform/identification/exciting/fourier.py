"""Fourier series that start at rest, as linear functions of free numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...trajectory import Harmonic, fourier


@dataclass(frozen=True)
class FourierSeries:
    """Fourier series at rest at t = 0, as linear functions of free numbers.

    With s_k = sin(k w t), c_k = cos(k w t), the terms of a joint are x = basis @ y; `values`,
    `rates` and `accelerations` (samples, 2 terms) turn x into q - offset, qd and qdd.
    """

    period: float
    basis: Array
    values: Array
    rates: Array
    accelerations: Array

    @classmethod
    def of(cls, period: float, terms: int, samples: int) -> FourierSeries:
        """Return the series over evenly spaced instants of one period."""
        t = np.arange(samples) * period / samples
        rate = 2 * np.pi / period * np.arange(1, terms + 1)
        c, s = np.cos(t[:, None] * rate), np.sin(t[:, None] * rate)
        values = np.hstack([c, s])
        rates = np.hstack([-rate * s, rate * c])
        accelerations = -(np.hstack([rate, rate]) ** 2) * values
        # coefficients of term k count as k times their size, so that velocities weigh alike
        weights = np.diag(1 / np.tile(np.arange(1.0, terms + 1), 2))
        at_rest = np.stack([rates[0], accelerations[0]]) @ weights
        free = np.linalg.svd(at_rest)[2][2:].T
        return cls(period, weights @ free, values, rates, accelerations)

    def trajectory(self, offset: Array, y: Array) -> Harmonic:
        """Return the motion of the free numbers y (2 terms - 2, dofs)."""
        cosines, sines = np.split(self.basis @ y, 2)
        return fourier(offset, cosines, sines, self.period)
