"""The page of answers: enough of them, each with code, and what people ask for can be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "how-do-i.md").read_text(encoding="utf-8")
ANSWERS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))

ASKED = {
    "gravity": "gravity_torque",
    "C matrix": "coriolis_matrix",
    "dM/dt": "mass_matrix_dot",
    "Jacobian in the world frame": 'reference="world_aligned"',
    "wrench at the tool": "wrenches=",
    "payload": "with_payload",
    "regressor": "regressor",
    "GPU": 'device="cuda"',
    "gradients": "vjp",
    "C code": "export",
    "loop": "relative|KKT|mimic",
    "log": "cf.identify",
    "Draw": "scene",
    "Compare two robots": "phi",
    "interpolate": "interpolate",
    "units": "unit",
    "limits": "within_limits",
    "which forms exist": "cf.FORMS",
    "Convert": "cf.convert",
    "inverse kinematics": "inverse_kinematics",
    "Simulate": "simulate",
    "elastic": "ElasticJointRobot",
    "bends": "FlexibleArm",
    "redundancy": "redundancy.solve",
    "fewest inertial parameters": "base_parameters",
    "equations": "equations",
    "CasADi": "casadi",
}
"""Words that people look for in titles, and what the answer must name."""


def test_there_are_forty_answers_each_with_code():
    assert len(ANSWERS) >= 40
    assert len(ANSWERS) == len(re.findall(r"^### ", PAGE, re.MULTILINE)), "two answers of one title"
    for title, answer in ANSWERS.items():
        assert "```" in answer, title
    run = [title for title, answer in ANSWERS.items() if ">>> " in answer]
    assert len(run) >= 40


@pytest.mark.parametrize("word", ASKED)
def test_what_people_ask_for_is_in_a_title_and_answered(word):
    found = [answer for title, answer in ANSWERS.items() if re.search(rf"\b{re.escape(word)}", title)]
    assert any(re.search(ASKED[word], answer) for answer in found)
