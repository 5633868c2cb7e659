"""What a caller may ask for has bounds: told before the work, right within them."""

from __future__ import annotations

import math
import pickle

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform import checks, elastic, redundancy
from closedform import trajectory as tr
from closedform.description.mdh import read_mdh
from closedform.description.screws import read_screws
from closedform.errors import shown
from closedform.integration import DivergenceError, Event, System, adaptive, simulate
from closedform.kernels import compiled
from closedform.report.page import write_page

x, u = ca.SX.sym("x", 1), ca.SX.sym("u", 1)
GROWTH = System("growth", x, x * x)
DRIVEN = System("driven", x, u - x, u)
xy = ca.SX.sym("x", 2)
SWING = System("swing", xy, ca.vertcat(xy[1], -xy[0]))


# ------------------------------------------------------------------ the gate itself


@pytest.mark.parametrize(
    "given",
    [None, 1j, "2", b"2", True, [1], np.array(1.0), math.nan, 10**400, 1e60, np.timedelta64(1, "s")],
)
def test_a_number_is_a_finite_number(given):
    with pytest.raises(cf.ArgumentError, match=r"mass is .*; expected a number"):
        checks.number("mass", given)


@pytest.mark.parametrize("given", [np.float32(0.5), np.longdouble(0.5), np.float16(0.5)])
def test_numbers_of_any_precision_pass(given):
    assert checks.number("mass", given) == 0.5


