"""Identification compared: ours, the plain pipeline, FIGAROH and MuJoCo's sysid on public logs.

Every method sees the same recording and predicts recordings that it has not seen. Errors are those of the
torques after one filter, with the cutoff of the log's row in `public_logs`: root mean square over that of the
torques, all joints and held-out files together. Times are those of the processor, all threads together.
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

from .identification_plain import Motion, Terms, plain_model, torque_errors
from .public_logs import LOGS, PublicLog, missing

WORST, MEDIAN = 1.02, 0.85
"""Errors over those of the plain pipeline: the most of any log, and the median that are promised."""

Judge = Callable[[Log], tuple[Array, Array]]
"""Returns the sums of squares per joint, of torque error and torque, of a held-out recording."""


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

    def judge(held: Log) -> tuple[Array, Array]:
        trace = result.predict(held, cutoff=case.log.cutoff)
        return np.sum((trace.measured - trace.predicted) ** 2, axis=0), np.sum(trace.measured**2, axis=0)

    return judge


def plain(case: Case) -> Judge:
    """Return the judge of the plain pipeline, with the cutoff that was chosen by hand."""
    R = case.fit.transmission.reduction
    terms = Terms(case.robot, R[np.count_nonzero(R, axis=1) > 1], case.log.further)
    return judge_torques(plain_model(terms, *recorded(case.fit), case.log.cutoff).torque, case)


def judge_torques(predict: Callable[[Motion], Array], case: Case) -> Judge:
    """Return the judge of predicted torques at the rows of a motion."""
    return lambda held: torque_errors(predict, *recorded(held), case.log.cutoff)


def recorded(log: Log) -> tuple[Array, Array, Array]:
    """Return time, positions and torques of a log."""
    samples = log.samples()
    return samples.time, samples.position, samples.effort


Method = Callable[[Case], Judge]
"""Fits a model to a case; raises `UnableError` if it cannot."""


def error_of(judge: Judge, case: Case) -> float:
    """Return the error over all held-out recordings, in percent."""
    squares, powers = zip(*map(judge, case.held), strict=True)
    return float(100 * np.sqrt(np.sum(squares) / np.sum(powers)))


def compared(case: Case, methods: Mapping[str, Method]) -> dict[str, Any]:
    """Print and return the error and the time of every method on a log."""
    row: dict[str, Any] = {"log": case.log.name, "tuned": case.log.tuned}
    shown = []
    for name, method in methods.items():
        start = time.process_time()
        try:
            judge = method(case)
            seconds = time.process_time() - start
            error = error_of(judge, case)
        except (UnableError, cf.ClosedFormError) as reason:
            row[name] = {"why": str(reason)}
            shown.append(f"{name} cannot: {shorten(str(reason), 160)}")
            continue
        row[name] = {"percent": error, "s": seconds}
        shown.append(f"{name} {error:6.2f} % in {seconds:5.1f} s")
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
    ratios = {row["log"]: ratio for row in rows if (ratio := over_plain(row)) is not None}
    if ratios:
        worst = max(ratios, key=ratios.__getitem__)
        met = {True: "met", False: "MISSED"}
        middle = median(ratios.values())
        print("ours over plain: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
        print(f"worst {ratios[worst]:.2f} ({worst})  target {WORST} {met[ratios[worst] <= WORST]}; "
              f"median {middle:.2f}  target {MEDIAN} {met[middle <= MEDIAN]}")  # fmt: skip
    return rows


def over_plain(row: dict[str, Any]) -> float | None:
    """Return the error of ours over that of the plain pipeline; infinite if ours gave none."""
    if "percent" not in row["plain"]:
        return None
    return float(row["ours"].get("percent", np.inf) / row["plain"]["percent"])
