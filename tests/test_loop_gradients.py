"""Gradients through assembly where no formula closes the loops, by the implicit function theorem."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.loops import AssemblyError
from closedform.loops.implicit import explicit_assembly, implicit_assembly
from oracles.mechanisms import five_bar, four_bar, gough_stewart
from tolerances import HALF_DIGITS, ITERATED, ROUNDING, worst


@cache
def searched() -> cf.ClosedRobot:
    """Return a five-bar whose formulas are not used."""
    return cf.ClosedRobot(replace(five_bar().model, dyads=()))


def test_steps_of_newton_have_the_derivatives_of_the_formula():
    """First to third derivatives of the five-bar's couplers, along a direction, by jvp of jvp of jvp."""
    model = searched().model
    near, by_formula = implicit_assembly(model), explicit_assembly(five_bar().model)
    q, d = searched().random_state(0, batch=3, order=1)
    x = searched().assemble(q)
    zero = np.zeros_like(x)
    assert worst(near(x, q), x) < ROUNDING
    assert worst(near.jvp(x, q, zero, d), by_formula.jvp(q, d)) < ITERATED
    none = np.zeros_like(q)
    second = near.jvp.jvp(x, q, zero, d, zero, d, zero, none)
    assert worst(second, by_formula.jvp.jvp(q, d, d, none)) < ITERATED
    third = near.jvp.jvp.jvp(x, q, zero, d, zero, d, zero, none, zero, d, zero, none, zero, none, zero, none)
    assert worst(third, by_formula.jvp.jvp.jvp(q, d, d, none, d, none, none, none)) < ITERATED


def test_the_first_derivative_is_the_velocity_map_of_the_loops():
    closed = gough_stewart(split=True)
    q = closed.random_state(1, batch=2)[0]
    x = closed.assemble(q)
    kernel = implicit_assembly(closed.model)
    for h, d in enumerate(np.eye(closed.nv)):
        found = kernel.jvp(x, q, np.zeros_like(x), np.broadcast_to(d, q.shape))
        assert worst(found, closed.embedding_matrix(x)[..., h]) < ITERATED


def test_tensors_keep_their_gradients():
    torch = pytest.importorskip("torch")
    closed, formula = searched(), five_bar()
    q, qd, qdd = (torch.from_numpy(each) for each in closed.random_state(2, batch=4))
    found = []
    for robot in (closed, formula):
        at = q.clone().requires_grad_()
        tau = robot.inverse_dynamics(at, qd, qdd)
        (slope,) = torch.autograd.grad(tau.sum(), at, create_graph=True)
        (curved,) = torch.autograd.grad((slope**2).sum(), at)
        found.append((tau, slope, curved))
    for ours, theirs in zip(*found, strict=True):
        assert worst(ours.detach().numpy(), theirs.detach().numpy()) < ITERATED
    near = closed.assemble(q)
    turned = closed.assemble(q.requires_grad_(), near=near)
    assert turned.requires_grad
    assert worst(turned.detach().numpy(), near.numpy()) < ROUNDING
    assert four_bar().assemble(torch.ones(1, dtype=torch.float64, requires_grad=True)).requires_grad
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        closed.mass_matrix(torch.tensor([3.0, 0.0], dtype=torch.float64, requires_grad=True))
    single = q.detach().float().requires_grad_()
    assert closed.gravity_torque(single).dtype == torch.float32


def test_jax_traces_a_search():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    closed, formula = searched(), five_bar()
    q, qd, qdd = (jax.numpy.asarray(each) for each in closed.random_state(3, batch=4))

    def power(robot):
        return lambda at: (robot.inverse_dynamics(at, qd[0], qdd[0]) * qd[0]).sum()

    for transform in (
        lambda f: jax.jit(f)(q[0]),
        lambda f: jax.grad(f)(q[0]),
        lambda f: jax.hessian(f)(q[0]),
        lambda f: jax.vmap(jax.jit(jax.grad(f)))(q),
    ):
        ours, theirs = (np.asarray(transform(power(robot))) for robot in (closed, formula))
        assert worst(ours, theirs) < HALF_DIGITS
