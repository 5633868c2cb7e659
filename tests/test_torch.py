"""PyTorch tensors: the same numbers, gradients of any order, transforms, compiled graphs.

Needs PyTorch: `make test-torch` installs it.
"""

from __future__ import annotations

import copy
import gc
import io
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import closedform as cf
from closedform.kernels import compiled
from guest_wrenches import check_wrenches

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from closedform.cuda.bound import bound_launch  # noqa: E402
from closedform.guests import torch_patterns, torch_tensors  # noqa: E402
from closedform.guests.torch_cuda import library  # noqa: E402
from closedform.guests.torch_operators import operator_of  # noqa: E402

DOUBLE = torch.float64
FORMS = ["inverse_dynamics", "mass_matrix", "kinetic_energy", "pose"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, of its transforms


def tensors(*shapes, seed=0, grad=False):
    generator = torch.Generator().manual_seed(seed)
    made = [torch.randn(shape, dtype=DOUBLE, generator=generator) for shape in shapes]
    return [each.requires_grad_(grad) for each in made]


def flexible_arm():
    return cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0), gravity=(0, -9.81))


OWNERS = {
    "rigid": lambda: (cf.load("spherical_pendulum"), ["inverse_dynamics", "dynamic_matrices"]),
    "flexible": lambda: (flexible_arm(), ["inverse_dynamics", "mass_matrix"]),
    "elastic": lambda: (cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0), ["forward_dynamics", "energy"]),
}
"""An owner of each kind, and two of its forms."""


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


def test_single_samples_repeat_exactly(robot):
    """The quick way of repeated calls gives the numbers of the usual one, whatever is around it."""
    for form in FORMS:
        call, kernel = getattr(robot, form), robot.kernel(form)
        for seed in range(3):
            given = tensors(*kernel.input_shapes, seed=seed)
            expected = torch.from_numpy(np.asarray(call(*[each.numpy() for each in given])))
            assert torch.equal(call(*given), expected)
            with torch.no_grad():
                assert torch.equal(call(*[each.clone().requires_grad_() for each in given]), expected)
            assert torch.func.vmap(call)(*[each[None] for each in given]).shape == (1, *expected.shape)


@pytest.fixture(params=[True, False], ids=["by PyTorch", "by ourselves"])
def guards(request, monkeypatch):
    """Whether PyTorch's own check of tensors is there."""
    if not request.param:
        monkeypatch.setattr(torch_patterns, "_compiler", lambda: None)
    torch_patterns._guards_work.cache_clear()
    yield request.param
    torch_patterns._guards_work.cache_clear()


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)], ids=str)
def test_tensors_like_others_are_told_from_the_rest(guards, batch):
    q, qd = tensors((*batch, 2), (*batch, 2))
    like = torch_patterns.check_of([q, qd])
    assert torch_patterns._guards_work() == guards
    assert like(q, qd)
    assert like(*tensors((*batch, 2), (*batch, 2), seed=1))
    for other in (
        q[None],
        tensors((*batch, 4))[0][..., ::2],
        q.float(),
        q.to("meta"),
        torch._neg_view(q),
        torch.nn.Parameter(q),
        q.clone().requires_grad_(),
        torch.zeros((*batch, 3), dtype=DOUBLE),
    ):
        assert not like(other, qd)
        assert not like(q, other)
    with torch.no_grad():
        assert like(q, qd)
        assert not like(q.clone().requires_grad_(), qd)
    seen = []

    def look(x):
        seen.append(like(q, qd))
        return x

    torch.func.vmap(look)(q[None])
    torch.func.jacrev(look)(q)
    with FlopCounterMode(display=False):
        look(q)
    torch.jit.trace(look, q, check_trace=False)
    assert seen == [False] * 4


