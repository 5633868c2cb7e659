"""What wrenches of frames are promised, whichever library their arrays are from."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf


def check_wrenches(robot, q, push) -> None:
    """Compare inverse dynamics under wrenches with NumPy's; `q` is (4, nv) and `push` (4, 6)."""
    first, second = robot.body_names[:2]
    for wrenches in (
        {first: push, second: push[0]},
        {second: push, first: [0.0, 0, 0, 1, 2, 3]},
        {first: [1.0] * 6},
    ):
        plain = {
            name: each if isinstance(each, list) else np.asarray(each) for name, each in wrenches.items()
        }
        found = robot.inverse_dynamics(q, q, q, wrenches=wrenches)
        expected = robot.inverse_dynamics(*[np.asarray(q)] * 3, wrenches=plain)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(cf.ArgumentError, match=rf"wrenches\['{first}'\] is a NumPy array beside"):
        robot.inverse_dynamics(q, q, q, wrenches={first: np.zeros(6)})
    with pytest.raises(cf.ArgumentError, match=r"has shape \(4, 2\); expected \(..., 6\)"):
        robot.inverse_dynamics(q, q, q, wrenches={first: q})
