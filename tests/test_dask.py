"""Calls on dask arrays: which chunks make a task, what is refused, and records of lazy arrays."""

from __future__ import annotations

import math
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

import casadi as ca
import dask
import dask.array as da
import numpy as np
import pytest

import closedform as cf
from closedform.elastic import Feedforward, Spread, monte_carlo
from closedform.guests import dask_parcels
from closedform.guests.dask_arrays import PER_CODE_BYTE, PER_RESULT_BYTE
from closedform.guests.dask_chunks import cut, grouped
from closedform.guests.dask_parcels import Parcel
from closedform.guests.dask_tasks import SENSIBLE_BYTES, TASK_BYTES, TASK_SECONDS
from closedform.integration import System, simulate

LOCK = threading.Lock()
SYNCHRONOUS = {"scheduler": "synchronous"}


def computed(lazy: Any) -> Any:
    return dask.compute(lazy, **SYNCHRONOUS)[0]


def assert_same_record(ours: Any, theirs: Any) -> None:
    for each in fields(theirs):
        one, other = getattr(ours, each.name), getattr(theirs, each.name)
        if isinstance(other, np.ndarray):
            np.testing.assert_array_equal(one, other)


# ------------------------------------------------------------------ chunks and tasks


@pytest.mark.parametrize("lengths", [(1,) * 100, (7, 1, 30, 2, 2, 2, 50, 3), (1000,), (0, 5, 0, 5)])
@pytest.mark.parametrize("least", [0, 1, 10, 64, 1e6])
def test_groups_keep_the_order_and_are_long_enough(lengths: tuple[int, ...], least: float) -> None:
    (groups,) = grouped((lengths,), least, 10**9)
    assert tuple(each for group in groups for each in group) == lengths
    assert len(groups) == 1 or all(sum(group) >= least for group in groups)


def test_the_last_axes_are_joined_first() -> None:
    joined = grouped(((5, 5), (10, 10, 10)), 100, 10**9)
    assert joined == (((5,), (5,)), ((10, 10, 10),))
    assert grouped(((5, 5), (10, 10, 10)), 200, 10**9) == (((5, 5),), ((10, 10, 10),))


def test_chunks_are_cut_and_not_joined_beyond_what_fits() -> None:
    pieces = cut(((100, 7), (30,)), 300)
    assert [sum(pieces[0]), sum(pieces[1])] == [107, 30]
    assert max(pieces[0]) * max(pieces[1]) <= 300
    assert max(map(math.prod, [(max(map(sum, axis)),) for axis in grouped(((4,) * 50,), 1e9, 20)])) <= 20


def estimated_seconds(kernel: cf.Kernel, samples: int) -> float:
    stored = sum(8 * math.prod(core) for core in kernel.output_shapes)
    return samples * (PER_CODE_BYTE * kernel.code_size + PER_RESULT_BYTE * stored)


def test_small_chunks_make_tasks_of_a_tenth_of_a_second() -> None:
    arm = cf.load("2r")
    q = da.zeros((20_000_000, 2), chunks=(20_000, 2))
    lazy = arm.mass_matrix(q)
    kernel = arm.kernel("mass_matrix")
    assert sum(lazy.chunks[0]) == len(q)
    for samples in lazy.chunks[0]:
        assert TASK_SECONDS <= estimated_seconds(kernel, samples) < 2.1 * TASK_SECONDS
        assert samples * 6 * 8 <= TASK_BYTES


def test_sensible_chunks_stay_and_huge_ones_are_cut() -> None:
    arm = cf.load("2r")
    samples = SENSIBLE_BYTES // (6 * 8) + 1
    q = da.zeros((3 * samples, 2), chunks=(samples, 2))
    assert arm.mass_matrix(q).chunks[0] == q.chunks[0]
    q = da.zeros((10**9, 2), chunks=(-1, 2))
    assert max(arm.mass_matrix(q).chunks[0]) * 6 * 8 <= TASK_BYTES


