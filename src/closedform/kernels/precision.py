"""The precision of a call: double, unless all its arrays are of lower precision.

This is the one place that looks at the kind of the arrays that a method is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)

LOW = ("f", "e", "torch.float32")
"""Characters of float32 and float16 in either byte order, and names of dtypes that have none.

NumPy's half precision is computed in single."""


def common_precision(arrays: Iterable[Any]) -> np.dtype[Any]:
    """Return float32 if every array is float32 or float16, else float64.

    Numbers and lists have no precision of their own and take that of the others, as in NumPy; arrays of
    whole numbers or of truth values are exact, and so count as double.

    >>> import numpy as np
    >>> from closedform.kernels.precision import common_precision
    >>> common_precision([np.zeros(2, np.float32), [0, 1.5]])
    dtype('float32')
    >>> common_precision([np.zeros(2, np.float32), np.zeros(2)])
    dtype('float64')
    """
    found: np.dtype[Any] = DOUBLE
    for each in arrays:
        dtype = getattr(each, "dtype", None)
        if dtype is None:
            continue
        if (getattr(dtype, "char", None) or str(dtype)) not in LOW:
            return DOUBLE
        found = SINGLE
    return found
