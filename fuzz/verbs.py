"""Verbs of the command line with wrong values: a page, or one plain line and exit code 2."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

from closedform import ClosedFormError
from closedform.cli import main

from .recipes import arm_file, fresh
from .wrong_values import WORDS, folder

VERBS: dict[str, list[str]] = {
    "report": ["--duration", "--samples", "--motion"],
    "robots": [],
    "check": [],
    "trajectory": ["--to", "--start", "--velocity", "--acceleration", "--jerk", "--rate"],
    "simulate": [
        "--start",
        "--velocity",
        "--duration",
        "--step",
        "--torque",
        "--law",
        "--motion",
        "--method",
    ],
    "equations": [
        "--digits",
        "--seconds",
        "--frame",
        "--reference",
        "--relative-to",
        "--order",
        "--factorisation",
        "--coordinates",
        "--stiffness",
    ],
    "export": ["--precision", "--frame", "--order", "--stiffness"],
    "base-parameters": [],
    "excite": [
        "--period",
        "--terms",
        "--rate",
        "--acceleration",
        "--floor",
        "--starts",
        "--seed",
        "--box",
        "--keep-out",
    ],
    "elastic": ["--stiffness", "--motor-inertia", "--gear-ratio", "--motion", "--tool", "--runs"],
    "flexible": ["--duration", "--step", "--arm", "--start", "--torque"],
    "ik": ["--path", "--target", "--task", "--frame", "--criterion", "--start"],
    "doctor": [],
    "cache": [],
}
"""Verbs and the options whose values are spoiled."""

ROBOT_FIRST = (
    "report",
    "check",
    "equations",
    "export",
    "base-parameters",
    "trajectory",
    "simulate",
    "excite",
    "elastic",
    "ik",
)


def verb_call(rng: np.random.Generator) -> tuple[str, Callable[[], Any], str]:
    """Return a call of the command line with a value that is wrong, or a file that is no robot."""
    verb = str(rng.choice(list(VERBS)))
    words = [verb]
    options = VERBS[verb]
    paths = [str(folder()), str(folder() / "missing.urdf"), str(folder() / "noise.csv"), "nope", "", "a\0b"]
    spoil_robot = verb in ROBOT_FIRST and (not options or rng.random() < 0.5)
    if verb in ROBOT_FIRST:
        words.append(str(rng.choice(paths)) if spoil_robot else str(arm_file()))
    if verb == "equations":
        words.append(str(rng.choice(["gravity_torque", "nope", ""])))
    if verb == "export":
        words += [str(rng.choice(["gravity_torque", "nope", "pose:frame=nope"])), "mass_matrix"]
        words += ["--language", str(rng.choice(["c", "numpy", "nope"]))]
        words += ["-o", str(fresh(""))]
    if verb == "trajectory":
        words += ["--to", "0.1,0.2"]
    if options and not spoil_robot:
        words += [str(rng.choice(options)), str(rng.choice(WORDS))]
    if verb in ("report", "trajectory", "simulate", "elastic", "flexible", "ik", "excite"):
        # a place that cannot be written: what is right about the call must not take minutes
        words += ["-o", str(folder() / "noise.csv" / "page.html")]
    return f"closedform {' '.join(words)}", lambda: _run(words), "given on the command line"


def _run(words: list[str]) -> None:
    """Run a verb; what is neither success nor one plain line with exit code 2 raises."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            main(words)
        except SystemExit as end:
            if end.code not in (0, 2, None):
                raise RuntimeError(f"exit code {end.code}: {errors.getvalue()[-200:]}") from None
    if "Traceback" in errors.getvalue() or "Warning:" in errors.getvalue():
        raise RuntimeError(errors.getvalue()[-300:])
    if "error" in errors.getvalue():
        raise ClosedFormError(errors.getvalue()[-300:])