@pytest.mark.parametrize("seconds", [0, 1e-7, 1e-6, 1])
@pytest.mark.parametrize("chunks", [((3, 4), (1, 5, 4)), ((7,), (10,)), ((1,) * 7, (2,) * 5)])
def test_any_chunks_give_the_numbers_of_numpy(seconds: float, chunks: Any) -> None:
    arm = cf.load("2r")
    q, qd, qdd = arm.random_state(0, batch=(7, 10))
    lazy = da.from_array(q, chunks=(*chunks, 1)), da.from_array(qd, chunks=(2, 3, 2)), qdd[0].tolist()
    with dask.config.set({"closedform.task-seconds": seconds}):
        ours = arm.inverse_dynamics_derivatives(*lazy)
        energy = arm.kinetic_energy(*lazy[:2])
    for one, other in zip(computed(ours), arm.inverse_dynamics_derivatives(q, qd, qdd[0]), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(computed(energy), arm.kinetic_energy(q, qd))
    with dask.config.set({"closedform.task-bytes": "1 kB", "closedform.task-seconds": seconds}):
        cut_up = arm.inverse_dynamics(*lazy)
    assert max(cut_up.chunks[0]) * max(cut_up.chunks[1]) * 4 * 2 * 8 <= 1000
    np.testing.assert_array_equal(computed(cut_up), arm.inverse_dynamics(q, qd, qdd[0]))


def test_a_single_sample_and_none_are_lazy_too() -> None:
    arm = cf.load("2r")
    q = np.array([0.3, 0.4])
    np.testing.assert_array_equal(computed(arm.mass_matrix(da.from_array(q))), arm.mass_matrix(q))
    assert computed(arm.potential_energy(da.from_array(q))) == arm.potential_energy(q)
    assert computed(arm.mass_matrix(da.zeros((0, 2)))).shape == (0, 2, 2)


def test_equal_calls_have_equal_names() -> None:
    q = da.zeros((10, 2), chunks=5)
    first, again = (cf.load("2r").mass_matrix(q) for _ in range(2))
    assert first.name == again.name
    assert first.name != cf.load("2r").gravity_torque(q).name


class Blocks(np.ndarray):
    """Stands for an array of another library, as CuPy's: a type of its own in dask's chunks."""


def test_chunks_of_another_kind_stay_what_they_are() -> None:
    q = da.from_array(np.zeros((10, 2)), chunks=5).map_blocks(lambda x: x.view(Blocks), meta=Blocks((0, 0)))
    assert isinstance(cf.load("2r").mass_matrix(q)._meta, Blocks)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (da.ones((10, 3), chunks=5), r"q has shape \(10, 3\); expected \(\.\.\., 2\)"),
        (da.ones((), chunks=()), r"q has shape \(\); expected"),
        (da.ones((4, 2), dtype=complex), "q has dtype complex128; expected reals"),
        (da.ones((4, 2), dtype="U3"), "q has dtype <U3"),
        (da.ones((4, 2))[da.ones(4) > 0], r"chunks of q have unknown sizes; say q\.compute_chunk_sizes\(\)"),
    ],
)
def test_wrong_arrays_are_refused_before_anything_is_computed(given: Any, said: str) -> None:
    with pytest.raises(cf.ArgumentError, match=said):
        cf.load("2r").mass_matrix(given)


def test_what_goes_along_is_refused_as_well() -> None:
    arm, q = cf.load("2r"), da.zeros((10, 2), chunks=5)
    with pytest.raises(cf.ArgumentError, match="batch shapes do not broadcast: q "):
        arm.coriolis_matrix(q, np.zeros((7, 2)))
    with pytest.raises(cf.ArgumentError, match="qd is ragged"):
        arm.coriolis_matrix(q, [[1], [2, 3]])
    with pytest.raises(cf.ArgumentError, match="threads is 0"):
        arm.mass_matrix(q, threads=0)
    with pytest.raises(cf.ArgumentError, match="out= does not go with dask arrays"):
        arm.mass_matrix(q, out=np.zeros((10, 2, 2)))