def test_repeated_batches_are_those_of_the_kernel(robot, guards):
    """Shapes that alternate, gradients and other devices between them change nothing."""
    for form in FORMS:
        kernel = cf.kernels.Kernel(robot.kernel(form).recipe)
        for seed, batch in enumerate(
            [(3,), (3,), (3,), (2, 2), (2, 2), (3,), (0,), (0,), (0,), (5, 1), (), (), ()]
        ):
            given = tensors(*((*batch, *shape) for shape in kernel.input_shapes), seed=seed)
            expected = torch.from_numpy(np.asarray(kernel(*[each.numpy() for each in given])))
            quick = torch_tensors.shortcut(kernel)
            assert torch.equal(quick(given), expected)
            leaves = [each.clone().requires_grad_() for each in given]
            assert quick(leaves).requires_grad
            with torch.no_grad():
                assert torch.equal(quick(leaves), expected)


@pytest.mark.parametrize("way", ["DLPack", "addresses"])
@pytest.mark.parametrize("batch", [(), (4,)], ids=str)
def test_machine_code_finds_the_memory_of_tensors(robot, monkeypatch, way, batch):
    if way == "addresses":
        monkeypatch.setattr(torch.Tensor, "__dlpack_c_exchange_api__", None, raising=False)
    elif not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("an older PyTorch")
    kernel = robot.kernel("dynamic_matrices")
    evaluate = torch_patterns.cpu_call(kernel, batch[0] if batch else None)
    assert (type(evaluate).__name__ == "function") == (way == "addresses")
    (state,) = tensors((3, *batch, 2))
    q, qd = state[1], state[2]  # memory that begins in the middle of another
    outs = [torch.empty((*batch, *core), dtype=DOUBLE) for core in kernel.output_shapes]
    before = sys.getrefcount(None), sys.getrefcount(q), sys.getrefcount(outs[0])
    for _ in range(1000):
        assert evaluate(q, qd, *outs) is None
    after = sys.getrefcount(None), sys.getrefcount(q), sys.getrefcount(outs[0])
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True))
    for one, other in zip(outs, kernel(q.numpy(), qd.numpy()), strict=True):
        np.testing.assert_array_equal(one.numpy(), other)


def test_kernels_go_when_nobody_holds_them():
    robot = cf.load("2r").with_payload(0.321, (0.1, 0, 0))
    q = torch.zeros(2, dtype=DOUBLE, requires_grad=True)
    for _ in range(3):
        robot.gravity_torque(q).sum().backward()
        robot.gravity_torque(q.detach())
    gone = weakref.ref(robot.kernel("gravity_torque"))
    assert gone() is not None
    del robot
    gc.collect()
    assert gone() is None


def test_negated_views_and_sparse_tensors(robot):
    both = torch.complex(*tensors((2, 4), (2, 4)))
    view = both.conj().imag.T  # its memory has the other sign
    assert view.is_neg()
    assert torch.equal(robot.gravity_torque(view), robot.gravity_torque(-both.imag.T))
    with pytest.raises(cf.ArgumentError, match="to_dense"):
        robot.gravity_torque(torch.eye(2, dtype=DOUBLE).to_sparse())


# ------------------------------------------------------------------ bound calls


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_bound_tensors_are_evaluated_where_they_are(robot, batch):
    kernel = robot.kernel("dynamic_matrices")
    q, qd = tensors((*batch, 2), (2,))
    outs = tuple(torch.empty(*batch, *core, dtype=DOUBLE) for core in kernel.output_shapes)
    step = kernel.bind(q, qd, out=outs)
    for seed in range(3):
        q.copy_(tensors((*batch, 2), seed=seed)[0])
        step()
        for one, other in zip(outs, kernel(q, qd), strict=True):
            assert torch.equal(one, other)


def test_bound_slices_of_a_state(robot):
    (state,) = tensors((5, 6))
    tau = torch.empty(5, 2, dtype=DOUBLE)
    parts = state[:, :2], state[:, 2:4], state[:, 4:]
    robot.kernel("inverse_dynamics").bind(*parts, out=tau)()
    assert torch.equal(tau, robot.inverse_dynamics(*parts))


