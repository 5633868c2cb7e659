"""PyTorch tensors on an NVIDIA GPU: the library's numbers, where the tensors are.

Needs a GPU: `make test-gpu`.
"""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

import closedform as cf

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

GPU = torch.device("cuda")
FORMS = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "dynamic_matrices", "kinetic_energy", "pose"]
ERRORS = {torch.float32: 5e-6, torch.float64: 1e-13}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module", params=["2r", "iiwa14", "spherical_pendulum", "humanoid"])
def robot(request):
    return cf.load(request.param)


def inputs(robot, form, batch, seed=0):
    rng = np.random.default_rng(seed)
    (q,) = robot.random_state(rng, batch=batch, order=0)
    kernel = robot.kernel(form)
    return [
        q if name == "q" else rng.normal(size=(*batch, *shape))
        for name, shape in zip(kernel.input_names, kernel.input_shapes, strict=True)
    ]


def as_list(results):
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("dtype", ERRORS)
@pytest.mark.parametrize(
    "form",
    [
        "inverse_dynamics",
        "mass_matrix",
        "forward_dynamics",
        "dynamic_matrices",
        "kinetic_energy",
        "frame_poses",
    ],
)
def test_numbers_are_the_library_s(robot, form, dtype):
    for batch in ((), (1,), (31,), (4, 33), (1000,)):
        given = inputs(robot, form, batch)
        expected = as_list(getattr(robot, form)(*given))
        ours = as_list(getattr(robot, form)(*[torch.tensor(each, dtype=dtype, device=GPU) for each in given]))
        for one, other in zip(ours, expected, strict=True):
            assert one.device.type == "cuda"
            assert one.dtype == dtype
            scale = max(1e-3, float(np.abs(other).max()))
            loose = 1e4 if form == "forward_dynamics" else 1  # the condition of M
            assert one.shape == other.shape
            assert np.abs(one.cpu().numpy() - other).max() <= loose * ERRORS[dtype] * scale


def test_slices_broadcasts_and_repeated_calls():
    robot = cf.load("iiwa14")
    whole = torch.randn(7, 10, dtype=torch.float64, device=GPU)
    q, qd = whole.T[::2], torch.randn(3, 1, 7, dtype=torch.float64, device=GPU)
    expected = robot.coriolis_matrix(q.cpu().numpy(), qd.cpu().numpy())
    for _ in range(3):
        assert np.abs(robot.coriolis_matrix(q, qd).cpu().numpy() - expected).max() < 1e-12
    for _ in range(3):
        again = torch.randn(100, 7, dtype=torch.float64, device=GPU)
        assert (
            np.abs(
                robot.gravity_torque(again).cpu().numpy() - robot.gravity_torque(again.cpu().numpy())
            ).max()
            < 1e-11
        )


def test_rows_of_a_state_and_outputs_that_overlap():
    robot = cf.load("iiwa14")
    state = torch.randn(30, 14, dtype=torch.float64, device=GPU)
    for q, qd in (
        (state[:, :7], state[:, 7:]),
        (state[::3, 7:], state[1, :7]),
        (state[:1, :7], state[:, ::2]),
    ):
        expected = robot.coriolis_matrix(q.cpu().numpy(), qd.cpu().numpy())
        assert np.abs(robot.coriolis_matrix(q, qd).cpu().numpy() - expected).max() < 1e-12
    expected = robot.gravity_torque(state[:, :7].cpu().numpy())
    memory = torch.empty(30, 9, dtype=torch.float64, device=GPU)
    robot.gravity_torque(state[:, :7], out=memory[:, 1:8])
    assert np.abs(memory[:, 1:8].cpu().numpy() - expected).max() < 1e-12
    robot.gravity_torque(state[:, :7], out=state[:, 5:12])
    assert np.abs(state[:, 5:12].cpu().numpy() - expected).max() < 1e-12
    with pytest.raises(cf.ArgumentError, match="entries of out share memory"):
        robot.gravity_torque(state[:, :7], out=memory[:1, :7].expand(30, 7))


def test_new_threads_compute_too():
    """A thread that has not touched the GPU has no context of its own."""
    robot, found = cf.load("ur5"), []
    q = torch.randn(64, 6, dtype=torch.float64, device=GPU)

    def work():
        found.append([robot.gravity_torque(q) for _ in range(3)][-1].cpu().numpy())

    for _ in range(2):
        thread = Thread(target=work)
        thread.start()
        thread.join()
        assert np.abs(found.pop() - robot.gravity_torque(q.cpu().numpy())).max() < 1e-11


def test_gradients_and_transforms():
    robot = cf.load("2r")
    q = torch.randn(2, 1, 2, dtype=torch.float64, device=GPU, requires_grad=True)
    qd = torch.randn(3, 2, dtype=torch.float64, device=GPU, requires_grad=True)
    assert torch.autograd.gradcheck(robot.coriolis_matrix, (q, qd), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(robot.coriolis_matrix, (q, qd))
    one = torch.randn(2, dtype=torch.float64, device=GPU)
    exact = robot.gravity_torque_dq(one.cpu().numpy())
    assert np.abs(torch.func.jacrev(robot.gravity_torque)(one).cpu().numpy() - exact).max() < 1e-12


def test_graphs_and_streams():
    robot = cf.load("iiwa14")
    given = [torch.randn(256, 7, device=GPU) for _ in range(3)]
    robot.inverse_dynamics(*given)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tau = robot.inverse_dynamics(*given)
    for each in given:
        each.normal_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(tau, robot.inverse_dynamics(*given))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        aside = robot.inverse_dynamics(*given)
    stream.synchronize()
    assert torch.equal(tau, aside)


def test_outputs_angles_and_bad_input():
    robot = cf.load("2r")
    q = torch.zeros(5, 2, device=GPU)
    out = torch.empty(5, 2, 2, device=GPU)
    assert robot.mass_matrix(q, out=out) is out
    assert torch.equal(out, robot.mass_matrix(q))
    far = torch.tensor([[3e6, 1.0], [5e6, 1.0]], device=GPU)
    torques = robot.gravity_torque(far)
    assert bool(torch.isfinite(torques[0]).all())
    assert bool(torch.isnan(torques[1]).any())
    with pytest.raises(cf.ArgumentError, match="move them to one device"):
        robot.coriolis_matrix(q, q.cpu())
    with pytest.raises(cf.ArgumentError, match="float16"):
        robot.mass_matrix(q.half())
    with pytest.raises(cf.ArgumentError, match="out is"):
        robot.mass_matrix(q, out=torch.empty(5, 2, 2))
    assert robot.mass_matrix(torch.zeros(0, 2, device=GPU)).shape == (0, 2, 2)
