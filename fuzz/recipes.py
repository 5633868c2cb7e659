"""A valid call of every public callable: what the attack on arguments spoils."""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

import closedform as cf
from closedform import (
    cluster,
    control,
    convert,
    description,
    elastic,
    equations,
    flexible,
    identification,
    integration,
    inverse_kinematics,
    kernels,
    redundancy,
    report,
    simulation,
    trajectory,
)
from closedform.report import SECTIONS
from oracles.legged_motion import skater_log
from oracles.mechanisms import four_bar

from .inventory import public_callables


class Call(NamedTuple):
    """A function and valid arguments for it."""

    function: Callable[..., Any]
    positional: list[Any]
    named: dict[str, Any]


def call(function: Callable[..., Any], *positional: Any, **named: Any) -> Call:
    """Return a call that is not made yet."""
    return Call(function, list(positional), named)


@cache
def place() -> Path:
    """Return a folder for what the calls write."""
    return Path(tempfile.mkdtemp(prefix="closedform-fuzz-"))


# ------------------------------------------------------------------ small things to call on


class StillCluster:
    """Stands for a client of a cluster with one worker that has this library."""

    def run(self, function: Callable[..., Any], *arguments: Any, on_error: str) -> dict[str, str]:
        return {"tcp://worker": cf.__version__}


class StillModel:
    """Stands for Pinocchio's model of the arm, with the joints in another order."""

    names = ("universe", "joint2", "joint1")
    joints = tuple(SimpleNamespace(idx_q=k, nq=n, idx_v=k, nv=n) for k, n in ((-1, 0), (0, 1), (1, 1)))
    inertias = (SimpleNamespace(toDynamicParameters=partial(np.ones, 10)),) * 3


class StillJoints:
    """Stands for MuJoCo's model and Drake's plant of the floating arm, with the joints in another order."""

    njnt = 3
    jnt_type = (0, 3, 3)
    jnt_qposadr = (0, 7, 8)
    jnt_dofadr = (0, 6, 7)
    names = ("base", "joint2", "joint1")

    def joint(self, number: int) -> Any:
        return SimpleNamespace(name=self.names[number])

    def GetJointIndices(self) -> range:
        return range(self.njnt)

    def get_joint(self, number: int) -> Any:
        nq, nv = ((7, 6), (1, 1), (1, 1))[number]
        return SimpleNamespace(
            name=lambda: self.names[number],
            position_start=lambda: self.jnt_qposadr[number],
            num_positions=lambda: nq,
            velocity_start=lambda: self.jnt_dofadr[number],
            num_velocities=lambda: nv,
        )


@cache
def arm() -> cf.Robot:
    return cf.load("2r")


@cache
def flying() -> cf.Robot:
    """Return the arm on a body that floats."""
    return cf.load("2r", floating_base=True)


@cache
def drake() -> convert.Drake:
    return convert.Drake(flying(), StillJoints())


@cache
def isaac() -> convert.Isaac:
    return convert.Isaac(flying(), ["joint2", "joint1"], quaternion="wxyz", com=(0.1, 0, 0))


@cache
def socket() -> cf.Robot:
    """Return a body on a ball joint."""
    return cf.load("spherical_pendulum")


@cache
def pinocchio() -> convert.Pinocchio:
    return convert.Pinocchio(arm(), StillModel())


@cache
def rough() -> cf.Robot:
    return arm().with_friction(0.3).with_damping(0.1)


@cache
def planar() -> cf.Robot:
    return cf.load("chang3r")


@cache
def wrist() -> cf.Robot:
    return cf.load("puma560")


@cache
def bending() -> cf.FlexibleArm:
    return cf.FlexibleArm([cf.FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)])


@cache
def named() -> flexible.Coefficients:
    return cf.FlexibleArm.deluca_siciliano().coefficients()


@cache
def bent() -> flexible.ArmMotion:
    return bending().simulate([0.0, 0.01], None, None, 0.02, 1e-3)


@cache
def springy() -> cf.ElasticJointRobot:
    return cf.ElasticJointRobot(arm(), 1e3, 0.1, 1.0)


@cache
def mechanism() -> cf.ClosedRobot:
    return four_bar()


@cache
def touching() -> cf.ContactRobot:
    return arm().with_contacts([cf.Contact(arm().frame_names[-1], "surface", (0, 1, 0))])


@cache
def law() -> elastic.Feedforward:
    return elastic.Feedforward(springy(), [-20, -20])


@cache
def pulling() -> control.PDGravity:
    return control.PDGravity(arm(), 50.0, 5.0)


@cache
def learning() -> control.AdaptiveControl:
    return control.AdaptiveControl(arm(), 5.0, 5.0, 0.1)


def held(**options: Any) -> dict[str, Any]:
    """Return the options of a short simulation with everything in it."""
    return {
        "q0": [0.1, 0.2],
        "qd0": [0.3, -0.1],
        "law": pulling(),
        "duration": 0.02,
        "step": 1e-3,
        "reference": [0.5, 0.5],
        "rate": None,
        "friction": True,
        "stops": False,
        "restitution": 0.5,
        "effort_limits": False,
        "wrenches": {"tool": np.zeros(6)},
        "wrench_reference": "body",
        "phi": arm().phi,
        "method": "rk4",
        "events": (),
        "progress": lambda part: None,
        **options,
    }


@cache
def decoupled() -> elastic.Decoupling:
    return elastic.Decoupling(springy(), [-20, -21, -22, -23])


@cache
def move() -> trajectory.PiecewisePolynomial:
    return trajectory.polynomial([0.0, 0.0], [0.5, -0.5], 0.05)


@cache
def wave() -> trajectory.Harmonic:
    return trajectory.cosine([0.0, 1.0], [0.5, 0.2], [1.0, 0.5], duration=2.0)


@cache
def paced() -> Any:
    slow = trajectory.polynomial([0, 0], [1.5, 1.0], duration=1.0)
    return trajectory.time_scaled(arm(), slow, torque=[60, 25], count=4, samples=20)


@cache
def oscillator() -> integration.System:
    x, u = ca.SX.sym("x", 2), ca.SX.sym("u", 1)
    return integration.System("oscillator", x, ca.vertcat(x[1], u - x[0]), u)


@cache
def mjcf() -> Path:
    return arm().to_mjcf(fresh(".xml"))


@cache
def record() -> dict[str, np.ndarray]:
    t = np.arange(0, 4, 0.01)
    q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    qd = np.gradient(q, t, axis=0)
    tau = arm().inverse_dynamics(q, qd, np.gradient(qd, t, axis=0)) + 0.5 * qd
    return {"t": t, "q": q, "tau": tau}


@cache
def found() -> identification.Identification:
    return cf.identify(arm(), dict(record()), friction=identification.FrictionTerms(coulomb=None))


@cache
def log() -> identification.Log:
    return identification.read_log(dict(record()), arm())


@cache
def six_joint_motion() -> identification.Excitation:
    return cf.excitation(cf.load("ur5"), period=4.0, terms=2, starts=1, iterations=1)


@cache
def legged() -> tuple[cf.Robot, dict[str, np.ndarray]]:
    return skater_log(duration=4.0, rate=100.0)


@cache
def legged_found() -> identification.FloatingIdentification:
    return identification.identify_floating(*legged(), friction=None, rotors=False, physical=False)


@cache
def base() -> identification.BaseParameters:
    return cf.base_parameters(arm())


@cache
def exciting() -> identification.Excitation:
    return cf.excitation(arm(), period=4.0, terms=2, starts=1, iterations=2, **BOUNDS)


BOUNDS = {"lower": [-2.0, -2.0], "upper": [2.0, 2.0], "velocity": 3.0, "torque": 500.0}


@cache
def hub() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(0.0, 1.0, 0.02)
    angle = 0.2 * np.sin(5 * t)
    return t, angle, flexible.HubDrivenFit(2.0, 0.1, 1.0, 0.05, 0.0, 0.0).predict(t, angle)


@cache
def written() -> equations.Equations:
    return arm().equations("mass_matrix", symbolic=True)


@cache
def watching() -> elastic.MotorObserver:
    return elastic.MotorObserver(springy(), [-60, -61, -62, -63, -64], rate=500.0)


@cache
def balance() -> elastic.MomentumObserver:
    return elastic.MomentumObserver(springy(), [-60.0])


@cache
def robust() -> elastic.Robustness:
    return elastic.monte_carlo({"PD": law()}, move(), elastic.Spread(0.2), runs=3)


@cache
def study() -> report.Study:
    return report.Study(arm(), 1.0, 20, False, 1e-4, 10)


@cache
def saved() -> Path:
    path = place() / "found.json"
    found().save(path)
    return path


@cache
def gains() -> identification.DriveGains:
    return identification.drive_gains(arm(), dict(record()), cutoff=5.0)


@cache
def saved_gains() -> Path:
    path = place() / "gains.json"
    gains().save(path)
    return path


