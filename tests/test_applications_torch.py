"""Applications on PyTorch tensors: the library's numbers, in kind, with gradients or a sentence that says no.

Needs PyTorch: `make test-torch` installs it.
"""

from __future__ import annotations

import dataclasses

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.integration import System, simulate
from fuzz.recipes import RECIPES

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.autograd.functional import jacobian  # noqa: E402

DOUBLE = torch.float64

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")

OBJECTS = {
    "Inertial.of",
    "FlexibleArm.modes_at",
    "flexible.InputShaper",
    "flexible.InputShaper.of_modes",
    "elastic.Spread",
    "excitation",
    "identify",
    "identification.Identification.predict",
    "identification.Identification.validate",
    "identification.Identification.rollout",
    "identification.Excitation.expected_errors",
    "identification.identify_floating",
    "identification.read_floating_log",
    "Robot.scene",
    "identification.Transmission.of",
    "identification.drive_gains",
    "identification.read_log",
}
"""Calls whose results are objects and records of the library, which keep NumPy's numbers."""

LEFT = (
    "report.",
    "equations.",
    "description.",
    "load",
    "catalogue",
    "identification.Identification.load",
    "Kernel.on_gpu",
)
"""Callables without arrays, or for NumPy's only."""


def tensor(values, grad=False):
    return torch.tensor(np.asarray(values), dtype=DOUBLE, requires_grad=grad)