def test_records_refuse_what_numpy_arrays_would_be_refused_for() -> None:
    arm, q = cf.load("2r"), da.zeros((6, 2), chunks=3)
    poses = da.zeros((5, 3, 3))
    for call, said in (
        (lambda: arm.inverse_kinematics(poses), r"pose has shape \(5, 3, 3\); the task"),
        (lambda: cf.redundancy.solve(cf.load("chang3r"), q, "xyz"), "target has shape"),
        (lambda: cf.redundancy.solve(cf.load("chang3r"), q, "xy", kind="best"), "kind"),
        (lambda: arm.simulate(da.zeros((6, 3))), r"q0 has shape \(6, 3\); expected \(\.\.\., 2\)"),
        (lambda: arm.simulate(q, phi=np.zeros((4, 20))), "batches do not broadcast: q0 .6,., phi .4,."),
        (lambda: arm.simulate(q, progress=print), "progress= does not go with dask arrays"),
        (lambda: arm.simulate(q, duration="long"), "duration"),
        (lambda: arm.simulate(q, [[1], [2, 3]]), "qd0 is ragged"),
        (lambda: arm.inverse_kinematics([[1], [2, 3]], q0=q), "pose is ragged"),
        (lambda: arm.simulate(q.astype(complex)), "q0 has dtype complex128"),
        (lambda: arm.simulate(q, events=[cf.integration.Event(lambda t, x: x[0])]), "single runs"),
        (lambda: arm.simulate(q[da.zeros(6) < 1]), r"chunks of q0 have unknown sizes"),
        (lambda: arm.simulate(q, law=lambda t, q, qd, lock=LOCK: q), "cannot travel"),
    ):
        with pytest.raises(cf.ClosedFormError, match=said):
            call()


# ------------------------------------------------------------------ parcels

MADE: list[int] = []


def made() -> Any:
    MADE.append(1)
    return Counted()


class Counted:
    """A function that is made anew wherever it is unpacked."""

    def __call__(self, x: int) -> int:
        return x + 1

    def __reduce__(self) -> tuple[Any, ...]:
        return made, ()


@pytest.mark.parametrize("first_call_compiles", [True, False])
def test_a_parcel_is_opened_once_for_all_tasks_and_threads(first_call_compiles: bool) -> None:
    MADE.clear()
    content = pickle.dumps(Parcel(Counted(), first_call_compiles=first_call_compiles))
    dask_parcels._OPEN.clear()

    def opened(k: int) -> int:
        return pickle.loads(content)(k)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(opened, range(100)))
    assert results == list(range(1, 101))
    assert MADE == [1]


def test_a_parcel_whose_first_call_fails_is_tried_again() -> None:
    parcel = pickle.loads(pickle.dumps(Parcel(Counted())))
    dask_parcels._OPEN.clear()
    with pytest.raises(TypeError):
        parcel("no number")
    assert parcel(1) == 2


def test_only_so_many_parcels_stay_open() -> None:
    dask_parcels._OPEN.clear()
    for k in range(dask_parcels.KEPT + 3):
        assert pickle.loads(pickle.dumps(Parcel(lambda x, k=k: x + k)))(1) == 1 + k
    assert len(dask_parcels._OPEN) == dask_parcels.KEPT


# ------------------------------------------------------------------ records


def test_chunks_that_take_long_are_shared() -> None:
    arm = cf.load("chang3r")
    lazy = cf.redundancy.solve(arm, da.zeros((10**6, 2), chunks=(10**6, 2)), "xy")
    assert lazy.q.numblocks == (*lazy.status.numblocks, 1) == (37, 1)
    with dask.config.set({"closedform.task-seconds": 0}):
        assert cf.redundancy.solve(arm, da.zeros((10**6, 2), chunks=(10**6, 2)), "xy").q.numblocks == (1, 1)


def test_all_branches_of_poses_are_lazy() -> None:
    arm = cf.load("puma560")
    poses = arm.pose(arm.random_state(0, batch=(3, 4))[0])
    poses[1, 2, :3, 3] += 9
    lazy = arm.inverse_kinematics(da.from_array(poses, chunks=(2, 3, 4, 4)))
    assert repr(lazy) == "<Solutions: 12 poses, still to be computed: say dask.compute(solutions)>"
    assert lazy.branches.shape == (3, 4, 8, 6)
    assert_same_record(computed(lazy), arm.inverse_kinematics(poses))


