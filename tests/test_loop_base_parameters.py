"""Base parameters of robots with closed loops."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from oracles.loop_mechanisms import delta, five_bar, four_bar

MECHANISMS = {"four_bar": four_bar, "five_bar": five_bar, "delta": lambda: delta("hinge")}


@pytest.mark.parametrize("name", MECHANISMS)
def test_count_is_the_rank_of_the_regressor_on_random_motions(name):
    closed = MECHANISMS[name]()
    base = cf.base_parameters(closed)
    q, qd, qdd = closed.random_state(5, batch=150)
    here = q if closed.model.explicit else closed.assemble(q)
    W = evaluate(closed.program("regressor"), here, qd, qdd).reshape(-1, closed.phi.size)
    s = np.linalg.svd(W, compute_uv=False)
    assert base.count == base.rank == int(np.sum(s > 1e-11 * s[0]))
    assert base.count + len(base.completion) == base.closed_count == cf.base_parameters(closed.tree).count
    assert base.method == "closed"
    # the kept columns alone explain all torques
    assert np.allclose(W[:, list(base.kept)] @ base.values, W @ closed.phi, atol=1e-12)


def test_numeric_method_keeps_the_same_parameters():
    closed = five_bar()
    base, numeric = cf.base_parameters(closed), cf.base_parameters(closed, "numeric")
    assert (base.count, base.kept) == (11, numeric.kept)
    assert np.allclose(base.matrix, numeric.matrix, atol=1e-9)
    assert (numeric.method, numeric.completion) == ("numeric", ())


def test_base_regressor_gives_the_torques_of_the_actuated_joints():
    closed = five_bar()
    base = cf.base_parameters(closed)
    q, qd, qdd = closed.random_state(6, batch=5)
    tau = closed.inverse_dynamics(q, qd, qdd)
    assert np.allclose(base.regressor(q, qd, qdd) @ base.values, tau, atol=1e-12)


def test_what_loops_do_not_have_is_refused_by_name():
    closed = four_bar()
    with pytest.raises(cf.ArgumentError, match="no letters"):
        cf.base_parameters(closed, symbolic=True)
    base = cf.base_parameters(closed)
    with pytest.raises(cf.ClosedFormError, match="regressor"):
        base.kernel()
    with pytest.raises(cf.ClosedFormError, match=r"closed\.tree"):
        base.savings()