@pytest.mark.parametrize("given", [0, 11, 10**30, 1.0, True, None, "3"])
def test_a_whole_number_is_within_its_bounds(given):
    with pytest.raises(cf.ArgumentError, match="expected a whole number from 1 to 10"):
        checks.whole_number("count", given, 1, 10)


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    [
        [[1, 2], [3]],
        nested(100_000),
        [10**400],
        np.broadcast_to(np.zeros(1), (10**9,)),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        (x for x in (1.0, 2.0)),
        {1.0},
        np.zeros(2, [("x", float)]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_array_of_numbers_is_refused(given):
    with pytest.raises(cf.ArgumentError, match=r"^here "):
        checks.real_array("here", given)


def test_values_are_quoted_on_one_short_line():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    for value in ("x" * 10**6, nested(100_000), Mute(), list(range(10**6)), "a\nb", "\udcff"):
        assert len(shown(value)) <= 100
        shown(value).encode()


@pytest.mark.parametrize("given", ["", "a\0b", "x" * 300, "\udcff\0", b"x", 3, None])
def test_a_path_is_one_that_the_system_can_take(given):
    with pytest.raises(cf.ArgumentError, match=r"output is .*; expected a path"):
        checks.file_path("output", given)


@pytest.mark.parametrize("given", [3, lambda: 0.0, lambda a, b: 0.0])
def test_a_function_takes_the_arguments_that_it_will_get(given):
    with pytest.raises(cf.ArgumentError, match="expected a function of time"):
        checks.function("law", given, "time")


@pytest.mark.parametrize(
    "given", [np.random.SeedSequence(3), np.random.PCG64(3), [1, 2], (1, 2), np.array([1, 2]), 3, None]
)
def test_a_generator_comes_from_whatever_seeds_one(given):
    assert isinstance(checks.generator("seed", given), np.random.Generator)


@pytest.mark.parametrize(
    "given", [[-1], [0.5], [], "3", 1.5, [[1]], [[1], [1, 2]], [0] * 10**6, True, np.array(1.5)]
)
def test_what_seeds_no_generator_is_refused(given):
    with pytest.raises(cf.ArgumentError, match=r"seed .*expected a whole number"):
        checks.generator("seed", given)


def test_instants_beyond_all_bounds_are_refused_without_a_warning():
    with pytest.raises(cf.ArgumentError, match=r"t\[0\] is -1e\+308; expected finite numbers"):
        tr.trajectory.instants("t", [-1e308, 1e308])


def test_a_start_may_be_asked_to_be_exact():
    motion = tr.polynomial([0.5], [1.0], duration=1.0)
    motion.check_start([0.5], tolerance=0)
    with pytest.raises(cf.ArgumentError, match="off the trajectory"):
        motion.check_start([0.5 + 1e-15], tolerance=0)


def test_durations_are_no_numbers_of_a_table():
    spans = np.array([1], dtype="timedelta64[s]")
    for name in ("armature", "parents"):
        with pytest.raises(cf.DescriptionError, match=rf"{name}\[0\] is .*timedelta64"):
            cf.Robot.from_mdh([[0, 0, 0, 0, 0]], **{name: spans})


@pytest.mark.parametrize("read", [read_mdh, read_screws])
def test_the_source_of_a_table_is_a_text(read):
    with pytest.raises(cf.ArgumentError, match="source is 10; expected a text"):
        read([], **({"screws": []} if read is read_screws else {}), source=10)


def test_rates_of_samples_are_bounded():
    arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    move = tr.polynomial([0.0, 0.0], [1.0, -0.5], duration=0.5, degree=7)
    law = elastic.Feedforward(arm, [-20, -20])
    with pytest.raises(cf.ArgumentError, match=r"track: rate is 1e\+07; expected at most 1e\+06"):
        elastic.track(law, move, rate=1e7)
    with pytest.raises(cf.ArgumentError, match=r"monte_carlo: rate is 1e\+07; expected at most 1e\+06"):
        elastic.monte_carlo({"PD": law}, move, elastic.Spread(), rate=1e7)


def test_a_place_that_cannot_be_shown_is_refused():
    with pytest.raises(cf.ArgumentError, match="where is"):
        elastic.Friction().sized(nested(100_000), ["a"])


def test_the_summary_of_a_page_is_a_text(tmp_path):
    with pytest.raises(cf.ArgumentError, match="page: summary is"):
        write_page(tmp_path / "x.html", subject=None, sections=[], name="a", title="b", summary=np.zeros(3))


# ------------------------------------------------------------------ integration


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_a_blow_up_ends_and_names_its_time(method):
    with pytest.raises(DivergenceError, match=r"growth: .* at t = (1|0\.9999)") as caught:
        simulate(GROWTH, [1.0], None, 2.0, 0.1, method=method, rtol=1e-6, atol=1e-9)
    assert 0.9 <= caught.value.time <= 1.2


def test_steps_without_end_are_bounded(monkeypatch):
    # without absolute tolerance a state that starts at zero allows no error at all
    monkeypatch.setattr(adaptive, "PATIENCE", (1000, 1e-9))
    grown = System("root", x, ca.sqrt(ca.fabs(x)) + 1e-300)
    with pytest.raises(
        DivergenceError, match=r"RK45 takes steps without end at t = .*; take wider"
    ) as caught:
        simulate(grown, [0.0], None, 1.0, 0.1, method="RK45", rtol=3e-14, atol=0.0)
    assert np.isfinite(caught.value.state).all()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_evaluations_are_bounded(monkeypatch):
    monkeypatch.setattr(adaptive, "PATIENCE", (100, 0.0))
    monkeypatch.setattr(adaptive, "MAX_EVALUATIONS", 500)
    with pytest.raises(DivergenceError, match="RK45 has taken 500 evaluations"):
        simulate(SWING, [1.0, 0.0], None, 1000.0, 1000.0, method="RK45")


def test_a_run_that_comes_forward_may_take_its_steps(monkeypatch):
    monkeypatch.setattr(adaptive, "PATIENCE", (200, 1e-9))
    run = simulate(SWING, [1.0, 0.0], None, 100.0, 100.0, method="RK45")
    assert run.x[-1, 0] == pytest.approx(math.cos(100.0), abs=1e-5)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("method", ["RK45", "Radau", "LSODA"])
def test_an_error_of_the_input_function_is_the_callers_own(method, batch):
    mine = ValueError("my own bug")

    def law(t):
        if 0.0301 < t < 0.0349 or 0.0201 < t < 0.0249:
            raise mine
        return [0.0]

    with pytest.raises(ValueError, match="my own bug") as caught:
        simulate(DRIVEN, np.ones((*batch, 1)), law, 0.05, 0.01, method=method)
    assert caught.value is mine


def test_an_input_that_is_lost_between_the_steps_is_named_with_its_time():
    with pytest.raises(cf.ArgumentError, match=r"driven: the input function gave .*nan.* at t = 0\.0[23]"):
        simulate(
            DRIVEN,
            [1.0],
            lambda t: [math.nan if 0.0301 < t < 0.0349 or 0.0201 < t < 0.0249 else 0.0],
            0.05,
            0.01,
            method="RK45",
        )


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF"])
def test_a_run_that_diverges_at_once_names_its_start(method):
    with pytest.raises(DivergenceError, match=r"pole: .* at t = 0 s, after the state \[0.0\]"):
        simulate(System("pole", x, 1 / x), [0.0], None, 1.0, 0.1, method=method)


def test_a_tolerance_beyond_double_precision_is_the_least_there_is():
    runs = [simulate(SWING, [1.0, 0.0], None, 0.1, 0.1, method="RK45", rtol=rtol) for rtol in (1e-14, 1e-40)]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)


@pytest.mark.parametrize("step", [1e-9, 1e-40])
def test_too_many_steps_are_refused(step):
    with pytest.raises(cf.ArgumentError, match="steps; at most 50000000"):
        simulate(GROWTH, [1.0], None, 1.0, step)


def test_states_that_do_not_fit_into_memory_are_refused():
    with pytest.raises(cf.ArgumentError, match="numbers; at most"):
        simulate(GROWTH, np.zeros((10_000, 1)), None, 1.0, 1e-5)


@pytest.mark.parametrize("value", [math.nan, None, [1.0, 2.0], "x"])
def test_an_event_that_gives_no_number_is_named_with_its_time(value):
    late = Event(lambda t, x: value if t > 0.045 else 1.0)
    with pytest.raises(cf.ArgumentError, match=r"event: the function.* at t = 0\.05"):
        simulate(DRIVEN, [1.0], None, 0.1, 0.01, events=[late])


@pytest.mark.parametrize("value", [math.nan, [math.inf], [1.0, 2.0], None, "x", [1e300]])
def test_a_law_that_gives_no_input_is_named_with_its_time(value):
    with pytest.raises(cf.ArgumentError, match=r"driven: the input function.*t = 0\.05"):
        simulate(DRIVEN, [1.0], lambda t: value if t > 0.045 else [0.0], 0.1, 0.01)


# ------------------------------------------------------------------ trajectories


@pytest.mark.parametrize("duration", [1e60, 1e10, 1e-10, 5e-324])
def test_durations_whose_powers_overflow_are_refused(duration):
    with pytest.raises(cf.ArgumentError, match=r"duration is .*; expected a positive number of seconds"):
        tr.polynomial([0.0], [1.0], duration)


@pytest.mark.parametrize("degree", [1, 7, 21])
@pytest.mark.parametrize("duration", [1e-9, 1.0, 1e9])
def test_polynomials_of_extreme_durations_are_right(duration, degree):
    motion = tr.polynomial([-1e40], [1e40], duration, degree=degree)
    assert abs(motion(duration)[0] - 1e40) < 1e-7 * 1e40
    assert abs(motion(duration / 2)[0]) < 1e-7 * 1e40


def test_waves_whose_phase_loses_its_digits_are_refused():
    with pytest.raises(cf.ArgumentError, match="phase loses its digits"):
        tr.cosine([0.0], [1.0], [1e9], duration=1e3)
    with pytest.raises(cf.ArgumentError, match="phase loses its digits"):
        tr.fourier([0.0], [[1.0]], [[1.0]], 1e-6, duration=1e6)


def test_splines_that_lose_their_digits_are_refused():
    # steps of six orders of magnitude: the derivatives between them cancel to nothing
    t = np.cumsum([1.0, 1e-6, 1.0, 1e-6, 1.0, 1e-6, 1.0])
    with pytest.raises(cf.ArgumentError, match="beyond double precision"):
        tr.spline(t, np.arange(7.0)[:, None] % 2, degree=21)


def test_orders_are_bounded():
    wave = tr.cosine([0.0], [1.0], [1.0], duration=1.0)
    with pytest.raises(cf.ArgumentError, match="order is 10000000; expected a whole number from 0 to 100"):
        wave(0.0, order=10**7)
    with pytest.raises(cf.ArgumentError, match="derivative 100 is beyond double precision"):
        tr.cosine([0.0], [1.0], [1e5], duration=1.0)(0.3, order=100)


# ------------------------------------------------------------------ counts


@pytest.mark.parametrize(
    "call",
    [
        lambda: cf.FlexibleLink(0.5, 0.2, 1.0, modes=10**7),
        lambda: cf.FlexibleLink(0.5, 0.2, 1.0, elements=10**7),
        lambda: tr.spline([0, 1], [0, 1], degree=10**7 + 1),
        lambda: tr.fit_fourier(np.arange(4), np.arange(4), terms=10**7, period=3.0),
        lambda: tr.time_scaled(cf.load("2r"), tr.polynomial([0, 0], [1, 1], 1.0), samples=10**7),
        lambda: redundancy.Obstacle((0, 0, 0), (1, 1, 1), exponent=10**7),
        lambda: redundancy.solve(cf.load("chang3r"), [0.4, 0.1], "xy", starts=10**7),
        lambda: elastic.pole_gains([-1.0] * 30),
        lambda: elastic.pole_gains([-1.0], joints=10**7),
        lambda: cf.load("2r").random_state(0, batch=10**8),
    ],
)
def test_counts_are_bounded_and_the_bound_is_named(call):
    with pytest.raises(cf.ArgumentError, match=r"(at most|to|up to) \d+"):
        call()


def test_an_array_is_no_weight_of_a_criterion():
    with pytest.raises(cf.ArgumentError, match="weight of manipulability"):
        np.ones(2) * redundancy.manipulability()


@pytest.mark.parametrize("inputs", [None, 3, [3], [("x",)], [("x", 3)], [("x", (3,), x)], [("x", 2 * x)]])
def test_kernels_of_ones_own_need_symbols(inputs):
    with pytest.raises(cf.ArgumentError, match="mine: input"):
        compiled("mine", inputs, [("y", x)])


@pytest.mark.parametrize("outputs", ["none", "four axes", "half", "negative", "flag", "twice"])
def test_outputs_of_expressions_are_checked(outputs):
    x = ca.SX.sym("x", 2)
    given = {
        "none": [],
        "four axes": [("y", (1, 1, 1, 2), x)],
        "half": [("y", (2.0,), x)],
        "negative": [("y", (-1, -2), x)],
        "flag": [("y", (True,), x[0])],
        "twice": [("y", x), ("y", 2 * x)],
    }[outputs]
    with pytest.raises(cf.ArgumentError, match="mine: outputs"):
        compiled("mine", [("x", x)], given)


NESTED: list = []
for _ in range(10_000):
    NESTED = [NESTED]


def test_a_precision_is_float64_or_float32():
    for dtype in (NESTED, "\ud800", object, "i4"):
        with pytest.raises(cf.ArgumentError, match="is not float64 or float32"):
            cf.load("2r").kernel("mass_matrix", dtype=dtype)


def test_numbers_without_a_reciprocal_are_not_positive():
    with pytest.raises(cf.ArgumentError, match=r"shaper: frequency is 4.9.*; expected a positive number"):
        cf.flexible.InputShaper.of(5e-324)


def test_rows_of_a_log_that_are_not_finite_pass_a_transmission():
    gears = cf.identification.Transmission.of(2, reduction=[2.0, 4.0], motor_positions=True)
    assert np.isinf(gears.joint_positions([np.inf, 4.0])[0])


def test_a_page_has_a_title_and_a_kernel_a_name(tmp_path):
    with pytest.raises(cf.ArgumentError, match="page: title is ''"):
        cf.report.write_page(tmp_path / "page.html", subject=None, sections=[], name="a", title="")
    with pytest.raises(cf.ArgumentError, match="name has 1001 characters; expected 1 to 1000"):
        compiled("x" * 1001, [("x", x)], [("y", x)])


def test_poles_may_be_of_any_precision():
    assert cf.elastic.pole_gains(np.array([-5.0, -6.0], np.float16), 1)[0, 0] == 30.0


def test_an_empty_command_is_not_shaped():
    with pytest.raises(cf.ArgumentError, match=r"command has shape \(2, 0\)"):
        cf.flexible.InputShaper.of(1.0)(np.zeros((2, 0)), 0.1)


def test_letters_are_chosen_by_name():
    giant = np.broadcast_to(np.float64(0), (10**12,))
    for subject in (cf.load("2r"), cf.FlexibleArm.deluca_siciliano()):
        with pytest.raises(cf.ArgumentError, match=r"symbolic is .*; expected True, False or some of"):
            subject.equations("mass_matrix", symbolic=giant)


def test_rows_of_a_task_are_no_durations():
    with pytest.raises(cf.UnknownNameError, match="task row"):
        redundancy.solve(cf.load("chang3r"), [0.4, 0.1], task=[np.timedelta64(3), np.timedelta64(4)])
