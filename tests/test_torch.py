"""PyTorch tensors: the same numbers, gradients of any order, transforms, compiled graphs.

Needs PyTorch: `make test-torch` installs it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import closedform as cf
from closedform.kernels import compiled

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")

from closedform.guests.torch_operators import operator_of  # noqa: E402

DOUBLE = torch.float64
FORMS = ["inverse_dynamics", "mass_matrix", "kinetic_energy", "pose"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, of its transforms


def tensors(*shapes, seed=0, grad=False):
    generator = torch.Generator().manual_seed(seed)
    made = [torch.randn(shape, dtype=DOUBLE, generator=generator) for shape in shapes]
    return [each.requires_grad_(grad) for each in made]


@pytest.fixture(scope="module")
def robot():
    return cf.load("2r")


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize("form", [*FORMS, "dynamic_matrices"])
def test_results_are_tensors_with_the_library_s_numbers(robot, form):
    kernel = robot.kernel(form)
    given = tensors(*[(3, 1, *shape) for shape in kernel.input_shapes])
    ours = getattr(robot, form)(*given)
    theirs = getattr(robot, form)(*[each.numpy() for each in given])
    if kernel.results is None:
        ours, theirs = (ours,), (theirs,)
    for one, other in zip(ours, theirs, strict=True):
        assert type(one) is torch.Tensor
        np.testing.assert_array_equal(one.numpy(), other)


def test_slices_broadcasts_and_strides(robot):
    (whole,) = tensors((6, 4))
    q, qd = whole[::2, ::2], whole.T[:2, :1].T.expand(3, 2)
    expected = robot.inverse_dynamics(q.numpy().copy(), qd.numpy().copy(), np.zeros(2))
    np.testing.assert_array_equal(robot.inverse_dynamics(q, qd, [0.0, 0.0]).numpy(), expected)


def test_precision_is_kept(robot):
    (q,) = tensors((4, 2))
    assert robot.mass_matrix(q.float()).dtype == torch.float32
    assert robot.mass_matrix(q).dtype == DOUBLE
    assert robot.inverse_dynamics(q.float(), q, q).dtype == DOUBLE


def test_results_go_into_given_tensors(robot):
    (q,) = tensors((4, 2))
    out = torch.empty(4, 2, 2, dtype=DOUBLE)
    assert robot.mass_matrix(q, out=out) is out
    assert torch.equal(out, robot.mass_matrix(q))


def test_kernels_and_expressions_take_tensors(robot):
    (q,) = tensors((4, 2))
    assert torch.equal(robot.kernel("mass_matrix")(q), robot.mass_matrix(q))
    ca = pytest.importorskip("casadi")
    x = ca.SX.sym("x", 2)
    norm = compiled("norm", [("x", x)], [("norm", (), ca.sqrt(ca.dot(x, x)))])
    assert torch.allclose(norm(q), q.norm(dim=-1), rtol=1e-15)


# ------------------------------------------------------------------ gradients


def test_wrenches_of_frames_are_tensors(robot):
    (q, push) = (torch.randn(4, n, dtype=torch.float64) for n in (2, 6))
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


@pytest.mark.parametrize("form", [*FORMS, "forward_dynamics"])
def test_first_and_second_derivatives(robot, form):
    """PyTorch's own differences, backward and forward, on broadcast batches."""
    call, shapes = getattr(robot, form), robot.kernel(form).input_shapes
    batches = [(2, 1), (3,), ()]
    given = tensors(*[(*batch, *shape) for batch, shape in zip(batches, shapes, strict=False)], grad=True)
    assert torch.autograd.gradcheck(call, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, given)


def test_several_outputs_have_gradients(robot):
    q, qd = tensors((2,), (2,), grad=True)
    assert torch.autograd.gradcheck(lambda *x: tuple(robot.dynamic_matrices(*x)), (q, qd))