def tensors(given, grad):
    """Return arguments with tensors in place of arrays and of lists of numbers."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        return tensor(given, grad)
    if isinstance(given, dict):
        return {key: tensors(value, grad) for key, value in given.items()}
    if isinstance(given, list | tuple) and given:
        if all(type(each) in (int, float) for each in given) and any(type(each) is float for each in given):
            return tensor(given, grad)
        if any(isinstance(each, np.ndarray) for each in given):
            return type(given)(tensors(each, grad) for each in given)
    return given


def holds(given, kind):
    """Return whether there are floating-point arrays of a kind in a result or argument."""
    if isinstance(given, kind):
        return not isinstance(given, np.ndarray) or given.dtype.kind == "f"
    if isinstance(given, dict):
        return any(holds(each, kind) for each in given.values())
    if isinstance(given, list | tuple):
        return any(holds(each, kind) for each in given)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return any(holds(getattr(given, each.name), kind) for each in dataclasses.fields(given))
    return False


@pytest.mark.parametrize("grad", [False, True], ids=["plain", "grad"])
@pytest.mark.parametrize("name", [name for name in RECIPES if not name.startswith(LEFT)])
def test_every_callable_answers_in_kind_or_says_why_not(name, grad):
    call = RECIPES[name]()
    positional, named = [tensors(each, grad) for each in call.positional], tensors(call.named, grad)
    if not holds(positional, torch.Tensor) and not holds(named, torch.Tensor):
        pytest.skip("takes no arrays")
    result, refusal = outcome(call.function, positional, named)
    if refusal:
        assert grad or "expected" in refusal or "not determine" in refusal
    elif name not in OBJECTS:
        assert not holds(result, np.ndarray)


def test_a_robot_with_loops_moves_in_kind():
    """Also under a law, which is asked with tensors; the energy is one too."""
    bars = cf.load("four_bar")
    u, still = tensor(bars.neutral()), tensor([0.0])
    plain = bars.simulate(u.numpy(), still.numpy(), lambda t, q, qd: 0.1 - 0.01 * qd, 0.05)
    moved = bars.simulate(u, still, lambda t, q, qd: torch.full_like(qd, 0.1) - 0.01 * qd, 0.05)
    for name in ("t", "q", "qd", "tau", "q_all", "energy", "closure_residual"):
        assert isinstance(getattr(moved, name), torch.Tensor), name
        assert np.allclose(getattr(moved, name).numpy(), getattr(plain, name), rtol=0, atol=1e-14)
    with pytest.raises(cf.ClosedFormError, match="gradient"):
        bars.simulate(tensor(bars.neutral(), grad=True), still, None, 0.05)


def outcome(function, positional, named):
    """Return the result of a call, or what the library says against it; nothing else may be raised."""
    try:
        return function(*positional, **named), ""
    except cf.ClosedFormError as error:
        return None, str(error)


# ------------------------------------------------------------------ systems


@pytest.fixture(scope="module")
def pendulum():
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    return System("pendulum", x, ca.vertcat(x[1], u - p * ca.sin(x[0])), u, p)


def test_steps_are_those_of_numpy_and_differentiable(pendulum):
    rng = np.random.default_rng(0)
    x0, u, p = rng.normal(size=(3, 2)), rng.normal(size=(3, 6, 1)), rng.normal(size=1)
    theirs = simulate(pendulum, x0, u, 0.05, 0.01, parameters=p)
    for grad in (False, True):
        ours = simulate(pendulum, tensor(x0, grad), tensor(u), 0.05, 0.01, parameters=tensor(p))
        for one, other in ((ours.t, theirs.t), (ours.x, theirs.x), (ours.u, theirs.u)):
            np.testing.assert_array_equal(one.detach().numpy(), other)
    given = [tensor(each, True) for each in (x0, u, p)]
    assert gradcheck(lambda x, u, p: simulate(pendulum, x, u, 0.05, 0.01, parameters=p).x, given)
    assert gradgradcheck(lambda x, p: simulate(pendulum, x, None, 0.03, 0.01, parameters=p).x, given[::2])


def test_vmap_of_a_run(pendulum):
    x0, p = tensor(np.random.default_rng(1).normal(size=(4, 2))), tensor([2.0])
    each = torch.func.vmap(lambda x: simulate(pendulum, x, None, 0.05, 0.01, parameters=p).x)(x0)
    np.testing.assert_array_equal(each, simulate(pendulum, x0, None, 0.05, 0.01, parameters=p).x)


def test_jacobians_of_a_run_by_every_way(pendulum):
    def last(x):
        return simulate(pendulum, x, None, 0.03, 0.01, parameters=[2.0]).x[-1]

    x0 = tensor([0.1, 0.2])
    one_by_one = jacobian(last, x0)
    for other in (
        jacobian(last, x0, vectorize=True),
        torch.func.jacrev(last)(x0),
        torch.func.jacfwd(last)(x0),
    ):
        np.testing.assert_allclose(other, one_by_one, rtol=1e-13, atol=1e-15)


def test_negated_views_have_their_own_sign(pendulum):
    negated = torch.tensor([1 + 2j, 3 + 4j], dtype=torch.complex128).conj().imag
    assert negated.is_neg()
    run = simulate(pendulum, negated, None, 0.01, 0.01, parameters=[2.0])
    assert run.x[0].tolist() == [-2.0, -4.0]


def test_an_adaptive_method_has_no_gradient(pendulum):
    with pytest.raises(cf.ClosedFormError, match=r"has no gradient here.*detach"):
        simulate(pendulum, tensor([0.1, 0.2], True), None, 0.1, method="RK45", parameters=tensor([2.0]))
    run = simulate(pendulum, tensor([0.1, 0.2]), None, 0.1, method="RK45", parameters=tensor([2.0]))
    assert type(run.x) is torch.Tensor


# ------------------------------------------------------------------ motions


def parts(motion):
    return torch.cat([each.flatten() for each in (motion.q, motion.qd, motion.tau, motion.energy)])


@pytest.mark.parametrize("method", ["rk4", "rk6", "rosenbrock", "variational"])
def test_gradients_of_a_motion(method):
    arm, rng = cf.load("2r").with_damping(0.1), np.random.default_rng(2)
    given = [rng.normal(size=(2, 2)), rng.normal(size=(2, 2)), rng.normal(size=(2, 3, 2)), arm.phi]

    def run(q, qd, tau, phi):
        return arm.simulate(q, qd, tau, 3e-3, friction=True, phi=phi, method=method)

    theirs = run(*given)
    ours = run(*(tensor(each, True) for each in given))
    for name in ("t", "q", "qd", "tau", "energy"):
        np.testing.assert_array_equal(getattr(ours, name).detach().numpy(), getattr(theirs, name))
    assert gradcheck(lambda *arrays: parts(run(*arrays)), [tensor(each, True) for each in given])


def test_gradients_under_a_law_on_a_ball_joint():
    ball = cf.load("spherical_pendulum")
    q, qd = ball.random_state(0, batch=2, order=1)
    law = cf.control.PDGravity(ball, 0.5, 0.1)
    goal = ball.neutral()

    def run(q, qd, goal):
        return ball.simulate(q, qd, law, 3e-3, reference=goal)

    theirs = run(q, qd, goal)
    np.testing.assert_array_equal(run(*map(tensor, (q, qd, goal))).q, theirs.q)

    def moved(turn, qd, goal):  # quaternions of unit length, along which the finite differences stay
        return parts(run(tensor(q) @ torch.linalg.matrix_exp(turn - turn.mT), qd, goal))

    assert gradcheck(moved, [tensor(np.zeros((4, 4)), True), tensor(qd, True), tensor(goal, True)])


def test_a_policy_is_trained_through_the_motion():
    arm = cf.load("2r")
    torch.manual_seed(0)
    policy = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2)).double()

    def cost(q0):
        run = arm.simulate(q0, law=lambda t, q, qd: policy(torch.cat([q, qd], -1)), duration=5e-3)
        return (run.q[..., -1, :] ** 2).sum() + (run.tau**2).sum()

    q0 = tensor([[0.1, 0.2], [0.3, -0.4]])
    cost(q0).backward()
    weight, h = policy[0].weight, 1e-6
    exact = weight.grad[1, 2].item()
    values = []
    for sign in (1, -1):
        with torch.no_grad():
            weight[1, 2] += sign * h
            values.append(cost(q0).item())
            weight[1, 2] -= sign * h
    assert exact == pytest.approx((values[0] - values[1]) / (2 * h), rel=1e-6)


def test_inertias_are_found_by_descent_through_a_motion():
    arm = cf.load("2r")
    q0, qd0 = tensor([[0.3, -0.2], [1.0, 0.5]]), tensor([[1.0, -2.0], [0.0, 1.0]])
    true = tensor(arm.phi)
    seen = arm.simulate(q0, qd0, duration=0.05, step=5e-3, phi=true).q
    scale = torch.ones(2, dtype=DOUBLE, requires_grad=True)
    start = torch.tensor([1.4, 0.7], dtype=DOUBLE)
    optimiser = torch.optim.LBFGS([scale], max_iter=60, tolerance_grad=1e-14, tolerance_change=1e-16)

    def loss():
        optimiser.zero_grad()
        phi = true * (start * scale).repeat_interleave(10)
        found = ((arm.simulate(q0, qd0, duration=0.05, step=5e-3, phi=phi).q - seen) ** 2).sum() * 1e4
        found.backward()
        return found

    optimiser.step(loss)
    ratio = (start * scale).detach()
    assert abs(float(ratio[0] / ratio[1]) - 1) < 1e-4  # gravity and inertia alike: only the ratio shows


def test_friction_that_holds_joints_has_no_gradient():
    arm = cf.load("2r").with_friction(0.3)
    run = arm.simulate(tensor([0.1, 0.2]), duration=5e-3, friction=True)
    np.testing.assert_array_equal(run.q, arm.simulate([0.1, 0.2], duration=5e-3, friction=True).q)
    with pytest.raises(cf.ClosedFormError, match=r"friction that holds joints.*has no gradient here"):
        arm.simulate(tensor([0.1, 0.2], True), duration=5e-3, friction=True)


def test_single_precision_stays_single():
    arm, motion = cf.load("2r"), cf.trajectory.polynomial([0, 0], [1, 1.0], 1.0)
    for grad in (False, True):
        q0 = torch.tensor([0.1, 0.2], requires_grad=grad)
        run = arm.simulate(q0, duration=5e-3)
        results = [run.t, run.q, run.tau, run.energy, motion(q0, 1), arm.limit_distance(q0)]
        results.append(cf.control.GravityCompensation(arm)(q0, q0))
        assert {each.dtype for each in results} == {torch.float32}
    exact = arm.simulate(q0.detach().double(), duration=5e-3).q
    np.testing.assert_allclose(run.q.detach(), exact, rtol=1e-5, atol=1e-6)


def test_a_flexible_arm_moves_with_gradients():
    arm = cf.FlexibleArm([cf.FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)])
    q0, u = np.array([[0.1, 0.01]]), np.random.default_rng(3).normal(size=(1, 5, 1))
    theirs = arm.simulate(q0, None, u, 5e-3, 1e-3)
    for grad in (False, True):
        ours = arm.simulate(tensor(q0, grad), None, tensor(u), 5e-3, 1e-3)
        np.testing.assert_array_equal(ours.q.detach(), theirs.q)
        np.testing.assert_allclose(ours.tip.detach(), theirs.tip, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(ours.deflection(0).detach(), theirs.deflection(0), rtol=1e-14, atol=1e-15)
    run = lambda q, u: arm.simulate(q, None, u, 3e-3, 1e-3).tip  # noqa: E731
    assert gradcheck(run, [tensor(q0, True), tensor(u[:, :3], True)])


# ------------------------------------------------------------------ trajectories, laws, coordinates


def trajectories():
    spline = cf.trajectory.spline([0, 1, 3], np.eye(3)[:, :2], degree=5)
    return {
        "spline": spline,
        "profile": cf.trajectory.profile([0, 0], [1, -2], velocity=1, acceleration=[2, 3], jerk=10, snap=200),
        "cosine": cf.trajectory.cosine([0, 1], [0.5, 0.2], [1.0, 0.5], duration=2.0),
        "stretched": cf.trajectory.stretch(spline, 1.5),
    }


@pytest.mark.parametrize("name", sorted(trajectories()))
def test_trajectories_at_times_of_any_kind(name):
    motion = trajectories()[name]
    T = motion.duration
    t = np.array([[-0.1, 0.0, 0.3 * T], [0.7 * T, T, T + 0.1], [np.nan, 0.1, 0.2]])
    for order in range(3):
        np.testing.assert_allclose(
            motion(tensor(t), order).numpy(), motion(t, order), rtol=1e-13, atol=1e-13 * T**-order
        )
    inside = tensor([0.0, 0.1 * T, T], True)  # the ends count as inside
    rate = jacobian(lambda t: motion(t, 0).sum(-1), inside).diagonal()
    np.testing.assert_allclose(rate, motion([0.0, 0.1 * T, T], 1).sum(-1), rtol=1e-12, atol=1e-12)
    assert gradgradcheck(motion, (tensor([0.15 * T, 0.6 * T], True),), atol=1e-4)


def test_a_paced_trajectory_answers_in_kind():
    slow = cf.trajectory.polynomial([0, 0], [1.5, 1.0], duration=1.0)
    motion = cf.trajectory.time_scaled(cf.load("2r"), slow, torque=[60, 25], count=4, samples=20)
    t = np.linspace(0, motion.duration, 5)
    np.testing.assert_array_equal(motion(tensor(t), 1), motion(t, 1))
    with pytest.raises(cf.ClosedFormError, match="has no gradient here"):
        motion(tensor(t, True))


def test_laws_are_called_with_tensors():
    arm, rng = cf.load("2r"), np.random.default_rng(4)
    q, qd, goal = rng.normal(size=(3, 3, 2))
    law = cf.control.PDGravity(arm, 50.0, 5.0)
    np.testing.assert_array_equal(law(*map(tensor, (q, qd, goal))), law(q, qd, goal))
    assert gradcheck(law, [tensor(each, True) for each in (q, qd, goal)])
    learning = cf.control.AdaptiveControl(arm, 5.0, 5.0, 0.1)
    for one, other in zip(learning(tensor(q), tensor(qd), tensor(goal)), learning(q, qd, goal), strict=True):
        np.testing.assert_array_equal(one, other)
    spring = cf.elastic.Feedforward(cf.ElasticJointRobot(arm, 1e3, 0.1, 1.0), [-20, -20])
    motion, t = cf.trajectory.polynomial([0, 0], [1, 1.0], 1.0), np.linspace(0, 1, 3)
    wanted = spring.reference(motion, t)
    np.testing.assert_allclose(spring.reference(motion, tensor(t)), wanted, rtol=1e-13, atol=1e-13)
    given = [q, qd, goal, qd, wanted]
    np.testing.assert_array_equal(spring(*map(tensor, given)), spring(*given))


def test_coordinates_have_gradients():
    arm = cf.load("2r").with_joint_limits(-1.0, 2.0)
    q, step = tensor([[0.1, 0.2]], True), tensor([[0.3, 0.4]], True)
    assert gradcheck(arm.integrate, (q, step))
    assert gradcheck(arm.difference, (q, step))
    assert gradcheck(lambda *states: arm.interpolate(*states, 0.3), (q, step))
    assert gradcheck(arm.limit_distance, (q,))
    assert gradcheck(lambda a: arm.q(joint1=a), (tensor([0.1, 0.2], True),))
    assert gradcheck(lambda a: arm.qd({"joint2": 1.0}, qd0=a), (q,))
    assert gradcheck(lambda a: tuple(arm.joint_values(a).values()), (q,))


# ------------------------------------------------------------------ inverse kinematics


def test_inverse_kinematics_is_the_inverse_in_its_gradient_too():
    arm = cf.load("puma560")
    q = tensor([[0.3, -0.5, 0.4, 0.2, 0.9, -0.1], [0.1, 0.4, -0.3, 1.0, 0.5, 0.2]], True)
    found = arm.inverse_kinematics(arm.pose(q), q0=q.detach())
    np.testing.assert_allclose(found.q.detach(), q.detach(), rtol=1e-12, atol=1e-12)
    assert bool(found)
    for one in q.detach():
        J = jacobian(lambda q, one=one: arm.inverse_kinematics(arm.pose(q), q0=one).q, one)
        np.testing.assert_allclose(J, np.eye(6), rtol=0, atol=1e-10)


GUESS = np.deg2rad([-40.5, 141.6, 78.4])


@pytest.mark.parametrize("form", ["solve", "follow"])
def test_redundant_solutions_move_with_their_targets(form):
    arm, x = cf.load("chang3r"), tensor([[0.446, 0.0915], [0.446, 0.05]], True)
    find = getattr(cf.redundancy, form)
    q = find(arm, x, task="xy", q0=tensor(GUESS)).q
    np.testing.assert_array_equal(q.detach(), find(arm, x.detach().numpy(), task="xy", q0=GUESS).q)
    assert gradcheck(lambda x: find(arm, x, task="xy", q0=tensor(GUESS)).q, (x,), eps=1e-5, atol=1e-7)


def test_redundant_solutions_of_poses_move_with_them():
    arm = cf.load("iiwa14")
    start = cf.redundancy.solve(arm, arm.pose(0.4 * arm.random_state(3, order=0)[0] + 0.2)).q

    def best(q):
        return cf.redundancy.solve(arm, arm.pose(q), q0=tensor(start)).q

    exact, h = jacobian(best, tensor(start)), 1e-5
    steps = h * torch.eye(7, dtype=DOUBLE)
    near = torch.stack([(best(tensor(start) + e) - best(tensor(start) - e)) / (2 * h) for e in steps], -1)
    np.testing.assert_allclose(exact, near, rtol=0, atol=1e-7)


def test_a_joint_at_its_limit_stays_there():
    arm = cf.load("chang3r")
    free = cf.redundancy.solve(arm, [0.446, 0.0915], task="xy", q0=GUESS).q
    bound = free - np.array([0.5, 0.5, 0.05]), free + np.array([0.5, 0.5, -0.02])
    x = tensor([0.446, 0.0915], True)
    limits = tuple(map(tensor, bound))
    found = cf.redundancy.solve(arm, x, task="xy", q0=tensor(free), limits=limits)
    assert found.held.tolist() == [False, False, True]
    J = jacobian(lambda x: cf.redundancy.solve(arm, x, "xy", q0=tensor(free), limits=limits).q, x)
    np.testing.assert_allclose(J[2], 0.0, atol=1e-12)
    np.testing.assert_allclose(
        arm.jacobian(found.q.detach(), reference="world_aligned")[3:5] @ J, np.eye(2), atol=1e-9
    )


def test_a_target_that_is_not_met_has_no_gradient():
    arm, x = cf.load("chang3r"), tensor([[0.446, 0.0915], [5.0, 5.0]], True)
    found = cf.redundancy.solve(arm, x, task="xy", q0=tensor(GUESS))
    torch.where(found.converged[:, None], found.q, 0.0).sum().backward(retain_graph=True)
    assert x.grad[0].abs().min() > 0
    assert (x.grad[1] == 0).all()
    found.q.sum().backward()
    assert x.grad[1].isnan().all()


def test_second_derivatives_of_a_search_are_refused():
    arm, x = cf.load("chang3r"), tensor([0.446, 0.0915], True)
    q = cf.redundancy.solve(arm, x, task="xy", q0=tensor(GUESS)).q
    (gradient,) = torch.autograd.grad(q.sum(), x, create_graph=True)
    with pytest.raises(cf.ClosedFormError, match="of first order"):
        (gradient.sum() + x.sum()).backward()


def test_without_a_criterion_a_redundant_arm_has_no_gradient():
    arm = cf.load("iiwa14")
    pose = tensor(arm.pose(np.full(7, 0.3)), True)
    with pytest.raises(cf.ClosedFormError, match=r"cf\.redundancy\.solve, or detach"):
        arm.inverse_kinematics(pose)
    assert arm.inverse_kinematics(pose.detach())


# ------------------------------------------------------------------ refusals


def test_tensors_that_do_not_go_are_refused():
    arm = cf.load("2r")
    for given, said in (
        (torch.zeros(2, dtype=torch.float16), "float16; expected float32 or float64"),
        (torch.zeros(2, dtype=torch.complex128), "complex128; expected float32 or float64"),
        (torch.zeros(2, device="meta"), "tensors on meta are not taken"),
        (torch.eye(2).to_sparse(), "a tensor is sparse or nested"),
    ):
        with pytest.raises(cf.ClosedFormError, match=said):
            arm.simulate(given, duration=1e-3)
    with pytest.raises(cf.ClosedFormError, match="NumPy array of shape"):
        arm.simulate(tensor([0.1, 0.2]), np.zeros(2), duration=1e-3)
    with pytest.raises(cf.ClosedFormError, match="has shape"):
        arm.simulate(tensor([0.1, 0.2, 0.3], True), duration=1e-3)
    with pytest.raises(cf.ClosedFormError, match=r"the law gave None"):
        arm.simulate(tensor([0.1, 0.2]), law=lambda t, q, qd: None, duration=1e-3)
    with pytest.raises(cf.ClosedFormError, match=r"torch\.func"):
        torch.func.vmap(lambda x: cf.redundancy.solve(cf.load("chang3r"), x, "xy").q)(tensor([[0.4, 0.1]]))
