"""Inverse kinematics of poses that are dask arrays: the same solutions, of lazy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..guests import is_lazy
from .result import Solutions

SECONDS = 0.75e-6
"""Time of a pose per coordinate, at least: 0.8e-6 measured in closed form, 0.5e-6 to 9e-6 by search, on one
core."""


def has_lazy(pose: Any, q0: Any) -> bool:
    """Whether poses or starts are dask arrays."""
    return is_lazy(q0, *(pose.values() if isinstance(pose, Mapping) else (pose,)))


def solved_lazily(
    solve: Callable[..., Solutions], pose: Any, q0: Any, robot: Any, chosen: dict[str, Any]
) -> Solutions:
    """Return the solutions of poses, or of a mapping of frames to poses, whose arrays are lazy."""
    from ..guests.dask_records import Call, lazy_record, pose_axes  # noqa: PLC0415 (dask is an extra)

    function = partial(solve, robot)
    arrays: dict[str, Any] = {"pose": pose}
    if isinstance(pose, Mapping):
        names = {f"pose_{k}": frame for k, frame in enumerate(pose)}
        arrays = dict(zip(names, pose.values(), strict=True))
        function = partial(_of_frames, function, names)
    if q0 is not None:
        arrays["q0"] = q0
    cores = {name: pose_axes(name, array) for name, array in arrays.items()} | {"q0": 1}
    seconds = SECONDS * max(1, robot.nq)
    call = Call(function, f"inverse_kinematics {robot.name}", arrays, cores, chosen, seconds)
    record: Solutions = lazy_record(call)[0]
    return record


def _of_frames(solve: Callable[..., Solutions], names: dict[str, str], **given: Any) -> Solutions:
    """Return the solutions of poses given one by one, each for its frame."""
    poses = {frame: given.pop(name) for name, frame in names.items()}
    return solve(pose=poses, **given)
