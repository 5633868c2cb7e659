"""The first use of a form in a process: with an empty cache, and from disk.

`python -m bench.gpu.first_use FOLDER` is one such process. Another robot's form goes first, so that imports
and the start of CUDA and of NVRTC do not count; they are a row of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .job import ARM, DEVICE, FORMS, Job, read_job
from .measuring import guarded
from .rows import OURS, Row, Sink

COUNT = 1024
LIMIT = 120.0


def run(job: Job, sink: Sink) -> None:
    """Time two fresh processes, the first of which finds an empty cache folder."""
    cache = Path(job.folder) / "cache-first-use"
    for how in ("first use", "from disk"):
        with guarded(how):
            command = [sys.executable, "-m", "bench.gpu.first_use", job.folder]
            done = subprocess.run(
                command,
                env=os.environ | {"CLOSEDFORM_CACHE": str(cache)},
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
            )
            if done.returncode:
                raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
            for robot, short, seconds in json.loads(done.stdout.splitlines()[-1]):
                sink.add(Row(robot, short, "float32", 1, OURS, "torch", how, seconds))


def forms(job: Job) -> list[tuple[str, str]]:
    """Return what is used for the first time, by robot and form."""
    return [(ARM, "ID"), (ARM, "dID"), *((robot, "dID") for robot in job.robots[1:])]


def once(job: Job) -> list[tuple[str, str, float]]:
    """Return the seconds of the first call of every form in this process."""
    import torch  # noqa: PLC0415 (imported here, in the process that is timed)

    import closedform as cf  # noqa: PLC0415

    def timed(robot: Any, form: str) -> float:
        given = [torch.randn(COUNT, robot.nv, device=DEVICE) for _ in range(3)]
        torch.cuda.synchronize()
        start = time.perf_counter()
        getattr(robot, form)(*given)
        torch.cuda.synchronize()
        return time.perf_counter() - start

    found = [("2r", "start", timed(cf.load("2r"), "inverse_dynamics"))]
    for robot, short in forms(job):
        found.append((robot, short, timed(job.load(robot), FORMS[short])))
    return found


if __name__ == "__main__":
    print(json.dumps(once(read_job(sys.argv[1]))))
