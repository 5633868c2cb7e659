"""Plant and laws of elastic joints beyond arrays: equations with letters, source code, numbers as inputs."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import closedform as cf
from closedform.cli import main
from closedform.elastic import (
    ComputedTorque,
    Control,
    Decoupling,
    ElasticJointRobot,
    Feedforward,
    StagedDecoupling,
)
from closedform.elastic.catalogue import FORMS
from closedform.programs import evaluate
from oracles.elastic_robots import LINK, MOTOR, two_links
from tolerances import ROUNDING, SOLVE, worst

LAWS = {
    "decoupling_law": lambda robot: Decoupling(robot, [-20, -21, -22, -23]),
    "staged_law": lambda robot: StagedDecoupling(robot, [-20, -21], [-60, -61]),
    "feedforward_law": lambda robot: Feedforward(robot, [-20, -21]),
    "static_feedforward_law": lambda robot: Feedforward(robot, [-20, -21], torque_rates=False),
    "rigid_law": lambda robot: ComputedTorque(robot, [-20, -21]),
    "decoupling_law, damped": lambda robot: Decoupling(robot, [-20, -21, -22]),
    "staged_law, damped": lambda robot: StagedDecoupling(robot, [-20, -21], [-60]),
}


def inputs_of(robot: ElasticJointRobot, name: str, seed: int = 0, **choices) -> dict[str, np.ndarray]:
    """Return random inputs of a form, of any size that the numbers of the drives stand for."""
    rng = np.random.default_rng(seed)
    return {each: rng.uniform(0.2, 1.5, shape) for each, shape in robot.program(name, **choices).inputs}


def values(program, given: dict[str, np.ndarray]) -> np.ndarray:
    """Return the outputs of a program at inputs by name, as one column, without compiling."""
    found = evaluate(program, *(given[name] for name, _ in program.inputs))
    return np.concatenate([np.ravel(each) for each in (found if isinstance(found, tuple) else [found])])


@pytest.mark.parametrize("name", list(FORMS))
def test_equations_with_letters_are_the_form(name):
    """Letters replaced by the robot's numbers, every form is what its program computes."""
    robot = ElasticJointRobot(cf.load("pendulum"), 900.0, 0.2, 0.5, 0.0)
    given = inputs_of(robot, name)
    found = robot.equations(name, symbolic=True)
    printed = [each.lambdify()(*given.values()) for each in (found if isinstance(found, tuple) else [found])]
    assert (
        worst(np.concatenate([np.ravel(each) for each in printed]), values(robot.program(name), given))
        < SOLVE
    )
    if name == "decoupling_matrix":
        assert str(found) == "H[1,1] = MG1*N1*(I1yy + c1z**2*m1)/K1"


@pytest.mark.parametrize("name", list(LAWS))
def test_a_law_is_its_form_with_its_gains(name):
    form, _, damped = name.partition(", ")
    robot = two_links(damping=[2e-3, 1e-3] if damped else 0.0)
    law = LAWS[name](robot)
    assert law.name == form
    given = inputs_of(robot, form, 1)
    given["gains"][: law.feedbacks] = law.gains
    wanted = values(robot.program(form), given)
    assert worst(values(law.program(), given), wanted) < SOLVE
    given["gains"] = law.gains
    assert worst(values(law.program(gains="input"), given), wanted) < SOLVE


def test_a_law_called_is_its_program():
    law = Feedforward(two_links(), [-20, -21], torque_rates=False)
    given = inputs_of(law.robot, law.name, 1)
    reference = np.stack([given[name] for name in ("q_d", "qd_d", "qdd_d")])
    found = law(np.zeros(2), np.zeros(2), given["theta"], given["thetad"], reference)
    assert worst(found, values(law.program(), given)) < ROUNDING


def test_numbers_of_drives_and_links_can_be_inputs():
    """With phi as an input so are stiffness and motor inertia: other numbers give the other robot."""
    robot = two_links(link_friction=LINK, motor_friction=MOTOR)
    other = robot.changed(
        robot=robot.robot.with_payload(2.0, (0.1, 0.2, 0.0)), stiffness=0.3, motor_inertia=[3e-4, 2e-4]
    )
    numbers = {
        "stiffness": other.drives.stiffness,
        "motor_inertia": other.drives.motor_inertia,
        "phi": other.links.phi,
    }
    for name in ("forward_dynamics", "decoupling_law", "feedforward_law"):
        given = inputs_of(robot, name, 2)
        found = values(robot.program(name, phi=True), given | numbers)
        assert worst(found, values(other.program(name), given)) < SOLVE
    with pytest.raises(cf.ArgumentError, match="does not take phi"):
        robot.program("spring_torque", phi=True)
    moving = two_links(stiffness="variable")
    names = [each for each, _ in moving.program("link_derivatives", phi=True).inputs]
    assert names[4:] == ["stiffness", "stiffness_dot", "motor_inertia", "phi"]


