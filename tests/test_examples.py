"""The examples run where what they need is installed, and end as their first lines say.

Numbered ones run as they are, in an empty folder; the others in small sizes. The one that IPOPT solves is in
`test_casadi_functions.py`.
"""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closedform as cf

EXAMPLES = Path(__file__).parents[1] / "examples"
NUMBERED = sorted(EXAMPLES.glob("[01][0-9]_*.py"))
WRITES = ("save", "write_html", "write_text", "print")
"""How a numbered example ends: a picture, or a table."""


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
        assert len(path.read_text().splitlines()) < (60 if path in NUMBERED else 80), path.name


def test_numbered_examples_are_questions_that_end_in_a_picture_or_a_table():
    assert [path.name[:2] for path in NUMBERED] == [f"{k:02}" for k in range(1, 13)]
    listed = (EXAMPLES / "README.md").read_text()
    for path in NUMBERED:
        tree = ast.parse(path.read_text())
        question = (ast.get_docstring(tree) or "").partition("\n")[0]
        assert question.endswith("?"), path.name
        assert question in listed, path.name
        last = tree.body[-1]
        assert isinstance(last, ast.Expr), path.name
        assert isinstance(last.value, ast.Call), path.name
        assert getattr(last.value.func, "attr", getattr(last.value.func, "id", "")) in WRITES, path.name


def test_notebooks_are_eight_texts_whose_cells_are_python():
    notebooks = sorted((EXAMPLES.parent / "docs" / "notebooks").glob("*.md"))
    assert [path.name[:2] for path in notebooks] == [f"{k:02}" for k in range(1, 9)]
    for path in notebooks:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("---\nfile_format: mystnb\nkernelspec:\n"), path.name
        cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        assert len(cells) == text.count("```{code-cell}") >= 6, path.name
        for cell in cells:
            ast.parse(cell)
            assert max(map(len, cell.splitlines())) < 100, path.name  # what the site shows without scrolling


def loads(names: dict[str, Any]) -> bool:
    """Gravity torques with the load are those of the arm, and of the load's weight at its centre of mass."""
    robot, q = names["robot"].with_frame("load", "tool", (0, 0, 0.1)), names["q"]
    weight = robot.external_torque(q, {"load": [0, 0, 0, 0, 0, -3 * 9.81]}, reference="world_aligned")
    return np.allclose(names["full"], names["empty"] - weight)


def flies(names: dict[str, Any]) -> bool:
    """No momentum on the way: the centre of mass stays, and the trunk has turned."""
    return names["moved"] < 1e-6 and 5 < names["pitch"] < 10


CLAIMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "01": loads,
    "02": lambda names: 99 < names["most"].max() < 100.1 and names["fast"].duration < 1.0,
    "03": lambda names: all(path.parent.name == "controller" for path in names["files"]),
    "04": lambda names: abs(names["load"].mass - 2.5) < 0.02 and not names["result"].doubts,
    "05": lambda names: names["base"].count == 36,
    "06": lambda names: np.allclose(names["robot"].pose(names["curve"].q, "tool"), names["pose"], atol=1e-9),
    "07": lambda names: names["swing"] < 1e-3,
    "08": lambda names: 1e5 * max(names["figure"].data[0].y) < 0.1 < max(names["figure"].data[1].y),
    "09": lambda names: np.isclose(names["found"].fun, 0.092, atol=1e-4) and names["off"] < 1e-9,
    "10": lambda names: "sin" in Path("equations.html").read_text(),
    "11": flies,
    "12": lambda names: 0.3 < np.median(names["errors"]) < 0.7,
}
"""What holds of the names of each example when it has run."""


def excerpt(number: str) -> list[str]:
    """Return the lines that the list of examples quotes of one, without those of times and round-off."""
    text = (EXAMPLES / "README.md").read_text()
    section = text.partition(f"**{number}** ")[2].partition("\n**")[0].partition("\n## ")[0]
    quoted = section.partition("```text\n")[2].partition("```")[0].splitlines()
    return [] if number == "09" else [line.strip() for line in quoted]


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_numbered_examples_run(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path), run_name="__main__")
    assert CLAIMS[path.name[:2]](names)
    for page in re.findall(r'"(\w+\.html)"', path.read_text()):
        assert Path(page).stat().st_size > 1000
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) >= 3
    for line in excerpt(path.name[:2]):
        assert line in printed


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
