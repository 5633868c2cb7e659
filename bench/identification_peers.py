"""FIGAROH and MuJoCo's sysid as peers of identification, each where it is installed.

FIGAROH (`pip install figaroh`) runs its own identification class: filters, decimation, base parameters by QR,
friction, rotors and offsets, weighted least squares. MuJoCo's toolbox (`pip install mujoco[sysid]`) fits its
pseudo-inertias of all bodies and the drives of all joints; its residual here is that of the inverse dynamics,
since simulated motions of an arm leave the measured ones within a second.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np

import closedform as cf
from closedform.arrays import Array
from closedform.description import Inertial

from .identification_compare import Case, Judge, Method, UnableError, judge_torques, recorded
from .identification_plain import WIDTH, Motion, evenly, filtered, rate
from .public_logs import Geometry

STATES = 400
"""Rows that MuJoCo's residual sees: it is differentiated by differences, parameter by parameter."""

ITERATIONS = 30
"""Steps of MuJoCo's optimiser."""


def peers() -> dict[str, Method]:
    """Return the peers that are installed, and say which are not."""
    found: dict[str, Method] = {}
    if find_spec("figaroh") and find_spec("pinocchio"):
        found["FIGAROH"] = figaroh
    else:
        print("FIGAROH is not installed: pip install figaroh")
    if find_spec("mujoco") and _sysid() is not None:
        found["MuJoCo"] = mujoco
    else:
        print("MuJoCo's sysid is not installed: pip install mujoco[sysid]")
    return found


def _sysid() -> Any:
    """Return MuJoCo's toolbox; None of a version without it, or without the packages that it needs."""
    try:
        from mujoco import sysid  # noqa: PLC0415 (a peer that may be absent)
    except ImportError:
        return None
    return sysid if hasattr(sysid, "optimize") else None


def figaroh(case: Case) -> Judge:
    """Return the judge of FIGAROH, with the cutoff that was chosen by hand."""
    import pinocchio as pin  # noqa: PLC0415 (a peer that may be absent)
    from figaroh.identification.base_identification import BaseIdentification  # noqa: PLC0415
    from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced  # noqa: PLC0415

    if case.log.further or _coupled(case):
        raise UnableError("couplings and counterbalances need a class of one's own")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        described(case).to_urdf(path)
        # Pinocchio turns joints without limits by (cos q, sin q)
        tree = ElementTree.parse(path)
        for joint in tree.iterfind(".//joint[@type='continuous']"):
            joint.set("type", "revolute")
            limit = joint.find("limit")
            limit = ElementTree.SubElement(joint, "limit") if limit is None else limit
            limit.attrib.update({"lower": "-1e3", "upper": "1e3", "effort": "1e6", "velocity": "1e6"})
        model = pin.buildModelFromXML(ElementTree.tostring(tree.getroot(), encoding="unicode"))
    model.gravity.linear[:] = case.robot.gravity
    if list(model.names[1:]) != list(case.robot.joint_names):
        raise UnableError("Pinocchio orders the joints differently")
    robot = SimpleNamespace(
        model=model, data=model.createData(), q0=pin.neutral(model), v0=np.zeros(model.nv)
    )
    time, q, tau = evenly(*recorded(case.fit))
    fs, n = rate(time), case.robot.nv
    settings: dict[str, Any] = {
        "active_joints": list(case.robot.joint_names),
        "act_idxq": list(range(n)),
        "act_idxv": list(range(n)),
        "is_joint_torques": True,
        "has_friction": True,
        "has_actuator_inertia": True,
        "has_joint_offset": True,
        **{name: [0.0] * n for name in ("fv", "fs", "Ia", "off")},
        "qr_relative_tolerance": 1e-4,
        "filter_config": {
            "differentiation_method": "gradient",
            "filter_params": {"nbutter": 4, "f_butter": case.log.cutoff, "med_fil": 5, "f_sample": fs},
        },
    }

    class OfLog(BaseIdentification):  # type: ignore[misc]
        """FIGAROH's identification of this log."""

        def load_param(self, config_file: str, setting_type: str = "identification") -> None:
            self.identif_config = settings

        def load_trajectory_data(self, data_source: str | None = None) -> dict[str, Any]:
            none = {"velocities": None, "accelerations": None}
            return {"timestamps": time, "positions": q, "torques": tau, **none}

    with contextlib.redirect_stdout(io.StringIO()):
        identification = OfLog(robot)
        identification.initialize()
        factor = min(10, int(fs / (8 * case.log.cutoff)))
        identification.solve(decimate=factor > 1, decimation_factor=max(factor, 1), plotting=False, wls=True)
    eliminated, base = identification._idx_eliminated, identification._base_indices
    values = np.asarray(identification.phi_base)

    def predict(motion: Motion) -> Array:
        W = build_regressor_basic(robot, motion.q, motion.qd, motion.qdd, settings)
        predicted = build_regressor_reduced(W, eliminated)[:, base] @ values
        return np.asarray(predicted).reshape(n, -1).T

    return judge_torques(predict, case)