def test_gradients_by_inertias(robot):
    q, phi = torch.zeros(3, 2, dtype=DOUBLE), torch.tensor(robot.phi, requires_grad=True)
    kernel = robot.kernel("gravity_torque", phi=True)
    kernel(q, phi).sum().backward()
    exact = robot.gravity_torque_dphi(np.zeros(2)).sum(axis=0) * 3
    np.testing.assert_allclose(phi.grad.numpy(), exact, rtol=1e-12, atol=1e-12)


def test_jacobians_are_the_closed_forms(robot):
    (q,) = tensors((2,))
    exact = robot.gravity_torque_dq(q.numpy())
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        np.testing.assert_allclose(transform(robot.gravity_torque)(q).numpy(), exact, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(
        torch.func.hessian(robot.potential_energy)(q).numpy(), exact, rtol=1e-13, atol=1e-13
    )


def test_a_further_batch_in_any_axis(robot):
    q, qd = tensors((5, 3, 2), (3, 2))
    direct = robot.coriolis_matrix(q, qd)
    assert torch.equal(torch.func.vmap(robot.coriolis_matrix, in_dims=(0, None))(q, qd), direct)
    moved = q.movedim(0, 1)
    assert torch.equal(torch.func.vmap(robot.coriolis_matrix, in_dims=(1, None))(moved, qd), direct)
    both = torch.func.vmap(torch.func.jacrev(robot.gravity_torque))(q[:, 0])
    np.testing.assert_allclose(both.numpy(), robot.gravity_torque_dq(q[:, 0].numpy()), rtol=1e-13, atol=1e-13)


# ------------------------------------------------------------------ compiled graphs


def test_operators_pass_pytorch_s_own_checks(robot):
    given = tensors((4, 2), (4, 2), (1, 2), grad=True)
    checks = torch.library.opcheck(operator_of(robot.kernel("inverse_dynamics")), tuple(given))
    assert set(checks.values()) == {"SUCCESS"}
    checks = torch.library.opcheck(operator_of(robot.kernel("dynamic_matrices")), tuple(given[:2]))
    assert set(checks.values()) == {"SUCCESS"}


def test_a_compiled_function_is_one_graph(robot):
    inverse_dynamics = robot.inverse_dynamics

    def effort(q, qd):
        return (inverse_dynamics(q, qd, torch.sin(q)) ** 2).sum()

    whole = torch.compile(effort, fullgraph=True, backend="aot_eager")
    given = tensors((4, 2), (4, 2), grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = torch.autograd.grad(whole(*given), given)
    for one, other in zip(ours, torch.autograd.grad(effort(*given), given), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-13, atol=1e-13)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda q: (q.half(),), "torch.float16; expected float32 or float64"),
        (lambda q: (q.to(torch.complex128),), "torch.complex128"),
        (lambda q: (q.to("meta"),), "tensors on meta are not taken"),
        (lambda q: (q[:, :1],), r"q has shape \(4, 1\); expected \(..., 2\)"),
    ],
)
def test_tensors_that_are_refused(robot, given, message):
    (q,) = tensors((4, 2))
    with pytest.raises(cf.ArgumentError, match=message):
        robot.mass_matrix(*given(q))


def test_mixed_kinds_are_refused(robot):
    (q,) = tensors((4, 2))
    with pytest.raises(cf.ArgumentError, match="NumPy array beside tensors"):
        robot.coriolis_matrix(q, np.zeros(2))
    with pytest.raises(cf.ArgumentError, match="NumPy array beside tensors"):
        robot.coriolis_matrix(np.zeros(2), q)
    with pytest.raises(cf.ArgumentError, match="do not broadcast"):
        robot.coriolis_matrix(q, q[:3])


def test_out_has_no_gradient(robot):
    (q,) = tensors((4, 2), grad=True)
    out = torch.empty(4, 2, 2, dtype=DOUBLE)
    with pytest.raises(cf.ArgumentError, match=r"out= has no gradient"):
        robot.mass_matrix(q, out=out)
    with torch.no_grad():
        robot.mass_matrix(q, out=out)
    with pytest.raises(cf.ArgumentError, match="out is"):
        robot.mass_matrix(q.detach(), out=np.empty((4, 2, 2)))
