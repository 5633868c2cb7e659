"""Every URDF and MJCF file under a folder against Pinocchio or MuJoCo, at 20 states.

Poses of all frames, M and inverse dynamics, by the programs that machine code is made of. Each file
has a process of its own with a limit on time and memory. Rows are kept as they come, by the code
they were made with: a run that was stopped continues from there.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import closedform as cf
from closedform.description.file_bytes import read_bytes
from closedform.description.mjcf_compile import compile_document
from closedform.description.mjcf_document import read_document
from closedform.description.xml import read_xml
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from closedform.rotations import inverse

from .mujoco_peer import MujocoPeer, neglected
from .pinocchio_peer import Peer, pin

STATES = 20
TARGET = 1e-11
SECONDS = 120
"""Processor time of one file; a process that sleeps is ended after ten times as long."""
BYTES = 8 * 2**30
CAUSES = ("equal", "warned", "refused", "different", "crashed", "peer rounds", "peer refuses")


def run(folder: str | None, results: Path, jobs: int = 1) -> list[dict[str, Any]]:
    """Return one row per file (how it ended, the worst difference, why it was refused), kept in `results`."""
    if folder is None:
        raise SystemExit("collections: give the folder of models with --folder PATH")
    root = Path(folder).resolve()
    store = results / f"collections-{_digest(root)}.jsonl"
    results.mkdir(exist_ok=True)
    rows = (
        {row["file"]: row for row in map(json.loads, store.read_text().splitlines())}
        if store.exists()
        else {}
    )
    files = [path for path in sorted(root.rglob("*")) if is_model(path)]
    missing = [path for path in files if str(path.relative_to(root)) not in rows]
    start = time.perf_counter()
    with store.open("a") as out:
        for done, row in enumerate(rows_of(missing, jobs, judge), len(files) - len(missing) + 1):
            row["file"] = str(Path(row["file"]).relative_to(root))
            rows[row["file"]] = row
            out.write(json.dumps(row) + "\n")
            out.flush()
            seconds = time.perf_counter() - start
            if sys.stderr.isatty() or done % 100 == 0:
                print(f"{done} of {len(files)} files, {seconds:.0f} s: {row['file'][-60:]}", file=sys.stderr)
    summary(list(rows.values()))
    return list(rows.values())


def is_model(path: Path) -> bool:
    """Return whether a file is a URDF or an MJCF file by its name and its root element."""
    if path.suffix == ".urdf":
        return path.is_file()
    return path.suffix == ".xml" and path.is_file() and b"<mujoco" in path.read_bytes()


def summary(rows: list[dict[str, Any]]) -> None:
    """Print how many files ended how, and why."""
    for kind in ("urdf", "mjcf"):
        own = [row for row in rows if row["kind"] == kind]
        if not own:
            continue
        counts = Counter(row["cause"] for row in own)
        print(f"{kind}: {len(own)} files: " + ", ".join(f"{counts[each]} {each}" for each in CAUSES))
        equal = [row for row in own if row["cause"] in ("equal", "warned") and row["error"] < TARGET]
        worst = max(equal, key=lambda row: row["error"], default=None)
        if worst:
            print(f"  worst difference of {len(equal)} equal files: {worst['error']:.1e} ({worst['file']})")
        for cause in ("refused", "crashed", "warned"):
            reasons = Counter(_group(row["reason"]) for row in own if row["cause"] == cause)
            for reason, count in reasons.most_common():
                print(f"  {cause} {count:4d}: {reason}")
        for row in own:
            if (
                row["cause"] == "different"
                or row["cause"] == "peer rounds"
                or (row["cause"] == "warned" and row["error"] >= TARGET)
            ):
                where = f"{row['form']} {row['error']:.1e}"
                print(f"  {row['cause']}: {where} {row['file']}: {row['reason'][:120]}")


def _group(reason: str) -> str:
    """Return a reason without the names and numbers of its file."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|[-+]?\d[\d.e+-]*|(?:/[\w.+-]+)+", "_", reason)[:150]


def judge(path: Path) -> dict[str, Any]:
    """Return the row of one file."""
    kind = "urdf" if path.suffix == ".urdf" else "mjcf"
    row: dict[str, Any] = {"file": str(path), "kind": kind, "error": 0.0, "form": "", "reason": ""}
    try:
        model = _peer_model(path, kind)
    except Exception as error:  # the peers raise many kinds
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return row | {"cause": "peer refuses", "reason": reason}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = cf.load(path)
        except cf.ClosedFormError as error:
            problems = getattr(error, "problems", None) or [str(error)]
            return row | {"cause": "refused", "reason": problems[0]}
    said = [str(each.message) for each in caught if issubclass(each.category, cf.ModelWarning)]
    row["reason"] = "; ".join(text.partition(": ")[2] for text in said)
    try:
        worst = compare(robot, path, model)
    except ArithmeticError as error:
        worst = {"structure": float("inf")}
        row["reason"] += str(error)
    except cf.ClosedFormError as error:
        return row | {"cause": "refused", "reason": f"a form: {str(error).splitlines()[0]}"}
    form = max(worst, key=lambda each: worst[each])
    cause = "warned" if said else "equal" if worst[form] < TARGET else "different"
    if cause == "different" and kind == "mjcf" and neglected(model):
        row["reason"] = f"MuJoCo takes a centre of mass {neglected(model):.1e} m off for none"
        cause = "peer rounds"
    return row | {"cause": cause, "error": worst[form], "form": form, "nv": robot.nv}