def test_several_frames_may_be_lazy() -> None:
    arm = cf.load("2r")
    q = arm.random_state(0, batch=6)[0]
    places = {"link1": arm.pose(q, "link1"), "tool": arm.pose(q, "tool")}
    lazy = {name: da.from_array(each, chunks=(4, 4, 4)) for name, each in places.items()}
    ours = computed(arm.inverse_kinematics(lazy, q0=da.from_array(q, chunks=3)))
    assert_same_record(ours, arm.inverse_kinematics(places, q0=q))


def test_transitions_of_lazy_runs_have_the_numbers_of_their_runs() -> None:
    arm = cf.load("2r").with_friction([8.0, 3.0])
    q0, qd0 = arm.random_state(0, batch=(2, 4))[:2]
    given = {"duration": 0.2, "friction": True, "step": 5e-3}
    with dask.config.set({"closedform.task-seconds": 0}):
        lazy = arm.simulate(da.from_array(q0, chunks=(1, 3, 2)), qd0, **given)
    ours, theirs = computed(lazy), arm.simulate(q0, qd0, **given)
    assert "still to be computed" in repr(lazy)
    assert theirs.transitions
    assert sorted(theirs.transitions) == list(ours.transitions)
    assert_same_record(ours, theirs)


def test_laws_of_elastic_joints_meet_lazy_plants() -> None:
    arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=0.05, degree=7)
    controls, spread = {"PD": Feedforward(arm, [-20, -20])}, Spread(stiffness=0.2, payload=1.0)
    theirs = monte_carlo(controls, move, spread, runs=10, seed=3, step=5e-4)
    plants = spread.draw(arm, 10, np.random.default_rng(3))
    lazy = da.from_array(plants, chunks=(3, 24))
    for ours in (
        monte_carlo(controls, move, plants, step=5e-4),
        monte_carlo(controls, move, lazy, step=5e-4),
    ):
        np.testing.assert_array_equal(computed(ours).errors["PD"], theirs.errors["PD"])
    for given, said in (
        ({"spread": lazy}, "step is None; expected a number"),
        ({"spread": lazy, "step": 1e-3, "progress": print}, "progress is"),
        ({"spread": lazy[:, 1:], "step": 1e-3}, r"spread has shape \(10, 23\); expected \(\.\.\., 24\)"),
        ({"spread": -plants}, "not positive"),
        ({"spread": plants[:0]}, "no plants"),
    ):
        with pytest.raises(cf.ArgumentError, match=said):
            monte_carlo(controls, move, **given)


def test_flexible_arms_take_lazy_states_and_torques() -> None:
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0))
    rng = np.random.default_rng(0)
    q0, torque = rng.normal(size=(6, 2)) * [1, 1e-3], rng.normal(size=(6, 10, 1))
    lazy = arm.simulate(da.from_array(q0, chunks=2), None, da.from_array(torque, chunks=(4, 5, 1)), 0.01)
    assert lazy.joints.shape == (6, 11, 1)
    assert_same_record(computed(lazy), arm.simulate(q0, None, torque, 0.01))


def test_systems_take_lazy_states_parameters_and_inputs() -> None:
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    system = System("oscillator", x, ca.vertcat(x[1], -p * x[0] + u), u, p)
    rng = np.random.default_rng(0)
    x0, parameters, inputs = (
        rng.normal(size=(5, 2)),
        rng.uniform(1, 2, (3, 1, 1)),
        rng.normal(size=(5, 20, 1)),
    )
    lazy = simulate(
        system,
        da.from_array(x0, chunks=2),
        da.from_array(inputs, chunks=(3, 7, 1)),
        0.02,
        parameters=da.from_array(parameters, chunks=1),
    )
    ours, theirs = computed(lazy), simulate(system, x0, inputs, 0.02, parameters=parameters)
    np.testing.assert_array_equal(ours.x, theirs.x)
    np.testing.assert_array_equal(ours.u, np.broadcast_to(theirs.u, (3, *theirs.u.shape)))
