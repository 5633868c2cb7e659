"""Measured velocities: whether they tell more of a motion than differences of positions do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .cutoff import Spectrum, chosen_cutoff
from .position_noise import noise_notes
from .signals import Filters, Samples, condition_signals, zero_phase

BETTER = 0.8
"""Noise of accelerations from velocities over that from positions, below which velocities are taken."""

AGREE = 0.01
"""Difference of measured velocities and the slopes of positions, relative, beyond which one is wrong."""

BIASED = 0.005
"""Part of the accelerations' power beyond which noise of positions is worth a note."""

CHECKED_ROWS = 50_000
"""Rows that velocities and positions are compared over."""


@dataclass(frozen=True)
class Chosen:
    """The filters of a log, and notes on its velocities and noise.

    `drowned` says that no motion stands out of the noise, `biased` that the noise of accelerations which are
    differences of positions is worth a note.
    """

    filters: Filters
    notes: tuple[str, ...] = ()
    drowned: bool = False
    biased: bool = False


def chosen_filters(caller: str, cutoff: float | None, samples: Samples, rate: float) -> Chosen:
    """Return the filters of a log: of the cutoff that is given or fits it, with velocities if they help.

    Velocities help if they agree with the positions, and if the noise of the accelerations is clearly
    lower by their differences than by second differences of positions. They may be late: the delay
    that explains the difference of both best is taken out.
    """
    filters = Filters(rate, chosen_cutoff(caller, cutoff, samples, rate))
    if samples.velocity is None or not samples.velocity.any():
        if not np.ptp(samples.position, axis=0).any():
            return Chosen(filters)
        spectrum = Spectrum.of(samples, rate)
        return _from_positions(samples, filters, spectrum, cutoff is not None)
    spectra = [Spectrum.of(samples, rate, derivatives) for derivatives in (2, 1)]
    drowned = cutoff is None and not spectra[0].motion.any()
    delay, difference = _delay(samples, filters)
    if difference > AGREE:
        note = (
            f"logged velocities differ from the slopes of the positions by {100 * difference:.2g} % (median "
            "of the joints) and are not used"
        )
        return Chosen(filters, (note,), drowned)
    noises = [spectrum.noise(filters.cutoff) for spectrum in spectra]
    if noises[0].shape != noises[1].shape or not noises[0].any():
        return Chosen(filters, (), drowned)
    seen = noises[0] > 0
    ratio = float(np.sqrt(np.median(noises[1][seen] / noises[0][seen])))
    if ratio > BETTER:
        return _from_positions(samples, filters, spectra[0], cutoff is not None)
    note = (
        f"speeds are the logged velocities, {1e3 * delay:.2g} ms late: accelerations from them have "
        f"{ratio:.2g} times the noise of those from positions"
    )
    return Chosen(replace(filters, delay=delay), (note,), drowned)


def _from_positions(samples: Samples, filters: Filters, spectrum: Spectrum, given: bool) -> Chosen:
    """Return filters of positions alone, with what is to be said of their noise: filtered, or a bias.

    The cutoff that is chosen lets hardly any through; one that was given may.
    """
    share = spectrum.share(filters.cutoff)
    note = (
        f"{100 * share:.2g} % of the accelerations' power up to {filters.cutoff:.3g} Hz is noise of the "
        'positions, which makes inertias come out too small: lower cutoff, or method="iv"'
    )
    biased = share > BIASED
    notes = () if given else noise_notes(samples, filters, spectrum)
    drowned = not given and not spectrum.motion.any()
    return Chosen(filters, (*notes, note) if biased else notes, drowned, biased)


def _delay(samples: Samples, filters: Filters) -> tuple[float, float]:
    """Return by how much velocities are late, and how far they differ from slopes of positions then.

    A delay d adds -d qdd to the velocities qd: d is the least squares solution, in the median of the
    joints; twice, since the first step is that of a straight line.
    """
    some = replace(
        samples,
        **{
            name: getattr(samples, name)[:CHECKED_ROWS] for name in ("time", "position", "effort", "velocity")
        },
        trusted=None,
        importance=None,
    )
    rate, delay = filters.rate, 0.0
    slopes = condition_signals(some, filters)
    qd, qdd = (zero_phase(x, filters.cutoff, rate)[slopes.valid] for x in (slopes.qd, slopes.qdd))
    moving = np.any(qdd, axis=0) & np.any(qd, axis=0) if len(qd) else np.zeros(0, dtype=bool)
    if not moving.any():
        return 0.0, np.inf
    for _ in range(2):
        v = condition_signals(some, replace(filters, delay=delay)).qd
        apart = (zero_phase(v, filters.cutoff, rate)[slopes.valid] - qd)[:, moving]
        delay -= float(
            np.median(np.sum(apart * qdd[:, moving], axis=0) / np.sum(qdd[:, moving] ** 2, axis=0))
        )
    v = condition_signals(some, replace(filters, delay=delay)).qd
    apart = (zero_phase(v, filters.cutoff, rate)[slopes.valid] - qd)[:, moving]
    return delay, float(np.median(np.sqrt(np.sum(apart**2, axis=0) / np.sum(qd[:, moving] ** 2, axis=0))))