def _peer_model(path: Path, kind: str) -> Any:
    """Return the model of the peer that reads such files.

    MuJoCo needs every mesh; if shapes of a collection are missing, it reads the file without them.
    """
    if kind == "urdf":
        return pin.buildModelFromUrdf(str(path))
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        if "opening file" not in str(error):
            raise
        data = read_bytes(path)
        return compile_document(read_document(path, read_xml(str(path), data), len(data)))


def compare(robot: cf.Robot, path: Path, model: Any) -> dict[str, float]:
    """Return the largest difference of each form, relative to its largest entry over the states."""
    q, qd, qdd = robot.random_state(np.random.default_rng(0), batch=STATES)
    if isinstance(model, pin.Model):
        peer = Peer(path, robot, False)
        theirs = [
            (peer.mass_matrix(a), peer.inverse_dynamics(a, b, c)) for a, b, c in zip(q, qd, qdd, strict=True)
        ]
        names = [name for name in robot.frame_names if peer.model.existBodyName(name)]
        poses = [{name: peer.pose(each, name) for name in names} for each in q]
    else:
        other = MujocoPeer(model, robot)
        theirs = [other.dynamics(a, b, c) for a, b, c in zip(q, qd, qdd, strict=True)]
        poses = [other.poses(each) for each in q]
    ours = _poses(robot, q)
    scale = max((np.abs(T[:3, 3]).max() for each in poses for T in each.values()), default=0.0)
    worst = {
        "pose": max(
            (
                float(np.abs(ours[name][k] - T).max() / max(scale, 1.0))
                for k, each in enumerate(poses)
                for name, T in each.items()
            ),
            default=0.0,
        )
    }
    if robot.nv and robot.model.has_inertia:
        arrays = {"q": q, "qd": qd, "qdd": qdd}
        for k, name in enumerate(("mass_matrix", "inverse_dynamics")):
            program = trace(robot.model, name, closed=False)
            found = evaluate(program, *(arrays[each] for each, _ in program.inputs))
            expected = np.array([each[k] for each in theirs])
            worst[name] = float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-9))
    return {name: value if np.isfinite(value) else float("inf") for name, value in worst.items()}


def _poses(robot: cf.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return the poses of all frames over the states, one program per body."""
    found: dict[str, np.ndarray] = {}
    bodies = {-1: np.broadcast_to(np.eye(4), (STATES, 4, 4))}
    for frame in robot.model.frames:
        if frame.body not in bodies:
            program = trace(robot.model, "pose", Variant(frame.name), closed=False)
            bodies[frame.body] = evaluate(program, q) @ inverse(frame.placement)
        found[frame.name] = bodies[frame.body] @ frame.placement
    return found


Judge = Callable[[Path], dict[str, Any]]
"""What makes the row of a file."""


def rows_of(files: list[Path], jobs: int, judged: Judge) -> Iterator[dict[str, Any]]:
    """Yield the rows of files, each from a process of its own."""
    with tempfile.TemporaryDirectory() as folder:  # killed processes clear nothing away
        yield from _processes(files, jobs, folder, judged)


def _processes(files: list[Path], jobs: int, folder: str, judged: Judge) -> Iterator[dict[str, Any]]:
    context = multiprocessing.get_context("fork")
    waiting, running = list(reversed(files)), []
    while waiting or running:
        while waiting and len(running) < jobs:
            path = waiting.pop()
            receive, send = context.Pipe(duplex=False)
            process = context.Process(target=_worker, args=(path, send, folder, judged))
            process.start()
            send.close()
            running.append((path, process, receive, time.monotonic()))
        for entry in list(running):
            path, process, receive, began = entry
            row = _crashed(path, "")
            if receive.poll(0.02):
                try:
                    row = receive.recv()
                except EOFError:
                    process.join()
                    late = process.exitcode == -signal.SIGXCPU
                    code = f"the process ended with code {process.exitcode}"
                    row["reason"] = f"more than {SECONDS} s" if late else code
            elif time.monotonic() - began > 10 * SECONDS:
                row["reason"] = f"no end after {10 * SECONDS} s"
            else:
                continue
            process.kill()
            process.join()
            running.remove(entry)
            yield row


def _crashed(path: Path, reason: str) -> dict[str, Any]:
    """Return the row of a file that was not judged to its end."""
    kind = "urdf" if path.suffix == ".urdf" else "mjcf"
    return {"file": str(path), "kind": kind, "cause": "crashed", "error": 0.0, "form": "", "reason": reason}


def _worker(path: Path, send: Any, folder: str, judged: Judge) -> None:
    """Judge one file with bounded memory, quietly, in a folder of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(tempfile.mkdtemp(dir=folder))
    try:
        row = judged(path)
    except BaseException as error:  # whatever it is, it is the finding
        row = _crashed(path, f"{type(error).__name__}: {str(error)[:200]}")
    send.send(row)


def _digest(root: Path) -> str:
    """Return a name for the results of this code on that folder."""
    code = hashlib.sha256(str(root).encode())
    for path in sorted((Path(cf.__file__).parent).rglob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()[:12]
