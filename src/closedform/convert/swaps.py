"""Twists with their halves swapped, and quaternions in the other order."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, real_array, whole_number
from ..errors import ArgumentError
from ..guests import in_kind

SWAPPED = [3, 4, 5, 0, 1, 2]

SCALAR_FIRST = [3, 0, 1, 2]
"""Places in (x, y, z, w) of w, x, y, z."""

SCALAR_LAST = [1, 2, 3, 0]
"""Places in (w, x, y, z) of x, y, z, w."""


@in_kind
def swap_halves(values: ArrayLike, axis: int = -1) -> Array:
    """Return twists or wrenches with angular and linear halves swapped: ours from Pinocchio's, and back.

    >>> import closedform as cf
    >>> cf.convert.swap_halves([1, 2, 3, 4, 5, 6]).tolist()
    [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]
    """
    given = real_array("swap_halves: values", values)
    axis = whole_number("swap_halves: axis", axis, -2, -1)
    if given.ndim < -axis or given.shape[axis] != 6:
        wanted = "(..., 6)" if axis == -1 else "(..., 6, columns)"
        raise ArgumentError(f"swap_halves: values have shape {given.shape}; expected {wanted}")
    return given[..., SWAPPED] if axis == -1 else given[..., SWAPPED, :]


@in_kind
def xyzw(quaternion: ArrayLike) -> Array:
    """Return quaternions x, y, z, w, the order here, from w, x, y, z (MuJoCo, Drake, MATLAB, Isaac Lab 2).

    >>> import closedform as cf
    >>> cf.convert.xyzw([1, 0, 0, 0]).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    return batch_array("xyzw: quaternion", quaternion, 4)[..., SCALAR_LAST]


@in_kind
def wxyz(quaternion: ArrayLike) -> Array:
    """Return quaternions w, x, y, z from x, y, z, w, the order here.

    >>> import closedform as cf
    >>> cf.convert.wxyz([0, 0, 0, 1]).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return batch_array("wxyz: quaternion", quaternion, 4)[..., SCALAR_FIRST]
