"""Drake's numbers for a branched robot with a floating base, as the tests of its conventions keep them.

`python -m oracles.drake_peer > tests/golden/drake.json`, by a Python that has Drake (`pip install drake`). It
needs nothing of this library.
"""

from __future__ import annotations

import json
from importlib.metadata import version

import numpy as np

LINK = (
    '<link name="{}"><inertial><mass value="{}"/><origin xyz="{}" rpy="0.1 0.2 0.3"/>'
    '<inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.02" ixz="0.01" iyz="0.03"/></inertial></link>'
)
JOINT = (
    '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/><origin xyz="{}" rpy="{}"/>'
    '<axis xyz="{}"/><limit effort="10" velocity="10" lower="-3" upper="3"/></joint>'
)
URDF = (
    '<robot name="fork">'
    + LINK.format("trunk", 4.0, "0.05 -0.02 0.1")
    + LINK.format("right", 1.0, "0 0.1 -0.2")
    + LINK.format("left", 2.0, "0.1 0 -0.1")
    + LINK.format("foot", 0.5, "0 0 -0.1")
    + JOINT.format("z_right", "revolute", "trunk", "right", "0.1 0.2 0", "0 0.3 0", "0 1 0")
    + JOINT.format("a_left", "revolute", "trunk", "left", "0.1 -0.2 0", "0.2 0 0", "1 0 0")
    + JOINT.format("foot", "prismatic", "left", "foot", "0 0 -0.3", "0 0 0.4", "0 0 1")
    + "</robot>"
)


def numbers() -> dict[str, object]:
    from pydrake.all import JacobianWrtVariable, MultibodyForces, MultibodyPlant, Parser  # noqa: PLC0415 (no need of tests)

    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModelsFromString(URDF, "urdf")
    plant.Finalize()
    context, rng = plant.CreateDefaultContext(), np.random.default_rng(3)
    joints = [
        (j.name(), j.position_start(), j.num_positions(), j.velocity_start(), j.num_velocities())
        for j in map(plant.get_joint, plant.GetJointIndices())
    ]
    samples = []
    for _ in range(3):
        nq, nv = plant.num_positions(), plant.num_velocities()
        q, v, a = (rng.uniform(-1, 1, size) for size in (nq, nv, nv))
        q[:4] /= np.linalg.norm(q[:4])
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        foot, world = plant.GetFrameByName("foot"), plant.world_frame()
        gravity = plant.CalcGravityGeneralizedForces(context)
        forces = plant.CalcInverseDynamics(context, a, MultibodyForces(plant))
        samples.append(
            {
                "q": q,
                "v": v,
                "a": a,
                "mass_matrix": plant.CalcMassMatrix(context),
                "gravity": gravity,
                "tau": forces - gravity,
                "bias": plant.CalcBiasTerm(context),
                "pose": foot.CalcPoseInWorld(context).GetAsMatrix4(),
                "jacobian": plant.CalcJacobianSpatialVelocity(
                    context, JacobianWrtVariable.kV, foot, np.zeros(3), world, world
                ),
                "twist": foot.CalcSpatialVelocityInWorld(context).get_coeffs(),
            }
        )
    listed = [{name: np.asarray(value).tolist() for name, value in each.items()} for each in samples]
    return {"drake": version("drake"), "joints": joints, "samples": listed}


if __name__ == "__main__":
    print(json.dumps(numbers()))
