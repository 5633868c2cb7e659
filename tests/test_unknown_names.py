"""A name that is nearly right is answered with the one that was meant, wherever names are taken."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import closedform as cf
from closedform.errors import similar
from urdf_texts import joint, link, urdf

ARM = cf.load("2r")
LOG = {"t": np.arange(9) * 0.1, "q": np.zeros((9, 2)), "tau": np.zeros((9, 2))}


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: cf.load("iwa14"), "'iiwa14'"),
        (lambda: cf.load("IIWA14"), "'iiwa14'"),
        (lambda: cf.load("iiwa14\n"), "'iiwa14'"),
        (lambda: cf.loda, "'load'"),
        (lambda: ARM.pose([0, 0], "tol"), "'tool'"),
        (lambda: ARM.kernel("mass_matri"), "'mass_matrix'"),
        (lambda: ARM.with_payload(1.0, frame="tools"), "'tool'"),
        (lambda: ARM.locked({"jont1": 0.0}), "'joint1'"),
        (lambda: ARM.with_friction({"joint_1": 0.1}), "'joint1'"),
        (lambda: ARM.subtree("lnik1"), "'link1'"),
        (lambda: ARM.export("mass_matrix", "mathlab", "."), "'matlab'"),
        (lambda: ARM.export("mass_matrix", "c", ".", precision="duoble"), "'double'"),
        (lambda: ARM.equations("mass_matrix", symbolic="geometri"), "'geometry'"),
        (lambda: cf.redundancy.solve(ARM, [0.1, 0.1], "xy", "manipulabilty"), "'manipulability'"),
        (lambda: cf.base_parameters(ARM, method="numerc"), "'numeric'"),
        (lambda: cf.trajectory.profile(0, 1, velocity=1, acceleration=1, synchronise="tiem"), "'time'"),
        (
            lambda: cf.identification.read_log(dict(LOG), ARM, columns={"effort": {"jiont1": "tau"}}),
            "'joint1'",
        ),
    ],
)
def test_the_name_that_was_meant_is_suggested(call, meant):
    with pytest.raises((cf.ClosedFormError, AttributeError), match=r"did you mean .*" + meant):
        call()


def test_files_suggest_links_joints_and_types():
    with pytest.raises(cf.DescriptionError) as caught:
        cf.load(urdf(link("base", ""), link("arm"), joint("hinge", "base", "amr", "continous")))
    assert "did you mean 'arm'?" in str(caught.value)
    assert "did you mean 'continuous'?" in str(caught.value)


def test_nothing_is_suggested_for_what_is_far_or_endless():
    assert similar("x", ["tool"]) == ""
    assert similar(None, ["tool"]) == ""
    assert similar("t" * 10**6, ["tool"]) == ""
    assert similar("tol", [f"tool{k}" for k in range(10**5)]) == ""
    error = cf.UnknownNameError("frame", "tol", ["tool"])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
