"""The example of sampled control on a GPU: thousands of arms in one CUDA graph.

Needs a GPU: `make test-gpu`.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

from examples import mppi_gpu_torch  # noqa: E402


def test_thousands_of_arms_find_the_way_in_a_graph(capsys):
    to_go = mppi_gpu_torch.main()
    print(capsys.readouterr().out)  # the rate, for the record
    assert to_go[0] > 0.9
    assert to_go[-10:].max() < 0.1


def test_a_graph_does_what_calls_do():
    q, noise, advance = mppi_gpu_torch.planner(256)
    advance()
    with torch.cuda.graph(graph := torch.cuda.CUDAGraph()):
        advance()
    graph_q, graph_noise, kept = q, noise, advance  # a graph does not keep the tensors that it reads
    q, noise, advance = mppi_gpu_torch.planner(256)
    dice = torch.Generator("cuda").manual_seed(0)
    for _ in range(5):
        graph_noise.normal_(0, 3.0, generator=dice)
        noise.copy_(graph_noise)
        graph.replay()
        advance()
    torch.testing.assert_close(graph_q, q, rtol=0, atol=1e-4)
    del kept
