"""Identification compared: ours, the plain pipeline, FIGAROH and MuJoCo's sysid on public logs.

Every method sees the same recording and predicts recordings that it has not seen. Errors are those of the
torques after one filter, with the cutoff of the log's row in `public_logs`: root mean square over that of the
torques, all joints and held-out files together. Beside them are those of rows in which the joint moves, over
the same torques: friction holds a joint at rest anywhere between two torques. Times are those of the
processor, all threads together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

import closedform as cf
from closedform.arrays import Array
from closedform.errors import shorten
from closedform.identification import Identification, Log, identify

from .identification_plain import Motion, Terms, filtered, plain_model, predictions
from .public_logs import LOGS, PublicLog, missing

WORST, MEDIAN = 1.02, 0.85
"""Errors over those of the plain pipeline: the most of any log, and the median that are promised."""

MOVING = 0.01
"""Part of a joint's greatest speed in a recording from which on it moves."""

Judge = Callable[[Log], tuple[Array, Array, Array]]
"""Returns times, torques and predicted torques (rows, joints) of a held-out recording, after the filter."""


class UnableError(Exception):
    """A method cannot do a log; the message says why."""


@dataclass(frozen=True)
class Case:
    """A log as all methods see it: the robot, the recording to fit and those to predict."""

    log: PublicLog
    robot: cf.Robot
    fit: Log
    held: tuple[Log, ...]

    @classmethod
    def of(cls, log: PublicLog) -> Case:
        """Return the case of a public log that is here."""
        robot = log.load_robot()
        return cls(log, robot, log.read(log.fit, robot), tuple(log.read(name, robot) for name in log.held))


def ours(case: Case) -> Judge:
    """Return the judge of our defaults: the robot and the recording, no option."""
    return judge_of(identify(case.robot, case.fit), case)


def judge_of(result: Identification, case: Case) -> Judge:
    """Return the judge of a result of ours, by its predictions up to the cutoff of the comparison."""

    def judge(held: Log) -> tuple[Array, Array, Array]:
        trace = result.predict(held, cutoff=case.log.cutoff)
        return trace.time, trace.measured, trace.predicted

    return judge


def plain(case: Case) -> Judge:
    """Return the judge of the plain pipeline, with the cutoff that was chosen by hand."""
    R = case.fit.transmission.reduction
    terms = Terms(case.robot, R[np.count_nonzero(R, axis=1) > 1], case.log.further)
    return judge_torques(plain_model(terms, *recorded(case.fit), case.log.cutoff).torque, case)


def judge_torques(predict: Callable[[Motion], Array], case: Case) -> Judge:
    """Return the judge of predicted torques at the rows of a motion."""
    return lambda held: predictions(predict, *recorded(held), case.log.cutoff)


def recorded(log: Log) -> tuple[Array, Array, Array]:
    """Return time, positions and torques of a log."""
    samples = log.samples()
    return samples.time, samples.position, samples.effort


Method = Callable[[Case], Judge]
"""Fits a model to a case; raises `UnableError` if it cannot."""


def error_of(judge: Judge, case: Case) -> float:
    """Return the error over all held-out recordings, in percent."""
    return errors_of(judge, case)[0]


def errors_of(judge: Judge, case: Case) -> tuple[float, float]:
    """Return the error over all held-out recordings in percent, and that while the joint moves."""
    total, moving, power = 0.0, 0.0, 0.0
    for held in case.held:
        time, measured, predicted = judge(held)
        squares = (measured - predicted) ** 2
        motion = filtered(*recorded(held), case.log.cutoff, every=True)
        speed = np.abs(motion.qd)
        at = np.clip(np.searchsorted(motion.time, time), 0, len(motion.time) - 1)
        total += float(squares.sum())
        moving += float(squares[speed[at] > MOVING * speed.max(axis=0)].sum())
        power += float(np.sum(measured**2))
    return 100 * np.sqrt(total / power), 100 * np.sqrt(moving / power)


def compared(case: Case, methods: Mapping[str, Method]) -> dict[str, Any]:
    """Print and return the error and the time of every method on a log."""
    row: dict[str, Any] = {"log": case.log.name, "tuned": case.log.tuned}
    shown = []
    for name, method in methods.items():
        start = time.process_time()
        try:
            judge = method(case)
            seconds = time.process_time() - start
            error, moving = errors_of(judge, case)
        except (UnableError, cf.ClosedFormError) as reason:
            row[name] = {"why": str(reason)}
            shown.append(f"{name} cannot: {shorten(str(reason), 160)}")
            continue
        row[name] = {"percent": error, "moving": moving, "s": seconds}
        shown.append(f"{name} {error:6.2f} % (moving {moving:6.2f} %) in {seconds:5.1f} s")
    print(f"{case.log.name:13s} " + "; ".join(shown), flush=True)
    return row


def run(peers: Mapping[str, Method]) -> list[dict[str, Any]]:
    """Print and return how ours, the plain pipeline and peers compare on the logs that are here."""
    rows = []
    for log in LOGS:
        if missing(log):
            print(f"{log.name:13s} not here: clone {log.repository} into the folder of CLOSEDFORM_LOGS")
            continue
        rows.append(compared(Case.of(log), {"ours": ours, "plain": plain, **peers}))
    for what, words in (("percent", "all rows"), ("moving", "rows in which the joint moves")):
        ratios = {row["log"]: ratio for row in rows if (ratio := over_plain(row, what)) is not None}
        if not ratios:
            continue
        worst = max(ratios, key=ratios.__getitem__)
        met = {True: "met", False: "MISSED"}
        middle = median(ratios.values())
        print(
            f"ours over plain, {words}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        )
        print(f"worst {ratios[worst]:.2f} ({worst})  target {WORST} {met[ratios[worst] <= WORST]}; "
              f"median {middle:.2f}  target {MEDIAN} {met[middle <= MEDIAN]}")  # fmt: skip
    return rows


def over_plain(row: dict[str, Any], what: str = "percent") -> float | None:
    """Return an error of ours over that of the plain pipeline; infinite if ours gave none."""
    if what not in row["plain"]:
        return None
    return float(row["ours"].get(what, np.inf) / row["plain"][what])
