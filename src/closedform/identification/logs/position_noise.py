"""Noise of the positions that the filters keep out of the fit: coarse steps, noise, a hum; told in notes."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from .cutoff import Spectrum
from .signals import JITTER, Filters, Samples

SECONDS = 8.0
"""Length of the stretch in which a hum is looked for."""

LOUD = 0.1
"""Acceleration of a hum over that of the motion, root mean squares, from which on it is told."""

COARSE = 1e-5
"""Part of the accelerations' power from which on the noise of rounded positions is told."""

LINE = 100.0
"""Power of a hum over the median of the frequencies above the cutoff."""


def noise_notes(samples: Samples, filters: Filters, spectrum: Spectrum) -> tuple[str, ...]:
    """Return what noise of the positions, whose spectrum is given, the filters keep out.

    It is told if it lowers the cutoff that was chosen, if coarse steps nearly do, or if a hum above it would
    drown the accelerations.
    """
    notes = []
    share = spectrum.share(filters.cutoff) if spectrum.motion.any() else 0.0
    step = _step(samples.position, spectrum, filters.rate) if share > COARSE else None
    if spectrum.motion.any() and spectrum.clean < spectrum.reach:
        what = f"positions come in steps of {step:.2g}, whose noise" if step else "noise of the positions"
        notes.append(
            f"{what} would bias accelerations beyond {filters.cutoff:.3g} Hz: that is the cutoff, the motion "
            f"alone would have {spectrum.reach:.3g} Hz"
        )
    elif step:
        notes.append(
            f"positions come in steps of {step:.2g}: with a cutoff of {filters.cutoff:.3g} Hz their noise "
            f"has {100 * share:.1g} % of the accelerations' power"
        )
    hum = _hum(samples, filters, spectrum)
    if hum is not None:
        notes.append(
            f"positions hum at {hum:.0f} Hz, which filters with a cutoff of {filters.cutoff:.3g} Hz take out"
        )
    return tuple(notes)


def _step(position: Array, spectrum: Spectrum, rate: float) -> float | None:
    """Return the step of positions if their noise is that of rounding, step / sqrt(12); else None."""
    moving = position[:, np.ptp(position, axis=0) > 0]
    found = []
    for column, floor in zip(moving.T, spectrum.floor, strict=True):
        steps = np.abs(np.diff(column))
        step = float(np.percentile(steps[steps > 1e-12], 1)) if (steps > 1e-12).any() else 0.0
        noise = float(np.sqrt(floor * rate / 2))
        found.append(step if 0.5 < np.sqrt(12) * noise / max(step, 1e-300) < 2 else np.nan)
    return None if np.isnan(found).all() else float(np.nanmedian(found))


def _hum(samples: Samples, filters: Filters, spectrum: Spectrum) -> float | None:
    """Return the frequency of a line far above the motion and the noise around it, if there is one."""
    count = min(len(samples.time), int(SECONDS * filters.rate))
    steps = np.diff(samples.time[:count]) * filters.rate
    if count < 64 or np.abs(steps - 1).max() > JITTER or not spectrum.motion.any():
        return None
    x = np.diff(samples.position[:count], 2, axis=0) * filters.rate**2  # accelerations show a hum best
    f = np.fft.rfftfreq(len(x), 1 / filters.rate)
    power = np.abs(np.fft.rfft(x * np.hanning(len(x))[:, None], axis=0)) ** 2 / len(x) ** 2
    above = f > max(2 * filters.cutoff, spectrum.reach)
    if np.count_nonzero(above) < 16:
        return None
    high = power[above]
    peak = np.argmax(high, axis=0)
    loudest = high[peak, np.arange(high.shape[1])]
    usual = np.median(high, axis=0)
    moving = power[~above].sum(axis=0)
    lines = (loudest > LINE * usual) & (loudest > LOUD**2 * moving)
    return float(f[above][peak[np.argmax(np.where(lines, loudest, 0.0))]]) if lines.any() else None
