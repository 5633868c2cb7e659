"""Time derivatives of torques of mechanisms with loops against differences in 50-digit numbers."""

from __future__ import annotations

import numpy as np

from closedform.programs import evaluate
from oracles.loops_fifty_digits import ClosedReference
from oracles.mechanisms import gough_stewart
from tolerances import ITERATED, worst


def test_torques_of_a_platform_have_ten_digits_to_second_order():
    closed = gough_stewart(split=True)
    _, *rates = (0.5 * each for each in closed.random_state(3, order=4))
    q = closed.neutral() + 0.05 * rates[0]
    x = closed.assemble(q)
    ours = evaluate(closed.program("inverse_dynamics_rates"), q if closed.model.explicit else x, *rates)
    expected = ClosedReference(closed).torques([q, *rates], x, 2)
    for mine, theirs in zip(ours, expected, strict=True):
        assert worst(np.array(mine).ravel(), theirs) < ITERATED
