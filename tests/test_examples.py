"""The examples run, in small sizes, where what they need is installed, and end as their first lines say.

The one that IPOPT solves is in `test_casadi_functions.py`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import closedform as cf

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def double():
    """JAX in double precision, if it is installed."""
    try:
        jax = import_module("jax")
    except ImportError:
        yield
        return
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def test_examples_are_short_and_listed():
    listed = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert path.name in listed
        assert len(path.read_text().splitlines()) < 80, path.name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, of its transforms
def test_exact_against_autodiff(double, capsys):
    table = import_module("examples.exact_against_autodiff").main(states=3)
    assert {"closed form", "differences, ours", "complex steps, recursion"} <= set(table)
    for name, (error, _) in table.items():
        assert (1e-12 < error < 1e-8) if name == "differences, ours" else error < 1e-14, name
    assert len(capsys.readouterr().out.splitlines()) == len(table)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_identify_by_gradient(tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
    page = tmp_path / "rollouts.html"
    sheet, true, found, deviation = (
        import_module("examples.identify_by_gradient_torch").main(str(page), pieces=60, iterations=60).T
    )
    assert np.abs(found - true).max() < 0.1 * np.abs(sheet - true).max()
    assert np.median(np.abs(found - true) / deviation) < 3
    assert page.stat().st_size > 10_000
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(found)


def test_mppi(tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
    page = tmp_path / "motion.html"
    to_go = import_module("examples.mppi_gpu_torch").main(arms=128, instants=40, page=str(page))
    assert to_go[0] > 0.9
    assert to_go[-10:].max() < 0.15
    assert page.stat().st_size > 10_000
    assert "steps a second" in capsys.readouterr().out


def test_trajectory_optimisation(double, tmp_path):
    pytest.importorskip("jax", reason="JAX is not installed: make test-jax")
    page = tmp_path / "throw.html"
    error = import_module("examples.trajectory_optimisation_jax").main(str(page), instants=41, iterations=40)
    assert error < 5e-3
    assert page.stat().st_size > 10_000


def test_the_recursion_of_the_example_is_inverse_dynamics():
    """The reference of the table, in doubles, against the library."""
    torques = import_module("examples.exact_against_autodiff").torques
    q, qd, qdd = (panda := cf.load("panda")).random_state(1, batch=20)
    np.testing.assert_allclose(
        torques(np, q, qd, qdd), panda.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-12
    )