def test_a_bound_call_holds_its_tensors_and_sees_that_they_moved(robot):
    kernel, out = robot.kernel("gravity_torque"), torch.empty(2, dtype=DOUBLE)
    step = kernel.bind(torch.tensor([0.1, 0.2], dtype=DOUBLE), out=out)
    junk = [torch.full((2,), 9.0, dtype=DOUBLE) for _ in range(100)]
    step()
    assert torch.equal(out, kernel(torch.tensor([0.1, 0.2], dtype=DOUBLE)))
    for move in (lambda t: setattr(t, "data", junk[0]), lambda t: t.set_(junk[1])):
        q = torch.zeros(2, dtype=DOUBLE)
        step = kernel.bind(q, out=out)
        move(q)
        with pytest.raises(cf.ArgumentError, match="bind the tensors again"):
            step()
    q = torch.zeros(2, dtype=DOUBLE)
    step = kernel.bind(q, out=out)
    with pytest.raises(RuntimeError, match="not resizable"):
        q.resize_(10)


@pytest.mark.parametrize("way", ["bound", "out"])
def test_pytorch_knows_that_outputs_changed(robot, way):
    """A backward pass that needs the former numbers says so, instead of using the new ones."""
    q, out = torch.zeros(2, dtype=DOUBLE), torch.zeros(2, dtype=DOUBLE)
    step = robot.kernel("gravity_torque").bind(q, out=out)
    (weights,) = tensors((2,), grad=True)
    loss = (weights * out).sum()
    step() if way == "bound" else robot.gravity_torque(q, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda q, out: (q.float(), out), "q is torch.float32; expected float64"),
        (lambda q, out: (q, out.half()), "out: arrays are torch.float16"),
        (lambda q, out: (q.numpy(), out), "q is a NumPy array; expected a tensor"),
        (lambda q, out: (q, out.numpy()), "out is a NumPy array"),
        (lambda q, out: (q.to("meta"), out), "q is on meta"),
        (lambda q, out: (q, out[:3]), r"out is of shape \(3, 2\)"),
        (lambda q, out: (q, out.T.contiguous().T), "out must be C-contiguous"),
        (lambda q, out: (q.T.contiguous().T, out), "q must be C-contiguous"),
        (lambda q, out: (q, q), "overlaps"),
        (lambda q, out: (q, (out, out)), "out should be 1 array"),
        (lambda q, out: (q.requires_grad_(), out), "q requires a gradient"),
        (lambda q, out: (q.to_sparse(), out), "q is sparse"),
        (lambda q, out: (q, None), "out is None"),
    ],
)
def test_what_cannot_be_bound_is_named(robot, spoil, message):
    q, out = spoil(*tensors((4, 2), (4, 2)))
    with pytest.raises(cf.ArgumentError, match=message):
        robot.kernel("gravity_torque").bind(q, out=out)


def test_a_bound_launch_reads_rows_where_they_are(robot):
    """What a GPU is told of tensors, looked at on the CPU."""
    kernel = robot.kernel("inverse_dynamics")
    (state,) = tensors((3, 5, 6))
    tau, shared = torch.empty(3, 5, 2, dtype=DOUBLE), torch.zeros(1, 2, dtype=DOUBLE)
    launch = bound_launch(library(), kernel, (state[..., :2], state[..., 4:], shared), tau)
    start = state.data_ptr()
    assert launch == (15, [start, start + 4 * 8, shared.data_ptr()], [6, 6, 0], [tau.data_ptr()])
    for args, out, message in [
        ((state[:, ::2, :2], shared, shared), tau[:, :3].clone(), "q would have to be copied"),
        ((state[0, :, :2], state[:, :, 2:4], shared), tau, "q would have to be copied"),
        ((state[..., ::3], shared, shared), tau, "q would have to be copied"),
        ((state[..., :2], shared, shared), tau.flip(0)[:, :, :1].expand(3, 5, 2), "out is not contiguous"),
        ((tau, shared, shared), tau, "out overlaps an input"),
        ((state[..., :2], shared, shared), tau[0], r"out has shape \(5, 2\); expected \(3, 5, 2\)"),
    ]:
        with pytest.raises(cf.ArgumentError, match=message):
            bound_launch(library(), kernel, args, out)


# ------------------------------------------------------------------ gradients


def test_wrenches_of_frames_are_tensors(robot):
    q, push = (torch.randn(4, n, dtype=torch.float64) for n in (2, 6))
    check_wrenches(robot, q, push)


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


