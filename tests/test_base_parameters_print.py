"""Base parameters in print, on the command line and in files, and the mistakes they name."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import closedform as cf
from closedform.cli import main
from closedform.identification import BaseParameters, base_parameters
from conftest import make


@pytest.fixture(scope="module")
def puma() -> BaseParameters:
    return base_parameters(cf.load("puma560"), symbolic=True)


def test_prints_as_the_paper_does(puma):
    text = str(puma)
    assert text.startswith("puma560: 36 base parameters of 60\nno effect:\n  XX1 XY1")
    assert "  XXR2 = XX2 - YY2 - d3**2*(M3 + M4 + M5 + M6)\n" in text
    assert "  link 2: XXR2 XY2 XZR2 YZ2 ZZR2 MXR2 MY2\n" in text
    tex = puma.latex()
    assert r"\mathit{MYR}_{4} &= \mathit{MY}_{4} - \mathit{MZ}_{5} \\" in tex
    assert tex.count("&=") == len(puma.regrouped)


def test_documented_savings_are_those_counted():
    text = (Path(__file__).parents[1] / "docs" / "base-parameters.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if "% |" in line]
    assert len(rows) >= 5
    for name, *cells in rows:
        base = base_parameters(make(name.strip("| ")))
        for form, (sums, share) in (("inverse_dynamics", cells[:2]), ("inverse_dynamics_dq", cells[2:])):
            if base.robot.nv > 20 and form != "inverse_dynamics":
                continue  # takes long to trace
            found = base.savings(form)
            before, after = (
                f"{each.additions} + {each.multiplications}" for each in (found.before, found.after)
            )
            assert sums == f"{before} to {after}"
            assert share.strip("| ") == f"{100 * found.share:.1f} %"
            assert found.share > (0.12 if form == "inverse_dynamics" else 0.05)


def test_the_command_prints_the_lists_and_the_check(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["base-parameters", "scara", "--symbolic", "--steps", "--gravity", "1", "2", "3"])
    out = capsys.readouterr().out
    assert not stop.value.code
    assert "link 3:\n" in out
    assert "scara: 10 base parameters of 40\n" in out
    assert "  MX3 MY3: joint 3 slides along the only axis about which link 3 turns [" in out
    assert "acts as:\n" in out
    assert "  MX3 -> " in out
    assert "reaches the rank of sampled regressors, 10" in out
    assert "% of the operations saved" in out


def test_the_command_prints_latex_of_the_numeric_method(capsys):
    with pytest.raises(SystemExit):
        main(["base-parameters", "2r", "--numeric", "--latex"])
    out = capsys.readouterr().out
    assert out.startswith("% 2r: 6 base parameters of 20\n")
    assert r"\begin{align*}" in out


def test_results_pickle(puma):
    again = pickle.loads(pickle.dumps(puma))
    assert again.regrouped == puma.regrouped
    assert np.array_equal(again.matrix, puma.matrix)


def test_mistakes_are_named():
    robot = make("2r")
    with pytest.raises(cf.UnknownNameError, match="closed, numeric"):
        base_parameters(robot, "symbolic")
    with pytest.raises(cf.ArgumentError, match="expected a Robot"):
        base_parameters("puma560")
    with pytest.raises(cf.ArgumentError, match="symbolic needs method='closed'"):
        base_parameters(robot, "numeric", symbolic=True)
    with pytest.raises(cf.ArgumentError, match="expected True or False"):
        base_parameters(robot, symbolic="geometry")
    with pytest.raises(cf.ClosedFormError, match="no steps"):
        base_parameters(robot, "numeric").steps()
    with pytest.raises(cf.ArgumentError, match="digits is 0"):
        base_parameters(robot).steps(digits=0)