def test_exported_laws_compute_what_the_law_does(tmp_path):
    robot = two_links(stiffness="variable")
    law = Feedforward(robot, [-20, -21])
    (path,) = law.export("numpy", tmp_path)
    code = runpy.run_path(str(path))[path.stem]
    given = {name: np.random.default_rng(3).uniform(0.2, 1.5, 2) for name, _ in law.program().inputs}
    assert list(given)[:3] == ["theta", "thetad", "q_d"]
    assert list(given)[-3:] == ["stiffness", "stiffness_dot", "stiffness_ddot"]
    reference = np.stack(list(given.values())[2:])
    assert (
        worst(
            code(*given.values()), law(np.zeros(2), np.zeros(2), given["theta"], given["thetad"], reference)
        )
        < ROUNDING
    )
    for language, count in (("c", 2), ("matlab", 1)):
        assert len(law.export(language, tmp_path, gains="input")) == count
    assert "gains (2 x 2)" in (tmp_path / "elastic_2r_feedforward_law.h").read_text()


def test_a_law_of_ones_own_is_written_too(tmp_path):
    class Spring(Control):
        """u = k_1 (N^-1 q_d - theta)."""

        order, feedbacks, name = 0, 1, "spring"

        def law(self, plant, state, wanted, gains):
            return gains[0] * (wanted[0] / plant.N - state[2])

    law = Spring(ElasticJointRobot(cf.load("pendulum"), 1e3, 0.1, 0.5), [-7.0])
    assert str(law.equations()) == "u[1] = k1_1*(2*q_d1 - theta1)"
    assert str(law.equations(gains="constant")) == "u[1] = 14*q_d1 - 7*theta1"
    assert "k_1 (N^-1 q_d - theta)" in law.export("c", tmp_path)[0].read_text()
    large = Decoupling(ElasticJointRobot(cf.load("iiwa14"), 1e4, 1.0, 1.0), [-20] * 4)
    with pytest.raises(cf.ProgramSizeError, match=r"decoupling_law of 'elastic_iiwa14' takes .* export"):
        large.equations()
    with pytest.raises(cf.ArgumentError, match="gains is 'letters'; expected 'constant' or 'input'"):
        law.program("letters")


def test_letters_need_a_stiffness():
    with pytest.raises(cf.ClosedFormError, match=r"stiffness is variable.*changed\(stiffness"):
        two_links(stiffness="variable").equations("energy", symbolic=True)
    with pytest.raises(cf.UnknownNameError, match="drives"):
        two_links().equations("energy", symbolic="springs")
    some = str(two_links().equations("spring_torque", symbolic="drives"))
    assert some.splitlines()[0] == "z[1] = K1*(N1*theta1 - q1)/N1"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["equations", "pendulum", "spring_torque", "--stiffness", "1e4", "--symbolic"],
            "K1*(N1*theta1 - q1)/N1",
        ),
        (
            ["equations", "2r", "spring_torque", "--stiffness", "variable", "--gear", "0.5"],
            "z[1] = K1*(-2*q1 + theta1)",
        ),
        (["equations", "2r", "energy", "--stiffness", "stiff"], "--stiffness is 'stiff'"),
        (["equations", "2r", "energy", "--stiffness", "1", "--gear", "1,1,1"], "--gear-ratio has shape (3,)"),
        (["equations", "2r", "mass_matrix", "--stiffness", "1"], "unknown form of an elastic-joint robot"),
        (["equations", "2r", "inverse_dynamics", "--stiffness", "1", "--damping", "1"], "is damped"),
    ],
)
def test_the_command_prints_equations_of_elastic_joints(arguments, told, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    out = capsys.readouterr()
    assert told in out.out + out.err


def test_the_command_exports_laws(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["export", "2r", "decoupling_law", "--stiffness", "1e4,2e4", "-o", f"{tmp_path}/"])
    assert capsys.readouterr().out.split()[-1].endswith("elastic_2r_decoupling_law.c")
