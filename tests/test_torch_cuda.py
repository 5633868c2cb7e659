"""PyTorch tensors on an NVIDIA GPU: the library's numbers, where the tensors are.

Needs a GPU: `make test-gpu`.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
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


# ------------------------------------------------------------------ bound calls


def allocations():
    return torch.cuda.memory_stats().get("allocation.all.allocated", 0)


@pytest.mark.parametrize("dtype", ERRORS)
@pytest.mark.parametrize("batch", [(), (33,), (4, 50)])
def test_bound_tensors_are_evaluated_where_they_are(dtype, batch):
    robot = cf.load("iiwa14")
    kernel = robot.kernel("dynamic_matrices", dtype=str(dtype).rpartition(".")[2])
    q = torch.randn(*batch, 7, dtype=dtype, device=GPU)
    qd = torch.randn(7, dtype=dtype, device=GPU)
    outs = tuple(torch.empty(*batch, *core, dtype=dtype, device=GPU) for core in kernel.output_shapes)
    step = kernel.bind(q, qd, out=outs)
    step()
    before = allocations()
    for _ in range(3):
        q.normal_()
        step()
    assert allocations() == before
    for one, other in zip(outs, kernel(q, qd), strict=True):
        assert torch.equal(one, other)


def test_bound_slices_streams_and_graphs():
    kernel = cf.load("iiwa14").kernel("inverse_dynamics", dtype="float32")
    state, tau = torch.randn(500, 21, device=GPU), torch.empty(500, 7, device=GPU)
    parts = state[:, :7], state[:, 7:14], state[:, 14:]
    step = kernel.bind(*parts, out=tau)
    step()
    assert torch.equal(tau, kernel(*[each.contiguous() for each in parts]))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    state.normal_()
    graph.replay()
    expected = kernel(*[each.contiguous() for each in parts])
    assert torch.equal(tau, expected)
    tau.zero_()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(10_000_000)
        state.mul_(2)  # the bound call comes after this only on the same stream
        step()
    stream.synchronize()
    assert torch.equal(tau, kernel(*[each.contiguous() for each in parts]))


def test_a_bound_call_can_be_captured_at_once():
    """All is loaded when tensors are bound: a graph may hold the first call."""
    kernel = cf.load("iiwa14").with_payload(0.7, (0, 0, 0.1)).kernel("gravity_torque", dtype="float32")
    q, out = torch.randn(64, 7, device=GPU), torch.zeros(64, 7, device=GPU)
    step = kernel.bind(q, out=out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    graph.replay()
    assert torch.equal(out, kernel(q))


def test_bound_tensors_stay_and_moved_ones_are_noticed():
    kernel = cf.load("iiwa14").kernel("gravity_torque", dtype="float32")
    out = torch.empty(1000, 7, device=GPU)
    step = kernel.bind(torch.full((1000, 7), 0.3, device=GPU), out=out)
    junk = [torch.full((1000, 7), 9.0, device=GPU) for _ in range(20)]
    step()
    assert torch.equal(out, kernel(torch.full((1000, 7), 0.3, device=GPU)))
    moves = [
        lambda t: t.resize_(100_000, 7),
        lambda t: t.untyped_storage().resize_(0),
        lambda t: t.set_(junk[0]),
        lambda t: setattr(t, "data", junk[1]),
    ]
    for move in moves:
        for which in ("input", "output"):
            q, made = torch.zeros(1000, 7, device=GPU), torch.empty(1000, 7, device=GPU)
            step = kernel.bind(q, out=made)
            move(q if which == "input" else made)
            with pytest.raises(cf.ArgumentError, match="bind the tensors again"):
                step()


def test_what_cannot_be_bound_on_a_gpu():
    kernel = cf.load("iiwa14").kernel("gravity_torque", dtype="float32")
    q, out = torch.zeros(10, 7, device=GPU), torch.empty(10, 7, device=GPU)
    for given, made, message in [
        (q.cpu(), out, "out is on cuda"),
        (q, out.cpu(), "out is on cpu"),
        (q.double(), out, "q is torch.float64; expected float32"),
        (q.half(), out, "torch.float16"),
        (q.T.contiguous().T, out, "q would have to be copied"),
        (q, torch.empty(7, 10, device=GPU).T, "out is not contiguous"),
        (q, out[:5], r"out has shape \(5, 7\); expected \(10, 7\)"),
        (q, q, "out overlaps an input"),
        (q, torch.empty(20, 7, device=GPU)[::2], "out is not contiguous"),
        (q.clone().requires_grad_(), out, "q requires a gradient"),
    ]:
        with pytest.raises(cf.ArgumentError, match=message):
            kernel.bind(given, out=made)


# ------------------------------------------------------------------ batches in the memory of the host


@pytest.mark.parametrize("form", ["inverse_dynamics", "dynamic_matrices", "kinetic_energy"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_chunks_give_the_numbers_of_the_cpu(form, precision):
    robot = cf.load("iiwa14")
    kernel = robot.kernel(form, dtype=precision)
    given = inputs(robot, form, (50, 1001))
    given[0], given[-1] = given[0][:, :1], given[-1][0, 0]  # one is repeated, one is shared
    expected = as_list(getattr(robot, form)(*given))
    kernel.on_gpu(*given)  # loads code, which stays
    before = torch.cuda.mem_get_info()[0]
    for options in ({}, {"chunk": 777}, {"threads": 1, "chunk": 20_000}):
        seen = []
        found = as_list(kernel.on_gpu(*given, progress=seen.append, **options))
        assert seen[-1] == 1.0
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == precision
            scale = max(1e-3, float(np.abs(other).max()))
            error = np.abs(one - other).max() / scale
            assert error <= ERRORS[getattr(torch, precision)]
    assert torch.cuda.mem_get_info()[0] >= before - 2**26, "memory was not given back"


def test_a_full_gpu_evaluates_in_small_chunks_or_says_what_is_free(tmp_path):
    robot = cf.load("iiwa14")
    kernel = robot.kernel("mass_matrix")
    q = np.lib.format.open_memmap(tmp_path / "q.npy", "w+", shape=(1_000_000, 7))
    q[:] = np.random.default_rng(0).normal(size=q.shape)
    expected = robot.mass_matrix(q[::1000])
    tensor = torch.tensor(q[:, :], device=GPU)
    kernel.on_gpu(q)  # loads code, which stays
    robot.mass_matrix(tensor)
    torch.cuda.empty_cache()
    free = torch.cuda.mem_get_info()[0]
    hoard = torch.empty(free - 200 * 2**20, dtype=torch.uint8, device=GPU)
    try:
        found = kernel.on_gpu(q)  # 450 MB
        assert np.abs(found[::1000] - expected).max() < 1e-12
        with pytest.raises(
            cf.ClosedFormError, match=r"mass_matrix on GPU 0: no memory for 1000000 samples.*free"
        ):
            kernel.on_gpu(q, chunk=1_000_000)
        with pytest.raises(
            cf.ClosedFormError, match=r"mass_matrix: cuda:0 has no memory for results of 374 MiB"
        ):
            robot.mass_matrix(tensor)
        assert robot.mass_matrix(tensor[:100]).shape == (100, 7, 7)
    finally:
        del hoard
        torch.cuda.empty_cache()  # other processes need some too
    assert robot.mass_matrix(tensor).shape == (1_000_000, 7, 7)


def test_an_error_that_stays_is_explained():
    program = (
        "import numpy as np, torch, closedform as cf\n"
        "from closedform.cuda.device import device_kernel\n"
        "kernel = cf.load('2r').kernel('gravity_torque')\n"
        "q = torch.zeros(4, 2, dtype=torch.float64, device='cuda'); kernel(q)\n"
        "device_kernel(kernel, 0).launch(4, [64], [2], [64], 0)\n"
        "for again in range(2):\n"
        "    try:\n"
        "        kernel.on_gpu(np.zeros((4, 2)))\n"
        "    except cf.ClosedFormError as error:\n"
        "        print(error)\n"
        "print(kernel(np.zeros((4, 2))).shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.count("restart the process") == 2, (done.stdout, done.stderr[-2000:])
    assert "(4, 2)" in done.stdout, "the CPU goes on"


# ------------------------------------------------------------------ compiled graphs


def test_compiled_functions_on_a_gpu():
    robot = cf.load("iiwa14")  # a new one: its methods are first used inside

    def energy(q, qd):
        return robot.kinetic_energy(q, qd).sum() + (robot.gravity_torque(q) ** 2).sum()

    q = torch.randn(50, 7, dtype=torch.float64, device=GPU, requires_grad=True)
    qd = torch.randn(7, dtype=torch.float64, device=GPU)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for backend in ("aot_eager", "inductor"):
            whole = torch.compile(energy, fullgraph=True, backend=backend)
            (ours,) = torch.autograd.grad(whole(q, qd), q)
            (theirs,) = torch.autograd.grad(energy(q, qd), q)
            torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)
            second = torch.compile(torch.func.jacfwd(robot.gravity_torque), fullgraph=True, backend=backend)
            torch.testing.assert_close(
                second(qd).cpu(),
                torch.tensor(robot.gravity_torque_dq(qd.cpu().numpy())),
                rtol=1e-10,
                atol=1e-10,
            )
