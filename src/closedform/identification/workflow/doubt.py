"""Doubts: what speaks against an identification, said before its numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ..regression.design import Design
from .diagnosis import Diagnosis
from .prediction import Errors

POOR = 0.2
"""Error of torques not fitted, relative to all torques, beyond which a fit is poor."""

TRYING = 0.015
"""The same, beyond which causes are tried; one that helps is named even if the fit is not poor."""

POOR_JOINT = 0.5
"""The same of a single joint, relative to its own torques."""

PRICE = 2.0
"""Error with consistent inertias over the error without, beyond which the log contradicts them."""

CERTAIN = 3.0
"""Standard errors by which a number that cannot be negative must be negative to be doubted."""


def prediction_doubts(joints: Sequence[str], parts: dict[str, Errors | None]) -> list[str]:
    """Return what the errors of rows that were not fitted say against a model."""
    found = []
    for words, errors in parts.items():
        if errors is None:
            continue
        useless = [name for name, error in zip(joints, errors.relative, strict=True) if error >= 1]
        weak = [name for name, error in zip(joints, errors.relative, strict=True) if POOR_JOINT < error < 1]
        if errors.total > POOR:
            found.append(f"predicts rows {words} poorly: {100 * errors.total:.0f} % error of all torques")
        if useless:
            found.append(f"predicts rows {words} worse than zero torque would: {', '.join(useless)}")
        if weak:
            found.append(f"predicts less than half of the torque of rows {words}: {', '.join(weak)}")
    return found


def sign_doubts(
    design: Design, values: Array, errors: Array, speeds: Array
) -> tuple[list[str], tuple[str, ...]]:
    """Return the joints whose inertia or friction comes out negative, as with efforts of the wrong sign.

    `speeds` are the root mean squares of the joints' speeds, at which friction is judged. An inertia
    that is negative beside friction that is surely positive is a note: the sign of the effort is right.
    """
    names = design.robot.joint_names
    at = {name: k for k, name in enumerate(design.names)}
    found, small = [], []
    parts_of_inertia = _own_inertias(design)
    inertia = parts_of_inertia @ values + design.known
    doubtful = np.sqrt(parts_of_inertia**2 @ errors**2)
    for j, name in enumerate(names):
        parts = [(at[f"{kind}{j + 1}"], 1.0) for kind in ("fc", "fp") if f"{kind}{j + 1}" in at]
        parts += [(at[f"fv{j + 1}"], float(speeds[j]))] if f"fv{j + 1}" in at else []
        friction = sum(values[k] * size for k, size in parts)
        spread = np.sqrt(sum((errors[k] * size) ** 2 for k, size in parts))
        what = []
        if inertia[j] < -CERTAIN * doubtful[j]:
            if parts and friction > CERTAIN * spread:
                small.append(name)
            else:
                what.append("inertia")
        if parts and friction < -CERTAIN * spread - 1e-9:
            what.append("friction")
        if what:
            verb = "comes" if len(what) == 1 else "come"
            found.append(
                f"the {' and '.join(what)} of {name} {verb} out negative: has its effort the wrong sign?"
            )
    note = (
        f"the inertia of {', '.join(small)} comes out negative by more than its standard error, the friction "
        "does not: it is too small to be seen, or something is missing in the model"
    )
    return found, (note,) if small else ()


def _own_inertias(design: Design) -> Array:
    """Return A with A @ values the mean of the mass matrix's diagonal over random postures."""
    robot = design.robot
    n = robot.nv
    q = np.repeat(robot.random_state(2, batch=64)[0], n, axis=0)
    still, unit = np.zeros((len(q), n)), np.tile(np.eye(n), (64, 1))
    Y = design.base.columns(q, still, unit) - design.base.columns(q, still, still)
    own = np.einsum("tjk,tj->tk", Y, unit).reshape(64, n, design.base.count).mean(axis=0)
    drives = design.names[design.base.count :]
    rotors = np.array([[float(name == f"Ia{j + 1}") for name in drives] for j in range(n)]).reshape(n, -1)
    return np.concatenate([own, rotors], axis=1)


def price_doubt(fitted: Errors, free: Errors | None) -> list[str]:
    """Return whether physically consistent inertias cost more than noise explains."""
    if free is None or fitted.total < max(PRICE * free.total, free.total + 0.05):
        return []
    return [
        f"no bodies that can exist explain the log: they fit with {100 * fitted.total:.0f} % error, any "
        f"numbers with {100 * free.total:.0f} %; have efforts, positions or gravity the wrong sign, or "
        "another unit?"
    ]


def price_note(
    left_out: tuple[Errors | None, Errors | None], held_out: tuple[Errors | None, Errors | None]
) -> tuple[str, ...]:
    """Return what consistent inertias cost in errors of rows not fitted: (with them, with any numbers)."""
    words = {"left out in turn": left_out, "held out": held_out}
    prices = [
        f"{100 * ours.total:.3g} % of rows {rows} instead of {100 * free.total:.3g} %"
        for rows, (ours, free) in words.items()
        if ours is not None and free is not None
    ]
    tail = f": torque error {', '.join(prices)} with any numbers" if prices else ""
    return (f"inertias are made physically consistent{tail}",)


def explained(doubts: list[str], error: float, diagnosis: Diagnosis, named: bool = False) -> tuple[str, ...]:
    """Return doubts followed by the causes that would explain them, or that none does.

    If there are no doubts and the `error` is small, nothing is tried. If a doubt has `named` a cause, none
    that is tried need explain more.
    """
    if not doubts and error < TRYING:
        return ()
    causes = [str(cause) for cause in diagnosis.causes()[:3]]
    none = (
        f"nothing that was tried explains it ({diagnosis.tried}): springs, counterbalances, other friction, "
        "or a log of another robot remain"
    )
    rest = causes or ([] if named else [none])
    return (*doubts, *rest) if doubts else tuple(causes)
