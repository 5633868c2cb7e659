"""What a flexible arm is given: damping in its three manners, and what is refused."""

import numpy as np
import pytest

from closedform import ArgumentError, ClosedFormError
from closedform.flexible import Damping, FlexibleArm, FlexibleLink, InputShaper, Tip
from tolerances import ROUNDING, worst

LINK = FlexibleLink(0.5, 0.2, 1.0, hub_mass=1.0, hub_inertia=0.1, modes=2)


def test_damping_by_ratio_friction_and_diagonal():
    arm = FlexibleArm([LINK], damping=Damping(0.3, [0.01, 0.02]))
    omega = arm.modes[0].stacked("omega")
    assert worst(np.diag(arm.damping), [0.3, *(2 * np.array([0.01, 0.02]) * omega * 0.1)]) < ROUNDING
    assert worst(np.diag(FlexibleArm([LINK], damping=[1, 2, 3]).damping), [1, 2, 3]) < ROUNDING
    damped = FlexibleArm.deluca_siciliano(damped=True)
    assert worst(np.diag(damped.damping), 0.1 * np.sqrt(np.diag(damped.stiffness))) < ROUNDING
    # a clamped mode decays at its ratio
    poles = np.linalg.eigvals(
        FlexibleArm([FlexibleLink(0.5, 0.2, 1.0, hub_inertia=1e6, modes=1)], damping=0.05).linearise([0, 0]).A
    )
    fast = poles[np.abs(poles).argmax()]
    assert -fast.real / abs(fast) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"links": []}, "one or more FlexibleLink"),
        ({"links": [1.0]}, "one or more FlexibleLink"),
        ({"payload": (0.0, 0.1)}, "inertia 0.1 but no mass"),
        ({"payload": (-1.0, 0.1)}, "mass is -1"),
        ({"payload": 0.1}, "expected \\(mass, inertia\\)"),
        ({"gravity": (0, 0, -9.81)}, "gravity has shape"),
        ({"damping": -0.1}, "ratio is -0.1; expected a number from 0"),
        ({"damping": float("nan")}, "ratio is nan"),
        ({"damping": float("inf")}, "ratio is inf"),
        ({"damping": True}, "ratio is True"),
        ({"damping": "light"}, "ratio is 'light'"),
        ({"damping": Damping(friction=float("nan"))}, "friction is nan"),
        ({"damping": [1.0, -2.0, 3.0]}, "damping is -2 somewhere"),
        ({"boundary": [Tip(), Tip()]}, "Tip for each of the 1 links"),
        ({"damping": [1.0, 2.0]}, "diagonal of D has shape"),
        ({"damping": Damping(ratio=[0.1])}, "ratio has shape"),
    ],
)
def test_bad_arms_are_refused(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        FlexibleArm(**{"links": [LINK], **arguments})


def test_unknown_forms_and_wrong_shapes_are_refused():
    two = FlexibleArm.deluca_siciliano()
    with pytest.raises(ClosedFormError, match="unknown form of a flexible arm"):
        two.kernel("jacobian")
    with pytest.raises(ArgumentError, match="q has shape"):
        two.mass_matrix(np.zeros(5))
    with pytest.raises(ArgumentError, match=r"u has shape \(6,\); expected \(..., 2\)"):
        two.forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("given", [np.float32(0.25), np.array(0.25)])
def test_a_damping_ratio_may_be_any_kind_of_number(given):
    found, wanted = (FlexibleArm([LINK], damping=ratio).damping for ratio in (given, 0.25))
    assert np.array_equal(found, wanted)


def test_a_tip_alone_is_that_of_a_single_link():
    assert FlexibleArm([LINK], boundary=Tip(0.3, 0.01)).modes[0].tip == Tip(0.3, 0.01)


def test_matrices_cannot_be_changed_behind_the_forms():
    arm = FlexibleArm([LINK])
    for matrix in (arm.stiffness, arm.damping, arm.input_matrix):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: InputShaper.of_modes([1.0, 2.0], [0.1] * 3), r"ratios of shape \(3,\)"),
        (lambda: InputShaper.of_modes([]), r"frequencies of shape \(0,\)"),
        (lambda: InputShaper.of(0.0), "frequency is 0"),
        (lambda: InputShaper.of(1.0).residual(1.0, ratio=2.0), "ratio is 2.0"),
    ],
)
def test_bad_shapers_are_refused(call, words):
    with pytest.raises(ArgumentError, match=words):
        call()
