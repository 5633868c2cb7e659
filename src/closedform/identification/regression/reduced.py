"""The reduced regressor of any number of samples, as one triangular factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import instance, real_array, whole_number
from ...errors import ArgumentError
from ...guests import in_kind
from ..base.result import BaseParameters
from .design import acting
from .triangle import Triangle, factor, widened

BLOCK = 2048
"""Samples whose regressor is in memory at a time."""

MOST_NUMBERS = 2**27
"""Numbers of the regressor of one block: a gibibyte."""


@in_kind
def reduced_factor(
    base: BaseParameters, q: Any, qd: Any, qdd: Any, tau: Any = None, *, block: int = BLOCK
) -> Array:
    """Return R with R^T R = sum [Y_b tau]^T [Y_b tau] over samples: QR of the regressor, block by block.

    q is (samples, nq), qd, qdd and tau are (samples, nv), in memory, mapped from a file or lazy: only
    `block` samples are read and evaluated at a time. R is (count, count), or (count + 1, count + 1)
    with torques, when its last column holds the right-hand side. The rows of a joint have only the
    columns of the bodies that it moves.

    >>> import numpy as np, closedform as cf
    >>> robot = cf.load("2r")
    >>> base = cf.identification.base_parameters(robot)
    >>> q, qd, qdd = robot.random_state(0, batch=5000)
    >>> R = reduced_factor(base, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd))
    >>> beta = np.linalg.solve(R[:-1, :-1], R[:-1, -1])
    >>> bool(np.allclose(beta, base.values))
    True
    """
    instance("reduced_factor: base", base, BaseParameters, "what base_parameters returns")
    block = whole_number(
        "reduced_factor: block", block, 1, MOST_NUMBERS // (base.robot.nv * max(base.count, 1))
    )
    robot, nv, count = base.robot, base.robot.nv, base.count
    given = {"q": q, "qd": qd, "qdd": qdd, **({} if tau is None else {"tau": tau})}
    arrays = {name: _readable(f"reduced_factor: {name}", a) for name, a in given.items()}
    if len(arrays["q"].shape) != 2:
        raise ArgumentError(
            f"reduced_factor: q has shape {arrays['q'].shape}; expected (samples, {robot.nq})"
        )
    for name, array in arrays.items():
        expected = (len(arrays["q"]), robot.nq if name == "q" else nv)
        if array.shape != expected:
            raise ArgumentError(f"reduced_factor: {name} has shape {array.shape}; expected {expected}")
    columns = acting(base, robot)
    extra = 0 if tau is None else 1
    joints = [Triangle(len(own) + extra) for own in columns]
    Y = np.empty((block, nv, count))
    buffers = [np.empty((block, len(own) + extra), order="F") for own in columns]
    for start in range(0, len(arrays["q"]), block):
        part = {
            name: real_array(f"reduced_factor: {name}", array[start : start + block])
            for name, array in arrays.items()
        }
        for name, values in part.items():
            if not np.isfinite(values).all():
                row = start + int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
                raise ArgumentError(f"reduced_factor: {name} is not finite in row {row + 1}; leave it out")
        size = len(part["q"])
        base.regressor(part["q"], part["qd"], part["qdd"], out=Y[:size])
        for j, own in enumerate(columns):
            rows = buffers[j][:size]
            for k, column in enumerate(own):
                rows[:, k] = Y[:size, j, column]
            if tau is not None:
                rows[:, -1] = part["tau"][:, j]
            joints[j].add(rows)
    width = count + extra
    blocks = (
        widened(triangle.R, [*own, *range(count, width)], width)
        for own, triangle in zip(columns, joints, strict=True)
    )
    return factor(blocks, width)


def _readable(name: str, given: Any) -> Any:
    """Return an array as it is, in memory, on disk or lazy; other sequences as an array."""
    kind = getattr(given, "dtype", None)
    if not (isinstance(kind, np.dtype) and hasattr(given, "shape") and hasattr(given, "__getitem__")):
        return real_array(name, given)
    if kind.kind not in "fiub":
        raise ArgumentError(f"{name} has dtype {kind}; expected real numbers")
    return given