def _coupled(case: Case) -> bool:
    """Return whether a motor turns several joints."""
    return bool((np.count_nonzero(case.fit.transmission.reduction, axis=1) > 1).any())


def described(case: Case) -> cf.Robot:
    """Return the robot, with bodies of 1 kg if it has none: a reader of URDF files expects some."""
    if not isinstance(case.log.robot, Geometry):
        return case.robot
    body = Inertial(1.0, np.zeros(3), 0.01 * np.eye(3))
    return cf.Robot.from_mdh(case.log.robot.rows, gravity=case.log.gravity, inertials=[body] * case.robot.nv)


def mujoco(case: Case) -> Judge:
    """Return the judge of MuJoCo's toolbox."""
    import mujoco as mj  # noqa: PLC0415 (a peer that may be absent)

    sysid = _sysid()
    if case.log.further or _coupled(case):
        raise UnableError("couplings and counterbalances have no parameter there")
    if not case.robot.model.has_inertia:
        raise UnableError("no inertias are described, and its bounds are multiples of those")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        case.robot.to_mjcf(path)
        spec = mj.MjSpec.from_file(str(path))
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9
    spec.option.gravity = case.robot.gravity
    spec.option.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    start = spec.copy().compile()
    if start.nv != case.robot.nv:
        raise UnableError(f"MuJoCo has {start.nv} joints of {case.robot.nv}")
    start.dof_armature[:] = start.dof_damping[:] = 0

    def written(spec: Any, parameter: Any) -> None:
        """Write a body's inertia; the toolbox's own way asks for shapes, which our file does not have."""
        phi = sysid.model_modifier.pi_from_theta(parameter.value)
        body, mass, com = spec.body(parameter.name), phi[0], phi[1:4] / phi[0]
        central = phi[4:].reshape(3, 3) - mass * (com @ com * np.eye(3) - np.outer(com, com))
        body.mass, body.ipos = mass, com
        body.fullinertia = [*np.diag(central), central[0, 1], central[0, 2], central[1, 2]]

    params = sysid.ParameterDict()
    for body in range(1, start.nbody):
        if start.body_mass[body] > 0 and start.body_dofnum[start.body_weldid[body]]:
            name = start.body(body).name
            params[name] = sysid.body_inertia_param(
                spec.copy(), start, name, sysid.InertiaType.Pseudo, param_name=name, modifier=written
            )
    n = case.robot.nv
    for name, least in (("armature", 0.0), ("damping", 0.0), ("coulomb", 0.0), ("offset", -1e3)):
        params[name] = sysid.Parameter(name, np.full(n, 0.1), np.full(n, least), np.full(n, 1e3))
    motion = filtered(*recorded(case.fit), case.log.cutoff)
    rows = np.linspace(0, len(motion.time) - 1, min(STATES, len(motion.time))).astype(int)
    few = Motion(motion.time[rows], motion.q[rows], motion.qd[rows], motion.qdd[rows], motion.tau[rows])
    size = np.std(few.tau, axis=0)

    def torque(values: Any, motion: Motion) -> Array:
        model = sysid.apply_param_modifiers(values, spec.copy())
        model.dof_armature[:] = model.dof_damping[:] = model.dof_frictionloss[:] = 0
        data = mj.MjData(model)
        tau = np.empty_like(motion.q)
        for k in range(len(tau)):
            data.qpos[:], data.qvel[:], data.qacc[:] = motion.q[k], motion.qd[k], motion.qdd[k]
            mj.mj_inverse(model, data)
            tau[k] = data.qfrc_inverse
        tau += values["armature"].value * motion.qdd + values["damping"].value * motion.qd
        return tau + values["coulomb"].value * np.tanh(motion.qd / WIDTH) + values["offset"].value

    def residual(x: Array, values: Any) -> tuple[list[Array], None, None]:
        columns = []
        for each in np.atleast_2d(np.asarray(x).T):
            values.update_from_vector(each)
            columns.append(((torque(values, few) - few.tau) / size).ravel())
        return [np.squeeze(np.array(columns).T)], None, None

    with contextlib.redirect_stdout(io.StringIO()):
        found, _ = sysid.optimize(
            params, residual, "scipy", verbose=False, max_iters=ITERATIONS, x_scale="jac"
        )
    return judge_torques(lambda motion: torque(found, motion), case)
