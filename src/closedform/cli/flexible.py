"""`closedform flexible`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .outcome import Outcome
from .shared import PageFile, write_study
from .tables import numbers, torques


def flexible(
    arm: Annotated[
        Path | None,
        typer.Option(help="A TOML file that describes the arm.", show_default="De Luca and Siciliano's"),
    ] = None,
    output: PageFile = None,
    start: Annotated[
        str | None, typer.Option(help="Joint angles, then modes link by link, to start from, as 0,0.1,0.")
    ] = None,
    torque: Annotated[
        Path | None, typer.Option(help="The torques: a CSV file of the time and a column per joint.")
    ] = None,
    duration: Annotated[float, typer.Option(help="Duration of the motions in seconds.")] = 2.0,
    step: Annotated[float, typer.Option(help="Step of the integration in seconds.")] = 1e-3,
) -> Outcome:
    """Write one page about an arm with flexible links: modes, frequencies, motions, animation.

    Without an arm, the two flexible links of De Luca and Siciliano with the motions of their paper.
    """
    import numpy as np

    from ..flexible import load_arm
    from ..report import FlexibleStudy

    study = FlexibleStudy(None if arm is None else load_arm(arm), duration=duration, step=step)
    if start is not None or torque is not None:
        first = None if start is None else np.atleast_1d(numbers("--start", start))
        driving = torques(torque, study.subject.joints, duration, step)
        study = replace(study, start=first, torque=driving)
    page = write_study(study, output, "flexible", study.subject.name)
    return Outcome({"arm": study.subject.name, "page": page}, [str(page)], page)