@cache
def bending_file() -> Path:
    path = place() / "bending.toml"
    path.write_text("[[links]]\nlength = 0.5\ndensity = 0.2\nrigidity = 1.0\n")
    return path


@cache
def arm_file() -> Path:
    return arm().save(place() / "arm.toml")


def names() -> Callable[[str], Path]:
    """Return fresh paths, so that one call does not find what another wrote."""
    counter = itertools.count()
    return lambda ending: place() / f"file{next(counter)}{ending}"


fresh = names()
TARGETS = np.array([[0.446, 0.0915], [0.446, -0.0085]])
GUESS = np.deg2rad([-40.5, 141.6, 78.4])
TASK = redundancy.Task(("x", "y"), "tool")


def arrays(kernel: cf.Kernel) -> list[np.ndarray]:
    """Return arrays that a kernel takes."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(3, *shape)) for shape in kernel.input_shapes]


def form_call(owner: Any, name: str) -> Call:
    """Return a valid call of a form."""
    form = owner.FORMS[name]
    chosen = {"rows": "xy"} if "rows" in form.choices else {}
    kernel = owner.kernel(name, order=1 if form.ordered else None, **chosen)
    named: dict[str, Any] = {"threads": 1, **chosen}
    if form.loaded:
        named |= {"wrenches": {"tool": np.ones(6)}, "reference": "world_aligned", "friction": True}
        named["springs"] = False
        named |= {"wrenches_dot": {"tool": np.ones(6)}} if form.ordered else {}
    elif "reference" in form.choices:
        named["reference"] = "world_aligned"
    if "coordinates" in form.choices:
        named["coordinates"] = "euler_rpy"
    if form.framed:
        named["frame"] = "tool"
    if "relative_to" in form.choices:
        named["relative_to"] = "link1"
    if "factorisation" in form.choices:
        named["factorisation"] = "garofalo"
    if len(kernel.output_shapes) == 1:
        named["out"] = np.zeros((3, *kernel.output_shape))
    return call(getattr(owner, name), *arrays(kernel), **named)


def sample_call(owner: Any, name: str) -> Call:
    """Return a valid call of a form on one sample, which machine code evaluates, with arrays by name."""
    form = owner.FORMS[name]
    chosen = {"rows": "xy"} if "rows" in form.choices else {}
    kernel = owner.kernel(name, order=1 if form.ordered else None, **chosen)
    rng = np.random.default_rng(0)
    first, *others = (
        (each, rng.normal(size=s)) for each, s in zip(kernel.input_names, kernel.input_shapes, strict=True)
    )
    named: dict[str, Any] = {**dict(others), **chosen, **({"frame": "tool"} if form.framed else {})}
    outs = tuple(np.zeros(shape) for shape in kernel.output_shapes)
    return call(getattr(owner, name), first[1], **named, out=outs if len(outs) > 1 else outs[0])


def bound_call() -> Call:
    kernel = arm().kernel("mass_matrix")
    return call(kernel.bind, np.zeros(2), out=np.zeros((2, 2)))


def symbols() -> Call:
    x = ca.SX.sym("x", 2)
    return call(kernels.compiled, "norm", [("x", x)], [("n", (), ca.dot(x, x))], "doc", "mine", dtype=float)


def tracing() -> Call:
    x = ca.SX.sym("x", 2)
    return call(kernels.traced, "norm", [("x", x)], [("n", (), ca.dot(x, x))])


def system_call() -> Call:
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    return call(integration.System, "s", x, ca.vertcat(x[1], u - p * x[0]), u, p)


def elastic_state() -> list[np.ndarray]:
    return [np.zeros(2) for _ in range(4)]


RECIPES: dict[str, Callable[[], Call]] = {
    # the top
    "load": lambda: call(
        cf.load, str(arm_file()), floating_base=False, gravity=(0, 0, -9.81), snap=0.0, locked={"joint1": 0.3}
    ),
    "catalogue": lambda: call(cf.catalogue),
    "Kernel": lambda: call(cf.Kernel, kernels.FormRecipe(arm().model, "mass_matrix"), dtype=np.float64),
    "Kernel.__call__": lambda: call(
        arm().kernel("mass_matrix"), np.zeros((3, 2)), out=np.zeros((3, 2, 2)), threads=2
    ),
    "Kernel.bind": bound_call,
    "Kernel.on_gpu": lambda: call(  # refused where there is no GPU, after the arguments are checked
        arm().kernel("mass_matrix").on_gpu,
        np.zeros((3, 2)),
        out=np.zeros((3, 2, 2)),
        device=0,
        chunk=2,
        threads=1,
        progress=lambda done: None,
    ),
    "Inertial.of": lambda: call(cf.Inertial.of, 1.0, (0.1, 0, 0), (1, 1, 1, 0, 0, 0)),
    "Robot": lambda: call(cf.Robot, arm().model),
    "Robot.from_description": lambda: call(
        cf.Robot.from_description, description.read_mdh([(0, 0, 0, 0, 0)]), floating_base=False, gravity=None
    ),
    "Robot.from_mdh": lambda: call(
        cf.Robot.from_mdh,
        [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)],
        name="r",
        base=np.eye(4),
        tool=np.eye(4),
        armature=[0, 0],
        letters={},
    ),
    "Robot.with_letters": lambda: call(cf.Robot.from_mdh([(0, 0, "L", 0, 0)]).with_letters, {"L": 0.4}),
    "Robot.from_screws": lambda: call(cf.Robot.from_screws, [np.eye(4)], [(0, 0, 1, 0, 0, 0.01)], name="r"),
    "Robot.integrate": lambda: call(arm().integrate, np.zeros(2), np.ones(2)),
    "Robot.difference": lambda: call(arm().difference, np.zeros(2), np.ones(2)),
    "Robot.interpolate": lambda: call(arm().interpolate, np.zeros(2), np.ones(2), 0.5),
    "Robot.program": lambda: call(arm().program, "jacobian", frame="tool", order=None, geometry=False),
    "Robot.kernel": lambda: call(
        arm().kernel, "jacobian", frame="tool", dtype=float, order=None, phi=False, geometry=True
    ),
    "Robot.neutral": lambda: call(arm().neutral),
    "Robot.random_state": lambda: call(arm().random_state, 0, batch=(3,), order=2),
    "Robot.q": lambda: call(arm().q, {"joint1": [0.1, 0.2]}, q0=np.zeros(2), joint2=0.3),
    "Robot.qd": lambda: call(arm().qd, {"joint1": [0.1, 0.2]}, qd0=np.zeros(2), joint2=0.3),
    "Robot.euler_angles": lambda: call(socket().euler_angles, np.ones((3, 4)), coordinates="euler_zyz"),
    "Robot.from_euler_angles": lambda: call(
        socket().from_euler_angles, np.ones((3, 3)), coordinates="euler_zyz"
    ),
    "Robot.joint_index": lambda: call(arm().joint_index, "joint1", array="q"),
    "Robot.joint_values": lambda: call(arm().joint_values, np.zeros((3, 2)), array="q"),
    "Robot.limit_distance": lambda: call(arm().limit_distance, np.zeros((3, 2))),
    "Robot.within_limits": lambda: call(arm().within_limits, np.zeros((3, 2)), margin=0.1),
    "Robot.plot": lambda: call(arm().plot, np.zeros((3, 2)), frames=["tool"]),
    "Robot.shapes": lambda: call(arm().shapes, triangles=1000),
    "Robot.scene": lambda: call(
        arm().scene,
        np.zeros((3, 2)),
        [0.0, 0.5, 1.0],
        tau=np.ones((3, 2)),
        ghost=np.ones((3, 2)),
        tool="tool",
    ),
    "scene.Scene.html": lambda: call(arm().scene().html, "At home.", whole=False),
    "scene.Scene.page": lambda: call(arm().scene().page),
    "scene.Scene.save": lambda: call(arm().scene().save, fresh(".html")),
    "Robot.spheres": lambda: call(
        arm().spheres, [("tool", (0, 0, 0.1), 0.1), ("base", (0, 0, 0), 0.1)], neighbours=True
    ),
    "Robot.save": lambda: call(arm().save, fresh(".toml")),
    "Robot.to_urdf": lambda: call(arm().to_urdf, fresh(".urdf"), merge=arm().to_urdf(fresh(".urdf"))),
    "Robot.to_mdh": lambda: call(arm().to_mdh),
    "Robot.to_mjcf": lambda: call(cf.load(mjcf()).to_mjcf, fresh(".xml"), merge=mjcf()),
    "Robot.with_geometry": lambda: call(arm().with_geometry, arm().geometry.copy()),
    "Robot.with_gravity": lambda: call(arm().with_gravity, (0, 0, -1.6)),
    "Robot.with_phi": lambda: call(arm().with_phi, arm().phi.copy()),
    "Robot.with_payload": lambda: call(
        arm().with_payload, 1.0, (0, 0, 0.1), (0.1, 0, 0, 0.1, 0, 0.1), frame="tool"
    ),
    "Robot.with_frame": lambda: call(arm().with_frame, "pen", parent="tool", pose=np.eye(4)),
    "Robot.locked": lambda: call(arm().locked, {"joint1": 0.3}),
    "Robot.attached": lambda: call(arm().attached, arm(), frame="tool", pose=np.eye(4), prefix="hand_"),
    "Robot.subtree": lambda: call(arm().subtree, arm().body_names[0]),
    "Robot.with_base": lambda: call(arm().with_base, np.eye(4), name="world"),
    "Robot.with_joint_limits": lambda: call(
        arm().with_joint_limits, -1.0, [1.0, 2.0], velocity={"joint1": 3.0}, effort=None
    ),
    "Robot.with_armature": lambda: call(arm().with_armature, [0.1, 0.2]),
    "Robot.with_friction": lambda: call(arm().with_friction, 0.1),
    "Robot.with_drive_offset": lambda: call(arm().with_drive_offset, {"joint1": -0.1}),
    "Robot.with_friction_curve": lambda: call(
        arm().with_friction_curve,
        smooth_friction=[0.1, 0.2],
        smooth_speed=0.5,
        stribeck_friction={"joint1": 0.1},
        stribeck_speed=0.2,
        damping_asymmetry=-0.1,
        load_friction=0.05,
    ),
    "Robot.with_damping": lambda: call(arm().with_damping, {"joint1": 0.1}),
    "Robot.with_springs": lambda: call(arm().with_springs, [30.0, 20.0], {"joint1": 0.1}),
    "Robot.inverse_kinematics": lambda: call(
        wrist().inverse_kinematics,
        wrist().pose(np.array([[0.3, -0.5, 0.4, 0.2, 0.9, -0.1]])),
        frame="link6",
        q0=np.zeros(6),
        task="pose",
        criterion=None,
        limits=True,
        weights=None,
    ),
    "Robot.equations": lambda: call(
        arm().equations,
        "gravity_torque",
        frame=None,
        order=None,
        symbolic=True,
        parameters="masses",
        digits=None,
        rational=False,
        seconds=10.0,
    ),
    "Robot.casadi": lambda: call(
        arm().casadi, "jacobian", frame="tool", order=None, phi=False, geometry=False, batch=2
    ),
    "Robot.export": lambda: call(
        arm().export,
        "jacobian",
        "c",
        fresh(""),
        frame="tool",
        precision="double",
        order=None,
        phi=False,
    ),
    "description.read_mdh": lambda: call(
        description.read_mdh,
        [(0, 0, 0, 0, 0), (1, 0, 1.0, 0, 0)],
        inertials=[cf.Inertial.of(1.0), cf.Inertial.of(1.0)],
        parents=[-1, 0],
        armature=[0.0, 0.1],
        name="r",
        gravity=(0.0, 0.0, -9.81),
        joint_names=["a", "b"],
        base=np.eye(4),
        tool=np.eye(4),
        source="table",
        citation="",
    ),
    "description.read_screws": lambda: call(
        description.read_screws,
        [np.eye(4)],
        [(0, 0, 1, 0, 0, 0.01)],
        inertials=[cf.Inertial.of(1.0)],
        parents=[-1],
        name="r",
        joint_names=["a"],
        body_names=["b"],
    ),
    # trajectories
    "trajectory.polynomial": lambda: call(
        trajectory.polynomial, [0.0, 0.0], [1.0, 2.0], 2.0, degree=5, start_rates=[[0.1, 0]], end_rates=()
    ),
    "trajectory.spline": lambda: call(
        trajectory.spline, [0, 1, 3], np.eye(3)[:, :2], degree=5, start_rates=[[0.1, 0]], end_rates=()
    ),
    "trajectory.cosine": lambda: call(
        trajectory.cosine, [0.0, 1.0], [0.5, 0.2], [1.0, 0.5], phase=[0.0, 0.1], duration=2.0
    ),
    "trajectory.fourier": lambda: call(
        trajectory.fourier, [0.5, 1.0], np.ones((2, 2)), np.ones((2, 2)), 4.0, duration=8.0
    ),
    "trajectory.fit_fourier": lambda: call(
        trajectory.fit_fourier, np.linspace(0, 2, 40), np.ones((40, 2)), terms=2, period=2.0
    ),
    "trajectory.fit_spline": lambda: call(
        trajectory.fit_spline, np.linspace(0, 2, 40), np.ones((40, 2)), degree=5, count=None
    ),
    "trajectory.profile": lambda: call(
        trajectory.profile,
        [0, 0],
        [1, -2],
        velocity=1,
        acceleration=[2, 3],
        jerk=10,
        snap=200,
        synchronise="time",
    ),
    "trajectory.stretch": lambda: call(trajectory.stretch, move(), 2.0),
    "trajectory.time_scaled": lambda: call(
        trajectory.time_scaled,
        arm(),
        trajectory.polynomial([0, 0], [1.5, 1.0], duration=1.0),
        velocity=5.0,
        acceleration=50.0,
        torque=[60, 25],
        torque_rate=400,
        uniform=False,
        count=4,
        samples=20,
    ),
    "trajectory.Harmonic": lambda: call(
        trajectory.Harmonic, np.zeros(2), np.ones(1), np.ones((1, 2)), np.ones((1, 2)), 2.0
    ),
    "trajectory.PiecewisePolynomial": lambda: call(
        trajectory.PiecewisePolynomial, np.array([0.0, 1.0]), np.ones((2, 1, 2)), np.inf, lengths=None
    ),
    "trajectory.Paced": lambda: call(trajectory.Paced, paced().base, paced().squared),
    "trajectory.Stretched": lambda: call(trajectory.Stretched, move(), 2.0),
    "trajectory.Harmonic.__call__": lambda: call(wave(), [0.0, 0.5], order=1),
    "trajectory.Harmonic.check_order": lambda: call(wave().check_order, 1, continuous=True),
    "trajectory.Harmonic.check_start": lambda: call(
        wave().check_start, wave()(0.0), wave()(0.0, 1), tolerance=1e-9
    ),
    "trajectory.Harmonic.derivatives": lambda: call(wave().derivatives, [0.0, 0.5], 2),
    "trajectory.Paced.instants": lambda: call(paced().instants, np.array([0.1, 0.2])),
    "trajectory.Paced.progress": lambda: call(paced().progress, np.array([0.1, 0.2])),
    "trajectory.PiecewisePolynomial.extremes": lambda: call(move().extremes, 1),
    # arrays of other libraries
    "convert.swap_halves": lambda: call(convert.swap_halves, np.ones((6, 2)), axis=-2),
    "convert.xyzw": lambda: call(convert.xyzw, np.ones((3, 4))),
    "convert.wxyz": lambda: call(convert.wxyz, np.ones((3, 4))),
    "convert.MuJoCo": lambda: call(convert.MuJoCo, flying(), StillJoints()),
    "convert.Matlab": lambda: call(convert.Matlab, arm(), ["joint2", "joint1"]),
    "convert.Drake": lambda: call(convert.Drake, flying(), StillJoints()),
    "convert.Drake.q": lambda: call(drake().q, np.ones((3, 9))),
    "convert.Drake.to_q": lambda: call(drake().to_q, flying().neutral()),
    "convert.Drake.qd": lambda: call(drake().qd, np.ones((3, 8)), flying().neutral()),
    "convert.Drake.to_v": lambda: call(drake().to_v, np.ones((3, 8)), flying().neutral()),
    "convert.Drake.qdd": lambda: call(drake().qdd, np.ones((3, 8)), flying().neutral(), np.ones(8)),
    "convert.Drake.to_a": lambda: call(drake().to_a, np.ones((3, 8)), flying().neutral(), np.ones(8)),
    "convert.Drake.tau": lambda: call(drake().tau, np.ones((3, 8)), flying().neutral()),
    "convert.Drake.to_tau": lambda: call(drake().to_tau, np.ones((3, 8)), flying().neutral()),
    "convert.Drake.matrix": lambda: call(drake().matrix, np.eye(8), flying().neutral()),
    "convert.Drake.jacobian": lambda: call(drake().jacobian, np.ones((6, 8)), flying().neutral()),
    "convert.Isaac": lambda: call(
        convert.Isaac, arm(), ["joint2", "joint1"], quaternion="xyzw", com=(0.0, 0.0, 1.0)
    ),
    "convert.Isaac.state": lambda: call(isaac().state, np.ones((3, 13)), np.ones((3, 2)), np.ones(2)),
    "convert.Isaac.to_state": lambda: call(isaac().to_state, flying().neutral(), np.ones((3, 8))),
    "convert.Pinocchio": lambda: call(convert.Pinocchio, arm(), StillModel()),
    "convert.Pinocchio.q": lambda: call(pinocchio().q, np.ones((3, 2))),
    "convert.Pinocchio.to_q": lambda: call(pinocchio().to_q, np.ones((3, 2))),
    "convert.Pinocchio.qd": lambda: call(pinocchio().qd, np.ones((3, 2))),
    "convert.Pinocchio.to_v": lambda: call(pinocchio().to_v, np.ones((3, 2))),
    "convert.Pinocchio.tau": lambda: call(pinocchio().tau, np.ones((3, 2))),
    "convert.Pinocchio.to_tau": lambda: call(pinocchio().to_tau, np.ones((3, 2))),
    "convert.Pinocchio.matrix": lambda: call(pinocchio().matrix, np.eye(2)),
    "convert.Pinocchio.jacobian": lambda: call(pinocchio().jacobian, np.ones((6, 2))),
    "convert.Pinocchio.phi": lambda: call(pinocchio().phi),
    "convert.Pinocchio.to_phi": lambda: call(pinocchio().to_phi, np.ones(20)),
    "convert.Pinocchio.parameters": lambda: call(pinocchio().parameters, np.ones(20)),
    "convert.Pinocchio.regressor": lambda: call(pinocchio().regressor, np.ones((2, 20))),
    "convert.Pinocchio.to_wrenches": lambda: call(pinocchio().to_wrenches, np.ones((2, 6))),
    # integration
    "integration.System": system_call,
    "cluster.check_workers": lambda: call(cluster.check_workers, client=StillCluster()),
    "integration.simulate": lambda: call(
        integration.simulate,
        oscillator(),
        [1.0, 0.0],
        [0.0],
        0.05,
        1e-3,
        method="RK45",
        parameters=None,
        events=[integration.Event(lambda t, x: x[0] - 0.5)],
        watch=lambda t, x: None,
        progress=lambda part: None,
        rtol=1e-6,
        atol=1e-9,
    ),
    "integration.Event": lambda: call(
        lambda *event: integration.simulate(
            oscillator(), [1.0, 0.0], None, 0.05, 1e-3, events=[integration.Event(*event)]
        ),
        lambda t, x: x[1] + 0.02,
        True,
        0,
    ),
    # laws and motions
    "Robot.simulate": lambda: call(rough().simulate, **held()),
    "simulation.simulate": lambda: call(
        simulation.simulate,
        arm(),
        **held(
            law=lambda t, q, qd: np.zeros(2),
            reference=None,
            rate=500.0,
            events=[integration.Event(lambda t, x: x[0] - 0.15)],
        ),
    ),
    "control.GravityCompensation": lambda: call(control.GravityCompensation, arm()),
    "control.PDGravity": lambda: call(control.PDGravity, arm(), [50.0, 20.0], 5.0),
    "control.AdaptiveControl": lambda: call(
        control.AdaptiveControl,
        arm(),
        5.0,
        [20.0, 10.0],
        0.5,
        bodies=["link2"],
        parameters=None,
        metric="euclidean",
        bounds=(-100.0, 100.0),
    ),
    "control.ComputedTorque": lambda: call(
        control.ComputedTorque, arm(), 50.0, 5.0, parameters={"ZZR1": 1.0, "ZZ2": 0.5, "MX2": 0.4}
    ),
    "control.AdaptiveControl.__call__": lambda: call(
        learning(), *np.zeros((5, 2)), out=(np.zeros(2), np.zeros(20)), phi=np.ones(20)
    ),
    "control.AdaptiveControl.bind": lambda: call(
        learning().bind, *np.zeros((5, 2)), out=np.zeros(2), step=1e-3
    ),
    "control.AdaptiveControl.program": lambda: call(pulling().program, gains="input"),
    "control.AdaptiveControl.export": lambda: call(
        pulling().export, "c", fresh(""), gains="constant", precision="double"
    ),
    "control.AdaptiveControl.reference": lambda: call(pulling().reference, move(), [0.0, 0.01]),
    "control.AdaptiveControl.input": lambda: call(pulling().input, "q_d"),
    "control.ExpressionLaw": lambda: call(
        control.ExpressionLaw,
        arm(),
        lambda q, qd, r, t, z, k: (k * (r - q) - qd * t + z, r - q),
        references={"r": 2},
        gains={"k": 3.0},
        states={"z": [0.0, 0.0]},
        timed=True,
        name="mine",
    ),
    "control.Impedance": lambda: call(
        control.Impedance,
        arm(),
        [30.0, 40.0],
        [3.0, 4.0],
        damping_ratio=None,
        at=None,
        frame="tool",
        reference="body",
        rows="xy",
        inertia=[1.0, 2.0],
        posture=[0.1, 0.2],
        posture_stiffness=1.0,
        posture_damping=0.1,
    ),
    "control.task_damping": lambda: call(
        control.task_damping, arm(), [30.0, 40.0], 0.7, [0.3, 0.5], frame="tool", reference="body", rows="xy"
    ),
    # flexible links
    "FlexibleLink": lambda: call(
        cf.FlexibleLink, 0.5, 0.2, 1.0, hub_mass=1.0, hub_inertia=0.1, modes=1, elements=None
    ),
    "FlexibleLink.along": lambda: call(bending().links[0].along, "density"),
    "FlexibleLink.moment": lambda: call(bending().links[0].moment, 1),
    "FlexibleArm": lambda: call(
        cf.FlexibleArm,
        [cf.FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=1)],
        (0.1, 0.0005),
        (0.0, -9.81),
        0.01,
        payload_offset=(0.02, 0.01),
        boundary="right-angle",
        exact=False,
        name="arm",
    ),
    "FlexibleArm.coefficients": lambda: call(cf.FlexibleArm.deluca_siciliano().coefficients),
    "FlexibleArm.deluca_siciliano": lambda: call(
        cf.FlexibleArm.deluca_siciliano,
        (0.1, 0.0005),
        damped=True,
        modes=1,
        exact=False,
        boundary="stretched",
        payload_offset=0.01,
    ),
    "FlexibleArm.equations": lambda: call(
        bending().equations, "mass_matrix", symbolic=True, digits=None, rational=False, seconds=10.0
    ),
    "FlexibleArm.casadi": lambda: call(bending().casadi, "mass_matrix"),
    "FlexibleArm.export": lambda: call(bending().export, "mass_matrix", "c", fresh(""), precision="double"),
    "FlexibleArm.joint_inverse_dynamics": lambda: call(
        bending().joint_inverse_dynamics,
        trajectory.polynomial(0.0, 0.1, 0.05),
        0.005,
        duration=0.1,
        delta0=[0.0],
    ),
    "FlexibleArm.tip_inverse_dynamics": lambda: call(
        bending().tip_inverse_dynamics,
        trajectory.polynomial(0.0, 0.1, 0.2),
        0.01,
        duration=0.4,
        elbow="negative",
    ),
    "FlexibleArm.kernel": lambda: call(bending().kernel, "mass_matrix", dtype=float),
    "FlexibleArm.linearise": lambda: call(bending().linearise, [0.0, 0.0], [0.0, 0.0], [0.0], output="tip"),
    "FlexibleArm.following_modes": lambda: call(bending().following_modes, [0.0, 0.01]),
    "FlexibleArm.modes_at": lambda: call(bending().modes_at, [0.0]),
    "FlexibleArm.natural_frequencies": lambda: call(bending().natural_frequencies, [0.0], held=True),
    "FlexibleArm.points": lambda: call(bending().points, [0.0, 0.0], stations=5),
    "FlexibleArm.program": lambda: call(bending().program, "mass_matrix"),
    "FlexibleArm.simulate": lambda: call(
        bending().simulate,
        [0.0, 0.01],
        [0.0, 0.0],
        lambda t: [0.0],
        0.02,
        1e-3,
        method="rk4",
        events=(),
        rtol=1e-6,
        atol=1e-9,
    ),
    "flexible.ArmMotion.deflection": lambda: call(bent().deflection, 0, x=0.2),
    "flexible.ArmMotion.scene": lambda: call(bent().scene, magnify=2.0),
    "flexible.ArmMotion.strain": lambda: call(bent().strain, 0, 0.2, 0.01),
    "flexible.Coefficients.__getitem__": lambda: call(named().__getitem__, "h107"),
    "flexible.Coefficients.coriolis_torque": lambda: call(
        named().coriolis_torque, np.zeros(6), np.zeros(6), printed=True
    ),
    "flexible.Coefficients.expression": lambda: call(named().expression, "h107"),
    "flexible.Coefficients.get": lambda: call(named().get, "h107", default=None),
    "flexible.Coefficients.latex": lambda: call(named().latex, "h107", printed=True),
    "flexible.Coefficients.mass_matrix": lambda: call(named().mass_matrix, np.zeros(6)),
    "flexible.Coefficients.printed": lambda: call(named().printed, "h107"),
    "flexible.Damping": lambda: call(
        lambda *given: cf.FlexibleArm(bending().links, damping=flexible.Damping(*given)), 0.1, 0.01
    ),
    "flexible.HubDrivenFit.error_on": lambda: call(
        flexible.HubDrivenFit(2.0, 0.1, 1.0, 0.05, 0.0, 0.0).error_on, *hub(), start=(0.0, 0.0)
    ),
    "flexible.HubDrivenFit.predict": lambda: call(
        flexible.HubDrivenFit(2.0, 0.1, 1.0, 0.05, 0.0, 0.0).predict, *hub()[:2], start=(0.0, 0.0)
    ),
    "flexible.HubDrivenFit.link": lambda: call(
        flexible.HubDrivenFit(2.0, 0.1, 1.0, 0.05, 0.0, 0.0).link, 0.5, 0.2, payload=(0.1, 0.001)
    ),
    "flexible.fit_hub_driven": lambda: call(
        flexible.fit_hub_driven, *hub(), start=(0.0, 0.0), guess=(2.0, 0.1, 1.0, 0.05)
    ),
    "flexible.InputShaper": lambda: call(flexible.InputShaper, np.zeros(2), np.full(2, 0.5)),
    "flexible.InputShaper.__call__": lambda: call(flexible.InputShaper.of(2.0), np.ones((20, 2)), 0.01),
    "flexible.InputShaper.of": lambda: call(flexible.InputShaper.of, 2.0, 0.1, kind="zvd"),
    "flexible.InputShaper.of_modes": lambda: call(flexible.InputShaper.of_modes, [2.0, 3.0], 0.1, kind="zvd"),
    "flexible.InputShaper.residual": lambda: call(flexible.InputShaper.of(2.0).residual, [1.0, 2.0], 0.1),
    "flexible.InputShaper.then": lambda: call(
        flexible.InputShaper.of(2.0).then, flexible.InputShaper.of(3.0)
    ),
    "flexible.load_arm": lambda: call(flexible.load_arm, bending_file()),
    "flexible.Mode.__call__": lambda: call(bending().modes[0][0], [0.1, 0.2], derivative=1),
    "flexible.Modes.shapes": lambda: call(bending().modes[0].shapes, [0.1, 0.2], derivative=1),
    "flexible.Modes.stacked": lambda: call(bending().modes[0].stacked, "frequency"),
    "flexible.Tip": lambda: call(flexible.Tip, 1.0, 1.0, 0.1),
    # closed loops
    "Loop": lambda: call(cf.Loop, "e2", "e3", "distance", length=0.3),
    "JointCoupling": lambda: call(cf.JointCoupling, "2", ("1", "3"), coefficients=(0.1, 1.0, -1.0)),
    "Robot.with_loops": lambda: call(
        mechanism().tree.with_loops,
        [cf.Loop("e2", "e3", "hinge")],
        independent=["1"],
        actuated=["1", "2"],
        near=[1.0, -0.6, 1.4],
    ),
    "ClosedRobot.all_coordinates": lambda: call(mechanism().all_coordinates, [[1.0], [1.1]]),
    "ClosedRobot.assemble": lambda: call(mechanism().assemble, [[1.0], [1.1]], near=[1.0, -0.6, 1.4]),
    "ClosedRobot.closure_residual": lambda: call(mechanism().closure_residual, [1.0, -0.6, 1.4]),
    "ClosedRobot.save": lambda: call(mechanism().save, fresh(".toml")),
    "ClosedRobot.to_mjcf": lambda: call(mechanism().to_mjcf, fresh(".xml")),
    "ClosedRobot.to_urdf": lambda: call(mechanism().to_urdf, fresh(".urdf")),
    "ClosedRobot.neutral": lambda: call(mechanism().neutral),
    "ClosedRobot.random_state": lambda: call(mechanism().random_state, 0, batch=(3,), order=2),
    "ClosedRobot.simulate": lambda: call(
        mechanism().simulate,
        [1.0],
        [0.1],
        [0.0],
        0.02,
        2e-3,
        friction=True,
        springs=False,
        method="DOP853",
        rtol=1e-6,
        atol=1e-9,
        progress=None,
    ),
    "ClosedRobot.kernel": lambda: call(mechanism().kernel, "mass_matrix", dtype=float, phi=True),
    "ClosedRobot.program": lambda: call(mechanism().program, "mass_matrix"),
    "ClosedRobot.casadi": lambda: call(mechanism().casadi, "mass_matrix"),
    "ClosedRobot.equations": lambda: call(mechanism().equations, "joint_velocities", digits=3, seconds=10.0),
    "ClosedRobot.export": lambda: call(
        mechanism().export, ["mass_matrix", "gravity_torque"], "c++", fresh(""), precision="float"
    ),
    "ClosedRobot.singularities": lambda: call(
        mechanism().singularities, [[1.0], [1.1]], "e2", output="position"
    ),
    "ClosedRobot.assembly_modes": lambda: call(mechanism().assembly_modes, [1.0], starts=3),
    # contacts
    "Contact": lambda: call(cf.Contact, "tool", "surface", normal=(0.0, 1.0, 0.0)),
    "Robot.with_contacts": lambda: call(
        arm().with_contacts,
        [cf.Contact(arm().frame_names[-1], "surface", (0, 1, 0))],
        actuated=[arm().joint_names[0]],
        restitution=0.3,
    ),
    "ContactRobot.kernel": lambda: call(touching().kernel, "impact", dtype=float, phi=True),
    "ContactRobot.program": lambda: call(touching().program, "impact"),
    "ContactRobot.casadi": lambda: call(touching().casadi, "delassus_matrix"),
    "ContactRobot.equations": lambda: call(touching().equations, "contact_jacobian", digits=3, seconds=10.0),
    "ContactRobot.export": lambda: call(
        touching().export, ["contact_jacobian", "impact"], "c++", fresh(""), precision="float"
    ),
    # elastic joints
    "ElasticJointRobot": lambda: call(
        cf.ElasticJointRobot,
        arm(),
        1e3,
        [0.1, 0.1],
        0.5,
        0.0,
        spring_at="link",
        link_friction=elastic.Friction(0.1),
        motor_friction=None,
    ),
    "ElasticJointRobot.changed": lambda: call(
        springy().changed, stiffness=2e3, motor_inertia=0.2, gear_ratio=0.5, damping=0.0
    ),
    "ElasticJointRobot.kernel": lambda: call(springy().kernel, "energy", dtype=float),
    "ElasticJointRobot.program": lambda: call(springy().program, "energy"),
    "ElasticJointRobot.casadi": lambda: call(springy().casadi, "energy"),
    "ElasticJointRobot.equations": lambda: call(springy().equations, "energy", digits=3, seconds=10.0),
    "ElasticJointRobot.require": lambda: call(springy().require, "energy"),
    "ElasticJointRobot.system": lambda: call(springy().system, uncertain=True),
    "ElasticJointRobot.export": lambda: call(
        springy().export, ["energy", ("decoupling", {"phi": False})], "c++", fresh(""), precision="float"
    ),
    "elastic.ComputedTorque": lambda: call(elastic.ComputedTorque, springy(), [-20, -20]),
    "elastic.Decoupling": lambda: call(
        elastic.Decoupling, springy(), [-20, -21, -22 + 1j, -22 - 1j], torque_sensors=True
    ),
    "elastic.Feedforward": lambda: call(elastic.Feedforward, springy(), [-20, -20], torque_rates=False),
    "elastic.StagedDecoupling": lambda: call(
        elastic.StagedDecoupling, springy(), [-20, -21], [-60, -61], torque_sensors=True
    ),
    "elastic.MotorObserver": lambda: call(
        elastic.MotorObserver, springy(), [-60, -61, -62, -63, -64], [-20], rate=1e3
    ),
    "elastic.PlantObserver": lambda: call(
        elastic.PlantObserver, springy(), [-60, -61, -62, -63, -64], rate=1e3
    ),
    "elastic.MotorObserver.begin": lambda: call(watching().begin, *elastic_state()),
    "elastic.PlantObserver.begin": lambda: call(
        elastic.PlantObserver(springy(), [-60] * 5).begin, *elastic_state()
    ),
    "elastic.MotorObserver.at_rest": lambda: call(watching().at_rest, [0.1, 0.2]),
    "elastic.MotorObserver.step": lambda: call(
        watching().step, np.zeros((8, 2)), [0.1, 0.2], [0.1, 0.2], [0.0, 0.0]
    ),
    "elastic.MotorObserver.program": lambda: call(watching().program),
    "elastic.MotorObserver.export": lambda: call(watching().export, "c", fresh(""), precision="double"),
    "elastic.MotorObserver.bind": lambda: call(
        watching().bind,
        np.zeros((8, 2)),
        np.zeros(2),
        np.zeros(2),
        np.zeros(2),
        out=(np.zeros(10), np.zeros((8, 2))),
    ),
    "elastic.MotorObserver.torques": lambda: call(
        watching().torques, law(), np.zeros(10), np.zeros((law().rows, 2)), loaded=True
    ),
    "elastic.MomentumObserver": lambda: call(elastic.MomentumObserver, springy(), [-60], rate=1e3),
    "elastic.MomentumObserver.begin": lambda: call(balance().begin, *elastic_state()),
    "elastic.MomentumObserver.step": lambda: call(balance().step, np.zeros((3, 2)), *elastic_state()),
    "elastic.track_observed": lambda: call(
        elastic.track_observed,
        law(),
        watching(),
        move(),
        plant=springy(),
        external=lambda t: [0.0, t],
        noise=1e-4,
        compensate=True,
        step=1e-3,
        seed=0,
    ),
    "elastic.ComputedTorque.program": lambda: call(law().program, "input"),
    "elastic.ComputedTorque.equations": lambda: call(
        law().equations, gains="input", digits=3, rational=False, seconds=5.0
    ),
    "elastic.ComputedTorque.export": lambda: call(
        law().export, "c", fresh(""), gains="input", precision="double"
    ),
    "elastic.ComputedTorque.__call__": lambda: call(law(), *elastic_state(), np.zeros((law().rows, 2))),
    "elastic.ComputedTorque.bind": lambda: call(
        law().bind, *elastic_state(), np.zeros((law().rows, 2)), out=np.zeros(2)
    ),
    "elastic.ComputedTorque.reference": lambda: call(law().reference, move(), [0.0, 0.01], stiffness=None),
    "elastic.Friction": lambda: call(
        lambda *given: cf.ElasticJointRobot(arm(), 1e3, 0.1, 1.0, link_friction=elastic.Friction(*given)),
        0.1,
        [0.1, 0.2],
        0.01,
    ),
    "elastic.Friction.torque": lambda: call(elastic.Friction(0.1, 0.2).torque, [0.0, 1.0]),
    "elastic.Friction.sized": lambda: call(elastic.Friction(0.1, 0.2).sized, "here", ("a", "b")),
    "elastic.Robustness.bands": lambda: call(robust().bands, "PD", quantiles=(0.1, 0.5)),
    "elastic.Robustness.bounded": lambda: call(robust().bounded, "PD"),
    "elastic.robustness_condition": lambda: call(
        elastic.robustness_condition, decoupled(), move(), robust().parameters, instants=3
    ),
    "elastic.Robustness.peaks": lambda: call(robust().peaks, "PD"),
    "elastic.Robustness.sizes": lambda: call(robust().sizes, "PD"),
    "elastic.Spread": lambda: call(
        lambda *given: elastic.Spread(*given).draw(springy(), 3, np.random.default_rng(0)),
        0.1,
        0.1,
        0.1,
        1.0,
        (0.0, 0.0, 0.1),
    ),
    "elastic.Spread.draw": lambda: call(elastic.Spread(0.1).draw, springy(), 3, np.random.default_rng(0)),
    "elastic.chain_motion": lambda: call(
        elastic.chain_motion, decoupled(), move(), np.zeros(8), np.linspace(0, 0.05, 6)
    ),
    "elastic.closed_loop": lambda: call(elastic.closed_loop, law(), springy()),
    "elastic.monte_carlo": lambda: call(
        elastic.monte_carlo,
        {"PD": law()},
        move(),
        elastic.Spread(0.2),
        runs=3,
        rate=200.0,
        step=1e-3,
        seed=0,
        progress=lambda part: None,
    ),
    "elastic.natural_frequencies": lambda: call(
        elastic.natural_frequencies, springy(), [0.0, 0.0], stiffness=[1e3, 1e3]
    ),
    "elastic.pole_gains": lambda: call(elastic.pole_gains, [-10, -20], joints=2),
    "elastic.resolving_step": lambda: call(
        elastic.resolving_step, springy(), [0.0, 0.0], stiffness=[1e3, 1e3]
    ),
    "elastic.state_on": lambda: call(elastic.state_on, springy(), move(), stiffness=None),
    "elastic.track": lambda: call(
        elastic.track,
        law(),
        move(),
        plant=springy(),
        stiffness=None,
        step=1e-3,
        rate=200.0,
        start=np.zeros(8),
        off_trajectory=True,
    ),
    # redundancy
    "redundancy.Obstacle": lambda: call(redundancy.Obstacle, (0, 0, 0), (1, 1, 2), exponent=4),
    "redundancy.Obstacle.contains": lambda: call(
        redundancy.Obstacle((0, 0, 0), (1, 1, 2)).contains, [[0.0, 0.0, 1.9]]
    ),
    "redundancy.obstacles": lambda: call(
        redundancy.obstacles,
        redundancy.Obstacle((9, 0, 0), (1, 1, 2)),
        points=[("tool", (0.0, 0.0, 0.0))],
        limits=0.1,
    ),
    "redundancy.Criterion": lambda: call(
        redundancy.Criterion, "mine", "maximum", lambda *_: (ca.SX(0), []), parameters=()
    ),
    "redundancy.Criterion.__add__": lambda: call(
        lambda other: redundancy.manipulability() + other, redundancy.joint_centering()
    ),
    "redundancy.Criterion.__sub__": lambda: call(
        lambda other: redundancy.manipulability() - other, redundancy.joint_centering()
    ),
    "redundancy.Criterion.__mul__": lambda: call(lambda weight: weight * redundancy.manipulability(), 2.0),
    "redundancy.Task": lambda: call(redundancy.Task, ("x", "y"), "tool"),
    "redundancy.Task.targets": lambda: call(TASK.targets, TARGETS),
    "redundancy.condition_number": lambda: call(redundancy.condition_number),
    "redundancy.gravity_load": lambda: call(redundancy.gravity_load),
    "redundancy.joint_limits": lambda: call(redundancy.joint_limits),
    "redundancy.manipulability": lambda: call(redundancy.manipulability, squared=True, length=0.6),
    "redundancy.joint_centering": lambda: call(redundancy.joint_centering, [0.0, 0.0, 0.0]),
    "redundancy.own": lambda: call(
        redundancy.own, lambda q: ca.cos(q[0]) * q[1], kind="minimum", name="mine"
    ),
    "redundancy.solve": lambda: call(
        redundancy.solve,
        planar(),
        TARGETS,
        task="xy",
        criterion="manipulability",
        q0=GUESS,
        kind=None,
        limits=True,
        starts=2,
    ),
    "inverse_kinematics.solve": lambda: call(
        inverse_kinematics.solve,
        planar(),
        {"tool": TARGETS, "link3": planar().pose(GUESS, "link3")},
        frame=None,
        q0=GUESS,
        task={"tool": "xy", "link3": "position"},
        criterion=None,
        limits=True,
        weights={"tool": 2.0, "link3": (0.1, 1.0)},
    ),
    "redundancy.follow": lambda: call(
        redundancy.follow,
        planar(),
        TARGETS,
        task="xy",
        criterion="manipulability",
        q0=GUESS,
        kind=None,
        limits=True,
        starts=2,
        velocity=np.zeros(np.shape(TARGETS)),
        acceleration=np.zeros(np.shape(TARGETS)),
    ),
    "redundancy.effort": lambda: call(redundancy.effort, planar(), task="xy", criterion="manipulability"),
    "redundancy.paper_effort": lambda: call(redundancy.paper_effort, 3, 2, forward_kinematics=8, jacobian=12),
    "redundancy.equations": lambda: call(
        redundancy.equations,
        planar(),
        task="xy",
        criterion=redundancy.manipulability(squared=True),
        columns=(0, 1),
        symbolic=True,
        parameters="masses",
        digits=6,
        rational=False,
        seconds=10.0,
    ),
    "redundancy.extended_jacobian": lambda: call(
        redundancy.extended_jacobian, planar(), GUESS, task="xy", criterion="manipulability"
    ),
    "redundancy.joint_rates": lambda: call(
        redundancy.joint_rates,
        planar(),
        GUESS,
        [0.1, 0.0],
        task="xy",
        criterion="manipulability",
        method="pseudoinverse",
        gain=10.0,
        damping=0.01,
    ),
    "redundancy.hybrid": lambda: call(
        redundancy.hybrid, planar(), TARGETS[0], task="xy", criterion="manipulability", q0=GUESS
    ),
    "redundancy.orthogonality": lambda: call(
        redundancy.orthogonality, planar(), GUESS, task="xy", criterion="manipulability"
    ),
    "redundancy.resolved_motion": lambda: call(
        redundancy.resolved_motion,
        planar(),
        TARGETS,
        GUESS,
        task="xy",
        criterion="manipulability",
        method="pseudoinverse",
        integrator="rk4",
        time_step=0.01,
        substeps=1,
        gain=10.0,
        damping=0.01,
        correction=5.0,
    ),
    "redundancy.self_motion": lambda: call(
        redundancy.self_motion,
        planar(),
        TARGETS[0],
        task="xy",
        criterion="manipulability",
        q0=GUESS,
        limits=True,
        step=0.2,
        most=50,
    ),
    "redundancy.compare": lambda: call(
        redundancy.compare,
        planar(),
        np.concatenate([TARGETS, TARGETS[:1]]),
        GUESS,
        task="xy",
        criterion="manipulability",
        cycles=3,
        time_step=0.01,
        substeps=1,
        gain=10.0,
        damping=0.01,
        correction=None,
    ),
    # identification
    "base_parameters": lambda: call(cf.base_parameters, arm(), "closed", symbolic=False),
    "excitation": lambda: call(
        cf.excitation,
        arm(),
        period=4.0,
        terms=2,
        **BOUNDS,
        acceleration=50.0,
        workspace={"tool": ([-3, -3, -3], [3, 3, 3])},
        obstacles=[([2.5, -1.0, -1.0], [3.0, 1.0, 1.0])],
        floor=-3.0,
        spheres=[("tool", (0, 0, 0), 0.1)],
        clearance=0.01,
        start=[0.1, 0.2],
        starts=1,
        iterations=2,
        seed=0,
        margin=0.05,
        progress=None,
    ),
    "identify": lambda: call(
        cf.identify,
        arm(),
        dict(record()),
        cutoff=20.0,
        lag=None,
        friction=identification.FrictionTerms(coulomb=None),
        rotors=False,
        method="ordinary",
        hold_out=None,
        mask=np.arange(len(record()["t"])) > 20,
        weights={"joint1": 2.0},
        locked=(),
        undetermined="error",
        physical=True,
        mass_bounds={"link1": (0.1, 100.0)},
        total_mass=None,
        symmetric={"link2": "xz"},
        plausible=True,
        diagnose=False,
        progress=lambda part, what: None,
        payloads=None,
        on_error="raise",
        client=None,
        units=None,
        rate=None,
    ),
    "identification.BaseParameters.kernel": lambda: call(base().kernel, "inverse_dynamics", order=None),
    "identification.BaseParameters.latex": lambda: call(base().latex),
    "identification.BaseParameters.savings": lambda: call(
        base().savings, "inverse_dynamics", order=None, inputs=False
    ),
    "identification.BaseParameters.steps": lambda: call(base().steps, digits=15),
    "identification.ExpectedErrors.__getitem__": lambda: call(
        exciting().expected_errors(0.1).__getitem__, "fv1"
    ),
    "identification.Excitation.expected_errors": lambda: call(
        exciting().expected_errors, [0.1, 0.2], 100.0, friction=None, rotors=True
    ),
    "identification.Excitation.gaps": lambda: call(exciting().gaps),
    "identification.Excitation.ros_trajectory": lambda: call(exciting().ros_trajectory, rate=10.0),
    "identification.Excitation.urscript": lambda: call(six_joint_motion().urscript, 10.0, 0.1, 300.0),
    "identification.Excitation.used": lambda: call(exciting().used),
    "identification.Excitation.write_ros_trajectory": lambda: call(
        exciting().write_ros_trajectory, fresh(".yaml"), rate=10.0
    ),
    "identification.Excitation.write_urscript": lambda: call(
        six_joint_motion().write_urscript, fresh(".script"), rate=10.0
    ),
    "identification.Excitation.csv": lambda: call(exciting().csv, rate=100.0),
    "identification.Excitation.stacked": lambda: call(exciting().stacked, exciting().trajectory, samples=20),
    "identification.Excitation.table": lambda: call(exciting().table),
    "identification.Excitation.write_csv": lambda: call(exciting().write_csv, fresh(".csv"), rate=100.0),
    "identification.PayloadState": lambda: call(identification.PayloadState, "cube", body=None, mass=2.8),
    "identification.FrictionTerms": lambda: call(
        identification.FrictionTerms, True, 0.01, 0.1, True, stribeck=0.2, asymmetric=True, load=True
    ),
    "identification.TorqueColumn": lambda: call(
        identification.TorqueColumn, "cable", "joint1", lambda q, qd, qdd: q[:, 0], unit="N m"
    ),
    "identification.Identification.__getitem__": lambda: call(found().__getitem__, "fv1"),
    "identification.Identification.filters_of": lambda: call(found().filters_of, log()),
    "identification.Identification.load": lambda: call(identification.Identification.load, saved()),
    "identification.Identification.predict": lambda: call(
        found().predict, dict(record()), units=None, rate=None
    ),
    "identification.Identification.rollout": lambda: call(
        found().rollout, dict(record()), horizon=0.2, starts=3, units=None, rate=None
    ),
    "identification.Identification.validate": lambda: call(
        found().validate, dict(record()), units=None, rate=None
    ),
    "identification.Identification.uncertainty": lambda: call(found().uncertainty, *np.ones((3, 4, 2))),
    "identification.Identification.save": lambda: call(found().save, fresh(".json")),
    "identification.Identification.save_robot": lambda: call(found().save_robot, fresh(".toml")),
    "identification.Log.too_few": lambda: call(log().too_few, "three rows"),
    "identification.Log.middle": lambda: call(log().middle, 100),
    "identification.Log.ranges": lambda: call(log().ranges, 10),
    "identification.Log.samples": lambda: call(log().samples, 0, 10),
    "identification.Transmission.of": lambda: call(
        identification.Transmission.of, 2, [1.0, 2.0], [0.0, 0.0], [1.0, 1.0], motor_positions=True
    ),
    "identification.Transmission.joint_efforts": lambda: call(
        identification.Transmission.of(2).joint_efforts, np.ones((3, 2))
    ),
    "identification.Transmission.joint_positions": lambda: call(
        identification.Transmission.of(2).joint_positions, np.ones((3, 2))
    ),
    "identification.Transmission.joint_steps": lambda: call(
        identification.Transmission.of(2).joint_steps, np.ones(2)
    ),
    "identification.Transmission.joint_rates": lambda: call(
        identification.Transmission.of(2).joint_rates, np.ones((3, 2))
    ),
    "identification.drive_gains": lambda: call(
        identification.drive_gains, arm(), dict(record()), cutoff=5.0, units=None, rate=None
    ),
    "identification.DriveGains.save": lambda: call(gains().save, fresh(".json")),
    "identification.DriveGains.load": lambda: call(identification.DriveGains.load, saved_gains()),
    "identification.known_mass_gains": lambda: call(
        identification.known_mass_gains,
        arm(),
        dict(record()),
        dict(record()),
        2.0,
        com=(0.1, 0.0, 0.0),
        body=None,
        cutoff=5.0,
        friction=identification.FrictionTerms(coulomb=None),
        units=None,
    ),
    "identify_payload": lambda: call(
        identification.identify_payload,
        found(),
        dict(record()),
        body=None,
        gains=None,
        physical=False,
        units=None,
    ),
    "identification.FloatingIdentification.__getitem__": lambda: call(legged_found().__getitem__, "MR1"),
    "identification.FloatingIdentification.save_robot": lambda: call(
        legged_found().save_robot, fresh(".toml")
    ),
    "identification.identify_floating": lambda: call(
        identification.identify_floating,
        *legged(),
        contacts=None,
        flat=(),
        twist="body",
        wrench_axes="foot",
        rows="all",
        total_mass=6.3,
        cutoff=8.0,
        friction=None,
        rotors=False,
        hold_out=None,
        undetermined="error",
        physical=False,
        progress=None,
        rate=None,
    ),
    "identification.read_floating_log": lambda: call(
        identification.read_floating_log,
        legged()[1],
        legged()[0],
        contacts=["sole"],
        flat=["sole"],
        twist="body",
        wrench_axes="foot",
        rate=None,
    ),
    "identification.lock": lambda: call(identification.lock, arm(), {"joint2": 0.1}),
    "identification.read_log": lambda: call(
        identification.read_log,
        dict(record()),
        arm(),
        columns=None,
        units={"position": "rad"},
        rate=None,
        window=(0.5, None),
        topic=None,
        reduction=[1.0, 1.0],
        offset=None,
        gain=None,
        motor_positions=True,
        missing="error",
    ),
    "identification.reduced_factor": lambda: call(
        identification.reduced_factor,
        base(),
        np.ones((8, 2)),
        np.ones((8, 2)),
        np.ones((8, 2)),
        tau=np.ones((8, 2)),
        block=4,
    ),
    # kernels, equations, reports
    "kernels.compiled": symbols,
    "kernels.traced": tracing,
    "equations.Equations.dot": lambda: call(written().dot, seconds=10.0),
    "equations.Equations.evaluate": lambda: call(written().evaluate, [0.1, 0.2], L1=1.0, m2=2.0),
    "equations.Equations.lambdify": lambda: call(written().lambdify),
    "equations.Equations.latex": lambda: call(written().latex),
    "equations.Equations.mathml": lambda: call(written().mathml),
    "equations.Equations.pretty": lambda: call(written().pretty),
    "equations.Equations.of_time": lambda: call(written().of_time, None),
    "report.Study": lambda: call(report.Study, arm(), 1.0, 20, False, 1e-4, 10, notes=()),
    "report.FlexibleStudy": lambda: call(report.FlexibleStudy, bending(), [0.0, 0.01], None, 0.02, step=1e-3),
    "report.MechanismStudy": lambda: call(report.MechanismStudy, mechanism(), 1.0, 20, notes=("doubt",)),
    "report.ElasticStudy": lambda: call(
        report.ElasticStudy, arm(), 1e3, 0.1, 1.0, 0.5, 3, 1e-4, trajectory=move()
    ),
    "report.RedundancyStudy": lambda: call(
        report.RedundancyStudy,
        planar(),
        [0.4, 0.1],
        "xy",
        "manipulability",
        [0.0, 1.0, 1.0],
        limits=True,
        cycles=3,
        time_step=0.01,
    ),
    "report.IdentificationStudy": lambda: call(report.IdentificationStudy, found(), "log"),
    "report.ExcitationStudy": lambda: call(
        report.ExcitationStudy, exciting(), exciting().expected_errors(0.1)
    ),
    "report.write_page": lambda: call(
        partial(report.write_page, subject=study()),  # what it must be is a matter of the sections
        fresh(".html"),
        sections=[each for each in SECTIONS if each.title == "Energy"],
        name="r",
        title="t",
        summary=None,
    ),
}

FORM_OWNERS: Mapping[str, tuple[Callable[[], Any], type]] = {
    "Robot": (arm, cf.Robot),
    "FlexibleArm": (bending, cf.FlexibleArm),
    "ElasticJointRobot": (springy, cf.ElasticJointRobot),
    "ClosedRobot": (mechanism, cf.ClosedRobot),
    "ContactRobot": (touching, cf.ContactRobot),
}

EXCLUDED = {
    "identification.FrictionTerms.term": "a step of the design, with indices of axes",
    "identification.TorqueColumn.joints": "a step of the design, with the axes of a log",
    "identification.TorqueColumn.torques": "a step of the design, with conditioned signals",
    "ClosedRobot": "made by Robot.with_loops",
    "ClosedRobot.reached": "a step of identification; assemble is what checks",
    "ClosedRobot.why_open": "words of errors, with coordinates that were checked",
    "identification.BaseParameters.columns": "a step of identification; the regressor is what checks",
    "identification.BaseParameters.postures": "a step of identification, with coordinates of a log",
    "ContactRobot": "made by Robot.with_contacts",
    "Kernel.tensor_call": "takes the address of a function of another library, for calls with its tensors",
    "ElasticJointRobot.plant": "takes CasADi symbols, for the package's own laws",
    "Inertial.checked": "a step of reading a description",
    "description.read_urdf": "a step of load, attacked by the section on files",
    "scene.Scene": "what Robot.scene makes",
    "view": "opens a server; tests/test_viewer.py spoils what it takes",
    "Robot.show": "opens a browser; takes what plot takes",
    "integration.Event.times": "takes SciPy's piecewise polynomial; Event is attacked through simulate",
    "integration.System.at": "takes CasADi symbols",
    "identification.Log.converted": "a step of reading a log",
    "identification.Log.raw": "a step of reading a log",
    "identification.Errors.of": "a step of identify",
    "identification.IdentifiedPayload.from_table": "a step of Identification.load",
    "identification.IdentifiedPayload.of": "a step of identify",
    "identification.IdentifiedPayload.table": "no arguments, of a record that identify returns",
    "identification.LogResult.from_table": "a step of Identification.load",
    "identification.LogResult.table": "no arguments, of a record that identify returns",
    "identification.Errors.from_table": "a step of Identification.load",
    "identification.Errors.table": "no arguments, of a record that identify returns",
    "inverse_kinematics.Solutions.__getitem__": "NumPy's: the result is indexed as its q",
    "flexible.Coefficients": "what FlexibleArm.coefficients makes",
    "flexible.Modes.__getitem__": "a sequence: IndexError and TypeError are what Python expects",
    "redundancy.Criterion.expressions": "takes CasADi symbols",
    "redundancy.Obstacle.value": "takes CasADi symbols",
    "redundancy.Path.timed": "a step of follow",
    "redundancy.Task.between": "a step of compare",
    "redundancy.Task.features": "a step of follow",
    "redundancy.Task.pose_error": "takes CasADi symbols",
    "redundancy.Task.poses": "a step of solve",
    "redundancy.Task.residual": "takes CasADi symbols",
    "redundancy.Task.selected": "a step of resolved_motion",
    "redundancy.Task.target_features": "a step of follow",
    "elastic.ComputedTorque.expression": "takes CasADi symbols",
    "elastic.ComputedTorque.law": "takes CasADi symbols",
    "elastic.ComputedTorque.seen": "takes arrays and symbols alike, a step of track",
    "elastic.Control": "abstract",
    "elastic.Control.law": "abstract",
    "elastic.Decoupling.law": "takes CasADi symbols",
    "elastic.StagedDecoupling.law": "takes CasADi symbols",
    "elastic.Condition": "a record that robustness_condition returns",
    "elastic.MotorObserver.expression": "takes CasADi symbols",
    "elastic.PlantObserver.expression": "takes CasADi symbols",
    "elastic.Observer": "abstract",
    "elastic.Observer.begin": "abstract",
    "elastic.Observer.expression": "abstract",
    "elastic.ObservedTracking": "a record that track_observed returns",
    "elastic.Feedforward.law": "takes CasADi symbols",
    "control.Law": "a base class",
    "control.AdaptiveControl.response": "takes CasADi symbols",
    "control.AdaptiveControl.torque": "takes CasADi symbols",
    "control.ComputedTorque.response": "takes CasADi symbols",
    "control.ExpressionLaw.response": "takes CasADi symbols",
    "control.ComputedTorque.torque": "takes CasADi symbols",
    "control.GravityCompensation.torque": "takes CasADi symbols",
    "control.Impedance.torque": "takes CasADi symbols",
    "control.PDGravity.torque": "takes CasADi symbols",
    "simulation.Motion": "a record that simulate returns",
    "kernels.DeferredRecipe.program": "no arguments",
    "elastic.Friction.rates": "takes CasADi symbols",
    "trajectory.Trajectory": "abstract",
    "Inertial": "a step of reading a description; Inertial.of checks",
    "kernels.FormRecipe": "what Robot.kernel makes",
    "kernels.FormRecipe.program": "no arguments",
    "kernels.ProgramRecipe.program": "no arguments",
    "kernels.Recipe": "a protocol",
    "kernels.Recipe.program": "a protocol",
    "kernels.named_outputs": "names and makes a tuple, a step of every call",
    "equations.equations": "what Robot.equations calls",
    "equations.program_equations": "takes a traced program, a step of equations",
    "report.ElasticStudy.laws": "a step of the page",
    "report.ElasticStudy.other_laws": "a step of the page",
    "report.ElasticStudy.on_springs": "a step of the page",
    "report.RedundancyStudy.shown": "a step of the page",
    "report.render": "seconds per call; write_page is attacked",
    "report.write_report": "seconds per call; write_page is attacked",
}
"""Public names that are not attacked, and why."""

HEAVY = {
    "excitation": 0.2,
    "identify": 0.3,
    "identification.identify_floating": 0.3,
    "FlexibleArm.equations": 0.3,
    "Robot.equations": 0.5,
    "redundancy.compare": 0.2,
    "redundancy.equations": 0.3,
    "redundancy.self_motion": 0.3,
    "redundancy.follow": 0.4,
    "kernels.compiled": 0.3,
    "FlexibleArm.deluca_siciliano": 0.3,
    "identify_payload": 0.3,
    "equations.Equations.dot": 0.3,
    "trajectory.time_scaled": 0.5,
}
"""How often a slow call is chosen, relative to 1 for the others."""


@cache
def recipes() -> dict[str, Callable[[], Call]]:
    """Return the valid calls by name, those of the forms included."""
    table = dict(RECIPES)
    for owner, (make, kind) in FORM_OWNERS.items():
        for name in dir(kind):
            if type(kind.__dict__.get(name) or _inherited(kind, name)).__name__ == "FormMethod":
                table[f"{owner}.{name}"] = lambda make=make, name=name: form_call(make(), name)  # type: ignore[misc]
                table[f"{owner}.{name} of a sample"] = lambda make=make, name=name: sample_call(make(), name)  # type: ignore[misc]
    return table


def _inherited(kind: type, name: str) -> Any:
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def is_record(kind: Any) -> bool:
    """Return whether a class only holds what it is given: a dataclass or tuple without checks."""
    plain = dataclasses.is_dataclass(kind) and not hasattr(kind, "__post_init__")
    return isinstance(kind, type) and (plain or issubclass(kind, tuple))


def forgotten() -> list[str]:
    """Return public callables that are neither attacked nor excluded."""
    return [
        name
        for name, each in public_callables().items()
        if name not in recipes() and name not in EXCLUDED and not is_record(each)
    ]
