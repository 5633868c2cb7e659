"""Laws and plants of elastic-joint robots as source code in other languages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..emit import Quantity, Subject
from ..emit import export as write_source
from ..emit.names import label
from ..emit.subject import Index
from ..programs import Program

QUANTITIES = {
    "theta": Quantity("theta", "motor angles, at the shaft", "rad"),
    "thetad": Quantity("thetad", "motor velocities", "rad/s"),
    "thetadd": Quantity("thetadd", "motor accelerations", "rad/s^2"),
    "u": Quantity("u", "motor torques, at the shaft", "N m"),
    "s": Quantity("s", "commanded derivative of the link angles at the end of the chain", "rad/s^4"),
    "stiffness": Quantity("stiffness", "stiffness of the springs, at the shaft", "N m/rad"),
    "stiffness_dot": Quantity("stiffness_dot", "its rate", "N m/rad/s"),
    "stiffness_ddot": Quantity("stiffness_ddot", "its second rate", "N m/rad/s^2"),
    "qdd": Quantity("qdd", "link accelerations", "rad/s^2 or m/s^2"),
    "qddd": Quantity("qddd", "link jerks", "rad/s^3 or m/s^3"),
    "energy": Quantity("energy", "energy of links, motors and springs", "J"),
}
"""What the arrays mean, beside those of a robot."""


def elastic_export(
    program: Program,
    owner: str,
    doc: str,
    joints: Sequence[str],
    language: str,
    path: str | os.PathLike[str],
    precision: str,
) -> tuple[Path, ...]:
    """Write a quantity of the elastic-joint robot called `owner`; see `ElasticJointRobot.export`."""

    def layout(index: Index) -> Iterator[str]:
        yield "Joints, in order:"
        for k, joint in enumerate(joints):
            yield f"  {index('q', (k,))}  {label(joint)}"

    subject = Subject(program.name, f"elastic_{owner}", doc, layout, (), QUANTITIES)
    return write_source(program, subject, language, path, precision=precision)