def test_gradients_of_several_cotangents_at_once(robot):
    """`torch.autograd` batches by an older way than `torch.func`."""
    (q,) = tensors((3, 2), grad=True)
    jacobian = torch.autograd.functional.jacobian(robot.gravity_torque, q, vectorize=True)
    exact = robot.gravity_torque_dq(q.detach().numpy())
    np.testing.assert_allclose(torch.einsum("bibj->bij", jacobian).numpy(), exact, rtol=1e-13, atol=1e-13)
    directions = torch.eye(6, dtype=DOUBLE).reshape(6, 3, 2)
    torques = robot.gravity_torque(q)
    (rows,) = torch.autograd.grad(torques, q, directions, is_grads_batched=True)
    assert torch.equal(rows.reshape(3, 2, 3, 2), jacobian)


def test_a_further_batch_in_any_axis(robot):
    q, qd = tensors((5, 3, 2), (3, 2))
    direct = robot.coriolis_matrix(q, qd)
    assert torch.equal(torch.func.vmap(robot.coriolis_matrix, in_dims=(0, None))(q, qd), direct)
    moved = q.movedim(0, 1)
    assert torch.equal(torch.func.vmap(robot.coriolis_matrix, in_dims=(1, None))(moved, qd), direct)
    both = torch.func.vmap(torch.func.jacrev(robot.gravity_torque))(q[:, 0])
    np.testing.assert_allclose(both.numpy(), robot.gravity_torque_dq(q[:, 0].numpy()), rtol=1e-13, atol=1e-13)


# ------------------------------------------------------------------ compiled graphs


@pytest.mark.parametrize("owner", OWNERS)
def test_operators_pass_pytorch_s_own_checks(owner):
    """Those of forms of every owner, and of their products."""
    made, forms = OWNERS[owner]()
    for form in forms:
        kernel = made.kernel(form)
        for each in (kernel, kernel.vjp, kernel.jvp):
            given = tensors(*[(4, *shape) for shape in each.input_shapes], grad=True)
            with torch.no_grad():
                given[-1] = given[-1][:1].clone().requires_grad_()  # broadcast
            checks = torch.library.opcheck(operator_of(each), tuple(given))
            assert set(checks.values()) == {"SUCCESS"}


