"""Simulation of an arm under PD control with friction against MuJoCo and Pinocchio; laws in control loops."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco import rollout

import closedform as cf
from closedform.report.robot.pinocchio_model import peer_of

from .timing import interleaved

Array = np.ndarray

DURATION, STEP = 5.0, 1e-3
FRICTION, DAMPING, ROTORS = (3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0), 0.5, 0.1
KP, KD = (600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0), (50.0, 50.0, 50.0, 50.0, 30.0, 25.0, 15.0)
START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
MOST_MS, MOST_DRIFT, MOST_US = 10.0, 1e-8, 1.0


def run(quick: bool = False) -> dict[str, Any]:
    """Print the figures of motion and control next to their targets and return them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        arm = cf.load("panda").with_armature(ROTORS).with_friction(FRICTION).with_damping(DAMPING)
    seconds = 1.0 if quick else 4.0
    return {"simulation": _simulation(arm, seconds), "energy": _energy(arm), "laws": _laws(arm, seconds)}


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def _simulation(arm: cf.Robot, seconds: float) -> dict[str, float]:
    """Time 5 s at 1 kHz: ours with the whole loop in machine code, MuJoCo's in C, Pinocchio's in Python."""
    goal = START + 0.3
    law = cf.control.PDGravity(arm, KP, KD)

    def ours() -> Any:
        return arm.simulate(START, law=law, reference=goal, duration=DURATION, step=STEP, friction=True)

    bare = arm.with_armature(0.0)

    def stiff() -> Any:
        options = {"reference": goal, "duration": DURATION, "step": STEP, "friction": True}
        return bare.simulate(START, law=law, method="rosenbrock", **options)

    contestants = {
        "ours": ours,
        "ours, no rotors, rosenbrock": stiff,
        **_mujoco(arm, goal),
        "Pinocchio": _pinocchio(arm, goal),
    }
    times = {name: 1e3 * each for name, each in interleaved(contestants, seconds=seconds).items()}
    run = ours()
    still = bool((run.q[-1][run.qd[-1] == 0] == run.q[-2][run.qd[-1] == 0]).all())
    met = _verdict(times["ours"] < MOST_MS)
    print(f"panda, PD and friction, 5 s at 1 kHz: {times['ours']:.1f} ms  target {MOST_MS:g} {met}")
    print(f"    {int((run.qd[-1] == 0).sum())} of 7 joints stuck at the end, bit for bit: {still}")
    for name, each in times.items():
        if name != "ours":
            print(f"    {name}: {each:.1f} ms, {each / times['ours']:.1f} times as long")
    return times


def _mujoco(arm: cf.Robot, goal: Array) -> dict[str, Callable[[], Any]]:
    """Return MuJoCo's own loop with position servos, gravity compensated, in two of its methods."""
    path = Path(tempfile.mkdtemp()) / "panda.xml"
    arm.to_mjcf(path)
    spec = mujoco.MjSpec.from_file(str(path))
    for body in spec.bodies:
        body.gravcomp = 1.0
    for joint, kp, kd in zip(spec.joints, KP, KD, strict=True):
        servo = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=kp, kv=kd)
    spec.option.timestep = STEP
    calls = {}
    for name in ("RK4", "IMPLICITFAST"):
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{name}")
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[:] = START
        size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state = np.empty(size)
        mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        control = np.tile(goal, (1, round(DURATION / STEP), 1))

        def call(model: Any = model, data: Any = data, state: Array = state, control: Array = control) -> Any:
            return rollout.rollout(model, data, initial_state=state[None], control=control)

        calls[f"MuJoCo {name}"] = call
    return calls


def _pinocchio(arm: cf.Robot, goal: Array) -> Callable[[], Array]:
    """Return a loop in Python over Pinocchio's forward dynamics: one Euler step each, friction by sign."""
    peer = peer_of(arm.model)
    model, data = peer.model, peer.data
    kp, kd, friction = np.array(KP), np.array(KD), np.array(FRICTION)

    def call() -> Array:
        q, v = START.copy(), np.zeros(7)
        for _ in range(round(DURATION / STEP)):
            tau = kp * (goal - q) - kd * v + pin.computeGeneralizedGravity(model, data, q)
            v = v + STEP * pin.aba(model, data, q, v, tau - friction * np.sign(v) - DAMPING * v)
            q = q + STEP * v
        return q

    return call


def _energy(arm: cf.Robot) -> dict[str, float]:
    """Compare the energy of free motions from ten random states with that at their start."""
    bare = arm.with_armature(0.0)
    drifts = {}
    for name, robot, method in (
        ("rotors", arm, None),
        ("no rotors", bare, None),
        ("no rotors, rk4", bare, "rk4"),
    ):
        worst = 0.0
        for seed in range(10):
            q, qd, _ = robot.random_state(seed)
            run = robot.simulate(q, qd, duration=DURATION, step=STEP, method=method)
            worst = max(worst, float(np.abs(run.energy - run.energy[0]).max() / np.abs(run.energy).max()))
        drifts[name] = worst
        met = "" if method else f"  target {MOST_DRIFT:g} {_verdict(worst < MOST_DRIFT)}"
        print(f"energy over 5 s at 1 kHz, {name}: {worst:.1e}{met}")
    return drifts


def _laws(arm: cf.Robot, seconds: float) -> dict[str, float]:
    """Time bound calls of the laws."""
    q, qd, zero, tau = START + 0.1, np.full(7, 0.2), np.zeros(7), np.empty(7)
    goal, twist = np.ascontiguousarray(arm.pose(START)), np.zeros(6)
    stiffness, damping = [30.0] * 3 + [500.0] * 3, [3.0] * 3 + [50.0] * 3
    posture = {"posture": START, "posture_stiffness": 5.0, "posture_damping": 1.0}
    inertia = [0.1] * 3 + [5.0] * 3
    impedance = cf.control.Impedance
    calls = {
        "PD plus gravity": cf.control.PDGravity(arm, KP, KD).bind(q, qd, START, zero, out=tau),
        "computed torque": cf.control.ComputedTorque(arm, 400.0).bind(q, qd, START, zero, zero, out=tau),
        "impedance": impedance(arm, stiffness, damping).bind(q, qd, goal, twist, out=tau),
        "impedance, null space, inertia": impedance(arm, stiffness, damping, inertia=inertia, **posture).bind(
            q, qd, goal, twist, out=tau
        ),
    }
    times = {name: 1e6 * each for name, each in interleaved(calls, seconds=seconds / 4).items()}
    for name, each in times.items():
        print(f"bound call, {name}: {each:.2f} us  target {MOST_US:g} {_verdict(each < MOST_US)}")
    return times
