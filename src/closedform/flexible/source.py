"""Forms of an arm as source code in other languages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..emit import Quantity, Subject
from ..emit import export as write_source
from ..emit.subject import Index
from ..programs import Program
from .catalogue import FORMS
from .model import ArmModel

QUANTITIES = {
    "q": Quantity("q", "joint angles, then mode coordinates link by link", "rad, m"),
    "qd": Quantity("qd", "their rates", "rad/s, m/s"),
    "qdd": Quantity("qdd", "their accelerations", "rad/s^2, m/s^2"),
    "u": Quantity("u", "joint torques", "N m"),
    "B": Quantity("B", "inertia matrix (or input matrix of a linearisation)", "kg m^2, kg m, kg"),
    "h": Quantity("h", "Coriolis and centrifugal forces", "N m, N"),
    "C": Quantity("C", "Coriolis matrix, C qd = h", "the force per velocity"),
    "g": Quantity("g", "forces of gravity", "N m, N"),
    "T": Quantity("T", "kinetic energy", "J"),
    "U": Quantity("U", "energy of bending and of gravity", "J"),
    "f": Quantity("f", "generalised forces", "N m, N"),
    "A": Quantity("A", "system matrix over (q, qd)", "SI"),
    "tip": Quantity("tip", "position of the tip in the base frame", "m"),
    "angle": Quantity("angle", "direction of the tip", "rad"),
    "J": Quantity("J", "map from qd to the velocity of the tip", "m, 1"),
    "Y": Quantity("Y", "regressor, forces = Y p", "force per parameter"),
}
"""What the arrays of an arm's forms mean."""


def arm_export(
    model: ArmModel,
    owner: str,
    program: Program,
    language: str,
    path: str | os.PathLike[str],
    precision: str,
) -> tuple[Path, ...]:
    """Write a form of the arm called `owner`; see `FlexibleArm.export`."""

    def layout(index: Index) -> Iterator[str]:
        yield "Coordinates, in order:"
        for k, each in enumerate(model.coordinate_names):
            yield f"  {index('q', (k,))}  {each}"

    doc = FORMS[program.name].doc
    subject = Subject(program.name, owner, doc, layout, tuple(_facts(model)), QUANTITIES)
    return write_source(program, subject, language, path, precision=precision)


def _facts(model: ArmModel) -> Iterator[str]:
    for i, (link, modes) in enumerate(zip(model.links, model.modes, strict=True)):
        frequencies = ", ".join(f"{f:.4g}" for f in modes.stacked("frequency"))
        yield f"Link {i + 1}: {link.length:g} m, {link.mass:g} kg, modes at {frequencies} Hz."
    mass, inertia = model.payload
    gravity = ", ".join(f"{value + 0.0:g}" for value in model.gravity)
    yield f"Payload {mass:g} kg, {inertia:g} kg m^2; gravity ({gravity}) m/s^2."
