"""Applications on arrays on an NVIDIA GPU: where they are, with the CPU's numbers to round-off.

Needs a GPU: `make test-gpu`.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.integration import System, simulate

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

GPU = torch.device("cuda")
CLOSE = {"rtol": 1e-11, "atol": 1e-12}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


def gpu(values, grad=False):
    return torch.tensor(np.asarray(values), dtype=torch.float64, device=GPU, requires_grad=grad)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def same(ours, theirs, **tolerance):
    assert ours.is_cuda
    np.testing.assert_allclose(ours.detach().cpu(), theirs, **(tolerance or CLOSE))


def pendulum():
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    return System("pendulum", x, ca.vertcat(x[1], u - p * ca.sin(x[0])), u, p)


def test_runs_of_a_system_stay_on_the_gpu():
    system, x0, u = pendulum(), numbers(1000, 2), numbers(1000, 50, 1, seed=1)
    theirs = simulate(system, x0, u, 0.5, 0.01, parameters=[2.0])
    given = gpu(x0), gpu(u), gpu([2.0])
    simulate(system, given[0], given[1], 0.5, 0.01, parameters=given[2])  # compiles
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")  # nothing goes to the host
    try:
        ours = simulate(system, given[0], given[1], 0.5, 0.01, parameters=given[2])
    finally:
        torch.cuda.set_sync_debug_mode("default")
    same(ours.x, theirs.x)
    same(ours.u, theirs.u)


def test_gradients_through_a_run():
    system = pendulum()
    x0, p = numbers(4, 2), np.array([2.0])

    def cost(make):
        x, length = make(x0), make(p)
        (simulate(system, x, None, 0.1, 0.01, parameters=length).x ** 2).sum().backward()
        return x.grad.cpu(), length.grad.cpu()

    on_cpu = cost(lambda values: torch.tensor(values, requires_grad=True))
    for one, other in zip(cost(lambda values: gpu(values, True)), on_cpu, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


def drives(arm):
    """Return ways to drive an arm; gains are soft enough for the lightest joint and the longest sample."""
    law = cf.control.PDGravity(arm, 1.0, 0.01)
    n = arm.nv
    return {
        "torques": {"law": numbers(100, 10, n, seed=2), "effort_limits": True},
        "law": {"law": law, "reference": cf.trajectory.polynomial(np.zeros(n), np.ones(n), 0.01)},
        "sampled law": {"law": law, "reference": np.full(n, 0.5), "rate": 500.0},
        "function": {"law": lambda t, q, qd: -0.01 * qd - t},
        "phi": {"phi": arm.phi * (1 + 0.1 * numbers(100, 1, seed=3))},
        "friction": {"friction": True},
    }


@pytest.mark.parametrize("name", sorted(drives(cf.load("2r"))))
@pytest.mark.parametrize("robot", ["2r", "iiwa14"])
def test_motions(robot, name):
    arm = cf.load(robot).with_friction(0.1 if name == "friction" else 0.0)
    q0 = 0.3 * numbers(100, arm.nq)
    options = {**drives(arm)[name], "duration": 0.01, "method": "rk4"}
    theirs = arm.simulate(q0, **options)
    own = {k: gpu(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    ours = arm.simulate(gpu(q0), **own)
    for part in ("t", "q", "qd", "tau", "energy"):
        same(getattr(ours, part), getattr(theirs, part), rtol=1e-9, atol=1e-9)


def test_single_precision():
    arm = cf.load("2r")
    q0 = torch.tensor(numbers(100, 2), dtype=torch.float32, device=GPU)
    ours = arm.simulate(q0, duration=0.01, method="rk4")
    assert ours.q.dtype == ours.tau.dtype == torch.float32
    theirs = arm.simulate(q0.double().cpu().numpy(), duration=0.01, method="rk4")
    same(ours.q, theirs.q, rtol=1e-4, atol=1e-4)


def test_a_run_is_captured_in_a_graph():
    arm = cf.load("2r")
    q0, tau = gpu(numbers(64, 2)), gpu(numbers(64, 5, 2, seed=1))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            arm.simulate(q0, law=tau, duration=5e-3, method="rk4")
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = arm.simulate(q0, law=tau, duration=5e-3, method="rk4").q
    q0.copy_(gpu(numbers(64, 2, seed=5)))
    graph.replay()
    theirs = arm.simulate(numbers(64, 2, seed=5), law=tau.cpu().numpy(), duration=5e-3, method="rk4")
    same(captured, theirs.q)


def test_trajectories_laws_and_coordinates():
    arm = cf.load("2r").with_joint_limits(-1.0, 2.0)
    spline = cf.trajectory.spline([0, 1, 3], np.eye(3)[:, :2], degree=5)
    t, q = np.linspace(-0.5, 3.5, 1000), numbers(1000, 2)
    profile = cf.trajectory.profile([0, 0], [1, -2], velocity=1, acceleration=[2, 3], jerk=10)
    for motion in (spline, profile, cf.trajectory.stretch(spline, 1.5)):
        for order in range(3):
            same(motion(gpu(t), order), motion(t, order))
    law = cf.control.PDGravity(arm, 50.0, 5.0)
    same(law(gpu(q), gpu(q), gpu(q)), law(q, q, q))
    same(arm.limit_distance(gpu(q)), arm.limit_distance(q))
    same(arm.integrate(gpu(q), gpu(q)), arm.integrate(q, q))
    same(arm.q(joint1=gpu(q[:, 0])), arm.q(joint1=q[:, 0]))


def test_searches_go_through_the_host_and_come_back():
    puma, planar = cf.load("puma560"), cf.load("chang3r")
    q = gpu([0.3, -0.5, 0.4, 0.2, 0.9, -0.1], True)
    found = puma.inverse_kinematics(puma.pose(q), q0=q.detach())
    same(found.q, q.detach().cpu(), rtol=1e-9, atol=1e-9)
    assert bool(found)
    assert str(found).startswith("found")
    found.q.sum().backward()
    np.testing.assert_allclose(q.grad.cpu(), np.ones(6), atol=1e-9)
    solved = cf.redundancy.solve(planar, gpu([[0.446, 0.0915]]), task="xy")
    same(solved.q, cf.redundancy.solve(planar, [[0.446, 0.0915]], task="xy").q)
    assert solved.converged.is_cuda


def test_mixed_devices_are_refused():
    arm = cf.load("2r")
    with pytest.raises(cf.ClosedFormError, match="tensors are on cpu and cuda:0; move them to one device"):
        arm.simulate(gpu([0.1, 0.2]), torch.zeros(2, dtype=torch.float64), duration=1e-3)


def test_cupy_arrays():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    arm, system = cf.load("2r"), pendulum()
    q0, x0, t = numbers(100, 2), numbers(100, 2, seed=1), np.linspace(0, 1, 100)
    pairs = [
        (arm.simulate(cupy.asarray(q0), duration=0.01, method="rk4").q, arm.simulate(q0, duration=0.01).q),
        (
            simulate(system, cupy.asarray(x0), None, 0.1, 0.01, parameters=[2.0]).x,
            simulate(system, x0, None, 0.1, 0.01, parameters=[2.0]).x,
        ),
        (
            arm.simulate(cupy.asarray(q0), law=lambda t, q, qd: -qd, duration=0.01).tau,
            arm.simulate(q0, law=lambda t, q, qd: -qd, duration=0.01).tau,
        ),
        (arm.limit_distance(cupy.asarray(q0)), arm.limit_distance(q0)),
        (arm.euler_angles(cupy.asarray(q0)), arm.euler_angles(q0)),
    ]
    for motion in (
        cf.trajectory.polynomial([0, 0], [1, -1], 1.0),
        cf.trajectory.spline([0, 0.5, 1], np.eye(3)[:, :2]),
    ):
        pairs.append((motion(cupy.asarray(t), 1), motion(t, 1)))
    for ours, theirs in pairs:
        assert isinstance(ours, cupy.ndarray)
        np.testing.assert_allclose(cupy.asnumpy(ours), theirs, rtol=1e-9, atol=1e-9)
    planar = cf.load("chang3r")
    found = cf.redundancy.solve(planar, cupy.asarray([0.446, 0.0915]), task="xy")
    assert isinstance(found.q, cupy.ndarray)
