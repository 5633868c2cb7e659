"""On a cluster of two worker processes: results equal NumPy's to the last bit, also if a worker is killed."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import closedform as cf

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes of one thread each; small tasks, so that there are some for both."""
    patient = {"logging.distributed": "critical", "distributed.comm.timeouts.connect": "300s"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture(autouse=True)
def short_tasks() -> Iterator[None]:
    with dask.config.set({"closedform.task-seconds": 0}):
        yield


def chunked(array: np.ndarray, rows: int = 5) -> da.Array:
    return da.from_array(array, chunks=(rows, *array.shape[1:]))


def assert_same(ours: Any, theirs: Any) -> None:
    """Assert that two arrays, tuples or records of arrays are equal to the last bit."""
    if hasattr(theirs, "__dataclass_fields__"):
        for each in fields(theirs):
            if each.name not in ("robot", "torques"):
                assert_same(getattr(ours, each.name), getattr(theirs, each.name))
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours == theirs


def kernels() -> list[cf.Kernel]:
    arm = cf.load("2r")
    bending = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0))
    springy = cf.ElasticJointRobot(arm, 1e3, 0.1, 1.0)
    return [
        arm.kernel("mass_matrix", phi=True),
        arm.kernel("inverse_dynamics_derivatives"),
        bending.kernel("potential_energy"),
        springy.kernel("forward_dynamics"),
    ]


def test_forms_of_every_owner_equal_numpy(client: Any) -> None:
    rng = np.random.default_rng(0)
    for kernel in kernels():
        arrays = [rng.normal(size=(20, *core)) for core in kernel.input_shapes]
        ours, theirs = dask.compute(kernel(*map(chunked, arrays)))[0], kernel(*arrays)
        assert type(ours) is type(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)


def test_inverse_kinematics_equals_numpy(client: Any) -> None:
    arm = cf.load("chang3r")
    targets = arm.pose(arm.random_state(0, batch=20)[0])[:, :2, 3]
    targets[3] = 100.0
    lazy = cf.redundancy.solve(arm, chunked(targets), "xy")
    assert "20 targets, still to be computed" in str(lazy)
    assert_same(dask.compute(lazy)[0], cf.redundancy.solve(arm, targets, "xy"))


def test_simulations_of_many_plants_equal_numpy(client: Any) -> None:
    arm = cf.load("2r")
    q0, qd0 = arm.random_state(0, batch=8)[:2]
    payload = arm.with_payload(1.0, (0.1, 0.0, 0.0)).phi - arm.phi
    phi = arm.phi + np.linspace(0, 2, 8)[:, None] * payload
    run = partial(arm.simulate, duration=0.05, law=cf.control.PDGravity(arm, kp=[50, 20], kd=[5, 2]))
    run = partial(run, reference=np.zeros(2))
    lazy = run(chunked(q0, 3), qd0, phi=chunked(phi, 4))
    ours, theirs = dask.compute(lazy)[0], run(q0, qd0, phi=phi)
    assert_same(ours, theirs)
    assert_same(ours.tau, theirs.tau)
    assert_same(lazy.energy.compute(), theirs.energy)


def killed_once(marker: Path, block: np.ndarray) -> np.ndarray:
    """Return a block; the first process that is asked for it is killed."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_an_identification_of_many_logs_equals_that_of_one_process(client: Any, tmp_path: Path) -> None:
    """Workers are processes here, which read the files themselves; the current client is found."""
    arm = cf.load("2r")
    t = np.arange(1000) / 100
    for k in range(4):
        w = np.array([1.0, 1.7]) + 0.2 * k
        q = np.sin(np.outer(t, w)) + 0.5 * np.cos(np.outer(t, 2.3 * w))
        qd, qdd = (
            np.cos(np.outer(t, w)) * w - 1.15 * np.sin(np.outer(t, 2.3 * w)) * w,
            -np.sin(np.outer(t, w)) * w**2 - 2.645 * np.cos(np.outer(t, 2.3 * w)) * w**2,
        )
        np.savez(tmp_path / f"run{k}.npz", t=t, q=q, tau=arm.inverse_dynamics(q, qd, qdd) + 0.5 * qd)
    viscous = cf.identification.FrictionTerms(coulomb=None)
    there = cf.identify(arm, tmp_path, friction=viscous, physical=False, lag=0.0)
    here = cf.identify(arm, tmp_path, friction=viscous, physical=False, lag=0.0, client=None)
    np.testing.assert_allclose(there.values, here.values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(there.standard_errors, here.standard_errors, rtol=1e-8, atol=1e-12)


def test_a_killed_worker_and_one_worker_alone_change_nothing(client: Any, tmp_path: Path) -> None:
    robot = cf.load("2r")
    arrays = robot.random_state(0, batch=40)
    q, qd, qdd = map(chunked, arrays)
    expected = robot.inverse_dynamics(*arrays)
    before = set(client.run(os.getpid).values())
    deadly = q.map_blocks(partial(killed_once, tmp_path / "killed"), dtype=float, meta=np.empty((0, 0)))
    assert_same(robot.inverse_dynamics(deadly, qd, qdd).compute(), expected)
    client.wait_for_workers(2)
    assert len(before & set(client.run(os.getpid).values())) == 1
    (alone, *_) = client.run(os.getpid)
    later = client.compute(robot.inverse_dynamics(q, qd, qdd), workers=[alone], allow_other_workers=False)
    assert_same(later.result(), expected)


def test_a_task_is_a_few_kilobytes_and_named_after_its_form() -> None:
    arm = cf.load("panda")
    q = da.zeros((20, 7), chunks=(5, 7))
    for seconds in (0, 1e-9):
        with dask.config.set({"closedform.task-seconds": seconds}):
            (lazy,) = dask.optimize(arm.gravity_torque(q))
        tasks = [(key, task) for key, task in dict(lazy.dask).items() if key[0] == lazy.name]
        assert tasks
        assert all(dask.utils.key_split(key) == "GravityTorque-panda" for key, _ in tasks)
        assert all(len(pickle.dumps(task)) < 6000 for _, task in tasks)


def test_workers_are_checked(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(cf.cluster.check_workers(client).values()) == {cf.__version__}
    monkeypatch.setattr(cf, "__version__", "99")
    with pytest.raises(cf.ClosedFormError, match=r"2 of 2 workers do not have closedform 99: tcp.* has '0"):
        cf.cluster.check_workers(client)
    late = cf.load("2r").mass_matrix(da.zeros((4, 2), chunks=(2, 2)))
    with pytest.raises(cf.ClosedFormError, match=r"worker tcp.* has closedform 0.*made with 99: install"):
        late.compute()


def test_a_worker_without_the_library_is_named() -> None:
    class Client:
        def run(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"tcp://a": cf.__version__, "tcp://b": ModuleNotFoundError("none", name="closedform")}

    with pytest.raises(cf.ClosedFormError, match=r"1 of 2 workers .*: tcp://b has no closedform. Install"):
        cf.cluster.check_workers(Client())
