"""adam in PyTorch: batched mass matrix and bias forces of a robot whose base may move."""

from __future__ import annotations

from typing import Any

import torch
from adam.pytorch import KinDynComputationsBatch

import closedform as cf

from .job import DEVICE, FORMS, Job, inputs_of
from .measuring import Contestant, guarded, measure
from .rows import Sink
from .torch_part import back, random_states


def run(job: Job, sink: Sink) -> None:
    """Measure M, and ID as M qdd plus the bias: adam has no inverse dynamics with accelerations."""
    for name in job.robots:
        robot = job.load(name)
        sizes = (1024,) if job.quick else (1024, 65536)
        for short in ("ID", "M"):
            with guarded(f"adam {name} {short}"):
                who = contestant(robot, str(job.file(name)), short, "float32")
                measure(job, sink, name, robot.nv, short, "float32", who, sizes)


def contestant(robot: cf.Robot, file: str, short: str, dtype: str) -> Contestant:
    """Return adam's call, with the base at rest."""
    kind = getattr(torch, dtype)
    gravity = torch.tensor([0, 0, -9.81, 0, 0, 0], dtype=kind)
    names = list(robot.joint_names)
    peer = KinDynComputationsBatch(file, names, device=torch.device(DEVICE), dtype=kind, gravity=gravity)
    bases: dict[int, tuple[Any, Any]] = {}

    def base(count: int) -> tuple[Any, Any]:
        if count not in bases:
            pose = torch.eye(4, dtype=kind, device=DEVICE).repeat(count, 1, 1)
            bases[count] = pose, torch.zeros(count, 6, dtype=kind, device=DEVICE)
        return bases[count]

    def mass(q: torch.Tensor) -> torch.Tensor:
        return peer.mass_matrix(base(len(q))[0], q)[:, 6:, 6:]

    def torque(q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor) -> torch.Tensor:
        pose, still = base(len(q))
        bias = peer.bias_force(pose, q, still, qd)[:, 6:]
        return (mass(q) @ qdd[..., None])[..., 0] + bias

    return Contestant(
        "adam",
        "torch",
        {"ID": torque, "M": mass}[short],
        lambda array: torch.tensor(array, dtype=kind, device=DEVICE),
        lambda count: random_states(robot.nv, inputs_of(FORMS[short]), count, dtype),
        back,
        torch.cuda.synchronize,
        graphs=False,  # it copies constants from the host
    )