@pytest.mark.parametrize("owner", OWNERS)
def test_forms_of_every_owner_have_derivatives(owner):
    made, forms = OWNERS[owner]()
    for form in forms:
        call, kernel = getattr(made, form), made.kernel(form)
        several = kernel.results is not None
        given = tensors(*[(2, *shape) for shape in kernel.input_shapes], grad=True)
        plain = (lambda *x, call=call: tuple(call(*x))) if several else call
        assert torch.autograd.gradcheck(plain, given, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(plain, given)


def in_one_graph(function, *given):
    """Return what a function gives when it is compiled as one graph."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.compile(function, fullgraph=True, backend="aot_eager")(*given)


def test_a_compiled_function_is_one_graph(robot):
    inverse_dynamics, vjp = robot.inverse_dynamics, robot.kernel("gravity_torque").vjp

    def effort(q, qd):
        return (inverse_dynamics(q, qd, torch.sin(q)) ** 2).sum() + vjp(q, qd).sum()

    given = tensors((4, 2), (4, 2), grad=True)
    ours = torch.autograd.grad(in_one_graph(effort, *given), given)
    for one, other in zip(ours, torch.autograd.grad(effort(*given), given), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-13, atol=1e-13)


def test_methods_may_be_used_first_inside_a_compiled_function():
    robot = cf.load("2r")  # a new one, without methods

    def some(q, qd):
        matrices = robot.dynamic_matrices(q, qd)
        return (
            robot.pose(q, "tool").sum() + (matrices.mass_matrix @ robot.gravity_torque(q=q)[..., None]).sum()
        )

    given = tensors((4, 2), (4, 2))
    found = in_one_graph(some, *given)
    torch.testing.assert_close(found, some(*given), rtol=1e-13, atol=1e-13)


def test_compiled_modules_take_batches_of_any_size(robot):
    class Weighted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.robot, self.layer = robot, torch.nn.Linear(2, 2, dtype=DOUBLE)

        def forward(self, q):
            return self.robot.gravity_torque(self.layer(q))

    module = Weighted()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = torch.compile(module, fullgraph=True, dynamic=True, backend="aot_eager")
        for count in (3, 5, 9):
            (q,) = tensors((count, 2))
            torch.testing.assert_close(whole(q), module(q), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "transform",
    [
        torch.func.jacrev,
        torch.func.jacfwd,
        lambda f: torch.func.jacrev(torch.func.jacrev(f)),
        lambda f: torch.func.hessian(lambda q: f(q).sum()),
        lambda f: lambda q: torch.func.vmap(torch.func.jacrev(f))(q.expand(3, 2)),
    ],
    ids=["reverse", "forward", "second", "hessian", "batch"],
)
def test_transforms_inside_a_compiled_function(robot, transform):
    (q,) = tensors((2,))
    whole = transform(robot.gravity_torque)
    expected = whole(q)
    assert expected.abs().max() > 1e-3
    torch.testing.assert_close(in_one_graph(whole, q), expected, rtol=1e-13, atol=1e-13)


def test_the_compiler_may_be_imported_late():
    """Methods and kernels that were used before PyTorch was imported are in its graphs, too."""
    program = (
        "import sys, warnings, numpy as np, closedform as cf\n"
        "robot = cf.load('2r'); method, kernel = robot.gravity_torque, robot.kernel('gravity_torque')\n"
        "method(np.zeros(2))\n"
        "import torch\n"
        "warnings.simplefilter('ignore')\n"
        "cf.load('pendulum').gravity_torque(torch.zeros(1))\n"
        "assert 'torch._dynamo' not in sys.modules  # which takes seconds to import\n"
        "both = torch.compile(lambda q: method(q) - kernel(q), fullgraph=True, backend='eager')\n"
        "print(both(torch.ones(3, 2, dtype=torch.float64)).abs().max().item())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("0.0\n", 0), done.stderr


def test_a_traced_function_keeps_the_call(robot):
    """A call that `torch.jit.trace` did not see would be a constant of the trace."""
    q, qd = tensors((8, 2), (8, 2))
    f = robot.inverse_dynamics
    for _ in range(2):
        f(q, qd, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, of shapes
        traced = torch.jit.trace(lambda q, qd: f(q, qd, 2 * q), (q, qd))
    assert torch.equal(traced(q[:3] + 1, qd[:3]), f(q[:3] + 1, qd[:3], 2 * (q[:3] + 1)))


# ------------------------------------------------------------------ modules, training


class Policy(torch.nn.Module):
    """A network whose accelerations become torques."""

    def __init__(self, robot):
        super().__init__()
        self.robot, self.kernel = robot, robot.kernel("inverse_dynamics", phi=True)
        self.linear = torch.nn.Linear(4, 2, dtype=DOUBLE)
        self.phi = torch.nn.Parameter(torch.tensor(robot.phi))

    def forward(self, q, qd):
        gravity = self.robot.gravity_torque(q)
        return self.kernel(q, qd, self.linear(torch.cat([q, qd], -1)), self.phi) - gravity


def test_modules_that_hold_a_robot_are_copied_and_saved(robot):
    policy, given = Policy(robot), tensors((5, 2), (5, 2))
    expected = policy(*given)
    saved = io.BytesIO()
    torch.save(policy, saved)
    saved.seek(0)
    for other in (copy.deepcopy(policy), torch.load(saved, weights_only=False)):
        assert torch.equal(other(*given), expected)
    assert set(policy.state_dict()) == {"phi", "linear.weight", "linear.bias"}


def test_an_ensemble_of_modules_is_one_call(robot):
    policies, given = [Policy(robot) for _ in range(3)], tensors((5, 2), (5, 2))
    states = torch.func.stack_module_state(policies)
    skeleton = copy.deepcopy(policies[0]).to("meta")
    together = torch.func.vmap(lambda *state: torch.func.functional_call(skeleton, state, tuple(given)))
    found = together(*states)
    for one, policy in zip(found, policies, strict=True):
        torch.testing.assert_close(one, policy(*given), rtol=1e-12, atol=1e-12)


def test_training_ends_where_least_squares_does(robot):
    """Torques are linear in phi: gradient steps lead to the torques of the robot that made them."""
    q, qd, qdd = tensors((40, 2), (40, 2), (40, 2))
    phi = torch.tensor(robot.phi * 1.3, requires_grad=True)
    kernel, wanted = robot.kernel("inverse_dynamics", phi=True), robot.inverse_dynamics(q, qd, qdd)
    optimiser = torch.optim.LBFGS([phi], max_iter=100, line_search_fn="strong_wolfe", tolerance_change=0)

    def loss():
        optimiser.zero_grad()
        error = (kernel(q, qd, qdd, phi) - wanted).square().mean()
        error.backward()
        return error

    assert optimiser.step(loss) > 1
    assert loss() < 1e-10


def test_default_devices_and_precisions_of_others_do_not_matter(robot):
    (q,) = tensors((5, 2))
    expected = robot.gravity_torque(q)
    grown = q.clone().requires_grad_()
    torch.set_default_device("meta")
    torch.set_default_dtype(torch.float16)
    try:
        for _ in range(3):
            assert torch.equal(robot.gravity_torque(q), expected)
        assert robot.coriolis_matrix(q, [0.0, 1.0]).dtype == DOUBLE
        robot.gravity_torque(grown).backward(expected)
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
    assert grown.grad.shape == q.shape


def test_numbers_that_are_not_finite_pass_without_a_warning(robot):
    """As in PyTorch; pytest makes errors of warnings."""
    (q,) = tensors((5, 2))
    for _ in range(3):
        assert not torch.isfinite(robot.inverse_dynamics(q, 1e200 * q, q)).all()
    large = (1e200 * q).requires_grad_()
    robot.inverse_dynamics(q, large, q).sum().backward()
    robot.mass_matrix(torch.nan * q, out=torch.empty(5, 2, 2, dtype=DOUBLE))


def test_kernels_go_when_their_robot_goes():
    """Robots with other numbers, made in a loop, do not fill the memory."""
    robot = cf.load("2r").with_phi(1.1 * cf.load("2r").phi)
    (q,) = tensors((5, 2), grad=True)
    robot.gravity_torque(q).sum().backward()
    kernel = weakref.ref(robot.kernel("gravity_torque"))
    del robot
    gc.collect()
    assert kernel() is None


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda q: (q.half(),), "torch.float16; expected float32 or float64"),
        (lambda q: (q.to(torch.complex128),), "torch.complex128"),
        (lambda q: (q.to("meta"),), "tensors on meta are not taken"),
        (lambda q: (torch.nested.as_nested_tensor([q, q]),), "a tensor is nested"),
        (lambda q: (q.to_sparse_csr(),), "sparse_csr; make it dense"),
        (lambda q: (q[:, :1],), r"q has shape \(4, 1\); expected \(..., 2\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta:UserWarning")
def test_tensors_that_are_refused(robot, given, message):
    (q,) = tensors((4, 2))
    for known in (q, q[0]):
        robot.mass_matrix(known)  # later calls take a shorter way
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


def test_lists_of_tensors_are_named(robot):
    (q,) = tensors((2,), grad=True)
    with pytest.raises(
        cf.ArgumentError, match=r"q is a list of tensors or JAX arrays; join them .* torch.stack"
    ):
        robot.gravity_torque([q[0], q[1]])


def test_out_has_no_gradient(robot):
    (q,) = tensors((4, 2), grad=True)
    out = torch.empty(4, 2, 2, dtype=DOUBLE)
    with pytest.raises(cf.ArgumentError, match=r"out= has no gradient"):
        robot.mass_matrix(q, out=out)
    with torch.no_grad():
        robot.mass_matrix(q, out=out)
    with pytest.raises(cf.ArgumentError, match="out is"):
        robot.mass_matrix(q.detach(), out=np.empty((4, 2, 2)))
